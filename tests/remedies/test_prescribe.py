"""From an entry to remedies: guards, order, surety, changes, what is left out."""

from __future__ import annotations

from dataclasses import replace

from diagnose.knowledge.schema import Case
from diagnose.model import RunContext, Text
from diagnose.remedies import cause_text, observe, prescribe, title_text
from tests.remedies.kit import ATOM, KNOWLEDGE, REBEL, entry, run, spec

NUMBERS = {"available_blocks": 12, "required_blocks": 17, "batch_size": 8}
SHORTER = "available_blocks * block if batch_size == 1 else (available_blocks - 1) * block"


def test_a_computed_change_is_complete() -> None:
    made = entry(spec("shorter", set={"max_seq_len": SHORTER}, verify=Text("{batch_size}", "{batch_size}")))
    (remedy,) = prescribe(made, NUMBERS, run(ATOM, npu="RBLN-CA25", form="vllm-serve"), KNOWLEDGE)
    (change,) = remedy.changes
    assert (change.parameter, change.from_, change.to, change.scope) == ("max_seq_len", 262144, 180224, "rbln_config")
    assert remedy.applicability == "exact"
    assert remedy.arithmetic == "(12 - 1) * 16384 = 180224"
    assert remedy.commands["vllm"] == "--max-model-len 180224"
    assert remedy.verify == Text("8", "8")


def test_a_missing_value_keeps_the_remedy_with_its_formula() -> None:
    (remedy,) = prescribe(entry(spec(set={"max_seq_len": SHORTER})), NUMBERS, RunContext(), KNOWLEDGE)
    assert remedy.applicability == "needs-value"
    assert remedy.arithmetic == "(12 - 1) * block"
    assert remedy.missing == ("kvcache_partition_len",)
    assert not remedy.changes


def test_a_value_nobody_can_supply_makes_it_advice() -> None:
    (remedy,) = prescribe(entry(spec(set={"max_seq_len": "nowhere + 1"})), {}, RunContext(), KNOWLEDGE)
    assert (remedy.applicability, remedy.missing) == ("advice", ())
    assert remedy.arithmetic == "nowhere + 1"


def test_a_guard_decides_and_an_unknown_one_keeps() -> None:
    made = entry(
        spec("no", when="batch_size > 8", set={"port": "8001"}),
        spec("yes", when="batch_size == 8", set={"port": "8002"}),
        spec("maybe", when="nowhere > 3", set={"port": "8003"}),
    )
    assert [r.id for r in prescribe(made, NUMBERS, RunContext(), KNOWLEDGE)] == ["yes", "maybe"]


def test_the_surest_come_first_in_the_order_of_the_entry() -> None:
    made = entry(
        spec("advice"),
        spec("needs", set={"max_seq_len": "max_seq_len // 2"}),
        spec("estimate", set={"port": "8001"}, applicability="estimate"),
        spec("exact-1", set={"port": "8002"}),
        spec("exact-2", set={"port": "8003"}),
    )
    found = [r.id for r in prescribe(made, {}, RunContext(), KNOWLEDGE)]
    assert found == ["exact-1", "exact-2", "estimate", "needs", "advice"]


def test_an_entry_can_only_lower_the_surety() -> None:
    made = entry(spec(set={"max_seq_len": "nowhere + max_seq_len"}, applicability="exact"))
    (remedy,) = prescribe(made, {}, RunContext(), KNOWLEDGE)
    assert remedy.applicability == "needs-value"


def test_what_is_in_force_already_is_not_proposed() -> None:
    context = run({**REBEL, "create_runtimes": False, "visual.create_runtimes": False, "device": [0]})
    made = entry(
        spec("runtimes", solver="compile_without_runtimes"),
        spec("length", set={"max_seq_len": "262144"}),
        spec("device", set={"device": "0"}),
        spec("unset", set={"kvcache_num_blocks": "unset"}),
        spec("default", set={"tensor_parallel_size": "1"}),
    )
    assert prescribe(made, {}, context, KNOWLEDGE) == ()


def test_one_of_two_changes_in_force_leaves_the_other() -> None:
    context = run({**REBEL, "create_runtimes": False})
    (remedy,) = prescribe(entry(spec(solver="compile_without_runtimes")), {}, context, KNOWLEDGE)
    assert [c.parameter for c in remedy.changes] == ["visual.create_runtimes"]


def test_unset_removes_a_value_that_is_there() -> None:
    context = run({**REBEL, "kvcache_num_blocks": 256})
    (remedy,) = prescribe(entry(spec(set={"kvcache_num_blocks": "unset"})), {}, context, KNOWLEDGE)
    assert [(c.from_, c.to) for c in remedy.changes] == [(256, None)]


def test_a_computed_value_is_moved_to_a_valid_one_and_says_so() -> None:
    (remedy,) = prescribe(entry(spec(set={"max_seq_len": "max_seq_len - 1"})), {}, run(REBEL), KNOWLEDGE)
    assert [c.to for c in remedy.changes] == [253952]
    assert remedy.arithmetic == "262144 - 1 = 262143; max_seq_len = 253952"


def test_a_change_that_cannot_be_made_valid_is_not_offered() -> None:
    assert prescribe(entry(spec(set={"num_devices": "2"})), {}, run(REBEL), KNOWLEDGE) == ()


def test_an_expression_without_an_answer_is_not_offered() -> None:
    made = entry(
        spec("none", set={"max_seq_len": "largest_divisor(7, 2, 6, 1)"}),
        spec("wrong", set={"max_seq_len": "1 / 0"}),
    )
    assert prescribe(made, {}, run(REBEL), KNOWLEDGE) == ()


def test_fields_go_to_the_level_where_the_class_keeps_them() -> None:
    context = run(
        {"language_model.max_seq_len": 262144, "language_model.kvcache_partition_len": 8192},
        vlm=False,
        model_class="RBLNGemma4ForConditionalGeneration",
        lm_prefix="language_model",
        vision_prefix="vision_tower",
    )
    made = entry(spec(set={"max_seq_len": "131072", "visual.max_soft_tokens": "280"}))
    (remedy,) = prescribe(made, {}, context, KNOWLEDGE)
    parameters = [c.parameter for c in remedy.changes]
    assert parameters == ["language_model.max_seq_len"]  # 280 is the default in force
    assert remedy.changes[0].from_ == 262144


def test_the_message_tells_a_value_the_configuration_does_not() -> None:
    (remedy,) = prescribe(entry(spec(set={"batch_size": "4"})), NUMBERS, RunContext(), KNOWLEDGE)
    assert [(c.from_, c.to) for c in remedy.changes] == [(8, 4)]


def test_the_same_changes_are_offered_once() -> None:
    made = entry(spec("a", set={"port": "8001"}), spec("b", set={"port": "8001"}))
    assert [r.id for r in prescribe(made, {}, RunContext(), KNOWLEDGE)] == ["a"]


def test_several_changes_name_their_arithmetic() -> None:
    made = entry(spec(set={"max_seq_len": "max_seq_len // 2", "batch_size": "batch_size - 1"}))
    (remedy,) = prescribe(made, {}, run(REBEL), KNOWLEDGE)
    assert remedy.arithmetic == "max_seq_len = 262144 // 2 = 131072; batch_size = 8 - 1 = 7"


def test_processor_changes_have_their_own_scope() -> None:
    made = entry(spec(solver="processor_limit_for_bucket"))
    (remedy,) = prescribe(made, {"available_patches": [16384]}, run(form="optimum-python"), KNOWLEDGE)
    assert [c.scope for c in remedy.changes] == ["processor"]
    assert "4194304" in remedy.commands["processor"].replace("_", "")


def test_the_case_whose_guard_holds_is_the_cause() -> None:
    made = entry(
        cause=(
            Case("batch_size > 100", Text("a", "가")),
            Case("nowhere > 1", Text("b", "나")),
            Case("max_seq_len == 262144", Text("{max_seq_len:,}", "{max_seq_len:,}")),
            Case(None, Text("c", "다")),
        )
    )
    assert cause_text(made, {}, run(REBEL), KNOWLEDGE) == Text("262,144", "262,144")
    assert cause_text(made, {}, RunContext(), KNOWLEDGE) == Text("c", "다")


def test_the_title_is_filled() -> None:
    made = entry(title=Text("only {available_blocks}", "{available_blocks}개"))
    assert title_text(made, NUMBERS, RunContext(), KNOWLEDGE) == Text("only 12", "12개")


def test_an_observation_is_made_where_it_is_known_to_hold() -> None:
    watching = entry(observe="known('processor.max_pixels') and max_seq_len > 1000", role="context")
    knowledge = replace(KNOWLEDGE, entries={watching.id: watching})
    pixels = {**REBEL, "processor.max_pixels": 100}
    assert [(e.id, dict(n)) for e, n in observe(knowledge, run(pixels))] == [("made.up", {"max_seq_len": 262144})]
    assert list(observe(knowledge, run(REBEL))) == []
    assert list(observe(knowledge, RunContext())) == []
