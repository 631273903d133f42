"""Where it was: IP and MAC addresses."""

from __future__ import annotations

from typing import Any, Final

from diagnose.late import late
from diagnose.redact.rule import Rule

_VERSION_BEFORE: Final = late(
    r"(?i)(?:versions?|ver|v|rev|release|driver|firmware|fw|kmd|umd|sdk|cuda|cudnn|nccl|compiler|runtime|build|kernel|[=<>~!]=|[<>]|@)"
    r"\\?['\"]?[\s:=('\"v-]{0,4}$|[A-Za-z]\w*[-_]v?$|\w==?v?$"
)
_VERSION_BEHIND: Final = late(r"[+]\w|\.?(?:post|dev|rc|a|b)\d|-(?:rc|alpha|beta|dev|generic)|\.(?:so|whl|tar|el\d)")
_ADDRESS_BEFORE: Final = late(
    r"(?i)(?:ip|addr(?:ess)?|host|peer|server|client|from|to|endpoint|node|@)\\?['\"]?[\s:=(/'\"\[]{0,4}$"
)
_WORD_BEFORE: Final = 24


def _is_v4(found: Any) -> bool:
    """Four octets that name a machine: no version, not this machine for itself, no network mask."""
    octets = found[0].split(".")
    if any(int(o) > 255 or (len(o) > 1 and o[0] == "0") for o in octets) or octets[0] in ("0", "127", "255"):
        return False
    before = found.string[max(found.start() - _WORD_BEFORE, 0) : found.start()].rpartition("\n")[2]
    if not before.strip(" >") or (before.endswith("<") and found.string[found.end() : found.end() + 1] in (">", ":")):
        return True  # in a quoted mail, and in <…>: no comparison with a version
    if _ADDRESS_BEFORE.search(before):
        return True
    return not (_VERSION_BEFORE.search(before) or _VERSION_BEHIND.match(found.string, found.end()))


def _is_v6(found: Any) -> bool:
    import ipaddress

    try:
        address = ipaddress.IPv6Address(found[0])
    except ValueError:
        return False
    return not (address.is_loopback or address.is_unspecified) and any(map(str.isdigit, found[0]))


def _is_mac(found: Any) -> bool:
    return set(found[0]) - set("0:-") != set() and set(found[0].lower()) - set("f:-") != set()


RULES: Final[tuple[Rule, ...]] = (
    Rule(
        "mac",
        r"(?<![\w:.-])[0-9A-Fa-f]{2}(?:(?::[0-9A-Fa-f]{2}){5}|(?:-[0-9A-Fa-f]{2}){5})(?![\w:-])",
        (":", "-"),
        _is_mac,
        needs=r"[0-9A-Fa-f]{2}([:-])[0-9A-Fa-f]{2}\1[0-9A-Fa-f]{2}\1",
    ),
    Rule("ip", r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w]|\.\d)", (".",), _is_v4, needs=r"\d\.\d+\.\d"),
    Rule("ip", r"(?<=v4:|_|[a-z]://)(?:\d{1,3}\.){3}\d{1,3}(?![\w]|\.\d)", (".",), _is_v4, needs=r"\d\.\d+\.\d"),
    Rule(
        "ip",
        r"(?<![\w:.])(?:[0-9A-Fa-f]{0,4}:){2,7}(?:[0-9A-Fa-f]{1,4}|(?:\d{1,3}\.){3}\d{1,3})?(?![\w:])",
        (":",),
        _is_v6,
        needs=r"[0-9A-Fa-f:]:[0-9A-Fa-f]*:",
    ),
)
