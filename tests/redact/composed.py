"""Secrets among other secrets: frames, neighbours and widths a text with secrets is put together of."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.redact.planted import SECRETS, Planted

FRAMES = (
    *("{}", "'{}'", '"{}"', "`{}`", "({})", "[{}]", "<{}>", "“{}”", "{}.", "{},", "{};", "{}:", "{}!", "{}…", "\t{}\t"),
    *("x={}", "x: {}", "x='{}'", 'x="{}"', "'x': '{}'", '"x": "{}"', '\\"x\\": \\"{}\\"', "['a', '{}']", "- x: {}"),
    *("--x={}", "--x {}", "--x '{}'", "$ echo {}", "# {}", "// {}", "url={}", "src={} dst=x", "a={}&b=1"),
    *("a->{}", "a => {}", "-> {}", "> {}", "{} -> x", "|{}|", "| {} |", "rank0:{}", "peer:{}", "at {}:", "at {} "),
    *("오류 {} 입니다", "{}에서 끊김", "{}을 찾지 못함", "주소: {}", "Kim <a@b.kr> {}", "{} (Kim <a@b.kr>)"),
    *("<ip-1> {}", "<secret-2> {}", "<host-1>{}", "{}<email-1>", "{} <ip-1>", "<{}>:", "<home>/x {}"),
    *("x\\n{}", "x\\n{}\\ny", "\\t{}\\r\\n", "\\x1b[31m{}\\x1b[0m", "\\u001b[0m{}", "\ufffd[0m{}"),
    *("^[[36m{}^[[0m", "#033[1m{}#033[0m"),
    *("\x1b[31m{}\x1b[0m", "a%20{}%20b", "&quot;{}&quot;", "driver said {}", "3 > 2 and {}", "a\n{}\nb"),
)
"""What a secret stands in. The text itself is never a version here."""
BETWEEN = (" ", ", ", "; ", " | ", "\n", "\\n", " -> ", " and ", "\t", " (", ") ", " / ", "=> ", "> ", " <x@y.kr> ")


@st.composite
def composed(draw: st.DrawFn) -> tuple[str, list[Planted]]:
    """A text with one to four secrets in it, and them."""
    planted = draw(st.lists(st.sampled_from(list(SECRETS.values())), min_size=1, max_size=4))
    made = ""
    for number, one in enumerate(planted):
        made += draw(st.sampled_from(BETWEEN)) if number else ""
        made += draw(st.sampled_from(FRAMES)).replace("{}", one.text)
    return made, planted
