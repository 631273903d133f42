"""Where it was: IP and MAC addresses."""

from __future__ import annotations

import re
from typing import Any, Final

from diagnose.late import late
from diagnose.redact.rule import Rule

_VERSION_WORD: Final = late(
    r"(?i)(?:(?<![a-z])(?:versions?|ver|v|rev|release|firmware|fw|sdk)\\?['\"]?[\s:=('\"v-]{0,4}|[=<>~!]=\s?v?)$"
    r"|(?<!\S)nvidia[\w-]*\s{1,40}$"
)
"""In front of a version and of no address."""
_VERSION_BEFORE: Final = late(
    r"(?i)(?:driver|kmd|umd|cuda|cudnn|nccl|compiler|runtime|build|kernel|python|gcc|clang|llvm|glibc|linux|ubuntu)"
    r"\\?['\"]?[\s:=('\"v_-]{0,4}$"
    r"|(?:[A-Za-z][\w.\])]*\s?|\d,\s?)[<>]\s?v?$|[A-Za-z]\w*(?:-v?|_v)$"
    r"|(?:cu(?:da|dnn)|nccl|torch|vllm|rbln|rebel|optimum|python|numpy|transformers|onnx|triton|gcc|glibc)[\w-]*=v?$"
    r"|(?<!\S)(?:torch|vllm|optimum|rebel|rbln|transformers|triton|onnx)[\w-]*\s{1,40}$"
)
"""In front of a version; of an address too, which then lies in a private network as a rule."""
_VERSION_BEHIND: Final = late(
    r"[+]\w|\.?(?:post|dev|rc|a|b)\d|-(?:rc|alpha|beta|dev|generic|py\d|cp\d|\d)|_(?:amd64|x86|arm64|aarch64|all\b)"
    r"|\.(?:so|whl|tar|zip|deb|rpm|run|el\d)|\s{1,4}pypi"
)
_VERSION_TOLD: Final = late(r"(?i)version|upgrad|downgrad|firmware|driver|release|requires")
_PACKAGE_BEFORE: Final = late(
    r"(?i)(?<![\w.-])(?:(?:rebel|optimum|vllm|torch|rbln)(?:[-_](?:rbln|compiler|smi|runtime|driver|npu|sdk))?"
    r"|nvidia-[\w-]{1,40})(?:-|\s?:\s?|\s{1,40})$|(?<![\w.-])(?:cuda|cudnn|nccl)-$"
    r"|(?<![\w-])(?:section|chapter|clause|oid)\s$|\brequires\b[^\n]{0,120}\bfound\s$"
    r"|\bpackages?\b[^\n]{0,200}[\w\])]\s?\($"
)
"""In front of a version, also of one that looks like an address of a private network."""
_SEPARATOR: Final = late(r"\s{0,2}(?:[,/|;→]|->)\s{0,2}|\s{1,2}(?:and|or|to|vs)\s{1,2}")
_OTHER: Final = late(r"(?<![\w.+-])v?\d{1,8}(?:\.\d{1,8}){1,3}(?:[A-Za-z+-][\w.+-]{0,20})?$")
MOST_OTHERS: Final = 8
"""Versions of a list that are looked past for the word that announces them: ``version 1.2.3.4, 1.2.3.5``."""
_ADDRESS_BEFORE: Final = late(
    r"(?i)(?:(?<![a-z])ip|addr(?:ess)?|host|peer|server|client|endpoint|node|[^\W\d]*_ip|@)(?:v4)?"
    r"\\?['\"]?[\s:=(/'\"\[]{0,4}$"
)
_WAY_BEFORE: Final = late(r"(?i)(?<![a-z])(?:from|to)\\?['\"]?[\s:=(/'\"\[]{0,4}$")
_IN_BRACKETS: Final = late(r"<(?!\s?v?\d)[^<>\n]{1,200}>[^\w=]{0,4}$|[-=>]>\s{0,4}$")
"""A bracket that closes and an arrow compare nothing: ``Kim <a@b.kr> 10.1.2.3``."""
_BEFORE: Final = 240


def _is_v4(found: Any) -> bool:
    """Four octets that name a machine: no version, not this machine for itself, no network mask."""
    octets = found[0].split(".")[:4]
    if any(int(o) > 255 or (len(o) > 1 and o[0] == "0") for o in octets) or octets[0] in ("0", "127", "255"):
        return False
    text, start, end = found.string, found.start(), found.end()
    before = text[max(start - _BEFORE, 0) : start].rpartition("\n")[2]
    if not before.strip(" >") or (before.endswith("<") and text[end : end + 1] in (">", ":")):
        return True  # in a quoted mail, and in <…>: no comparison with a version
    if _ADDRESS_BEFORE.search(before) or _IN_BRACKETS.search(before):
        return True
    before = _without_others(before)
    if _VERSION_WORD.search(before) or _VERSION_BEHIND.match(text, end):
        return False
    if _PACKAGE_BEFORE.search(before):
        return bool(re.match(r":\d", text[end : end + 2]))
    if _is_private(octets):
        return True
    if _WAY_BEFORE.search(before):
        return not _VERSION_TOLD.search(before)
    return not _VERSION_BEFORE.search(before)


def _without_others(before: str) -> str:
    """``before`` up to where a list of versions begins that it ends with. One step back for each, never two ways."""
    breaks = [(0, 0), *(found.span() for found in _SEPARATOR.finditer(before))]
    at = len(before)
    for number in range(len(breaks) - 1, max(len(breaks) - 1 - MOST_OTHERS, 0), -1):
        start, end = breaks[number]
        behind = breaks[number - 1][1]
        if end != at or not (other := _OTHER.search(before[behind:start])):
            break
        at = behind + other.start()
        if other.start():
            break
    return before[:at]


def _is_glued(found: Any) -> bool:
    """In a private network, and no version: nothing else has letters behind four numbers."""
    octets = found[0].split(".")
    return _is_private(octets) and not _VERSION_BEHIND.match(found.string, found.end()) and _is_v4(found)


def _is_v4_with_port(found: Any) -> bool:
    """As tcpdump writes it: ``10.1.2.3.8000``."""
    return _is_private(found["x"].split(".")) and _is_v4(found)


def _is_private(octets: list[str]) -> bool:
    """Networks that are nobody's in public, where nearly all machines of a log stand (RFC 1918, 3927, 6598)."""
    first, second = int(octets[0]), int(octets[1])
    return (
        first == 10
        or (first, second) in ((192, 168), (169, 254))
        or (first == 172 and 16 <= second < 32)
        or (first == 100 and 64 <= second < 128)
    )


def _is_v6(found: Any) -> bool:
    import ipaddress

    try:
        address = ipaddress.IPv6Address(found[0])
    except ValueError:
        return False
    telling = any(map(str.isdigit, found[0])) and ("::" in found[0] or re.search("[0-9A-Fa-f]{3}", found[0]))
    return bool(telling) and not (address.is_loopback or address.is_unspecified)


def _is_mac(found: Any) -> bool:
    return set(found[0]) - set("0:-") != set() and set(found[0].lower()) - set("f:-") != set()


RULES: Final[tuple[Rule, ...]] = (
    Rule(
        "mac",
        r"(?<![0-9A-Za-z])(?<!(?<![0-9A-Za-z])[0-9A-Fa-f]{2}[:.-])[0-9A-Fa-f]{2}(?:(?::[0-9A-Fa-f]{2}){5}|(?:-[0-9A-Fa-f]{2}){5})"
        r"(?![0-9A-Za-z]|[:-][0-9A-Fa-f]{2}(?![0-9A-Za-z]))",
        (":", "-"),
        _is_mac,
        needs=r"[0-9A-Fa-f]{2}([:-])[0-9A-Fa-f]{2}\1[0-9A-Fa-f]{2}\1",
    ),
    Rule("ip", r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w]|\.\d)", (".",), _is_v4, needs=r"\d\.\d+\.\d"),
    # The next line stands right behind it where the line ends were lost.
    Rule(
        "ip",
        r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?=[A-Za-z]{2})",
        (".",),
        _is_glued,
        needs=r"\d\.\d+\.\d+\.\d+[A-Za-z]",
    ),
    Rule(
        "ip",
        r"(?<![\w.])(?P<x>(?:\d{1,3}\.){3}\d{1,3})\.\d{2,5}(?![\w]|\.\d)",
        (".",),
        _is_v4_with_port,
        needs=r"\d\.\d+\.\d+\.\d+\.\d",
    ),
    Rule("ip", r"(?<=v4:|_|[a-z]://)(?:\d{1,3}\.){3}\d{1,3}(?![\w]|\.\d)", (".",), _is_v4, needs=r"\d\.\d+\.\d"),
    Rule(
        "ip",
        r"(?<![0-9A-Za-z.])(?<!(?<![0-9A-Za-z])[0-9A-Fa-f]{1,4}:)(?<!::)"
        r"(?:[0-9A-Fa-f]{1,4}(?::[0-9A-Fa-f]{1,4}){7}|"
        r"(?:[0-9A-Fa-f]{1,4}(?::[0-9A-Fa-f]{1,4}){0,6})?::(?:[0-9A-Fa-f]{1,4}(?::[0-9A-Fa-f]{1,4}){0,6}?)?"
        r"(?::?(?:\d{1,3}\.){3}\d{1,3})?)(?![0-9A-Za-z]|:[0-9A-Fa-f:])",
        (":",),
        _is_v6,
        needs=r"[0-9A-Fa-f]::|::[0-9A-Fa-f]|(?:[0-9A-Fa-f]{1,4}:){7}",
    ),
)
