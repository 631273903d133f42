"""Names of machines as launchers, transports and file shares write them, and numbers that name one piece of hardware.

Shapes: Open MPI and UCX logs, NCCL's and its relatives' logs, Slurm's ``srun``, Windows' UNC paths, ``dmidecode``.
"""

from __future__ import annotations

import re
from typing import Any, Final

from diagnose.late import late
from diagnose.redact import clusters
from diagnose.redact.boxes import named, telling
from diagnose.redact.public import COMMON_USERS
from diagnose.redact.rule import Rule

_HOST: Final = r"(?P<x>[A-Za-z][\w.-]{1,120})"
_PORT: Final = r"(?=:\d{2,5}(?!\d|\.\d))"
_LIBRARY: Final = late(r"[^\n]{0,40}(?:\*\*\*|mca_|UCX|ucp_|uct_|ORTE|PMIX|PRTE|OPAL|orted|MPI|Caught signal)")


def _of_a_launcher(found: Any) -> bool:
    if not named(found):
        return False
    return telling(found) or _LIBRARY.match(found.string, found.end()) is not None


def _serial(found: Any) -> bool:
    value = found["x"]
    return bool(re.search(r"\d", value)) and len(set(value)) > 2


def _owner(found: Any) -> bool:
    return found["u"].lower() not in COMMON_USERS and not found["u"].isdigit()


_SHARES: Final = (
    r"(?:models?|data(?:sets?)?|weights|checkpoints?|artifacts?|cache|hub|tmp|temp|build|builds|ci|ai|llm|public|logs?)"
)
_HARDWARE: Final = (
    r"(?:machine|system|host|boot|product|chassis|device|board|baseboard|node|npu|gpu|card|module|hardware"
    r"|installation)"
)
_UUID: Final = r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"
_IS: Final = r"\\?['\"]?\s{0,20}[:=]\s{0,20}\\?['\"]?"

RULES: Final[tuple[Rule, ...]] = (
    *clusters.RULES,
    # Open MPI and UCX: [host:pid], [host:pid:thread:…]
    Rule(
        "host",
        rf"\[{_HOST}:\d{{2,8}}(?::\d{{1,8}}){{0,3}}\]",
        ("[",),
        _of_a_launcher,
        True,
        r"\[[A-Za-z][\w.-]+:\d{2,8}[:\]]",
    ),
    # NCCL and what is made after it: host:pid:thread [device]
    Rule("host", rf"(?<![\w.-]){_HOST}:\d{{2,8}}:\d{{2,8}}(?=\s\[\d)", (":",), named, True, r":\d{2,8}:\d{2,8} \["),
    Rule(
        "host",
        rf"(?i)\b(?:srun|slurmstepd|slurmd|prun|pdsh|mpirun|mpiexec|orterun|prterun): (?:error: |info: )?{_HOST}(?=:)",
        ("run: ", "slurmstepd: ", "slurmd: ", "pdsh: ", "mpiexec: "),
        telling,
        True,
    ),
    Rule("host", rf"\*\*\* (?:JOB|STEP) \S{{1,40}} ON {_HOST} ", ("*** ",), named, True),
    Rule(
        "host",
        r"(?i)(?<![A-Za-z0-9])slurm\w{0,40}(?:nodelist|nodename|hostlist|_host|launch_node\w*)"
        r"=(?P<x>[A-Za-z][\w.,\[\]-]{1,400})",
        ("slurm",),
    ),
    Rule(
        "host",
        rf"(?i)(?<![\w-])--?(?:master[_-]?addr(?:ess)?|head[_-]?(?:node|address)|node[_-]?(?:ip|address|name)|nodelist"
        rf"|host_?name|rdzv[_-]?endpoint|(?:[a-z]+-)?(?:endpoint|address|addr)|data-parallel-address"
        rf"|hosts?)[= ]['\"]?{_HOST}",
        ("addr", "node", "host", "endpoint"),
        named,
        needs=r"-[\w-]{0,80}[= ]",
    ),
    # A machine and a port behind a word that says so.
    Rule(
        "host",
        r"(?i)(?<![A-Za-z])(?:connect(?:ed|ing|ion)?|reconnect\w{0,4}|listen(?:ing)?|bind(?:ing)?|bound|dial(?:ed|ing)?"
        r"|(?:tcp)?store|server|client|socket|socket file descriptor|master|endpoint|broker|address|upstream"
        r"|peer|request|proxy)"
        r"[^\n:]{0,60}?(?:\s(?:to|on|at|with|from|for|via|of)|:|=)\s{0,2}(?:the |host |server )?['\"(\[]{0,2}"
        rf"{_HOST}{_PORT}",
        *((":",), named, False, r"[\w.-]:\d{2}"),
    ),
    Rule("host", rf"(?<!\w)\[{_HOST}\](?=:\d{{2,5}}\b)", ("]:",), telling),
    Rule(
        "host",
        r"(?i)(?<![A-Za-z])(?:(?:re)?connect(?:ed|ing|ion)?|route|login|ssh)\s(?:to|with|from)\s(?:host\s)?['\"]?"
        rf"{_HOST}(?=['\"]?(?:\s\(?port|\s\(|\.?$|\.\s|\sclosed|\srefused|\sfailed|\stimed|,|:\s|\son\sport|\slost))",
        ("connect", "route", "login", "ssh"),
        lambda m: (
            telling(m) or (named(m) and m.string[m.end() :].lstrip("'\"").startswith((" port", " (port", " closed")))
        ),
    ),
    Rule(
        "host",
        r"(?i)(?:could not|cannot|can't|failed to|unable to)\sresolve\s(?:(?:(?:the )?(?:host(?:name)?|proxy"
        r"|address))?(?::\s?['\"]?|\s?['\"]))"
        rf"{_HOST}",
        ("resolve",),
        named,
    ),
    Rule(
        "host",
        rf"(?i)getaddrinfo(?:\s(?:ENOTFOUND|EAI_AGAIN|failed)(?:\s(?:for|on))?|\()\s{{0,2}}['\"]?{_HOST}",
        ("getaddrinfo",),
        named,
    ),
    Rule("host", rf"(?i)ConnectionPool\(host=['\"]{_HOST}", ("connectionpool",), named),
    # A log that is called after its machine, where the name says what kind of machine it is.
    Rule(
        "host",
        r"(?i)(?<![\w.-])[a-z][a-z-]{0,40}(?:prod|prd|stg|stage|rack|node|host|srv|svr|idc)[a-z-]{0,10}\d[\w-]{0,20}"
        r"(?=\.(?:log|txt|out|err|gz|zst|jsonl?)\b)",
        ("prod", "prd", "stg", "stage", "rack", "node", "host", "srv", "svr", "idc"),
        needs=r"\d[\w-]*\.(?:log|txt|out|err|gz|zst|jsonl?)\b",
    ),
    # Windows' shares; a letter behind two backslashes is elsewhere the rest of an escape.
    Rule(
        "host",
        r"(?<![\w\\.:%/])(?:\\{2}(?P<x>[A-Za-z0-9][\w.-]{1,62})\\(?!\\)|\\{4}(?P<x>[A-Za-z0-9][\w.-]{1,62})\\\\(?!\\))"
        r"(?=[\w$ .-]{2,})",
        ("\\\\",),
        named,
        needs=r"\\\\[A-Za-z0-9][\w.-]+\\",
    ),
    Rule(
        "user",
        r"(?<![\w\\.:%/])(?:\\{2}|\\{4})(?:[A-Za-z0-9][\w.-]{1,62}|<host-\d+>)\\{1,2}"
        rf"(?!(?i:{_SHARES})\\)(?:(?P<x>(?P<u>[\w.-]{{2,63}}))\$|[\w$.-]{{1,80}}\\{{1,2}}(?P<x>(?P<u>[\w.-]{{2,64}})))(?=\\)",
        ("\\\\",),
        _owner,
        needs=r"\\\\[\w.<>-]+\\",
    ),
    Rule(
        "host",
        rf"(?<![\w:/.\\])//{_HOST}(?=/[\w$.-]{{2,}}/)",
        ("//",),
        telling,
        needs=r"(?:^|[^\w:/.\\])//[A-Za-z]",
    ),
    Rule(
        "serial",
        r"(?i)(?<![A-Za-z0-9])(?:(?:[a-z]{1,12}[ _-])?serial(?:[ _-]?(?:number|num|no|id))?\.?|s/n|sn|일련\s?번호"
        r"|시리얼(?:\s?번호)?)"
        rf"{_IS}(?P<x>[A-Za-z0-9][\w-]{{5,40}})",
        ("serial", "s/n", "sn", "일련", "시리얼"),
        _serial,
        needs=r"(?i)serial|s/n|\bsn\b|일련|시리얼",
    ),
    # In a cell, with no sign between. Four digits: `serial FP16` is a kind of work.
    Rule(
        "serial",
        r"(?i)(?<![A-Za-z0-9])(?:serial(?:[ _-]?(?:number|num|no))?\.?|s/n|일련\s?번호|시리얼(?:\s?번호)?)"
        r"[ \t|│┃]{1,20}(?P<x>(?!(?-i:rbln))(?-i:[A-Z0-9]{1,12}-){0,3}(?-i:[A-Z0-9]{6,40}))(?![\w.-])",
        ("serial", "s/n", "일련", "시리얼"),
        lambda m: _serial(m) and bool(re.search("[A-Z]", m["x"])) and len(re.findall(r"\d", m["x"])) > 3,
        needs=r"(?i)(?:serial|s/n|일련|시리얼).{0,20}[ \t|│┃]",
    ),
    # The id of a device beside its name.
    Rule(
        "serial",
        rf"(?i)(?<![\w-])rbln\d{{1,3}}(?![\w-])[^\n]{{0,200}}?(?<![A-Za-z0-9])uuid[ \t|│┃:=]{{1,20}}(?P<x>{_UUID})",
        ("uuid",),
        needs=r"[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-",
    ),
    Rule(
        "serial",
        rf"(?i)(?<![A-Za-z0-9])(?:{_HARDWARE}[ _-]?(?:u?uid|guid|id)|asset[ _-]?tag){_IS}(?P<x>{_UUID}|[0-9a-f]{{32}})",
        ("uid", "id", "asset"),
        needs=r"[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-|[0-9A-Fa-f]{32}",
    ),
    Rule("serial", rf"(?<![A-Za-z0-9])(?P<x>(?:GPU|NPU|MIG)-{_UUID})", ("gpu-", "npu-", "mig-")),
    Rule("serial", r"(?<![\w-])S-1-5-21(?:-\d{4,10}){3}(?:-\d{3,10})?", ("s-1-5-21",)),
    # Hardware addresses without colons.
    Rule(
        "mac",
        r"(?i)(?<![A-Za-z0-9])(?:mac(?:[ _-]?addr(?:ess)?)?|hwaddr|ether|lladdr|bssid)"
        r"(?:\\?['\"]?\s{0,4}[:=]\s{0,4}|\s)"
        r"\\?['\"]?(?P<x>[0-9a-f]{12})(?![0-9a-z])",
        ("mac", "hwaddr", "ether", "lladdr", "bssid"),
        needs=r"[0-9A-Fa-f]{12}",
    ),
    Rule(
        "mac",
        r"(?i)guid\\?['\"]?\s{0,4}[:=]?\s{0,4}\\?['\"]?(?P<x>(?:0x)?[0-9a-f]{4}(?::[0-9a-f]{4}){3}|0x[0-9a-f]{14,16})"
        r"(?![0-9a-z:])",
        ("guid",),
    ),
    Rule(
        "mac",
        r"(?<![\w.])[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4}(?!\w|\.[0-9A-Fa-f]{4}\b)",
        (".",),
        lambda m: bool(re.search("[A-Fa-f]", m[0]) and re.search(r"\d", m[0])),
        needs=r"[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4}",
    ),
)
