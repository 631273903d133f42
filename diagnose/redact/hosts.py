"""Where it was: names of hosts and pods."""

from __future__ import annotations

import re
from typing import Any, Final

from diagnose.late import late
from diagnose.redact.boxes import is_machine
from diagnose.redact.public import DOMAIN, is_public
from diagnose.redact.rule import Rule

_TLDS: Final = frozenset(
    {
        *(
            "com",
            "org",
            "edu",
            "gov",
            "mil",
            "int",
            "biz",
            "info",
            "kr",
            "jp",
            "cn",
            "tw",
            "hk",
            "sg",
            "uk",
            "de",
            "fr",
        ),
        *("nl", "eu", "ca", "au", "ru", "us", "corp", "lan", "intranet", "localdomain", "intra", "private", "ts"),
    }
)
"""Last labels that no Python module, file or attribute has."""
_DOUBTFUL_TLDS: Final = frozenset(
    {
        "net",
        "io",
        "ai",
        "dev",
        "app",
        "cloud",
        "local",
        "internal",
        "co",
        "in",
        "me",
        "tech",
        "svc",
        "site",
        "host",
        "home",
        "run",
    }
)
"""Last labels that are also names in code: it takes three labels, and a digit or hyphen, or a whole cluster name."""
_SHORT_TLDS: Final = frozenset({*("us", "int", "private", "info", "ts", "de", "ca", "eu", "fr", "nl", "au", "ru")})
"""Of these, last labels that are words as well: it takes three labels or a hyphen."""
_CODE: Final = frozenset(
    {
        *(
            "torch",
            "vllm",
            "optimum",
            "transformers",
            "rebel",
            "numpy",
            "os",
            "sys",
            "self",
            "torchvision",
            "skimage",
            "scipy",
            "threading",
            "rbln",
            "model",
            "config",
            "args",
            "socket",
            "platform",
            "graph",
            "onnx",
            "request",
        )
    }
)


def _is_fqdn(found: Any) -> bool:
    labels = found[0].lower().split(".")
    if is_public(found[0]):
        return False
    if labels[-2:] == ["cluster", "local"] or labels[-1] == "svc":
        return True
    if found.string[found.end() : found.end() + 1] == "(" and (labels[-1] not in _TLDS or labels[-1] in _SHORT_TLDS):
        return False  # a call
    if labels[0] in _CODE:
        return False
    if labels[-1] in _TLDS:
        return labels[-1] not in _SHORT_TLDS or len(labels) > 2 or "-" in found[0]
    if labels[-1] not in _DOUBTFUL_TLDS or len(labels) < 3:
        return labels[-1] in ("internal", "local", "cloud") and bool(re.search(r"[\d-]", labels[0]))
    return bool(re.search(r"[\d-]", found[0])) or labels[-1] in ("internal", "net")


_SCHEMES: Final = frozenset({"hf", "file", "ipc", "unix", "inproc", "package", "model", "models", "data", "env"})


def _is_url_host(found: Any) -> bool:
    host = found["x"]
    return found["s"].lower() not in _SCHEMES and not is_public(host) and not re.fullmatch(r"[\d.]+", host)


_CALL: Final = late(r"\w*\((?!none)|\[\d{1,3}\](?!:)")
"""Behind a name in a line of source: ``socket.gethostname()``, ``graph.nodes[0]``."""


def _is_host(found: Any) -> bool:
    host = found["x"]
    if "." in host and (_CALL.match(found.string, found.end("x")) or host.split(".")[0] in _CODE):
        return False
    return not is_public(host) and not re.fullmatch(
        r"(?i)[\d.]+|none|null|true|false|name|memory|device|cpu|self\S*|args\S*|config\S*|str|\S+\.py|(?-i:[A-Z][A-Za-z0-9]{1,30}_\d+)",
        host,
    )


def _is_telling_host(found: Any) -> bool:
    return (
        _is_host(found)
        and bool(re.search(r"[\d.-]", found["x"]))
        and not re.fullmatch(r"(?i)rbln\d*|rbln-c\w+|v?[\d.]+\w*", found["x"])
        and is_machine(found["x"])
    )


def _is_login(found: Any) -> bool:
    return found["x"] not in ("root", "git")


def _is_pod(found: Any) -> bool:
    return bool(re.search(r"\d", found["h"]))


_SAFE: Final = "bcdfghjklmnpqrstvwxz2456789"
"""Letters Kubernetes makes random names of (k8s.io/apimachinery, util/rand)."""
_HOST: Final = r"(?P<x>[A-Za-z][\w.-]{0,120}[A-Za-z0-9])"
_IS: Final = r"\\?['\"]{0,2}\s{0,2}[:=]\s{0,2}\\?['\"]{0,2}"
"""Between a name and its value; an export of tables doubles quotation marks."""
_NAMED: Final = r"(?:(?:host|node|server)[_.]?name|master_addr(?:ess)?|node_?ip|fqdn)"
_NAMED_HINTS: Final = (
    *(
        "hostname",
        "host_name",
        "host.name",
        "nodename",
        "node_name",
        "node.name",
        "servername",
        "server_name",
        "server.name",
        "master_addr",
        "node_ip",
        "nodeip",
        "fqdn",
    ),
)
_MACHINE: Final = r"(?:host|node|server|machine|peer|instance)"
_MACHINE_HINTS: Final = ("host", "node", "server", "machine", "peer", "instance")
_NAMED_AFTER: Final = (
    r"(?i)(?:host|node|server|machine|peer|instance)(?:\\?['\"]?\s{0,2}[:=]|\s\\?['\"]?[a-z][\w-]*[\d.-])"
)
_ON_HINTS: Final = tuple(f"{before} " for before in _MACHINE_HINTS)
_LABELS: Final = r"[A-Za-z][\w-]{1,63}(?:\.[\w-]{1,63}){0,6}"
_SHELL: Final = r"(?=:[~/]|\s[~/]\S{0,200}[\]$#]|:\s?\$|['\"]s password|: Permission denied)"
"""What comes behind ``user@host`` in a prompt, in an address of scp, in what ssh says."""
_LABELLED: Final = r"(?:[A-Za-z0-9](?:[\w-]{0,61}[A-Za-z0-9])?\.){1,8}[A-Za-z]{2,12}"
_DOTTED: Final = rf"(?<![\w./@\\$-]){_LABELLED}"
_IN_URL: Final = r"(?<![\w+.-])(?P<s>[A-Za-z][\w+.-]{1,20})://(?:(?:[^\s/'\"<>\\]{1,300}|<login(?:-\d{1,5})?>)@)?"
_BY: Final = r"(?=(?:[\w.@/-]{1,80}\[\d{1,10}\]|kernel): )"
"""Who wrote a line, behind the host in the prefixes of syslog and journald."""
_LINE: Final = r"(?m)(?:^|(?<=[\s\"'|\]>\ufeff]))"
"""The prefix begins a line, or stands behind that of a pod, a collector or a date."""
_LEVEL: Final = r"(?:INFO|ERROR|WARN(?:ING)?|DEBUG|TRACE|CRITICAL|FATAL|NOTICE|UTC|KST|GMT)\b"
SYSLOG: Final[tuple[Rule, ...]] = (
    # The forms ``diagnose.records.transport`` reads.
    Rule(
        "host",
        rf"{_LINE}(?:<\d{{1,3}}>)?[A-Z][a-z]{{2}} [ \d]\d \d\d:\d\d:\d\d(?:\.\d+)? (?!{_LEVEL})(?P<x>[^\s:]{{1,120}}) "
        r"(?=[\w.@/-]{1,80}(?:\[\d{1,10}\])?: )",
        (":",),
        _is_host,
        needs=r"\d\d:\d\d:\d\d(?:\.\d+)? \S+ [^\s:]+: ",
    ),
    Rule(
        "host",
        rf"{_LINE}\d{{4}}-\d\d-\d\dT[\d:.,]{{8,20}}(?:Z|[+-]\d\d:?\d\d) (?P<x>[\w.-]{{1,120}}) {_BY}",
        (":",),
        _is_host,
        needs=r"\dT\d\d:\S+ \S+ [^\s:]+: ",
    ),
    Rule(
        "host",
        r"(?m)^<\d{1,3}>1 \d{4}-\d\d-\d\dT\S{8,25} (?P<x>[\w.-]{2,120}) \S{1,48} \S{1,128} \S{1,32} ",
        (">1 ",),
        _is_host,
    ),
    Rule(
        "host", rf"(?m)^\[ {{0,9}}\d+\.\d{{6}}\] (?P<x>[\w.-]{{1,120}}) {_BY}", ("] ",), _is_host, needs=r"\.\d{6}\] \S"
    ),
    Rule("host", rf"(?m)^\d{{9,10}}\.\d{{6}} (?P<x>[\w.-]{{1,120}}) {_BY}", (":",), _is_host, needs=r"\d{9}\.\d{6} \S"),
    Rule(
        "host",
        r"(?m)^[A-Z][a-z]{2} \d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)? [A-Z+-][\w:]{1,6} "
        rf"(?P<x>[\w.-]{{1,120}}) {_BY}",
        (":",),
        _is_host,
        needs=r"[A-Z][a-z]{2} \d{4}-",
    ),
)
RULES: Final[tuple[Rule, ...]] = (
    Rule(
        "host",
        r"(?<![\w.-])(?:ip|host|node|worker|vm|server|npu)-\d{1,3}-\d{1,3}-\d{1,3}-\d{1,3}(?:\.[a-z0-9-]{1,63}){0,5}(?![\w-])",
        ("ip-", "host-", "node-", "worker-", "vm-", "server-", "npu-"),
        needs=r"-\d{1,3}-\d{1,3}-\d{1,3}-\d",
    ),
    Rule(
        "host",
        rf"{_IN_URL}(?P<x>[A-Za-z0-9][\w.-]{{0,250}})",
        ("://",),
        _is_url_host,
    ),
    Rule(
        "host",
        rf"{_IN_URL}(?P<x>{DOMAIN})",
        ("://",),
        lambda m: not m["x"].isascii() and _is_url_host(m),
        needs=r"://[^\s/]{0,500}[^\x00-\x7f]",
    ),
    Rule("host", rf"{_DOTTED}(?![\w/-]|\.\w|\[)(?<!\.py)", (".",), _is_fqdn),
    # In a path: a directory of that name, or a log named after its machine.
    Rule("host", rf"(?<![\w.@\\$-]){_LABELLED}(?=/)", (".",), _is_fqdn, needs=r"\.[A-Za-z]{2,12}/"),
    Rule(
        "host",
        rf"(?<![\w.@\\$-]){_LABELLED}(?=\.(?:log|txt|out|err|json|jsonl|gz|zst|md|py)\b)",
        (".log", ".txt", ".out", ".err", ".json", ".gz", ".zst", ".md", ".py"),
        _is_fqdn,
        needs=r"\.[A-Za-z]{2,12}\.(?:log|txt|out|err|jsonl?|gz|zst|md|py)\b",
    ),
    Rule("host", rf"(?i)(?<![A-Za-z0-9-]){_NAMED}{_IS}{_HOST}", _NAMED_HINTS, _is_host),
    Rule(
        "host",
        rf"(?i)\"(?:host|node)\":\s{{0,2}}\{{\s{{0,9}}\"name\":\s{{0,2}}\"{_HOST}",
        ('"host":', '"node":'),
        _is_host,
        needs=r"\{\s{0,9}\"name",
    ),
    Rule(
        "host",
        rf"(?i)(?<![\w-])(?:--)?{_MACHINE}(?:{_IS}|\s(?!\w*\s)\\?['\"]?){_HOST}",
        _MACHINE_HINTS,
        _is_telling_host,
        needs=_NAMED_AFTER,
    ),
    Rule(
        "host",
        rf"(?i)\b(?:on|from|to|at|via) {_MACHINE} ['\"]?{_HOST}",
        _ON_HINTS,
        _is_telling_host,
        needs=_NAMED_AFTER,
    ),
    *SYSLOG,
    # Datadog's export of a search: date, host, service, message.
    Rule(
        "host",
        r"(?m)^\"?\d{4}-\d\d-\d\dT[\d:.]{8,16}Z\"?,\"?(?P<x>[A-Za-z][\w.-]{2,120})\"?,(?=\"?[\w./-]{1,80}\"?,)",
        ("z,", 'z",'),
        _is_host,
        needs=r"\dZ\"?,",
    ),
    Rule("host", r"(?m)(?:^|[\s'\"])Linux (?P<x>[\w.-]{2,120}) \d+\.\d+\.\d+", ("linux ",), _is_host),
    Rule("host", rf"\[[a-z_][\w.<>-]{{0,32}}@(?P<x>{_LABELS})\s[^\]\n]{{1,200}}\][$#]", ("@",), _is_host),
    Rule("user", rf"\[(?P<x>[a-z_][\w.-]{{0,32}})@{_LABELS}\s[^\]\n]{{1,200}}\][$#]", ("@",), _is_login),
    Rule(
        "host",
        r"(?<![\w.-])(?:ssh|scp|sftp|rsync|ssh-copy-id|git\sclone|Host)\s(?:[^\s|;&]{1,200}\s){0,8}?[a-z_<][\w.>-]{0,40}"
        rf"@(?P<x>{_LABELS})(?![\w@-]|\.\w)",
        ("ssh", "scp", "sftp", "rsync", "git clone"),
        _is_host,
    ),
    Rule("host", rf"(?<![\w.+%-])git@(?P<x>{_LABELS})(?=:[\w~./-])", ("git@",), _is_host),
    # A shell's prompt and ssh: the user and the machine.
    Rule("host", rf"(?<![\w.+%-])[a-z_][\w.-]{{0,32}}@(?P<x>{_LABELS}){_SHELL}", ("@",), _is_host),
    Rule(
        "host",
        r"(?i)(?<![\w-])(?:user(?:name)?|login|logname|as)\s?[=: ]\s?['\"]?[a-z_][\w.-]{0,32}"
        rf"@(?P<x>{_LABELS})(?![\w@-]|\.\w)",
        ("@",),
        _is_telling_host,
    ),
    Rule("user", rf"(?<![\w.+%-])(?P<x>[a-z_][\w.-]{{0,32}})@{_LABELS}{_SHELL}", ("@",), _is_login),
    # The end of the line before it stands right before it where the line ends were lost.
    Rule(
        "user",
        rf"(?<![\w.+%-])(?:\d{{1,3}}\.){{3}}\d{{1,3}}(?P<x>[A-Za-z_][\w.-]{{0,32}})@(?:{_LABELS}|<host-\d{{1,5}}>){_SHELL}",
        ("@",),
        _is_login,
        needs=r"\d\.\d+\.\d+[A-Za-z][\w.-]{0,32}@",
    ),
    Rule(
        "host",
        rf"(?<![\w.+%-])(?:(?:\d{{1,3}}\.){{3}}\d{{1,3}}|<ip-\d{{1,5}}>)(?:[A-Za-z_][\w.-]{{0,32}}|<user-\d{{1,5}}>)@(?P<x>{_LABELS}){_SHELL}",
        ("@",),
        _is_host,
        needs=r"[\d>](?:[A-Za-z][\w.-]{0,32}|<user-\d+>)@",
    ),
    Rule(
        "host",
        r"(?<![\w.-])(?:ssh|scp|sftp)\s(?:-\w+\s(?:\S+\s)?){0,4}(?:[\w.<>-]{1,64}@)?(?P<x>[A-Za-z][\w.-]{1,120})(?![\w/])",
        ("ssh", "scp", "sftp"),
        _is_telling_host,
    ),
    Rule(
        "user",
        r"(?<![\w.-])(?:ssh|scp|sftp|rsync|ssh-copy-id)\s(?:[^\s|;&]{1,200}\s){0,8}?(?P<x>[a-z_][\w.-]{0,32})@[\w.<-]{2,}",
        ("ssh", "scp", "sftp", "rsync"),
        _is_login,
    ),
    Rule(
        "host",
        rf"(?:호스트|서버|노드|장비|머신)(?:\s?(?:명|이름))?(?:\s?[:=]\s{{0,2}}|[은는]?\s)['\"]?{_HOST}",
        ("호스트", "서버", "노드", "장비", "머신"),
        _is_telling_host,
        needs=r"(?:호스트|서버|노드|장비|머신)[^\n:=]{0,4}[:=\s]",
    ),
    Rule("pod", r"(?<![\w/])pods?/(?P<x>[a-z0-9][a-z0-9._-]{1,120})", ("pod/", "pods/")),
    Rule("pod", rf"(?i)(?<![\w-])pod_?name{_IS}(?P<x>[a-z0-9][a-z0-9._-]{{1,120}})", ("podname", "pod_name"), _is_host),
    Rule(
        "pod",
        rf"(?i)(?<![\w.-])pod(?:{_IS}|\s(?=\\?['\"])\\?['\"])(?P<x>[a-z0-9][a-z0-9._-]{{1,120}})",
        ("pod",),
        _is_telling_host,
    ),
    Rule(
        "pod",
        rf"(?<![A-Za-z0-9.-])[a-z][a-z0-9-]{{0,60}}?-(?P<h>[{_SAFE}]{{8,10}})-[{_SAFE}]{{5}}(?![A-Za-z0-9-])",
        ("-",),
        _is_pod,
        needs=rf"-[{_SAFE}]{{8,10}}-[{_SAFE}]{{5}}",
    ),
)
