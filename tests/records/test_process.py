"""Every record names the innermost process that wrote it."""

from __future__ import annotations

import pytest

from diagnose.model import RecordKind
from tests.records.feeding import exceptions, only, records_of


@pytest.mark.parametrize(
    ("prefix", "process", "pid"),
    [
        ("(EngineCore_DP0 pid=33630) ", "EngineCore_DP0", 33630),
        ("(EngineCore pid=7) ", "EngineCore", 7),
        ("(Worker_PP0_TP1 pid=9) ", "Worker_PP0_TP1", 9),
        ("(VllmWorker rank=0 pid=12) ", "VllmWorker rank=0", 12),
        ("(RayWorkerWrapper pid=22, ip=10.0.0.4) ", "RayWorkerWrapper", 22),
        ("(RayWorkerWrapper pid=22, ip=fe80:0:0:0:1:2:3:4) ", "RayWorkerWrapper", 22),
        ("(pid=22) ", None, 22),
        ("(APIServer pid=1) (EngineCore_DP0 pid=2) ", "EngineCore_DP0", 2),
        ("(EngineCore_DP0 pid=1) (RayWorkerWrapper pid=22, ip=1.2.3.4) ", "RayWorkerWrapper", 22),
        ("[rank3]: ", "rank3", None),
        ("(Worker_TP2 pid=5) [rank2]: ", "Worker_TP2", 5),
    ],
)
def test_every_process_prefix_is_read(prefix: str, process: str | None, pid: int | None) -> None:
    for text in ("ERROR 11-29 12:00:01 [core.py:9] bad", "ValueError: bad", "some output"):
        record = only(prefix + text)
        assert (record.process, record.pid) == (process, pid)
        assert prefix.strip() not in record.text


def test_ray_repeats_are_counted_and_taken_off() -> None:
    note = " [repeated 14x across cluster]"
    record = only(f"(RayWorkerWrapper pid=3) ERROR 11-29 12:00:01 [a.py:1] bad news{note}")
    assert (record.text, record.repeated) == ("bad news", 14)
    long = note + " (Ray deduplicates logs by default. Set RAY_DEDUP_LOGS=0 to disable.)"
    assert only(f"(RayWorkerWrapper pid=3) ValueError: bad{long}").repeated == 14


def test_two_ray_nodes_with_one_pid_are_two_processes() -> None:
    one, two = "(RayWorkerWrapper pid=3, ip=1.1.1.1) ", "(RayWorkerWrapper pid=3, ip=2.2.2.2) "
    found = exceptions(
        f"{one}Traceback (most recent call last):\n{two}Traceback (most recent call last):\n"
        f'{one}  File "/a.py", line 1, in f\n{two}  File "/b.py", line 2, in g\n'
        f"{one}KeyError: 1\n{two}KeyError: 2"
    )
    frames = [record.exception.frames for record in found if record.exception]
    assert frames == [("a.py:1 in f",), ("b.py:2 in g",)]


def test_the_indentation_behind_a_prefix_stays() -> None:
    found = exceptions(
        "[rank0]: Traceback (most recent call last):\n"
        '[rank0]:   File "/a.py", line 1, in f\n[rank0]:     g()\n[rank0]: KeyError: 1'
    )
    assert found[0].exception is not None
    assert found[0].exception.frames == ("a.py:1 in f: g()",)


def test_multiprocessing_names_the_process_of_an_unprefixed_traceback() -> None:
    text = 'Process EngineCore_0:\nTraceback (most recent call last):\n  File "/a.py", line 1, in f\nKeyError: 1'
    assert [(r.process, r.kind) for r in records_of(text)] == [("EngineCore_0", RecordKind.EXCEPTION)]


def test_a_rank_before_a_c_logger_is_taken_off() -> None:
    record = only("[rank2]:[E1129 12:00:01.123456789 ProcessGroupGloo.cpp:12] [Rank 2] lost peer")
    assert (record.level, record.text) == ("ERROR", "[Rank 2] lost peer")
    record = only("(Worker_TP2 pid=5) [rank2]:E1129 12:00:01.123000 5 torch/a.py:8] lost peer")
    assert (record.source, record.text) == ("torch/a.py:8", "lost peer")


@pytest.mark.parametrize(
    ("before", "named"),
    [
        ("~gpu~ ", True),
        ("web-0: ", True),
        ("[gpu]", True),
        ("said 'a ", False),
        ("glued", False),
    ],
)
def test_behind_an_unknown_prefix_the_process_of_a_record_is_known_unless_it_is_quoted(
    before: str, named: bool
) -> None:
    record = only(f"{before}(EngineCore pid=4242) INFO 11-29 08:07:35 [core.py:1] up")
    assert (record.process, record.pid) == (("EngineCore", 4242) if named else (None, None))


def test_a_message_that_speaks_of_a_process_is_not_that_processes() -> None:
    record = only("~gpu~ INFO 11-29 08:07:35 [core.py:1] waiting for (EngineCore pid=4242) to end")
    assert record.process is None
