"""A Hugging Face ``config.json``: the model's numbers."""

from __future__ import annotations

from collections.abc import Mapping

from diagnose.knowledge.schema import Parameter
from diagnose.model import GivenConfig, Value

_TEXT = (
    "num_hidden_layers",
    "num_attention_heads",
    "num_key_value_heads",
    "head_dim",
    "hidden_size",
    "intermediate_size",
    "moe_intermediate_size",
    "vocab_size",
    "tie_word_embeddings",
    "sliding_window",
    "sliding_window_pattern",
    "layer_types",
    "max_position_embeddings",
    "num_experts",
    "num_experts_per_tok",
    "global_head_dim",
    "num_global_key_value_heads",
)
_TEXT_OTHER = {
    "n_layer": "num_hidden_layers",
    "n_head": "num_attention_heads",
    "n_embd": "hidden_size",
    "n_positions": "max_position_embeddings",
    "num_local_experts": "num_experts",
    "n_routed_experts": "num_experts",
}
_VISION_SHARED = ("patch_size", "spatial_merge_size", "temporal_patch_size", "window_size")
_VISION_OWN = {
    "depth": "vision_num_hidden_layers",
    "num_hidden_layers": "vision_num_hidden_layers",
    "hidden_size": "vision_hidden_size",
    "embed_dim": "vision_hidden_size",
    "intermediate_size": "vision_intermediate_size",
    "num_heads": "vision_num_attention_heads",
    "num_attention_heads": "vision_num_attention_heads",
    "out_hidden_size": "vision_out_hidden_size",
    "image_size": "image_size",
}
_TEXT_SECTIONS = ("text_config", "llm_config", "language_config", "thinker_config")
_VISION_SECTIONS = ("vision_config", "visual")


def is_hf_config(config: Mapping[str, Value]) -> bool:
    """``model_type`` or ``architectures``: every ``config.json`` of transformers has at least one of them."""
    return isinstance(config.get("model_type"), str) or isinstance(config.get("architectures"), list)


def read(config: Mapping[str, Value], name: str, parameters: Mapping[str, Parameter]) -> GivenConfig:
    """Architecture, class and (where the file names it) the checkpoint."""
    del parameters  # nothing in this file is an rbln_config parameter
    model = config.get("_name_or_path")
    return GivenConfig(
        name=name,
        kind="hf-config",
        model=model if isinstance(model, str) and model else None,
        model_class=model_class(config),
        architecture=architecture(config),
    )


def model_class(config: Mapping[str, Value]) -> str | None:
    """``RBLN`` + the first entry of ``architectures`` (the rule optimum-rbln names its classes by)."""
    classes = config.get("architectures")
    if isinstance(classes, list) and classes and isinstance(classes[0], str) and classes[0]:
        return classes[0] if classes[0].startswith("RBLN") else f"RBLN{classes[0]}"
    return None


def architecture(config: Mapping[str, Value]) -> dict[str, Value]:
    """Numbers of the language model, and of the vision model under ``patch_size`` … and ``vision_*``.

    ``head_dim`` is ``hidden_size // num_attention_heads`` and ``num_key_value_heads`` is
    ``num_attention_heads`` where the file leaves them out (the default of transformers' decoder classes).
    """
    numbers: dict[str, Value] = {}
    for section in _sections(config):
        numbers.update({key: section[key] for key in _TEXT if section.get(key) is not None})
        for other, key in _TEXT_OTHER.items():
            if section.get(other) is not None:
                numbers.setdefault(key, section[other])
    if config.get("use_sliding_window") is False:
        numbers.pop("sliding_window", None)
    _derive(numbers)
    for key in _VISION_SECTIONS:
        vision = config.get(key)
        if isinstance(vision, Mapping):
            _vision(vision, numbers)
    dtype = config.get("dtype") or config.get("torch_dtype")
    if isinstance(dtype, str):
        numbers["dtype"] = dtype
    quantization = config.get("quantization_config")
    if isinstance(quantization, Mapping) and isinstance(quantization.get("quant_method"), str):
        numbers["quant_method"] = quantization["quant_method"]
    return numbers


def _sections(config: Mapping[str, Value]) -> list[Mapping[str, Value]]:
    """The top level first, then the language model's own section, which wins."""
    found = [config]
    for key in _TEXT_SECTIONS:
        inner = config.get(key)
        if isinstance(inner, Mapping):
            found.append(inner)
            deeper = inner.get("text_config")
            if isinstance(deeper, Mapping):
                found.append(deeper)
    return found


def _derive(numbers: dict[str, Value]) -> None:
    heads, hidden = numbers.get("num_attention_heads"), numbers.get("hidden_size")
    if not isinstance(heads, int) or isinstance(heads, bool) or heads < 1:
        return
    numbers.setdefault("num_key_value_heads", heads)
    if isinstance(hidden, int) and hidden % heads == 0:
        numbers.setdefault("head_dim", hidden // heads)


def _vision(section: Mapping[str, Value], numbers: dict[str, Value]) -> None:
    for key in _VISION_SHARED:
        if section.get(key) is not None:
            numbers[key] = section[key]
    for key, shown in _VISION_OWN.items():
        if section.get(key) is not None:
            numbers.setdefault(shown, section[key])
