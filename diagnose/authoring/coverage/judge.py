"""Which entry knows a site: the site's message is dressed as a log shows it and given to the matcher."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

from diagnose.analyzer import engine_for
from diagnose.authoring.coverage.message import Template, samples
from diagnose.authoring.coverage.package import Package
from diagnose.authoring.coverage.shown import Examples
from diagnose.authoring.coverage.sites import Site, read_sites, read_strings
from diagnose.knowledge import Entry, Knowledge
from diagnose.knowledge.schema import Signature
from diagnose.light import dataclass
from diagnose.matching import Matcher
from diagnose.model import ExceptionInfo, Match, Piece, Record, RecordKind

Status = Literal["covered", "family", "excepted", "uncovered"]

FAMILY = re.compile(r"(^|[.-])(internal|porting)([.-]|$)")
"""Ids of entries that gather a library's own checks: they say whose failure it is and to report it, no more."""

LAST_VERSION = (999,)


@dataclass(frozen=True, slots=True)
class Judged:
    """A site and who knows it."""

    site: Site
    status: Status
    entries: tuple[str, ...] = ()
    reason: str = ""
    """For an excepted site: why it needs no entry."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """What the knowledge base knows of one release."""

    package: Package
    judged: tuple[Judged, ...]
    unemitted: tuple[Signature, ...] = ()
    """Signatures of this component that claim this release, but stand nowhere in its source."""
    outdated: tuple[tuple[Signature, Site], ...] = ()
    """Signatures the source does emit in a release that ``since`` or ``until`` excludes."""
    dead_exceptions: tuple[str, ...] = ()
    """Exceptions that except nothing any more: to be removed."""

    @property
    def counted(self) -> tuple[Judged, ...]:
        """Sites with a say of their own: not those that pass another place's message on."""
        return tuple(j for j in self.judged if not j.site.dynamic)

    def share(self, *, reachable: bool) -> tuple[int, int]:
        """(known, all) of the counted sites; only the reachable ones if ``reachable``."""
        sites = [j for j in self.counted if j.site.reachable or not reachable]
        return sum(j.status != "uncovered" for j in sites), len(sites)


def coverage(package: Package, knowledge: Knowledge, exceptions: Mapping[str, str] | None = None) -> Coverage:
    """Who knows the sites of ``package``.

    ``exceptions``: a site's text (holes as ``{}``; a closing ``*`` for its beginning) → why no entry is wanted for it.
    """
    judge = _Judge(knowledge, exceptions or {}, package)
    judged = tuple(judge.judge(site) for site in read_sites(package))
    return Coverage(
        package,
        judged,
        unemitted=tuple(judge.unemitted(read_strings(package))),
        outdated=tuple(judge.outdated),
        dead_exceptions=tuple(p for p in judge.exceptions if p not in judge.used),
    )


class _Judge:
    def __init__(self, knowledge: Knowledge, exceptions: Mapping[str, str], package: Package) -> None:
        self._knowledge = knowledge
        self._matcher = Matcher(knowledge, engine_for(knowledge))
        self._by_place = {(s.entry, s.index): s for s in knowledge.signatures}
        self._package = package
        self._examples = Examples(knowledge)
        self._seen: set[tuple[str, int]] = set()
        self.exceptions = exceptions
        self.used: set[str] = set()
        self.outdated: list[tuple[Signature, Site]] = []

    def judge(self, site: Site) -> Judged:
        entries = Counter(m.entry for m in self._matches(site))
        known = [self._knowledge.entries[id_] for id_ in entries if self._speaks_of(id_)]
        if known:
            status: Status = "family" if all(is_family(e) for e in known) else "covered"
            return Judged(site, status, tuple(e.id for e in known))
        for prefix, reason in self.exceptions.items():
            if fits(prefix, site.text):
                self.used.add(prefix)
                return Judged(site, "excepted", (), reason)
        return Judged(site, "uncovered")

    def _speaks_of(self, id_: str) -> bool:
        """Another vendor's entry that matches a message of ours is a mistake, not knowledge."""
        return self._knowledge.entries[id_].domain != "foreign"

    def _matches(self, site: Site) -> Iterator[Match]:
        """Matches of every wording; a wording is known when one of its renderings is."""
        for template in site.templates or ((),):
            for match in self._of_template(site, template):
                key = (match.entry, match.signature)
                signature = self._by_place.get(key)
                self._seen.add(key)
                if signature is not None and self._disowned(signature):
                    self.outdated.append((signature, site))
                yield match

    def _disowned(self, signature: Signature) -> bool:
        """Emitted here, in a release that ``since`` or ``until`` excludes. They count releases of the entry's own
        component."""
        own = self._knowledge.entries[signature.entry].component == self._package.name
        return own and not claims(signature, self._package.version)

    def _of_template(self, site: Site, template: Template) -> tuple[Match, ...]:
        for text in samples(template):
            found = self._matcher.match(record(site, text))
            if found:
                return found
        return tuple(m for entry, text in self._examples.of(template) for m in self._shown(site, entry, text))

    def _shown(self, site: Site, entry: str, text: str) -> Iterator[Match]:
        """Matches of ``entry`` in its own example, which is a text of this site."""
        said = text.partition(f"{site.type}: ")[2] or text
        return (m for m in self._matcher.match(record(site, said)) if m.entry == entry)

    def unemitted(self, strings: str) -> Iterator[Signature]:
        """Signatures of this component that claim this release and are nowhere in it."""
        for signature in self._knowledge.signatures:
            entry = self._knowledge.entries[signature.entry]
            if entry.component != self._package.name or not claims(signature, self._package.version):
                continue
            if (signature.entry, signature.index) not in self._seen and not _stands_in(signature, strings):
                yield signature


def _stands_in(signature: Signature, strings: str) -> bool:
    """A message put together from pieces, or handed on by a function, is still a string of the source."""
    pieces = [p for literal in signature.literals for p in re.split(r"\W{2,}", literal) if len(p) >= 6]
    return any(literal in strings for literal in signature.literals) or (
        bool(pieces) and all(piece in strings for piece in pieces)
    )


def fits(exception: str, text: str) -> bool:
    """Whether ``exception`` names ``text``: the whole of it, or its beginning when it ends in ``*``."""
    return text.startswith(exception[:-1]) if exception.endswith("*") else text == exception


def is_family(entry: Entry) -> bool:
    """Whether ``entry`` gathers internal checks of a library. One that computes a change has one cause."""
    return FAMILY.search(entry.id) is not None and not any(r.set or r.solver for r in entry.remedies)


def claims(signature: Signature, version: str) -> bool:
    """Whether ``since`` and ``until`` include ``version``; yes while one of them is not known."""
    if not version:
        return True
    now = numbers(version)
    since = numbers(signature.since) if signature.since else ()
    until = numbers(signature.until) if signature.until else LAST_VERSION
    return since <= now and now[: len(until)] <= until


def numbers(version: str) -> tuple[int, ...]:
    """``0.10.2.post1`` → (0, 10, 2): releases of one number print alike."""
    found = re.match(r"\d+(?:\.\d+)*", version)
    return tuple(int(part) for part in found.group(0).split(".")) if found else ()


def record(site: Site, text: str) -> Record:
    """The record a log would hold for ``site`` saying ``text``."""
    pieces = (Piece(0, 1, 0),)
    if site.kind in ("raise", "assert"):
        frame = f"{site.path}:{site.line} in {site.function.rpartition('.')[2] or '<module>'}: {site.source}"
        info = ExceptionInfo(site.type, chain=1, position=0, link=None, last=True, frames=(frame,))
        said = f"{site.type}: {text}" if text else site.type
        return Record(RecordKind.EXCEPTION, said, pieces, level="ERROR", exception=info)
    if site.kind == "log":
        return Record(RecordKind.LOG, text, pieces, level=site.type, source=f"{site.path}:{site.line}")
    kind = {"warning": RecordKind.WARNING, "usage": RecordKind.USAGE}.get(site.kind, RecordKind.RAW)
    return Record(kind, text if kind is not RecordKind.WARNING else f"{site.type}: {text}", pieces)


def uncovered(judged: Iterable[Judged]) -> list[Judged]:
    return [j for j in judged if j.status == "uncovered" and not j.site.dynamic]
