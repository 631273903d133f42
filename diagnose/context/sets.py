"""``--set name=value``: one value by hand, under any name it has."""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Callable, Mapping

from diagnose.context.names import SUBMODULES, one_name
from diagnose.knowledge.schema import Parameter
from diagnose.late import late
from diagnose.model import InputError, Text, Value

ARCHITECTURE = frozenset(
    {
        "num_hidden_layers",
        "num_attention_heads",
        "num_key_value_heads",
        "head_dim",
        "hidden_size",
        "intermediate_size",
        "moe_intermediate_size",
        "vocab_size",
        "tie_word_embeddings",
        "max_position_embeddings",
        "num_experts",
        "num_experts_per_tok",
        "patch_size",
        "spatial_merge_size",
        "temporal_patch_size",
        "window_size",
        "model_type",
        "quant_method",
    }
)
"""Numbers of ``config.json`` that a person may supply when that file is not at hand."""

_ABOUT_THE_RUN = frozenset({"model", "model_class"})
_VERSIONS = frozenset({"vllm", "vllm_rbln", "optimum_rbln", "rebel_compiler", "torch_rbln", "driver"})
"""Releases that a limit may depend on: ``--set optimum_rbln=0.11.1``."""

IMAGE_SIZES = "image_sizes"
_IMAGE_NAMES = frozenset({"image", "image_size", "image_sizes"})
_VISION = frozenset({"visual", "vision_tower", "vision_model"})
_SECTIONS = ("rbln_config.", "optimum_overrides.", "additional_config.", "config.")
_AT_LEAST_ONE = frozenset({"tokens", "devices", "sequences", "patches", "pixels", "ranks", "seconds"})
_NONE = frozenset({"none", "null", "unset"})
_TRUTH = {
    "true": True,
    "yes": True,
    "on": True,
    "1": True,
    "false": False,
    "no": False,
    "off": False,
    "0": False,
}

_INT = late(r"\d{1,18}|\d{1,3}(?:_\d{3})+|\d{1,3}(?:,\d{3})+")
_GROUPED = late(r"\d{1,3}(?:,\d{3})+")
_SHORT = late(r"(\d+(?:\.\d+)?)\s*([kKmM])i?[bB]?")
_SIZE = late(r"(\d+)\s*[xX×*]\s*(\d+)")
_RANGE = late(r"(\d{1,4})\s*(?:-|\.\.)\s*(\d{1,4})")
_BYTES = late(r"\d+(?:\.\d+)?\s*(?:[KMGT]i?B|B)", re.IGNORECASE)
_PERCENT = late(r"\d+(?:\.\d+)?\s*%")
_MAX_TEXT = 10_000


def parse_set(text: str, parameters: Mapping[str, Parameter]) -> tuple[str, Value]:
    """(canonical name, value) of one ``--set``.

    The name may be the rbln_config, vLLM or command line name, with dashes or underscores, dotted for a
    submodule. ``num_hidden_layers`` and its like come back as ``architecture.…``; ``image=1920x1080``
    (width x height) as ``image_sizes`` with a list of [height, width]. ``model`` names the checkpoint;
    ``optimum_rbln=0.11.1`` and its like come back as ``version:…``. ``none`` gives None.

    Raises InputError for an unknown name (with the nearest known ones) and for a value of the wrong type.
    """
    name, equals, raw = text.partition("=")
    name, raw = name.strip(), raw.strip()
    if not equals or not name.strip("-") or not raw or len(text) > _MAX_TEXT:
        raise InputError(
            Text(
                f"--set {_short(text)}: write name=value, for example --set max_seq_len=32768",
                f"--set {_short(text)}: name=value 형식으로 쓰세요. 예: --set max_seq_len=32768",
            )
        )
    key = _key(name)
    if key in _IMAGE_NAMES:
        return IMAGE_SIZES, _images(raw, text)
    if key in _ABOUT_THE_RUN:
        return key, raw
    if key in _VERSIONS:
        return f"version:{key}", raw
    bare = key.removeprefix("architecture.").removeprefix("config.")
    if bare in ARCHITECTURE:
        return f"architecture.{bare}", _any(raw, text)
    canonical, parameter = _known(key, text, parameters)
    if raw.lower() in _NONE:
        return canonical, None
    if parameter.type == "budget" and key != parameter.name and raw in ("1", "0"):
        raw += ".0"  # vLLM's share: 1 means all, not one byte
    return canonical, _READERS[parameter.type](raw, text, parameter)


def _key(name: str) -> str:
    key = name.lstrip("-").replace("-", "_")
    for section in _SECTIONS:
        key = key.removeprefix(section)
    return key


def _known(key: str, text: str, parameters: Mapping[str, Parameter]) -> tuple[str, Parameter]:
    """The canonical name of ``key``; a submodule keeps the name it was written with."""
    for candidate in dict.fromkeys((key, key.removeprefix("rbln_"))):
        found = _lookup(candidate, parameters)
        if found is not None:
            return found
    near = nearest(key, parameters)
    raise InputError(
        Text(
            f"--set {_short(text)}: no parameter is called {_short(key)}; nearest: {near}",
            f"--set {_short(text)}: {_short(key)} 파라미터가 없습니다. 가장 가까운 파라미터: {near}",
        )
    )


def _lookup(key: str, parameters: Mapping[str, Parameter]) -> tuple[str, Parameter] | None:
    if key in parameters:
        return key, parameters[key]
    head, dot, field = key.rpartition(".")
    if dot and head.rpartition(".")[2] in _VISION:
        name = one_name(f"visual.{field}", parameters, "rbln")
        name = name if name in parameters else f"visual.{one_name(field, parameters, 'rbln')}"
        if name in parameters:
            return f"{head}.{name.removeprefix('visual.')}", parameters[name]
        return None
    if dot and head.partition(".")[0] in SUBMODULES:
        name = one_name(field, parameters, "rbln")
        return (f"{head}.{name}", parameters[name]) if name in parameters else None
    for parameter in parameters.values():
        if key in (parameter.vllm, parameter.additional, *parameter.aliases, *parameter.environment):
            return parameter.name, parameter
    processor = f"processor.{key}"
    # A bare name that only the processor has; `max_soft_tokens` is the vision submodule's too.
    if processor in parameters and f"visual.{key}" not in parameters:
        return processor, parameters[processor]
    return None


def nearest(key: str, parameters: Mapping[str, Parameter], limit: int = 3) -> str:
    """The known names most like ``key``, best first, joined by commas."""
    from rapidfuzz import fuzz, process

    names = [
        *parameters,
        *(f for p in parameters.values() for f in (p.vllm, p.additional) if f),
        *ARCHITECTURE,
    ]
    found = process.extract(key, sorted(set(names)), scorer=fuzz.WRatio, limit=limit)
    return ", ".join(name for name, _, _ in found)


# --------------------------------------------------------------------------- values


def _int(raw: str, text: str, parameter: Parameter) -> int:
    number = _whole(raw, text)
    if number < 1 and parameter.unit in _AT_LEAST_ONE:
        raise _wrong(text, "must be at least 1", "1 이상이어야 합니다")
    return number


def _whole(raw: str, text: str) -> int:
    if _INT.fullmatch(raw):
        return int(raw.replace("_", "").replace(",", ""))
    short = _SHORT.fullmatch(raw)
    if short:
        scale = 1024 if short[2] in "kK" else 1024**2
        full = f"{float(short[1]) * scale:.0f}"
        raise _wrong(text, f"write the whole number, such as {full}", f"숫자를 그대로 쓰세요. 예: {full}")
    if raw[:1] == "-" and _INT.fullmatch(raw[1:]):
        raise _wrong(text, "must not be negative", "음수일 수 없습니다")
    raise _wrong(text, "must be a whole number", "정수여야 합니다")


def _float(raw: str, text: str, parameter: Parameter) -> float:
    number = _number(raw)
    if number is None:
        raise _wrong(text, "must be a number", "숫자여야 합니다")
    return number


def _number(raw: str) -> float | None:
    return float(raw) if re.fullmatch(r"\d{1,18}(?:\.\d{1,18})?|\.\d{1,18}", raw) else None


def _bool(raw: str, text: str, parameter: Parameter) -> bool:
    if raw.lower() not in _TRUTH:
        raise _wrong(text, "must be true or false", "true 또는 false여야 합니다")
    return _TRUTH[raw.lower()]


def _str(raw: str, text: str, parameter: Parameter) -> str:
    return raw[1:-1] if len(raw) > 2 and raw[0] == raw[-1] and raw[0] in "'\"" else raw


def _ints(raw: str, text: str, parameter: Parameter) -> Value:
    """One number, or a list: ``[3136, 8192]`` or ``3136,8192``.

    ``16,384`` can be read both ways where values are that large (patches), so it is asked for again.
    """
    if _GROUPED.fullmatch(raw) and parameter.unit == "patches":
        plain = raw.replace(",", "")
        raise _wrong(text, f"write {plain} or [{raw}]", f"{plain} 또는 [{raw}] 형식으로 쓰세요")
    if raw[:1] == "[":
        items = _literal(raw)
        if not isinstance(items, list) or not items or any(type(item) is not int for item in items):
            raise _wrong(text, "must be a list of whole numbers", "정수 목록이어야 합니다")
        return [_int(str(item), text, parameter) for item in items]
    if "," in raw:
        return [_int(part.strip(), text, parameter) for part in raw.split(",")]
    return _int(raw, text, parameter)


def _devices(raw: str, text: str, parameter: Parameter) -> Value:
    """A device id, a list of them, or a range ``0-7``."""
    span = _RANGE.fullmatch(raw)
    if span:
        first, last = int(span[1]), int(span[2])
        if first > last:
            raise _wrong(text, "must run upwards", "작은 번호부터 쓰세요")
        return list(range(first, last + 1))
    items = _literal(raw) if raw[:1] == "[" else None
    if isinstance(items, list) and items and all(type(item) is int and item >= 0 for item in items):
        return items
    if items is None and "," in raw:
        return [_whole(part.strip(), text) for part in raw.split(",")]
    if items is None:
        return _whole(raw, text)
    raise _wrong(text, "must be a list of device ids", "device 번호 목록이어야 합니다")


def _budget(raw: str, text: str, parameter: Parameter) -> Value:
    """A share (0, 1], ``80%``, bytes, or a size such as ``10GB`` (kept as it is written)."""
    if _BYTES.fullmatch(raw):
        return raw
    if _PERCENT.fullmatch(raw):
        if not 0 < float(raw.rstrip("% ")) <= 100:
            raise _wrong(text, "must be above 0% and at most 100%", "0%보다 크고 100% 이하여야 합니다")
        return raw
    if _INT.fullmatch(raw):
        size = _whole(raw, text)
        if size < 2:
            raise _wrong(text, "write 1.0 for all memory", "전체 메모리는 1.0으로 쓰세요")
        return size
    share = _number(raw)
    if share is None or not 0 < share <= 1:
        raise _wrong(text, "must be a share such as 0.8 or a size such as 10GB", "0.8이나 10GB처럼 쓰세요")
    return share


def _dict(raw: str, text: str, parameter: Parameter) -> Value:
    value = _literal(raw) if raw[:1] == "{" else raw
    if not isinstance(value, (dict, str)):
        raise _wrong(text, "must be a JSON object", "JSON 객체여야 합니다")
    return value


def _any(raw: str, text: str) -> Value:
    """An architecture number: whole, fractional, a truth value or a name."""
    if raw.lower() in _NONE:
        return None
    if raw.lower() in ("true", "false"):
        return raw.lower() == "true"
    if raw[0].isdigit() or raw[0] == "-":
        number = _number(raw)
        return number if number is not None and "." in raw else _whole(raw, text)
    if re.fullmatch(r"[A-Za-z][\w.-]*", raw):
        return raw
    raise _wrong(text, "must be a number or a name", "숫자나 이름이어야 합니다")


def _images(raw: str, text: str) -> list[list[int]]:
    """``1920x1080`` is width x height, as images are usually named; the list holds [height, width]."""
    sizes: list[list[int]] = []
    for part in raw.split(","):
        size = _SIZE.fullmatch(part.strip())
        if size is None or not all(len(side) < 6 and int(side) for side in size.groups()):
            raise _wrong(text, "write width x height, such as 1920x1080", "1920x1080처럼 가로x세로 형식으로 쓰세요")
        sizes.append([int(size[2]), int(size[1])])
    return sizes


def _literal(raw: str) -> Value:
    """JSON, or the same written as Python (``[3_136, 8_192]``); None when it is neither."""
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        pass
    try:
        with warnings.catch_warnings():  # ``1if`` would warn on stderr
            warnings.simplefilter("ignore")
            return ast.literal_eval(raw)
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return None


def _wrong(text: str, en: str, ko: str) -> InputError:
    return InputError(Text(f"--set {_short(text)}: {en}", f"--set {_short(text)}: {ko}"))


def _short(text: str) -> str:
    """The person's own words on one line."""
    line = " ".join(text.split())
    return line if len(line) <= 80 else line[:77] + "..."


_READERS: dict[str, Callable[[str, str, Parameter], Value]] = {
    "int": _int,
    "float": _float,
    "bool": _bool,
    "str": _str,
    "ints": _ints,
    "devices": _devices,
    "budget": _budget,
    "dict": _dict,
}
