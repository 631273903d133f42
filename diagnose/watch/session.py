"""One source analysed as it grows: what is new to be told after each look."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import field, replace

from diagnose import redact
from diagnose.analyzer import Analyzer, Look, Opened
from diagnose.incidents.nouns import Kind
from diagnose.light import dataclass
from diagnose.model import Diagnosis, Finding, RunContext, Text
from diagnose.reasoning import Run
from diagnose.watch.allowance import Allowance
from diagnose.watch.changed import changed, explained
from diagnose.watch.contexts import RunContexts
from diagnose.watch.doubts import Doubts, doubtful, incidents_of, scenes_of, shown_run
from diagnose.watch.ledger import Ledger, Place
from diagnose.watch.limits import (
    BURST_S,
    CALM_S,
    HALF_LINE_S,
    MAX_TOLD,
    REPEAT_S,
    SETTLE_S,
)
from diagnose.watch.nouns import UNSAID, Change, RunState, Telling, Word, each_over_once
from diagnose.watch.runstate import run_state, with_later
from diagnose.watch.tail.nouns import Piece
from diagnose.watch.told import RunBook, Step, Told, take_over

Fingerprint = Callable[[Finding, RunContext], str]
Quote = Callable[[Place, Finding], str]

KEEP_RUNS = 2
"""Runs the analyser keeps: late lines of the one before still belong to it."""


@dataclass(slots=True)
class Review:
    """What one look brought."""

    changes: list[Change] = field(default_factory=list)
    words: list[Word] = field(default_factory=list)
    """About errors without a cause of ours."""
    started: tuple[str, RunContext] | None = None
    replayed: bool = False


class Session:
    """``take`` pieces, ``review`` when ``due``. Nothing here reads a clock or a file."""

    def __init__(
        self,
        analyzer: Analyzer,
        *,
        fingerprint: Fingerprint,
        quote: Quote,
        base: str = "",
        base_generation: str = "",
        about: redact.Surroundings | None = None,
        books: Mapping[str, RunBook] | None = None,
        goes_on: bool = False,
    ) -> None:
        """``books``: what was told by a watcher before and is not over. ``goes_on``: the first byte may be in the
        middle of the run ``base``."""
        self.ledger = Ledger()
        self.state: RunState = "idle"
        self._contexts: RunContexts
        self.diagnosis: Diagnosis | None = None
        """Of the last review, as the contexts of its runs are."""
        self._analyzer = analyzer
        self._fingerprint = fingerprint
        self._quote = quote
        self._about = about
        self._made_redactor: redact.Redactor | None = None
        self._base = base
        self._base_generation = base_generation
        if goes_on:
            analyzer.goes_on()
        self._books: dict[str, RunBook] = dict(books or {})
        self._doubts = Doubts()
        self._keys: dict[int, str] = {}
        """First line of a run → its key."""
        self._current = base
        self._reviewed = 0
        self._allowance = Allowance()
        self._last_data = 0.0
        self._news_at = 0.0
        self._check_at = 0.0
        self._open: tuple[float, tuple[tuple[int, int, int], ...]] = (0.0, ())
        """Since when which events are open, as long as they do not grow."""
        self._settled = True
        self._calm = True
        self._told_to = (0, 1)
        self._quiet_news = 0

    # ----------------------------------------------------------------------------- feeding

    def take(self, piece: Piece, now: float) -> None:
        """Analyse the next bytes."""
        before = self._analyzer.news
        self.ledger.take(piece)
        self._analyzer.feed(piece.data)
        self._last_data = now
        if self._settled:
            self._check_at = now + self._patience
        if self._analyzer.news != before:
            self._news_at = now
            self._calm = False
        self._settled = False

    def due(self, now: float) -> float | None:
        """Seconds until a review is due (0: now); None when there is nothing to review."""
        if self._analyzer.news != self._reviewed:
            wanted = self._allowance.next_review
        elif not self._settled:
            # Other processes may write without a pause: silence alone is not waited for.
            wanted = max(min(self._last_data + self._patience, self._check_at), self._allowance.next_review)
        elif not self._calm:
            wanted = max(self._news_at + CALM_S, self._allowance.next_review)
        else:
            return None
        return max(wanted - now, 0.0)

    def spent(self, now: float, seconds: float) -> None:
        """A review took ``seconds`` of a core."""
        self._allowance.spent(now, seconds)

    # --------------------------------------------------------------------------- reviewing

    def review(self, now: float, telling: Telling = "live", *, end: bool = False, hurry: bool = False) -> Review:
        """Compare what the analyser says now with what was told. ``end``: nothing more will come for now. ``hurry``:
        we end, and what waits for calm is told."""
        end = (silent := telling in UNSAID) or end
        opened = self._analyzer.opened()
        self._check_at = now + self._patience
        quiet = end or now - self._last_data >= self._patience or self._has_stopped_growing(opened, now)
        calm = end or hurry or now - self._news_at >= CALM_S
        if not self._anything_new(opened) and (self._calm or not calm):
            self._reviewed, self._settled = self._analyzer.news, True
            self._calm = self._calm or not self._pending()
            self._tell_to(opened)
            return Review()
        self._reviewed = self._analyzer.news
        look = self._analyzer.look(opened, whole=quiet)
        # What is compared, told and written down holds no secrets; the memory's fingerprints are made of it too.
        diagnosis, runs = redact.redacted(look.diagnosis, self._redactor), look.runs
        self.diagnosis, self._contexts = diagnosis, RunContexts(look, diagnosis, self._redactor)
        self._name(look)
        made = Review()
        shown = shown_run(runs, diagnosis)
        past = silent or telling == "last"
        for index, (run, later) in enumerate(with_later(runs, self.run_key)):
            if run.ready is not None:
                self._recoveries(later, diagnosis.run, made, silent=past)
            hush = telling == "skipped" or (telling == "last" and index < (len(runs) - 1 if shown is None else shown))
            self._review_run(run, diagnosis, made, calm=calm, silent=silent, hush=hush, now=now)
        self._overcome(runs, diagnosis, made, silent=past)
        take_over(self._books.values())
        made.changes = each_over_once(made.changes)
        if quiet:
            self._quiet_news = self._reviewed
        made.words += self._words(runs, diagnosis, telling, whole=quiet, calm=calm, now=now)
        self._note_start(runs, diagnosis, made, silent=telling != "live")
        self.state = run_state(runs, diagnosis)
        self._settled, self._calm = quiet, quiet and (calm or not self._pending())
        self._tell_to(opened, whole=quiet)
        self._forget(runs)
        if telling in ("list", "last"):
            made.replayed = True
            made.changes = [replace(c, replayed=True) for c in made.changes]
        return made

    def prune(self) -> None:
        """While old bytes are read again: keep the last runs only, telling nothing."""
        runs = self._analyzer.runs()
        if len(runs) > KEEP_RUNS:
            self._analyzer.forget(runs[-KEEP_RUNS].first)

    @property
    def _redactor(self) -> redact.Redactor:
        """Made when there is something to hide: the log is to be open before its rules are imported."""
        if self._made_redactor is None:
            self._made_redactor = redact.Redactor(self._about)
        return self._made_redactor

    @property
    def _patience(self) -> float:
        """Seconds of silence after which the last message is taken as complete."""
        return SETTLE_S if self.ledger.line_start == self.ledger.offset else HALF_LINE_S

    def _has_stopped_growing(self, opened: Opened, now: float) -> bool:
        """An event is open for a while and nothing was added to it, though others go on writing."""
        since, events = self._open
        if opened.events != events:
            self._open = now, opened.events
            return False
        return bool(events) and now - since >= self._patience

    def _anything_new(self, opened: Opened) -> bool:
        return self._analyzer.news != self._quiet_news or bool(opened.events)

    def _pending(self) -> bool:
        return self._doubts.pending or any(book.pending for book in self._books.values())

    @property
    def waits(self) -> bool:
        """Something is to be told when the log is calm."""
        return not self._calm and self._pending()

    def _tell_to(self, opened: Opened, *, whole: bool = False) -> None:
        """Everything before has been told: up to the oldest open record, or up to here."""
        if whole:
            here = (self.ledger.offset, self.ledger.line)
        else:
            here = (self.ledger.line_start, self.ledger.line)
            here = min(here, *((offset, line) for offset, line, _ in opened.events), here)
        self._told_to = max(self._told_to, min(here, self._doubts.hold or here))

    def checkpoint(self) -> Place | None:
        """Where everything before has been told, in the file; None when nothing was read yet."""
        if self._analyzer.news == self._reviewed and not self._settled:
            # Only calm lines came since the last review: they need no review of their own.
            self._tell_to(self._analyzer.opened())
        place, line = self.ledger.at_offset(self._told_to[0]), self.ledger.at_line(self._told_to[1])
        return place if place is None or line is None else replace(place, line=line.line)

    def _review_run(
        self, run: Run, diagnosis: Diagnosis, made: Review, *, calm: bool, silent: bool, hush: bool, now: float
    ) -> None:
        found = [f for f in incidents_of(diagnosis) if run.holds(f.line)]
        if not found and self.run_key(run) not in self._books:
            return
        book = self._book(self.run_key(run))
        context = self._contexts.at(run.first)
        marked = [(f, self._fingerprint(f, context)) for f in found]
        steps = book.compare(marked, calm=calm, at=now)
        if hush:
            for step in steps:
                step.told.heard = False
        if silent or hush:
            return
        heard = (step for step in steps if step.told.heard)
        made.changes += [self._change(s, context, self._shown(s, now)) for s in (*heard, *book.heard_of_now())]
        for told in book.told:
            if self._goes_on(told, now):
                step = Step("repeated", told, told.finding, int(now // REPEAT_S))
                made.changes.append(self._change(step, context, "repeated"))

    def _recoveries(self, later: Collection[str], context: RunContext, made: Review, *, silent: bool) -> None:
        """A start that came up, the first of ``later`` (run keys), ends the incidents of the runs before; each once."""
        steps = [s for book in self._books.values() if book.run not in later for s in book.recover()]
        latest = {step.told.fingerprint: step for step in steps}
        words = self._doubts.recover(later)
        if not silent:
            made.changes += [self._change(step, context, "recovered") for step in latest.values()]
            made.words += [self._placed(word) for word in words]

    def _overcome(self, runs: Sequence[Run], diagnosis: Diagnosis, made: Review, *, silent: bool) -> None:
        """A file that was cut can begin with an error and then a start, which are one run. When that came up and was
        followed by another before anybody looked, the diagnosis does not speak of it any more."""
        spoken_of = {line for found in incidents_of(diagnosis) for line in (found.line, *found.lines)}
        for run in runs[:-1]:
            book = self._books.get(self.run_key(run))
            steps = [] if book is None or run.ready is None else book.recover(run.ready, spoken_of)
            if not silent:
                made.changes += [self._change(step, diagnosis.run, "recovered") for step in steps]

    def _shown(self, step: Step, now: float) -> Kind | None:
        """The rule for repeats: within the hour the same incident in another run is only written down."""
        told = step.told
        if step.kind != "opened":
            return step.kind
        before = self._before(told)
        if before is None:
            return "opened"
        if now - before.at >= REPEAT_S:
            return "repeated"
        told.at = before.at
        return None

    def _before(self, told: Told) -> Told | None:
        """The same incident in the run before, if it was told and nothing recovered in between."""
        every = (o for book in self._books.values() for o in book.told if o.heard and o is not told)
        earlier = [o for o in every if o.fingerprint == told.fingerprint]
        return earlier[-1] if earlier and earlier[-1].state == "open" else None

    @staticmethod
    def _goes_on(told: Told, now: float) -> bool:
        """It happened again, and the last word about it is an hour old."""
        if told.state != "open" or not told.heard or told.finding.count <= told.count:
            return False
        if now - told.at < REPEAT_S:
            if now - told.at < BURST_S:
                told.count = told.finding.count  # the copies of one burst are one
            return False
        told.at, told.count = now, told.finding.count
        return True

    def _change(self, step: Step, context: RunContext, shown: Kind | None) -> Change:
        found, excerpt = step.finding, step.told.excerpt
        if excerpt is None:
            place = self.ledger.at_offset(found.offset)
            excerpt = self._redactor.text("" if place is None else self._quote(place, found))
            found = self.ledger.finding(found)
        return Change(
            kind=step.kind,
            fingerprint=step.told.fingerprint,
            run=step.told.run,
            revision=step.revision,
            finding=found,
            context=self.ledger.context(context),
            excerpt=excerpt or found.text,
            shown=shown,
            changed=self._changed(step),
        )

    def _changed(self, step: Step) -> Text | None:
        if step.cause is not None:
            return explained(self.ledger.finding(step.cause))
        return None if step.before is None else changed(step.before, step.finding)

    def _words(
        self, runs: Sequence[Run], diagnosis: Diagnosis, telling: Telling, *, whole: bool, calm: bool, now: float
    ) -> list[Word]:
        """What is to be said of errors that have no cause of ours."""
        keys = [self.run_key(run) for run in runs]
        scenes = scenes_of(runs, keys, diagnosis, telling, whole=whole)
        return [self._placed(w) for w in self._doubts.compare(scenes, self._told_to, calm=calm, now=now)]

    def _placed(self, word: Word) -> Word:
        """With lines of the file, and the incident that explains it."""
        mark = ""
        if isinstance(word.now, Finding) and not doubtful(word.now):
            mark = self._fingerprint(word.now, self._contexts.at(word.now.line))
        now = None if word.now is None else self.ledger.said(word.now)
        return replace(word, said=self.ledger.said(word.said), now=now, fingerprint=mark)

    def _note_start(self, runs: Sequence[Run], diagnosis: Diagnosis, made: Review, *, silent: bool) -> None:
        """A start that came up is evidence for what was changed before it."""
        run = runs[-1]
        if run.ready is None or any(f.role == "root" and run.holds(f.line) for f in diagnosis.findings):
            return
        book = self._book(self.run_key(run))
        if not book.started:
            book.started = True
            if not silent:
                made.started = (book.run, self.ledger.context(diagnosis.run))

    # -------------------------------------------------------------------------------- runs

    def current_run(self) -> str:
        """Key of the run that was going on at the last review."""
        return self._current

    def run_key(self, run: Run) -> str:
        """The same after a restart of the daemon: the file and the line on which the run was announced."""
        return self._keys.get(run.first, self._base)

    def _name(self, look: Look) -> None:
        """Give every run its key. A key stays, even if an announcement comes to light later.

        The run that was going on where the file of the checkpoint begins has the key it had then.
        """
        resumed = self.ledger.begin_of(self._base_generation) if self._base else None
        for run in look.runs:
            if run.first in self._keys:
                continue
            at = bisect_left(look.starts, run.first)
            start = next(filter(run.holds, look.starts[at : at + 1]), 0)
            place = self.ledger.at_line(start or 1)
            if place is None:
                continue  # nothing was read yet
            own = f"{place.origin.generation}+{place.line if start else 0}"
            goes_on = resumed is not None and run.holds(resumed) and start < resumed
            self._keys[run.first] = self._base if goes_on else own
        self._current = self.run_key(look.runs[-1])

    def _book(self, key: str) -> RunBook:
        return self._books.setdefault(key, RunBook(key))

    def _forget(self, runs: Sequence[Run]) -> None:
        kept = runs[-KEEP_RUNS:]
        keys = [self.run_key(run) for run in kept]
        if len(runs) > KEEP_RUNS:
            self._analyzer.forget(kept[0].first)
            # What is first of all has no lines before it any more.
            self._keys = dict(zip([1, *(run.first for run in kept[1:])], keys, strict=True))
        for key, book in list(self._books.items()):
            if key not in keys and (len(self._books) > MAX_TOLD or all(t.state != "open" for t in book.told)):
                del self._books[key]
        self._doubts.forget(keys)
