"""How many ViT patches the images of this run really need."""

from __future__ import annotations

from diagnose.remedies.environment import Environment, MissingValue
from diagnose.remedies.facts import vision_facts
from diagnose.remedies.images import patches, resized


def needed_patches(env: Environment) -> tuple[int, str]:
    """Patches of the largest image of this run, with its arithmetic: from the image sizes, else from the processor's
    ``max_pixels``. Raises MissingValue."""
    patch = int(env.require("patch"))
    limit, low = env.config("processor.max_pixels"), env.config("processor.min_pixels")
    sizes = env.context.image_sizes
    if not sizes:
        if not isinstance(limit, int):
            raise MissingValue(("processor.max_pixels",))
        return limit // patch**2, f"{limit} / {patch}**2 = {limit // patch**2}"
    merge = int(vision_facts(env.knowledge, env.context).get("merge") or 2)
    least = low if isinstance(low, int) else 0
    most = limit if isinstance(limit, int) else None
    counted = []
    for h, w in sizes:
        new_h, new_w = resized(h, w, factor=patch * merge, min_pixels=least, max_pixels=most)
        text = f"{new_h}/{patch} * {new_w}/{patch}"
        shown = text if (h, w) == (new_h, new_w) else f"{h}x{w} -> {new_h}x{new_w}: {text}"
        counted.append((patches(new_h, new_w, patch), shown))
    need, shown = max(counted)
    return need, f"{shown} = {need}"
