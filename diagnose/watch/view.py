"""The live view of a terminal: what is followed, how fast, how far behind, in what state; the last incidents."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from diagnose.model import Lang
from diagnose.report.clean import clean
from diagnose.watch.nouns import Event, RunState, SourceState
from diagnose.watch.saying import event_lines, notice_line
from diagnose.watch.tail.nouns import Notice
from diagnose.watch.words import word

if TYPE_CHECKING:
    from rich.console import Console, Group
    from rich.table import Table

REFRESH_S = 0.5
"""A calm view: it changes twice a second at most."""
LAST = 8
ROWS = 12
RATE_S = 5.0
"""Lines a second are an average over so long."""
COLOURS: dict[RunState, str] = {
    "failed": "red",
    "ready": "green",
    "compiling": "cyan",
    "starting": "cyan",
    "stopped": "dim",
    "idle": "dim",
}


class LiveView:
    """A sink that redraws itself. Events stay above the view as they would without one."""

    def __init__(self, console: Console, lang: Lang, clock: Callable[[], float]) -> None:
        from rich.live import Live

        self._lang = lang
        self._clock = clock
        self._console = console
        self._events: deque[str] = deque(maxlen=LAST)
        self._notice = ""
        self._drawn = float("-inf")
        self._seen: dict[str, deque[tuple[float, int]]] = {}
        self._live = Live(console=console, auto_refresh=False, transient=True)
        self._live.start()

    def event(self, event: Event) -> None:
        from rich.text import Text

        lines = event_lines(event, self._lang)
        self._events.append(lines[0])
        self._console.print(Text("\n".join(lines)))
        self._drawn = float("-inf")

    def notice(self, notice: Notice) -> None:
        self._notice = notice_line(notice, self._lang)
        self._drawn = float("-inf")

    def state(self, sources: Sequence[SourceState]) -> None:
        now = self._clock()
        if now - self._drawn < REFRESH_S:
            return
        self._drawn = now
        self._live.update(self.page(sources, now), refresh=True)

    def page(self, sources: Sequence[SourceState], now: float) -> Group:
        """What is shown at ``now`` (seconds)."""
        from rich.console import Group
        from rich.text import Text

        last = [Text(line, no_wrap=True, overflow="ellipsis") for line in self._events]
        heading = Text(word("last", self._lang), style="bold")
        last = last or [Text(word("none", self._lang), style="dim")]
        notice = Text(self._notice, style="dim", no_wrap=True, overflow="ellipsis")
        return Group(self._table(sources, now), heading, *last, notice)

    def _table(self, sources: Sequence[SourceState], now: float) -> Table:
        from rich.table import Table
        from rich.text import Text

        table = Table(box=None, pad_edge=False)
        for key in ("followed", "state", "lines", "rate", "lag"):
            justify = "left" if key in ("followed", "state") else "right"
            table.add_column(word(key, self._lang), justify=justify)  # type: ignore[arg-type]
        for source in sources[:ROWS]:
            table.add_row(
                Text(clean(source.name), overflow="ellipsis", no_wrap=True),
                Text(word(source.run, self._lang), style=COLOURS[source.run]),
                f"{source.lines:,}",
                f"{self._rate(source, now):,.0f}",
                _amount(source.lag_bytes) if source.lag_bytes else "-",
            )
        if len(sources) > ROWS:
            table.add_row(f"… +{len(sources) - ROWS}")
        return table

    def _rate(self, source: SourceState, now: float) -> float:
        seen = self._seen.setdefault(source.name, deque(maxlen=64))
        seen.append((now, source.lines))
        while len(seen) > 2 and now - seen[0][0] > RATE_S:
            seen.popleft()
        (begin, first), (end, last) = seen[0], seen[-1]
        return (last - first) / (end - begin) if end > begin else 0.0

    def close(self) -> None:
        self._live.stop()


def _amount(size: float) -> str:
    for unit in ("B", "KiB", "MiB"):
        if size < 1024:
            return f"{size:.0f} {unit}"
        size /= 1024
    return f"{size:.1f} GiB"
