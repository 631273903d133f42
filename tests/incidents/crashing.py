"""A process that is killed at a statement of its choice; the file it leaves behind is what the test looks at."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from diagnose.incidents.store import Store
from tests.incidents.kit import opened

NO_FORK = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are killed by fork")
DONE, KILLED, BROKEN = 0, 9, 1


def killed_at(path: Path, step: int, action: Callable[[Store], object]) -> bool:
    """Run ``action`` on a store of ``path`` in a child that dies before its ``step``-th statement, as from ``kill -9``.

    True when it was killed, False when it was through before. Statements count from the moment the store is open.
    """
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        code = os.waitstatus_to_exitcode(status)
        assert code in (DONE, KILLED), code
        return code == KILLED
    try:
        store = opened(path)
        count = 0

        def trace(_: str) -> None:
            nonlocal count
            count += 1
            if count == step:
                os._exit(KILLED)

        with store.connection.reading() as conn:
            conn.set_trace_callback(trace)
        action(store)
        os._exit(DONE)
    finally:
        os._exit(BROKEN)
