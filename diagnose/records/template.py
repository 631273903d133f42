"""The fingerprint of a message: what is left when everything that varies between runs is masked."""

from __future__ import annotations

from diagnose.late import late

_MAX_CHARS = 2_000
_MASKS: tuple[tuple[str, str], ...] = (
    ("url", r"\b[a-z][a-z0-9+.-]{1,12}://[^\s'\"`<>)\]]+"),
    ("time", r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?)?"),
    ("clock", r"\b(?:\d\d-\d\d )?\d\d:\d\d:\d\d(?:[.,]\d+)?"),
    ("uuid", r"\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b"),
    ("quoted", r"(?<![\w'])'[^'\n]*'(?![\w'])|(?<![\w\"])\"[^\"\n]*\"(?![\w\"])"),
    ("hex", r"\b0[xX][0-9a-fA-F]+|\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{8,}\b"),
    ("address", r"\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b"),
    ("path", r"(?<![\w.>/])(?:~|\.{1,2}|[A-Za-z]:|<home(?:-\d+)?>)?(?:[/\\][\w.@+~=%-]+){2,}[/\\]?"),
    ("place", r"(?:(?<=_TP)|(?<=_DP)|(?<=_PP)|(?<=_EP)|(?<=_CP)|(?<=\brank)|(?<=\brbln)|(?<=\brsd))\d+"),
    ("number", r"(?<![A-Za-z_\d])[-+]?\d[\d,_]*(?:\.\d+)*(?:[eE][-+]?\d+)?"),
)
_NAMES = {
    "url": "<url>",
    "time": "<time>",
    "clock": "<time>",
    "uuid": "<id>",
    "quoted": "<text>",
    "hex": "<hex>",
    "address": "<addr>",
    "path": "<path>",
    "place": "<n>",
    "number": "<n>",
}
_MASK = late("|".join(f"(?P<{name}>{pattern})" for name, pattern in _MASKS))
_LIST = late(r"<n>(?:\s*(?:,\s*)?<n>)+")


def fingerprint_text(text: str) -> str:
    """``text`` on one line with numbers, times, ids, addresses, paths and quoted strings masked.

    Names in backticks stay: they are parameters. Digits inside a word stay (``bfloat16``), except where they
    number a rank or a device (``Worker_TP1``, ``rbln0``). At most the first 2,000 characters count.
    """
    masked = _MASK.sub(lambda found: _NAMES[str(found.lastgroup)], text[:_MAX_CHARS])
    return _LIST.sub("<n>", " ".join(masked.split()))
