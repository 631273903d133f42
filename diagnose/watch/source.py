"""One followed log: its tail, its analysis, and how far it has been told."""

from __future__ import annotations

from dataclasses import field

from diagnose.incidents.nouns import Checkpoint
from diagnose.light import dataclass
from diagnose.watch.limits import CHECKPOINT_S
from diagnose.watch.nouns import SourceState, Telling
from diagnose.watch.ports import Tail
from diagnose.watch.session import Review, Session
from diagnose.watch.tail.follower import Start
from diagnose.watch.tail.nouns import Notice, Piece


@dataclass(slots=True)
class Source:
    """``lead`` is the part that was there before: it is read, and becomes what ``telling`` says at its end."""

    name: str
    tail: Tail
    session: Session
    lead: Start | None
    telling: Telling
    explicit: bool = True
    bytes: int = 0
    lost_bytes: int = 0
    trouble: str = ""
    caught_up_at: float = 0.0
    saved: Checkpoint | None = None
    saved_at: float = 0.0
    reviews: list[Review] = field(default_factory=list)
    """Made and not yet written down."""

    def poll(self, now: float, size: int) -> tuple[int, list[Notice]]:
        """Read and analyse what is new; the number of bytes and what happened."""
        got = 0
        notices: list[Notice] = []
        for out in self.tail.poll(now, size):
            if isinstance(out, Piece):
                got += len(out.data)
                self._feed(out, now)
            else:
                notices.append(out)
                self._note(out)
        if self.lead is not None and not got and not self.tail.waiting:
            self._cross(now)  # the part that was there before is shorter than it was
        self.bytes += got
        if not self.tail.waiting:
            self.caught_up_at = now
        return got, notices

    def _note(self, notice: Notice) -> None:
        if notice.code == "truncated":
            self.lost_bytes += int(notice.fields.get("lost", 0))
        if notice.code in ("unreadable", "readable"):
            self.trouble = str(notice.fields.get("why", "")) if notice.code == "unreadable" else ""

    def _feed(self, piece: Piece, now: float) -> None:
        lead = self.lead
        if lead is None:
            self.session.take(piece, now)
            return
        before = piece.origin is None or piece.origin in lead.before
        if not before and piece.origin != lead.origin:
            self._cross(now)
            self.session.take(piece, now)
            return
        inside = len(piece.data) if before else max(lead.offset - piece.offset, 0)
        if inside:
            self.session.take(Piece(piece.data[:inside], piece.origin, piece.offset), now)
            if self.telling == "list" and self.session.due(now) == 0:
                self.reviews.append(self.session.review(now, "list"))
            elif self.telling != "list":
                self.session.prune()
        if not before and piece.offset + len(piece.data) >= lead.offset:
            self._cross(now)
        if len(piece.data) > inside:
            self.session.take(Piece(piece.data[inside:], piece.origin, piece.offset + inside), now)

    def _cross(self, now: float) -> None:
        """What was there before is read; from here on everything is new."""
        self.lead = None
        self.reviews.append(self.session.review(now, self.telling, end=True))

    def review(self, now: float, *, end: bool = False, hurry: bool = False) -> None:
        if self.lead is None:
            self.reviews.append(self.session.review(now, "live", end=end, hurry=hurry))

    def checkpoint(self) -> Checkpoint | None:
        """The place to go on from after a restart; None when it is not known (a pipe, a lead that is being read)."""
        if self.lead is not None:
            return None
        place = self.session.checkpoint()
        identity = None if place is None else self.tail.identity.get(place.origin.generation)
        if place is None or identity is None:
            return None
        return Checkpoint(self.name, str(identity), place.offset, place.line - 1)

    def wants_saving(self, now: float) -> bool:
        return self.lead is None and now - self.saved_at >= CHECKPOINT_S and self.checkpoint() != self.saved

    def state(self, now: float) -> SourceState:
        return SourceState(
            name=self.name,
            run=self.session.state,
            lines=self.session.ledger.line - 1,
            bytes=self.bytes,
            lag_bytes=self.tail.lag_bytes,
            lag_s=max(now - self.caught_up_at, 0.0) if self.tail.waiting else 0.0,
            lost_bytes=self.lost_bytes,
            trouble=self.trouble,
        )
