"""Errors without a cause of ours: those no entry knows, echoes whose cause is not in the log, another vendor's.

They are told when the log is calm, for the cause often stands a few lines further on, and put right when it turns up.
Nothing of them is written down: an incident has a cause.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Literal

from diagnose.light import dataclass
from diagnose.model import Diagnosis, Finding
from diagnose.reasoning import Run
from diagnose.reasoning.unknown import MAX_UNKNOWN as MAX_LISTED
from diagnose.watch.limits import BURST_S, DOUBT_S, MAX_TOLD, MAX_UNKNOWN, REPEAT_S
from diagnose.watch.nouns import UNSAID, Said, Telling, Word

Spot = tuple[int, int]
"""Offset and line of the stream."""


@dataclass(frozen=True, slots=True)
class Scene:
    """One run as the analyser sees it now. Lines are those of the stream."""

    run: str
    causes: tuple[Finding, ...]
    """Roots of any vendor."""
    doubtful: tuple[Said, ...]
    ready: int | None
    """Line on which it came up."""
    whole: bool
    """Everything that was read counts. Else more of a message may follow, and what is not there may only wait."""
    shown: bool
    """The diagnosis lists its unknown errors: one that is not among ``doubtful`` is none any more."""
    silent: bool = False
    """What is new here was told before us."""
    hush: bool = False
    """What is new here was there before us, and is told by nobody."""


@dataclass(slots=True)
class _Doubt:
    """One error of one run."""

    run: str
    key: str
    said: Said
    since: float
    hold: Spot
    """Where reading has to go on if we end before it was told."""
    told_at: float | None = None
    count: int = 0
    """Copies when it was told last."""
    over: Literal["", "explained", "recovered"] = ""
    heard: bool = True
    """False for one nobody was told of, and nobody is going to be."""

    @property
    def waits(self) -> bool:
        return self.told_at is None and not self.over


class Doubts:
    """``compare`` with what the analyser says now; ``recover`` when a server came up."""

    def __init__(self) -> None:
        self._kept: list[_Doubt] = []
        self._unsettled = False

    @property
    def pending(self) -> bool:
        """Something is to be told, or taken back, when the log is calm."""
        return self._unsettled or any(d.waits for d in self._kept)

    @property
    def hold(self) -> Spot | None:
        """From here on not everything was told."""
        return min((d.hold for d in self._kept if d.waits), default=None)

    def compare(self, scenes: Sequence[Scene], told_to: Spot, *, calm: bool, now: float) -> list[Word]:
        """What is to be told: errors that are new, then those that have to be put right. ``told_to``: before it
        everything was told already."""
        self._unsettled = False
        news: list[Word] = []
        for scene in scenes:
            for said in scene.doubtful:
                self._see(scene, said, told_to, now)
        put_right = [word for scene in scenes for word in self._absent(scene, calm=calm, now=now)]
        for scene in scenes:
            news += self._tell(scene, calm=calm, now=now)
        return news + put_right

    def recover(self, later: Collection[str]) -> list[Word]:
        """One of the runs ``later`` came up: what the runs before were told to suffer from is over."""
        ended = [d for d in self._kept if d.run not in later and d.over != "recovered"]
        told = {d.key: d for d in ended if d.heard and d.told_at is not None and not d.over}
        for doubt in ended:
            doubt.over = "recovered"
        return [Word("recovered", d.said) for d in told.values()]

    def forget(self, kept: Collection[str]) -> None:
        """Keep what belongs to these runs, and the latest of what is not over."""
        self._kept = [d for d in self._kept if d.run in kept or (d.told_at is not None and not d.over)][-MAX_TOLD:]

    # ------------------------------------------------------------------------------------ steps

    def _see(self, scene: Scene, said: Said, told_to: Spot, now: float) -> None:
        key = key_of(said)
        known = next((d for d in self._kept if d.key == key and d.run == scene.run), None)
        if known is None:
            # The run of a line may get another key: an announcement came to light that stands before it.
            known = next((d for d in self._kept if d.key == key and d.said.line == said.line), None)
        if known is not None:
            known.run, known.said = scene.run, said
            if known.over == "explained":
                known.over, known.told_at, known.since, known.hold = "", None, now, told_to
        elif sum(d.run == scene.run for d in self._kept) < MAX_UNKNOWN:
            self._kept.append(_Doubt(scene.run, key, said, now, told_to))

    def _absent(self, scene: Scene, *, calm: bool, now: float) -> list[Word]:
        """What was told and is not so any more; what waited and is not so any more is dropped without a word."""
        made = []
        for doubt in self._of(scene, present=False):
            cause = next((f for f in scene.causes if _covers(f, doubt.said)), None)
            sure = scene.whole and (scene.shown or isinstance(doubt.said, Finding))
            if cause is None and not (sure and calm):
                self._unsettled = self._unsettled or sure
                continue
            doubt.over = "explained"
            if doubt.told_at is not None and doubt.heard:
                made.append(self._put_right(scene, doubt, cause, now))
        return made

    def _of(self, scene: Scene, *, present: bool) -> list[_Doubt]:
        """The open doubts of a run that are there still, or are not."""
        keys = {key_of(said) for said in scene.doubtful}
        return [d for d in self._kept if d.run == scene.run and not d.over and (d.key in keys) is present]

    def _put_right(self, scene: Scene, doubt: _Doubt, cause: Finding | None, now: float) -> Word:
        if cause is None and scene.ready is not None and scene.ready > doubt.said.line:
            doubt.over = "recovered"
            return Word("recovered", doubt.said)
        grown = next((s for s in scene.doubtful if cause is None and s.line == doubt.said.line), None)
        if grown is not None:  # more of the same message came: it needs no word of its own
            for other in self._kept:
                if other.run == scene.run and other.key == key_of(grown) and other.waits:
                    other.told_at, other.count = now, grown.count
        first = next(iter((*scene.causes, *scene.doubtful)), None)
        return Word("amended", doubt.said, cause or grown or first)

    def _tell(self, scene: Scene, *, calm: bool, now: float) -> Iterable[Word]:
        for doubt in self._of(scene, present=True):
            if doubt.told_at is not None and doubt.heard:
                yield from _goes_on(doubt, doubt.told_at, now)
                continue
            if not (calm or now - doubt.since >= DOUBT_S):
                continue
            if not doubt.heard:
                continue
            before = self._before(doubt)
            doubt.told_at, doubt.count, doubt.heard = now, doubt.said.count, not scene.hush
            if scene.silent or scene.hush:
                continue
            if before is None or now - before >= REPEAT_S:
                yield Word("unknown" if before is None else "repeated", doubt.said)
            else:
                doubt.told_at = before

    def _before(self, doubt: _Doubt) -> float | None:
        """When the same error of another run that did not come up was told last."""
        times = [d.told_at for d in self._kept if d.key == doubt.key and d is not doubt and d.heard and not d.over]
        return max((at for at in times if at is not None), default=None)


def key_of(said: Said) -> str:
    """The same for the same error, wherever it stands."""
    return f"{said.role}:{said.entry}" if isinstance(said, Finding) else said.template


def doubtful(finding: Finding) -> bool:
    """Whether a finding claims no cause of ours: an echo alone, or another vendor's failure."""
    return not finding.recovered and (finding.role == "consequence" or finding.domain == "foreign")


def scenes_of(
    runs: Sequence[Run], keys: Sequence[str], diagnosis: Diagnosis, telling: Telling, *, whole: bool
) -> list[Scene]:
    """The ``runs`` of a diagnosis of all of them, each with its key."""
    said: list[Said] = [*(f for f in diagnosis.findings if doubtful(f)), *diagnosis.unknown]
    shown = shown_run(runs, diagnosis)
    up = max((index for index, run in enumerate(runs) if run.ready is not None), default=0)
    return [
        Scene(
            run=key,
            causes=tuple(f for f in diagnosis.findings if f.role == "root" and run.holds(f.line)),
            # What was before a start that came up is over.
            doubtful=tuple(s for s in said if run.holds(s.line) and index >= up),
            ready=run.ready,
            whole=whole,
            # Where none failed, no run has any.
            shown=(shown in (None, index)) and len(diagnosis.unknown) < MAX_LISTED,
            silent=telling in UNSAID,
            hush=telling == "last" and index < (len(runs) - 1 if shown is None else shown),
        )
        for index, (run, key) in enumerate(zip(runs, keys, strict=True))
    ]


def shown_run(runs: Sequence[Run], diagnosis: Diagnosis) -> int | None:
    """Index of the run a diagnosis of all of them shows: the last that failed, if none after it came up."""
    found: list[Said] = [*diagnosis.unknown[:1], *(f for f in diagnosis.findings if not f.recovered)]
    return next((index for index, run in enumerate(runs) if found and run.holds(found[0].line)), None)


def _goes_on(doubt: _Doubt, told_at: float, now: float) -> Iterable[Word]:
    """It happened again, and the last word about it is an hour old: the rule for incidents."""
    if doubt.said.count <= doubt.count:
        return
    if now - told_at >= REPEAT_S:
        doubt.told_at, doubt.count = now, doubt.said.count
        yield Word("repeated", doubt.said)
    elif now - told_at < BURST_S:
        doubt.count = doubt.said.count  # the copies of one burst are one


def _covers(cause: Finding, said: Said) -> bool:
    """Whether ``said`` is an echo or a part of ``cause``."""
    if said.line in {cause.line, *cause.lines, *(c.line for c in cause.consequences)}:
        return True
    return isinstance(said, Finding) and any(c.entry == said.entry for c in cause.consequences)


def incidents_of(diagnosis: Diagnosis) -> list[Finding]:
    """What is an incident: roots that are ours to judge, those that were got over included."""
    found = [*diagnosis.findings, *(n for n in diagnosis.notes if n.recovered)]
    return [f for f in found if f.role == "root" and f.domain != "foreign"]
