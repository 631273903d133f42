"""Runs the library and keeps what a person would have in a log: logger lines, native lines, the traceback."""

from __future__ import annotations

import io
import logging
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

LOGGER = "optimum.rbln"
FORMAT = "%(asctime)s %(levelname)s [%(name)s] %(message)s"
"""As optimum-rbln 0.12.0 writes its lines (``utils/logging.py``)."""


@dataclass(frozen=True, slots=True)
class Outcome:
    log: str
    error: str | None
    """``Type: message`` of what was raised; None when the run ended well."""

    @property
    def clean(self) -> bool:
        return self.error is None


def run(action: Callable[[Callable[[str], None]], None]) -> Outcome:
    """Calls ``action`` with a function that takes native lines; every exception of the library is an outcome."""
    buffer = io.StringIO()

    def native(line: str) -> None:
        buffer.write(line + "\n")

    with _listening(buffer), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            action(native)
        except Exception as error:
            buffer.write("".join(traceback.format_exception(error)))
            return Outcome(buffer.getvalue(), f"{type(error).__name__}: {error}")
    return Outcome(buffer.getvalue(), None)


@contextmanager
def _listening(buffer: io.StringIO) -> Iterator[None]:
    """The library's lines go into the buffer and nowhere else. A warning it gives once per process is given again."""
    logger = logging.getLogger(LOGGER)
    handler = logging.StreamHandler(buffer)
    handler.setFormatter(logging.Formatter(FORMAT))
    before, propagate = logger.handlers[:], logger.propagate
    logger.handlers, logger.propagate = [handler], False
    try:
        yield
    finally:
        logger.handlers, logger.propagate = before, propagate
