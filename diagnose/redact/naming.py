"""What a name says of its value: that it is a secret, that it may be one, or nothing.

A name is read as the words it is made of: ``dbPwd``, ``db.pwd`` and ``DB_PWD`` are one name.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from diagnose.late import late

STRONG: Final = 2
"""Whatever stands there is a secret."""
LOOKS: Final = 1
"""A secret if it looks like one."""

_WORDS: Final = late(r"[A-Z]{2,}s?(?![a-z])|[A-Z]?[a-z]+|[A-Z]|\d+")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_BEHIND: Final = _words(
    "value val prod production dev stage staging test qa read write ro rw old new raw text str string main "
    "primary secondary backup default org user ci here data b64 base64 current my the"
)
"""Words behind the one that counts."""
_BEFORE_PASS: Final = _words(
    "db database mysql mariadb pg postgres mongo redis rabbitmq kafka smtp mail imap ftp sftp ssh sudo ldap "
    "http https proxy basic auth user root admin login registry docker git nexus jenkins jira vpn bmc ipmi "
    "service svc app become default my bind store keystore truststore trust key vnc vault wifi sasl ansible "
    "require requires temp master olc os sys account server client zip rar host"
)
_BEFORE_KEY: Final = _words(
    "api access secret account subscription signing encryption master private storage service license auth "
    "admin shared preshared aes hmac cipher fernet recovery unlock activation product hf openai anthropic "
    "wandb vllm azure aws gcp google claude cohere mistral groq nvidia ngc github gitlab slack sentry datadog "
    "dd newrelic comet neptune clearml mlflow pinecone langsmith munge ingestion routing integration webhook "
    "deploy rbln certificate client ssh session cookie csrf wireguard psk kaggle telegram stripe sendgrid "
    "twilio elastic es grafana app"
)
_SURE_KEY: Final = _words("api access secret preshared subscription encryption signing")
_BEFORE_TOKEN: Final = _words(
    "auth access hf hub huggingface refresh api bearer id session csrf xsrf github gitlab gh slack bot deploy "
    "personal job ci secret security sas push registry npm pypi wandb oauth service login app vault docker "
    "private rbln ngc circle plex consul jenkins jupyter valid"
)
_NOT_TOKEN: Final = _words(
    "eos bos pad unk sep cls mask image video audio stop special start end max min num next prev previous "
    "first last new per input output prompt generated batched total draft accepted prefill decode cached "
    "reserved added tool think thinking eot eom fim sos boi eoi vision generation sampled target all any each "
    "completion reasoning placeholder separator unknown logprob additional budget context cache of text ids by "
    "count"
)
_PASS: Final = frozenset({"pass", "pwd", "pw"})
_SECRETS: Final = _words(
    "password passwd passphrase passcode passwort passwrd pswd psw secret credential cred psk authtoken "
    "authkey apikey accesskey secretkey apitoken hftoken passw kennwort requirepass masterauth nopass bindpw "
    "rootpw loginpw presharedkey authpass keypass storepass"
)
_MAY_BE: Final = _words(
    "token tok tkn auth hmac nonce salt license jwt sk ak crumb totp mnemonic webhook signature hfkey hfapi dsn"
)
_TWO: Final = frozenset(
    {
        *(("pin", "code"), ("recovery", "code"), ("backup", "code"), ("invite", "code"), ("seed", "phrase")),
        *(("hf", "api"), ("openai", "api"), ("honeycomb", "team"), ("key", "id"), ("recovery", "phrase")),
        *(("access", "code"), ("auth", "code")),
    }
)
_MANY: Final = frozenset({"secrets", "passwords", "credentials", "creds"})
_GLUED: Final = late(r"(?:(.{2,20})(?:pass|pwd|pw)|.{1,20}(?:password|passwd|passphrase|secret))$")
_NO_KEY: Final = _words(
    "cache kv layer query head attn attention sort primary foreign public partition group hash index shard "
    "config dict state states compile compiler graph fuse fusion opt weight weights param row column col by "
    "map parent child object node module model block batch image video unique missing unexpected lookup "
    "registry bucket memo feature num past present rotary proj value k q v"
)


@lru_cache(1024)
def says(name: str) -> int:
    """0, ``LOOKS`` or ``STRONG`` by the last words of ``name``."""
    words = [word.lower() for word in _WORDS.findall(name[-100:])]
    many = any(word in _MANY for word in words[:-1])
    while len(words) > 1 and (words[-1] in _BEHIND or words[-1].isdigit()):
        words.pop()
    if not words:
        return 0
    last, before = _one(words[-1]), words[-2] if len(words) > 1 else ""
    # Of the words that make up one: pass_word, API key of two.
    if (before, last) == ("pass", "word") or last in _SECRETS:
        return STRONG
    if last in _PASS and before in _BEFORE_PASS:
        return STRONG
    glued = _GLUED.match(last)
    if glued and (glued[1] is None or glued[1] in _BEFORE_PASS):
        return STRONG
    return _may_be(last, before, words) or (LOOKS if many else 0)


def _may_be(last: str, before: str, words: list[str]) -> int:
    if last == "key":
        if before in _SURE_KEY:
            return STRONG
        return LOOKS if before not in _NO_KEY and (before in _BEFORE_KEY or len(words) > 1) else 0
    if last == "token":
        if before in _BEFORE_TOKEN:
            return STRONG
        return 0 if before in _NOT_TOKEN else LOOKS
    if (before, last) in _TWO or last in _MAY_BE:
        return LOOKS
    return 0


def _one(word: str) -> str:
    return word[:-1] if word.endswith("s") and word not in ("pass", "aws", "dns") and not word.endswith("ss") else word


_PLAIN: Final = late(
    r"v?\d+(?:[._]\w+(?:\.\w+)*)?|[a-z]+(?:[_.-][a-z0-9]+)*|[A-Z]+(?:[_.-][A-Z0-9]+)*|[\w.-]+[(\[].*|.*(?:://|::).*|\w+=[\w.]*"
)
_HEX: Final = late(r"[0-9a-f]{16,}|[0-9A-F]{16,}")
_WEIRD: Final = late(r"[!#$%^&*+=?@~]")


def is_mixed(value: str) -> bool:
    """Digits and letters of ASCII in one."""
    return bool(re.search(r"\d", value) and re.search("[A-Za-z]", value))


def looks_random(value: str) -> bool:
    """Eight characters or more that mix digits with both cases or with signs; or hex: no word, version, path or name
    with a number."""
    if len(value) < 8 or value[0] in "/~.<$%{" or value[:2] == "0x":
        return False
    if not is_mixed(value):
        return False
    if _HEX.fullmatch(value):
        return True
    if value.isascii() and value.isalnum() and len(value) >= 20:
        return True
    if _PLAIN.fullmatch(value):
        return False
    return bool(_WEIRD.search(value)) or bool(re.search("[A-Z]", value) and re.search("[a-z]", value))
