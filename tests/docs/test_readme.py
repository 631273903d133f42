"""The two READMEs are one document in two languages, and what they promise is there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from diagnose.cli.app import main
from diagnose.report import FORMATS
from diagnose.report.words import word

ROOT = Path(__file__).parents[2]
README = {lang: (ROOT / name).read_text("utf-8") for lang, name in (("en", "README.md"), ("ko", "README.ko.md"))}


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def without_blocks(text: str) -> str:
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


def skeleton(text: str) -> list[str]:
    """Headings by level, tables by rows, lists by items, in order."""
    marks = re.findall(r"^(#+(?= )|\||- )", without_blocks(text), re.MULTILINE)
    return [mark.strip() for mark in marks]


def test_both_have_the_same_structure() -> None:
    assert skeleton(README["en"]) == skeleton(README["ko"])
    assert skeleton(README["en"]).count("##") >= 5


@pytest.mark.parametrize("language", ["sh", "python"])
def test_both_have_the_same_commands(language: str) -> None:
    assert blocks(README["en"], language) == blocks(README["ko"], language)
    assert blocks(README["en"], language)


def test_both_name_the_same_code_in_their_tables() -> None:
    def rows(text: str) -> list[list[str]]:
        found = re.findall(r"^\| (.*) \|$", without_blocks(text), re.MULTILINE)
        return [re.findall(r"`([^`]+)`|^(\d+) ", row) for row in found]

    badges = {word(f"badge_{a}", lang) for lang in ("en", "ko") for a in ("exact", "estimate", "needs-value", "advice")}

    def neutral(text: str) -> list[list[str]]:
        return [[p for p in row if p[0] not in badges] for row in rows(text)]

    assert neutral(README["en"]) == neutral(README["ko"])


def test_the_first_two_commands_set_up_a_machine_with_only_python() -> None:
    first, second = (block.strip() for block in blocks(README["en"], "sh")[:2])
    assert "\n" not in first + second
    for command in (first, second):
        assert command.startswith("python3 -m venv .venv && .venv/bin/pip install ")
    assert shlex.split(first)[-1].startswith("fixtures/")
    assert second.endswith("-m pytest -n auto")


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_every_option_named_is_there(lang: str, capsys: pytest.CaptureFixture[str]) -> None:
    for command in ([], ["history", "resolve"], ["watch"]):
        main([*command, "--help"], {})
    known = set(re.findall(r"--[a-z-]+", capsys.readouterr().out))
    text = without_blocks(README[lang]) + "\n".join(
        line for b in blocks(README[lang], "sh") for line in b.split("\n") if line.startswith("rbln-diagnose")
    )
    assert set(re.findall(r"(?<!\w)--[a-z]+[a-z-]*", text)) <= known


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_every_format_is_named(lang: str) -> None:
    row = next(line for line in README[lang].split("\n") if line.startswith("| `--format`"))
    assert tuple(re.findall("`([a-z]+)`", row)) == FORMATS


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_every_linked_file_is_there(lang: str) -> None:
    links = re.findall(r"\]\(([^)#]+)\)", README[lang])
    assert links
    assert [link for link in links if not (ROOT / link).is_file()] == []


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_every_badge_is_explained(lang: str) -> None:
    for applicability in ("exact", "estimate", "needs-value", "advice"):
        assert f"| `{word(f'badge_{applicability}', lang)}` |" in README[lang]  # type: ignore[arg-type]


def test_the_license_is_apache() -> None:
    assert "Apache License" in (ROOT / "LICENSE").read_text("utf-8")
    assert 'license = "Apache-2.0"' in (ROOT / "pyproject.toml").read_text("utf-8")
