"""``python``: the rbln_config of ``from_pretrained``, as a diff."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from diagnose.knowledge.schema import Parameter
from diagnose.model import RunContext
from diagnose.remedies.forms import literals
from diagnose.remedies.forms.diff import ABSENT, SOMETHING, Leaf, render, tree
from diagnose.remedies.forms.names import (
    RUNTIME,
    Item,
    canonical,
    chosen,
    place,
    precompiled,
    release_path,
)

RECOMPILE = "# compile-time values are fixed in the artifact: compile it again"

_NEIGHBOURS = frozenset(
    {
        "max_seq_len",
        "batch_size",
        "attn_impl",
        "kvcache_partition_len",
        "kvcache_num_blocks",
        "memory_budget",
        "prefill_chunk_size",
        "image_prefill_chunk_size",
        "decoder_batch_sizes",
        "num_devices",
        "device",
        "create_runtimes",
        "visual.max_seq_len",
        "visual.max_soft_tokens",
        "visual.num_devices",
        "visual.device",
        "visual.create_runtimes",
    }
)
"""Shown unchanged beside a change; everything else is noise there."""
_FROM_ARTIFACT = frozenset(
    {
        "max_seq_len",
        "batch_size",
        "kvcache_partition_len",
        "num_devices",
        "visual.max_seq_len",
        "visual.num_devices",
    }
)
"""What an artifact tells about the person's own configuration; its other values may have been computed."""


def render_python(items: Sequence[Item], context: RunContext, parameters: Mapping[str, Parameter]) -> str | None:
    """None when a change has no place in a Python script for optimum-rbln."""
    own = [item for item in items if item.change.scope == "rbln_config" and not _elsewhere(item)]
    lines = [line for item in items for line in _beside(item)]
    if len(own) + len(lines) < len(items):
        return None
    if not own:
        return "\n".join(lines) or None
    text = render(
        tree((*_unchanged(own, context, parameters), *((_path(item, context), _leaf(item)) for item in own))),
        "rbln_config = {",
        "}",
    )
    notes = [f"  {RECOMPILE}"] if precompiled(context) and any(item.compile_time for item in own) else []
    return "\n".join([*notes, text, *(f"+ {line}" for line in lines)])


def _elsewhere(item: Item) -> bool:
    return item.parameter is not None and item.parameter.level in ("vllm", "processor", "environment")


def _beside(item: Item) -> Iterator[str]:
    """Changes a script makes outside rbln_config."""
    change = item.change
    if change.scope == "environment":
        variable = literals.quoted(change.parameter)
        if change.to is None:
            yield f"os.environ.pop({variable}, None)"
        else:
            yield f"os.environ[{variable}] = {literals.quoted(str(change.to))}"
    elif item.name == "max_new_tokens" and change.to is not None:
        yield f"model.generate(**inputs, max_new_tokens={change.to})"


def _leaf(item: Item) -> Leaf:
    old, new = item.change.from_, item.change.to
    if new is None:
        return Leaf(SOMETHING if old is None else old, ABSENT)
    return Leaf(ABSENT if old is None else old, new)


def _path(item: Item, context: RunContext) -> tuple[str, ...]:
    return release_path(item.path, context)


def _unchanged(
    own: Sequence[Item], context: RunContext, parameters: Mapping[str, Parameter]
) -> Iterator[tuple[tuple[str, ...], Leaf]]:
    """Neighbours that are known and still hold."""
    changed = {item.path for item in own}
    only_runtime = precompiled(context) and not any(item.compile_time for item in own)
    for key, setting in context.config.items():
        name = canonical(key, context)
        path = place(key, context)
        if name not in _NEIGHBOURS or name not in parameters or path in changed or setting.value is None:
            continue
        if only_runtime and path[-1] not in RUNTIME:
            continue
        if not chosen(setting, context) and (only_runtime or name not in _FROM_ARTIFACT):
            continue
        if path[-1] == "device" and (*path[:-1], "num_devices") in changed:
            continue  # a list of the old length would contradict the new number
        yield release_path(path, context), Leaf(setting.value, setting.value)
