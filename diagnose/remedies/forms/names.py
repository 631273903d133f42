"""Where a change stands in each form: canonical name, place in rbln_config, name in the run's release."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from diagnose.context.classes import is_encoder_decoder
from diagnose.knowledge.schema import Parameter
from diagnose.light import dataclass
from diagnose.model import Change, RunContext, Setting
from diagnose.remedies.release import LOCKSTEP

VISION = ("vlm.visual", "vlm.vision_tower", "visual", "vision_tower", "vision_model")
LANGUAGE = ("vlm.language_model", "language_model", "text_model")
RUNTIME = frozenset({"device", "create_runtimes", "device_map", "timeout", "activate_profiler"})
"""Fields that may be given when an artifact is loaded (optimum-rbln 0.12.0 RBLNModelConfig)."""

Version = tuple[int, ...]
_ANY = 10**6


@dataclass(frozen=True, slots=True)
class Item:
    """One change with its names."""

    change: Change
    name: str
    """Canonical: ``max_seq_len``, ``visual.device``."""
    path: tuple[str, ...]
    """Place in rbln_config: (``language_model``, ``max_seq_len``)."""
    parameter: Parameter | None

    @property
    def field(self) -> str:
        return self.path[-1]

    @property
    def compile_time(self) -> bool:
        """Whether the artifact must be compiled anew for it."""
        if self.change.scope != "rbln_config" or self.field in RUNTIME:
            return False
        if self.parameter is None:
            return True
        return self.parameter.level in ("lm", "top", "vision") and self.parameter.at == "compile"


def items(changes: Sequence[Change], context: RunContext, parameters: Mapping[str, Parameter]) -> tuple[Item, ...]:
    found = []
    for change in changes:
        name = canonical(change.parameter, context)
        found.append(Item(change, name, place(change.parameter, context), parameters.get(name)))
    return tuple(found)


def canonical(name: str, context: RunContext) -> str:
    """``vision_tower.device`` → ``visual.device``, ``language_model.max_seq_len`` → ``max_seq_len``."""
    for prefix in (context.vision_prefix, *VISION):
        if prefix and name.startswith(f"{prefix}."):
            return "visual." + name[len(prefix) + 1 :]
    for prefix in (context.lm_prefix, *LANGUAGE):
        if prefix and name.startswith(f"{prefix}."):
            return name[len(prefix) + 1 :]
    return name


def place(name: str, context: RunContext) -> tuple[str, ...]:
    """Where the field stands; the batch in the language model's section when the person wrote it there."""
    if name == "batch_size":
        nested = (f"{prefix}.batch_size" for prefix in (context.lm_prefix, *LANGUAGE) if prefix)
        name = next((full for full in nested if full in context.config), name)
    return tuple(context.place(name).split("."))


def release(context: RunContext, package: str) -> Version | None:
    """The first three numbers of a package's version, or None.

    The newest release of a range stands in, then the packages released together with it.
    """
    packages = (package, *(other for other in LOCKSTEP if other != package)) if package in LOCKSTEP else (package,)
    named = (context.versions.get(f"{p}{end}") for p in packages for end in ("", "_max"))
    found = re.match(r"v?(\d+)\.(\d+)(?:\.(\d+))?", next((text for text in named if text), ""))
    if found is None:
        return None
    # Without its third number (the compiler's, as mega-cache prints it) it may be any release of that minor.
    return tuple(_ANY if part is None else int(part) for part in found.groups())


def before(context: RunContext, package: str, limit: Version) -> bool:
    """Known to be older than ``limit``; an unknown release counts as present."""
    version = release(context, package)
    return version is not None and version < limit


def release_path(path: Sequence[str], context: RunContext) -> tuple[str, ...]:
    """The names of the run's own release: ``num_devices`` is ``tensor_parallel_size`` before optimum-rbln
    0.11.0, ``visual.max_seq_len`` is ``max_seq_lens`` before 0.10.4; a decoder's length is ``dec_max_seq_len`` in a
    class that has an encoder too. The packages are released together, so
    another's version stands in where the library's is unknown (``release``)."""
    package = "optimum_rbln"
    *heads, field = path
    if field == "num_devices" and before(context, package, (0, 11, 0)):
        field = "tensor_parallel_size"
    if field == "max_seq_len" and heads and heads[-1] == "visual" and before(context, package, (0, 10, 4)):
        field = "max_seq_lens"
    if field == "max_seq_len" and not heads and is_encoder_decoder(context.model_class, context.model):
        field = "dec_max_seq_len"
    return (*heads, field)


def nest(pairs: Iterable[tuple[Sequence[str], Any]]) -> dict[str, Any]:
    """(path, value) pairs as a nested dict, in order; a later pair wins, and a path through a value replaces it: a
    submodule is never a plain value."""
    root: dict[str, Any] = {}
    for path, value in pairs:
        level = root
        for key in path[:-1]:
            inner = level.get(key)
            if not isinstance(inner, dict):
                inner = level[key] = {}
            level = inner
        level[path[-1]] = value
    return root


def chosen(setting: Setting, context: RunContext) -> bool:
    """Whether a person chose the value: an artifact also holds what the library computed for it."""
    artifact = context.config.get("artifact")
    origin = setting.origin
    return not (
        "rbln_config.json" in origin
        or origin.startswith("default")
        or "inferred" in origin
        or (artifact is not None and origin == artifact.value)
    )


def precompiled(context: RunContext) -> bool:
    """Whether the run was given a compiled artifact, so that compile-time values are fixed in it.

    A server that was given a model of the hub compiles by itself whenever a value changes, even if this
    time it loaded what it had compiled before.
    """
    if "load" not in context.phases or "compile" in context.phases:
        return False
    model = context.model or ""
    artifact = context.config.get("artifact")
    return model.count("/") != 1 or model[:1] in "./~" or (artifact is not None and artifact.value == model)


def served(context: RunContext) -> bool:
    return context.form in ("vllm-serve", "python-llm") or context.path == "vllm"
