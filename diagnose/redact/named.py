"""Secrets announced by a name: key=value, JSON, flags, headers, logins in URLs."""

from __future__ import annotations

import re
from typing import Any, Final

from diagnose.late import late
from diagnose.redact.naming import is_mixed, looks_random
from diagnose.redact.public import DOMAIN, LATIN, OTHER, is_public
from diagnose.redact.rule import Rule

_TOKENS: Final = (
    r"(?:auth|access|hf|hub|huggingface(?:hub)?|huggingface[_-]hub|refresh|api|bearer|id|session|csrf|xsrf|github"
    r"|gitlab|gh|slack|bot|deploy|personal|job|ci|secret|security|sas|push|registry|npm|pypi|wandb|oauth|service"
    r"|login|app|user|vault|docker|private|rbln|ngc|x[_-]auth|wandb[_-]service)[_-]?token"
)
_KEYS: Final = (
    r"(?:api|access|secret|account|subscription|signing|encryption|master|private|storage|service|license|auth"
    r"|access[_-]?key|admin)[_-]?key(?:[_-]?(?:id|base))?"
)
_STRONG: Final = (
    rf"(?:{_KEYS}|{_TOKENS}|pass(?:word|wd|phrase|code)|(?:client|app|consumer|shared|signing|jwt|webhook)[_-]?secret"
    r"|secret|credentials?|connection[_-]?string|(?:j|php)sessid|jsessionid|x-amz-(?:signature|security-token"
    r"|credential)|api[_-]?secret)"
)
"""A name that ends so announces a secret, whatever it looks like."""
_LOGINS: Final = (
    r"(?:db|database|mysql|mariadb|pg|postgres|mongo|redis|rabbitmq|kafka|smtp|mail|imap|ftp|sftp|ssh|sudo|ldap|http"
    r"|https|proxy|basic|auth|user|root|admin|login|registry|docker|git|nexus|artifactory|jenkins|jira|vpn|bmc|ipmi"
    r"|service|svc|app|test|default|my)"
)
_WEAK: Final = rf"(?:(?:(?:[\w-]{{0,40}}[_-])?{_LOGINS}[_-])?(?:pass|pwd|pw)|token|signature|sig|pat|dsn)"
"""A name that is exactly this announces one if it looks like one."""
_STRONG_ENDS: Final = r"(?:key|id|base|token|word|wd|phrase|code|secret|credentials?|string|sessid|signature)"
"""How names of ``_STRONG`` end."""
_SUFFIX: Final = (
    r"(?:[_-](?:value|val|v?\d{1,3}|prod(?:uction)?|dev|stag(?:e|ing)|stg|test|qa|read|write|ro|rw|old|new|b64"
    r"|base64|raw|text|str(?:ing)?|main|primary|secondary|backup|default|org|user|svc|ci))?"
)
_LOUD: Final = (
    r"(?:[A-Z][A-Z0-9]{0,30}_){0,6}(?:PASSWORD|PASSWD|PASSPHRASE|(?:PG|SSH|DB|MY)?PASS|PWD|PW|SECRET|TOKEN"
    r"|CREDENTIALS?|CREDS?|KEY|SALT|AUTH|DSN)"
    r"(?:_[A-Z0-9]{1,20}){0,3}"
)
"""A variable of the environment."""
_NOT_LOUD: Final = late(
    r"(?:OLD)?PWD|(?:.*_)?(?:COMPILE|COMPILER|FUSE|FUSION|OPT|GRAPH|BY|LOWER\w*|FORWARD|BACKWARD|FIRST|SECOND|LAST"
    r"|TEST|CACHE|SORT|PRIMARY|FOREIGN|PUBLIC|PARTITION|GROUP|HASH|INDEX|ROUTING|SHARD|CONFIG|DICT|STATE|EOS|BOS"
    r"|PAD|UNK|SEP|CLS|MASK|IMAGE|VIDEO|AUDIO|STOP|MAX|MIN|NEW|NUM|PER|NEXT|LAST|HOST|KV|LAYER|QUERY|ATTN"
    r"|ATTENTION)_(?:PASS|KEY|TOKEN|AUTH)(?:_.*)?"
    r"|(?:.*_)?KEY_(?:STATES?|VALUES?|CACHE|PROJ|LAYER|HEADS?|DIM|WEIGHT|LENGTHS?)(?:_.*)?"
    r"|.*_(?:FILE|PATH|DIR|TYPE|NAME|COUNT|LEN|LENGTH|LIMIT|ID|IDS|TTL|URL|URI|HOST|ENV|MODE|METHOD|SIZE|ENABLED"
    r"|REQUIRED|ALGORITHM|POLICY|STORE|PROVIDER|PARAM|ARG|FORMAT|EXPIRY|TIMEOUT|VERSION)"
)
"""Variables that hold where something is, or what kind of it."""

_SINGLE: Final = r"'(?P<x>[^'\\\n]*+(?:\\.[^'\\\n]*+)*+)"
_DOUBLE: Final = r"\"(?P<x>[^\"\\\n]*+(?:\\.[^\"\\\n]*+)*+)"
_ESCAPED: Final = r"\\[\"'](?P<x>[^\"'\\\n]*+)"
# A comma or bracket belongs to the value unless the next thing begins behind it.
_BARE: Final = (
    r"(?P<x>(?:[^\s'\"`,;&()\[\]{}|\\<>]"
    r"|[,;&()\[\]{}|](?![\s'\"`,;&()\[\]{}|\\]|$|-{0,2}[\w-]{1,40}+\s?[=:]|--\w)){1,400})"
)
_VALUE: Final = rf"(?:\[[ \t]?)?(?:[bBuUrRfF]?(?:{_SINGLE}|{_DOUBLE}|{_ESCAPED})|{_BARE})"
# The bracket: os.environ["HF_TOKEN"] = …
_ASSIGN: Final = r"\\?['\"]?\]?\s{0,3}(?:=>|:=|=|:)[^\S\n]{0,3}"

_NEXT: Final = r"\\?['\"]?(?:,\s{0,40}|[ \t]{0,4}\n[ \t]{0,40}-[ \t]{1,4})(?=['\"\\\w])(?!\\?['\"]-)"
"""Between two elements of a list in JSON or YAML."""
_QUOTED: Final = r"\\?['\"](?P<x>[^'\"\\\n]{1,400})\\?['\"]"

_HARMLESS: Final = late(
    r"(?i)(?:none|null|nil|true|false|yes|no|empty|dummy|str|string|required|optional|unset|not|missing|invalid|self"
    r"|os"
    r"|int|bytes|0x[0-9a-f]{1,8}|\*+|x+|\.+|-+|\d{1,3}|\[?redacted\]?|•+|…|\$.*|%.*|os\.\S*|getpass\S*|get_token\S*"
    r"|self\.\S*|args\.\S*"
    r"|settings\.\S*|config\.\S*|<.*|\(.*|\{.*|expected|unexpected|requires?|or|and|is|was|are|to|option|flag"
    r"|argument|must|with|for|in|the|an?|can|has|if|when|should|on|of"
    r"|\(?string\)?)[.:!?]*"
)
"""Values that say that there is none, or where it comes from."""
_CODE: Final = late(
    r"(?:typing\.)?(?:Optional|Union|Annotated|Literal|ClassVar|Final|[Ll]ist|[Dd]ict|[Tt]uple)\[.*|!{1,2}\w{1,20}"
    r"|[|>][+-]?\d?"
)
"""The type of a value, in Python and YAML."""
_CALL: Final = late(r"[\[\]*&bBrRuUfF]{0,4}[A-Za-z_][\w.:]{0,60}(?:\([\w.,]{0,40}\))?(?:\.\w{1,30})?\(?b?")
"""What a bracket goes on behind: ``SecretStr`` of ``SecretStr('…')``."""
_ARGUMENT: Final = late(r"[a-z_][\w.]{0,60}\([\w., ]{0,60}")
_PLACEHOLDER: Final = late(r"\[?[A-Z]{2,20}(?:_[A-Z]{2,20}){0,4}\]?[.\]]{0,4}")
_PLACE: Final = late(r"[/~.]|[A-Za-z]:[\\/]|https?:|0x|<")
_A_TEST: Final = late(r"(?i)(?:.*[/_])?tests?(?:[_/:.\[]|$)|.*\[|.*::")
_SPECIAL: Final = late(
    r"(?i)(?:^|[_.-])(?:eos|bos|pad|unk|sep|cls|mask|image|video|audio|stop|special|start|end)[_-]?token$"
)


def is_harmless(value: str, name: str = "") -> bool:
    """Whether ``value`` says that there is none, or is what usage texts print for it: ``--api-key API_KEY``."""
    if not value or _HARMLESS.fullmatch(value) or _CODE.fullmatch(value):
        return True
    return bool(_PLACEHOLDER.fullmatch(value)) and _same(value, name)


def _same(value: str, name: str) -> bool:
    told = re.sub(r"[^A-Za-z]", "", value).lower()
    return len(told) > 2 and re.sub(r"[^A-Za-z]", "", name).lower().endswith(told)


def _told(found: Any) -> bool:
    value = found["x"]
    return not is_harmless(value, found["n"]) and not _SPECIAL.search(found["n"]) and not _goes_on(found, value)


def _goes_on(found: Any, value: str) -> bool:
    """A wrapper of the value or a call; what they hold is looked for by rules of their own."""
    text, end = found.string, found.end("x")
    behind = text[end : end + 2]
    if (behind[:1] and behind[0] in "({") or behind in ("('", '("'):
        return _CALL.fullmatch(value) is not None
    if (behind[:1] in ("'", '"') and value[-2:] in ("(b", "(r", "(u")) or value.endswith("("):
        return True
    if behind[:1] == ")":
        return _ARGUMENT.fullmatch(value) is not None
    return behind[:1] in (" ", '"') and re.fullmatch(r"\(?string\)?\(?\d*\)?|\[\]\w+", value) is not None


def _looks_secret(found: Any) -> bool:
    """Eight characters with letters and digits, or twenty at all."""
    value = found["x"]
    if not _told(found) or value.startswith(("/", "http", "0x")):
        return False
    if found["n"].lower().startswith("sig") and len(value) < 16:
        return False
    return len(value) >= 20 or (len(value) >= 6 and is_mixed(value))


def _loud(found: Any) -> bool:
    """A password may be any word; keys, tokens and the like look like one."""
    name, value = found["n"], found["x"]
    if not _told(found) or _NOT_LOUD.fullmatch(name) or _PLACE.match(value):
        return False
    if re.search("PASS|PWD|PW|SECRET|CRED", name):
        return len(value) > 2
    if "TOKEN" in name or "AUTH" in name:
        return bool(re.search("[A-Za-z]", value)) and len(value) > 7
    return len(value) >= 20 or (len(value) > 7 and is_mixed(value))


def _quiet(found: Any) -> bool:
    """``pwd`` is a directory too, and ``pass`` a step of a compiler."""
    return _told(found) and not _PLACE.match(found["x"])


def _told_in_korean(found: Any) -> bool:
    """Behind a colon anything; in a sentence only what has letters and digits: ``비밀번호는 필수 항목입니다``."""
    value = found["x"]
    if _HARMLESS.fullmatch(value):
        return False
    return bool(found["is"]) or (len(value) >= 6 and is_mixed(value))


def _is_login(found: Any) -> bool:
    """Not one whose host is well known: ``kim:…@github.com/org/repo@next.rc``; nor two URLs side by side."""
    login, slash, _ = found["x"].partition("/")
    return bool(slash) and "://" not in found["x"] and not is_public(login.rpartition("@")[2].partition(":")[0])


def _is_pair(found: Any) -> bool:
    return "=" in found["x"]


_HINTS: Final = ("key", "token", "pass", "secret", "credential", "connection", "x-amz-", "sessid", "sessionid")
_HEADER: Final = r"(?i)(?:proxy-)?authorization\\?['\"]?\s{0,3}[:=]\s{0,3}\\?['\"]?"

_SCHEME: Final = r"(?<![\w+.-])[A-Za-z][\w+.-]{1,20}://"

RULES: Final[tuple[Rule, ...]] = (
    # user:password@host; the password may hold an @.
    Rule(
        "login",
        _SCHEME + r"(?P<x>(?:[^\s/'\"<>\\]|(?<=[\w!#$%^&*])['\"](?=[\w!#$%^&*])|\\(?![nrtuxbf\"'])){1,300})"
        rf"@(?=[\w\[{LATIN}{OTHER}])",
        ("://",),
    ),
    # A password with a slash in it, which no URL may hold: the login ends before the last host. A port is no password.
    Rule(
        "login",
        _SCHEME
        + r"(?P<x>[^\s/:@'\"<>\\\[{}$%]{0,80}:(?!\d{1,5}[/?#]|[%${])(?=[^\s'\"<>\\]{0,300}/)[^\s'\"<>\\]{1,300})"
        rf"@(?=(?:{DOMAIN}|"
        r"\d{1,3}(?:\.\d{1,3}){3}|localhost)(?:[:/?#,;)\]\s'\"]|$)"
        r"|[A-Za-z][\w-]{0,62}:\d{1,5}(?:/|$))",
        ("://",),
        _is_login,
        needs=r"://[^\s/:@]{0,80}:[^\s@/]{0,300}(?:@[^\s@/]{0,300})*/[^\s]{0,300}@",
    ),
    # Without a scheme, or with half of one.
    Rule(
        "login",
        r"(?<![\w+.@:%-])(?:\w{2,12}//)?(?P<x>[A-Za-z][\w.-]{1,40}:(?=[^\s@:/]{0,80}\d)(?=[^\s@:/]{0,80}[A-Za-z])"
        r"[^\s@:/'\"`,<>()\[\]{}]{6,100})@(?!sha256)(?=[\w-]+(?:[.:/'\"\s,]|$))",
        ("@",),
        lambda m: looks_random(m["x"].partition(":")[2]),
        True,
        r":[^\s@:/]{6,100}@\w",
    ),
    Rule(
        "credential",
        rf"{_HEADER}(?:(?:bearer|basic|token|negotiate)\s{{1,3}})?"
        r"(?P<x>(?!(?:bearer|basic|token|digest|aws4\S*)\b)[^\s'\"\\<>]{3,})",
        ("authorization",),
        lambda m: not is_harmless(m["x"]),
        learn=True,
    ),
    Rule("credential", rf"{_HEADER}(?:digest|aws4\S{{0,30}})\s(?P<x>[^\n]{{3,}})", ("authorization",)),
    Rule(
        "credential",
        r"(?i)(?<![\w-])bearer\s{1,3}(?P<x>[\w.~+/=-]{8,}+)",
        ("bearer",),
        lambda m: bool(re.search(r"\d", m["x"])) or len(m["x"]) > 24,
        learn=True,
    ),
    Rule(
        "credential",
        r"(?i)(?<![\w-])basic\s{1,3}(?P<x>[A-Za-z0-9+/]{8,}+={0,2})(?![\w])",
        ("basic",),
        lambda m: bool(re.search("[=A-Z]", m["x"][1:])),
        learn=True,
    ),
    Rule(
        "cookie",
        r"(?i)(?<![\w])(?:set-)?cookie\\?['\"]?\s{0,3}[:=]\s{0,3}\\?['\"]?(?P<x>[^\n'\"\\]{3,})",
        ("cookie",),
        _is_pair,
    ),
    Rule(
        "secret",
        rf"(?i)(?P<n>{_STRONG}){_SUFFIX}{_ASSIGN}{_VALUE}",
        _HINTS,
        _told,
        True,
        rf"(?i){_STRONG_ENDS}(?:[_-]\w{{1,10}})?\\?['\"]?\]?\s{{0,3}}[:=]",
    ),
    Rule(
        "secret",
        rf"(?<![A-Za-z0-9_.-])(?P<n>{_LOUD}){_ASSIGN}{_VALUE}",
        (*_HINTS, "pwd", "pw", "cred", "salt", "auth", "dsn"),
        _loud,
        True,
        r"(?:PASS|PWD|PW|SECRET|TOKEN|CRED|KEY|SALT|AUTH|DSN)[A-Z0-9_]{0,40}\\?['\"]?\]?\s{0,3}[:=]",
    ),
    # As `env` in a table, and what is typed into FTP, SMTP and Redis.
    Rule(
        "secret",
        rf"(?<![A-Za-z0-9_.-])(?P<n>{_LOUD})[ \t]{{1,40}}(?P<x>(?=\S{{0,60}}\d)"
        rf"(?=\S{{0,60}}[A-Za-z])[^\s'\"`,;:=()<>]{{8,300}})",
        (*_HINTS, "pwd", "pw", "cred", "auth"),
        lambda m: ("_" in m["n"] and _loud(m)) or (m["n"] in ("PASS", "AUTH") and not _A_TEST.match(m["x"])),
        True,
        r"(?:PASS|PWD|PW|SECRET|TOKEN|CRED|KEY|AUTH)[A-Z0-9_]{0,40}[ \t]+\S",
    ),
    Rule(
        "secret",
        r"(?<![\w-])(?P<n>PASS) (?P<x>[^\s_./:]{6,200})(?=['\"]?\s*$|\\r|\\n|\n)",
        ("pass ",),
        lambda m: _quiet(m) and not _A_TEST.match(m["x"]),
    ),
    Rule(
        "secret",
        rf"(?i)(?<![A-Za-z0-9_.-])(?P<n>pwd|pw|passw|(?:root|bind|admin|user|db|my|ftp|ssh)_?pw|password\d|pass"
        rf"(?=\\?['\"]?\s?[:=]\s?['\"]))"
        rf"{_ASSIGN}{_VALUE}",
        ("pw", "pass"),
        _quiet,
        True,
        r"(?i)p(?:w|wd|ass\w*)\\?['\"]?\s{0,3}[:=]",
    ),
    Rule(
        "secret",
        rf"(?i)(?<!\w)(?:user(?:name)?|login|id|uid)\\?['\"]?\s?[:=]\s?[^\s,;&]{{1,80}}(?:[ \t,;&]{{1,3}}|\n"
        rf"(?=[a-z]{{2,4}}\s?=))\\?['\"]?(?P<n>pass|pw|pwd)"
        rf"{_ASSIGN}{_VALUE}",
        ("pass", "pw"),
        _quiet,
        True,
        r"(?i)p(?:w|wd|ass)\\?['\"]?\s{0,3}[:=]",
    ),
    Rule(
        "secret",
        r"(?i)(?<![A-Za-z0-9])(?P<n>creds?|login|auth)\s?[:=]\s?['\"]?(?P<x>[\w.@+-]{2,60}:"
        r"(?!\d{1,5}\b)[^\s'\",:]{4,200})",
        ("cred", "login", "auth"),
        lambda m: not re.search(r"//|::|\.py", m["x"]),
        True,
    ),
    Rule(
        "secret",
        rf"(?i)(?<![A-Za-z0-9_.-])(?P<n>{_WEAK}){_ASSIGN}{_VALUE}",
        ("token", "pwd", "pw", "pass", "sig", "pat", "dsn"),
        _looks_secret,
        True,
        r"(?i)(?:token|pwd|pw|pass|sig|signature|pat|dsn)\\?['\"]?\]?\s{0,3}[:=]",
    ),
    Rule(
        "secret",
        rf"(?i)(?<![\w-])--(?P<n>[\w-]{{0,40}}?(?:{_STRONG}|token|apikey)|(?:[\w-]{{1,40}}-)?(?:pass|pw"
        rf"|pwd))(?:[ =]{{1,3}}|{_NEXT})(?!-){_VALUE}",
        (*_HINTS, "pw"),
        _told,
        True,
        rf"(?i)--[\w-]{{0,80}}(?:{_STRONG_ENDS}|pass|pw|pwd)\\?['\"]?[=,\s]",
    ),
    # Several at once, and a pair of name and value.
    Rule(
        "secret",
        rf"(?i)(?P<n>{_STRONG})s?{_ASSIGN}\[\s{{0,40}}{_QUOTED}(?:,\s{{0,40}}{_QUOTED}){{1,100}}",
        _HINTS,
        learn=True,
        needs=r"['\"]\s?,\s{0,40}\\?['\"]",
    ),
    Rule(
        "secret",
        rf"(?i)[\[(]\s{{0,2}}\\?['\"](?P<n>[\w-]{{0,40}}?{_STRONG})\\?['\"],\s{{0,2}}{_QUOTED}\s{{0,2}}[\])]",
        _HINTS,
        _told,
        True,
        r"['\"],\s{0,2}\\?['\"]",
    ),
    Rule(
        "secret",
        r"(?i)(?<![\w-])(?P<n>password|passphrase|token|secret|(?:api|access)[ _-]?key)[^\S\n](?:is|was"
        r"|of)?[^\S\n]?['\"`]?"
        r"(?P<x>(?=[^\s'\"`]{0,60}\d)(?=[^\s'\"`]{0,60}[A-Za-z])[^\s'\"`,;:)<>]{8,})",
        _HINTS,
        lambda m: _told(m) and not re.search(r"[\\/]|^v?\d+(?:\.\w+)*$", m["x"]),
        learn=True,
    ),
    Rule(
        "secret",
        r"(?i)(?:비밀\s?번호|비번|패스워드|암호|(?:인증|접근|액세스|보안)\s?(?:키|토큰)|(?:api|hf)\s?(?:키|토큰)|시크릿\s?키|비밀\s?키)"
        r"(?:은|는|이|가|를|을)?\s{0,2}(?P<is>[:=：＝])?\s{0,2}['\"`]?"
        r"(?P<x>(?:(?!비밀|패스워드|암호|키\s?[:=])[^\s'\"`,;]){3,200})",
        ("비밀", "비번", "패스워드", "암호", "키", "토큰"),
        _told_in_korean,
        learn=True,
        needs=r"(?:번호|비번|패스워드|암호|키|토큰)[은는이가를을]?\s{0,2}(?:[:=：＝]|['\"`]?[!-~]{6})",
    ),
    # A token is also a count of them in Korean, so it has to look like one.
    Rule(
        "secret",
        r"(?:토큰|키)\s{0,2}(?:은|는|:|=|：)\s{0,2}['\"`]?(?P<x>[\w.~+/=-]{8,})",
        ("토큰", "키"),
        lambda m: (
            looks_random(m["x"])
            or bool(m[0][0] == "토" and re.search(r"\d", m["x"]) and re.search("[A-Za-z]{2}", m["x"]))
        ),
        learn=True,
    ),
    Rule(
        "secret",
        r"(?i)(?<![\w-])(?:password|passphrase)\s(?:is|was)\s(?:'(?P<x>[^'\n]{3,200})'|\"(?P<x>[^\"\n]{3,200})\")",
        ("password", "passphrase"),
        learn=True,
    ),
    # Headers as ASGI servers print them, and the login of a registry in ~/.docker/config.json.
    Rule(
        "secret",
        rf"(?i)b(['\"])(?:[\w-]{{0,40}}?(?:{_STRONG}|token|cookie)|(?:proxy-)?authorization)\1,\s?b(['\"])"
        rf"(?P<x>[^'\"\n]{{3,4000}})\2",
        (*_HINTS, "cookie", "authorization"),
        learn=True,
        needs=r"[bB]['\"]",
    ),
    Rule(
        "secret",
        r"(?i)\\?['\"](?:_auth|auth|identitytoken)\\?['\"]\s?:\s?\\?['\"](?P<x>[A-Za-z0-9+/]{12,}={0,2})(?=\\?['\"])",
        ("auth", "identitytoken"),
        learn=True,
    ),
)

SECRET_NAME: Final = late(rf"(?i)(?:.*[_.-])?(?:{_STRONG}|{_WEAK})")
"""Fullmatch: a key under which a secret stands."""


def is_secret(name: str, value: str) -> bool:
    """Whether ``value`` is one because of the name it stands under."""
    if name.lower() in ("u", "user", "proxy_user", "proxy-user") and re.fullmatch(r"[^\s:/]+:(?!\d+$)\S+", value):
        return True
    if name in ("p", "P") and re.search("[A-Za-z]", value) and not _PLACE.match(value):
        return True  # of a command line: behind -p stand ports and passwords
    return (
        bool(SECRET_NAME.fullmatch(name))
        and not _SPECIAL.search(name)
        and bool(value)
        and not _HARMLESS.fullmatch(value)
    )
