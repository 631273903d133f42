"""What has been told about one run, and what has to be told now."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import field, replace
from typing import Literal

from diagnose.incidents.nouns import Kind, Left
from diagnose.incidents.reading import finding_from
from diagnose.light import dataclass
from diagnose.model import Finding
from diagnose.watch.changed import essence

State = Literal["open", "recovered", "merged"]


@dataclass(slots=True)
class Told:
    """One incident of one run as it was told last."""

    fingerprint: str
    run: str
    finding: Finding
    """With lines of the stream: it is compared with what the analyser says."""
    at: float
    """When it was told last (or taken as told)."""
    number: int = 0
    """How often the same incident was opened and got over in this run before."""
    count: int = 1
    """Copies of the message when it was told last."""
    state: State = "open"
    heard: bool = True
    """False for one of a run before the last that was there before us: nobody told it, and it is not listed."""
    excerpt: str | None = None
    """Of one a watcher before us told: then ``finding`` has lines of a file that is not read any more."""

    @property
    def is_left(self) -> bool:
        return self.excerpt is not None

    def stands_on(self, lines: Collection[int]) -> bool:
        """Whether it was found on one of these lines of the stream."""
        return not self.is_left and self.finding.line in lines

    def found_again(self, finding: Finding) -> None:
        """It is the same still."""
        self.finding, self.excerpt = finding, None


@dataclass(frozen=True, slots=True)
class Step:
    """A change of one incident; ``told`` says as what incident it is known."""

    kind: Kind
    told: Told
    finding: Finding
    revision: int
    """The same for the same change, however often it is worked out: what is written twice is one."""
    before: Finding | None = None
    """Of an amendment: what was told."""
    cause: Finding | None = None
    """Of one that turned out to be an echo or a part of another: that one."""


@dataclass(slots=True)
class RunBook:
    """The incidents told of one run."""

    run: str
    told: list[Told] = field(default_factory=list)
    started: bool = False
    pending: bool = False
    """An amendment waits for calm."""

    def compare(self, now: Sequence[tuple[Finding, str]], *, calm: bool, at: float) -> list[Step]:
        """Steps from what was told to ``now``: findings with their fingerprints.

        Amendments wait until ``calm``: the lines that correct a finding come in one burst with it. One that turned
        out to be an echo is put right at once, because its cause is told in the same breath.
        """
        self.pending = False
        steps: list[Step] = []
        seen: set[int] = set()
        for finding, mark in now:
            known = self._known(finding, mark, seen)
            if known is None:
                known = self._opened(finding, mark, at)
                steps.append(Step("opened", known, finding, known.number))
            else:
                steps += self._of_known(known, finding, calm=calm)
            seen.add(id(known))
        for told in self.told:
            cause = next((f for f, _ in now if _covers(f, told)), None)
            if told.state == "open" and id(told) not in seen and cause is not None:
                told.state = "merged"
                before, told.finding = told.finding, replace(told.finding, role="consequence")
                steps.append(_amended(told, before, cause))
        return steps

    def heard_of_now(self) -> list[Step]:
        """What nobody was told, because it was there before us, and what happened again since."""
        again = [t for t in self.told if t.state == "open" and not t.heard and t.finding.count > t.count]
        for told in again:
            told.heard, told.count = True, told.finding.count
        return [Step("opened", told, told.finding, told.number) for told in again]

    def recover(self, before: int | None = None, besides: Collection[int] = ()) -> list[Step]:
        """A start came up: what was open is over; or only what stands before a line, on none of the lines
        ``besides``."""
        ended = [t for t in self.told if t.state == "open" and (before is None or t.finding.line < before)]
        over = [_recovered(told, told.finding) for told in ended if not told.stands_on(besides)]
        return [step for step in over if step.told.heard]

    def _opened(self, finding: Finding, mark: str, at: float) -> Told:
        number = sum(t.fingerprint == mark for t in self.told)
        told = Told(mark, self.run, finding, at, number, finding.count)
        self.told.append(told)
        return told

    def _known(self, finding: Finding, mark: str, seen: set[int]) -> Told | None:
        """The incident a finding is: by place, else by what it says. The target may have become known meanwhile."""
        same = [t for t in self.told if t.finding.entry == finding.entry and t.state != "merged" and id(t) not in seen]
        for told in same:
            # Of what was told before us the beginning of the run may be cut away: the target is not known any more.
            if told.is_left and told.state == "open":
                return told
            if told.stands_on((finding.line,)) or (told.fingerprint == mark and told.state == "open"):
                return told
        lines = {finding.line, *finding.lines}
        return next((t for t in same if t.stands_on(lines)), None)

    def _of_known(self, told: Told, finding: Finding, *, calm: bool) -> list[Step]:
        if finding.recovered and told.state == "open":
            return [_recovered(told, finding)]
        if essence(told.finding) == essence(finding):
            told.found_again(finding)
            return []
        if not calm:
            self.pending = True
            return []
        before = told.finding
        told.found_again(finding)
        return [_amended(told, before)]


def _amended(told: Told, before: Finding, cause: Finding | None = None) -> Step:
    digest = hashlib.blake2b(essence(told.finding).encode(errors="replace"), digest_size=4).digest()
    return Step("amended", told, told.finding, int.from_bytes(digest, "big"), before, cause)


def _recovered(told: Told, finding: Finding) -> Step:
    told.state = "recovered"
    if finding is not told.finding:
        told.excerpt = None
    told.finding = replace(finding, recovered=True)
    return Step("recovered", told, told.finding, told.number)


def _covers(cause: Finding, other: Told) -> bool:
    """Whether ``other``, told as a cause, turned out to be one of ``cause``'s echoes, or its line to say more."""
    lines = {cause.line, *cause.lines, *(c.line for c in cause.consequences)}
    return other.stands_on(lines) or any(c.entry == other.finding.entry for c in cause.consequences)


def books_of(left: Iterable[Left], now: float, wall: float) -> dict[str, RunBook]:
    """The books a watcher that ended left open, by run. ``now`` and ``wall``: both clocks at this moment."""
    books: dict[str, RunBook] = {}
    for one in left:
        try:
            finding = finding_from(one.incident.finding)
        except (KeyError, TypeError):
            continue  # written by a release whose findings were other ones
        at = now - max(wall - one.told_s, 0.0)
        told = Told(one.incident.fingerprint, one.run, finding, at, one.number, finding.count)
        told.excerpt = one.incident.excerpt
        books.setdefault(one.run, RunBook(one.run)).told.append(told)
    return books


def take_over(books: Iterable[RunBook]) -> None:
    """What a watcher before us told and what was found again is one; it was told when that one told it.

    The run of it may have got another key since: its file was rotated away and is met anew.
    """
    books = list(books)
    found = {t.fingerprint: t for book in books for t in book.told if not t.is_left}
    for book in books:
        for told in [t for t in book.told if t.is_left and t.fingerprint in found]:
            found[told.fingerprint].at = min(found[told.fingerprint].at, told.at)
            book.told.remove(told)
