"""Secrets of a session at a terminal: what was asked for on one line and answered on the next, and what is told in
sentences.
"""

from __future__ import annotations

from typing import Any, Final

from diagnose.late import late
from diagnose.redact.named import is_harmless
from diagnose.redact.naming import STRONG, looks_random, says
from diagnose.redact.rule import Rule

_LAST: Final = late(r"[\w.-]+")
_WORD: Final = r"(?P<x>[^\s'\"`,;()<>\[\]{}]{6,400})"
_ENDS: Final = r"(?=['\"`]?[.,;)]{0,3}(?:\s|\\[nr]|['\"`]|$))"
_SECRET: Final = (
    r"(?P<n>(?:api|access|secret|encryption|shared|preshared|pre-shared|unlock|recovery|activation|product|cipher"
    r"|aes|master)[ _-]?keys?"
    r"(?:[ _-]?id)?|pass[ -]?(?:word|wd|phrase|code)|[\w-]{0,40}token|secret|credentials?|(?-i:[A-Z][A-Z0-9]{0,20}"
    r"(?:_[A-Z0-9]{1,20}){0,4}"
    r"_(?:TOKEN|KEY|PASSWORD|SECRET))|(?:backup|recovery|invite|pin) code)"
)


def _asked(found: Any) -> bool:
    """The last name of what was asked for: ``os.environ['HF_TOKEN']``."""
    names = _LAST.findall(found["q"])
    return bool(names) and says(names[-1]) > 0 and looks_random(found["x"])


def _quoted_answer(found: Any) -> bool:
    names = _LAST.findall(found["q"])
    if not names or is_harmless(found["x"]):
        return False
    rank = says(names[-1])
    return rank == STRONG or (rank > 0 and looks_random(found["x"]))


def _looks(found: Any) -> bool:
    return looks_random(found["x"]) and not is_harmless(found["x"])


RULES: Final[tuple[Rule, ...]] = (
    Rule(
        "secret",
        r"(?:\([Pp]db\)|i?pdb>|>>>|In \[\d{1,5}\]:)[ \t](?P<q>[^\n]{1,200})\n"
        r"(?:[^\n]{0,160}?[ \t])?(?:Out\[\d{1,5}\]: )?"
        r"b?(?:'(?P<x>[^'\n]{3,400})'|\"(?P<x>[^\"\n]{3,400})\")[ \t]*(?:\n|$)",
        ("pdb", ">>>", "in ["),
        _quoted_answer,
        True,
    ),
    Rule(
        "secret",
        r"(?<![\w-])(?:echo|printenv|cat|print)[ \t](?P<q>[^\n|]{1,200})\n"
        r"(?:[^\n]{0,160}?[ \t])?(?P<x>[^\s'\"]{8,400})[ \t]*(?:\n|$)",
        ("echo ", "printenv ", "cat ", "print "),
        _asked,
        True,
    ),
    # One argument a line, and a command line that goes on.
    Rule(
        "secret",
        r"(?i)(?<![\w-])--?(?P<q>[\w-]{2,60})(?:[ \t]+\\)?[ \t]*\r?\n"
        r"(?:[^\n]{0,160}?[ \t])?(?:-[ \t]+)?(?:[ \t]*)['\"]?"
        r"(?P<x>[^\s'\"-][^\s'\"]{5,400})['\"]?,?[ \t]*\\?(?:\r?\n|$)",
        ("key", "token", "pass", "secret", "cred", "auth"),
        _asked,
        True,
        r"(?i)(?<![\w-])--?[\w-]{0,60}?(?:key|token|pass|secret|cred|auth)[\w-]{0,60}(?:[ \t]+\\)?[ \t]*\r?\n",
    ),
    # In a sentence.
    Rule(
        "secret",
        rf"(?i)(?<![\w-]){_SECRET}(?:[ ](?:provided|is|was|are|been|now|set|changed|reset|updated|rotated|to|as"
        rf"|given|used"
        r"|value|entered|received|for[ ](?:key[ ])?(?:'[^'\n]{1,200}'|[\w.@<>-]{1,80}))){0,4}"
        rf"(?:[ \t]{{0,3}}(?:[:=-]|→)[ \t]{{0,40}}|[ \t]{{1,3}})['\"`(]{{0,2}}{_WORD}{_ENDS}",
        ("key", "token", "pass", "secret", "cred", "code"),
        lambda m: says(m["n"]) > 0 and _looks(m),
        True,
        r"(?i)(?:key|id|token|word|wd|phrase|code|secret|credential)s?(?: \w{1,12}){0,5}(?: for [^\n]{1,80}?)?"
        r"[ \t]{0,3}[:=→-]?"
        r"[ \t]{0,40}['\"`(]{0,2}(?=\S{0,60}\d)(?=\S{0,60}[A-Za-z])\S{8}",
    ),
    Rule(
        "secret",
        rf"(?i)(?<![\w-])(?:(?:id|user(?:name)?|login|account|credentials?)(?:\s?(?:/|and|&)\s?(?:pw|pass"
        rf"|password))?|아이디\s?/\s?비번|아이디\s?/\s?비밀번호"
        rf"|계정(?:\s?정보)?|로그인\s?정보)\s?[:=]?\s?[\w.@-]{{1,60}}\s?[/: ]\s?{_WORD}{_ENDS}",
        ("id", "user", "login", "account", "credential", "비번", "비밀", "정보"),
        _looks,
        True,
        r"(?i)(?:login|account|credentials?|pw|pass|password|비번|비밀번호|정보)\s?[:=]?\s?[\w.@-]{1,60}\s?[/: ]",
    ),
    Rule(
        "secret",
        rf"(?i)(?<!\w)(?:u(?:ser)?|id|ak)\s?[:=]\s?[^\s,;&]{{1,80}}[\s,;]{{1,3}}(?:p|pw|sk)\s?[:=]\s?{_WORD}{_ENDS}",
        ("p=", "p:", "pw", "sk=", "sk:"),
        _looks,
        True,
        r"(?i)(?<!\w)(?:p|pw|sk)\s?[:=]",
    ),
    Rule(
        "secret",
        r"(?i)password[^\n]{0,80}:[ \t]{0,3}\n[ \t]{0,3}\n[ \t]{0,8}(?P<x>[^\s'\"]{8,200})\s{0,3}\n",
        ("password",),
        _looks,
        True,
    ),
    Rule(
        "secret",
        r"(?i)(?:密码|密碼|口令|パスワード|비번|passwor[dt]en?|mot de passe|contraseña|contrasena|пароль|senha)"
        r"\s{0,3}(?:[:=：＝]|は|为|是)\s{0,3}['\"]?"
        r"(?P<x>[^\s'\"`,;]{4,200})",
        ("密码", "密碼", "口令", "パスワード", "비번", "passwort", "mot de passe", "contrase", "пароль", "senha"),
        lambda m: not is_harmless(m["x"]),
        True,
    ),
)
