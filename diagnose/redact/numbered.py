"""Numbers that are a person's: bank cards, masked registration numbers, passports, accounts, one-time codes.

Cards: ISO/IEC 7812 (Luhn's check digit) and the issuers' ranges.
"""

from __future__ import annotations

import re
from typing import Any, Final

from diagnose.late import late
from diagnose.redact.rule import Rule

_ISSUER: Final = late(
    r"4\d{15}|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}|3[068]\d{12}|35\d{14}"
    r"|6(?:011|5\d\d|4[4-9]\d|2\d\d)\d{12}|9[0-9]\d{14}"
)
_COUNTS: Final = late(
    r"(?i)(?:bytes?|size|offset|addr(?:ess)?|capacity|requested|allocated|seed|hash|numel|params?|(?<![a-z])[num]s|(?<!up)time(?:stamp)?"
    r"|flops|cycles?|version|uid|inode|ptr)\\?['\"]?\s{0,2}[:=( ]{1,3}$"
)
_UNIT: Final = late(r"(?i) ?(?:[kmgtp]?i?b\b|bytes?|ns\b|us\b|ms\b|cycles|flops|params|tokens|blocks)")


def _is_card(found: Any) -> bool:
    """Luhn holds, an issuer has the range, and it is no count and no row of sizes."""
    text, start, end = found.string, found.start(), found.end()
    digits = re.sub(r"\D", "", found[0])
    if not _ISSUER.fullmatch(digits) or not _luhn(digits):
        return False
    groups = re.split(r"[ -]", found[0])
    if sum(int(g) % 64 == 0 for g in groups if int(g)) > 1:
        return False  # 4096 4096 1024 1024 is a shape
    before = text[max(start - 40, 0) : start].rpartition("\n")[2]
    return not _COUNTS.search(before) and not _UNIT.match(text, end)


def _luhn(digits: str) -> bool:
    total = 0
    for place, digit in enumerate(map(int, reversed(digits))):
        double = digit * 2
        total += digit if place % 2 == 0 else double - 9 * (double > 9)
    return total % 10 == 0


def is_birthday(found: Any) -> bool:
    """YYMMDD and a digit for century and sex; the check digit is random since 2020, so it is not asked for."""
    month, day = int(found[0][2:4]), int(found[0][4:6])
    return 1 <= month <= 12 and 1 <= day <= 31


_HIDDEN: Final = tuple(f"-{a}{b}" for a in (*"12345678", "**", "xx", "●●", "○○", "■■", "##") for b in "*x●○■#")

RULES: Final[tuple[Rule, ...]] = (
    Rule(
        "card",
        # In a row of numbers it is one of them, unless what stands beside it is a card or a port itself.
        r"(?<![\w.+-])(?<!(?<!:\d{0,2})(?<!\d{4}([ -])\d{4}\1\d{4}\1\d)\d{3} )"
        r"(?:\d{4}([ -])\d{4}\2\d{4}\2\d{4}|3[47]\d\d([ -])\d{6}\3\d{5}|\d{14,16})"
        r"(?![\w/-]|\.\d| \d{3}(?!\d([ -])\d{4}\4\d{4}\4\d{4}(?!\d)))",
        (),
        _is_card,
        needs=r"\d{4}[ -]\d{4,6}[ -]\d{4}|[2-69]\d{13}",
    ),
    Rule(
        "rrn",
        r"(?<![A-Za-z0-9.-])\d{6}-(?:[1-8][*xX●○■#]{6}|[*xX●○■#]{7})(?![\w*])",
        _HIDDEN,
        is_birthday,
    ),
    Rule(
        "personal-number",
        r"(?i)(?:여권\s?번호|passport(?:\s?(?:no|number|num))?\.?)\s{0,2}[:=]?\s{0,2}(?P<x>[A-Z]{1,2}\d[0-9A-Z]\d{6})",
        ("여권", "passport"),
    ),
    Rule(
        "personal-number",
        r"(?:계좌|사업자\s?등록|운전\s?면허(?:증)?|면허|카드|사원|학번|사번)\s?(?:번호)?(?:는|은)?\s{0,2}[:=]\s{0,2}"
        r"(?P<x>\d[\d -]{4,24}\d)",
        ("계좌", "사업자", "면허", "카드", "사원", "학번", "사번"),
    ),
    Rule(
        "secret",
        r"(?i)(?<![A-Za-z0-9])(?:otp|2fa|mfa|one[- ]time (?:code|password)|verification code|인증\s?번호)"
        r"(?:[ _-]?code)?"
        r"\s?(?:is|:|=)\s{0,2}['\"]?(?P<x>\d{4,8})(?!\w)",
        ("otp", "2fa", "mfa", "one-time", "one time", "verification", "인증"),
    ),
)
