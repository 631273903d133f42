"""``cli``: flags of ``optimum-rbln-cli`` (dots nest, values are read as JSON first; optimum-rbln 0.12.0)."""

from __future__ import annotations

from collections.abc import Sequence

from diagnose.model import RunContext
from diagnose.remedies.forms import literals
from diagnose.remedies.forms.names import Item, precompiled, release_path

_EDITS = {"kvcache_num_blocks": "--set-kvcache-num-blocks", "memory_budget": "--set-memory-budget"}
"""What can be changed in a finished artifact, without compiling it again."""


def render_cli(items: Sequence[Item], context: RunContext) -> str | None:
    """None when a change is none of a compilation, or is only a matter of loading."""
    tools = [item for item in items if item.change.scope == "optimum-cli"]
    if tools and len(tools) == len(items):
        return "\n".join(_tool(item) for item in tools)
    if any(item.change.scope != "rbln_config" or not _fits(item) for item in items):
        return None
    if precompiled(context) and not any(item.compile_time for item in items):
        return None
    if precompiled(context) and len(items) == 1 and items[0].name in _EDITS and items[0].change.to is not None:
        flag = _EDITS[items[0].name]
        return f"optimum-rbln-cli --model-id <ARTIFACT> {flag} {literals.word(items[0].change.to)}"
    removed = [f"# remove --{_name(item, context)}" for item in items if item.change.to is None]
    flags = [
        f"--{_name(item, context)} {literals.word(item.change.to)}" for item in items if item.change.to is not None
    ]
    return "\n".join([*removed, *([" ".join(flags)] if flags else [])]) or None


def _fits(item: Item) -> bool:
    return item.parameter is None or item.parameter.level in ("lm", "top", "vision")


def _name(item: Item, context: RunContext) -> str:
    return ".".join(release_path(item.path, context))


def _tool(item: Item) -> str:
    flag = "--" + item.change.parameter.replace("_", "-")
    value = "" if item.change.to is None else f" {literals.word(item.change.to)}"
    return f"optimum-rbln-cli --model-id <ARTIFACT> {flag}{value}"
