"""Secrets in documents that name them on another line or in another field: Kubernetes, netrc, pgpass, base64.

Shapes: the Kubernetes API reference (``Secret``, ``EnvVar``), curl's page on ``.netrc``, PostgreSQL's on ``.pgpass``.
"""

from __future__ import annotations

import re
from typing import Any, Final

from diagnose.late import late
from diagnose.redact.named import SECRET_NAME, is_secret
from diagnose.redact.public import COMMON_USERS
from diagnose.redact.rule import Rule

_KIND: Final = late(
    r"(?<!\w)kind\\?['\"]?\s{0,3}:\s{0,3}\\?['\"]?(\w{1,60})|(?<!\w)(apiVersion)|(?:^|\n)[^\n]{0,120}?(---)[ \t]*(?=\n)"
)
"""What a document is; where one begins."""
NEAR: Final = 8_000
"""Characters around the values of a Secret in which its ``kind`` stands."""
# Text as base64: the bits that printable ASCII never has are missing from every quartet.
_QUARTET: Final = r"[I-Za-f][C-HS-Xi-ny-z0-3][ABEFIJMNQRUVYZcdghklopstwx014589][A-Za-z0-9+/]"
_LAST: Final = r"[I-Za-f](?:[AQgw](?:==)?|[C-HS-Xi-ny-z0-3][AEIMQUYcgkosw048]=?)"
_LOGIN: Final = late(r"[A-Za-z0-9$_][\w.@+$-]{1,63}:[^\s:/\\{}\[\]()<>,;\"'][^\s<>{}\"]{3,200}")


def _of_a_secret(found: Any) -> bool:
    """By the nearest ``kind`` of the same document; kubectl prints it behind the data, people write it before."""
    before = after = ""
    begun = False
    for mark in _KIND.finditer(found.string, max(found.start() - NEAR, 0), found.start()):
        before, begun = (mark[1], False) if mark[1] else (before if mark[2] else "", bool(mark[2]))
    for mark in _KIND.finditer(found.string, found.end(), found.end() + NEAR):
        after = mark[1] or ""
        break
    return "Secret" in ((after,) if after and begun else (before, after))


def _named_so(found: Any) -> bool:
    return SECRET_NAME.fullmatch(found["n"]) is not None and is_secret(found["n"], found["x"])


def is_login(text: str) -> bool:
    """Whether ``text`` is base64 of ``user:password``."""
    import base64
    import binascii

    try:
        read = base64.b64decode(text.rstrip("=") + "=" * (-len(text.rstrip("=")) % 4)).decode("ascii")
    except (binascii.Error, ValueError):
        return False
    return _LOGIN.fullmatch(read) is not None and bool(re.search("[A-Za-z]", read))


def _person(found: Any) -> bool:
    return found["x"].lower() not in COMMON_USERS


_GAP: Final = r"(?:[ \t]{1,8}|[ \t]{0,4}\n(?:[^\n]{0,160}?[ \t])?)"
"""Between two words of netrc, which may stand on lines of their own behind a prefix each."""
_ITEM: Final = (
    r"[^\n]{0,160}?[ \t]{2,}['\"]?[\w./-]{1,100}['\"]?:[ \t]+['\"]?"
    r"(?P<x>[^\s'\"|>][^\n'\"]{1,4000})['\"]?[ \t]*(?:\n|$)"
)

RULES: Final[tuple[Rule, ...]] = (
    Rule(
        "secret",
        rf"(?<![\w-])(?:data|stringData):[ \t]*\n(?:{_ITEM}){{1,60}}",
        ("data:\n", "data: \n"),
        _of_a_secret,
        True,
        r"(?i)kind\\?['\"]?\s{0,3}:\s{0,3}\\?['\"]?Secret\b",
    ),
    Rule(
        "secret",
        r"\\?['\"](?:data|stringData)\\?['\"]\s?:\s?\{(?:\s{0,40}\\?['\"][\w./-]{1,100}\\?['\"]\s?:\s?"
        r"\\?['\"](?P<x>[^'\"\\\n]{1,4000})\\?['\"]\s{0,40},?){1,60}",
        ('data"', "data'", "data\\"),
        _of_a_secret,
        True,
        r"(?i)kind\\?['\"]?\s{0,3}:\s{0,3}\\?['\"]?Secret\b",
    ),
    Rule(
        "secret",
        r"(?i)(?<!\w)name\\?['\"]?\s?:\s?\\?['\"]?(?P<n>[\w.-]{2,80})\\?['\"]?[ \t]{0,3},?(?:[ \t]{0,60}"
        r"|[ \t]{0,4}\n(?:[^\n]{0,160}?[ \t])?)"
        r"\\?['\"]?value\\?['\"]?\s?:\s?\\?['\"]?(?P<x>[^\s'\"\\{}]{1,2000})",
        ("value",),
        _named_so,
        True,
        r"\bvalue\\?['\"]?\s?:",
    ),
    Rule(
        "secret",
        rf"\blogin{_GAP}\S{{1,200}}{_GAP}(?:account{_GAP}\S{{1,200}}{_GAP})?password{_GAP}['\"]?(?P<x>[^\s'\"]{{3,200}})",
        ("login",),
        lambda m: not m["x"].startswith("<"),
        True,
        r"\bpassword\s",
    ),
    Rule(
        "user",
        rf"\blogin{_GAP}(?P<x>[A-Za-z_][\w.-]{{1,40}}){_GAP}(?:account|password)\s",
        ("login",),
        _person,
        needs=r"\b(?:account|password)\s",
    ),
    Rule("host", rf"(?<!\w)machine[ \t](?P<x>[\w.-]{{2,120}})(?={_GAP}login\s)", ("machine",)),
    Rule(
        "secret",
        r"(?m)(?:^|[\s'\"])(?:[\w.-]{1,120}|\*):(?:\d{4,5}|\*):[\w*-]{1,64}:[\w.<>-]{1,64}:"
        r"(?P<x>(?=[^\s:'\"]{0,80}[A-Za-z])[^\s:'\"]{6,200})(?=['\"]?(?:\s|$))",
        (":5432:", ":5433:", ":6432:", ":15432:", ":*:"),
        lambda m: not re.search(r"\.(?:py|cc?|cpp|h|go|rs):", m[0]),
        True,
    ),
    # user:password as Basic authentication and old keys of registries write it, wherever it stands.
    Rule(
        "credential",
        rf"(?<![\w+-])(?:{_QUARTET}){{3,200}}(?:{_LAST})?(?![\w+/]|=(?!>))",
        (),
        lambda m: is_login(m[0]),
        True,
        rf"(?<![\w+-])(?:{_QUARTET}){{3}}",
    ),
)
