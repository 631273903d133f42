"""How soon a log may be looked at again: the watcher takes a share of a core, whatever it finds."""

from __future__ import annotations

from diagnose.light import dataclass
from diagnose.watch.limits import REVIEW_CREDIT_S, REVIEW_MAX_S, REVIEW_SHARE


@dataclass(slots=True)
class Allowance:
    """Seconds of a core that may be used at once, earned as time goes by."""

    next_review: float = 0.0
    """When the next look may be; a time of the clock the caller goes by."""
    _credit: float = REVIEW_CREDIT_S
    _at: float = 0.0

    def spent(self, now: float, seconds: float) -> None:
        """A look took ``seconds`` of a core. In a storm the next one has to wait for its share of the core."""
        earned = (now - self._at) * REVIEW_SHARE
        self._credit = min(self._credit + earned, REVIEW_CREDIT_S) - seconds
        self._at = now
        self.next_review = now + min(max(-self._credit, 0.0) / REVIEW_SHARE, REVIEW_MAX_S)
