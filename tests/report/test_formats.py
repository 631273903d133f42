"""Every format holds its own syntax against anything a log can contain."""

from __future__ import annotations

import json
import re
import unicodedata
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from html.parser import HTMLParser
from urllib.parse import unquote, urlparse

import pytest
from hypothesis import given, settings
from markdown_it import MarkdownIt

from diagnose.model import Diagnosis
from diagnose.report import FORMATS, render
from diagnose.report.markdown import code, escape, fence
from diagnose.report.sarif import uri
from tests.report.samples import HEALTHY, KV, RUNTIME, SAMPLES, UNKNOWN
from tests.report.sarif_shape import SARIF
from tests.report.strategies import diagnoses, strings

quick = settings(max_examples=15)


@given(diagnoses)
@settings(max_examples=30)
def test_no_format_passes_on_a_control_character_of_any_log(diagnosis: Diagnosis) -> None:
    for format in FORMATS:
        text = render(diagnosis, format, "ko")
        assert not [c for c in text if c != "\n" and unicodedata.category(c) in ("Cc", "Cs")], format
        assert text.endswith("\n") or (text == "" and format == "github")


@pytest.mark.parametrize("format", [f for f in FORMATS if f not in ("json", "github")])
@pytest.mark.parametrize("name", SAMPLES)
def test_every_format_speaks_the_language_asked_for(format: str, name: str) -> None:
    korean, english = (render(SAMPLES[name], format, lang) for lang in ("ko", "en"))
    assert korean != english or format in ("sarif", "gitlab")
    hangul = re.findall("[가-힣]+", english.replace("컴파일 로그.txt", ""))
    assert not hangul


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown format"):
        render(KV, "as_dict", "en")


# ---------------------------------------------------------------- SARIF


def test_sarif_names_rule_place_and_echoes() -> None:
    run = json.loads(render(KV, "sarif", "en"))["runs"][0]
    (result,) = run["results"]
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "server.log"
    assert place["region"]["startLine"] == 812
    assert [p["physicalLocation"]["region"]["startLine"] for p in result["relatedLocations"]] == [
        871,
        902,
        915,
    ]
    assert result["level"] == "error"


@given(diagnoses)
@quick
def test_sarif_of_any_diagnosis_has_the_published_shape(diagnosis: Diagnosis) -> None:
    SARIF.validate(json.loads(render(diagnosis, "sarif", "en")))


@pytest.mark.parametrize("sample", SAMPLES)
def test_sarif_of_every_kind_of_report_has_the_published_shape(sample: str) -> None:
    SARIF.validate(json.loads(render(SAMPLES[sample], "sarif", "ko")))


@given(diagnoses)
@quick
def test_sarif_of_any_diagnosis_points_each_result_to_its_rule(diagnosis: Diagnosis) -> None:
    log = json.loads(render(diagnosis, "sarif", "ko"))
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    ids = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert len(set(ids)) == len(ids)
    for result in run["results"]:
        assert ids[result["ruleIndex"]] == result["ruleId"]
        assert result["level"] in ("error", "warning", "note")
    prints = [result["partialFingerprints"]["rblnDiagnose/v1"] for result in run["results"]]
    assert len(set(prints)) == len(prints)


@given(strings)
@quick
def test_any_file_name_is_a_uri(name: str) -> None:
    found = uri(name)
    assert re.fullmatch(r"[A-Za-z0-9\-._~/%:]+", found)
    assert urlparse(found).netloc == ""


def test_a_korean_path_is_encoded() -> None:
    assert unquote(uri("로그/서버 1.log")) == "로그/서버 1.log"
    assert uri("/var/log/a.log") == "file:///var/log/a.log"
    assert uri("-") == "stdin"


# ---------------------------------------------------------------- CI


@given(diagnoses)
@quick
def test_github_prints_one_command_per_event_and_nothing_else(diagnosis: Diagnosis) -> None:
    lines = render(diagnosis, "github", "en").split("\n")[:-1]
    expected = len(diagnosis.findings) + len(diagnosis.notes) + len(diagnosis.unknown)
    assert len(lines) == expected
    assert all(re.match(r"::(error|warning|notice) [^:]*::", line) for line in lines)


def test_github_escapes_what_would_end_a_property() -> None:
    from diagnose.report.github import _data, _property

    assert _property("50%: a,b\n") == "50%25%3A a%2Cb%0A"
    assert _data("50%: a,b\n") == "50%25: a,b%0A"


def test_github_annotates_the_line() -> None:
    assert render(KV, "github", "ko").startswith("::error file=server.log,line=812,title=디바이스 메모리에")


@given(diagnoses)
@quick
def test_gitlab_fingerprints_are_unique_in_any_report(diagnosis: Diagnosis) -> None:
    found = json.loads(render(diagnosis, "gitlab", "ko"))
    assert len({item["fingerprint"] for item in found}) == len(found)
    assert all(item["location"]["lines"]["begin"] >= 1 for item in found)
    assert {item["severity"] for item in found} <= {"info", "minor", "major", "critical", "blocker"}


def test_a_fingerprint_does_not_depend_on_the_numbers_of_the_message() -> None:
    from dataclasses import replace

    def prints(diagnosis: Diagnosis) -> list[str]:
        return [item["fingerprint"] for item in json.loads(render(diagnosis, "gitlab", "en"))]

    finding = KV.findings[0]
    later = replace(finding, line=999, text=finding.text.replace("12", "11"))
    assert prints(KV) == prints(replace(KV, findings=(later,)))


@given(diagnoses)
@quick
def test_junit_of_any_diagnosis_is_xml_whose_counts_are_true(diagnosis: Diagnosis) -> None:
    root = ET.fromstring(render(diagnosis, "junit", "ko").encode())
    suite = root.find("testsuite")
    assert suite is not None
    assert int(suite.attrib["tests"]) == len(suite.findall("testcase"))
    assert int(suite.attrib["failures"]) == len(suite.findall("testcase/failure")) == len(diagnosis.findings)
    # A log that broke off before anything failed has no verdict: that is an error of the check too.
    no_verdict = diagnosis.is_open and not diagnosis.findings
    assert int(suite.attrib["errors"]) == len(suite.findall("testcase/error")) == len(diagnosis.unknown) + no_verdict


def test_junit_of_a_healthy_log_is_one_passing_test() -> None:
    root = ET.fromstring(render(HEALTHY, "junit", "en"))
    assert (root.attrib["tests"], root.attrib["failures"], root.attrib["errors"]) == ("1", "0", "0")


# ---------------------------------------------------------------- markdown and html


@given(strings)
def test_no_text_closes_its_fence(text: str) -> None:
    first, *body, last = fence(text).split("\n")
    ticks = first.removesuffix("text")
    assert last == ticks
    assert not any(line.strip().startswith(ticks) for line in body)


@given(strings)
def test_no_text_leaves_its_code_span(text: str) -> None:
    span = code(text)
    ticks = re.match("`+", span)
    assert ticks is not None
    inner = span[len(ticks[0]) : -len(ticks[0])]
    assert ticks[0] not in re.findall("`+", inner)


def plain_parts(page: str) -> Iterator[str]:
    """The texts of a page outside of code; fails on a picture, a link or HTML."""
    for block in MarkdownIt("commonmark").enable("table").parse(page):
        assert block.type != "html_block"
        for token in block.children or ():
            assert token.type not in ("image", "html_inline", "link_open"), token
            if token.type == "text":
                yield token.content


@given(diagnoses)
@quick
def test_no_log_calls_a_person_or_shows_a_picture_in_markdown(diagnosis: Diagnosis) -> None:
    for part in plain_parts(render(diagnosis, "markdown", "ko")):
        assert not re.search(r"(?<!\w)[@#!]\w", part), part


@given(strings)
def test_any_text_calls_nobody_when_it_is_made_plain(text: str) -> None:
    for part in plain_parts(escape(f"{text} @octocat, (@a/b) #1 !2 kim@example.org ![x](http://e/p.png)")):
        assert not re.search(r"(?<!\w)[@#!]\w", part), part


def test_markdown_makes_markup_plain() -> None:
    assert escape("<b> *x* [a](b) # |") == r"\<b\> \*x\* \[a\](b) \# \|"
    assert escape("- item") == r"\- item"


def test_markdown_holds_the_change_and_its_arithmetic() -> None:
    text = render(KV, "markdown", "ko")
    assert "`max_seq_len: 262144 → 180224`" in text
    assert "`(12 - 1) * 16384 = 180224`" in text


class Tags(HTMLParser):
    VOID = ("meta", "br")

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@given(diagnoses)
@quick
def test_html_of_any_diagnosis_is_balanced_and_runs_nothing(diagnosis: Diagnosis) -> None:
    tags = Tags()
    tags.feed(render(diagnosis, "html", "ko"))
    tags.close()
    assert tags.open == []
    assert not tags.seen & {"script", "img", "iframe", "link", "a", "object", "svg"}
    assert tags.attributes <= {"lang", "charset", "name", "content", "http-equiv", "class"}


def test_html_marks_the_numbers() -> None:
    text = render(KV, "html", "ko")
    assert re.findall("<mark>(.*?)</mark>", text) == ["12", "17", "8"]
    assert '<html lang="ko">' in text


@pytest.mark.parametrize("format", ["markdown", "html", "junit", "sarif", "gitlab", "github"])
def test_an_unknown_error_is_in_every_format(format: str) -> None:
    assert "7719" in render(UNKNOWN, format, "en")


@pytest.mark.parametrize("format", ["markdown", "html", "junit", "sarif", "gitlab", "github"])
def test_a_note_is_in_every_format_but_is_no_failure(format: str) -> None:
    from dataclasses import replace

    text = render(replace(HEALTHY, notes=RUNTIME.notes), format, "en")
    assert "The vision bucket is five times too large" in text
    assert "::error" not in text
    assert "<failure" not in text
    assert '"level": "error"' not in text
