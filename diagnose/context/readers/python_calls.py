"""The calls of a script that configure a run, one function per call, chosen by name."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from diagnose.context.readers.python_found import MAX_NODES, Found, plain
from diagnose.context.readers.python_values import UNKNOWN, dotted, evaluate, last_name
from diagnose.model import Value

_RUNTIME_ONLY = frozenset({"device", "create_runtimes", "device_map", "timeout", "activate_profiler"})
_PROCESSOR_KEYS = frozenset({"max_pixels", "min_pixels", "max_soft_tokens", "size"})
_PROCESSOR_GROUPS = ("images_kwargs", "image_kwargs", "processor_kwargs", "mm_processor_kwargs")
_MAX_SIDE = 100_000
"""Pixels of an image's side; a longer one is no image."""


def record(call: ast.Call, scope: Mapping[str, Value], found: Found) -> None:
    """Adds what one call says to ``found``."""
    name = last_name(call.func)
    handler = _CALLS.get(name)
    if handler is not None:
        handler(call, scope, found)
    elif "processor" in name.lower():
        found.put("processor", _processor(_keywords(call, scope)))


def record_sizes(node: ast.Dict, scope: Mapping[str, Value], found: Found) -> None:
    """``{"resized_height": 896, "resized_width": 896}`` of a chat message, and its pixel limits."""
    value = evaluate(node, scope)
    if isinstance(value, Mapping):
        _size(found, value.get("resized_height"), value.get("resized_width"))


def _keywords(call: ast.Call, scope: Mapping[str, Value]) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for keyword in call.keywords:
        value = evaluate(keyword.value, scope)
        if keyword.arg is not None:
            found[keyword.arg] = value
        elif isinstance(value, Mapping):  # an unknown **mapping cannot repeat a keyword: Python refuses that
            found.update(value)
    return found


def _spliced(call: ast.Call, scope: Mapping[str, Value]) -> bool:
    """Whether keywords come from a mapping (``**options``) nobody knows here."""
    unknown = (k for k in call.keywords if k.arg is None and not isinstance(evaluate(k.value, scope), Mapping))
    return next(unknown, None) is not None


def _from_pretrained(call: ast.Call, scope: Mapping[str, Value], found: Found) -> None:
    """An RBLN class compiles or loads; a processor class gets its limits; other classes say nothing.

    Without ``export`` optimum-rbln looks whether the model is compiled already; here compile-time keys tell.
    """
    arguments = _keywords(call, scope)
    cls = dotted(call.func).rpartition(".")[0].rpartition(".")[2]
    config = arguments.pop("rbln_config", None)
    found.partly = found.partly or not (config is None or isinstance(config, Mapping)) or _spliced(call, scope)
    own = {key.removeprefix("rbln_"): value for key, value in arguments.items() if key.startswith("rbln_")}
    if not cls.startswith("RBLN") and not own and config is None:
        if "Processor" in cls:
            found.put("processor", _processor(arguments))
        return
    values = {**_plain(config if isinstance(config, Mapping) else {}), **own}
    model = evaluate(call.args[0], scope) if call.args else arguments.get("model_id", UNKNOWN)
    if model is UNKNOWN:
        model = arguments.get("model_name_or_path", model)
    export = arguments.get("export")
    if export is None or export is UNKNOWN:
        export = True if _compiles(values) or last_name(call.func) == "from_model" else None
    _model_call(found, values, model if isinstance(model, str) else None, cls, export)


def _model_call(found: Found, values: Mapping[str, Value], model: str | None, cls: str, export: Value) -> None:
    found.form = "optimum-python"
    if cls.startswith("RBLN") and not cls.startswith("RBLNAuto"):
        found.model_class = cls
    if export is True:
        found.phase("compile")
        found.model = model or found.model
        if model and found.compiled and model not in found.compiled:
            found.keep_only_common("rbln", values)
        else:
            found.put("rbln", values)
        found.compiled = tuple(dict.fromkeys((*found.compiled, model))) if model else found.compiled
        return
    if export is False:
        found.phase("load")
        found.artifact = model
    found.model = found.model or model
    found.put("rbln", values)


def _compiles(values: Mapping[str, Value]) -> bool:
    for key, value in values.items():
        if _compiles(value) if isinstance(value, Mapping) else key not in _RUNTIME_ONLY:
            return True
    return False


def _plain(config: Mapping[str, Value]) -> dict[str, Value]:
    """Keys written with the prefix of the keyword form mean the same inside the dict's own level."""
    return {(k.removeprefix("rbln_") if isinstance(k, str) else k): v for k, v in config.items()}


def _llm(call: ast.Call, scope: Mapping[str, Value], found: Found) -> None:
    arguments = _keywords(call, scope)
    model = arguments.pop("model", None)
    if model is None and call.args:
        model = evaluate(call.args[0], scope)
    found.partly = found.partly or UNKNOWN in arguments.values() or _spliced(call, scope)
    known = plain({k: v for k, v in arguments.items() if v is not UNKNOWN}, [MAX_NODES])
    if isinstance(model, str):
        found.model = found.model or model
    found.form = found.form or "python-llm"
    found.phase("serve")
    found.put("vllm", known)


def _context(call: ast.Call, scope: Mapping[str, Value], found: Found) -> None:
    found.put("rbln", _keywords(call, scope))


def _generate(call: ast.Call, scope: Mapping[str, Value], found: Found) -> None:
    arguments = _keywords(call, scope)
    for key in ("max_new_tokens", "max_tokens"):
        value = arguments.get(key)
        if isinstance(value, int) and not isinstance(value, bool):
            found.max_new_tokens = max(value, found.max_new_tokens or 0)


def _apply_template(call: ast.Call, scope: Mapping[str, Value], found: Found) -> None:
    arguments = _keywords(call, scope)
    found.put("processor", _processor(arguments))
    for group in _PROCESSOR_GROUPS:
        inner = arguments.get(group)
        if isinstance(inner, Mapping):
            found.put("processor", _processor(inner))


def _resize(call: ast.Call, scope: Mapping[str, Value], found: Found) -> None:
    """Pillow gives sizes as (width, height)."""
    size = evaluate(call.args[0], scope) if call.args else evaluate(_keyword(call, "size"), scope)
    if isinstance(size, (tuple, list)) and len(size) == 2:
        _size(found, size[1], size[0])


def _new_image(call: ast.Call, scope: Mapping[str, Value], found: Found) -> None:
    if dotted(call.func) not in ("Image.new", "PIL.Image.new"):
        return
    size = evaluate(call.args[1], scope) if len(call.args) > 1 else evaluate(_keyword(call, "size"), scope)
    if isinstance(size, (tuple, list)) and len(size) == 2:
        _size(found, size[1], size[0])


def _set_default(call: ast.Call, scope: Mapping[str, Value], found: Found) -> None:
    if dotted(call.func) == "os.environ.setdefault" and len(call.args) == 2:
        name, value = (evaluate(argument, scope) for argument in call.args)
        if isinstance(name, str) and isinstance(value, str):
            found.put("environment", {name: value})


def _keyword(call: ast.Call, name: str) -> ast.expr | None:
    return next((keyword.value for keyword in call.keywords if keyword.arg == name), None)


def _processor(arguments: Mapping[str, Value]) -> dict[str, Value]:
    """Pixel limits among the arguments."""
    limits = {key: arguments[key] for key in _PROCESSOR_KEYS if arguments.get(key, UNKNOWN) is not UNKNOWN}
    size = limits.pop("size", None)
    return limits | (size_limits("", size.get("longest_edge")) if isinstance(size, Mapping) else {})


def size_limits(place: str, longest: Value) -> dict[str, Value]:
    """``longest_edge`` of the processor at ``place`` (``processor.video_processor``) as a pixel limit.

    It is an edge length for some processors and an area for others; no edge has 65,536 pixels. The image
    processor's area is what ``max_pixels`` sets, the video processor's a budget over all frames.
    """
    if type(longest) is not int or longest < 65_536:
        return {}
    return {"max_pixels": longest} if "image" in place.lower() else {"size": {"longest_edge": longest}}


def _size(found: Found, height: Value, width: Value) -> None:
    sides = (height, width)
    if all(type(side) is int and 0 < side < _MAX_SIDE for side in sides) and sides not in found.image_sizes:
        found.image_sizes = (*found.image_sizes, (height, width))


_CALLS: dict[str, Callable[[ast.Call, Mapping[str, Value], Found], None]] = {
    "from_pretrained": _from_pretrained,
    "from_model": _from_pretrained,
    "LLM": _llm,
    "EngineArgs": _llm,
    "AsyncEngineArgs": _llm,
    "ContextRblnConfig": _context,
    "generate": _generate,
    "SamplingParams": _generate,
    "apply_chat_template": _apply_template,
    "resize": _resize,
    "new": _new_image,
    "setdefault": _set_default,
}
CALL_NAMES = frozenset({"from_pretrained", "from_model", "LLM", "EngineArgs", "AsyncEngineArgs"})
"""A script with none of these is no configuration."""
