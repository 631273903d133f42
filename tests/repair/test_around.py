"""Signs, elements and typography: what was put into a text comes off, and what was its own stays."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.metamorphic.transforms import BY_NAME, pane
from diagnose import diagnose_bytes
from diagnose.repair.joints import is_between_words
from diagnose.repair.markup import few_elements, markup
from diagnose.repair.page import page_of
from diagnose.repair.signs import few_signs, signs
from diagnose.repair.typography import double_dashes, plain, typography
from tests.repair.kit import rows

FIXTURES = Path(__file__).parents[2] / "fixtures"
LOG = 'Traceback (most recent call last):\n  File "a.py", line 3, in run\n    x - 1\nValueError: it\'s -1, not --max\n'


@pytest.mark.parametrize("name", ["diff_added", "diff_removed", "listed", "commented", "commented_slashes"])
def test_a_sign_before_every_line_of_a_log_comes_off(name: str) -> None:
    assert rows(signs(page_of(BY_NAME[name].change(LOG, random.Random(1)).encode()))) == LOG


def test_a_patch_loses_one_column() -> None:
    lines = LOG.splitlines()
    patch = "--- a/log\n+++ b/log\n@@ -1,2 +1,4 @@\n" + "".join(f"{c}{x}\n" for c, x in zip("  +-", lines, strict=True))
    assert (rows(signs(page_of(patch.encode()))) or "").endswith(LOG)


@pytest.mark.parametrize(
    "text",
    [
        "# Known errors\n\n- ValueError: it is too small\n- RuntimeError: it is too large\n",
        "- the first thing\n- the second thing\n",
        "a line\n- ValueError: too small\nanother line\n- RuntimeError: too large\n",
        "+ make test\n+ ./run.sh\n",
    ],
    ids=["list below a heading", "sentences", "mixed", "shell"],
)
def test_a_list_that_speaks_of_errors_is_no_log(text: str) -> None:
    assert signs(page_of(text.encode())) is None


def test_a_few_lines_that_look_like_nothing_are_a_guess_only_when_all_have_the_sign() -> None:
    assert rows(few_signs(page_of(b"# no tools found\n# at all\n"))) == "no tools found\nat all\n"
    assert few_signs(page_of(b"# no tools found\nat all\n")) is None
    assert few_signs(page_of(b"# one\n" * 25)) is None


@pytest.mark.parametrize("name", ["html_lines", "html_breaks", "html_in_a_row"])
def test_elements_around_lines_come_off(name: str) -> None:
    text = "first line\nsecond line\nthird\n"
    assert (rows(markup(page_of(BY_NAME[name].change(text, random.Random(1)).encode()))) or "").strip() == text.strip()


def test_other_lines_around_elements_are_a_guess() -> None:
    text = "a\nb\nc\nd\ne\n<p>ValueError: x</p>\n"
    assert markup(page_of(text.encode())) is None
    assert (rows(few_elements(page_of(text.encode()))) or "").endswith("e\nValueError: x\n")
    assert few_elements(page_of(b"if a < b: return <unk>\n")) is None


@pytest.mark.parametrize("name", ["smart_quotes", "dashes", "hyphens"])
def test_typographic_signs_become_what_a_program_wrote(name: str) -> None:
    assert rows(typography(page_of(BY_NAME[name].change(LOG, random.Random(1)).encode()))) == LOG


def test_a_dash_between_blanks_can_be_two_hyphens() -> None:
    assert rows(double_dashes(page_of("still open – leave".encode()))) == "still open -- leave\n"
    assert double_dashes(page_of(b"still open - leave")) is None


def test_the_quotes_of_a_prompt_stay_its_own() -> None:
    text = "INFO 11-29 12:00:00 [logger.py:39] Received request cmpl-1: prompt: 'it’s', params: x\n"
    assert typography(page_of(text.encode())) is None
    assert typography(page_of(f"{text}INFO 11-29 12:00:01 [a.py:1] “x”\n".encode())) is not None


@given(st.text(st.sampled_from("ab -–—‑“”‘’…\"'."), max_size=40))
def test_any_text_is_plain_after_it_was_made_plain(text: str) -> None:
    assert plain(plain(text)) == plain(text)
    assert not set(plain(text)) & set("–‑“”‘’…")


@pytest.mark.parametrize("path", sorted(FIXTURES.glob("*.log")), ids=lambda p: p.stem)
def test_a_pane_that_was_copied_with_its_blanks_gives_the_diagnosis_of_the_log(path: Path) -> None:
    text = path.read_text("utf-8", "replace")
    plain, copied = (diagnose_bytes(t.encode()) for t in (text, pane(text, random.Random(path.stem))))
    assert copied.outcome == plain.outcome
    assert [(f.entry, f.numbers) for f in copied.findings] == [(f.entry, f.numbers) for f in plain.findings]


def test_half_a_number_is_not_taken_for_a_whole_one() -> None:
    assert not is_between_words("capacity 17,179,", "869,184 bytes", frozenset)
    assert is_between_words("You supplied (1, 3, 336,", "336).", frozenset)
    assert is_between_words("the ids are [4, 17,", "869184]", frozenset)
