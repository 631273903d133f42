"""Before the first failure: what is imported, compiled and read when something fails for the first time, is so ahead.

A daemon waits for days, and its first word must not be its slowest. Done once at the start, in a third of a second.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Final

from diagnose import redact
from diagnose.analyzer import Analyzer
from diagnose.scan.small import SEARCHED_BYTES
from diagnose.watch.events import finding_object

KNOWN: Final = b"""\
(APIServer pid=1) INFO 11-29 11:57:05 [api_utils.py:286] vLLM server version 0.30.0, serving model X
ValueError: The set `kvcache_num_blocks` (10) is less than the minimum number of blocks (33)
INFO 11-29 11:58:00 [loggers.py:12] going on
"""
QUIET: Final = (b"." * 1023 + b"\n") * (SEARCHED_BYTES // 1024 + 1)
"""So much that the engine for logs of any size takes over from the one for a few lines."""
UNKNOWN: Final = b"RuntimeError: something that no entry knows happened\nINFO 11-29 11:58:00 [loggers.py:12] going on\n"


def rehearse(analyzer: Callable[[str], Analyzer], about: redact.Surroundings) -> None:
    """Diagnose two failures that are made up, and forget them. Nothing is told or written down."""
    for log in (QUIET + KNOWN, UNKNOWN):
        one = analyzer("-")
        one.feed(log)
        by = redact.Redactor(about)
        by.prepare()
        diagnosis = redact.redacted(one.snapshot(), by)
        for finding in diagnosis.findings:
            finding_object(finding)


def keep_what_is_here() -> None:
    """The knowledge base stays to the end: a full collection need not go through all of it again and again."""
    gc.collect()
    gc.freeze()
