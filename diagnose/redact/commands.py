"""Secrets of command lines: options and places that mean a password, a login or a user to one tool only.

Options: the tools' own manual pages.
"""

from __future__ import annotations

import re
from typing import Any, Final

from diagnose.late import late
from diagnose.redact.boxes import is_machine, is_telling
from diagnose.redact.naming import is_mixed
from diagnose.redact.public import COMMON_USERS
from diagnose.redact.rule import Rule

_ON: Final = r"[ \t](?:[^\n|;&]{0,200}?[ \t])?"
"""From a tool to one of its options."""
_WORD: Final = r"['\"]?(?P<x>[^\s'\"]{3,200})"
_SAID: Final = late(r"[$%<{(-]|\*+$|None$|null$")
"""A variable, an alias, another option: nothing is given."""
_OTHER_P: Final = late(
    r"(?:^|[\s/;&|(])(?:mkdir|install|cp|rsync|tar|patch|ps|pytest|make|kill|pgrep|nvidia-smi|ssh|scp|docker|podman"
    r"|python\S*|rbln\S*|taskset|parted|perl|read|vllm|chrt|psql|pip|git|grep|numactl|perf|tree|useradd)\s"
)
"""Tools whose ``-p`` is no password."""


_NO_USERS: Final = frozenset({"aws", "oauth2accesstoken", "_json_key", "_json_key_base64", "token", "oauth", "oauth2"})
"""What clouds have everybody log in as."""


def _given(found: Any) -> bool:
    return not _SAID.match(found["x"])


def _password(found: Any) -> bool:
    """Behind a user's name; a port, a mapping of ports and a path are none."""
    value = found["x"]
    return _given(found) and bool(re.search("[A-Za-z]", value)) and not value.startswith(("/", "./", "~", "no:"))


def _named_with_digit(found: Any) -> bool:
    """``mysql -p NAME`` asks for the password and names a database: only what looks like a password is one."""
    return _given(found) and is_mixed(found["x"])


def _of_unknown_tool(found: Any) -> bool:
    line = found.string[max(found.start() - 200, 0) : found.start()].rpartition("\n")[2]
    return not _OTHER_P.search(line)


def _two_words(found: Any) -> bool:
    """``-u 1000:1000`` are ids, no login."""
    return not re.fullmatch(r"[\d:]+", found["x"])


def _person(found: Any) -> bool:
    return _given(found) and found["x"].lower() not in COMMON_USERS


def _registry(found: Any) -> bool:
    """A name with a dot, a port, a digit or a hyphen: ``docker login failed`` names none."""
    host = found["x"]
    return is_machine(host) and ("." in host or is_telling(host) or found.string[found.end() : found.end() + 1] == ":")


def _tool(tools: str, option: str, *hints: str) -> Rule:
    return Rule("secret", rf"(?<![\w-])(?:{tools}){_ON}{option}{_WORD}", hints, _given, learn=True)


_MYSQL: Final = r"(?:mysql(?:dump|admin|import|show|sh)?|mariadb(?:-dump|-admin|-import)?)"
_LOGIN: Final = (
    r"(?<![\w-])(?:docker|podman|nerdctl|buildah|crane|skopeo|oras|helm[ \t]{1,4}registry|crane[ \t]{1,4}auth)"
    r"[ \t]{1,4}login"
)
_ARGUMENT: Final = r"(?:'[^'\n]{0,200}'|\"[^\"\n]{0,200}\"|[^\s'\"-]\S{0,400})"
_OPTION: Final = (
    rf"(?:-[upc](?:=|[ \t]{{0,4}}){_ARGUMENT}"
    r"|--(?:username|password|authfile|cert-dir|ca-file|cert-file|key-file|registry-config|compat-auth-file)"
    rf"(?:=|[ \t]{{1,4}}){_ARGUMENT}|--?[A-Za-z][\w-]{{0,40}}(?:=\S{{0,200}})?)"
)
"""Of a login to a registry: where they end stands the registry, if it does not stand before them."""
_ASKS: Final = (
    r"(?:--password-stdin|--stdin|--with-token|sudo\s(?:-\w+\s){0,3}-\w*S|chpasswd|passphrase-fd|cryptsetup|login)"
)

RULES: Final[tuple[Rule, ...]] = (
    Rule("secret", rf"(?<![\w-])sshpass\s{{1,3}}-p\s{{0,3}}{_WORD}", ("sshpass",), learn=True),
    _tool(_MYSQL, "-p", "mysql", "mariadb"),
    Rule("secret", rf"(?<![\w-]){_MYSQL}{_ON}-p\s{{1,3}}{_WORD}", ("mysql", "mariadb"), _named_with_digit, learn=True),
    _tool(r"(?:docker|podman|nerdctl|buildah|crane|skopeo|helm\sregistry|oras|az|oc)\slogin", r"-p[ =]?", " login "),
    _tool("redis-cli|valkey-cli", r"-a\s{1,3}", "redis-cli", "valkey-cli"),
    _tool(r"7z[ar]?\s[axeltu]|unrar\s[xe]|rar\s[axe]", "-p", "7z", "rar "),
    _tool(
        r"unzip|zip|ipmitool|sqlcmd|bcp|mosquitto_(?:pub|sub)",
        r"-P\s{0,3}",
        *("zip ", "ipmitool", "sqlcmd", "bcp ", "mosquitto_"),
    ),
    _tool(r"ldap(?:search|add|modify|whoami|delete)", r"-w\s{1,3}", "ldap"),
    _tool(r"wandb\slogin", r"(?=[^\s'\"]{0,80}\d)(?![\w-]*=|https?:|<|-)(?=\S{8})", "wandb login"),
    _tool("openssl", r"(?:-k\s{1,3}|-pass(?:in|out)?\s{1,3}pass:)", "openssl"),
    Rule(
        "secret",
        rf"(?<![\w-])htpasswd[ \t]-\w{{0,9}}b\w{{0,9}}[ \t]\S{{1,200}}[ \t]\S{{1,64}}[ \t]{_WORD}",
        ("htpasswd",),
        _given,
        learn=True,
    ),
    _tool("kubectl|oc", r"--from-literal[= ]['\"]?[\w.-]{1,100}=", "--from-literal"),
    # Of any tool: a user in one option and the password in the next.
    Rule(
        "secret",
        rf"(?<!\S)(?:-[uU]|--user(?:name)?)[ =]?[^\s:]{{1,100}}\s{{1,3}}-[pP]\s{{0,3}}{_WORD}",
        ("-u", "--user"),
        _password,
        learn=True,
        needs=r"-[pP]",
    ),
    # Of a tool nobody knows: what mixes letters and digits as a password does.
    Rule(
        "secret",
        r"(?<!\S)-p\s{1,3}['\"]?(?P<x>(?=[A-Za-z]{1,40}\S{0,40}\d)(?=\S{0,40}[A-Za-z]{3})[A-Za-z0-9!@#$%^*_+.]{8,64})"
        r"(?=['\"]?(?:\s|$))",
        ("-p ",),
        _of_unknown_tool,
        learn=True,
    ),
    # What is piped to a program that asks for a password.
    Rule(
        "secret",
        r"(?<![\w-])(?:echo|printf|print)\s(?:-\w+\s)?(?:['\"]?%s\S{0,4}\s)?['\"]?(?P<x>[^\s'\"|<>]{3,200})['\"]?"
        rf"\s{{0,3}}\|\s{{0,3}}(?=[^\n|;&]{{0,80}}{_ASKS})",
        ("echo", "print"),
        _given,
        learn=True,
        needs=r"(?:echo|printf?)\s[^\n|]{0,300}\|",
    ),
    Rule(
        "login",
        r"(?<!\S)(?:-u|--user|--proxy-user)[ =]?['\"]?(?P<x>[^\s'\":/=-][^\s'\":/]{0,63}:[^\s'\"]{1,200})",
        ("-u", "--user", "--proxy-user"),
        _two_words,
    ),
    Rule(
        "login",
        r"(?<![\w-])(?:smbclient|mount\.cifs|net|rpcclient|winexe)\s[^\n|;&]{0,200}?-U\s{0,3}['\"]?"
        r"(?P<x>[^\s'\"%]{1,64}%[^\s'\"]{1,200})",
        ("-u",),
        _given,
    ),
    Rule(
        "user",
        r"(?<!\S)--(?:(?:http-|ftp-|remote-|db-)?user(?:name)?=|(?:(?:http-|ftp-|remote-|db-)user|username|login)\s)"
        r"['\"]?(?P<x>[A-Za-z_][\w.-]{1,40})(?![\w:@(/])",
        ("-user", "--login"),
        _person,
    ),
    Rule(
        "user",
        rf"{_LOGIN}{_ON}(?:-u(?:=|[ \t]{{0,4}})|--username(?:=|[ \t]{{1,4}}))['\"]?"
        r"(?P<x>[A-Za-z_][\w.@+\\-]{0,100})(?![\w:@(/])",
        (" login",),
        lambda m: _person(m) and m["x"].lower() not in _NO_USERS,
        needs=r" login .{0,400}-u",
    ),
    Rule(
        "host",
        rf"{_LOGIN}(?:[ \t]{{1,4}}{_OPTION}){{0,12}}+[ \t]{{1,4}}['\"]?(?:https?://)?"
        r"(?P<x>[A-Za-z][\w.-]{1,200}+)(?=[:/\s'\"`,;)]|$)",
        (" login",),
        _registry,
    ),
    Rule(
        "user",
        r"(?<![\w-])(?:chown\s(?:-\S*\s){0,3}(?P<x>[a-z_][\w.-]{1,32})(?=:)"
        r"|(?:su\s-|sudo\s-u|runuser\s-u|crontab\s-u|usermod|useradd|userdel|adduser)\s(?:-\S*\s){0,3}"
        r"(?P<x>[a-z_][\w.-]{1,32})(?=\s|$))",
        ("chown ", "su -", "sudo -u", "runuser", "crontab", "usermod", "useradd", "userdel", "adduser"),
        _person,
    ),
    Rule(
        "cookie",
        r"(?<![\w-])(?:curl|https?|wget)\s(?:[^\n|;&]{0,400}?\s)?(?:-b|--cookie)[ =]?"
        r"(?:'(?P<x>[^'\n=]{1,100}=[^'\n]{1,4000})|\"(?P<x>[^\"\n=]{1,100}=[^\"\n]{1,4000})"
        r"|(?P<x>[^\s'\"=]{1,100}=[^\s'\"]{1,4000}))",
        ("curl", "http", "wget"),
        needs=r"\s(?:-b|--cookie)[ =]?\S",
    ),
)
