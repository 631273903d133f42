"""Secrets of the web: ids of sessions, cookies of well-known names, and what the query of a URL holds.

Names: the documentation of the frameworks that set them; of signed URLs: AWS, Azure, Google Cloud, CloudFront.
"""

from __future__ import annotations

import re
from typing import Any, Final

from diagnose.late import late
from diagnose.redact.rule import Rule

_IS: Final = r"\\?['\"]?\s{0,2}[:=]\s{0,2}\\?['\"]?"
_VALUE: Final = r"(?P<x>[^\s'\"`,;&<>()\[\]{}\\]{1,2000})"
_COOKIES: Final = (
    r"(?:[\w.-]{0,40}(?:sess(?:ion)?|sid)|__(?:Secure|Host)-[\w.-]{1,60}|connect\.sid|ASP\.NET_SessionId|\.ASPXAUTH"
    r"|\.AspNetCore\.[\w.]{1,40}|_xsrf|_csrf|csrftoken|xsrf-token|laravel_session|PHPSESSID|cf_clearance|__cf_bm"
    r"|remember(?:_me|_token|_user_token)|_oauth2_proxy\w{0,20}|oauth_state|_ga(?:_\w{1,20})?|_gid|_fbp|ajs_\w{1,20}"
    r"|intercom-[\w-]{1,60}|AWSALB(?:CORS|TG)?|username-[\w.-]{1,60}-\d{1,5}|_forward_auth|authelia_session)"
)
_COOKIE_HINTS: Final = (
    *(
        "sess=",
        "session=",
        "sid=",
        "sessionid=",
        "__secure-",
        "__host-",
        "aspx",
        "aspnet",
        "_xsrf=",
        "_csrf=",
        "csrftoken=",
    ),
    *(
        "xsrf-token=",
        "cf_clearance=",
        "__cf_bm=",
        "remember",
        "_oauth2_proxy",
        "oauth_state=",
        "_ga=",
        "_ga_",
        "_gid=",
        "_fbp=",
    ),
    *("ajs_", "intercom-", "awsalb", "username-", "_forward_auth="),
)
_QUERY: Final = (
    r"(?:[\w-]{0,30}[_-])?(?:token|key|apikey|auth|authorization|code|jwt|sig|signature|secret|password|passwd|pass|pwd|pw"
    r"|session|sessionid|session_id|sid|ticket|credential|credentials|assertion|otp|nonce|state|key-pair-id|hmac)"
)
_ASKED: Final = r"(?:q|query|prompt|text|question|input|message|msg|content|search)"
_NO_ID: Final = late(r"(?i)none|null|nil|true|false|\d{1,5}|0x[0-9a-f]+|<.*|\$.*|session")
_NAMES_A_FILE: Final = late(r"[./~]|[A-Za-z]:\\")


def _is_id(found: Any) -> bool:
    """Eight characters with a digit, hex of two cases or a UUID: ``session=closed`` is a state."""
    value = found["x"]
    if _NO_ID.fullmatch(value) or _NAMES_A_FILE.match(value):
        return False
    clock = len(value) < 16 and not re.search("[A-Za-z]", value)
    return len(value) >= 8 and bool(re.search(r"\d", value)) and not clock


def _asks(found: Any) -> bool:
    """Words, not one: ``?q=rbln`` tells nothing."""
    return bool(re.search(r"\w(?:\+|%20|%[0-9A-Fa-f]{2})\w|%[A-F]\d", found["x"])) or len(found["x"]) > 40


def _told(found: Any) -> bool:
    return not re.fullmatch(r"(?i)\d{1,3}|none|null|true|false|<.*|\$.*|%[sdvr].*|\{.*", found["x"])


def _handed_over(found: Any) -> bool:
    """A state of a login is random: ``?state=running`` is one of a machine."""
    return _told(found) and (found["n"].lower() not in ("state", "nonce") or _is_id(found))


RULES: Final[tuple[Rule, ...]] = (
    Rule(
        "session",
        rf"(?i)(?<![A-Za-z0-9])(?:[\w-]{{0,30}}[_-])?sess(?:ion)?(?:[ _-]?(?:id|key|hash|cookie))?{_IS}{_VALUE}",
        ("sess",),
        _is_id,
        needs=r"(?i)sess(?:ion)?[ _-]?(?:id|key|hash|cookie)?\\?['\"]?\s{0,2}[:=]",
    ),
    Rule(
        "session",
        rf"(?i)(?<![A-Za-z0-9])sid{_IS}{_VALUE}",
        ("sid=", "sid:", 'sid "', 'sid"', "sid'", "sid\\", "sid ="),
        _is_id,
    ),
    Rule("cookie", rf"(?i)(?<![\w.-]){_COOKIES}={_VALUE}", _COOKIE_HINTS, _is_id),
    # What follows a cookie that is set, whatever it is called.
    Rule(
        "cookie",
        rf"(?i)(?<![\w.-])[\w.-]{{1,64}}={_VALUE}(?=;\s?(?:path=|domain=|expires=|max-age=|httponly|secure|samesite))",
        ("path=", "domain=", "expires=", "max-age=", "httponly", "secure", "samesite"),
        needs=r"(?i);\s?(?:path|domain|expires|max-age|httponly|secure|samesite)",
    ),
    Rule(
        "cookie",
        r"(?i)(?<![A-Za-z0-9])cookies?(?:_jar)?\\?['\"]?\s?[:=]\s?(?:\w{1,30}\()?\{(?P<x>[^{}\n]{3,8000})\}",
        ("cookie",),
        lambda m: "<cookie" not in m["x"],
    ),
    Rule(
        "secret",
        rf"(?i)(?<=[?&])(?P<n>{_QUERY})=(?P<x>[^\s&'\"`<>#\\)\]}}]{{1,2000}})",
        ("?", "&"),
        _handed_over,
        learn=True,
        needs=r"[?&][\w-]+=",
    ),
    # Signed URLs, also without their beginning.
    Rule(
        "secret",
        r"(?i)(?<![\w-])(?:x-(?:amz|goog)-(?:signature|credential|security-token)|googleaccessid|key-pair-id)="
        r"(?P<x>[^\s&'\"`<>#\\]{1,2000})",
        ("x-amz-", "x-goog-", "googleaccessid", "key-pair-id"),
        learn=True,
    ),
    Rule(
        "prompt",
        rf"(?i)(?<=[?&]){_ASKED}=(?P<x>[^\s&'\"`<>#\\]{{2,8000}})",
        ("?", "&"),
        _asks,
        needs=r"[?&][a-z]+=",
    ),
    Rule(
        "secret",
        r"(?i)(?<![\w-])x-[\w-]{0,30}(?:auth|key|token|secret|signature|password|session)[\w-]{0,20}"
        r"\\?['\"]?\s?:\s{0,2}\\?['\"]?(?P<x>[^\s'\"\\,<>]{4,2000})",
        ("x-",),
        _told,
        learn=True,
        needs=r"\b[xX]-[\w-]+\\?['\"]?\s?:",
    ),
)
