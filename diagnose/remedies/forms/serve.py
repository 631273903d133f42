"""The whole ``vllm serve`` line for a configuration that ran without vLLM."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from diagnose.knowledge.schema import Parameter
from diagnose.model import RunContext
from diagnose.remedies.forms.names import before, canonical, chosen, place, precompiled, release_path
from diagnose.remedies.forms.vllm_form import flags
from diagnose.remedies.forms.vllm_plan import FLAGS_SINCE, VllmPlan, devices_variable

MODEL = "<MODEL>"
_OVERRIDE_NAMES = frozenset(
    {"device", "visual.device", "visual.max_seq_len", "visual.max_soft_tokens", "visual.num_devices"}
)


def serve_command(context: RunContext, parameters: Mapping[str, Parameter]) -> str:
    """One line, ready for a shell; what is not known stands in it as ``<PLACEHOLDER>``.

    An artifact keeps its own lengths and sizes, so it is served with its device placement only (vllm-rbln
    0.12.0 ``converter/from_optimum.py``).
    """
    plan = VllmPlan(old=before(context, "vllm_rbln", FLAGS_SINCE))
    artifact = _artifact(context)
    if artifact is None:
        _compile_arguments(plan, context)
    _placement(plan, context, device_only=artifact is not None)
    variables = [f"{name}={value}" for name, value in plan.environment.items()]
    model = artifact or context.model or MODEL
    return " ".join([*variables, "vllm serve", _shown(model), *(_open(text) for text in flags(plan))])


def _artifact(context: RunContext) -> str | None:
    """The compiled directory the run loaded: named, or the model itself when nothing was compiled.

    None when its place is not known; a server can compile the same configuration by itself.
    """
    if "load" not in context.phases:
        return None
    named = context.config.get("artifact")
    if named is not None and isinstance(named.value, str):
        return named.value
    return context.model if context.model and precompiled(context) else None


def _compile_arguments(plan: VllmPlan, context: RunContext) -> None:
    length = context.get("max_seq_len")
    block = context.get("kvcache_partition_len") or context.get("kvcache_block_size")
    if block is None and context.get("attn_impl") == "eager":
        block = length
    plan.arguments["max_model_len"] = "<MAX_MODEL_LEN>" if length is None else length
    plan.arguments["block_size"] = "<BLOCK_SIZE>" if block is None else block
    batch = context.get("batch_size")
    if batch is not None:
        plan.arguments["max_num_seqs"] = batch
    devices = context.get("num_devices")
    if devices is not None and plan.old:
        plan.environment[devices_variable(context)] = devices
    elif devices is not None:
        plan.additional["num_devices_per_local_rank"] = devices


def _placement(plan: VllmPlan, context: RunContext, *, device_only: bool) -> None:
    for key, setting in context.config.items():
        name, path = canonical(key, context), place(key, context)
        if name not in _OVERRIDE_NAMES or setting.value is None or (device_only and path[-1] != "device"):
            continue
        if path[-1] == "num_devices" and not chosen(setting, context) and len(path) == 1:
            continue
        plan.overrides[release_path(path, context)] = setting.value
    # A nested dict must not depend on the order in which the log named its keys.
    plan.overrides = dict(sorted(plan.overrides.items(), key=lambda pair: (len(pair[0]), pair[0])))


def _shown(model: str) -> str:
    return model if model == MODEL else shlex.quote(model)


def _open(text: str) -> str:
    """Placeholders are shown bare: nobody must take the quotes for a part of the value."""
    for name in ("<MAX_MODEL_LEN>", "<BLOCK_SIZE>"):
        text = text.replace(f"'{name}'", name)
    return text
