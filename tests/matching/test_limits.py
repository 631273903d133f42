"""No record and no pattern takes the matcher's time without end."""

from __future__ import annotations

import pytest

from diagnose.knowledge.schema import Knowledge, Signature
from diagnose.matching import Matcher, matcher
from diagnose.model import Piece, Record, RecordKind


class EveryLiteral:
    def which(self, text: bytes) -> set[int]:
        return set(range(1000))


def knowing(*patterns: str) -> Knowledge:
    signatures = tuple(Signature(f"entry.{n}", 0, "", p, {}, ("x",)) for n, p in enumerate(patterns))
    literals = tuple((f"x{n}", n) for n in range(len(patterns)))
    return Knowledge("", {}, signatures, literals, {}, (), {}, {})


def record(text: str, kind: RecordKind = RecordKind.EXCEPTION) -> Record:
    return Record(kind, text, (Piece(0, 1, 0),))


SLOW = r"(?:a|aa|aaa)+b!"


def test_a_pattern_that_runs_away_is_given_up_and_the_next_one_is_tried() -> None:
    found = Matcher(knowing(SLOW, "a{9}"), EveryLiteral()).match(record("a" * 2_000 + " b!"))
    assert [match.entry for match in found] == ["entry.1"]


def test_many_patterns_that_run_away_share_one_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matcher, "MATCH_LIMIT_S", 0.05)
    monkeypatch.setattr(matcher, "RECORD_LIMIT_S", 0.1)
    slow = Matcher(knowing(*[SLOW] * 40), EveryLiteral())
    tried: list[int] = []
    prepare = slow._pattern
    monkeypatch.setattr(slow, "_pattern", lambda index, signature: tried.append(index) or prepare(index, signature))
    assert slow.match(record("a" * 2_000 + " b!")) == ()
    # Each one that was tried has used up its 0.05 s, but for the last one, which had what was left.
    assert 1 <= len(tried) <= 3


def test_a_signature_is_tried_at_so_many_places_of_one_record() -> None:
    spoken_of = "`boom` " * (matcher.MAX_TRIES + 1)
    for tries, expected in ((matcher.MAX_TRIES - 1, 1), (matcher.MAX_TRIES, 0)):
        text = "`boom` " * tries + "\nboom"
        assert len(Matcher(knowing("boom"), EveryLiteral()).match(record(text, RecordKind.RAW))) == expected, tries
    assert not Matcher(knowing("boom"), EveryLiteral()).match(record(spoken_of, RecordKind.RAW))
