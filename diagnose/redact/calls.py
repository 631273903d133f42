"""Secrets that are handed over: as an argument, as the value of a pair, in a tag, in a row below its header."""

from __future__ import annotations

from typing import Any, Final

from diagnose.redact.named import is_harmless
from diagnose.redact.naming import looks_random, says
from diagnose.redact.rule import Rule

_Q: Final = r"\\?['\"]"
_TEXT: Final = r"[bBuUrRfF]?(?:\\?\"(?P<x>[^\"\\\n]{3,400})\\?\"|\\?'(?P<x>[^'\\\n]{3,400})\\?')"
_ANY: Final = r"[bBuUrRfF]?(?:\"[^\"\n]{0,100}\"|'[^'\n]{0,100}'|[\w.]{1,60})"
_GAP: Final = r"(?:[ \t]{0,60}|[ \t]{0,4}\n(?:[^\n]{0,160}?[ \t])?)"
_IS: Final = rf"{_Q}?\s?[:=]\s?{_Q}?"
_FIELD: Final = (
    rf"(?:name|key|field|header|variable|option|attribute|setting|param|parameter){_IS}(?P<n>[\w.-]{{2,80}})"
)
_BETWEEN: Final = rf"{_Q}?[ \t]{{0,3}}[,;]?(?:{_GAP}|[ \t]?/?>\s{{0,20}}<)"
_VALUE: Final = r"(?P<x>[^\s'\"\\{},;<>]{3,2000})"


def _value(found: Any) -> str:
    values = found.captures("x")
    return str(values[0]) if values else ""


def _sure(found: Any) -> bool:
    """Under a name that says so anything, under one that may what looks like it."""
    value = _value(found)
    if is_harmless(value, found["n"]):
        return False
    rank = 2 if found["n"].lower() == "authorization" else says(found["n"])
    return rank == 2 or (rank == 1 and looks_random(value))


def _random(found: Any) -> bool:
    rank = 2 if found["n"].lower() == "authorization" else says(found["n"])
    return rank > 0 and looks_random(_value(found)) and not is_harmless(_value(found))


def _given(found: Any) -> bool:
    return not is_harmless(_value(found))


def _looks(found: Any) -> bool:
    return looks_random(_value(found)) and not is_harmless(_value(found))


_NAMED: Final = ("key", "token", "pass", "secret", "credential", "auth", "pw", "psk", "cred")
_A_FIELD: Final = r"(?i)(?:name|key|field|header|variable|option|attribute|setting|param|parameter)\\?['\"]?\s?[:=]"
"""In every text with a ``_FIELD``."""

RULES: Final[tuple[Rule, ...]] = (
    # name=… value=…, in either order, on one line or two, in attributes and in tags.
    Rule(
        "secret",
        rf"(?i)(?<![\w-]){_FIELD}{_BETWEEN}{_Q}?(?:\w{{0,20}}_)?value(?:{_IS}|>){_VALUE}",
        ("value",),
        _sure,
        True,
        _A_FIELD,
    ),
    Rule(
        "secret",
        rf"(?i)(?<![\w-])value{_IS}{_VALUE}{_BETWEEN}{_Q}?{_FIELD}",
        ("value",),
        _sure,
        True,
        _A_FIELD,
    ),
    Rule(
        "secret",
        r"(?i)form-data;[ \t]{0,3}name=\"(?P<n>[\w.-]{2,80})\"\s{2,6}(?P<x>[^\s]{3,400})",
        ("form-data",),
        _sure,
        True,
    ),
    Rule(
        "secret",
        r"(?i)<(?P<n>[\w.:-]{2,60})(?:\s[^<>\n]{0,100})?>\s{0,40}(?P<x>[^<>\s]{2,400})\s{0,40}</",
        _NAMED,
        _sure,
        True,
        r"<[\w.:-]+[^<>\n]{0,100}>\s{0,40}[^<>\s]+\s{0,40}</",
    ),
    # A name and its secret as arguments in turn.
    Rule(
        "secret",
        rf"(?i){_Q}(?P<n>[\w.-]{{2,60}}){_Q},\s{{0,3}}(?={_TEXT})",
        _NAMED,
        _random,
        True,
        r"['\"],\s{0,3}\\?[bBuUrRfF]?['\"]",
    ),
    Rule(
        "secret",
        rf"(?i)(?<![\w-])(?:(?:\w{{0,30}}[_.])?\w{{0,20}}auth|login)\s?=?\s?\((?:{_ANY},\s{{0,3}}){_TEXT}",
        ("auth", "login"),
        _given,
        True,
        r"(?i)(?:auth|login)\s?=?\s?\(",
    ),
    Rule(
        "secret",
        rf"(?i)(?<![A-Za-z0-9])(?:login|set_token|authenticate|add_token"
        rf"|use_token)\(\s?(?:key\s?=\s?|token\s?=\s?)?{_TEXT}\s?[,)]",
        ("login(", "_token(", "authenticate("),
        _looks,
        True,
    ),
    Rule(
        "secret",
        rf"(?i)(?<![A-Za-z0-9])(?:set|check|change|update|hash)_?pass(?:word|wd)\(\s?{_TEXT}",
        ("password(", "passwd("),
        _given,
        True,
    ),
    Rule(
        "secret",
        rf"(?i)(?<![A-Za-z0-9])(?:pymysql|mysqldb|psycopg2?|mariadb|mysql\.connector"
        rf"|pymssql)\.connect\({_ANY},\s?{_ANY},\s?{_TEXT}",
        (".connect(",),
        _given,
        True,
    ),
    # Below the header of a table: its last field, or its first.
    Rule(
        "secret",
        r"(?im)(?:^|[^\n]{0,200}[,;\t])(?P<n>[A-Za-z][\w.-]{1,40})\r?\n"
        r"(?:[^\n,;\t]{0,100}[,;\t](?:[^\n]{0,200}[,;\t])?(?P<x>[^\s,;]{8,200})(?:\r?\n|$)){1,50}",
        _NAMED,
        _random,
        True,
        r"(?i)[,;\t]\w*(?:key|token|pass\w*|secret|pw)\r?\n",
    ),
    # A section whose entries are secrets.
    Rule(
        "secret",
        r"(?im)(?<![\w.-])(?P<n>secrets?|passwords|credentials?|(?:auth_|api_)?tokens|api_?keys)['\"]?:[ \t]{0,4}"
        r"(?:\{\s{0,4})?\n"
        r"(?:[^\n]{0,160}?[ \t]{1,40}(?:-[ \t])?['\"]?[\w.-]{1,60}['\"]?:[ \t]['\"]?(?P<x>(?=[^\s'\"]{0,80}\d)"
        r"(?=[^\s'\"]{0,80}[A-Za-z])[^\s'\"]{8,400})['\"]?,?[ \t]{0,4}(?:\n|$)){1,40}",
        ("secret", "passwords", "credential", "tokens", "keys"),
        lambda m: any(looks_random(value) for value in m.captures("x")),
        True,
        r"(?i)(?:s|secret|credential)['\"]?:[ \t]{0,4}(?:\{\s{0,4})?\n",
    ),
)
