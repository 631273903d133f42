"""What a terminal, a viewer, a mail, a form or a CI system does to a log: one small function each.

A transformation takes text and a random generator and gives text. An encoding takes text and gives bytes, so it can
only come last; None means that the text cannot be written in it.
"""

from __future__ import annotations

import html
import json
import quopri
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Literal

from bench.metamorphic.collectors import CODES, COLLECTORS
from bench.metamorphic.escapes import AROUND, BACKSLASHES, LITERALS, NEWEST_FIRST
from bench.metamorphic.lines import clock, lines_of, per_line, stamp
from bench.metamorphic.named import NAMED
from bench.metamorphic.numbering import NUMBERED

Kind = Literal[
    "around", "markup", "letters", "colour", "ends", "wrap", "flow", "literal", "transport", "named", "blanks"
]
Change = Callable[[str, Random], str]


@dataclass(frozen=True, slots=True)
class Transform:
    name: str
    kind: Kind
    change: Change


# -------------------------------------------------------------------------------------------------- around lines


def quote(text: str, r: Random) -> str:
    return per_line(text, lambda _, line: f"> {line}" if line else ">")


def quote_nested(text: str, r: Random) -> str:
    return per_line(text, lambda _, line: f"> > {line}" if line else "> >")


def fence(text: str, r: Random) -> str:
    inner = per_line(text, lambda _, line: f"   {line}" if line else "")
    return f"This is what I get:\n\n   ```{r.choice(['', 'text', 'console', 'log'])}\n{inner}   ```\n"


def code_block(text: str, r: Random) -> str:
    return per_line(text, lambda _, line: f"    {line}" if line else "")


def escape(text: str, r: Random) -> str:
    return html.escape(text).replace("&#x27;", "&#39;")


def escape_blanks(text: str, r: Random) -> str:
    """An editor that keeps indentation and runs of blanks."""
    return re.sub(r"(?m)^ +| {2,}", lambda found: "&nbsp;" * len(found[0]), html.escape(text))


def diff_added(text: str, r: Random) -> str:
    return per_line(text, lambda _, line: f"+ {line}" if line else "+")


def diff_removed(text: str, r: Random) -> str:
    """A patch as ``diff`` writes it: no blank behind the sign."""
    return per_line(text, lambda _, line: f"-{line}")


def listed(text: str, r: Random) -> str:
    return per_line(text, lambda _, line: f"- {line}" if line else "")


def commented(text: str, r: Random) -> str:
    return per_line(text, lambda _, line: f"# {line}" if line else "#")


def commented_slashes(text: str, r: Random) -> str:
    return per_line(text, lambda _, line: f"// {line}" if line else "//")


def html_lines(text: str, r: Random) -> str:
    """A mail or a page in the editor: every line an element of its own."""
    tag = r.choice(["div", "p"])
    return per_line(text, lambda _, line: f"<{tag}>{html.escape(line) or '<br>'}</{tag}>")


def html_breaks(text: str, r: Random) -> str:
    end = r.choice(["<br>", "<br/>", "<br />"])
    return per_line(text, lambda _, line: f"{html.escape(line)}{end}")


def html_in_a_row(text: str, r: Random) -> str:
    """As a mail program stores it: the line ends are elements only."""
    return "<br>".join(html.escape(line) for line in lines_of(text)) + "\n"


# ---------------------------------------------------------------------------------------------------- typography


def smart_quotes(text: str, r: Random) -> str:
    """What a word processor or a chat makes of quotes and dots while one types."""
    text = re.sub(r'(?m)(?<![^\s(\[{=,])"(?=\S)', "“", text).replace('"', "”")
    text = re.sub(r"(?m)(?<![^\s(\[{=,])'(?=\S)", "‘", text).replace("'", "’")
    return text.replace("...", "…")


def dashes(text: str, r: Random) -> str:
    """The same with hyphens: between blanks, and where two of them begin an option."""
    return smart_quotes(re.sub(r"(?<= )-(?= )", "–", text).replace("--", r.choice("–—")), r)


def hyphens(text: str, r: Random) -> str:
    """Every hyphen, as pages and PDF files have it."""
    return text.replace("-", r.choice("–‐‑"))


def hard_blanks(text: str, r: Random) -> str:
    return text.replace(" ", "\u00a0")


def some_hard_blanks(text: str, r: Random) -> str:
    """A browser keeps runs of blanks so, and an editor puts them anywhere."""
    return re.sub(r"^ +| ", lambda found: r.choice(["\u00a0", " ", "\u202f"]) * len(found[0]), text, flags=re.M)


def blanks_collapsed(text: str, r: Random) -> str:
    """A browser or a chat makes one blank of several."""
    return re.sub(" +", " ", text)


def outdented(text: str, r: Random) -> str:
    """A form that strips every line."""
    return per_line(text, lambda _, line: line.lstrip(" "))


# ------------------------------------------------------------------------------------------------ colours and ends


def _coloured(text: str, escape_: str) -> str:
    def line(_: int, line: str) -> str:
        head, blank, rest = line.partition(" ")
        if not head:
            return line
        numbers = re.sub(r"\b\d+\b", lambda found: f"{escape_}[1;36m{found[0]}{escape_}[0m", rest)
        return f"{escape_}[36m{head}{escape_}[0m{blank}{numbers}"

    return per_line(text, line)


def ansi(text: str, r: Random) -> str:
    return _coloured(text, "\x1b")


def caret_colours(text: str, r: Random) -> str:
    return _coloured(text, "^[")


def octal_colours(text: str, r: Random) -> str:
    return _coloured(text, "#033")


def lost_colours(text: str, r: Random) -> str:
    """The escape character replaced by what knew no control characters."""
    return _coloured(text, "\ufffd")


def crlf(text: str, r: Random) -> str:
    return per_line(text, lambda _, line: f"{line}\r")


def caret_m(text: str, r: Random) -> str:
    return per_line(text, lambda _, line: f"{line}^M")


# ----------------------------------------------------------------------------------------- wrapped, run together


def wrap_at(text: str, width: int) -> str:
    """Broken at ``width`` terminal columns, in mid word, as a terminal shows it."""
    out = []
    for line in lines_of(text):
        row, used = "", 0
        for character in line:
            cells = _cells(character)
            if used + cells > width:
                out.append(row)
                row, used = "", 0
            row += character
            used += cells
        out.append(row)
    return "\n".join(out) + "\n"


def wrap(text: str, r: Random) -> str:
    return wrap_at(text, r.randint(40, 200))


def wrap_narrow(text: str, r: Random) -> str:
    return wrap_at(text, r.randint(40, 80))


def pane(text: str, r: Random) -> str:
    """A pane of tmux or screen, copied with the blanks that fill its rows."""
    width = r.choice((80, 100, 132))
    rows = wrap_at(text, width).splitlines()
    return "".join(row + " " * max(width - _cells(row), 0) + "\n" for row in rows)


def _cells(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


def word_wrap_at(text: str, width: int) -> str:
    """Broken at blanks before ``width`` is reached, as mail programs and chats do; a longer word stays whole."""
    out = []
    for line in lines_of(text):
        while len(line) > width:
            place = line.rfind(" ", len(line) - len(line.lstrip()) + 1, width + 1)
            if place < 0:
                place = line.find(" ", width)
            if place < 0:
                break
            out.append(line[:place])
            line = line[place + 1 :]
        out.append(line)
    return "\n".join(out) + "\n"


def word_wrap_80(text: str, r: Random) -> str:
    return word_wrap_at(text, 80)


def word_wrap_100(text: str, r: Random) -> str:
    return word_wrap_at(text, 100)


def word_wrap(text: str, r: Random) -> str:
    return word_wrap_at(text, r.randint(60, 140))


def quoted_printable(text: str, r: Random) -> str:
    """A mail as it is stored: rows of 76 characters, ``=`` where one was broken."""
    return quopri.encodestring(text.encode("utf-8", "replace")).decode()


def joined_by_blanks(text: str, r: Random) -> str:
    return " ".join(line for line in lines_of(text) if line.strip()) + "\n"


def joined(text: str, r: Random) -> str:
    return "".join(lines_of(text)) + "\n"


# ----------------------------------------------------------------------------------------------------- transports


def github(text: str, r: Random) -> str:
    body = ["##[group]Run ./ci/run.sh", "./ci/run.sh", "##[endgroup]", *lines_of(text)]
    return "".join(f"{stamp(n, 7)} {line}\n" for n, line in enumerate(body))


def gitlab(text: str, r: Random) -> str:
    begin = 'section_start:1796025600:step_script\r\x1b[0K\x1b[0KExecuting "step_script" stage of the job script'
    end = "section_end:1796025700:step_script\r\x1b[0K"
    body = [begin, "$ ./ci/run.sh", *lines_of(text), end]
    return "".join(f"{stamp(n, 6)} 01O {line}\n" for n, line in enumerate(body))


def gitlab_untimed(text: str, r: Random) -> str:
    begin = "section_start:1796025600:step_script\r\x1b[0K$ ./ci/run.sh\n"
    return f"{begin}{text.rstrip()}\nsection_end:1796025700:step_script\r\x1b[0K\n"


def jenkins(text: str, r: Random) -> str:
    body = ["[Pipeline] sh", "+ ./ci/run.sh", *lines_of(text), "[Pipeline] }", "[Pipeline] // stage"]
    return "".join(f"[{stamp(n, 3)}] {line}\n" for n, line in enumerate(body))


def jenkins_pipeline(text: str, r: Random) -> str:
    end = "[Pipeline] }\n[Pipeline] // stage\n[Pipeline] End of Pipeline\n"
    return f"[Pipeline] sh\n+ ./ci/run.sh\n{text.rstrip()}\n{end}"


def jenkins_clock(text: str, r: Random) -> str:
    return per_line(text, lambda n, line: f"{clock(n, 0)}  {line}")


def circleci(text: str, r: Random) -> str:
    body = ["#!/bin/bash -eo pipefail", "./ci/run.sh", *lines_of(text), "", "Exited with code exit status 1"]
    return "".join(f"{line}\r\n" for line in body)


def docker_json(text: str, r: Random) -> str:
    def entry(number: int, line: str) -> str:
        raw = json.dumps({"log": f"{line}\n", "stream": "stderr", "time": stamp(number, 9)}, ensure_ascii=False)
        return raw.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026").replace('": "', '":"')

    return per_line(text, entry)


def cri(text: str, r: Random) -> str:
    return per_line(text, lambda n, line: f"{stamp(n, 9)} stderr F {line}")


def cri_partial(text: str, r: Random) -> str:
    """Long lines cut by the container runtime."""
    size = r.randint(30, 90)
    out = []
    for number, line in enumerate(lines_of(text)):
        cuts = [line[i : i + size] for i in range(0, len(line), size)] or [""]
        out += [f"{stamp(number, 9)} stderr P {cut}\n" for cut in cuts[:-1]]
        out.append(f"{stamp(number, 9)} stderr F {cuts[-1]}\n")
    return "".join(out)


def journald(text: str, r: Random) -> str:
    return per_line(text, lambda n, line: f"Nov 29 {clock(n, 0)} npu-host vllm[4242]: {line}")


def journald_json(text: str, r: Random) -> str:
    def entry(number: int, line: str) -> str:
        kept = {"__REALTIME_TIMESTAMP": str(1_796_025_600_000_000 + number), "PRIORITY": "6", "_PID": "4242"}
        return json.dumps({**kept, "SYSLOG_IDENTIFIER": "vllm", "MESSAGE": line}, ensure_ascii=bool(number % 2))

    return per_line(text, entry)


def syslog(text: str, r: Random) -> str:
    return per_line(text, lambda n, line: f"2026-11-29T{clock(n, 6)}+09:00 npu-host vllm[4242]: {line}")


def syslog_5424(text: str, r: Random) -> str:
    return per_line(text, lambda n, line: f"<14>1 {stamp(n, 6)} npu-host vllm 4242 - - {line}")


def journald_full(text: str, r: Random) -> str:
    return per_line(text, lambda n, line: f"Sun 2026-11-29 {clock(n, 0)} KST npu-host vllm.service[4242]: {line}")


def journald_unix(text: str, r: Random) -> str:
    return per_line(text, lambda n, line: f"{1_796_025_600 + n}.{n % 1_000_000:06d} npu-host vllm[4242]: {line}")


def journald_monotonic(text: str, r: Random) -> str:
    return per_line(text, lambda n, line: f"[{812 + n:6d}.{n % 1_000_000:06d}] npu-host vllm[4242]: {line}")


def kubectl_prefix(text: str, r: Random) -> str:
    return per_line(text, lambda _, line: f"[pod/vllm-7d9f5c-x2x4q/server] {line}")


def kubectl_timestamps(text: str, r: Random) -> str:
    return per_line(text, lambda n, line: f"{stamp(n, 9)} {line}")


def compose(text: str, r: Random) -> str:
    return per_line(text, lambda _, line: f"vllm-server-1  | {line}")


TRANSFORMS: tuple[Transform, ...] = (
    *(Transform(f.__name__, "around", f) for f in (quote, quote_nested, fence, code_block)),
    *(Transform(f.__name__, "around", f) for f in NUMBERED),
    *(Transform(f.__name__, "around", f) for f in (escape, escape_blanks)),
    *(Transform(f.__name__, "around", f) for f in (diff_added, diff_removed, listed, commented, commented_slashes)),
    *(Transform(f.__name__, "markup", f) for f in (html_lines, html_breaks, html_in_a_row)),
    *(Transform(f.__name__, "letters", f) for f in (smart_quotes, dashes, hyphens, hard_blanks, some_hard_blanks)),
    *(Transform(f.__name__, "colour", f) for f in (ansi, caret_colours, octal_colours, lost_colours)),
    *(Transform(f.__name__, "ends", f) for f in (crlf, caret_m)),
    *(Transform(f.__name__, "wrap", f) for f in (wrap, wrap_narrow, word_wrap_80, word_wrap_100, word_wrap)),
    Transform(quoted_printable.__name__, "wrap", quoted_printable),
    *(Transform(f.__name__, "blanks", f) for f in (blanks_collapsed, outdented)),
    *(Transform(f.__name__, "flow", f) for f in (joined_by_blanks, joined)),
    *(Transform(f.__name__, "transport", f) for f in (github, gitlab, gitlab_untimed, jenkins, jenkins_pipeline)),
    *(Transform(f.__name__, "transport", f) for f in (jenkins_clock, circleci, docker_json, cri, cri_partial)),
    *(Transform(f.__name__, "transport", f) for f in (journald, journald_json, syslog, syslog_5424)),
    *(Transform(f.__name__, "transport", f) for f in (journald_full, journald_unix, journald_monotonic)),
    *(Transform(f.__name__, "transport", f) for f in (kubectl_prefix, kubectl_timestamps, compose)),
    *(Transform(f.__name__, "transport", f) for f in COLLECTORS),
    *(Transform(f.__name__, "named", f) for f in NAMED),
    *(Transform(f.__name__, "transport", f) for f in NEWEST_FIRST),
    *(Transform(f.__name__, "colour", f) for f in CODES),
    *(Transform(f.__name__, "around", f) for f in AROUND),
    *(Transform(f.__name__, "letters", f) for f in BACKSLASHES),
    *(Transform(f.__name__, "literal", f) for f in LITERALS),
)
BY_NAME = {one.name: one for one in TRANSFORMS}
