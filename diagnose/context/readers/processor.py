"""A processor's ``preprocessor_config.json`` (or ``video_…``, ``processor_config.json``): pixel limits."""

from __future__ import annotations

from collections.abc import Mapping

from diagnose.context.names import canonical
from diagnose.knowledge.schema import Parameter
from diagnose.model import GivenConfig, Value

_TYPES = ("image_processor_type", "video_processor_type", "processor_class", "feature_extractor_type")
_NUMBERS = ("max_pixels", "min_pixels", "max_soft_tokens")
_SECTIONS = ("image_processor", "video_processor")
_ARCHITECTURE = {
    "patch_size": "patch_size",
    "merge_size": "spatial_merge_size",
    "temporal_patch_size": "temporal_patch_size",
}


def is_processor_config(config: Mapping[str, Value]) -> bool:
    return any(isinstance(config.get(key), str) for key in _TYPES) or any(key in config for key in _NUMBERS)


def read(config: Mapping[str, Value], name: str, parameters: Mapping[str, Parameter]) -> GivenConfig:
    """Pixel limits as ``processor.*``; patch and merge size as architecture."""
    values: dict[str, Value] = {}
    architecture: dict[str, Value] = {}
    inner = {key: config[key] for key in _SECTIONS if isinstance(config.get(key), Mapping)}
    for key, section in (inner or {"": config}).items():
        video = key == "video_processor" or "video_processor_type" in section
        values.update(canonical({"processor_kwargs": _limits(section, video)}, parameters, "vllm"))
        for other, shown in _ARCHITECTURE.items():
            if isinstance(section.get(other), int):
                architecture.setdefault(shown, section[other])
    return GivenConfig(name=name, kind="processor", values=values, architecture=architecture)


def _limits(section: Mapping[str, Value], video: bool) -> dict[str, Value]:
    """The Qwen processors write their pixel areas as ``size``; elsewhere ``size`` is an edge length."""
    numbers = {key: section[key] for key in _NUMBERS if isinstance(section.get(key), int)}
    size = section.get("size")
    areas = isinstance(size, Mapping) and any("Qwen" in str(section.get(key)) for key in _TYPES)
    if video:
        longest = size.get("longest_edge") if areas and isinstance(size, Mapping) else None
        return {"size": {"longest_edge": longest}} if isinstance(longest, int) else {}
    if areas and isinstance(size, Mapping):
        for edge, limit in (("longest_edge", "max_pixels"), ("shortest_edge", "min_pixels")):
            if isinstance(size.get(edge), int):
                numbers.setdefault(limit, size[edge])
    return numbers
