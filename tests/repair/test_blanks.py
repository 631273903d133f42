"""Blanks that were lost on the way are put back where nothing else can have stood."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from bench.metamorphic.transforms import BY_NAME
from diagnose import diagnose_bytes
from diagnose.repair.blanks import blanks
from tests.repair.kit import of, rows

FIXTURES = Path(__file__).parents[2] / "fixtures"
TRACEBACK = """Traceback (most recent call last):
  File "/opt/app/serve.py", line 12, in <module>
    main(argv)
    ~~~~^^^^^^
  File "/opt/app/lanes.py", line 9, in main
    self._drain(lane)
acme.lanes.SlotDeadlock: lane 3 never drained
"""
REPORT = """=================================== FAILURES ===================================
E       AssertionError: assert 17 == 42
E        +  where 17 = run()
=========================== short test summary info ============================
"""


@pytest.mark.parametrize("head", ["", "(EngineCore pid=4242) ERROR 11-29 08:07:35 [core.py:1366] "])
def test_frames_and_their_source_lines_are_indented_again(head: str) -> None:
    lines = TRACEBACK.splitlines()
    text = "".join(f"{head}{line}\n" for line in lines)
    assert rows(blanks(of("".join(f"{head}{line.lstrip()}\n" for line in lines)))) == text
    assert blanks(of(text)) is None


def test_a_frame_without_a_source_line_does_not_indent_the_exception() -> None:
    text = 'Traceback (most recent call last):\nFile "/opt/app/serve.py", line 12, in run\nKeyError: 7\nup again\n'
    assert rows(blanks(of(text))) == text.replace("File", "  File")


def test_what_pytest_puts_before_an_exception_is_as_wide_as_it_writes_it() -> None:
    found = rows(blanks(of(REPORT.replace("       ", " ").replace("  ", " ")))) or ""
    assert "\nE       AssertionError: assert 17 == 42\nE       + where" in found
    assert blanks(of(REPORT)) is None
    assert blanks(of("E ValueError: outside of a report\n")) is None


@pytest.mark.parametrize("name", ["blanks_collapsed", "outdented"])
@pytest.mark.parametrize("path", sorted(FIXTURES.glob("*.log"))[::4], ids=lambda p: p.stem)
def test_a_log_that_lost_blanks_gives_the_diagnosis_of_the_log(path: Path, name: str) -> None:
    text = path.read_text("utf-8", "replace")
    plain, found = (diagnose_bytes(t.encode()) for t in (text, BY_NAME[name].change(text, random.Random(1))))
    assert found.outcome == plain.outcome
    assert [(f.entry, f.numbers) for f in found.findings] == [(f.entry, f.numbers) for f in plain.findings]


CI = f"""+ pip list
optimum-rbln 0.12.0
+ python -m pytest tests/test_compile.py -x
tests/test_compile.py ..F [100%]

{REPORT}FAILED tests/test_compile.py::test_logits_match - AssertionError: assert 17 == 42
"""
ABORT = """2026-11-29 11:02:06,402 INFO [rebel-compiler] RBLN SDK compiler version: 0.12.0
terminate called after throwing an instance of 'std::logic_error'
  what():  tile planner: lane 7 is not a leaf
Aborted (core dumped)
"""


@pytest.mark.parametrize("before", ["[npu-a] ", "vllm-7c9d vllm ", "+"])
def test_a_failure_of_a_test_is_seen_behind_what_stands_before_every_line(before: str) -> None:
    found = diagnose_bytes("".join(f"{before}{line}\n" for line in CI.splitlines()).encode())
    assert [unknown.text.partition("\n")[0] for unknown in found.unknown] == ["AssertionError: assert 17 == 42"]


@pytest.mark.parametrize("name", ["blanks_collapsed", "outdented"])
def test_a_failure_of_a_test_is_seen_without_its_blanks(name: str) -> None:
    assert diagnose_bytes(BY_NAME[name].change(CI, random.Random(1)).encode()).outcome == "unknown"


@pytest.mark.parametrize("glue", ["", " "])
def test_a_program_that_died_is_seen_where_the_line_ends_are_lost(glue: str) -> None:
    found = diagnose_bytes(ABORT.replace("\n", glue).encode())
    assert [unknown.text for unknown in found.unknown] == ["Aborted (core dumped)"]
