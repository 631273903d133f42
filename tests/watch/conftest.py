"""Every case runs with file events and without."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.watch.kit import Rig


@pytest.fixture(params=["polling", "events"])
def rig(request: pytest.FixtureRequest) -> Iterator[Callable[..., Rig]]:
    """Makes rigs of one backend, and ends them."""
    made: list[Rig] = []

    def make(*paths: Any, **options: Any) -> Rig:
        one = Rig(paths, events=request.param == "events", **options)
        made.append(one)
        one.daemon.step()
        return one

    yield make
    for one in made:
        one.close()
