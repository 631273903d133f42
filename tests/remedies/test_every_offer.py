"""The headline promise: whatever the run, no change is offered that breaks a rule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from diagnose.model import RunContext, Setting, Value
from diagnose.remedies import prescribe
from diagnose.remedies.constraints import adjust, violations
from diagnose.remedies.environment import artifact
from diagnose.remedies.prescribe import environment
from diagnose.remedies.solvers import SOLVERS
from tests.remedies.kit import KNOWLEDGE, entry, spec

PARTITIONS = st.sampled_from([512, 1024, 4096, 8192, 10240, 16384, 20480, 32768, 50000])
SETTINGS: Mapping[str, st.SearchStrategy[Any]] = {
    "max_seq_len": st.one_of(st.sampled_from([16384, 32768, 40960, 131072, 262144]), st.integers(1, 600_000)),
    "kvcache_partition_len": PARTITIONS,
    "batch_size": st.integers(1, 64),
    "num_devices": st.sampled_from([1, 2, 4, 8]),
    "kvcache_num_blocks": st.integers(0, 400),
    "memory_budget": st.sampled_from([0.2, 0.5, 0.93, 1.0, "80%"]),
    "prefill_chunk_size": st.sampled_from([64, 100, 128, 512]),
    "decoder_batch_sizes": st.lists(st.integers(1, 64), min_size=1, max_size=4),
    "device": st.one_of(st.integers(0, 3), st.lists(st.integers(0, 15), min_size=1, max_size=8, unique=True)),
    "visual.device": st.one_of(st.integers(0, 3), st.lists(st.integers(0, 15), min_size=1, max_size=8)),
    "visual.num_devices": st.sampled_from([1, 2, 8]),
    "visual.max_seq_len": st.one_of(st.integers(1, 20_000), st.lists(st.integers(1, 20_000), min_size=1, max_size=3)),
    "visual.max_soft_tokens": st.lists(st.sampled_from([70, 140, 280, 560, 1120]), min_size=1, unique=True),
    "image_prefill_chunk_size": st.lists(st.integers(1, 1300), min_size=1, max_size=4),
    "processor.max_pixels": st.integers(10_000, 10_000_000),
    "attn_impl": st.sampled_from(["eager", "flash_attn"]),
    "kvcache_block_size": PARTITIONS,
    "sub_block_size": st.sampled_from([128, 512, 3000]),
    "create_runtimes": st.booleans(),
    "devices_available": st.integers(1, 32),
    "request_tokens": st.integers(1, 100_000),
}
CLASSES: tuple[tuple[str | None, str, str | None, str | None], ...] = (
    ("RBLNQwen3VLForConditionalGeneration", "", "visual", "Qwen/Qwen3-VL-2B-Instruct"),
    ("RBLNQwen2_5_VLForConditionalGeneration", "", "visual", "Qwen/Qwen2.5-VL-7B-Instruct"),
    ("RBLNGemma4ForConditionalGeneration", "language_model", "vision_tower", None),
    ("RBLNQwen3ForCausalLM", "", None, "Qwen/Qwen3-8B"),
    (None, "", None, None),
)


@st.composite
def runs(draw: st.DrawFn) -> RunContext:
    names = draw(st.sets(st.sampled_from(sorted(SETTINGS)), max_size=12))
    model_class, lm, vision, model = draw(st.sampled_from(CLASSES))
    context = RunContext(
        npu=draw(st.sampled_from([None, "RBLN-CA25", "RBLN-CR13"])),
        versions=draw(st.sampled_from([{}, {"optimum_rbln": "0.10.4"}, {"optimum_rbln": "0.12.0"}])),
        model=model,
        model_class=model_class,
        lm_prefix=lm,
        vision_prefix=vision,
        form=draw(st.sampled_from([None, "optimum-python", "vllm-serve"])),
        phases=draw(st.sampled_from([frozenset(), frozenset({"compile"}), frozenset({"load"})])),
    )
    config = {context.place(n): Setting(draw(SETTINGS[n]), 1, "rbln_config") for n in sorted(names)}
    return RunContext(**{**{f: getattr(context, f) for f in context.__slots__}, "config": config})


NUMBERS = st.fixed_dictionaries(
    {},
    optional={
        "available_blocks": st.integers(1, 64),
        "required_blocks": st.integers(2, 80),
        "batch_size": st.integers(1, 32),
        "blocks_set": st.integers(1, 400),
        "blocks_min": st.integers(1, 60),
        "blocks_full": st.integers(1, 500),
        "requested_bytes": st.integers(17179869184, 60_000_000_000),
        "capacity_bytes": st.sampled_from([17179869184, 38654705664]),
        "required_patches": st.integers(1, 70_000),
        "available_patches": st.lists(st.integers(1, 20_000), min_size=1, max_size=3),
        "seq_len": st.integers(1, 400_000),
        "partition_len": st.sampled_from([1000, 4096, 16384, 20480]),
        "chunks": st.lists(st.integers(1, 1300), min_size=1, max_size=4),
        "soft_tokens": st.sampled_from([280, 1120]),
        "decoder_batch": st.integers(1, 64),
        "runtime_batch": st.integers(1, 64),
        "devices_given": st.integers(1, 16),
        "num_devices": st.integers(1, 16),
        "arguments": st.lists(st.sampled_from(["max_seq_len", "batch_size", "device"]), max_size=2),
    },
)
OPTIONS: Mapping[str, Mapping[str, Value]] = {"seq_to_multiple": {"direction": "up"}}
EVERY_SOLVER = entry(
    *(spec(name, solver=name, options=OPTIONS.get(name, {})) for name in SOLVERS),
    spec("down", solver="seq_to_multiple", options={"direction": "down"}),
    spec("count", solver="device_list_for_num_devices", options={"change": "num_devices"}),
    spec("free", set={"max_seq_len": "max_seq_len - 100", "batch_size": "batch_size + 1"}),
)


def canonical(parameter: str, context: RunContext) -> str:
    head, _, rest = parameter.rpartition(".")
    if context.lm_prefix and head == context.lm_prefix:
        return rest
    if context.vision_prefix and head == context.vision_prefix:
        return f"visual.{rest}"
    return parameter


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(runs(), NUMBERS)
def test_every_offered_change_of_every_solver_keeps_every_rule(context: RunContext, numbers: dict[str, Any]) -> None:
    for remedy in prescribe(EVERY_SOLVER, numbers, context, KNOWLEDGE):
        after = {canonical(c.parameter, context): c.to for c in remedy.changes}
        asked = context
        if artifact(context) and "kvcache_num_blocks" not in after:  # the library chose the pool of an artifact
            kept = {n: s for n, s in context.config.items() if not n.endswith("kvcache_num_blocks")}
            asked = replace(context, config=kept)
        stood = environment(numbers, asked, KNOWLEDGE).context  # what the message says counts before a default
        broken = violations(after, stood, KNOWLEDGE)
        assert not broken, (remedy.id, after, [c.id for c in broken])


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(runs(), NUMBERS)
def test_every_remedy_is_complete_and_none_repeats_what_is_in_force(
    context: RunContext, numbers: dict[str, Any]
) -> None:
    for remedy in prescribe(EVERY_SOLVER, numbers, context, KNOWLEDGE):
        for change in remedy.changes:
            setting = context.setting(canonical(change.parameter, context))
            assert setting is None or change.to != setting.value or isinstance(change.to, bool)
        if remedy.applicability == "needs-value":
            assert remedy.missing
            assert not remedy.changes
            assert remedy.arithmetic or remedy.commands
        if remedy.applicability == "estimate" and remedy.changes:
            assert remedy.bound is not None


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(runs(), st.sampled_from(sorted(SETTINGS)), st.data())
def test_an_adjusted_change_of_any_parameter_keeps_every_rule(
    context: RunContext, name: str, data: st.DataObject
) -> None:
    changed = adjust({name: data.draw(SETTINGS[name])}, context, KNOWLEDGE)
    if changed is not None:
        assert not violations(changed, context, KNOWLEDGE)
        assert name in changed
