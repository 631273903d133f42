from __future__ import annotations

import pytest

from diagnose.knowledge.schema import Signature
from diagnose.matching.places import LONGEST_LEAD, LONGEST_TYPES, begins, is_error, may_match
from diagnose.model import ExceptionInfo, Piece, Record, RecordKind

PLAIN = Signature("e", 0, "", "", {}, ("x",))
MESSAGE = "No memory blocks are available"


def record(kind: RecordKind, text: str, level: str | None = None) -> Record:
    info = ExceptionInfo("ValueError", 0, 0, None, True) if kind is RecordKind.EXCEPTION else None
    return Record(kind, text, (Piece(0, 1, 0),), level=level, exception=info)


@pytest.mark.parametrize(
    ("lead", "counts"),
    [
        ("", True),
        ("RuntimeError: ", True),
        ("  • ", True),
        ("compile failed: ", True),
        ("컴파일 실패: ", True),
        ("[worker 3] ", True),
        ("예를 들어 `", False),
        ("the text '", False),
        ("    # ValueError: ", False),
        ("+ValueError: ", False),
        ("> ", False),
        ("docs/faq.md:12: ValueError: ", False),
        ("tests/test_x.py::test_kv[ValueError: ", False),
        ("XFAIL tests/x.py - ValueError: ", False),
        ("The docs say: ", False),
        ("<p>ValueError: ", False),
        ("If you see ", False),
        ("the server may one day print that the pool is empty, and then it will say so: ", False),
    ],
)
def test_program_output_counts_only_where_the_message_begins_it(lead: str, counts: bool) -> None:
    raw = record(RecordKind.RAW, lead + MESSAGE)
    assert begins(raw, len(lead), len(raw.text), PLAIN) is counts


def test_a_signature_that_may_stand_anywhere_is_found_in_mid_line() -> None:
    anywhere = Signature("e", 0, "", "", {}, ("x",), anywhere=True)
    raw = record(RecordKind.RAW, "If you see " + MESSAGE)
    assert begins(raw, 11, len(raw.text), anywhere)


def test_a_name_in_code_quotes_is_never_an_event() -> None:
    anywhere = Signature("e", 0, "", "", {}, ("x",), anywhere=True)
    raw = record(RecordKind.RAW, "a restart loses it (`SYS_ENODEV`)")
    assert not begins(raw, raw.text.index("SYS"), len(raw.text) - 2, anywhere)


@pytest.mark.parametrize(
    ("kind", "level", "counts"),
    [
        (RecordKind.LOG, "INFO", False),
        (RecordKind.LOG, "DEBUG", False),
        (RecordKind.LOG, "WARNING", True),
        (RecordKind.LOG, "ERROR", True),
        (RecordKind.EXCEPTION, None, True),
        (RecordKind.FATAL, None, True),
        (RecordKind.USAGE, None, True),
        (RecordKind.ACCESS, None, False),
    ],
)
def test_only_what_reports_something_is_searched(kind: RecordKind, level: str | None, counts: bool) -> None:
    assert may_match(PLAIN, record(kind, MESSAGE, level)) is counts


def test_a_signature_may_ask_for_other_places() -> None:
    info = Signature("e", 0, "", "", {}, ("x",), where=("log",))
    assert may_match(info, record(RecordKind.LOG, MESSAGE, "INFO"))
    assert not may_match(info, record(RecordKind.EXCEPTION, MESSAGE))


@pytest.mark.parametrize(
    ("kind", "level", "error"),
    [
        (RecordKind.LOG, "ERROR", True),
        (RecordKind.LOG, "WARNING", False),
        (RecordKind.RAW, None, False),
        (RecordKind.EXCEPTION, None, True),
        (RecordKind.ACCESS, None, False),
    ],
)
def test_an_error_is_told_by_its_form(kind: RecordKind, level: str | None, error: bool) -> None:
    assert is_error(record(kind, "anything", level)) is error


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("ERROR x failed", True),
        ("error: x failed", True),
        ("FATAL: no such role", True),
        ("Aborted (core dumped)", True),
        ("Aborted login (auth failed, 1 attempts)", False),
        ("./a.cpp:3:1: error: no matching function", True),
        ("make: *** [all] Error 2", True),
        ("0 errors, 3 warnings", False),
        ("errors were found and mended", False),
        ("The error: nothing", False),
    ],
)
def test_plain_output_that_begins_like_an_error_report_is_an_error(text: str, error: bool) -> None:
    assert is_error(record(RecordKind.RAW, text)) is error


def test_what_a_server_echoes_is_no_event() -> None:
    info = Signature("e", 0, "", "", {}, ("x",), where=("log",))
    log = record(RecordKind.LOG, f"Received request a: prompt: 'what is {MESSAGE}'", "INFO")
    assert not begins(log, log.text.index(MESSAGE), len(log.text), info)


def test_advice_about_a_message_is_no_event() -> None:
    raw = record(RecordKind.RAW, f"오류: {MESSAGE} 가 나오면 max_seq_len을 줄이세요.")
    assert not begins(raw, 4, 4 + len(MESSAGE), PLAIN)


def test_a_pattern_that_matches_nothing_at_the_end_of_a_refused_text_ends() -> None:
    from diagnose import diagnose_bytes

    text = "   `Error during model compilation: the input could not be used`"
    assert diagnose_bytes(text.encode()).outcome in ("healthy", "unknown", "diagnosed")


@pytest.mark.parametrize(
    ("fits", "beyond"),
    [
        ("x" * (LONGEST_LEAD - 2) + ": ", "x" * (LONGEST_LEAD - 1) + ": "),
        ("a.Error: " * (LONGEST_TYPES // 9), "a.Error: " * (LONGEST_TYPES // 9 + 1)),
    ],
    ids=["lead", "types"],
)
def test_what_stands_before_a_message_on_a_raw_line_is_so_long(fits: str, beyond: str) -> None:
    def counts(lead: str) -> bool:
        text = lead + MESSAGE
        return begins(record(RecordKind.RAW, text), len(lead), len(text), PLAIN)

    assert counts(fits)
    assert not counts(beyond)


def test_a_raw_line_shows_early_that_it_reports_an_error() -> None:
    def error(place: int) -> bool:
        return is_error(record(RecordKind.RAW, f"/{'a' * place}.c:7: error: bad"))

    assert error(LONGEST_TYPES - 40)
    assert not error(LONGEST_TYPES)
