"""What is put right says what is different; what looks the same is not put right."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from diagnose.incidents.nouns import Alert
from diagnose.model import Change, Finding, Lang, Remedy, Text
from diagnose.watch.changed import MAX_NAMED, changed, essence
from diagnose.watch.saying import alert_text, event_lines
from diagnose.watch.told import RunBook
from tests.watch.kit import CALM, OPENED, Make, append, blocks, start

TITLE = Text("The title", "제목")

WORDS = st.sampled_from(("batch_size", "max_seq_len", "blocks", "device"))
VALUES = st.one_of(st.none(), st.integers(0, 3), st.sampled_from(("a", "b")), st.lists(st.integers(0, 2), max_size=2))
CHANGES = st.builds(Change, WORDS, VALUES, VALUES, st.sampled_from(("rbln_config", "vllm")))
REMEDIES = st.builds(
    Remedy,
    st.sampled_from(("one", "two", "three")),
    st.sampled_from(("exact", "estimate", "needs-value", "advice")),
    st.sampled_from((TITLE, Text("Another", "다른 것"))),
    st.lists(CHANGES, max_size=2).map(tuple),
    arithmetic=st.sampled_from(("", "1 + 1 = 2")),
)
FINDINGS = st.builds(
    Finding,
    entry=st.sampled_from(("a.one", "b.two")),
    domain=st.just("rbln"),
    role=st.sampled_from(("root", "consequence")),
    severity=st.sampled_from(("fatal", "error")),
    line=st.integers(1, 3),
    offset=st.integers(0, 3),
    text=st.just("text"),
    title=st.just(TITLE),
    cause=st.just(TITLE),
    count=st.integers(1, 3),
    numbers=st.dictionaries(WORDS, VALUES, max_size=3),
    remedies=st.lists(REMEDIES, max_size=3, unique_by=lambda r: r.id).map(tuple),
)


@given(FINDINGS, FINDINGS)
@settings(max_examples=150)
def test_any_amendment_says_what_changed_in_both_languages_and_nothing_else_is_amended(
    before: Finding, now: Finding
) -> None:
    said = changed(before, now)
    assert bool(said.en) == bool(said.ko) == (essence(before) != essence(now))
    assert said.en.count("; ") <= MAX_NAMED
    assert said.en.count("; ") == said.ko.count("; ")


@given(FINDINGS)
@settings(max_examples=50)
def test_another_copy_echo_or_line_is_no_amendment(finding: Finding) -> None:
    finding = replace(finding, role="root")
    book = RunBook("run")
    book.compare([(finding, "mark")], calm=True, at=0.0)
    other = replace(
        finding, line=finding.line + 1, lines=(finding.line, finding.line + 1), count=7, cause=Text("x", "x")
    )
    assert book.compare([(other, "mark")], calm=True, at=1.0) == []


def test_the_line_and_the_alert_of_an_amendment_name_the_value_that_changed(rig: Make, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.touch()
    r = rig(log)
    append(log, start() + blocks() + CALM)
    r.go()
    (source,) = r.daemon.sources.values()
    (book,) = [b for b in source.session._books.values() if b.told]
    told = book.told[0]
    # As if other numbers had been told: the analyser says the true ones at the next look.
    told.finding = replace(told.finding, numbers={**told.finding.numbers, "blocks_set": 9})
    append(log, blocks() + CALM)
    r.go()
    r.settle()
    opened, amended = r.sink.events
    assert amended.kind == "amended"
    langs: tuple[Lang, Lang] = ("en", "ko")
    for lang in langs:
        before, after = (event_lines(e, lang)[0] for e in (opened, amended))
        assert "blocks_set: 9 → 10" in after
        assert "→" not in before
        alert: Alert = r.inbox.arrived[-1]
        title, _ = alert_text(alert.kind, alert.payload, lang, host="h", source="s")
        assert "blocks_set: 9 → 10" in title
    assert amended.finding is not None
    assert amended.finding.entry == OPENED["blocks"]
