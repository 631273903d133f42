"""What the memory of failures keeps, compares and hands out within limits."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from diagnose.incidents import history, rows, store
from diagnose.incidents.store import Store
from tests.incidents.kit import HOST, SOURCE, batch, finding, opened, sighting


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Store]:
    made = opened(tmp_path)
    yield made
    made.close()


def written(kept: Store, count: int, channels: tuple[str, ...] = (), run: str = "gen+1", first: int = 0) -> list[str]:
    """``count`` incidents of different messages; their ids."""
    words = [f"{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(first, first + count)]
    seen = (sighting("opened", run, found=finding(f"ValueError: {word} failed")) for word in words)
    made = [kept.write(batch(one), source=SOURCE, host=HOST, channels=channels) for one in seen]
    return [incident.id for found in made for incident in found]


def test_an_excerpt_is_so_long_and_shows_that_it_was_cut() -> None:
    most = rows.MAX_EXCERPT_CHARS
    assert rows.cut_excerpt("x" * most) == "x" * most
    cut = rows.cut_excerpt("x" * (most + 1))
    assert (len(cut), cut[-1]) == (most, "…")
    lines = "\n".join(map(str, range(rows.MAX_EXCERPT_LINES + 1)))
    assert rows.cut_excerpt(lines).count("\n") < rows.MAX_EXCERPT_LINES


def test_the_latest_messages_are_compared(kept: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    assert history.MAX_TEMPLATES >= 10_000
    ids = written(kept, 4)
    text = "ValueError: aa failed"

    def found() -> set[str]:
        return {one.incident.id for one in history.similar(kept.connection, text, limit=9)}

    assert found() == set(ids)
    monkeypatch.setattr(history, "MAX_TEMPLATES", 3)
    assert len(found()) == 3


def test_alerts_are_handed_out_so_many_at_a_time_and_the_rest_comes_after_them(kept: Store) -> None:
    written(kept, store.MAX_DUE + 7, ("slack",))
    first = kept.due_alerts()
    assert len(first) == store.MAX_DUE
    for alert in first:
        kept.alert_done(alert.key)
    rest = kept.due_alerts()
    assert len(rest) == 7
    assert not {alert.key for alert in first} & {alert.key for alert in rest}


def test_a_channel_that_takes_no_alerts_keeps_no_other_waiting(kept: Store) -> None:
    written(kept, store.MAX_DUE + 7, ("gone",))
    (last,) = written(kept, 1, ("slack",), first=600)
    assert [alert.incident for alert in kept.due_alerts() if alert.channel == "slack"] == [last]


def test_a_watcher_goes_on_with_the_latest_incidents(kept: Store) -> None:
    ids = written(kept, store.MAX_LEFT + 5)
    assert [left.incident.id for left in kept.left_open(SOURCE, HOST)] == ids[5:]
