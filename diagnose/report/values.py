"""How values, changes and places are written, the same in every format meant for people."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from diagnose.model import Change, Finding, Lang, Remedy, RunContext, Setting, Value
from diagnose.report.words import word

MAX_LINES_NAMED = 3
"""So many line numbers are written out before ``…``."""


def show(value: Value, lang: Lang, *, gone: bool = False) -> str:
    """A value as a person writes it into a configuration; None reads as not set, with ``gone`` as removed."""
    if value is None:
        return word("removed" if gone else "not_set", lang)
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {show(item, lang)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(show(item, lang) for item in value) + "]"
    return str(value)


def change_line(change: Change, lang: Lang, arrow: str = "→") -> str:
    """``max_seq_len: 262144 → 180224``."""
    before, after = show(change.from_, lang), show(change.to, lang, gone=True)
    return f"{change.parameter}: {before} {arrow} {after}"


def origin_line(setting: Setting, lang: Lang) -> str:
    """``line 3, non-default args``; only the origin when the value did not come from the log."""
    if setting.line is None:
        return setting.origin
    return word("line_origin", lang).format(line=setting.line, origin=setting.origin)


def lines_named(lines: tuple[int, ...], lang: Lang) -> str:
    """``lines 871, 902, 915, …``."""
    key = "lines_more" if len(lines) > MAX_LINES_NAMED else "lines" if len(lines) > 1 else "lines_one"
    return word(key, lang).format(lines=", ".join(map(str, lines[:MAX_LINES_NAMED])))


def versions_named(run: RunContext, lang: Lang, dash: str = "–") -> Iterator[str]:
    """``vllm-rbln 0.11.0–0.11.1 (inferred)``: one for every package, a range as one."""
    versions = run.versions
    for key, version in versions.items():
        package, _, end = key.rpartition("_")
        if end == "max" and f"{package}_min" in versions:
            continue  # told with the other end
        if end not in ("min", "max"):
            package, shown = key, version
        elif end == "min":
            shown = f"{version}{dash}{versions[f'{package}_max']}" if f"{package}_max" in versions else version
        else:
            shown = word("up_to", lang).format(version=version)
        shown = word("inferred", lang).format(version=shown) if key in run.inferred else shown
        yield f"{package.replace('_', '-')} {shown}"


def badge(remedy: Remedy, lang: Lang) -> str:
    """The word for how sure a remedy is."""
    return word(f"badge_{remedy.applicability}", lang)


def copies_line(remedy: Remedy, lang: Lang) -> str:
    """``line 10 decides: available_blocks = 6``; empty where all copies of the failure come to the same."""
    key = "copy_decides" if len(remedy.copies) == 1 else "copy"
    return "; ".join(
        word(key, lang).format(
            line=copy.line, numbers=", ".join(f"{name} = {show(value, lang)}" for name, value in copy.numbers.items())
        )
        for copy in remedy.copies
    )


def echoes_line(finding: Finding, lang: Lang) -> str:
    """``3 later errors are echoes of this (lines 871, 902, 915)``; empty without consequences."""
    if not finding.consequences:
        return ""
    lines = tuple(sorted(c.line for c in finding.consequences))
    when = "echoes_later" if lines[0] > finding.line else "echoes_other"
    key = f"{when}_one" if len(lines) == 1 else when
    return word(key, lang).format(count=len(lines), lines=lines_named(lines, lang))


def details(finding: Finding, name: str) -> list[str]:
    """``server.log:812``, ``EngineCore pid=4242``, ``11-29 11:57:53``, ``kv-cache.insufficient-memory``."""
    # A note about the configuration alone stands on no line.
    place = f"{name}:{finding.line}" if finding.line else name
    return [part for part in (place, finding.process, finding.time, finding.entry) if part]


def plain(value: Any) -> Any:
    """``value`` in types JSON has: tuples become lists, keys strings, what JSON cannot hold its text."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted((plain(item) for item in value), key=str)
    return str(value)
