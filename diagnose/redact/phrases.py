"""Passwords of words and of Hangul, and logins in URLs that were written into a URL."""

from __future__ import annotations

import re
from typing import Any, Final

from diagnose.late import late
from diagnose.redact.rule import Rule

_IS_NONE: Final = late(
    r"(?:없|필수|필요|입력|확인|오류|설정|틀|불일치|잘못|변경|만료|선택|미설정|다시|재설정|null|none)\S*"
)


def _is_hangul_password(found: Any) -> bool:
    """Hangul with a digit: ``비밀번호: 필수`` is a word of a form."""
    value = found["x"]
    return bool(re.search(r"\d", value)) and not _IS_NONE.match(value)


def _has_blank(found: Any) -> bool:
    return " " in found["x"].strip()


RULES: Final[tuple[Rule, ...]] = (
    # The whole assignment in quotation marks, as shells and Docker take it.
    Rule(
        "secret",
        r"(['\"])(?:[A-Z][A-Z0-9]{0,30}_){0,6}(?:PASSWORD|PASSWD|PASSPHRASE|PASS|SECRET)=(?P<x>[^'\"\\\n=]{3,200})\1",
        ("password=", "passwd=", "passphrase=", "pass=", "secret="),
        _has_blank,
        learn=True,
        needs=r"(?:PASS\w{0,6}|SECRET)=[^'\"\s=]+ ",
    ),
    Rule(
        "secret",
        r"(?:비밀\s?번호|비번|패스워드|암호)(?:은|는|이|가)?\s{0,2}[:=：＝]?\s{0,2}"
        r"(?:\"(?P<x>[^\"\n]{2,60})\"|'(?P<x>[^'\n]{2,60})'|(?<=[:=：＝]|[:=：＝] )(?P<x>[^\s'\"`,;]{3,60}))",
        ("번호", "비번", "패스워드", "암호"),
        _is_hangul_password,
        learn=True,
        needs=r"(?:번호|비번|패스워드|암호)\S?\s{0,2}[:=：＝'\"]",
    ),
    Rule(
        "login",
        r"(?i)%3A%2F%2F(?P<x>(?:[\w.~!$*+-]|%(?!2F|3F|40)[0-9A-F]{2}){1,80}%3A(?:[\w.~!$*+-]|%(?!2F|3F|40)[0-9A-F]{2}){1,200})(?=%40)",
        ("%3a%2f%2f",),
        learn=True,
    ),
)
