"""What the frames of a traceback show: what the program was doing, and how the person started it."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator

from diagnose.context import ranks
from diagnose.context.classes import rbln_class
from diagnose.context.literals import closing
from diagnose.context.log_plugin import told
from diagnose.context.site import Site
from diagnose.late import late
from diagnose.model import Fact, Value

_FRAME = late(r"(?P<file>\S.*?):\d+ in (?P<function>[^\s:]+)(?:: (?P<source>.*))?$", re.DOTALL)
"""A frame as ``ExceptionInfo.frames`` holds it; installed files begin with their package, own ones have no
folder.
"""
_CLASS = late(r"\b(?P<cls>(?:RBLN)\w+)\.(?:from_pretrained|from_model|compile)\(")

_MODEL = late(r"""(?:from_pretrained|LLM)\(\s*(?:model(?:_id)?\s*=\s*)?["'](?P<model>[\w./-]{3,200})["']""")
"""A model named in the call itself, as far as the traceback shows it."""

_CONFIG = late(r"\brbln_config\s*=\s*(?=\{)")
"""The configuration written into the call itself."""

_PACKAGE = late(r"^optimum/rbln/transformers/models/(?P<package>\w+)/")
_PACKAGES = {
    "qwen2_vl": "RBLNQwen2VLForConditionalGeneration",
    "qwen2_5_vl": "RBLNQwen2_5_VLForConditionalGeneration",
    "qwen3_vl": "RBLNQwen3VLForConditionalGeneration",
    "qwen3_vl_moe": "RBLNQwen3VLMoeForConditionalGeneration",
    "qwen3_5": "RBLNQwen3_5ForConditionalGeneration",
    "exaone4_5": "RBLNExaone4_5_ForConditionalGeneration",
    "colqwen2": "RBLNColQwen2ForRetrieval",
}
"""Package of a vision-language model → the class it is for. Packages that hold text models as well are left out,
but for ``qwen3_5``: it counts where a vision submodule was seen (``in_force``)."""
PACKAGE = "traceback, package (inferred)"

_PHASES: dict[str, str] = {
    "_export": "compile",
    "from_model": "compile",
    "get_compiled_model": "compile",
    "_compile_model": "compile",
    "compile": "compile",
    "set_kvcache_num_blocks_after_compilation": "compile",
    "_from_pretrained": "load",
    "_from_compiled_models": "load",
    "_create_runtimes": "load",
    "generate": "generate",
}
"""Function of optimum-rbln → phase. The innermost of them decides: ``_create_runtimes`` inside ``_export`` is
a load.
"""

_VLLM_FILES = late(
    r"(?:^|/)vllm(?:_rbln)?/|(?:^|/)(?:api_server|core|core_client|multiproc_executor|uniproc_executor)\.py$"
)
_OPTIMUM_FILES = late(r"optimum/rbln/|(?:^|/)(?:modeling_base|modeling|modeling_\w+|rbln_\w+|generation_\w+)\.py$")

_GENERATION_FILES = late(r"^(?:optimum/rbln|transformers)/")


def from_frames(site: Site) -> Iterator[Fact]:
    """Phase (of the innermost frame that decides), form and model class of one traceback."""
    info = site.record.exception
    frames = [frame for frame in map(_FRAME.match, info.frames if info else ()) if frame]
    if not frames:
        return
    for frame in reversed(frames):
        phase = _PHASES.get(frame["function"].rpartition(".")[2])
        files = _GENERATION_FILES if phase == "generate" else _OPTIMUM_FILES
        if phase and files.search(frame["file"]):
            yield site.fact("phase", phase, f"traceback: {frame['function']}", ranks.STATED)
            break
    if any(_after_compile(frame) for frame in frames):
        yield site.fact("phase", "compile", "traceback: export", ranks.STATED)
    yield from _form(site, frames)
    cls = next((rbln_class(c["cls"]) for f in frames if (c := _CLASS.search(f["source"] or ""))), None)
    if cls:
        yield site.fact("model_class", cls, "traceback", ranks.TYPED)
    package = _package(frames) if cls is None else None
    if package:
        yield site.fact("model_class", package, PACKAGE, ranks.INFERRED)
    model = next((m["model"] for f in frames if (m := _MODEL.search(f["source"] or ""))), None)
    if model:
        yield site.fact("model", model, "traceback", ranks.TYPED)
    yield from _in_the_call(site, frames)


def _in_the_call(site: Site, frames: list[re.Match[str]]) -> Iterator[Fact]:
    """What a person's own frame gives to the call that failed, where the whole of it stands in one line."""
    for frame in reversed(frames):
        source = frame["source"] or ""
        found = _CONFIG.search(source) if "/" not in frame["file"] else None
        end = closing(source, found.end()) if found else None
        if found and end is not None:
            given = source[found.end() : end + 1]
            values, _ = told(_literals(given), given, site.parameters)
            yield from site.facts(values, "traceback: rbln_config", ranks.PRINTED)
            return


def _literals(source: str) -> dict[str, Value]:
    """The items of a dict in source code whose values are written out; what has a name there is not known."""
    import ast

    try:
        found = ast.parse(source, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return {}
    made: dict[str, Value] = {}
    for key, value in zip(found.keys, found.values, strict=True) if isinstance(found, ast.Dict) else ():
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            with contextlib.suppress(ValueError, TypeError):  # also what no configuration holds: a set, bytes, infinity
                made[key.value] = json.loads(json.dumps(ast.literal_eval(value), allow_nan=False))
    return made


def _package(frames: list[re.Match[str]]) -> str | None:
    """The class whose package the outermost frame of a model lies in: a class built on another one comes first."""
    for frame in frames:
        found = _PACKAGE.match(frame["file"])
        if found and found["package"] in _PACKAGES:
            return _PACKAGES[found["package"]]
    return None


def _after_compile(frame: re.Match[str]) -> bool:
    """Whether what failed was called from an export: creating the runtimes is its last step."""
    if frame["function"].rpartition(".")[2] in ("_export", "from_model") and _OPTIMUM_FILES.search(frame["file"]):
        return True
    return re.search(r"\bexport\s*=\s*True\b", frame["source"] or "") is not None


def _form(site: Site, frames: list[re.Match[str]]) -> Iterator[Fact]:
    """How the run was started: by the person's own frame (the outermost that is no library's)."""
    process = (site.record.process or "").lower()
    if process.startswith("apiserver") or any(f["file"].endswith("api_server.py") for f in frames):
        yield site.fact("form", "vllm-serve", "traceback", ranks.STATED)
        return
    own = " ".join(f["source"] or "" for f in frames if "/" not in f["file"])
    if re.search(r"\bLLM\(", own) and (not process or process == "mainprocess"):
        yield site.fact("form", "python-llm", "traceback", ranks.RESOLVED)
    elif any(f["file"].endswith("optimum/rbln/cli.py") for f in frames) or "optimum-rbln-cli" in frames[0]["file"]:
        yield site.fact("form", "optimum-cli", "traceback", ranks.RESOLVED)
    elif not process and "from_pretrained(" in own and not any(_VLLM_FILES.search(f["file"]) for f in frames):
        yield site.fact("form", "optimum-python", "traceback", ranks.SECTION)
