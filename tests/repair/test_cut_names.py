"""A name a line end goes through is none, and a list of which only the largest is known is not computed with."""

from __future__ import annotations

import pytest

from diagnose import diagnose_bytes
from diagnose.analyzer import Analyzer
from diagnose.model import Diagnosis, Fact, Line
from diagnose.repair.flow import run_together
from diagnose.repair.paste import MAX_CUT, CutNumbers
from tests.repair.kit import of, rows

CONFIG = (
    'rbln_config = {"visual": {"max_seq_len": 16384, "num_devices": 1}, "num_devices": 1, '
    '"kvcache_partition_len": 8192, "max_seq_len": 262144, "kvcache_num_blocks": 256, "batch_size": 8, '
    '"create_runtimes": False}\n'
)
OOM = (
    "$ python compile.py\n[1/3] 모델을 불러옵니다: Qwen/Qwen3-VL-2B-Instruct\n"
    f"{CONFIG}"
    "2026-11-29 18:02:10,186 INFO [rebel-compiler] -- Target NPU: RBLN-CR13\n"
    "Traceback (most recent call last):\n"
    '  File "/srv/c.py", line 31, in <module>\n'
    "    main()\n"
    '  File "/srv/modeling_base.py", line 610, in compile\n'
    "    compiled_model = rebel.compile_from_torch(\n"
    "rebel.core.exception.RBLNCompileError: DRAM OOM: requested 39,163,045,120 bytes, capacity 38,654,705,664 bytes\n"
)
GEMMA = (
    "2026-11-29 09:14:00,311 INFO [optimum.rbln] Preparing RBLNGemma4ForConditionalGeneration for compilation\n"
    "ValueError: The largest image-prefill chunk size (640) is smaller than the vision tower's largest max_soft_tokens "
    "(1120); those images cannot be image-prefilled by any bucket. Provide an image-prefill chunk size of at least "
    "1152.\n"
)


def cut(text: str, *places: str) -> str:
    """``text`` with a line end in the middle of each of ``places``."""
    for place in places:
        text = text.replace(place, f"{place[: len(place) // 2]}\n{place[len(place) // 2 :]}", 1)
    return text


def wrapped(text: str, width: int) -> str:
    lines = text.splitlines()
    return "\n".join(line[i : i + width] for line in lines for i in range(0, len(line) or 1, width)) + "\n"


def said(diagnosis: Diagnosis) -> object:
    """What is told of the causes, without places and quotes."""
    return [(f.entry, f.numbers, [(r.id, r.applicability, r.changes) for r in f.remedies]) for f in diagnosis.findings]


WHOLE = said(diagnose_bytes(OOM.encode()))


@pytest.mark.parametrize("width", range(60, 141, 4))
def test_a_compile_script_says_the_same_wrapped_at_any_width(width: int) -> None:
    assert said(diagnose_bytes(wrapped(OOM, width).encode())) == WHOLE


def test_a_configuration_with_a_broken_name_is_not_taken_for_the_whole() -> None:
    # rows of other widths around the break: nothing tells that the line was broken
    broken = f"{cut(OOM, 'kvcache_partition_len')}{'x' * 150}\n{'y' * 170}\n{'z' * 190}\n"
    remedies = {r.id: r for r in diagnose_bytes(broken.encode()).findings[0].remedies}
    assert remedies["shorter-context"].missing == ("kvcache_partition_len",)


@pytest.mark.parametrize("instead", ["", " ", "\u2028"])
def test_an_error_behind_a_call_that_stays_open_is_found_without_line_ends(instead: str) -> None:
    assert said(diagnose_bytes(OOM.rstrip("\n").replace("\n", instead).encode())) == WHOLE


@pytest.mark.parametrize("prose", ["the check failed(ValueError: 3)", 'say("ValueError: no")', "f(ValueError: no)"])
def test_a_type_in_brackets_of_a_sentence_begins_no_line(prose: str) -> None:
    assert run_together(of(f"2026-11-29 18:02:10,186 INFO [rebel-compiler] {prose}")) is None


def test_a_printed_configuration_begins_a_line_wherever_it_is_glued_to() -> None:
    told = rows(run_together(of(f"x: Qwen/Qwen3-VL-2B-Instruct{CONFIG.strip()}")))
    assert told is not None and told.split("\n")[1].startswith("rbln_config = {")


def test_buckets_of_which_only_the_largest_is_known_are_not_computed() -> None:
    remedies = diagnose_bytes(GEMMA.encode()).findings[0].remedies
    assert {r.id: r.missing for r in remedies} == {
        "smallest-change": ("image_prefill_chunk_size",),
        "derive": ("visual.max_soft_tokens",),
    }
    tower = '"visual": {"max_soft_tokens": [70, 140, 280, 560, 1120]}'
    known = f'rbln_config = {{"image_prefill_chunk_size": [384, 640], {tower}}}\n{GEMMA}'
    first = diagnose_bytes(known.encode()).findings[0].remedies[0]
    assert first.applicability == "exact" and "[384, 640, 1152]" in first.arithmetic


HEAD = "(APIServer pid=4121) INFO 11-29 08:01:13 [model.py:2030] Using max model len"


def length(text: str) -> object:
    """max_seq_len as a text says it that is too large for a paste."""
    analyzer = Analyzer(repair=False)
    analyzer.feed(text.encode())
    found = analyzer.finish().run.config.get("max_seq_len")
    return None if found is None else found.value


@pytest.mark.parametrize("rest", ["144", "144.", "144 tokens"])
def test_a_value_the_next_line_goes_on_with_is_none(rest: str) -> None:
    assert length(f"{HEAD} 262\n{rest}\n{HEAD.partition('Using')[0]}ready\n") is None


@pytest.mark.parametrize(
    "behind", ["2026-11-29 08:01:14 INFO up", "12:00:01 up", "1701234567.12 up", " 144", "v144", "", "1st start"]
)
def test_a_value_in_front_of_a_line_of_its_own_stays(behind: str) -> None:
    assert length(f"{HEAD} 262144\n{behind}\n") == 262144


def test_a_value_in_front_of_the_number_of_the_next_line_stays() -> None:
    assert length(f"21 {HEAD} 262144\n22 {HEAD.partition('Using')[0]}ready\n") == 262144


def test_half_a_number_of_a_message_is_left_out() -> None:
    analyzer = Analyzer(repair=False)
    analyzer.feed(GEMMA.replace("1152", "11\n52").encode())
    assert analyzer.finish().findings[0].numbers == {"chunk": 640, "soft_tokens": 1120}


@pytest.mark.parametrize("rest", ["144 tokens", "144, and more", "144"])
def test_half_a_number_in_front_of_the_sign_of_a_mail_is_none(rest: str) -> None:
    assert length(f"{HEAD} 262=\n{rest}\n") is None
    analyzer = Analyzer(repair=False)
    analyzer.feed(GEMMA.replace("1152", "11=\n52 tokens").encode())
    assert "11" not in map(str, analyzer.finish().findings[0].numbers.values())


def test_no_more_than_so_many_cut_numbers_are_remembered() -> None:
    cut_numbers = CutNumbers()
    for number in range(2, 4 * MAX_CUT, 2):
        cut_numbers.feed(Line(number, 0, "len 262"))
        cut_numbers.feed(Line(number + 1, 0, "144"))
    facts = [Fact("max_seq_len", 262, number, 0, "", 0) for number in range(2, 4 * MAX_CUT, 2)]
    assert len(facts) - len(cut_numbers.without(facts)) == MAX_CUT
