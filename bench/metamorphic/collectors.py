"""What stores of logs, launchers and recorders of a terminal make of a log: lines in their own formats.

Formats: fluent-bit's ``stdout`` output; tables exported by CloudWatch Logs Insights, Grafana and Datadog; moreutils
``ts``; ``srun --label``; Open MPI's ``--tag-output``; ``less -R`` and ``script``; ``journalctl -o export``;
``logcli -o jsonl``; ``gcloud logging read --format=json``; Azure Log Analytics.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Sequence
from random import Random

from bench.metamorphic.lines import clock, lines_of, per_line, stamp

Change = Callable[[str, Random], str]


def fluent_bit(text: str, r: Random) -> str:
    """``stdout`` of fluent-bit: it escapes nothing."""

    def event(number: int, line: str) -> str:
        at = f"{1_796_025_600 + number // 7}.{number * 1_234_567 % 10**9:09d}"
        return f'[{number % 5}] kube.var.log.vllm-0.log: [[{at}, {{}}], {{"stream"=>"stderr", "log"=>"{line}"}}]'

    return per_line(text, event)


def fluent_bit_old(text: str, r: Random) -> str:
    return per_line(
        text, lambda n, line: f'[{n % 5}] docker.3f9c: [{1_796_025_600 + n}.000000000, {{"log"=>"{line}"}}]'
    )


def fluentd(text: str, r: Random) -> str:
    """fluentd's ``stdout`` output."""
    return per_line(
        text, lambda n, line: f"2026-11-29 {clock(n)}.000000000 +0900 kube.vllm: {json.dumps({'log': line})}"
    )


def airflow(text: str, r: Random) -> str:
    """What a task of Airflow prints, in the log of the task."""
    return per_line(text, lambda n, line: f"[2026-11-29, {clock(n)} KST] {{subprocess.py:93}} INFO - {line}")


def _table(rows: Iterable[Sequence[str]], quoting: int) -> str:
    out = io.StringIO()
    csv.writer(out, quoting=quoting, lineterminator="\n").writerows(rows)  # type: ignore[arg-type]
    return out.getvalue()


def csv_cloudwatch(text: str, r: Random) -> str:
    rows = [(f"2026-11-29 {clock(n)}.{n % 1000:03d}", line) for n, line in enumerate(lines_of(text))]
    return _table([("@timestamp", "@message"), *rows], csv.QUOTE_MINIMAL)


def csv_grafana(text: str, r: Random) -> str:
    labels = '{"app":"vllm","namespace":"serving","pod":"vllm-0"}'
    rows = [
        (labels, f"2026-11-29 {clock(n)}.{n % 1000:03d}", line, str(1_796_025_600_000_000_000 + n), f"{n}_3f9c")
        for n, line in enumerate(lines_of(text))
    ]
    return _table([("labels", "Time", "Line", "tsNs", "id"), *rows], csv.QUOTE_ALL)


def csv_datadog(text: str, r: Random) -> str:
    rows = [(stamp(n)[:23] + "Z", "npu-host-3", "vllm", line) for n, line in enumerate(lines_of(text))]
    return _table([("Date", "Host", "Service", "Content"), *rows], csv.QUOTE_ALL)


def ts(text: str, r: Random) -> str:
    return per_line(text, lambda n, line: f"Nov 29 {clock(n)} {line}")


def dated(text: str, r: Random) -> str:
    """What a shell or a supervisor puts before the lines of its child."""
    return per_line(text, lambda n, line: f"[2026-11-29 {clock(n)}] {line}")


def srun(text: str, r: Random) -> str:
    width = r.choice((1, 2, 3))
    return per_line(text, lambda n, line: f"{0:{width}d}: {line}")


def mpirun(text: str, r: Random) -> str:
    return per_line(text, lambda n, line: f"[1,0]<stderr>:{line}")


def recorded(text: str, r: Random) -> str:
    """``script`` over a pager: attributes switched off and lines cleared to their end."""
    body = per_line(text, lambda n, line: f"\x1b[m{line}\x1b[m\x1b[K\r" if n % 2 else f"{line}\x1b[K\r")
    return f"Script started on 2026-11-29 08:07:35+09:00\n{body}\x1b[K\x1b[?1l\x1b>\n"


def overstruck(text: str, r: Random) -> str:
    """Bold as a printer writes it: every letter of the first word twice, with a backspace between."""

    def bold(number: int, line: str) -> str:
        head, blank, rest = line.partition(" ")
        return "".join(f"{letter}\b{letter}" for letter in head) + blank + rest

    return per_line(text, bold)


def journald_export(text: str, r: Random) -> str:
    def entry(number: int, line: str) -> str:
        return (
            f"__CURSOR=s=3f9c;i={number:x}\n__REALTIME_TIMESTAMP={1_796_025_600_000_000 + number}\n"
            "__MONOTONIC_TIMESTAMP=812000000\n_BOOT_ID=9f0c\n_TRANSPORT=stdout\nPRIORITY=6\n_PID=4242\n"
            f"SYSLOG_IDENTIFIER=vllm\nMESSAGE={line}\n_COMM=python\n_SYSTEMD_UNIT=vllm.service\n"
        )

    return per_line(text, entry)


def loki_jsonl(text: str, r: Random) -> str:
    def entry(number: int, line: str) -> str:
        return json.dumps(
            {"labels": {"app": "vllm", "level": "error"}, "line": line, "timestamp": stamp(number)},
            separators=(",", ":"),
            ensure_ascii=False,
        )

    return per_line(text, entry)


def _gcp(number: int, line: str) -> dict[str, object]:
    return {
        "insertId": f"k{number}",
        "labels": {"k8s-pod/app": "vllm"},
        "logName": "projects/p/logs/stderr",
        "resource": {"labels": {"container_name": "vllm", "pod_name": "vllm-0"}, "type": "k8s_container"},
        "severity": "ERROR",
        "textPayload": line,
        "timestamp": stamp(number),
    }


def gcp_jsonl(text: str, r: Random) -> str:
    return per_line(text, lambda n, line: json.dumps(_gcp(n, line)))


def gcp_json(text: str, r: Random) -> str:
    return json.dumps([_gcp(n, line) for n, line in enumerate(lines_of(text))], indent=2, ensure_ascii=False) + "\n"


def azure_jsonl(text: str, r: Random) -> str:
    def entry(number: int, line: str) -> str:
        return json.dumps(
            {"TimeGenerated": stamp(number), "LogMessage": line, "LogSource": "stderr", "PodName": "vllm-0"}
        )

    return per_line(text, entry)


COLLECTORS: tuple[Change, ...] = (
    *(fluent_bit, fluent_bit_old, airflow, csv_cloudwatch, csv_grafana, csv_datadog, ts, dated, srun, mpirun),
    *(journald_export, loki_jsonl, gcp_jsonl, gcp_json, azure_jsonl),
)
CODES: tuple[Change, ...] = (recorded, overstruck)
