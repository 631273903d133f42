"""From the name a value is printed under to the canonical name of ``kb/parameters.yaml``.

Three dialects name the same thing differently: ``vllm`` (arguments and ``LLM`` keywords), ``additional``
(vllm-rbln's ``additional_config``), ``rbln`` (``rbln_config``). ``tensor_parallel_size`` shows why the
dialect matters: it is vLLM's rank count in the first and the old name of ``num_devices`` in the last
(rbln-config of optimum-rbln < 0.11.0).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from diagnose.knowledge.schema import Parameter
from diagnose.model import Value

Dialect = Literal["vllm", "additional", "rbln", "processor"]
Named = tuple[str, Value]

SUBMODULES = frozenset(
    (
        *(
            "visual",
            "vision_tower",
            "vision_model",
            "language_model",
            "text_model",
            "audio_tower",
            "qformer",
            "vlm",
        ),
        *(
            "text_backbone",
            "backbone",
            "encoder",
            "decoder",
            "unet",
            "vae",
            "controlnet",
            "transformer",
            "movq",
        ),
        *("text_encoder", "text_encoder_2", "text_encoder_3", "image_encoder", "prior", "prior_pipe"),
        *("decoder_pipe", "safety_checker", "qwen3guard", "video_safety_model", "face_blur_filter"),
        "siglip_encoder",
    )
)
"""Submodule keys of optimum-rbln 0.12.0 model and pipeline configurations."""

QUANTIZATION = "vllm.quantization"
"""vLLM's ``quantization`` names a method; rbln_config's is a section. They are two things under one name."""
SECTIONS = ("optimum_overrides", "rbln_config", "rbln_overrides")
"""Keys of ``additional_config`` that hold overrides, by the release."""
SECRET = frozenset({"api_key", "hf_token", "hf-token", "token"})
_NOT_CONFIG = frozenset(
    {
        "_compile_cfgs",
        "cache_metas",
        "kvcache_metas",
        "cls_name",
        "optimum_rbln_version",
        "model",
        "model_tag",
    }
)
_OLD_RBLN = {
    "tensor_parallel_size": "num_devices",
    "torch_dtype": "dtype",
    "_torch_dtype": "dtype",
    "max_seq_lens": "max_seq_len",
}
_PROCESSOR_KEYS = ("mm_processor_kwargs", "processor_kwargs")


def canonical(values: Mapping[str, Value], parameters: Mapping[str, Parameter], dialect: Dialect) -> dict[str, Value]:
    """The configuration in ``values`` under canonical names, in the order given (overrides last).

    Nested sections (``additional_config``, ``optimum_overrides``, ``mm_processor_kwargs``, submodules) are
    opened. Submodules keep the real name that was printed. vLLM's ``block_size`` becomes
    ``kvcache_partition_len``, or with ``max_model_len`` of the same value ``kvcache_block_size`` and
    ``attn_impl=eager`` (vllm-rbln 0.12.0 ``models/optimum/compilation``). Unknown keys keep their name;
    secrets and bookkeeping are left out; None is left out because it means "not set" in every dialect.
    """
    found: dict[str, Value] = {}
    for name, value in _walk(values, parameters, dialect):
        found.pop(name, None)
        found[name] = value
    return found


def one_name(key: str, parameters: Mapping[str, Parameter], dialect: Dialect) -> str:
    """Canonical name of one key; the key itself when no parameter has it.

    >>> one_name("max_model_len", {"max_seq_len": Parameter("max_seq_len", "int", "lm",
    vllm="max_model_len")}, "vllm") 'max_seq_len'
    """
    if dialect == "processor":
        return one_name(f"processor.{key}", parameters, "rbln")
    if dialect == "rbln":
        key = _OLD_RBLN.get(key, key)
        if key in parameters:
            return key
    attribute = "vllm" if dialect == "vllm" else "additional"
    for parameter in parameters.values():
        if dialect != "rbln" and getattr(parameter, attribute) == key:
            return parameter.name
    if dialect == "vllm" and key in parameters:
        return key
    for parameter in parameters.values():
        if key in parameter.aliases:
            return parameter.name
    return key


def plain(value: Value) -> Value:
    """``torch.bfloat16`` → ``bfloat16``; a tuple → a list; anything else as it is."""
    if isinstance(value, str):
        return value.removeprefix("torch.")
    return list(value) if isinstance(value, tuple) else value


def _walk(values: Mapping[str, Value], parameters: Mapping[str, Parameter], dialect: Dialect) -> Iterator[Named]:
    later: list[Named] = []
    for key, value in values.items():
        if value is None or key in SECRET or key in _NOT_CONFIG:
            continue
        if dialect == "vllm" and key == "block_size":
            yield from block_size(value, values.get("max_model_len"))
        elif key in _PROCESSOR_KEYS and isinstance(value, Mapping):
            yield from _flat(value, parameters, "processor", "")
        elif key == "additional_config" and isinstance(value, Mapping):
            later.extend(_walk(value, parameters, "additional"))
        elif key in SECTIONS and dialect != "rbln" and isinstance(value, Mapping):
            later.extend(_walk(value, parameters, "rbln"))
        elif dialect == "rbln":
            yield from _rbln(key, value, parameters)
        elif dialect == "vllm" and key == "quantization":
            yield QUANTIZATION, value
        else:
            yield one_name(key, parameters, dialect), plain(value)
    # A section opened here is merged over what vLLM's own arguments gave, so it comes last.
    yield from later


def block_size(size: Value, max_model_len: Value) -> Iterator[Named]:
    """What vLLM's ``--block-size`` means for the compiled model."""
    if isinstance(size, int) and size == max_model_len:
        yield "kvcache_block_size", size
        yield "attn_impl", "eager"
    else:
        yield "kvcache_partition_len", size


def _rbln(key: str, value: Value, parameters: Mapping[str, Parameter]) -> Iterator[Named]:
    key = key.removeprefix("rbln_")
    head, dot, rest = key.partition(".")
    if dot and head in SUBMODULES:
        for name, item in _rbln(rest, value, parameters):
            yield f"{head}.{name}", item
    elif key in SUBMODULES and isinstance(value, Mapping):
        for inner, item in _walk(value, parameters, "rbln"):
            yield f"{key}.{inner}", item
    else:
        yield one_name(key, parameters, "rbln"), plain(value)


def _flat(
    values: Mapping[str, Value], parameters: Mapping[str, Parameter], dialect: Dialect, head: str
) -> Iterator[Named]:
    for key, value in values.items():
        dotted = f"{head}{key}"
        if isinstance(value, Mapping):
            yield from _flat(value, parameters, dialect, f"{dotted}.")
        elif value is not None:
            yield one_name(dotted, parameters, dialect), plain(value)
