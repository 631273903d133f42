"""An error no entry knows is an error through everything; a text that cannot be told apart is not called healthy."""

from __future__ import annotations

import json
import random
import zlib
from functools import cache
from pathlib import Path

import pytest

from bench.generate import calm_lines
from bench.metamorphic.judging import Case, Judge, apply, single_names
from bench.metamorphic.lines import per_line
from bench.metamorphic.transforms import word_wrap_at
from diagnose import diagnose_bytes
from diagnose.scan.long_lines import LEAST_HEADS, MAX_LINE_BYTES, Shortener, is_several

ERRORS = {
    "logged": ["(EngineCore pid=4242) ERROR 11-29 08:07:35 [core.py:1366] Something of nobody's broke at stage 7"],
    "raised": [
        "Traceback (most recent call last):",
        '  File "/opt/app/serve.py", line 12, in <module>',
        "    main(argv)",
        "RuntimeError: the frobnicator of layer 12 has no handle",
    ],
}
REQUEST = (
    "(APIServer pid=4100) INFO 11-29 12:01:02 [logger.py:39] Received request cmpl-1: prompt: 'What is "
    "RuntimeError: No free memory blocks available. What now?', params: SamplingParams(n=1, max_tokens=512)"
)
PARTS = 4
FIXTURES = Path(__file__).parents[2] / "fixtures"


@cache
def judge() -> Judge:
    return Judge()


def log(error: str, seed: int, lines: int = 14) -> str:
    """A calm log whose requests quote errors, with one that no entry knows at its end."""
    calm = list(calm_lines(random.Random(seed), lines))
    return "".join(f"{line}\n" for line in [*calm, REQUEST, *ERRORS[error]])


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("error", ERRORS)
def test_an_error_nobody_knows_is_never_lost_on_its_way(error: str, part: int) -> None:
    text = log(error, zlib.crc32(error.encode()))
    case = Case(error, text, {}, None, begins=all(line.startswith("(") for line in text.splitlines()))
    lost = []
    for name in single_names()[part::PARTS]:
        data = apply(name, case)
        if data is not None and judge().diagnosed(data, case).outcome != "unknown":
            lost.append(name)
    assert lost == []


@pytest.mark.parametrize("end", ["", " "])
def test_a_request_that_is_quoted_whole_hides_nothing_behind_it_when_the_line_ends_are_lost(end: str) -> None:
    text = end.join([REQUEST, *ERRORS["logged"]])
    assert diagnose_bytes(text.encode()).outcome == "unknown"
    assert diagnose_bytes(REQUEST.encode()).outcome == "healthy"


@pytest.mark.parametrize("lines", [2_500, 9_000])
@pytest.mark.parametrize(
    "write",
    ["".join, " ".join, "\\n".join, "<br>".join, lambda lines: json.dumps("\n".join(lines))],
    ids=["glued", "blanks", "written out", "elements", "string"],
)
def test_a_log_in_one_line_too_long_to_be_told_apart_is_not_called_healthy(write, lines: int) -> None:  # type: ignore[no-untyped-def]
    text = write(log("logged", 5, lines).splitlines())
    assert len(text) > MAX_LINE_BYTES
    found = diagnose_bytes(text.encode())
    assert found.outcome == "unknown"
    assert [note.entry for note in found.notes] in ([], ["input.more-than-kept"])


def test_a_long_request_or_a_progress_bar_is_one_line() -> None:
    head = b"(EngineCore pid=4242) "
    bar = b"\r".join(head + b"Loading: %d%%" % (n % 100) for n in range(20_000))
    quoted = REQUEST.encode().replace(b"What now?", b"\\n".join([head + b"INFO 11-29 08:07:35 [a.py:1] x"] * 9_000))
    for line in (bar, quoted, b"A" * 2 * MAX_LINE_BYTES):
        assert len(line) > MAX_LINE_BYTES
        assert not is_several(Shortener().pieces(line))
    assert is_several(Shortener().pieces(b"A" * MAX_LINE_BYTES + head * LEAST_HEADS))


def test_what_a_collector_made_two_records_of_one_message_is_that_message_again() -> None:
    rows = ["pydantic_core._pydantic_core.ValidationError: 1 validation error for VllmConfig"]
    rows += ["  Value error, Model architectures ['A'] failed to be inspected. Please check the logs for more details."]
    inner = (json.dumps({"level": "error", "message": row}) for row in rows)
    text = "".join(json.dumps({"log": f"{one}\n", "stream": "stderr"}) + "\n" for one in inner)
    found = diagnose_bytes(text.encode())
    assert [one.entry for one in found.findings] == ["engine.inspect-failed"]
    assert found.unknown == ()


@pytest.mark.parametrize("width", [76, 80, 84])
def test_prompts_wrapped_and_then_made_a_list_stay_prompts(width: int) -> None:
    text = (FIXTURES / "healthy-prompts-about-errors.log").read_text("utf-8")
    rows = per_line(word_wrap_at(text, width), lambda _, line: f"- {line}")
    assert diagnose_bytes(rows.encode()).outcome == "healthy"


def test_a_name_before_the_numbers_of_a_viewer_goes_with_them() -> None:
    rows = [f"0|chat  |      {n}  (EngineCore pid=4242) INFO 11-14 19:23:42 [a.py:4] Added {n}" for n in range(1, 7)]
    found = diagnose_bytes("\n".join([*rows, "0|chat  |      7  ValueError: x"]).encode())
    assert found.outcome == "unknown"


def test_a_model_of_the_banner_is_no_whole_log() -> None:
    glued = "█     █     █  model   Qwen/Qwen3-8B " + " ".join(calm_lines(random.Random(1), 40))
    assert diagnose_bytes(glued.encode()).run.model is None


@pytest.mark.parametrize("name", ["escape_blanks", "some_hard_blanks", "hyphens"])
def test_frames_that_signs_hid_are_no_errors_once_these_are_undone(name: str) -> None:
    frames = [row.replace("serve.py", "a-b.py") for row in ERRORS["raised"][:3]]
    rows = ["EngineCore failed to start.", *frames, "RuntimeError: Engine core initialization failed. See root cause."]
    text = "".join(f"(EngineCore pid=4242) ERROR 11-29 08:07:35 [core.py:1366] {row}\n" for row in rows)
    data = apply(name, Case(name, text, {}, None))
    assert data is not None
    plain, changed = (diagnose_bytes(one) for one in (text.encode(), data))
    assert [f.entry for f in changed.findings] == [f.entry for f in plain.findings]
    assert [u.template for u in changed.unknown] == [u.template for u in plain.unknown]
