"""Every case runs with file events and without."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.watch.kit import Rig


@pytest.fixture(params=["polling", "events"])
def events(request: pytest.FixtureRequest) -> bool:
    """Whether file events wake the daemon up."""
    return bool(request.param == "events")


@pytest.fixture
def rig(events: bool) -> Iterator[Callable[..., Rig]]:
    """Makes rigs of one backend, and ends them."""
    made: list[Rig] = []

    def make(*paths: Any, **options: Any) -> Rig:
        one = Rig(paths, events=events, **options)
        made.append(one)
        one.daemon.step()
        return one

    yield make
    for one in made:
        one.close()
