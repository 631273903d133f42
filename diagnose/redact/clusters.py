"""Names of machines as clusters and their tools write them: Kubernetes, Slurm, CI, ansible, MPI, ssh, telemetry.

Shapes: ``kubectl get`` and ``describe``, ``scontrol show``, ``sinfo``, ``squeue``, the first lines of a job of GitHub,
GitLab and Jenkins, ``ansible-playbook``, ``mpirun(1)``, ``pdsh(1)``, ``hosts(5)``, ``ssh(1)``, OpenTelemetry's semantic
conventions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from diagnose.redact.boxes import is_machine, is_telling, named, telling
from diagnose.redact.rule import Rule

_HOST: Final = r"(?P<x>[A-Za-z](?:[\w.-]{0,118}\w)?)"
_LIST: Final = r"(?P<x>[A-Za-z][\w.,\[\]-]{1,400})"
_END: Final = r"(?=[ \t]{0,4}(?:$|\n|\\n|['\"]|[.,;)]))"
_PORT: Final = r"(?=:\d{2,5}\b)"
_IS: Final = r"\\?['\"]?\s{0,2}[:=]\s{0,2}(?:Str\()?\\?['\"]?"
_STATE: Final = r"(?:R|CG|CF|RUNNING|COMPLETING|CONFIGURING)"
_DURATION: Final = r"(?:\d{1,3}-)?\d{1,3}:\d\d(?::\d\d)?"


def _any_telling(found: Any) -> bool:
    return any(map(is_telling, found.captures("x")))


def _any_named(found: Any) -> bool:
    return any(map(is_machine, found.captures("x")))


_Form = tuple[str, str, tuple[str, ...]]
_EXACT: Final[tuple[_Form, ...]] = (
    # Before the name, behind it, hints: what stands here is a machine, be its name a word.
    (r"(?m)^[ \t]{0,8}Node:[ \t]{1,30}", r"(?=/[\d<a-f])", ("node:",)),
    (r"assigned [\w./<>-]{1,200} to ", _END, ("assigned ",)),
    (
        r"(?<![\w/])nodes?/",
        r"(?= (?:un)?cordoned| drained| labell?ed| tainted| evicted| condition)",
        ("node/", "nodes/"),
    ),
    (r"nodes? \\?\"", r"(?=\\?\" (?:not found|is |has |was |already|cannot))", ('nodes "', 'node "', 'nodes \\"')),
    (r"(?m)^Name:[ \t]{1,30}", r"(?=\nRoles:)", ("\nroles:",)),
    (r"(?i)kind: Node\n[ \t]{0,20}name: ", r"(?=\s|$)", ("kind: node",)),
    (
        r"(?:error|salloc|srun|info|sched): Nodes? ",
        r"(?= (?:not respond|are ready|is ready|not ready|now respond))",
        (": node",),
    ),
    (r"slurm(?:ctl)?d\[", r"(?=\])", ("slurmd[", "slurmctld[")),
    (r"Building (?:remotely )?on (?:the )?", r"(?= (?:\(|in ))", ("building ",)),
    (r"Running on ", r"(?= in [/A-Z])", ("running on ",)),
    (r"Running on \S{1,120} via ", r"(?=\.\.\.)", (" via ",)),
    (r"(?m)^[ \t]{0,4}on ", r"(?= [\w-]{6,12}, system ID:)", (", system id:",)),
    (r"(?i)(?:runner|agent|machine|computer|agent machine) name: ?'", r"(?=')", ("name: '", "name:'")),
    (r"\bAgent ", r"(?= (?:is|went|was|has gone) (?:offline|online|disconnected))", ("agent ",)),
    (r"(?m)^[<>*]? ?Host: ", r"(?=:\d{2,5}\s{0,2}(?:$|\r|\n))", ("host: ",)),
    (r":authority:?\\?['\"]?[:,\s]{1,3}['\"]?", _PORT, (":authority",)),
    (r"(?i)(?<![\w:])\\?['\"]?authority\\?['\"]?[:=]\s?\\?['\"]?", _PORT, ("authority",)),
    (r"(?i)\bx-(?:forwarded-host|real-host)\\?['\"]?: ?\\?['\"]?", r"(?![\w(])", ("x-forwarded-host", "x-real-host")),
    (
        r"(?m)(?:^|(?<=[ \t]))(?:ok|changed|fatal|failed|skipping|unreachable|included|rescued|ignored): \[",
        r"(?=\])",
        (": [",),
    ),
    (r"(?m)^", r"(?=[ \t]{1,40}: ok=\d)", (": ok=",)),
    (r"(?m)^", r"(?= slots ?= ?\d)", (" slots",)),
    (r"(?:(?m:^)|(?<=\s))", r"(?=:/[^\s:]{0,200} on /\S{1,200} type (?:nfs|cifs|lustre|ceph|gpfs))", (" on /",)),
    (r"(?:(?m:^)|(?<=\s))", r"(?=:/[^\s:]{0,200}[ \t]{1,40}\d[\d.]{0,9}[KMGTP]?i?[ \t])", (":/",)),
    (r"(?:mount(?:\.nfs)?: |(?m:^)|(?<=\s))", r"(?=:/exports?/)", (":/export",)),
    (r"\bdocker -H ", _PORT, ("docker -h ",)),
    (r"\b(?:PING|ping) ", r"(?= \([\d<a-f])", ("ping ",)),
    (r"Permanently added '\[?", r"(?=[\],'])", ("permanently added",)),
    (r"Last login: [^\n]{10,60} from ", r"(?= on |\s{0,2}(?:$|\n))", ("last login: ",)),
    (r"(?m)^", r"(?=(?:,\S{1,120})? (?:ssh-(?:ed25519|rsa|dss)|ecdsa-sha2-\S{1,20}) AAAA)", (" aaaa",)),
    (r"(?:DSA|RSA|ED25519) host key for '?\[?", r"(?=[\]' ])", ("host key for ",)),
    (r"debug\d: (?:Connecting to|Authenticating to) ", r"(?= \[| port|:\d)", ("debug",)),
    (r"kex_exchange_identification: ", _END, ("kex_exchange",)),
    (r"(?i)failure resolving '", r"(?=')", ("failure resolving",)),
    (r"(?i)(?:unable to|cannot|could not|can't) resolve host(?:name)? ", r"(?=:\s)", ("resolve host",)),
    (r"(?i)could not translate host name \\?\"", r"(?=\\?\")", ("translate host name",)),
    (r"(?i)getaddrinfo for host \\?\"", r"(?=\\?\")", ("getaddrinfo",)),
    (r"(?i)name or service not known: ", _END, ("service not known",)),
    (r"unable to look up ", r"(?= \(port)", ("look up",)),
    (r"(?m)(?:^|[$#>] )ssh ", r"(?=[ \t]{0,2}(?:$|\n))", ("ssh ",)),
    (r"(?m)(?:^|[$#>] ?)(?:hostname|uname -n)[ \t]{0,2}\n", r"(?=[ \t]{0,2}(?:$|\n))", ("hostname", "uname -n")),
    (r"(?<![\w.-])host=", r"(?= service=)", ("host=",)),
    (r"tfevents\.\d{9,11}\.", r"(?=\.\d{1,9}(?:\.\d|\b))", ("tfevents.",)),
    (r"<(?:(?i:computer|hostname)|Data Name=\"Computer\"|Data name=\"Computer\")>", r"(?=<)", (">",)),
    (r"server_name ", r"(?=;)", ("server_name",)),
    (r"(?i)(?<!\w)trusted-host(?: ?= ?| )", r"(?=\s|$)", ("trusted-host",)),
    (
        r"(?i)(?<![\w-])(?:COMPUTERNAME|RUNNER_NAME|AGENT_NAME|HEAD_NODE|HEAD_HOST|USERDOMAIN)=['\"]?",
        r"(?![\w(])",
        ("computername", "_name=", "head_", "userdomain"),
    ),
)
_LIKELY: Final[tuple[_Form, ...]] = (
    # Here a word may stand as well: it takes a digit or a hyphen.
    (
        r"(?i)(?<![\w-])(?:scheduled|launch(?:ing|ed)|running|started|starting|failed|died|placed|executed"
        r"|executing|rank \d{1,5}"
        r"|agent pod|workspace|\w{1,20}-smi) on ",
        r"(?![\w/:(])",
        (" on ",),
    ),
    (r"(?<![\w/.])nodes/", r"(?![\w/(])", ("nodes/",)),
    (r"\bkubelet, ", r"(?![\w/(])", ("kubelet, ",)),
    (
        r"(?i)(?<![\w-])worker(?:-node)? ",
        r"(?= (?:died|lost|is|was|has|failed|crashed|disconnected)\b|\s{0,2}(?:$|\n))",
        ("worker",),
    ),
    (r"(?i)\b(?:x-served-by|via)\\?['\"]?: (?:1\.[01] )?", r"(?![\w(])", ("x-served-by", "via")),
    (r"(?i)(?<![\w.-])(?:server|client|peer)\.address" + _IS, r"(?![\w(])", (".address",)),
    (r"(?i)(?<![\w.-])net\.(?:peer|host|sock\.peer)\.name" + _IS, r"(?![\w(])", ("net.",)),
    (
        r"(?i)(?<![\w.-])(?:service\.instance\.id|host\.(?:id|name)|(?:k8s|cloud)\.(?:node|host)\.name)" + _IS,
        r"(?![\w(])",
        ("service.instance", "host.", "k8s.", "cloud."),
    ),
    (r"(?i)\btargets?:?\s{0,2}(?:\[\s?|\n\s{0,20}-\s)?['\"]?", _PORT, ("target",)),
    (
        r"\b(?:ping|traceroute|nslookup|telnet|mosh) ",
        r"(?![\w/:(])",
        ("ping ", "traceroute ", "nslookup ", "telnet ", "mosh "),
    ),
    (r"\bFound key in \S{1,200} for ", _END, ("found key in",)),
    (r"\bTrying ", r"(?=\.\.\.)", ("trying ",)),
    (r"\[", r"(?= [~/][^\]\n]{0,200}\][$#])", ("]$", "]#")),
    (
        r"(?m)^(?:\d{1,3}(?:\.\d{1,3}){3}|<ip-\d+>)[ \t]{1,20}",
        r"(?=[ \t]{0,4}(?:$|\n)|[ \t]{1,20}[A-Za-z<][\w.>-]{1,120}[ \t]{0,4}(?:$|\n))",
        (".", "<ip-"),
    ),
    (
        r"(?i)(?<![\w-])host[ _-]?name(?:[ \t]{1,40}|[ \t]{0,2}(?:->|[|,:=-])[ \t]{0,30})",
        r"(?![\w(])",
        ("hostname", "host name", "host_name", "host-name"),
    ),
    (r"NodeManagerHostname" + _IS, r"(?![\w(])", ("nodemanagerhostname",)),
    (r"\brank\d{1,5}@", r"(?!\w)", ("rank",)),
    (r"::Worker@", r"(?!\w)", ("::worker@",)),
    (r"(?i)(?<![\w.-])(?:master|leader|computer)" + _IS, r"(?![\w(/])", ("master", "leader", "computer")),
    (
        r"(?i)(?<![\w.-])(?:hosts|hostnames|node[_ ]?list|host[_ ]?list)\\?['\"]?\s{0,2}[:=]\s{0,2}\[?\s?['\"]?",
        r"(?![\w(])",
        ("hosts", "hostnames", "list"),
    ),
    (
        r"(?i)\b(?:gethostname\(\) ?->|platform\.node\(\) ?=|hostname ?->) ?['\"]?",
        r"(?![\w(])",
        ("gethostname", "platform.node", "hostname"),
    ),
    (
        r"(?<![\w/])(?:from|remote:|origin)[ \t]",
        r"(?=:[\w~/.-]{1,200}(?:\.git)?(?:\s|$))",
        ("from ", "origin", "remote:"),
    ),
    (r"(?<!\w)\(", r"(?=:\d{2,5}\))", ("(",)),
    (r"/var/log/(?:hosts|remote)/", r"(?=/)", ("/var/log/",)),
)
_SERVICES: Final = (
    r"(?:redis|db|database|pg|postgres\w{0,4}|mysql|mongo\w{0,2}|kafka|rabbit\w{0,2}|minio|s3|nats|etcd|ray|vllm|head|master|leader"
    r"|proxy|api|server|upstream|remote|docker|ssh|smtp|mail|ldap|http|grpc|store|peer|target|log|syslog|elastic\w{0,6}"
    r"|opensearch|influx\w{0,2}|prometheus|grafana|loki|mlflow|kv|rdzv|cache|queue|broker|celery|zookeeper|node|worker)"
)


def _rules(forms: tuple[_Form, ...], check: Callable[[Any], bool]) -> tuple[Rule, ...]:
    return tuple(Rule("host", f"{before}{_HOST}{behind}", hints, check) for before, behind, hints in forms)


RULES: Final[tuple[Rule, ...]] = (
    *_rules(_EXACT, named),
    *_rules(_LIKELY, telling),
    Rule(
        "host",
        rf"(?i)(?<![A-Za-z0-9.])(?:{_SERVICES}[_.-](?:host(?:_ip|name|s)?)|vllm_host_ip|kv[_-]ip|lws_leader_address)(?:{_IS}|\s){_HOST}(?![\w(\[])",
        ("host", "kv_ip", "kv-ip", "lws_leader"),
        lambda m: named(m) if "=" in m[0] or ":" in m[0] else telling(m),
        needs=r"(?i)(?:host(?:_ip|name|s)?|kv[_-]ip|leader_address)\\?['\"]?\s{0,2}[:=\s]",
    ),
    # Every element of the list, one after the other.
    Rule(
        "host",
        r"(?i)(?:(?<![\w-])no_proxy\\?['\"]?\s?[:=]\s?\\?['\"]?|(?<=[^\n])\G,)(?P<x>[^\s,'\"\\]{1,120})",
        ("no_proxy",),
        lambda m: m["x"][0].isalpha() and named(m),
    ),
    # Rows of kubectl get nodes, get pods -o wide, sinfo, squeue.
    Rule(
        "host",
        rf"(?m)^{_HOST}[ \t]{{1,40}}(?:Not)?Ready[\w,]{{0,40}}[ \t]{{1,40}}\S{{1,80}}[ \t]{{1,20}}\d{{1,5}}[smhdy]",
        ("ready",),
        named,
    ),
    Rule(
        "host",
        r"\d/\d{1,3}[ \t]{1,20}[A-Z]\w{3,30}[ \t]{1,20}\d{1,6}(?: \([^()\n]{1,30}\))?[ \t]{1,20}\w{2,12}[ \t]{1,20}"
        rf"(?:[\d.:a-f]{{3,40}}|<[\w-]{{2,12}}>)[ \t]{{1,20}}{_HOST}[ \t]{{1,40}}(?:<none>"
        rf"|\S{{1,80}})[ \t]{{1,20}}(?:<none>|\S{{1,80}})",
        ("running", "pending", "completed", "error", "crashloop", "terminating", "init"),
        named,
        needs=r"\d/\d+\s+[A-Z]\w+\s+\d+ ",
    ),
    Rule(
        "host",
        rf"(?:up|down|drain|inact)[ \t]{{1,20}}(?:infinite|{_DURATION})[ \t]{{1,20}}\d{{1,6}}[ \t]{{1,20}}"
        rf"(?:idle|mix(?:ed)?|alloc\w{{0,6}}|drain\w{{0,4}}|drng|down|comp|resv|maint|fail|plnd"
        rf"|unk)[*~#!%$@^+-]{{0,2}}[ \t]{{1,20}}{_LIST}",
        ("up", "down", "drain", "inact"),
        _any_named,
        needs=r"(?:infinite|\d:\d\d)\s+\d+\s+[a-z]",
    ),
    Rule(
        "host",
        rf"[ \t]{_STATE}[ \t]{{1,20}}{_DURATION}[ \t]{{1,20}}\d{{1,6}}[ \t]{{1,20}}{_LIST}(?=[ \t]{{0,4}}(?:$|\n))",
        (":",),
        _any_named,
        needs=r"\s(?:R|CG|CF|RUNNING|COMPLETING|CONFIGURING)\s+[\d-]+:\d\d",
    ),
    Rule(
        "host",
        rf"(?<![A-Za-z])(?:(?:Req|Exc|Alloc|Sched)?NodeList|BatchHost|NodeAddr|NodeHostName)={_LIST}",
        ("nodelist=", "batchhost=", "nodeaddr=", "nodehostname="),
        _any_named,
    ),
    Rule(
        "host",
        rf"\b(?:mpirun|mpiexec|orterun|prterun|horovodrun)\s(?:[^\s|;&]{{1,200}}\s){{0,20}}?(?:-H|--?hosts?)\s{_HOST}(?::\d{{1,3}})?"
        r"(?:,(?P<x>[A-Za-z][\w.-]{1,120})(?::\d{1,3})?){0,200}",
        ("mpirun", "mpiexec", "orterun", "prterun", "horovodrun"),
        _any_named,
    ),
    Rule(
        "host",
        rf"\b(?:pdsh|clush|pdcp)\s(?:[^\s|;&]{{1,80}}\s){{0,6}}?-w\s?{_LIST}",
        ("pdsh", "clush", "pdcp"),
        _any_telling,
    ),
)
