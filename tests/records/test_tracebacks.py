"""A traceback gives its exceptions, whole and in order, and nothing of its source."""

from __future__ import annotations

import pytest

from diagnose.model import ExceptionInfo, Record, RecordKind
from diagnose.records.limits import MAX_FRAMES, MAX_MESSAGE_LINES
from tests.records.feeding import exceptions, logged, only, records_of

HEADER = "Traceback (most recent call last):"
FRAME = '  File "/opt/venv/lib/python3.12/site-packages/vllm_rbln/v1/worker/rbln_worker.py", line 129, in setup'
CAUSE = "\nThe above exception was the direct cause of the following exception:\n"
CONTEXT = "\nDuring handling of the above exception, another exception occurred:\n"
HEAD = "(EngineCore pid=4) ERROR 11-29 11:57:53 [core.py:1366] "


def info(record: Record) -> ExceptionInfo:
    assert record.exception is not None
    return record.exception


def trace(*tail: str) -> str:
    return "\n".join([HEADER, FRAME, '    raise ValueError("`block_size` is required")', *tail])


def test_the_text_is_the_closing_line_and_never_the_source() -> None:
    record = only(trace("ValueError: bad value"))
    assert (record.kind, record.text, record.line) == (RecordKind.EXCEPTION, "ValueError: bad value", 4)
    assert info(record).frames == (
        'vllm_rbln/v1/worker/rbln_worker.py:129 in setup: raise ValueError("`block_size` is required")',
    )
    assert not info(record).bare and info(record).last


def test_carets_and_elided_lines_are_left_out_of_frames() -> None:
    text = "\n".join(
        [
            HEADER,
            '  File "/a/b.py", line 4, in f',
            "    g(",
            "    ~^",
            "    ...<7 lines>...",
            "    )",
            "    ^",
            "  [Previous line repeated 3 more times]",
            "AssertionError",
        ]
    )
    record = only(text)
    assert (record.text, info(record).frames) == ("AssertionError", ("b.py:4 in f: g( )",))


def test_only_the_innermost_frames_are_kept() -> None:
    frames = "\n".join(f'  File "/a.py", line {n}, in f\n    s{n}()' for n in range(1, 40))
    kept = info(only(f"{HEADER}\n{frames}\nKeyError: 1")).frames
    assert len(kept) == MAX_FRAMES
    assert kept[-1] == "a.py:39 in f: s39()"


def test_a_message_that_begins_on_the_next_line_is_whole() -> None:
    text = trace(
        "RuntimeError: ",
        "Failed to create the thing: SYS_EBUSY: Lack of device memory",
        "",
        "If only compiling is needed, say so:",
        "    model = X.load(create=False)",
        "",
        "See the manual.",
    )
    record = only(text)
    assert record.text.startswith("RuntimeError:\nFailed to create the thing: SYS_EBUSY")
    assert record.text.endswith("See the manual.")
    assert record.place(record.text.index("SYS_EBUSY")).line == 5


@pytest.mark.parametrize(
    "after",
    [
        "INFO 11-29 12:00:00 [core.py:1] next",
        "2026-11-29 11:57:53,295 WARNING [optimum.rbln] next",
        "INFO:     next",
        "srun: error: node: task 0: Exited",
        "usage: vllm serve [options]",
        "user@host:~/x$ ls",
        "+ echo next",
        "Killed",
        "make: *** [all] Error 1",
        "Error: next",
        "##[error]Process completed with exit code 1.",
        "/x/y.py:3: UserWarning: next",
        "Exception ignored in: <function f at 0x7f>",
        "terminate called without an active exception",
        "==== next ====",
    ],
)
def test_a_message_ends_where_something_else_begins(after: str) -> None:
    found = exceptions(trace("RuntimeError: a", "more of it") + "\n" + after)
    assert [record.text for record in found] == ["RuntimeError: a\nmore of it"]


def test_a_message_that_nothing_ends_is_cut() -> None:
    found = exceptions(trace("RuntimeError: a", *(["more"] * (MAX_MESSAGE_LINES + 20))))
    assert len(found[0].pieces) == MAX_MESSAGE_LINES


def test_an_exception_without_message_is_one() -> None:
    for name in ("AssertionError", "KeyboardInterrupt", "SystemExit", "torch.OutOfMemoryError", "x.y.Again"):
        assert only(trace(name)).text == name


def test_class_names_without_the_usual_ending_close_frames() -> None:
    for line in ("BackendCompilerFailed: backend raised", "pkg.exc.Weird: x", "Fatal: y", "SystemExit: 1"):
        record = only(trace(line))
        assert (record.text, info(record).type) == (line, line.partition(":")[0])


def test_a_chain_knows_its_order_and_links() -> None:
    text = trace("OSError: inner") + "\n" + CAUSE + "\n" + trace("ValueError: middle")
    text += "\n" + CONTEXT + "\n" + trace("RuntimeError: outer")
    found = exceptions(text)
    assert [record.text for record in found] == [
        "OSError: inner",
        "ValueError: middle",
        "RuntimeError: outer",
    ]
    assert [info(r).position for r in found] == [0, 1, 2]
    assert [info(r).link for r in found] == [None, "cause", "context"]
    assert [info(r).last for r in found] == [False, False, True]
    assert len({info(r).chain for r in found}) == 1


def test_two_tracebacks_in_a_row_are_two_chains() -> None:
    found = exceptions(trace("OSError: one") + "\n" + trace("OSError: two"))
    assert len({info(r).chain for r in found}) == 2


@pytest.mark.parametrize("marks", [True, False])
def test_a_logged_traceback_follows_its_header(marks: bool) -> None:
    body = trace("ValueError: bad.", "Set it via one of:", "  --block-size").split("\n")
    text = logged(HEAD, "EngineCore failed to start.", *body, marks=marks)
    first, second = records_of("INFO 11-29 11:57:00 [a.py:1] x\n" + text)[1:]
    assert (first.kind, first.text) == (RecordKind.LOG, "EngineCore failed to start.")
    assert (second.kind, second.text) == (
        RecordKind.EXCEPTION,
        "ValueError: bad.\nSet it via one of:\n  --block-size",
    )
    assert (second.level, second.source, second.time) == ("ERROR", "core.py:1366", "11-29 11:57:53")
    assert (second.process, second.pid) == ("EngineCore", 4)


@pytest.mark.parametrize("marks", [True, False])
def test_a_logged_chain_is_one_chain(marks: bool) -> None:
    body = (trace("OSError: inner") + "\n" + CAUSE + "\n" + trace("ValueError: outer")).split("\n")
    found = exceptions("INFO 11-29 11:57:00 [a.py:1] x\n" + logged(HEAD, "It failed.", *body, marks=marks))
    assert [(r.text, info(r).link) for r in found] == [
        ("OSError: inner", None),
        ("ValueError: outer", "cause"),
    ]


@pytest.mark.parametrize("marks", [True, False])
def test_a_traceback_logged_twice_in_one_second_is_two(marks: bool) -> None:
    once = logged(HEAD, "Error in request", *trace("ValueError: bad").split("\n"), marks=marks)
    found = records_of("INFO 11-29 11:57:00 [a.py:1] x\n" + once + "\n" + once)
    assert [r.text for r in found[1:]] == ["Error in request", "ValueError: bad"] * 2


def test_the_logged_copy_and_the_printed_copy_are_two_chains() -> None:
    body = trace("ValueError: bad").split("\n")
    raw = "\n".join(f"(EngineCore pid=4) {line}" for line in ["Process EngineCore:", *body])
    found = exceptions(logged(HEAD, "It failed.", *body) + "\n" + raw)
    assert [(r.level, info(r).chain) for r in found] == [("ERROR", 1), (None, 2)]


def test_a_printed_traceback_survives_a_logged_one_inside_it() -> None:
    body = trace("ValueError: bad").split("\n")
    long = [FRAME] * 60
    copy = logged(HEAD, "It failed.", HEADER, *long, *body[1:]).split("\n")
    raw = [f"(EngineCore pid=4) {line}" for line in body]
    found = exceptions("\n".join([raw[0], *copy, *raw[1:]]))
    assert [(r.level, info(r).bare) for r in found] == [("ERROR", False), (None, False)]


def test_pydantic_errors_keep_every_line() -> None:
    text = trace(
        "pydantic_core._pydantic_core.ValidationError: 2 validation errors for VllmConfig",
        "0.first.field",
        "  Value error, bad `x` [type=value_error, input_value=ArgsKwargs(()), input_type=ArgsKwargs]",
        "    For further information visit https://errors.example/v",
        "1.second.field",
        "  Assertion failed,  [type=assertion_error]",
    )
    record = only("\n".join(f"(APIServer pid=1) {line}" for line in text.split("\n")))
    assert len(record.pieces) == 6
    assert record.place(record.text.index("Value error")).line == 6


def test_a_bare_closing_line_is_an_exception() -> None:
    for text in ("ValueError: bad", "(Worker pid=1) a.b.SomeException: x", "NotImplementedError"):
        record = only(text)
        assert record.kind is RecordKind.EXCEPTION
        assert info(record).bare and info(record).frames == ()


def test_a_bare_closing_line_takes_only_what_plainly_continues_it() -> None:
    assert [r.text for r in records_of("ValueError: bad\nunrelated")] == ["ValueError: bad", "unrelated"]
    assert only("RuntimeError: \nFailed to create it: full").text == "RuntimeError:\nFailed to create it: full"
    assert only("ValueError: bad\n  - detail").text == "ValueError: bad\n  - detail"


def test_frames_without_their_header_still_count() -> None:
    record = only(FRAME + "\n    assert n == 1\nAssertionError")
    assert info(record).bare
    assert info(record).frames == ("vllm_rbln/v1/worker/rbln_worker.py:129 in setup: assert n == 1",)


def test_a_traceback_cut_at_the_end_is_said_to_be_there() -> None:
    record = only(f"{HEADER}\n{FRAME}\n    f()")
    assert (record.kind, record.text) == (RecordKind.RAW, HEADER)


def test_what_python_ignored_is_marked() -> None:
    found = exceptions("Exception ignored in: <function X.__del__ at 0x7f>\n" + trace("AttributeError: gone"))
    assert [r.writer for r in found] == ["ignored"]
    assert exceptions(trace("AttributeError: gone"))[0].writer is None


def test_pytest_error_lines_are_exceptions() -> None:
    text = ">       f()\nE       ValueError: bad\nE         second line\n\na/t.py:4: ValueError"
    found = exceptions(text)
    assert [r.text.split() for r in found] == [["ValueError:", "bad", "second", "line"]]


def test_foreign_output_inside_an_unprefixed_traceback_does_not_end_it() -> None:
    text = f"{HEADER}\n{FRAME}\nsome C++ output\n    f()\nKeyError: 3"
    assert [(r.kind, r.text) for r in records_of(text)] == [
        (RecordKind.RAW, "some C++ output"),
        (RecordKind.EXCEPTION, "KeyError: 3"),
    ]


def test_a_torchscript_message_holds_its_inner_traceback() -> None:
    text = trace(
        "RuntimeError: The following operation failed.",
        "Traceback of TorchScript, original code (most recent call last):",
        '  File "code/x.py", line 17, in forward',
        "    y = x",
        "        ~ <--- HERE",
        "RuntimeError: status=1006",
    )
    assert only(text).text.endswith("RuntimeError: status=1006")


def test_a_quoted_worker_traceback_replaces_its_wrapper() -> None:
    quoted = trace("KeyError: 7", '"""')
    text = f'concurrent.futures.process._RemoteTraceback: \n"""\n{quoted}\n{CAUSE}\n{trace("KeyError: 7")}'
    found = exceptions(f"{HEADER}\n{FRAME}\n{text}")
    assert [(r.text.split("\n")[0], info(r).link) for r in found] == [
        ("KeyError: 7", None),
        ("KeyError: 7", "cause"),
    ]


def test_each_exception_of_a_chain_has_its_own_frames() -> None:
    other = '  File "/b.py", line 2, in g'
    text = f"{HEADER}\n{FRAME}\nOSError: a\n{CAUSE}\n{HEADER}\n{other}\nValueError: b"
    assert [info(r).frames for r in exceptions(text)][1] == ("b.py:2 in g",)


def test_an_unprefixed_message_ends_where_another_process_writes() -> None:
    text = trace("RuntimeError: a", "more", "(Worker pid=3) hello", "not of it")
    assert [r.text for r in exceptions(text)] == ["RuntimeError: a\nmore"]
    text = trace("RuntimeError: a", "more", "(Worker pid=3) hello", "    indented, so of it")
    assert exceptions(text)[0].text.endswith("so of it")


def test_a_prefixed_message_goes_on_behind_another_process() -> None:
    lines = [f"(EngineCore pid=4) {line}" for line in trace("RuntimeError: a", "more").split("\n")]
    assert exceptions("\n".join([*lines[:-1], "(Worker pid=3) hello", lines[-1]]))[0].text.endswith("more")


@pytest.mark.parametrize("marks", [True, False])
def test_another_record_of_the_process_ends_a_logged_message(marks: bool) -> None:
    body = logged(HEAD, "It failed.", *trace("ValueError: bad").split("\n"), marks=marks)
    others = [
        HEAD.replace("core.py:1366", "core.py:1400"),
        HEAD.replace("ERROR", "WARNING"),
        HEAD.replace(":53 ", ":54 "),
    ]
    for other in others:
        found = records_of(f"INFO 11-29 11:57:00 [a.py:1] x\n{body}\n{other}next thing")
        assert [r.text for r in found[1:]] == ["It failed.", "ValueError: bad", "next thing"]
