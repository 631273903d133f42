"""``rbln_config.json`` of a compiled artifact, alone or with the directory around it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from diagnose.context.names import SUBMODULES, canonical
from diagnose.knowledge.schema import Parameter
from diagnose.model import GivenConfig, Value

KIND = "rbln_config.json"
_METAS = ("cache_metas", "kvcache_metas")
_COMPILE = "_compile_cfgs"
_WIDTH = ("num_devices", "tensor_parallel_size")


def is_rbln_config(config: Mapping[str, Value]) -> bool:
    """``cls_name`` of an RBLN class; artifacts before 0.7.4 have ``_meta`` instead."""
    name = config.get("cls_name")
    old = config.get("_meta")
    return (isinstance(name, str) and name.startswith("RBLN")) or (
        isinstance(old, Mapping) and (_COMPILE in config or "cls" in old or "version" in old)
    )


def read(config: Mapping[str, Value], name: str, parameters: Mapping[str, Parameter]) -> GivenConfig:
    """Values of the artifact, its class, NPU, release and the KV cache's shape.

    ``num_devices`` stands only in ``_compile_cfgs`` (null after the artifact was resized: then it stays
    unknown). The file of a vision submodule alone is read under ``visual``.
    """
    own_class = config.get("cls_name")
    cls = own_class.removesuffix("Config") if isinstance(own_class, str) else None
    head = "visual" if cls is not None and "Vision" in cls else ""
    shown = {key: value for key, value in config.items() if not key.startswith("_")}
    values = canonical({head: shown} if head else shown, parameters, "rbln")
    npu = None
    for place, level in _levels(config, head, 0):
        entries = [entry for entry in _list(level.get(_COMPILE)) if isinstance(entry, Mapping)]
        width = _first(entry.get(key) for entry in entries for key in _WIDTH)
        if isinstance(width, int):
            values.setdefault(f"{place}.num_devices" if place else "num_devices", width)
        npu = npu or _first(entry.get("npu") for entry in entries)
    version = config.get("optimum_rbln_version")
    return GivenConfig(
        name=name,
        kind=KIND,
        values=values,
        model_class=None if head else cls,
        npu=npu if isinstance(npu, str) else None,
        versions={"optimum_rbln": version} if isinstance(version, str) else {},
        architecture=_kv_architecture(config),
        phases=("load",),
    )


def _levels(config: Mapping[str, Value], head: str, depth: int) -> Iterator[tuple[str, Mapping[str, Value]]]:
    """The configuration and each submodule's, with the dotted place they stand at."""
    yield head, config
    if depth > 3:
        return
    for key, value in config.items():
        if key in SUBMODULES and isinstance(value, Mapping):
            yield from _levels(value, f"{head}.{key}" if head else key, depth + 1)


def _kv_architecture(config: Mapping[str, Value]) -> dict[str, Value]:
    """Layers, KV heads and head size from the cache tensors: shape [blocks, kv_heads, block, head_dim].

    ``shape[0]`` is the full pool when ``is_auto``, not the allocated one, so it is not read;
    ``cache_is_auto`` says so (optimum-rbln 0.12.0 cache_utils.py).
    """
    for _, level in _levels(config, "", 0):
        metas = [meta for key in _METAS for meta in _list(level.get(key)) if isinstance(meta, Mapping)]
        if metas:
            return _from_metas(metas)
    return {}


def _from_metas(metas: list[Mapping[str, Value]]) -> dict[str, Value]:
    layers = {_layer(meta, index) for index, meta in enumerate(metas)}
    full = [meta for meta in metas if meta.get("layer_type", "full_attention") == "full_attention"]
    found: dict[str, Value] = {
        "num_hidden_layers": len(layers),
        "cache_is_auto": any(meta.get("is_auto") is True for meta in metas),
    }
    if len(full) != len(metas):
        found["num_full_attention_layers"] = len({_layer(meta, index) for index, meta in enumerate(full)})
    for meta in full or metas:
        shape = meta.get("shape")
        if isinstance(shape, list) and len(shape) == 4 and all(isinstance(n, int) for n in shape):
            found["num_key_value_heads"], found["head_dim"] = shape[1], shape[3]
            break
    dtype = _first(meta.get("dtype") for meta in metas)
    if isinstance(dtype, str):
        found["kv_dtype"] = dtype
    return found


def _layer(meta: Mapping[str, Value], index: int) -> int:
    """Older metas carry no index: tensors are numbered key, value, key, value … in ``past_key_values_N``."""
    layer = meta.get("layer_index")
    if isinstance(layer, int):
        return layer
    number = str(meta.get("name", "")).rpartition("_")[2]
    return (int(number) if number.isascii() and number.isdigit() and len(number) < 9 else index) // 2


def _list(value: Value) -> list[Value]:
    return value if isinstance(value, list) else []


def _first(values: Iterable[Value]) -> Value:
    return next((value for value in values if value is not None), None)
