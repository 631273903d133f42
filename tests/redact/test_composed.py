"""Any secrets beside any others, in any frame, on any width: none survives, and nothing else goes with them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bench.metamorphic.transforms import wrap_at
from diagnose.redact import Redactor
from diagnose.redact.wrapped import wrapped
from diagnose.redact.written_out import blanked
from tests.redact.composed import BETWEEN, FRAMES, composed
from tests.redact.planted import HARMLESS, SECRETS, Planted

LINE = "(EngineCore pid=4242) ERROR 11-29 08:07:35 [core.py:1366] RuntimeError: the frobnicator refused"
FILLER = "loading of the shards goes on " * 9


@pytest.mark.parametrize("frame", FRAMES)
def test_every_secret_goes_out_of_every_frame(frame: str) -> None:
    left = [n for n, p in SECRETS.items() if p.secret in Redactor().text(frame.replace("{}", p.text))]
    assert left == []


@given(composed())
@settings(max_examples=250)
def test_no_secret_survives_beside_any_others(made: tuple[str, list[Planted]]) -> None:
    text, planted = made
    by = Redactor()
    by.text(text)  # a password can stand on a line before the one that names it
    found = by.text(text)
    assert [one.secret for one in planted if one.secret in found] == []
    assert Redactor().text(found) == found
    assert found.count("\n") == text.count("\n")


@given(
    st.sampled_from(sorted(SECRETS)),
    st.sampled_from(FRAMES),
    st.integers(0, len(LINE)),
    st.integers(40, 130),
)
@settings(max_examples=250)
def test_a_secret_that_a_terminal_broke_goes_as_a_whole(name: str, frame: str, length: int, width: int) -> None:
    planted = SECRETS[name]
    if "\n" in planted.text or "\n" in frame or "\t" in frame or "\x1b" in frame:
        return  # a terminal shows none of these as they are
    wrapped = wrap_at(f"{FILLER}\n{LINE[:length]} {frame.replace('{}', planted.text)} {LINE}\nnext\n", width)
    found = Redactor().text(wrapped)
    assert planted.secret not in found.replace("\n", "")
    assert found.count("\n") == wrapped.count("\n")
    # A row that fills the width may go on, and so does what a row begins with the name of the one who says it.
    if len(wrapped.splitlines()[-2]) < width and "<prompt-" not in found:
        assert found.endswith("next\n")


HEADS: dict[str, Callable[[int], str]] = {
    "quotation": lambda n: "> ",
    "quotation of a quotation": lambda n: "> > ",
    "indentation": lambda n: "    ",
    "number and bar": lambda n: f"{n} | ",
    "number and colon": lambda n: f"{n}: ",
    "number of cat": lambda n: f"{n:6d}\t",
    "quoted number": lambda n: f"> {n} | ",
    "compose": lambda n: "vllm-1  | ",
    "bar": lambda n: "| ",
    "journald": lambda n: f"Nov 29 08:00:{n:02d} npu-n17 vllm[4242]: ",
    "syslog": lambda n: f"2026-11-29T08:00:{n:02d}.123456+09:00 npu-n17 vllm[4242]: ",
    "container": lambda n: f"2026-11-29T08:00:{n:02d}.123456789Z stdout F ",
    "clock": lambda n: f"[08:00:{n:02d}] ",
    "nothing": lambda n: "",
}


@given(
    st.sampled_from(sorted(SECRETS)),
    st.sampled_from(sorted(HEADS)),
    st.integers(0, len(LINE)),
    st.integers(70, 130),
    st.sampled_from(["", "  ", "pad"]),
    st.booleans(),
)
@settings(max_examples=250)
def test_a_broken_secret_goes_whatever_stands_before_and_behind_every_row(
    name: str, head: str, length: int, width: int, behind: str, left_out: bool
) -> None:
    planted = SECRETS[name]
    if "\n" in planted.text:
        return
    rows = wrap_at(f"{FILLER}\n{LINE[:length]} {planted.text} {LINE}\nnext\n", width).splitlines()
    rows = [row.ljust(width) if behind == "pad" else row + behind for row in rows]
    heads = [HEADS[head](number) for number in range(9, len(rows) + 9)]
    text = "\n".join(before + row for before, row in zip(heads, rows, strict=True))
    if left_out:
        text = f"[... lines 1-8 left out ...]\n{text}\n[... lines 50-51 left out ...]"
    found = Redactor().text(text)
    assert found.count("\n") == text.count("\n")
    lines = found.split("\n")[1:-1] if left_out else found.split("\n")
    if head not in ("journald", "syslog"):  # their machine is hidden: what is before a row is not what it was
        shown = [line.removeprefix(before).rstrip() for before, line in zip(heads, lines, strict=True)]
    else:
        shown = [line.partition("]: ")[2].rstrip() for line in lines]
    assert planted.secret.replace(" ", "") not in "".join(shown).replace(" ", "")


@pytest.mark.parametrize("head", sorted(HEADS))
def test_what_stands_before_a_row_stays_and_so_does_what_is_no_row(head: str) -> None:
    lines = ["a line that is no longer than any other is", "of the same width and ends where it has to", "short"]
    text = "\n".join(HEADS[head](number).replace("npu-n17", "<host-1>") + one for number, one in enumerate(lines, 9))
    assert Redactor().text(text) == text


@given(st.lists(st.sampled_from(sorted(SECRETS)), min_size=1, max_size=3), st.sampled_from(HARMLESS))
@settings(max_examples=100)
def test_what_a_diagnosis_needs_stays_on_the_lines_between(names: list[str], harmless: str) -> None:
    text = "\n".join(f"{harmless}\n{SECRETS[name].text}" for name in names) + f"\n{harmless}"
    assume(not list(wrapped(text)))  # two rows of one width by chance look like a terminal's
    assert Redactor().text(text).split("\n").count(harmless) == len(names) + 1


@pytest.mark.parametrize("before", BETWEEN)
def test_an_address_is_one_behind_every_alias_and_every_arrow(before: str) -> None:
    for ahead in ("a", "<ip-7>", "<secret-2>", "Kim <a@b.kr>", "src=x", "driver"):
        assert "10.20.30.40" not in Redactor().text(f"{ahead}{before}10.20.30.40 refused")


@pytest.mark.parametrize("before", ["https://", "see https://example.invalid/x,", "git://", "ipc://a "])
def test_an_address_on_the_line_behind_a_url_is_no_login_of_it(before: str) -> None:
    assert "minjae" not in Redactor().text(f"{before}\nminjae.kim@startup.example.co.kr")


def test_the_end_of_the_widest_line_takes_no_word_of_the_next() -> None:
    text = f"{'x' * 40} hf_QwErTyUiOpAsDfGhJkLzXcVbNm12345678\nValueError: 12 blocks\n  File x"
    assert Redactor().text(text) == f"{'x' * 40} <hf-token-1>\nValueError: 12 blocks\n  File x"


@given(st.text(alphabet=st.sampled_from("\\nrtux0159bm[;%3AF^#\x1b a"), max_size=80))
def test_written_out_characters_leave_every_place_where_it_is(text: str) -> None:
    assert len(blanked(text)) == len(text)
