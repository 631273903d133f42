"""What the tools for authors look at within limits, and what they say beyond them."""

from __future__ import annotations

import ast
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from diagnose.authoring.coverage import package, report
from diagnose.authoring.coverage.judge import coverage
from diagnose.authoring.coverage.message import MAX_DEPTH, MAX_TEMPLATES, Hole, fixed, templates
from diagnose.authoring.coverage.package import LONGEST_LIBRARY, LONGEST_SOURCE, read_package
from diagnose.authoring.coverage.shown import LONGEST_VALUE, Examples
from diagnose.authoring.rules import matching_rules
from diagnose.authoring.rules.adversary import MAX_TEXTS, adversaries
from diagnose.authoring.rules.guards import MAX_TRIES, can_hold
from diagnose.authoring.rules.walking import MAX_WAYS, CannotWalk, TooManyWays, always_holds_one, ways
from tests.authoring.made import entry_of, knowledge_of, one, wheel


def expression(source: str) -> ast.expr:
    return ast.parse(source, mode="eval").body


def test_a_message_has_so_many_wordings() -> None:
    names = {"m": [expression(f"'wording {n}'") for n in range(MAX_TEMPLATES + 8)]}
    assert len(templates(expression("m"), names)) == MAX_TEMPLATES
    pairs = expression("f'{m} and {m}'")
    assert len(templates(pairs, names)) == MAX_TEMPLATES


def test_a_message_put_together_too_deep_ends_in_a_hole_and_not_in_a_wrong_text() -> None:
    def nested(depth: int) -> str:
        return "'end'" if not depth else f"('x' + {nested(depth - 1)})"

    assert fixed(templates(expression(nested(MAX_DEPTH)), {})[0]) == "x" * MAX_DEPTH + "end"
    (beyond,) = templates(expression(nested(MAX_DEPTH + 1)), {})
    assert isinstance(beyond[-1], Hole)


@pytest.mark.parametrize("packed", [True, False])
def test_a_file_that_is_too_large_is_named_and_not_counted(tmp_path: Path, packed: bool) -> None:
    small = "raise ValueError('the sample pool of 12 blocks is used up')\n"
    if packed:
        large = " " * (LONGEST_SOURCE + 1)
        given = wheel(tmp_path, "optimum-rbln", "1.0", {"a/small.py": small, "a/large.py": large})
        expected = ["a/large.py"]
    else:
        given = tmp_path / "optimum_rbln"
        given.mkdir()
        (given / "small.py").write_text(small, "utf-8")
        for name, size in (("large.py", LONGEST_SOURCE), ("fits.py", LONGEST_SOURCE - 1), ("l.so", LONGEST_LIBRARY)):
            with (given / name).open("wb") as out:
                out.truncate(size + 1)
        (given / "readme.txt").write_bytes(b" " * (LONGEST_SOURCE + 1))
        expected = ["l.so", "large.py"]
    read = read_package(str(given))
    assert sorted(read.too_large) == expected
    assert "large.py" not in {Path(name).name for name in read.files}
    small_only = package.Package(read.name, read.version, {"s.py": small}, "", read.too_large)
    found = coverage(small_only, knowledge_of(tmp_path, entry_of()))
    assert any(expected[0] in line for line in report.lines(found, "ko"))
    assert report.as_object(found)["too_large"] == list(read.too_large)


def test_many_large_sources_in_a_small_archive_do_not_fill_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert package.LONGEST_PACKAGE >= 8 * LONGEST_SOURCE
    monkeypatch.setattr(package, "LONGEST_PACKAGE", 30)
    given = wheel(tmp_path, "optimum-rbln", "1.0", {f"a/{n}.py": "x" * 10 for n in range(5)})
    found = read_package(str(given))
    assert (sorted(found.files), sorted(found.too_large)) == (["a/0.py", "a/1.py", "a/2.py"], ["a/3.py", "a/4.py"])


def test_an_example_stands_for_a_message_whose_values_are_short_enough() -> None:
    def found(value: str) -> list[Any]:
        text = f"the compiled model of {value} cannot be loaded"
        entry = SimpleNamespace(id="a.b", examples=[SimpleNamespace(text=text)])
        template = ("the compiled model of ", Hole(), " cannot be loaded")
        return list(Examples(SimpleNamespace(entries={"a.b": entry})).of(template))  # type: ignore[arg-type]

    assert found("x" * LONGEST_VALUE)
    assert not found("x" * (LONGEST_VALUE + 1))


def test_a_pattern_of_more_ways_than_are_looked_at_is_not_called_proven(tmp_path: Path) -> None:
    inside = "(?:" + "|".join(f"needle {n} a" for n in range(MAX_WAYS)) + ")"
    assert always_holds_one(inside, ["needle"])
    beyond = inside[:-1] + "|nothing of it)"
    with pytest.raises(TooManyWays):
        always_holds_one(beyond, ["needle"])
    with pytest.raises(TooManyWays):
        list(ways("(?:aa|b)" * 9))
    many = [{"regex": "(?:aa|b)" * 9 + " needle", "literals": ["needle"]}]
    entry, knowledge = one(tmp_path, signatures=many, cause={"en": "A.", "ko": "나."}, examples=["bbbbbbbbb needle"])
    (problem,) = matching_rules.proven(entry, knowledge)
    assert str(MAX_WAYS) in problem


def test_what_only_the_other_engine_knows_is_told_apart_from_too_much() -> None:
    with pytest.raises(CannotWalk):
        list(ways(r"\\p{L}+(?|a|b)"[1:]))


def test_a_guard_is_tried_so_often_and_then_called_undecided() -> None:
    assert can_hold("a == 3 and a != 3") is False
    names = [f"v{n}" for n in range(9)]
    assert (len(names) + 7) ** len(names) > MAX_TRIES
    assert can_hold(" and ".join(f"{name} == 0.5 - {name}" for name in names)) is None


def test_a_pattern_is_annoyed_with_so_many_texts() -> None:
    literals = [f"literal {n}" for n in range(MAX_TEXTS * 2)]
    assert len(list(adversaries("a{0,400}b", literals, (), 100))) <= MAX_TEXTS + 2
    pumps = "".join(f"{chr(97 + n % 26)}{{0,400}}{n}" for n in range(MAX_TEXTS * 2))
    assert len(list(adversaries(pumps, ["x"], (), 100))) <= MAX_TEXTS * 2 + 2
