"""A failure that came several times with different numbers: what is offered holds for every copy, or no value is."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diagnose import diagnose_bytes
from diagnose.incidents.reading import finding_from
from diagnose.model import Change, Copy, Finding, Match, Piece, Record, RecordKind, Remedy, Text
from diagnose.remedies import copies
from diagnose.remedies.copies import MOST_COMPARED, MOST_NAMED, MOST_SHOWN, NO_ONE, occurrences, unsure
from diagnose.report.json import render as as_json
from diagnose.report.text import render

ASKED = (
    "(APIServer pid=9) INFO 11-30 08:01:06 [api_utils.py:286] non-default args: {'model': 'org/m', 'max_model_len':"
    " 40960, 'block_size': 4096, 'max_num_seqs': 4, 'data_parallel_size': 8, 'model_impl': 'vllm'}\n"
)


def pool(rank: int, holds: int, needs: int = 11) -> str:
    return (
        f"(EngineCore_DP{rank} pid={20 + rank}) ERROR 11-30 08:05:06 [core.py:1366] ValueError: The KV cache sized "
        f"from the compiled placement holds {holds} blocks, but it needs {needs}: {needs - 1} for one request of "
        "max_model_len=40960 across 1 KV cache group(s), plus the null block. Reduce max_model_len, raise "
        "gpu_memory_utilization, or give the model more devices.\n"
    )


def engines(have: Sequence[int]) -> str:
    return ASKED + "".join(pool(rank, holds) for rank, holds in enumerate(have))


def too_long(prompt: int, output: int = 4096) -> str:
    minute, second = divmod(prompt % 3600, 60)
    return (
        f"(APIServer pid=9) ERROR 11-30 09:{minute:02}:{second:02} [serving.py:1] VLLMValidationError: This model's "
        f"maximum context length is 40960 tokens. However, you requested {output} output tokens and your prompt "
        f"contains at least {prompt} input tokens, for a total of at least {prompt + output} tokens.\n"
    )


def diagnosed(log: str) -> Finding:
    return diagnose_bytes(log.encode()).findings[0]


def remedy(found: Finding, id_: str) -> Remedy:
    return next(r for r in found.remedies if r.id == id_)


def values(found: Finding) -> dict[str, object]:
    return {change.parameter: change.to for r in found.remedies for change in r.changes}


@settings(max_examples=10, deadline=None)
@given(st.lists(st.integers(3, 10), min_size=2, max_size=6))
def test_the_length_fits_the_engine_with_the_least_room_in_any_order(have: list[int]) -> None:
    found = diagnosed(engines(have))
    assert found.line == 2
    assert values(found)["max_seq_len"] == (min(have) - 1) * 4096
    if len(set(have)) > 1:
        (decides,) = next(r for r in found.remedies if r.changes).copies
        assert (decides.line, decides.numbers) == (2 + have.index(min(have)), {"pool_blocks": min(have)})


def test_equal_copies_are_told_as_ever() -> None:
    once, twice = diagnosed(engines([6])), diagnosed(engines([6, 6]))
    assert twice.count == 2
    assert twice.remedies == once.remedies
    assert not any(r.copies for r in twice.remedies)


@pytest.mark.parametrize("prompts", [(37000, 39000), (39000, 37000), (37000, 38000, 39000)])
def test_an_answer_is_as_short_as_the_longest_prompt_asks(prompts: tuple[int, ...]) -> None:
    found = diagnosed(ASKED + "".join(map(too_long, prompts)))
    assert values(found) == {"max_new_tokens": 40960 - 39000, "max_seq_len": 45056}


def test_what_is_no_way_out_for_one_copy_is_not_computed() -> None:
    found = diagnosed(ASKED + too_long(37000) + too_long(60000))
    shorter = next(r for r in found.remedies if r.doubt == NO_ONE)
    assert (shorter.applicability, shorter.changes, dict(shorter.commands)) == ("advice", (), {})
    assert [copy.line for copy in shorter.copies] == [2, 3]
    assert values(found) == {"max_seq_len": 65536}


@pytest.mark.parametrize(
    ("lang", "seen", "decides"),
    [
        ("en", "seen 2 times with different numbers (lines 2, 3)", "line 3 decides: pool_blocks = 6"),
        ("ko", "서로 다른 수치로 2번 나타났습니다 (2, 3행)", "3행 기준: pool_blocks = 6"),
    ],
)
def test_the_report_says_whose_numbers_were_used(lang: str, seen: str, decides: str) -> None:
    page = render(diagnose_bytes(engines([9, 6]).encode()), lang, width=100)  # type: ignore[arg-type]
    assert seen in page
    assert decides in page


def test_the_json_names_the_copy_only_where_copies_differ() -> None:
    assert '"copies"' in as_json(diagnose_bytes(engines([9, 6]).encode()), "en")
    assert '"copies"' not in as_json(diagnose_bytes(engines([6, 6]).encode()), "en")


def test_a_finding_that_was_kept_still_names_the_copy() -> None:
    made = diagnose_bytes(engines([9, 6]).encode()).to_dict()["findings"][0]
    assert remedy(finding_from(made), "shorter-context").copies == (Copy(3, {"pool_blocks": 6}),)


def test_a_reader_who_counts_other_lines_is_given_those() -> None:
    wrapped = "\n".join(part for line in engines([9, 6]).split("\n") for part in textwrap.wrap(line, 100))
    found = diagnosed(wrapped)
    (copy,) = next(r for r in found.remedies if r.changes).copies
    assert "DP1" in wrapped.split("\n")[copy.line - 1]
    assert (
        Remedy("way", "exact", Text("", ""), copies=(copy,)).on_lines(lambda n: n + 7).copies[0].line == copy.line + 7
    )


# --------------------------------------------------------------------------- by hand

SEQ, NAME = "max_seq_len", "sub_block_size"


def way(*changes: tuple[str, object, object], sure: str = "exact") -> Remedy:
    made = tuple(Change(name, before, to) for name, before, to in changes)
    return Remedy("way", sure, Text("way", "방법"), changes=made)  # type: ignore[arg-type]


def of_all(*ways: Remedy | None) -> Remedy:
    each = [(Copy(n, {"n": n}), () if one is None else (one,)) for n, one in enumerate(ways, 1)]
    assert ways[0] is not None
    return copies._for_all(ways[0], each)


@pytest.mark.parametrize(
    ("one", "other", "decides"),
    [
        ((SEQ, 9, 5), (SEQ, 9, 3), 2),
        ((SEQ, 9, 12), (SEQ, 9, 15), 2),
        ((SEQ, 9, 12), (SEQ, 9, 5), None),  # one needs more, the other less
        ((SEQ, None, 5), (SEQ, None, 3), None),  # nobody knows which way it goes
        ((SEQ, 9, 5), (SEQ, 8, 3), None),
        (("processor.max_pixels", None, 5), ("processor.max_pixels", None, 3), 2),
        (("visual.max_seq_len", [4], [4, 8]), ("visual.max_seq_len", [4], [4, 6]), 1),
        ((NAME, 9, 4), (NAME, 9, 3), None),  # it has to divide something
        ((SEQ, 9, None), (SEQ, 9, 3), None),
    ],
)
def test_the_copy_that_goes_furthest_decides(one: object, other: object, decides: int | None) -> None:
    said = of_all(way(one), way(other))  # type: ignore[arg-type]
    assert [copy.line for copy in said.copies] == ([1, 2] if decides is None else [decides])
    assert bool(said.changes) == (decides is not None)
    assert (said.doubt == NO_ONE) == (decides is None)


def test_it_has_to_go_furthest_in_everything_it_changes() -> None:
    assert of_all(way((SEQ, 9, 5), ("batch_size", 9, 3)), way((SEQ, 9, 4), ("batch_size", 9, 4))).doubt == NO_ONE
    assert of_all(way((SEQ, 9, 5), ("batch_size", 9, 3)), way((SEQ, 9, 4), ("batch_size", 9, 3))).copies[0].line == 2


def test_it_is_as_sure_as_the_least_sure_copy() -> None:
    assert of_all(way((SEQ, 9, 3)), way((SEQ, 9, 5), sure="estimate")).applicability == "estimate"


def test_where_a_copy_waits_for_a_value_so_do_all() -> None:
    waits = Remedy("way", "needs-value", Text("way", "방법"), arithmetic="6 * block", missing=("block",))
    said = of_all(way((SEQ, 9, 3)), waits)
    assert (said.applicability, said.missing, said.changes) == ("needs-value", ("block",), ())


def test_of_copies_none_serves_a_few_are_named() -> None:
    said = of_all(*(way((NAME, 9, n)) for n in range(1, MOST_SHOWN + 3)))
    assert len(said.copies) == MOST_SHOWN


def match(line: int, process: str = "a", **numbers: object) -> Match:
    record = Record(RecordKind.LOG, "text", (Piece(0, line, 0),), process=process)
    return Match("entry", 0, record, 0, 4, numbers)  # type: ignore[arg-type]


def test_a_wording_that_says_less_belongs_to_the_copy_of_its_process() -> None:
    every = [match(1, n=9, batch=4), match(2, "b", n=6, batch=4), match(3, "b", batch=4, extra=1), match(4, n=9)]
    first, second = occurrences(every[0], every)
    assert (first.line, dict(first.numbers)) == (1, {"n": 9, "batch": 4})
    assert (second.line, dict(second.numbers)) == (2, {"n": 6, "batch": 4, "extra": 1})


def test_another_name_makes_no_other_copy() -> None:
    every = [match(1, n=9, tensor="q_proj"), match(2, n=9, tensor="k_proj")]
    assert len(occurrences(every[0], every)) == 1


def test_of_many_copies_those_with_the_least_and_the_most_are_compared() -> None:
    every = [match(n, n=100 + n) for n in range(1, MOST_COMPARED + 20)]
    found = occurrences(every[0], [*every, match(900, n=1), match(901, n=999)])
    chosen = copies._compared(found, ("n",))
    assert len(chosen) == MOST_COMPARED
    assert {1, 900, 901} <= {one.line for one in chosen}


def test_only_a_few_numbers_of_a_copy_are_named() -> None:
    numbers = {f"n{i}": i for i in range(MOST_NAMED + 1)}
    assert len(copies._named(copies.Occurrence(1, numbers), tuple(numbers)).numbers) == MOST_NAMED


def test_what_copies_nobody_looked_at_may_ask_for_is_said() -> None:
    decided, same = of_all(way((SEQ, 9, 5)), way((SEQ, 9, 3))), way((SEQ, 9, 3))
    less, kept = unsure([decided, same], 7)
    assert less.applicability == "estimate"
    assert less.bound is not None
    assert "7" in less.bound.en
    assert "7" in less.bound.ko
    assert kept == same


def test_a_storm_of_different_prompts_claims_no_certainty() -> None:
    found = diagnosed(ASKED + "".join(too_long(36900 + n) for n in range(300)))
    assert found.count == 300
    assert not any(r.applicability == "exact" and r.copies for r in found.remedies)
