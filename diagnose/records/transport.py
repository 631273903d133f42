"""Prefixes put before a line on its way: journald, container runtimes, compose, kubectl, CI systems, dmesg.

Shapes: systemd ``journalctl -o short``, ``short-iso``, ``short-unix``, ``short-full`` and ``short-monotonic``, the
Kubernetes CRI log format, ``docker logs -t``, ``docker compose logs``, ``kubectl logs --prefix``, GitHub Actions and
GitLab raw logs, ``gh run view --log``, ``mpirun --tag-output``, stern, Loki's ``logcli``, ``aws logs tail``, moreutils
``ts``, ``srun --label``, Airflow, the date in brackets that shells and supervisors put before a line.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from diagnose.late import late

_ISO = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d"
_ZONE = r"(?:Z|[+-]\d\d:?\d\d)"
_HOST = r"(?:[\w.-]{1,253}|<host-\d{1,9}>)"
"""A machine, or what stands for it in a text that was made safe to pass on."""
_BY = r"(?:[\w.@/-]{1,80}\[\d{1,10}\]|kernel)"
"""Who wrote to the journal: unit or program with its process."""

# (first characters it can begin with, pattern); groups: time, origin, flag
_DIGIT = "0123456789"
_PREFIXES: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        _DIGIT,
        late(rf"(?P<time>{_ISO}(?:\.\d+)?{_ZONE}) (?P<origin>stdout|stderr) (?P<flag>[FP])(?: |$)"),
    ),
    (_DIGIT, late(rf"(?P<time>{_ISO}(?:\.\d+)?Z) (?P<origin>\d\d[OE])[ +]")),
    (
        _DIGIT,
        late(
            rf"(?P<time>{_ISO}(?:[.,]\d+)?{_ZONE}) "
            rf"(?P<origin>{_HOST} {_BY}):(?: |$)"
        ),
    ),
    (_DIGIT, late(rf"(?P<time>\d{{9,10}}\.\d{{6}}) (?P<origin>{_HOST} {_BY}):(?: |$)")),
    # logcli: the labels of the stream; aws logs tail: its name, which has a slash in all of ECS, Batch and EKS
    (_DIGIT, late(rf"(?P<time>{_ISO}(?:\.\d+)?{_ZONE})\s+(?P<origin>\{{\w+=\"[^\n}}]{{0,2000}}\}})(?: |$)")),
    (_DIGIT, late(rf"(?P<time>{_ISO}\.\d{{6}}\+00:00) (?P<origin>[\w.$-]{{1,120}}/[\w./$-]{{1,200}})(?: |$)")),
    # kubelets write the zone of their node
    (_DIGIT, late(rf"(?P<time>{_ISO}(?:\.\d+Z|\.\d{{7,9}}[+-]\d\d:\d\d))(?: |$)")),
    ("[", late(rf"\[(?P<time>{_ISO}\.\d+Z)\](?: |$)")),
    # Jenkins' Timestamper, its default format with two blanks
    (_DIGIT, late(r"(?P<time>\d\d:\d\d:\d\d(?:\.\d+)?)  ")),
    # GitLab's marks around a section; behind the mark stands what the section is called
    ("s", late(r"section_(?:start|end):\d{1,12}:[\w.-]+(?:\[[\w=,]*\])?\r+")),
    # syslog as RFC 5424 writes it, and the priority before the older form
    (
        "<",
        late(
            rf"<\d{{1,3}}>1 (?P<time>{_ISO}(?:\.\d+)?{_ZONE}) (?P<origin>\S+ \S+ \S+) \S+ "
            r"(?:-|(?:\[[^\]]*\])+) ?\ufeff?"
        ),
    ),
    ("<", late(r"<\d{1,3}>(?=[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d )")),
    ("[", late(r"\[(?P<origin>pod/[^\]]+)\](?: |$)")),
    ("[", late(r"\[(?:[\w.@-]{1,120}@)?(?P<origin>\d{1,9},\d{1,9})\]<std(?:out|err|diag)>:(?: |(?=\S)|$)")),
    ("[", late(rf"\[(?P<time> *\d+\.\d{{6}})\] (?P<origin>{_HOST} {_BY}):(?: |$)")),
    (
        "MTWFS",
        late(
            r"(?P<time>[A-Z][a-z]{2} \d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)? [A-Z+-][\w:]{1,6}) "
            rf"(?P<origin>{_HOST} {_BY}):(?: |$)"
        ),
    ),
    ("[", late(r"\[(?P<time> *\d+\.\d{6})\] ")),
    # stern: pod and container; Kubernetes makes the ends of a pod's name of these letters
    (
        "abcdefghijklmnopqrstuvwxyz",
        late(
            r"(?P<origin>[a-z0-9][a-z0-9-]{0,60}-[bcdf-hj-np-tv-xz2456789]{8,10}-[bcdf-hj-np-tv-xz2456789]{5} "
            r"[a-z0-9][a-z0-9-]{0,62})(?: |$)"
        ),
    ),
    ("[", late(r"\[(?P<time>[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4})\] ")),
    (
        "JFMASOND",
        late(
            r"(?P<time>[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?:\.\d+)?) "
            r"(?P<origin>\S+(?<!:) [\w.@/-]+\[\d+\]"
            r"|(?:[a-z0-9][\w.-]*|<host-\d{1,9}>) (?!(?i:error|warning|info|fatal|note):)[\w.@/-]+):(?: |$)"
        ),
    ),
    ("JFMASOND", late(r"(?P<time>[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?:\.\d+)?) ")),
    # Airflow, before every line its task printed
    (
        "[",
        late(
            r"\[(?P<time>\d{4}-\d\d-\d\d(?:T|, )\d\d:\d\d:\d\d(?:\.\d{1,6})?(?: ?[A-Z]{2,5}| ?[+-]\d\d:?\d\d)?)\]"
            r" \{[\w.-]{1,80}\.py:\d{1,6}\} (?:DEBUG|INFO|WARNING|ERROR) - "
        ),
    ),
    # What a logger puts behind its own date is a level; vLLM's has a date behind it.
    (
        "[",
        late(
            r"\[(?P<time>\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:[.,]\d{1,6})?)\]"
            r"(?: (?=(?:DEBUG|INFO|WARNING|ERROR) \d\d-\d\d )"
            r"| (?!(?:\[[^\]]{1,60}\] ?)?\[?(?i:trace|debug|info|notice|warn(?:ing)?|err(?:or)?|crit(?:ical)?|fatal)\b)"
            r"|$)"
        ),
    ),
    (_DIGIT + " ", late(r"^ {0,3}(?P<origin>\d{1,4}): ")),
)
# A service name, padded by compose to at least two blanks before the bar.
_COMPOSE = late(r"(?P<origin>[\w.@-]+-\d+(?=\s+\|)|[\w.@-]+(?= {2,}\|))\s+\|(?: |$)")
# `gh run view --log`: job, step, then the raw line.
_JOB = late(r"(?P<origin>[^\t]{1,120}\t[^\t]{1,120})\t\ufeff?(?=\d{4}-\d\d-\d\dT)")
_MAX_LAYERS = 5


class Carried(NamedTuple):
    """What the transport layers of a line said."""

    end: int
    """Index of the first character behind them."""
    time: str | None
    origin: str
    """Container, pod, unit or stream: lines of two origins never belong together."""
    partial: bool
    """True when the container runtime cut the line here."""


_LABEL = late(r" {1,3}\d{1,4}: ")
"""A task of ``srun``, padded to the width of the last one."""
_NOTHING = Carried(0, None, "", False)
_NEVER = ("", "(", " ")
"""First characters no transport begins with: a process prefix, a traceback's indentation."""
_BY_FIRST = {
    first: tuple(pattern for begins, pattern in _PREFIXES if first in begins)
    for first in {character for begins, _ in _PREFIXES for character in begins}
}


def read_transport(text: str) -> Carried:
    """Reads every transport layer at the beginning of ``text``."""
    if text[:1] in _NEVER and not _LABEL.match(text):
        return _NOTHING
    start = 0
    time: str | None = None
    origins: list[str] = []
    partial = False
    for _ in range(_MAX_LAYERS):
        found = _layer(text, start)
        if found is None:
            break
        groups = found.groupdict()
        time = groups.get("time") or time
        if groups.get("origin"):
            origins.append(groups["origin"])
        partial = partial or groups.get("flag") == "P"
        start = found.end()
        if groups.get("flag"):
            break  # the runtime carries what the program wrote, and may have cut it anywhere
    return Carried(start, time, " ".join(origins), partial)


def _layer(text: str, start: int) -> re.Match[str] | None:
    first = text[start : start + 1]
    if first in _NEVER and (start or not _LABEL.match(text)):
        return None
    for pattern in _BY_FIRST.get(first, ()):
        found = pattern.match(text, start)
        if found is not None:
            return found
    # A bar far to the right belongs to the message, so the patterns with a bar are only tried near it.
    if "|" in text[start : start + 100]:
        found = _COMPOSE.match(text, start)
        if found is not None:
            return found
    return _JOB.match(text, start) if "\t" in text[start : start + 250] else None
