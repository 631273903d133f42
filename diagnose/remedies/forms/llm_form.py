"""``llm``: the keywords of ``LLM(...)``, as a diff."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from diagnose.context.overrides import leaves
from diagnose.knowledge.schema import Parameter
from diagnose.model import RunContext, Value
from diagnose.remedies.forms import literals
from diagnose.remedies.forms import overrides as asked
from diagnose.remedies.forms.diff import ABSENT, SOMETHING, Leaf, render, tree
from diagnose.remedies.forms.names import Item, canonical, chosen, precompiled, release_path, served
from diagnose.remedies.forms.overrides import INSTEAD, OLD_NAME
from diagnose.remedies.forms.vllm_plan import VllmPlan

_Leaves = Iterator[tuple[tuple[str, ...], Leaf]]
_NEIGHBOURS = ("kvcache_partition_len", "max_seq_len", "batch_size")
_SHARED_ARGUMENTS = {"kvcache_partition_len": "block_size", "kvcache_block_size": "block_size"}


def render_llm(plan: VllmPlan, items: Sequence[Item], context: RunContext, parameters: Mapping[str, Parameter]) -> str:
    """A diff of the call; environment changes stand before it."""
    old = _old_values(items, context, parameters)
    leaves = [
        *_known(plan, context, parameters),
        *(((name,), _leaf(value, old.get(name))) for name, value in plan.arguments.items()),
        *_additional(plan, old, context, parameters),
    ]
    if any(plan.processor):
        leaves.append((("mm_processor_kwargs",), _leaf(plan.processor, None)))
    elif plan.processor:
        leaves.append((("mm_processor_kwargs",), Leaf(SOMETHING, ABSENT)))
    lines = [f"  {note}" for note in plan.notes if note not in (INSTEAD, OLD_NAME)]
    if plan.environment:
        lines.append("+ import os")
        lines += [f"+ {_environment(name, value)}" for name, value in plan.environment.items()]
    if leaves:
        lines.append(render(tree(leaves), "llm = LLM(", ")", keywords=True))
    lines += [f"+ SamplingParams({name}={value})" for name, value in plan.request.items()]
    return "\n".join(lines)


def _known(plan: VllmPlan, context: RunContext, parameters: Mapping[str, Parameter]) -> _Leaves:
    """The model and the arguments around the changed ones, when the run was started this way."""
    if context.model and served(context):
        yield ("model",), Leaf(context.model, context.model)
    if not served(context) or precompiled(context):
        return
    beside = {name for name, _ in asked.given(context, parameters)}
    for name in _NEIGHBOURS:
        if name in beside:
            continue
        setting, parameter = context.setting(name), parameters.get(name)
        argument = parameter.vllm if parameter is not None else None
        if setting is None or argument is None or argument in plan.arguments or not chosen(setting, context):
            continue
        yield (argument,), Leaf(setting.value, setting.value)


def _additional(
    plan: VllmPlan, old: Mapping[str, Value], context: RunContext, parameters: Mapping[str, Parameter]
) -> _Leaves:
    for name, value in plan.additional.items():
        yield ("additional_config", name), _leaf(value, old.get(name))
    section = "rbln_config" if plan.old or context.additional.section == "rbln_config" else "optimum_overrides"
    given = {leaf.path: leaf.value for leaf in leaves(context.additional.overrides, parameters)}
    for path, value in plan.neighbours.items():
        yield ("additional_config", section, *path), Leaf(value, value)
    for path, value in plan.overrides.items():
        yield ("additional_config", section, *path), _leaf(value, given.get(path, old.get(".".join(path))))


def _old_values(items: Sequence[Item], context: RunContext, parameters: Mapping[str, Parameter]) -> dict[str, Value]:
    """The value before, by the name the change has in the call."""
    found: dict[str, Value] = {}
    for item in items:
        parameter = item.parameter
        argument = (parameter.vllm or parameter.additional) if parameter is not None else None
        name = _SHARED_ARGUMENTS.get(item.name) or argument or ".".join(release_path(item.path, context))
        if item.change.scope == "vllm":
            name = argument or item.change.parameter
        if item.change.from_ is not None or name not in found:
            found[name] = item.change.from_
        found.setdefault(".".join(release_path(item.path, context)), item.change.from_)
        found.setdefault(canonical(item.change.parameter, context), item.change.from_)
    return found


def _leaf(new: Value, old: Value) -> Leaf:
    if new is None:
        return Leaf(SOMETHING if old is None else old, ABSENT)
    return Leaf(ABSENT if old is None else old, new)


def _environment(name: str, value: Value) -> str:
    variable = literals.quoted(name)
    if value is None:
        return f"os.environ.pop({variable}, None)"
    return f"os.environ[{variable}] = {literals.quoted(str(value))}"
