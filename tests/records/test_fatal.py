"""The JSON a dying worker writes is found wherever it stands."""

from __future__ import annotations

import json

from diagnose.model import RecordKind
from tests.records.feeding import only, records_of

FATAL = json.dumps(
    {
        "event": "rbln.worker.fatal",
        "schema_version": 1,
        "ts": "2026-11-29T12:00:00Z",
        "source": "vllm-rbln",
        "pid": 4242,
        "where": "RBLNWorker.load",
        "exception_type": "RuntimeError",
        "exception_message": "Not enough memory\nfor 5 blocks",
        "exit_code": 70,
        "rank": 1,
        "dp_rank": 0,
        "cause": "unknown",
    },
    separators=(",", ":"),
)


def test_the_message_comes_first_and_the_fields_after_it() -> None:
    record = only(FATAL)
    assert record.kind is RecordKind.FATAL
    assert record.text == (
        "RuntimeError: Not enough memory\nfor 5 blocks\n"
        "where=RBLNWorker.load exit_code=70 rank=1 dp_rank=0 cause=unknown"
    )
    assert (record.process, record.pid, record.time) == ("Worker", 4242, "2026-11-29T12:00:00Z")
    assert {piece.line for piece in record.pieces} == {1}


def test_spaces_in_the_json_do_not_matter() -> None:
    assert only(json.dumps(json.loads(FATAL))).kind is RecordKind.FATAL


def test_text_it_is_glued_into_is_read_too() -> None:
    line = f"(APIServer pid=1) ERROR 11-29 12:00:00 [a.py:1] half{FATAL}ValueError: rest"
    found = records_of("first\n" + line)
    assert sorted((r.kind.value, r.process, r.text.split("\n")[0]) for r in found[1:]) == [
        ("exception", "APIServer", "ValueError: rest"),
        ("fatal", "Worker", "RuntimeError: Not enough memory"),
        ("log", "APIServer", "half"),
    ]
    assert {r.line for r in found[1:]} == {2}


def test_a_prefix_of_its_own_process_is_believed() -> None:
    assert only(f"(Worker_TP1 pid=4242) {FATAL}").process == "Worker_TP1"
    assert only(f"(APIServer pid=1) {FATAL}").process == "Worker"


def test_a_cut_object_still_gives_its_message() -> None:
    cut = FATAL[: FATAL.index("for 5") + 3]
    assert only(cut).text.startswith("RuntimeError: Not enough memory")


def test_it_does_not_end_a_traceback_it_falls_into() -> None:
    text = f'Traceback (most recent call last):\n  File "/a.py", line 1, in f\n{FATAL}\n    g()\nKeyError: 1'
    found = records_of(text)
    assert sorted((r.kind.value, r.text.split("\n")[0]) for r in found) == [
        ("exception", "KeyError: 1"),
        ("fatal", "RuntimeError: Not enough memory"),
    ]


def test_the_words_alone_are_no_event() -> None:
    assert only("look for rbln.worker.fatal in the log").kind is RecordKind.RAW
