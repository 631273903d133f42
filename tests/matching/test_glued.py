"""Messages whose white space was lost."""

from __future__ import annotations

from diagnose.analyzer import engine_for
from diagnose.knowledge import load
from diagnose.matching import Matcher
from diagnose.matching.glued import MAX_GLUED_CHARS, GluedMatcher
from diagnose.model import Piece, Record, RecordKind

KNOWLEDGE = load({})
ENGINE = engine_for(KNOWLEDGE)
GLUED = "ValueError: The set`kvcache_num_blocks` (10) isless than theminimum number ofblocks (33)"


def entries(matcher: Matcher, text: str) -> list[str]:
    record = Record(RecordKind.EXCEPTION, text, (Piece(0, 1, 0),))
    return [match.entry for match in matcher.match(record)]


def test_words_that_run_together_are_a_message_only_where_white_space_is_known_to_be_lost() -> None:
    assert entries(GluedMatcher(KNOWLEDGE, ENGINE), GLUED) == ["kv-cache.below-minimum"]
    assert entries(Matcher(KNOWLEDGE, ENGINE), GLUED) == []


def test_a_longer_record_is_matched_as_it_stands() -> None:
    assert entries(GluedMatcher(KNOWLEDGE, ENGINE), GLUED + "\n" + "x" * MAX_GLUED_CHARS) == []
