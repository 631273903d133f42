"""What escapes a whole log, puts a running time before its lines, draws a frame around it or turns it over.

Shapes: backslashes of Markdown converters (pandoc, turndown, Telegram's MarkdownV2); ``ts -s`` of moreutils, BuildKit's
``--progress=plain``, seconds since a start; pytest's report of captured streams; boxes of rich and tmux; CSV and
JSON that CloudWatch, Kibana and ``gcloud`` give with the newest line first; literals of Python and JSON.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from random import Random

from bench.metamorphic import collectors
from bench.metamorphic.lines import lines_of, per_line

Change = Callable[[str, Random], str]


# ----------------------------------------------------------------------------------------------- backslashes


def backslashed(text: str, r: Random) -> str:
    """What converters to Markdown escape anywhere in a line."""
    return re.sub(r"[\\`*_\[\]<#]", lambda found: "\\" + found[0], text)


def backslashed_all(text: str, r: Random) -> str:
    """What chat programs escape: every sign that ever means something."""
    return re.sub(r"[\\_*\[\]()~`>#+=|{}.!-]", lambda found: "\\" + found[0], text)


def backslashed_few(text: str, r: Random) -> str:
    """Editors that leave brackets alone."""
    return re.sub(r"[_*]", lambda found: "\\" + found[0], text)


# ----------------------------------------------------------------------------------------------- running times


def seconds(text: str, r: Random) -> str:
    at = r.random() * 100
    return per_line(text, lambda n, line: f"{at + n * 0.0173:.6f} {line}")


def seconds_padded(text: str, r: Random) -> str:
    return per_line(text, lambda n, line: f"{n * 0.173:9.3f}  {line}")


def seconds_bracketed(text: str, r: Random) -> str:
    return per_line(text, lambda n, line: f"[{n * 0.173:7.2f}s] {line}")


def dmesg(text: str, r: Random) -> str:
    return per_line(text, lambda n, line: f"[{n * 0.173 + 12:12.6f}] {line}")


def elapsed(text: str, r: Random) -> str:
    """``ts -s``."""
    return per_line(text, lambda n, line: f"00:01:{20 + n // 7:02d} {line}")


def since_last(text: str, r: Random) -> str:
    """Time since the line before: it rises and falls."""
    return per_line(text, lambda n, line: f"+{r.random() * 9:.1f}s {line}")


def buildkit(text: str, r: Random) -> str:
    return per_line(text, lambda n, line: f"#17 {n * 0.173:.3f} {line}" if line else f"#17 {n * 0.173:.3f}")


def same_number(text: str, r: Random) -> str:
    """Before one line, or two, a number is a word of theirs."""
    return text if text.count("\n") < 3 else per_line(text, lambda _, line: f"  17  {line}")


def stream_named(text: str, r: Random) -> str:
    return per_line(text, lambda _, line: f"stdout | {line}")


# ----------------------------------------------------------------------------------------------- reports and frames


def pytest_captured(text: str, r: Random) -> str:
    return (
        "=================================== FAILURES ===================================\n"
        "__________________________________ test_serve __________________________________\n"
        "\n    def test_serve():\n>       assert serve() == 0\nE       assert 1 == 0\nE        +  where 1 = serve()\n\n"
        "tests/test_serve.py:12: AssertionError\n"
        "----------------------------- Captured stderr call -----------------------------\n"
        + text.rstrip("\n")
        + "\n=========================== short test summary info ============================\n"
        "FAILED tests/test_serve.py::test_serve - assert 1 == 0\n"
        "============================== 1 failed in 4.21s ===============================\n"
    )


def pytest_raised(text: str, r: Random) -> str:
    """The text as the message of what a test raised."""
    return per_line(text, lambda _, line: f"E   {line}" if line else "E")


def boxed(text: str, r: Random) -> str:
    """rich and notebooks: a box around the text."""
    lines = lines_of(text)
    width = max(map(len, lines))
    rows = "".join(f"│ {line:{width}s} │\n" for line in lines)
    return f"╭{'─' * (width + 2)}╮\n{rows}╰{'─' * (width + 2)}╯\n"


def tox(text: str, r: Random) -> str:
    return f"py311: commands[0]> pytest -q\n{text.rstrip()}\npy311: exit 1 (4.21 seconds) /src> pytest -q pid=4100\n"


# ----------------------------------------------------------------------------------------------- newest first


def _turned(text: str, head: int = 0) -> str:
    lines = lines_of(text)
    return "\n".join([*lines[:head], *reversed(lines[head:])]) + "\n"


def newest_csv_cloudwatch(text: str, r: Random) -> str:
    return _turned(collectors.csv_cloudwatch(text, r), 1)


def newest_csv_grafana(text: str, r: Random) -> str:
    return _turned(collectors.csv_grafana(text, r), 1)


def newest_csv_datadog(text: str, r: Random) -> str:
    return _turned(collectors.csv_datadog(text, r), 1)


def newest_loki(text: str, r: Random) -> str:
    return _turned(collectors.loki_jsonl(text, r))


def newest_gcp(text: str, r: Random) -> str:
    return json.dumps(json.loads(collectors.gcp_json(text, r))[::-1], indent=2, ensure_ascii=False) + "\n"


def newest_ts(text: str, r: Random) -> str:
    return _turned(per_line(text, lambda n, line: f"2026-11-29T08:{n // 60:02d}:{n % 60:02d}.000Z {line}"))


# ----------------------------------------------------------------------------------------------- literals


def json_string(text: str, r: Random) -> str:
    return json.dumps(text) + "\n"


def json_twice(text: str, r: Random) -> str:
    return json.dumps(json.dumps({"message": text})) + "\n"


def json_in_message(text: str, r: Random) -> str:
    return json.dumps({"time": "2026-11-29T08:07:35Z", "log": json.dumps({"stderr": text})}) + "\n"


def json_lines_twice(text: str, r: Random) -> str:
    """A program that logs JSON, in a container whose runtime writes JSON."""

    def entry(number: int, line: str) -> str:
        inner = json.dumps({"level": "error", "ts": f"2026-11-29T08:07:{number % 60:02d}Z", "message": line})
        return json.dumps({"log": f"{inner}\n", "stream": "stderr", "time": "2026-11-29T08:07:35.1Z"})

    return per_line(text, entry)


def python_text(text: str, r: Random) -> str:
    return repr(text) + "\n"


def python_bytes(text: str, r: Random) -> str:
    return repr(text.encode("utf-8", "replace")) + "\n"


def python_lines(text: str, r: Random) -> str:
    """Lines as ``subprocess`` gives them, printed one by one."""
    return per_line(text, lambda _, line: repr(f"{line}\n".encode("utf-8", "replace")))


def python_bytes_twice(text: str, r: Random) -> str:
    return json.dumps({"stderr": repr(text.encode("utf-8", "replace"))}) + "\n"


AROUND: tuple[Change, ...] = (
    *(seconds, seconds_padded, seconds_bracketed, dmesg, elapsed, since_last, buildkit, same_number, stream_named),
    *(pytest_captured, pytest_raised, boxed, tox),
)
BACKSLASHES: tuple[Change, ...] = (backslashed, backslashed_all, backslashed_few)
NEWEST_FIRST: tuple[Change, ...] = (
    *(newest_csv_cloudwatch, newest_csv_grafana, newest_csv_datadog, newest_loki, newest_gcp, newest_ts),
)
LITERALS: tuple[Change, ...] = (
    *(json_string, json_twice, json_in_message, json_lines_twice, python_text, python_bytes, python_lines),
    python_bytes_twice,
)
