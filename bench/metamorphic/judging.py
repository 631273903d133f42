"""Cases made of the knowledge base's examples, and whether a transformed one is diagnosed as the plain one."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from bench.metamorphic.encodings import ENCODINGS
from bench.metamorphic.transforms import BY_NAME, TRANSFORMS, Transform
from diagnose.analyzer import Analyzer, engine_for
from diagnose.knowledge import Knowledge, load
from diagnose.matching import Matcher
from diagnose.model import Diagnosis, Finding, Value
from diagnose.records.grammars import read_head
from diagnose.records.shapes import exception_type
from diagnose.records.transport import read_transport
from diagnose.repair.speakers import LEAST_LINES
from diagnose.scan import Engine

_FRAMES = (
    "Traceback (most recent call last):",
    '  File "/opt/venv/lib/python3.11/site-packages/vllm/v1/engine/core.py", line 1340, in run_engine_core',
    "    engine_core = EngineCoreProc(*args, engine_index=dp_rank, **kwargs)",
    '  File "/opt/venv/lib/python3.11/site-packages/vllm_rbln/v1/worker/optimum_worker.py", line 77, in load_model',
    "    self.model_runner.load_model()",
)


_FIRST = "(APIServer pid=4100) INFO 11-29 08:07:01 [utils.py:325] non-default args: {'model': 'm', 'max_num_seqs': 8}"
_LAST = (
    "(APIServer pid=4100) RuntimeError: Engine core initialization failed. See root cause above. "
    "Failed core proc(s): {}"
)


@dataclass(frozen=True, slots=True)
class Case:
    """A log with what it is diagnosed under."""

    name: str
    text: str
    sets: Mapping[str, Value]
    npu: str | None
    begins: bool = True
    """Whether every line begins as lines of a log do: others cannot be told apart once the line ends are gone."""


def in_a_log(message: str) -> str:
    """The message as the engine of vLLM writes it, with a line before and one behind.

    An exception is logged under its traceback; a text of several lines, or one that has a head of its own, is printed
    as it is; any other message is one line of the process.
    """
    lines = message.rstrip("\n").split("\n")
    if exception_type(lines[0]) is not None:
        rows = ("EngineCore failed to start.", *_FRAMES, *lines)
        body = [f"(EngineCore pid=4242) ERROR 11-29 08:07:35 [core.py:1366] {row}" for row in rows]
    elif len(lines) > 1 or read_head(lines[0]) is not None or read_transport(lines[0]).end:
        body = lines
    else:
        body = [f"(EngineCore pid=4242) {lines[0]}"]
    return "\n".join([_FIRST, *body, _LAST, ""])


def cases(knowledge: Knowledge, *, first_only: bool = False, whole: bool = True) -> Iterator[Case]:
    """Examples as they are, and as ``whole`` logs. ``first_only``: one example of every entry."""
    for entry in knowledge.entries.values():
        for index, example in enumerate(entry.examples[: 1 if first_only else None]):
            name = f"{entry.id}[{index}]"
            yield Case(name, example.text.rstrip("\n") + "\n", example.sets, example.npu)
            if whole:
                text = in_a_log(example.text)
                yield Case(
                    f"{name} in a log", text, example.sets, example.npu, begins=all(map(_begins, text.split("\n")))
                )


def _begins(line: str) -> bool:
    return not line or line.startswith("(")


def essence(found: Diagnosis) -> Any:
    """What must not change: outcome, causes, their numbers and every computed change, and the notes' names."""
    return (
        found.outcome,
        [_finding(one) for one in found.findings],
        sorted(note.entry for note in found.notes if note.entry != "input.repaired"),
    )


def _finding(one: Finding) -> Any:
    changes = [(r.id, r.applicability, [(c.parameter, c.to) for c in r.changes]) for r in one.remedies]
    return one.entry, one.role, dict(one.numbers), changes


class Judge:
    """Diagnoses with one knowledge base and one engine."""

    def __init__(self) -> None:
        self.knowledge: Knowledge = load()
        self._engine: Engine = engine_for(self.knowledge)
        self._matcher = Matcher(self.knowledge, self._engine)
        self._plain: dict[str, Any] = {}

    def diagnosed(self, data: bytes, case: Case, *, repair: bool = True) -> Diagnosis:
        analyzer = Analyzer(
            sets=case.sets,
            npu=case.npu,
            knowledge=self.knowledge,
            engine=self._engine,
            matcher=self._matcher,
            repair=repair,
        )
        analyzer.feed(data)
        return analyzer.finish()

    def plain(self, case: Case) -> Any:
        """The essence of the untouched text."""
        if case.name not in self._plain:
            self._plain[case.name] = essence(self.diagnosed(case.text.encode(), case))
        return self._plain[case.name]

    def keeps(self, data: bytes, case: Case) -> bool:
        """Whether the transformed text says the same."""
        return bool(essence(self.diagnosed(data, case)) == self.plain(case))


def apply(name: str, case: Case, seed: int = 0) -> bytes | None:
    """The case after a transformation, an encoding, or two of them (``wrap+quote``: wrapped, then quoted).

    None where it cannot be applied.
    """
    text = case.text
    for step in name.split("+"):
        r = Random(zlib.crc32(f"{case.name} {name} {step} {seed}".encode()))
        if step in ENCODINGS:
            return ENCODINGS[step](text, r)
        kind = BY_NAME[step].kind
        if (kind == "flow" and not case.begins) or (kind == "named" and text.count("\n") < LEAST_LINES):
            return None  # a name before one line is a word of it
        text = BY_NAME[step].change(text, r)
    return text.encode()


def single_names() -> tuple[str, ...]:
    """Every transformation and every encoding."""
    return (*BY_NAME, *ENCODINGS)


def pair_names() -> tuple[str, ...]:
    """Two that can follow each other without destroying what they are about, the inner one first.

    Text that was run together has lost the lines the others work on; what marks lines or breaks them cannot be told
    from the words any more once the line ends are gone, nor a width or a box once blanks are. An encoding comes last.
    """
    named = [f"{a.name}+{b.name}" for a in TRANSFORMS for b in TRANSFORMS if _may_follow(a, b)]
    encoded = (
        f"{one.name}+{code}"
        for one in TRANSFORMS
        for code in ENCODINGS
        if one.name != "listed" and (one.kind != "literal" or code not in _WITH_OTHER_LINES)
    )
    return (*named, *encoded)


_WITH_OTHER_LINES = ("invalid_bytes", "progress_bars", "long_line")
"""Encodings that put lines around: among these a literal is one that the log quotes."""


def _may_follow(inner: Transform, outer: Transform) -> bool:
    if inner.name == outer.name or {"flow", "literal", "blanks"} & {inner.kind, outer.kind}:
        return False
    if inner.name == "listed":  # among other lines an item of a list speaks of an error, it reports none
        return False
    if {inner.kind, outer.kind} <= {"transport", "named"}:
        return inner.name in _CONTAINERS and outer.name in _COLLECTORS and inner.name != outer.name
    return inner.kind != outer.kind or inner.kind == "around"


_CONTAINERS = ("compose", "cri", "journald", "kubectl_prefix", "docker_json")
_COLLECTORS = ("github", "gitlab", "jenkins", "kubectl_timestamps")
"""Containers and services run inside what collects their lines."""
