"""The bundle: a diagnosis and as few lines of its log as give it again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from typing import Any, Final

from diagnose.analyzer import Analyzer, Sets
from diagnose.bundle.choosing import levels, told_with, trimmed
from diagnose.bundle.quoting import excerpt, held, numbered
from diagnose.knowledge import Knowledge
from diagnose.light import dataclass
from diagnose.model import Diagnosis
from diagnose.records import fingerprint_text
from diagnose.redact import Redactor, Surroundings, redacted
from diagnose.redact.redactor import unnumbered
from diagnose.redact.sources import source_name
from diagnose.report.clean import clean
from diagnose.scan import Engine

MAX_WHOLE_LINES: Final = 3_000
MAX_WHOLE_CHARS: Final = 400_000
"""A log of at most so much is quoted as a whole when nothing less gives its diagnosis."""
MAX_EXCERPT_CHARS: Final = 2_000_000
"""A longer excerpt is not pasted; when every one is longer, the report says that it has none that is enough."""

Read = Callable[[], Iterable[bytes]]
"""The bytes of the log from their beginning; called more than once."""
Broke = Callable[[], bool]
"""Whether the log broke off; asked when it was read to its end."""


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


def make(read: Read, given: Given, about: Surroundings, broke: Broke = lambda: False) -> Bundle:
    """The bundle of a log. Raises InputError as the analyser and ``read`` do."""
    analyzer = _analyzer(given)
    for block in read():
        analyzer.feed(block)
    cut = broke()
    diagnosis = analyzer.finish(damaged=cut)
    by = Redactor(about)
    shown = redacted(diagnosis, by)
    wanted = essence(diagnosis, by)
    text, same = "", False
    for lines, chosen in _excerpts(read, analyzer, diagnosis):
        learned = by.learned
        text = excerpt(hidden(lines, chosen, by), chosen, diagnosis.input.lines)
        if by.learned != learned:  # a password may become known on a later line than the one that repeats it
            text = excerpt(hidden(lines, chosen, by), chosen, diagnosis.input.lines)
        same = _is_all(text, read, diagnosis) or essence(_again(text, given, cut), by) == wanted
        if same:
            break
    return Bundle(
        diagnosis=_named(redacted(shown, by), source_name(given.name, about)),
        excerpt=text,
        same=same,
        options=tuple(by.text(option) for option in _options(given)),
    )


def essence(diagnosis: Diagnosis, by: Redactor) -> str:
    """What must not change: root, numbers and changes; equal for a log and for what was redacted of it."""
    found: list[Any] = [diagnosis.outcome]
    for finding in diagnosis.findings:
        remedies = [(r.id, r.applicability, r.changes, r.arithmetic, r.missing) for r in finding.remedies]
        found.append((finding.entry, finding.role, sorted(finding.numbers.items()), remedies))
    found += [fingerprint_text(by.text(clean(unknown.text))) for unknown in diagnosis.unknown]
    return unnumbered(repr(redacted(found, by)))


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


def _is_all(text: str, read: Read, diagnosis: Diagnosis) -> bool:
    """Whether the excerpt is the log, to the byte: then there is nothing to try."""
    data = text.encode()
    return len(data) - diagnosis.input.bytes in (0, 1) and data.rstrip(b"\n") == b"".join(read()).rstrip(b"\n")


def _again(text: str, given: Given, cut: bool) -> Diagnosis:
    analyzer = _analyzer(given)
    analyzer.feed(text.encode())
    return analyzer.finish(damaged=cut)


def _excerpts(read: Read, analyzer: Analyzer, diagnosis: Diagnosis) -> Iterator[tuple[Mapping[int, str], Set[int]]]:
    """From the shortest on: lines as they stood in the log, and which of them are quoted."""
    last = diagnosis.input.lines
    for wanted in levels(diagnosis, analyzer.collected):
        lines = held(read(), wanted.held())
        chosen = trimmed(wanted, lines.items())
        if len(excerpt(lines, chosen, last)) <= MAX_EXCERPT_CHARS:
            yield lines, chosen
    if last <= MAX_WHOLE_LINES and diagnosis.input.bytes <= MAX_WHOLE_CHARS:
        whole = dict(numbered(read()))
        yield whole, whole.keys()


def hidden(lines: Mapping[int, str], chosen: Set[int], by: Redactor) -> Mapping[int, str]:
    """The chosen lines without secrets. They are looked for among the lines above as well: the rest of a token that a
    terminal broke looks like nothing without its beginning."""
    groups = told_with(chosen, lines.keys())
    # Between groups an empty line: what stands on both sides of it does not belong together.
    numbers = [number for group in groups for number in (*group, 0)][:-1]
    texts = by.text("\n".join(lines[number] if number else "" for number in numbers)).split("\n")
    if len(texts) != len(numbers):  # left out as a whole: looking for secrets took too long
        return dict.fromkeys(chosen, texts[0])
    return {number: text for number, text in zip(numbers, texts, strict=True) if number in chosen}


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
