"""The short ways of reading a line: they give what the long way gives, and are taken where it matters."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diagnose.model import Line, Record
from diagnose.records import Assembler, assembler, chain, grammars, process, unwrap
from diagnose.records.chain import Chain
from diagnose.records.lane import Lane
from diagnose.records.unwrap import Unwrapper, stands_bare
from tests.records.feeding import lines_of

NAMED = ("(EngineCore pid=4242) ", "(Worker_TP1 pid=5) ", "(pid=7) ", "[rank0]: ", "")
HEADS = (
    "ERROR 11-29 08:07:35 [core.py:1366] ",
    "ERROR 11-29 08:07:36 [core.py:1366] ",
    "[vllm-rbln] ERROR 11-29 08:07:35 [rbln_worker.py:12] ",
    "INFO 11-29 08:07:35 [core.py:1366] ",
    "2026-11-29 08:01:35,180 INFO [rebel-compiler] ",
    "E1129 08:07:35.123456 77 a.cpp:9] ",
    "2026-11-29T08:07:35.5Z ",
    "",
    "",
    "",
)
TEXTS = (
    "Traceback (most recent call last):",
    '  File "/opt/site-packages/vllm/v1/core.py", line 13, in run',
    '  File "/opt/site-packages/vllm/v1/engine.py", line 7, in step',
    "    self.step()",
    "    ^^^^^^^^^^^",
    "  said by a logger",
    "    [Previous line repeated 12 more times]",
    '    "message": "not JSON of a store",',
    "    see core.py:12 and a.py:9",
    "    ERROR 11-29 08:07:35 [core.py:1366] glued",
    "    x = colour[0m]",
    "    12: of a task",
    "     ",
    "",
    "  | of a group",
    "  + Exception Group Traceback (most recent call last):",
    "    The above exception was the direct cause of the following exception:",
    "During handling of the above exception, another exception occurred:",
    '    {"event": "rbln.worker.fatal", "exception_type": "OSError", "exception_message": "x", "pid": 5}',
    "ValueError: The set `kvcache_num_blocks` (10) is less than the minimum number of blocks (33)",
    "KeyError",
    "more of the message",
    "Process EngineCore:",
    "EngineCore failed to start.",
    "    [repeated 3x across cluster]",
    "    a\tb",
    "    \x1b[31mred",
    "    back\bspace",
    "E       assert 1 == 2",
    "E   ValueError: odd",
    "/x/y.py:3: UserWarning: odd",
    "terminate called after throwing",
    "Received request r1: prompt: 'say",
    "MESSAGE=no journal",
)
WRITTEN = st.tuples(
    st.sampled_from(NAMED), st.sampled_from(HEADS), st.sampled_from(TEXTS), st.sampled_from(["", "", "", "\r"])
).map("".join)
PREFIXES = st.tuples(st.sampled_from(NAMED[:3]), st.sampled_from((*HEADS[:2], "", ""))).map("".join)


@st.composite
def crashes(draw: st.DrawFn) -> list[str]:
    """Lines with one prefix around a traceback, in which anything may stand, and some of another between them."""
    prefix, other = draw(PREFIXES), draw(st.one_of(PREFIXES, st.just("")))
    before = draw(st.lists(st.sampled_from(TEXTS), max_size=1))
    inside = draw(st.lists(st.sampled_from(TEXTS), max_size=6))
    lines: list[str] = []
    for text in (*before, TEXTS[0], TEXTS[1], *before, *inside, TEXTS[3], draw(st.sampled_from(TEXTS))):
        if draw(st.integers(0, 2)) == 0:
            lines.append(draw(st.one_of(WRITTEN, st.sampled_from(TEXTS).map(lambda said: other + said))))
        lines.append(prefix + text)
    return lines


def logs() -> st.SearchStrategy[list[str]]:
    parts = st.lists(st.one_of(crashes(), st.lists(WRITTEN, max_size=3)), min_size=1, max_size=3)
    return parts.map(lambda made: [line for part in made for line in part])


@contextmanager
def the_long_way() -> Iterator[None]:
    """Every line is opened, and its prefixes are read from it."""

    def by_patterns(text: str) -> grammars.Head | None:
        found = grammars._VLLM.match(text)
        return None if found is None else grammars._vllm(found)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(assembler, "lane_of", lambda *_: None)
        patch.setattr(unwrap, "stands_bare", lambda _: False)
        patch.setattr(process, "_PREFIX_WITHIN", 0)
        patch.setattr(grammars, "vllm_head", by_patterns)
        yield


def read(lines: list[Line], looked_at: frozenset[int]) -> list[list[Record]]:
    """What every line gives, what is open behind some of them, and the rest."""
    reader = Assembler()
    out = []
    for place, line in enumerate(lines):
        out.append(reader.feed(line))
        if place in looked_at:
            out.append(reader.peek())
    return [*out, reader.flush()]


@given(logs(), st.frozensets(st.integers(0, 30), max_size=4), st.frozensets(st.integers(0, 30), max_size=2))
@settings(max_examples=150)
def test_any_log_gives_the_records_of_the_long_way(
    texts: list[str], looked_at: frozenset[int], left_out: frozenset[int]
) -> None:
    lines = [line for place, line in enumerate(lines_of("\n".join(texts))) if place not in left_out]
    short = read(lines, looked_at)
    with the_long_way():
        assert short == read(lines, looked_at)


@given(st.one_of(WRITTEN, st.text(alphabet='(IWEC  "{[]:,|0.9-a\t\b\r\x1b\ufeffx한', max_size=40)))
@settings(max_examples=400)
def test_any_line_that_stands_bare_is_opened_to_the_same(text: str) -> None:
    line = Line(3, 40, text)
    if stands_bare(text):
        assert Unwrapper().feed(line) == Unwrapper()._opened(line)


def test_a_line_in_a_record_of_several_lines_is_no_bare_one() -> None:
    lines = lines_of('MESSAGE=\n(EngineCore pid=1) odd\n"2026-11-29 08:00:00","a ""quoted""\n(b) c"\n')
    short = read(lines, frozenset())
    with the_long_way():
        assert short == read(lines, frozenset())


PYTEST = ("E   OSError: x", f"E   {list(chain.SEPARATORS)[1]}", f"E     {TEXTS[1]}", TEXTS[2], "E   OSError: y")
SAID_BEFORE = ("  said by a logger", TEXTS[0], "  said by a logger", "OSError: x")
APART = ("OSError: the following:", f"(EngineCore pid=4) {TEXTS[1]}", "more of the message")


@pytest.mark.parametrize(
    "lines",
    [
        [f"(EngineCore pid=4) {text}" for text in PYTEST],
        [f"(EngineCore pid=4) {HEADS[0]}{text}" for text in SAID_BEFORE],
        [f"(EngineCore pid=4) {TEXTS[0]}", *APART],
    ],
    ids=["pytest", "said before", "apart"],
)
def test_what_looks_like_a_frame_and_is_none_goes_the_long_way(lines: list[str]) -> None:
    short = read(lines_of("\n".join(lines)), frozenset())
    with the_long_way():
        assert short == read(lines_of("\n".join(lines)), frozenset())


@pytest.mark.parametrize("head", ["", "ERROR 11-29 08:07:35 [core.py:1366] "])
def test_the_frames_of_a_traceback_are_not_opened_one_by_one(head: str, counted: Callable[..., list[int]]) -> None:
    frames = f'(EngineCore pid=4) {head}  File "/x/a.py", line 3, in f\n(EngineCore pid=4) {head}    g()\n' * 50
    log = f"(EngineCore pid=4) {head}Traceback (most recent call last):\n{frames}(EngineCore pid=4) {head}OSError: x"
    opened, went = counted(Unwrapper, "feed"), counted(Lane, "takes")
    reader = Assembler()
    records = [record for line in lines_of(log) for record in reader.feed(line)] + reader.flush()
    assert len(opened) == 2  # header and closing line
    assert len(went) >= 100
    assert [record.text for record in records] == ["OSError: x"]


def test_a_lane_ends_with_its_traceback(counted: Callable[..., list[int]]) -> None:
    prefix = "(EngineCore pid=4) "
    lines = lines_of(
        f'{prefix}Traceback (most recent call last):\n{prefix}  File "/x/a.py", line 3, in f\n{prefix}OSError: x\n'
        f"{prefix}  more of its message"
    )
    framed = counted(Chain, "frame")
    reader = Assembler()
    records = [record for line in lines for record in reader.feed(line)] + reader.flush()
    assert len(framed) == 1
    assert records[0].text == "OSError: x\n  more of its message"


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[int]]:
    """Counts the calls of a method from here on."""

    def of(owner: type, name: str) -> list[int]:
        calls: list[int] = []
        real = getattr(owner, name)

        def counting(*args: object, **options: object) -> object:
            calls.append(1)
            return real(*args, **options)

        monkeypatch.setattr(owner, name, counting)
        return calls

    return of
