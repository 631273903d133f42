"""``processor``: the Hugging Face processor in Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from diagnose.model import RunContext, Value
from diagnose.remedies.forms import literals
from diagnose.remedies.forms.names import Item

PREFIX = "processor."
VIDEO = "processor.size.longest_edge"
"""The pixel budget of the video processor, which has its own ``size``."""
_SHORTEST = 4096
"""``size.shortest_edge`` of the published Qwen3-VL video processors: images below it are enlarged."""
_KEPT = ("processor.min_pixels", "processor.max_pixels")


def is_processor(item: Item) -> bool:
    return item.name.startswith(PREFIX)


def arguments(items: Sequence[Item], context: RunContext) -> dict[str, object]:
    """Keyword → value of every image limit: those in force, with the changes laid over."""
    found: dict[str, object] = {}
    for name in _KEPT:
        setting = context.config.get(name)
        if setting is not None and setting.value is not None:
            found[name.removeprefix(PREFIX)] = setting.value
    for item in items:
        if is_processor(item) and item.name != VIDEO:
            key = item.name.removeprefix(PREFIX)
            found.pop(key, None)
            if item.change.to is not None:
                found[key] = item.change.to
    return found


def render_processor(items: Sequence[Item], context: RunContext) -> str | None:
    own = [item for item in items if is_processor(item)]
    if not own:
        return None
    lines = [f"# remove {item.name.removeprefix(PREFIX)}" for item in own if item.change.to is None]
    known = arguments(own, context)
    plain = {key: value for key, value in known.items() if "." not in key}
    if plain and any(item.name != VIDEO for item in own):
        shown = ", ".join(f"{key}={_literal(value)}" for key, value in plain.items())
        lines.append(f"AutoProcessor.from_pretrained(model_id, {shown})")
    for item in own:
        key = item.name.removeprefix(PREFIX)
        if item.name == VIDEO and item.change.to is not None:
            lines.append(f'processor.video_processor.size["longest_edge"] = {_literal(item.change.to)}')
        elif "." in key and item.change.to is not None:
            lines.append(f"processor.{key} = {_literal(item.change.to)}")
    return "\n".join(lines)


def multimodal(items: Sequence[Item], context: RunContext) -> Mapping[str, object]:
    """The same for vLLM's ``mm_processor_kwargs``."""
    found = {key: value for key, value in arguments(items, context).items() if "." not in key}
    for item in items:
        if item.name == VIDEO and item.change.to is not None:
            found["size"] = {"longest_edge": item.change.to, "shortest_edge": _shortest(item.change.to, context)}
    return found


def _shortest(longest: Value, context: RunContext) -> Value:
    """The other key of ``size``, which must not be missing (transformers ``video_processing_qwen3_vl.py``)."""
    for name in ("processor.size.shortest_edge", "processor.min_pixels"):
        setting = context.config.get(name)
        if setting is not None and setting.value is not None:
            return setting.value
    return min(_SHORTEST, longest) if isinstance(longest, int) else _SHORTEST


def _literal(value: object) -> str:
    """Pixel counts are written ungrouped, the way model cards give them."""
    return str(value) if type(value) is int else literals.python(value)
