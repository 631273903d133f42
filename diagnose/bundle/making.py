"""The bundle: a diagnosis and as few lines of its log as give it again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from diagnose.analyzer import Analyzer, Sets
from diagnose.bundle.choosing import levels, trimmed
from diagnose.bundle.quoting import excerpt, held, numbered
from diagnose.knowledge import Knowledge
from diagnose.model import Diagnosis
from diagnose.redact import Redactor, Surroundings, redacted
from diagnose.redact.redactor import unnumbered
from diagnose.redact.sources import source_name
from diagnose.scan import Engine

MAX_WHOLE_LINES: Final = 3_000
MAX_WHOLE_CHARS: Final = 400_000
"""A log of at most so much is quoted as a whole when nothing less gives its diagnosis."""
MAX_EXCERPT_CHARS: Final = 2_000_000

Read = Callable[[], Iterable[bytes]]
"""The bytes of the log from their beginning; called more than once."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """What may be pasted: everything in it is redacted."""

    diagnosis: Diagnosis
    excerpt: str
    """Lines of the log with marks where some were left out."""
    same: bool
    """Whether the excerpt alone, with the same options, gives the root, its numbers and its changes again."""
    options: tuple[str, ...]
    """The options that were given, as far as they say something about the run."""


@dataclass(frozen=True, slots=True)
class Given:
    """What the person gave beside the log; see :class:`diagnose.analyzer.Analyzer`."""

    name: str = "-"
    config: Sequence[str] = ()
    sets: Sets = ()
    npu: str | None = None
    all_runs: bool = False
    knowledge: Knowledge | None = None
    engine: Engine | None = None


def make(read: Read, given: Given, about: Surroundings) -> Bundle:
    """The bundle of a log. Raises InputError as the analyser and ``read`` do."""
    analyzer = _analyzer(given)
    for block in read():
        analyzer.feed(block)
    diagnosis = analyzer.finish()
    wanted = essence(diagnosis, about)
    text, same = "", False
    for text in _excerpts(read, analyzer, diagnosis):
        text = Redactor(about).text(text)
        same = essence(_again(text, given), about) == wanted
        if same:
            break
    by = Redactor(about)
    text = by.text(text)
    return Bundle(
        diagnosis=_named(redacted(diagnosis, by), source_name(given.name, about)),
        excerpt=text,
        same=same,
        options=tuple(by.text(option) for option in _options(given)),
    )


def essence(diagnosis: Diagnosis, about: Surroundings) -> str:
    """What must not change: root, numbers and changes; equal for a log and for what was redacted of it."""
    d = redacted(diagnosis, Redactor(about))
    found: list[Any] = [d.outcome]
    for finding in d.findings:
        remedies = [(r.id, r.applicability, r.changes, r.arithmetic, r.missing) for r in finding.remedies]
        found.append((finding.entry, finding.role, sorted(finding.numbers.items()), remedies))
    found += [unknown.template for unknown in d.unknown]
    return unnumbered(repr(found))


def _analyzer(given: Given) -> Analyzer:
    return Analyzer(
        name=given.name,
        config=given.config,
        sets=given.sets,
        npu=given.npu,
        all_runs=given.all_runs,
        knowledge=given.knowledge,
        engine=given.engine,
    )


def _again(text: str, given: Given) -> Diagnosis:
    analyzer = _analyzer(given)
    analyzer.feed(text.encode())
    return analyzer.finish()


def _excerpts(read: Read, analyzer: Analyzer, diagnosis: Diagnosis) -> Iterator[str]:
    """From the shortest on; each as it stood in the log."""
    last = diagnosis.input.lines
    for wanted in levels(diagnosis, analyzer.collected):
        lines = held(read(), wanted.may_be_quoted)
        made = excerpt(lines, trimmed(wanted, lines.items()), last)
        if len(made) <= MAX_EXCERPT_CHARS:
            yield made
    if last <= MAX_WHOLE_LINES and diagnosis.input.bytes <= MAX_WHOLE_CHARS:
        whole = dict(numbered(read()))
        yield excerpt(whole, whole, last)


def _options(given: Given) -> Iterator[str]:
    for path in given.config:
        yield f"--config {path}"
    sets = given.sets
    for one in sets if not isinstance(sets, dict) else (f"{name}={value}" for name, value in sets.items()):
        yield f"--set {one}"
    if given.npu is not None:
        yield f"--npu {given.npu}"
    if given.all_runs:
        yield "--all-runs"


def _named(diagnosis: Diagnosis, name: str) -> Diagnosis:
    from dataclasses import replace

    return replace(diagnosis, input=replace(diagnosis.input, name=name))
