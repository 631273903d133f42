"""Secrets behind a name, whatever sign, wrapper, cell or line end stands between the two."""

from __future__ import annotations

import re
from typing import Any, Final

from diagnose.late import late
from diagnose.redact.named import is_harmless
from diagnose.redact.naming import STRONG, is_mixed, looks_random, says
from diagnose.redact.rule import Rule

BLANK: Final = r"[ \t\xa0\u200b]"
NAME: Final = r"(?<![\w.$-])(?P<n>(?:[A-Za-z-]{2,12}[ ]){0,2}[\w.$-]{1,80}+)"
"""Up to three words; what they say is read afterwards."""
CLOSE: Final = r"(?:\\?['\"`*]|[\])]|</?\w{1,12}>){0,4}"
_OPEN: Final = r"(?:[*_]{1,2}|<\w{1,12}>){0,2}"
_TYPE: Final = (
    rf":{BLANK}?(?:[A-Za-z_.]{{0,30}}(?:str|bytes|Str|Any|Secret\w{{0,8}})|\w{{1,20}}\[[\w., \[\]|]{{1,60}}\])"
    rf"(?:{BLANK}\|{BLANK}\w{{1,20}}){{0,2}}{BLANK}?=(?!=)"
)
"""An annotation of Python."""
SIGN: Final = rf"{BLANK}{{0,40}}(?:{_TYPE}|=>|:=|::?(?!//)|=(?!=)|->|→|⇒|：|＝){_OPEN}"
_QUOTED: Final = (
    r"[bBuUrRfF]{0,2}(?:\"\"\"(?P<x>[^\"\n]{1,400})\"\"\"|'''(?P<x>[^'\n]{1,400})'''"
    r"|\\[\"'](?P<x>[^\"'\\\n]{1,400})\\[\"']"
    r"|\"(?P<x>[^\"\\\n]{1,400})\"|'(?P<x>[^'\\\n]{1,400})'|`(?P<x>[^`\n]{1,400})`)"
)
_BARE: Final = r"(?P<x>[^\s'\"`,;&()\[\]{}<>|\\]{3,400})"
_TAG: Final = rf"(?:!{{1,2}}\w{{1,20}}{BLANK}{{1,3}})?"
_KEY: Final = r"(?:\\?['\"][\w.@-]{1,60}\\?['\"]\s?:\s?|\w{1,20}\s?=\s?)?"
_LINE: Final = r"\n(?:[^\n]{0,160}?[ \t])?"
_CALLED: Final = r"(?:[&*]?(?:\[\])?(?P<c>[A-Za-z_][\w.:]{0,60}))?"
_WRAP: Final = (
    rf"(?:(?:{_CALLED}[(\[{{](?:\s{{0,40}}|{_LINE}){_KEY}){{1,3}}"
    r"|\s{0,20}(?:\(?string\)?)\s?\(?(?:len=)?\(?\d{1,4}\)\s)"
)
_READS: Final = late(
    r"(?i)(?:.*[._])?(?:get\w*|env\w*|environ|field|depends|header|form|optional|union|path|config|cookie|load\w*"
    r"|read\w*"
    r"|open|input|format|join|print|len|isinstance|type|sha\w*|md5|warning|error|info|debug|\w*error|\w*exception"
    r"|query"
    r"|option|argument|add_argument|pop|tokenizer|\w*tokenizer|\w*config|addedtoken|body|security|parse\w*|split"
    r"|encode_\w*|literal)"
)
"""Calls that hold the name of something or a text, no secret."""
_SAID: Final = late(
    r"(?i)\b(?:is|are|was|be|not|no|must|may|can(?:not|'t)?|should|will|has|required?|missing|invalid|empty|wrong|incorrect"
    r"|expected|given|set|field|option|argument|parameter|key|value|string|type|name|file|for|of|the|to|do|does|did"
    r"|match)\b"
    r"|하세요|십시오|습니다|입니다|않|없|오류|입력|설정|필요"
)
"""Words of a sentence about a password."""
HINTS: Final = (
    *("key", "tok", "tkn", "pass", "psw", "pswd", "secret", "cred", "auth", "pw", "psk", "salt", "hmac", "nonce"),
    *(
        "licen",
        "jwt",
        "crumb",
        "totp",
        "mnemonic",
        "phrase",
        "code",
        "_api",
        "webhook",
        "sk",
        "ak",
        "honeycomb",
        "kennwort",
    ),
)


def _value(found: Any) -> str:
    values = found.captures("x")
    return str(values[0]) if values else ""


def announced(found: Any) -> bool:
    """A name that says so, or that may, and a value that looks like it."""
    rank = says(found["n"])
    if not rank:
        return False
    value = _value(found)
    if is_harmless(value, found["n"]):
        return False
    return (rank == STRONG and len(value) > 2 and not _is_code(found, value)) or looks_random(value)


def _is_code(found: Any, value: str) -> bool:
    """What goes on as a call or an index, or is a word of a sentence: there is no value, or a wrapper of one."""
    if re.match(r"[/~.]|[A-Za-z]:[\\/]|https?:|0x", value):
        return True
    end = found.ends("x")[0]
    behind = found.string[end : end + 2]
    return behind[:1] in tuple("([{") or bool(re.match(r"\s[A-Za-z가-힣]", behind) and value.isalpha())


def _wrapped(found: Any) -> bool:
    return not any(_READS.fullmatch(name) for name in found.captures("c")) and announced(found)


def _random(found: Any) -> bool:
    return says(found["n"]) > 0 and looks_random(_value(found)) and not is_harmless(_value(found), found["n"])


def _sure_and_random(found: Any) -> bool:
    return says(found["n"]) == STRONG and _random(found)


def _folded(found: Any) -> bool:
    """Deeper than its name, with nothing before it but what is before the name too, the time in it aside."""
    text, value = found.string, found["x"]
    column = found.start("n") - text.rfind("\n", 0, found.start("n")) - 1
    line = text.rfind("\n", 0, found.start("x")) + 1
    before, head = text[found.start("n") - column : found.start("n")], text[line : line + column]
    if text[line + column : found.start("x")].strip(" \t") or line + column >= found.start("x"):
        return False
    if _DIGITS.sub("0", before).rstrip("- ") != _DIGITS.sub("0", head).rstrip():
        return False
    return says(found["n"]) == STRONG and not _NO_VALUE.match(value) and not is_harmless(value, found["n"])


def _typed(found: Any) -> bool:
    """What no program says of a password: `incorrect`."""
    value = found["x"]
    return (is_mixed(value) or bool(re.search(r"\w[!@#$%^&*+=]", value))) and not is_harmless(value)


def _words(found: Any) -> bool:
    """Several words are a passphrase if no program says them: ``passphrase "must not be empty"``."""
    value = found["x"]
    if is_harmless(value, found["n"]):
        return False
    mixed = any(len(w) > 4 and is_mixed(w) for w in value.split())
    return mixed or (" " in value.strip() and not _SAID.search(value))


_DIGITS: Final = late(r"\d")
_NO_VALUE: Final = late(
    r"(?:return|raise|pass|continue|break|yield|else|try|assert|del)$|\.\.\.|---|#|[/~.]|[A-Za-z]:[\\/]|https?:|0x"
)
"""A line of Python behind ``if secret``, a comment, a place."""
_SMALL: Final = (
    r"(?i)(?:pass|pwd|pw|psw|secret|cred|auth|key|to?ke?n|tok|psk|salt|hmac|nonce|license|jwt|crumb|totp|mnemonic|phrase"
    r"|code|api|webhook|sk|ak|team)"
)
_GENERAL: Final = rf"{_SMALL}[\w.-]{{0,20}}{CLOSE}{BLANK}{{0,40}}"
_LAST: Final = r"(?P<x>[^\s'\"`:{}\[\]()<>]{6,400})"

RULES: Final[tuple[Rule, ...]] = (
    Rule(
        "secret",
        rf"(?i){NAME}{CLOSE}{SIGN}(?={BLANK}{{0,40}}{_TAG}(?:{_QUOTED}|{_BARE}))",
        HINTS,
        announced,
        True,
        rf"{_GENERAL}(?:=|:|->|→|⇒|：|＝)",
    ),
    Rule(
        "secret",
        rf"(?i){NAME}{CLOSE}{SIGN}(?=\s{{0,20}}{_WRAP}{_QUOTED}(?:,\s{{0,40}}{_KEY}{_QUOTED}){{0,100}})",
        HINTS,
        _wrapped,
        True,
        rf"{_GENERAL}(?:=|:)",
    ),
    Rule(
        "secret",
        rf"(?i){NAME}{CLOSE}{SIGN}(?={BLANK}{{0,3}}(?:[A-Z]\w{{0,20}})?[(<\[{{]{BLANK}?{_BARE}{BLANK}?[)>\]}}])",
        HINTS,
        _random,
        True,
        rf"{_GENERAL}(?:=|:)",
    ),
    # On the next line: folded YAML, broken JSON, one argument a line.
    Rule(
        "secret",
        rf"(?i){NAME}{CLOSE}{SIGN}(?={BLANK}{{0,4}}"
        rf"(?:[|>][+-]?\d?)?[ \t]{{0,4}}{_LINE}[-\[ \t]{{0,60}}['\"]?{_LAST}['\"]?,?[ \t]{{0,4}}(?:\r?\n|$))",
        HINTS,
        _random,
        True,
        rf"{_GENERAL}[:=]\s?(?:[|>]\S{{0,2}})?\s{{0,3}}\n",
    ),
    # Folded YAML: what stands there alone may be any word.
    Rule(
        "secret",
        r"(?i)(?<![\w.$-])(?P<n>[\w.-]{1,80}+)['\"]?:[ \t]{0,4}(?:[|>][+-]?\d?[ \t]{0,4})?\r?\n"
        r"[^\n]{0,220}?[ \t](?P<x>[^\s:'\"`{}\[\]()<>|,;]{4,400}+)[ \t]{0,4}(?=\r?\n|$)",
        HINTS,
        _folded,
        True,
        rf"{_SMALL}[\w.-]{{0,20}}['\"]?:[ \t]{{0,4}}(?:[|>]\S{{0,2}}[ \t]{{0,4}})?\r?\n",
    ),
    # Asked for and typed on one line.
    Rule(
        "secret",
        r"(?i)(?<![\w-])pass(?:word|phrase|code)[ ]for[ ](?:(?:user|key)[ ])?(?:'[^'\n]{1,200}'|[^\s:']{1,100}):"
        r"[ \t]{1,4}(?P<x>[^\s'\"]{6,200})(?=['\"]?[ \t]{0,8}(?:\r?\n|$))",
        (" for ",),
        _typed,
        True,
        r"(?i)(?:word|phrase|code) for [^\n]{1,210}:[ \t]",
    ),
    # In the next cell of a table, or behind blanks.
    Rule(
        "secret",
        rf"(?i){NAME}{CLOSE}(?={BLANK}{{0,40}}[|│┃,;\t]{BLANK}{{0,40}}(?:{_QUOTED}|{_BARE})"
        rf"|(?:[ \t]{{2,60}}|\t| - |/|>\s{{0,40}}<\w{{1,12}}>|<\w{{1,12}}>|\s\()(?:{_QUOTED}|{_BARE}))",
        HINTS,
        _sure_and_random,
        True,
        rf"{_SMALL}[\w.-]{{0,20}}{CLOSE}(?:{BLANK}{{0,40}}[|│┃,;\t]|[ \t]{{2}}| - |/|<|\s\()"
        r"(?:[^\w\n]|\w{1,12}>){0,60}(?=\S{0,60}\d)\S{8}",
    ),
    # Of several words, with nothing but a blank before it.
    Rule(
        "secret",
        r"(?i)(?:(?<![\w-])(?P<n>password|passwd|passphrase|passcode)|(?P<n>비밀\s?번호|비번|패스워드|암호)(?:은|는|이|가|를|을)?)"
        r"[ \t]{1,4}(?:\\?\"(?P<x>[^\"\\\n]{3,200})\\?\"|\\?'(?P<x>[^'\\\n]{3,200})\\?'"
        r"|`(?P<x>[^`\n]{3,200})`|“(?P<x>[^”\n]{3,200})”)",
        ("password", "passwd", "passphrase", "passcode", "번호", "비번", "패스워드", "암호"),
        _words,
        learn=True,
    ),
)
