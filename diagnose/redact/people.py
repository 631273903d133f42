"""Who it was: home directories, users, e-mail addresses, telephone and resident registration numbers."""

from __future__ import annotations

import re
from typing import Any, Final

from diagnose.redact import accounts
from diagnose.redact.numbered import is_birthday
from diagnose.redact.public import COMMON_USERS, DOMAIN, LATIN, OTHER, is_nobody, is_public
from diagnose.redact.rule import Rule

_NAME: Final = r"[^/\\\s'\"`<>:;,|()\[\]{}*?$&=%#]{1,64}+"


_DIRECTORIES: Final = frozenset(
    {
        *("models", "model", "data", "datasets", "cache", "hf", "huggingface", "tmp", "temp", "logs", "checkpoints"),
        *("weights", "artifacts", "build", "crontabs", "rbln", "rebellions", "projects", "project", "jobs", "hub"),
        *("images", "cdrom", "shared", "share", "users", "homes", "home", "slurm", "spool", "workspace", "venv", "opt"),
    }
)
"""Directories that stand where those of users stand."""


def _someone(found: Any) -> bool:
    name = found["u"].lower()
    return name not in COMMON_USERS and name not in _DIRECTORIES and not name.startswith(".")


def _person(found: Any) -> bool:
    return not is_nobody(found["x"])


def _address(found: Any) -> bool:
    before = found.string[max(found.start() - 80, 0) : found.start()]
    if re.search(r"://\S*\Z", before):
        return False  # the password of a URL: it has a rule of its own
    return not (is_public(found["d"]) and found["l"].lower() in ("git", "noreply"))


def _long_enough(found: Any) -> bool:
    return 9 <= len(re.sub(r"\D", "", found[0])) <= 15


_OWN: Final = ("full", "first", "last", "real", "display", "customer", "employee")
_OWN_NAMES: Final = tuple(f"{which}{by}name" for which in _OWN for by in ("", " ", "_", "-"))
_USER: Final = r"(?:user(?:[_-]?name)?|logname|login|sudo_user|owner)"
_MODE: Final = r"(?<![\w-])[-dlcbps](?:[r-][w-][xsStT-]){3}[.+@]?[ \t]{1,8}\d{1,6}[ \t]{1,8}"
_OWNER: Final = r"[A-Za-z_][\w.@\\-]{1,60}+"
_TERMINAL: Final = r"(?:\?{1,2}|pts/\d{1,4}|tty\w{0,8}|s\d{3}|console|-)"
_WHO: Final = r"(?:\\?['\"]|\"\"|[“‘])?(?P<x>[A-Za-z_][\w.-]{1,40})"

RULES: Final[tuple[Rule, ...]] = (
    *accounts.RULES,
    Rule("home", rf"(?<![\w.~-])(?P<x>/(?:home|Users)/(?P<u>{_NAME}))", ("/home/", "/users/"), _someone),
    # Between quotation marks a name of several words is one.
    Rule(
        "home",
        rf"(?P<q>['\"`])(?:[\w.-]{{0,40}}=|file://)?"
        rf"(?P<x>/(?:home|Users)/(?P<u>{_NAME} (?:{_NAME}(?: {_NAME})?(?=/)|[A-Z가-힣]{_NAME}(?=(?P=q)))))",
        ("/home/", "/users/"),
        lambda m: _someone(m) and not is_nobody(m["u"].partition(" ")[0]),
        needs=r"/(?:home|Users)/[^/\s]+ [^/\n'\"`]+[/'\"`]",
    ),
    Rule("user", rf"(?<=[\w.-])/(?:home|Users)/(?P<x>(?P<u>{_NAME}))", ("/home/", "/users/"), _someone),
    # Homes on a volume of their own.
    Rule(
        "user",
        r"/(?:data|nfs|nas|mnt|export|srv|lustre|gpfs|beegfs|cephfs|fsx|efs|raid|ssd|nvme|disk|scratch|work|volumes?|storage)"
        r"\d{0,3}/(?:users?|homes?\d{0,3})/"
        rf"(?P<x>(?P<u>{_NAME}))",
        ("/user", "/home"),
        _someone,
    ),
    Rule(
        "home",
        rf"(?<![\w.~/-])(?<!GET )(?<!POST )(?<!PUT )(?<!DELETE )(?P<x>/(?:home\d{{1,3}}|homes|users)/(?P<u>{_NAME}))",
        ("/home", "/users/"),
        _someone,
    ),
    Rule(
        "user",
        rf"/afs/[\w.-]{{1,40}}/(?:[\w.-]{{1,40}}/)?users?/(?:\w/){{0,2}}(?P<x>(?P<u>{_NAME}))",
        ("/afs/",),
        _someone,
    ),
    Rule("home", r"(?i)(?P<x>%2F(?:home|Users)%2F(?P<u>[\w.-]{1,64}))", ("%2fhome%2f", "%2fusers%2f"), _someone),
    Rule(
        "home",
        r"(?i)(?<![\w])(?P<x>[A-Z]:(?:\\{1,4}|/)(?:Users|Documents and Settings|사용자)(?:\\{1,4}|/)"
        rf"(?P<u>[^\\/:*?\"<>|\r\n']{{1,40}}(?<!\s)(?=[\\/])|{_NAME}))",
        (":\\", ":/"),
        _someone,
    ),
    Rule("user", r"(?<![\w/~])~(?P<x>[a-z_][\w.-]{1,32})(?=/)", ("~",), _person),
    Rule("user", rf"(?i)(?<![\w-]){_USER}\\?['\"]?={_WHO}(?![\w(/])", ("user", "logname", "login", "owner"), _person),
    # Behind a colon it has to be all there is: `user name: not allowed` is a sentence.
    Rule(
        "user",
        rf"(?im)(?<![\w-]){_USER}\\?['\"]?\s{{0,2}}:\s{{0,2}}{_WHO}(?=\\?['\"]|\s{{0,2}}[,}};]|\s*$)",
        ("user", "logname", "login", "owner"),
        _person,
    ),
    Rule("user", r"(?i)(?<![\w-])user(?:name)? ['\"`](?P<x>[\w.-]{2,40})['\"`]", ("user",), _person),
    Rule(
        "user",
        r"(?:사용자(?:\s?(?:명|이름|ID))?|계정(?:\s?(?:명|이름))?|아이디)\s?[:=]\s{0,2}['\"]?(?P<x>[A-Za-z_][\w.-]{1,40})(?![\w(/])",
        ("사용자", "계정", "아이디"),
        _person,
    ),
    # A domain of Windows; where else a user's name stands: ls -l, ps aux, Torch's cache, LDAP, AWS, git.
    Rule(
        "user",
        r"(?i)(?<![\w-])(?:user(?:name)?|account|owner|logon|login|as|by|사용자|계정)[:= ]{1,3}['\"]?"
        r"(?-i:[A-Z][A-Z0-9-]{1,30})\\{1,2}(?P<x>[A-Za-z][\w.-]{2,40})",
        ("\\",),
        _person,
    ),
    # Whose file it is; its group has a rule of its own, for it may be a common one.
    Rule(
        "user",
        rf"{_MODE}(?P<x>{_OWNER})(?=[ \t]{{1,20}}\S{{1,64}}\s)",
        ("rw-", "rwx", "r--", "r-x"),
        _person,
        needs=r"[r-][w-][xsStT-][r-][w-][xsStT-]",
    ),
    Rule(
        "user",
        rf"{_MODE}\S{{1,64}}[ \t]{{1,20}}(?P<x>{_OWNER})[ \t]{{1,20}}(?=\d)",
        ("rw-", "rwx", "r--", "r-x"),
        _person,
        needs=r"[r-][w-][xsStT-][r-][w-][xsStT-]",
    ),
    # ps aux and ps -ef; a row of any other table has no terminal in it.
    Rule(
        "user",
        rf"(?m)^[^\n]{{0,160}}?(?<!\S)(?P<x>{_OWNER})\+?[ \t]{{1,12}}\d{{1,8}}(?:[ \t]{{1,8}}\d{{1,4}}(?:\.\d)?){{2}}"
        rf"(?:[ \t]{{1,12}}\d{{1,12}}){{2}}[ \t]{{1,8}}{_TERMINAL}[ \t]{{1,8}}[DIRSTtWXZU][<NLsl+EV]{{0,6}}\s",
        ("?", "pts", "tty", "console", " s0", "- "),
        _person,
        needs=rf"\d[ \t]+\d+[ \t]+{_TERMINAL}[ \t]+[DIRSTtWXZU]",
    ),
    Rule(
        "user",
        rf"(?m)^[^\n]{{0,160}}?(?<!\S)(?P<x>{_OWNER})\+?(?:[ \t]{{1,12}}\d{{1,8}}){{3}}[ \t]{{1,8}}"
        rf"(?:\d\d:\d\d|[A-Z][a-z]{{2}}\d\d|\d{{4}})[ \t]{{1,8}}{_TERMINAL}[ \t]{{1,8}}(?:\d{{1,3}}-)?\d\d:\d\d:\d\d\s",
        ("?", "pts", "tty", "console", "- "),
        _person,
        needs=rf"\d[ \t]+{_TERMINAL}[ \t]+(?:\d+-)?\d\d:\d\d:\d\d\s",
    ),
    Rule("user", r"(?<=/)torchinductor_(?P<x>[A-Za-z][\w.-]{1,40})(?=/|['\"\s]|$)", ("/torchinductor_",), _person),
    Rule(
        "user",
        r"(?<![\w.-])/(?:scratch\d?|(?:run/)?media|var/spool/(?:cron(?:/crontabs)?|mail)|var/mail)/(?P<x>[a-z_][\w.-]{1,32})(?=/|$|[\s'\":,)])",
        ("/scratch", "/cron", "/mail/", "/media/"),
        lambda m: _person(m) and m["x"] not in _DIRECTORIES,
    ),
    Rule(
        "user",
        r"(?i)(?<![\w-])(?:uid|cn|samaccountname)=(?P<x>[\w.-]{2,40})(?=,\s?(?:ou|dc|cn|o)=)",
        ("uid=", "cn=", "samacc"),
        _person,
    ),
    Rule("user", r"arn:aws[\w-]{0,10}:(?:iam|sts):[\w-]{0,20}:(?P<x>\d{12}):", ("arn:aws",)),
    Rule(
        "user", r"arn:aws[\w-]{0,10}:(?:iam|sts):[\w-]{0,20}:[\w<>-]{0,20}:user/(?P<x>[\w+=,.@-]{2,64})", ("arn:aws",)
    ),
    Rule(
        "user",
        r"(?i)(?<![\w-])(?:author|committer|from|to|cc|reply-to|signed-off-by|co-authored-by|reviewed-by|maintainer|작성자)"
        r"['\"]?\s?[:=]\s?['\"]?(?P<x>[A-Za-z가-힣][^\n<>@:='\"(){}\[\]]{1,60}?)(?=\s{0,2}<[^\s<>]{1,64}@)",
        ("author", "committer", "from", "to", "cc", "reply", "signed", "review", "maintainer", "작성자"),
        needs=r"<[^\s<>]+@",
    ),
    Rule(
        "user",
        rf"(?i)(?<![A-Za-z0-9])(?:{'|'.join(_OWN)})[ _-]?name\\?['\"]?\s?[:=]\s?\\?['\"]?"
        r"(?P<x>[A-Z][\w.-]{1,30}(?: [A-Z][\w.-]{1,30}){0,2})",
        _OWN_NAMES,
        _person,
    ),
    Rule(
        "user",
        r"(?i)(?<![\w-])(?:running as|logged in as|owned by|executed by|started by|run as)\s(?:user\s)['\"]?"
        r"(?P<x>[a-z_][\w.-]{1,32})",
        ("as user", "by user"),
        _person,
    ),
    Rule("user", r"(?i)\bpassword for (?P<x>[a-z_][\w.-]{1,40}):", ("password for",), _person),
    Rule("user", r"[ug]id=\d{1,10}\((?P<x>[\w.-]{2,40})\)", ("uid=", "gid="), _person),
    Rule(
        "email",
        r"(?<![\w.+%-])(?P<l>[\w.+%-]{1,64}+)@(?P<d>(?:[\w-]{1,63}+\.){1,6}(?:xn--[a-z0-9-]{2,59}|[A-Za-z]{2,24}))(?![\w-])",
        ("@",),
        _address,
    ),
    # Beyond ASCII (RFC 6531). Hangul right before letters is the word of a sentence: 오류가kim@…
    Rule(
        "email",
        rf"(?:(?<![\w{LATIN}.+%-])(?P<l>[\w{LATIN}.+%-]{{1,64}}+)"
        rf"|(?<![\d{OTHER}.+%-])(?P<l>[\d{OTHER}][\d{OTHER}._+%-]{{0,63}}+(?:(?<=[._+%-])[\w.+%-]{{1,63}}+)?))"
        rf"@(?P<d>{DOMAIN})(?![\w-])",
        ("@",),
        lambda m: not m[0].isascii() and _address(m),
        needs=r"[^\x00-\x7f][\w.+%-]{0,64}@|@[\w.-]{0,400}[^\x00-\x7f]",
    ),
    Rule("rrn", r"(?<![A-Za-z0-9.-])\d{6}-[1-8]\d{6}(?![\w.-]*\d)", ("-",), is_birthday, needs=r"\d{6}-\d{7}"),
    Rule(
        "rrn",
        r"(?:주민(?:등록)?|외국인(?:등록)?)\s?번호(?:는|은)?\s{0,2}[:=]?\s{0,2}(?P<x>\d{6}[ -]?[1-8](?:\d{6}|\*{6}))",
        ("주민", "외국인"),
    ),
    Rule(
        "phone",
        r"(?<![A-Za-z0-9.+-])(?:01[016789]([-. ])\d{3,4}\1\d{4}|010\d{8})(?![\w-])(?!\.\d)",
        ("01",),
        needs=r"\d{3}[-. ]?\d{4}",
    ),
    Rule(
        "phone",
        r"(?<![\w.+-])\(0(?:1[016789]|2|[3-6]\d|70|50\d)\)[ -]?\d{3,4}[-. ]?\d{4}(?![\w-])(?!\.\d)",
        ("(0",),
        needs=r"\(0\d+\)[ -]?\d{3}",
    ),
    Rule("phone", r"(?<![A-Za-z0-9.+-])0(?:2|[3-6]\d|70|50\d)-\d{3,4}-\d{4}(?![\w-])", ("-",), needs=r"\d{3}-\d{4}"),
    Rule(
        "phone",
        r"(?<![\w.+)-])\+\d{1,3}[-. ]?\(?\d{1,4}\)?(?:[-. ]?\d{2,4}){2,4}(?![\w-]|\.\d)",
        ("+",),
        _long_enough,
        needs=r"\+\d",
    ),
    Rule("phone", r"(?<![A-Za-z0-9.+-])(?:\(\d{3}\) ?|\d{3}-)\d{3}-\d{4}(?![\w-])", ("-",), needs=r"\d{3}-\d{4}"),
)
