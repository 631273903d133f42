"""Messages whose names lost their quotes."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diagnose import diagnose_bytes
from diagnose.analyzer import engine_for
from diagnose.knowledge import Knowledge, load
from diagnose.matching import Matcher
from diagnose.matching.unquoted import MAX_CHARS, QUOTES, UnquotedMatcher
from diagnose.model import Piece, Record, RecordKind
from diagnose.scan import Engine

MESSAGE = "ValueError: `max_seq_len` (40960) must be a multiple of `kvcache_partition_len` (16384)"
TRACEBACK = f"""Traceback (most recent call last):
  File "/app/compile.py", line 12, in <module>
    main()
{MESSAGE} when using 'flash_attn'. Please adjust either value to meet this requirement.
"""


@cache
def knowledge() -> tuple[Knowledge, Engine]:
    found = load({})
    return found, engine_for(found)


def entries(matcher: Matcher, text: str) -> list[str]:
    return [match.entry for match in matcher.match(Record(RecordKind.EXCEPTION, text, (Piece(0, 1, 0),)))]


@given(st.lists(st.sampled_from(["", *QUOTES]), min_size=4, max_size=4))
@settings(max_examples=30)
def test_names_are_known_between_any_quotes_and_none(quotes: list[str]) -> None:
    text = "".join(map(str.__add__, MESSAGE.split("`"), [*quotes, ""]))
    assert entries(UnquotedMatcher(*knowledge()), text) == ["attention.not-multiple"]


def test_a_longer_record_is_matched_as_it_stands() -> None:
    text = MESSAGE.replace("`", "")
    assert entries(UnquotedMatcher(*knowledge()), f"{text}\n{'x' * MAX_CHARS}") == []


def test_no_near_miss_of_an_entry_becomes_one_of_it_without_quotes() -> None:
    strict, loose = Matcher(*knowledge()), UnquotedMatcher(*knowledge())
    for entry in knowledge()[0].entries.values():
        for text in entry.near_misses:
            assert (entry.id in entries(loose, text)) <= (entry.id in entries(strict, text)), (entry.id, text)


@pytest.mark.parametrize(("opening", "closing"), [("", ""), ("‘", "’"), ("“", "”"), ("'", "'")])
@pytest.mark.parametrize("lines", [0, 1500])
def test_a_traceback_copied_out_of_a_chat_is_diagnosed_with_its_numbers(opening: str, closing: str, lines: int) -> None:
    text = TRACEBACK.replace("`max_seq_len`", f"{opening}max_seq_len{closing}")
    text = text.replace("`kvcache_partition_len`", f"{opening}kvcache_partition_len{closing}")
    calm = "".join(f"INFO 11-29 08:00:01 [loader.py:{number}] shard {number} is read\n" for number in range(lines))
    found = diagnose_bytes((calm + text).encode())
    assert [one.entry for one in found.findings] == ["attention.not-multiple"]
    assert found.findings[0].numbers == {"seq_len": 40960, "partition_len": 16384}
    assert found.findings[0].line == lines + 4


def test_an_error_no_entry_knows_stays_one() -> None:
    found = diagnose_bytes(TRACEBACK.replace("must be a multiple of", "is not at all like").encode())
    assert found.outcome == "unknown"
    assert not found.findings
