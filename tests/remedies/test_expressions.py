"""Expressions: safe, frugal, and shown as arithmetic."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose.model import RunContext
from diagnose.remedies.expressions import ExpressionError, MissingValue, evaluate, explain, names_in
from diagnose.remedies.syntax import MAX_LENGTH, MAX_NODES
from tests.remedies.kit import ATOM, REBEL, env, run

SHORTER = "available_blocks * block if batch_size == 1 else (available_blocks - 1) * block"
HAVE_12 = {"available_blocks": 12, "batch_size": 8}


def test_the_arithmetic_shows_the_branch_that_was_taken() -> None:
    here = env(HAVE_12, run(ATOM))
    assert evaluate(SHORTER, here) == 180224
    assert explain(SHORTER, here) == "(12 - 1) * 16384 = 180224"
    assert explain(SHORTER, env({**HAVE_12, "batch_size": 1}, run(ATOM))) == "12 * 16384 = 196608"


def test_a_missing_value_leaves_its_name_in_the_formula() -> None:
    assert explain(SHORTER, env(HAVE_12)) == "(12 - 1) * block"


def test_every_missing_value_is_named_not_only_the_first() -> None:
    with pytest.raises(MissingValue) as missing:
        evaluate("max_seq_len + batch_size * available_blocks", env())
    assert missing.value.names == ("max_seq_len", "batch_size", "available_blocks")


def test_a_derived_name_asks_for_what_it_rests_on() -> None:
    with pytest.raises(MissingValue) as missing:
        evaluate("full_blocks", env())
    assert missing.value.names == ("max_seq_len", "kvcache_partition_len", "batch_size")


@pytest.mark.parametrize(
    "expression",
    [
        "1 if batch_size == 8 else nowhere",
        "known('nowhere') and nowhere > 3",
        "batch_size == 8 or nowhere",
        "nowhere if known('nowhere') else 7",
    ],
)
def test_what_is_not_needed_is_not_missed(expression: str) -> None:
    evaluate(expression, env({"batch_size": 8}))


def test_an_unknown_part_that_is_evaluated_first_is_missed() -> None:
    with pytest.raises(MissingValue) as missing:
        evaluate("nowhere > 3 or batch_size == 8 or elsewhere", env({"batch_size": 8}))
    assert missing.value.names == ("nowhere",)


@pytest.mark.parametrize(
    "expression",
    [
        "__import__('os').system('true')",
        "().__class__",
        "max.__globals__",
        "open('x')",
        "list(1)",
        "lambda: 1",
        "f'{batch_size}'",
        "1 << 3",
        "_hidden",
        "max(key=1)",
        "*batch_size",
        "{}",
        "b'x'",
        "(yield)",
        "batch_size := 3",
        "1; 2",
        "",
        "(1,",
    ],
)
def test_nothing_but_arithmetic_is_accepted(expression: str) -> None:
    with pytest.raises(ExpressionError):
        evaluate(expression, env({"batch_size": 8}))


@pytest.mark.parametrize(
    "expression",
    [
        "9 ** 9 ** 9",
        "2 ** 1000",
        "10 ** 64 * 10 ** 64",
        "'a' * 10",
        "[1] * 10",
        "'%s' % 3",
        "1 / 0",
        "[1][5]",
    ],
)
def test_a_costly_or_senseless_computation_is_refused(expression: str) -> None:
    with pytest.raises(ExpressionError):
        evaluate(expression, env())


def test_length_and_size_of_an_expression_are_limited() -> None:
    with pytest.raises(ExpressionError, match="too long"):
        evaluate("1+" * MAX_LENGTH + "1", env())
    with pytest.raises(ExpressionError, match="too many parts"):
        evaluate("+".join("1" * (MAX_NODES // 2)), env())


def test_helpers_round_the_way_their_names_say() -> None:
    here = env(context=run(REBEL))
    assert evaluate("[ceil_div(7, 2), floor_to(7, 4), ceil_to(7, 4), align_2mib(1)]", here) == [
        4,
        4,
        8,
        2097152,
    ]
    assert evaluate("largest_divisor(40960, 1024, 20480, 64)", here) == 20480
    assert evaluate("largest_divisor(7, 2, 6, 1)", here) is None
    assert explain("floor_to(max_seq_len, 1000)", here) == "floor(262144 / 1000) * 1000 = 262000"
    assert explain("ceil_div(max_seq_len, 1000)", here) == "ceil(262144 / 1000) = 263"


def test_one_value_counts_as_a_list_of_one() -> None:
    here = env(context=run({"device": 3}))
    assert evaluate("[len(device), max(device), sorted(device), sum(device)]", here) == [1, 3, [3], 3]


def test_a_name_alone_is_shown_with_its_value_and_a_constant_not_at_all() -> None:
    assert explain("blocks_min", env({"blocks_min": 33})) == "blocks_min = 33"
    assert explain("1024", env()) == ""


def test_the_minimum_depends_on_the_release() -> None:
    config = {"max_seq_len": 32768, "kvcache_partition_len": 8192, "batch_size": 16}
    new = run(config, versions={"optimum_rbln": "0.12.0"})
    old = run(config, versions={"optimum_rbln": "0.11.0.post1"})
    oldest = run(config, versions={"optimum_rbln": "0.9.4"})
    assert [evaluate("min_blocks", env(context=c)) for c in (new, old, oldest)] == [17, 5, 16]


def test_a_sister_package_tells_the_release() -> None:
    context = run({}, versions={"vllm_rbln": "0.10.4"})
    assert evaluate("at_least('optimum_rbln', '0.11.1')", env(context=context)) is False
    assert evaluate("at_least('optimum_rbln', '0.11.1')", env()) is True


def test_limits_follow_family_and_release() -> None:
    names = "[eager_limit, partition_min, partition_max, partition_default]"
    assert evaluate(names, env(context=run(npu="RBLN-CR13"))) == [16384, 1024, 16384, 8192]
    assert evaluate(names, env(context=run(npu="RBLN-CA25"))) == [32768, 1024, 32768, 16384]
    older = run(npu="RBLN-CA25", versions={"optimum_rbln": "0.11.0"})
    assert evaluate(names, env(context=older)) == [32768, 4096, 32768, 16384]


def test_the_capacity_of_an_out_of_memory_message_names_the_family() -> None:
    assert evaluate("family", env({"capacity_bytes": 38654705664})) == "REBEL"
    assert evaluate("family", env({"capacity_bytes": 17179869184})) == "ATOM"
    with pytest.raises(MissingValue):
        evaluate("family", env({"capacity_bytes": 123}))


def test_the_message_can_tell_the_block_size() -> None:
    numbers = {"available_blocks": 12, "required_blocks": 17, "batch_size": 8}
    assert evaluate("block", env(numbers, run({"max_seq_len": 262144}))) == 16384
    ambiguous = {"available_blocks": 12, "required_blocks": 17, "batch_size": 16}
    with pytest.raises(MissingValue):
        evaluate("block", env(ambiguous, run({"max_seq_len": 262144})))


def test_an_assumed_eager_mode_never_decides_the_block_size() -> None:
    with pytest.raises(MissingValue):
        evaluate("block", env(context=run({"max_seq_len": 262144})))
    assert evaluate("block", env(context=run({"max_seq_len": 8192, "attn_impl": "eager"}))) == 8192


def test_fields_of_a_nested_language_model_are_found() -> None:
    context = run({"language_model.max_seq_len": 65536}, vlm=False, lm_prefix="language_model")
    assert evaluate("max_seq_len", env(context=context)) == 65536


def test_names_in_an_expression_leave_out_functions_and_loop_variables() -> None:
    text = "max([b for b in sorted(chunks) if b > cfg('visual.max_seq_len')]) + batch_size"
    assert set(names_in(text)) == {"chunks", "visual.max_seq_len", "batch_size"}


@given(st.text(max_size=60))
def test_any_text_gives_a_value_or_one_of_two_errors(text: str) -> None:
    here = env({"a": 3, "b": [1, 2]}, RunContext())
    try:
        evaluate(text, here)
        explain(text, here)
    except (ExpressionError, MissingValue):
        pass


_NAMES = st.sampled_from(["a", "b", "c", "nowhere", "3", "7"])
_TREES = st.recursive(
    _NAMES,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*", "//", "%", "<", "and", "or"]), inner).map(
            lambda t: f"({t[0]} {t[1]} {t[2]})"
        ),
        st.tuples(inner, inner, inner).map(lambda t: f"({t[0]} if {t[1]} else {t[2]})"),
        st.tuples(st.sampled_from(["max", "min", "ceil_div", "floor_to"]), inner, inner).map(
            lambda t: f"{t[0]}({t[1]}, {t[2]})"
        ),
    ),
    max_leaves=6,
)


@given(_TREES)
def test_the_shown_arithmetic_of_any_expression_gives_the_value_it_states(text: str) -> None:
    here = env({"a": 5, "b": 2, "c": 11}, RunContext())
    try:
        value = evaluate(text, here)
    except (ExpressionError, MissingValue):
        return
    shown, _, stated = explain(text, here).rpartition(" = ")
    if shown in ("", "a", "b", "c") or "floor(" in shown or "ceil(" in shown:
        return
    assert stated == str(value)
    assert evaluate(shown, env()) == value
