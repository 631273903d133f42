"""Secrets of options by their name, of settings without a sign, of statements of databases, and of addresses of hooks.

Shapes: the manual pages of the tools, Redis' and OpenLDAP's on their configuration, PostgreSQL's and MySQL's on users.
"""

from __future__ import annotations

import re
from typing import Any, Final

from diagnose.redact.named import is_harmless
from diagnose.redact.naming import STRONG, looks_random, says
from diagnose.redact.rule import Rule

_VALUE: Final = (
    r"(?:'(?P<x>[^'\n]{3,300})'|\"(?P<x>[^\"\n]{3,300})\"|(?P<x>[^\s'\"`<>|;&()\[\]{}-][^\s'\"`<>|;&()\[\]{}]{2,300}))"
)
_ON: Final = r"[ \t](?:[^\n|;&]{0,200}?[ \t])?"


def _value(found: Any) -> str:
    values = found.captures("x")
    return str(values[0]) if values else ""


def _option(found: Any) -> bool:
    value, rank = _value(found), says(found["n"])
    if is_harmless(value, found["n"]) or re.match(r"[/~.$%]|https?:", value):
        return False
    return rank == STRONG or (rank > 0 and looks_random(value))


def _given(found: Any) -> bool:
    return not is_harmless(_value(found)) and not re.match(r"[$%]", _value(found))


def _looks(found: Any) -> bool:
    return looks_random(_value(found).partition(":")[2] or _value(found)) and _given(found)


def _setting(found: Any) -> bool:
    return says(found["n"]) == STRONG and looks_random(_value(found)) and _given(found)


RULES: Final[tuple[Rule, ...]] = (
    Rule(
        "secret",
        rf"(?i)(?<![\w-])--?(?P<n>[A-Za-z][\w.-]{{1,60}}+)(?:=|[ \t]{{1,40}}){_VALUE}",
        ("key", "token", "pass", "secret", "cred", "auth", "pw"),
        _option,
        True,
        r"(?i)(?<![\w.-])--?[\w.-]{0,60}?(?:key|token|pass|secret|cred|auth|pw)[\w.-]{0,60}[ =\t]",
    ),
    Rule(
        "login",
        r"(?<!\S)-[uUaA][ ]?(?P<x>['\"]?[A-Za-z][\w.@-]{1,40}[:,]['\"]?(?=[^\s'\"]{0,60}\d)[^\s'\"/]{4,200})",
        ("-u", "-a"),
        lambda m: looks_random(re.split("[:,]", m["x"].strip("'\""), maxsplit=1)[1].strip("'\"")),
        True,
        r"\s-[uUaA] ?['\"]?[A-Za-z][\w.@-]{1,40}[:,]",
    ),
    # A setting and its value with a blank between them.
    Rule(
        "secret",
        rf"(?im)(?<![\w.-])(?:requirepass|masterauth|bindpw|rootpw|auth_pass"
        rf"|r[ow]community6?|snmp-server[ ]community|authtoken"
        rf"|add-authtoken|vault[ ]login|cloudflared[ ]service[ ]install|identified[ ](?:with[ ]\S{{1,40}}[ ])?by"
        rf"(?:[ ]password)?)"
        rf"[ \t]{{1,8}}{_VALUE}",
        (
            *("requirepass", "masterauth", "bindpw", "rootpw", "auth_pass", "community", "authtoken", "vault login"),
            "cloudflared",
            "identified ",
        ),
        _given,
        True,
    ),
    Rule(
        "secret",
        rf"(?<![\w.$-])(?P<n>[A-Za-z]\w{{1,40}}(?:[._-]\w{{1,40}}){{1,8}}+)[ \t]{{1,3}}(?={_VALUE})",
        ("key", "token", "pass", "secret", "pw", "auth"),
        _setting,
        True,
        r"(?i)(?:key|token|pass\w*|secret|pw)[ \t]+['\"]?\S{8}",
    ),
    Rule(
        "secret",
        r"(?<!\w)community[ \t](?P<x>\S{4,60})(?=[ \t]{1,4}(?:#|RO|RW|ro\b|rw\b))",
        ("community",),
        learn=True,
    ),
    Rule(
        "secret",
        rf"(?<![\w-])snmp(?:get|walk|set|bulkwalk|getnext){_ON}-c[ \t]{{0,3}}{_VALUE}",
        ("snmp",),
        _given,
        True,
    ),
    Rule(
        "secret",
        rf"(?i)set[ ]password[ ](?:for[ ]\S{{1,80}}[ ])?=[ ]?(?:password\()?{_VALUE}",
        ("set password",),
        _given,
        True,
    ),
    Rule(
        "secret",
        r"(?<![\w-])['\"]?AUTH['\"]?[ ](?:\w{1,40}[ ])?['\"]?(?P<x>(?=[^\s'\"]{0,60}\d)"
        r"(?=[^\s'\"]{0,60}[A-Za-z])[^\s'\"]{6,200})['\"]?(?=\s|\\r|$)",
        ("auth",),
        _looks,
        True,
        r"AUTH['\"]? ",
    ),
    # What is given to the standard input of a program.
    Rule(
        "secret",
        rf"(?<![\w-])(?:sudo|chpasswd|passwd|gh|docker|podman|\S{{0,40}}login)"
        rf"(?:[ \t][^\n|;&<]{{0,200}})?<<<[ \t]{{0,3}}{_VALUE}",
        ("<<<",),
        _given,
        True,
    ),
    Rule("secret", rf"<\((?:echo|printf)[ ](?:-n[ ])?{_VALUE}[ ]?\)", ("<(echo", "<(printf"), _given, True),
    Rule("secret", r"(?<!\w)send[ ](?:--[ ])?\"(?P<x>[^\"\\\s]{4,200})\\r\"", ('send "', 'send -- "'), _looks, True),
    Rule(
        "secret",
        r"(?i)(?<!\S)/p(?:ass(?:word)?)?:(?P<x>[^\s'\"]{4,200})",
        ("/p:", "/pass:", "/password:"),
        _looks,
        True,
    ),
    Rule(
        "secret",
        r"(?i)(?<!\w)net[ ]use[ ][^\n]{0,120}?\\[\w$.-]{1,80}[ ](?P<x>[^\s/]{4,100})[ ]/user:",
        ("net use",),
        _given,
        True,
    ),
    Rule(
        "secret",
        rf"(?<![\w-])mc[ ](?:alias[ ]set|config[ ]host[ ]add)[ ]\S{{1,60}}[ ]\S{{1,120}}[ ]\S{{1,120}}[ ]{_VALUE}",
        ("mc alias", "mc config"),
        _given,
        True,
    ),
    Rule(
        "secret",
        rf"(?<![\w-])(?:wpa_passphrase[ ]\S{{1,60}}|(?:useradd|usermod){_ON}-p"
        rf"|poetry[ ]config[ ]http-basic\.\S{{1,60}}[ ]\S{{1,60}})[ \t]{{1,3}}{_VALUE}",
        ("wpa_passphrase", "useradd", "usermod", "poetry config"),
        _given,
        True,
    ),
    Rule(
        "secret",
        rf"(?<![\w-])htpasswd(?:[ ]-\w{{1,9}}){{1,5}}[ ]\S{{1,200}}[ ][^\s-]\S{{0,64}}[ \t]{_VALUE}",
        ("htpasswd",),
        _given,
        True,
    ),
    Rule(
        "login",
        r"(?i)(?<!\w)(?:sqlplus[ ](?:-\w[ ])?|oracle:thin:)(?P<x>[A-Za-z]\w{0,40}/[^\s@/'\"]{3,100})@",
        ("sqlplus", "oracle:thin:"),
        learn=True,
    ),
    Rule("secret", r"::add-mask::(?P<x>[^\s]{3,400})", ("::add-mask::",), learn=True),
    # Addresses of hooks and interfaces that hold their key in the path.
    Rule(
        "webhook",
        r"(?i)/(?:webhook|hooks?|services|token|bot)(?:/|(?<=/bot))(?:\w{1,12}/){0,3}(?P<x>[\w-]{12,120})(?![\w.-])",
        ("/webhook", "/hook", "/services/", "/token/", "/bot"),
        lambda m: looks_random(m["x"]),
        True,
    ),
    Rule(
        "secret",
        r"(?i)(?<![\w.-])code=(?P<x>[\w.~-]{20,400})(?=&(?:state|session_state|scope)=)",
        ("code=",),
        learn=True,
    ),
    Rule("session", r"(?i)cookie\[['\"]?\w{1,40}['\"]?\][ ]?=[ ]?['\"]?(?P<x>[^\s'\";]{6,400})", ("cookie[",)),
    Rule(
        "secret",
        r"(?i)['\"]username['\"]\s?:\s?['\"][^'\"\n]{1,80}['\"],\s{0,40}['\"]key['\"]\s?:\s?['\"]"
        r"(?P<x>[^'\"\n]{6,200})",
        ("username",),
        learn=True,
        needs=r"(?i)['\"]key['\"]",
    ),
)
