"""Lines of vLLM itself that say what the run was. Versions 0.9.1 to 0.30.0."""

from __future__ import annotations

import re
from collections.abc import Iterator

from diagnose.context import ranks
from diagnose.context.classes import rbln_class
from diagnose.context.literals import read_dict, read_pairs, reads_whole
from diagnose.context.names import QUANTIZATION, canonical, plain
from diagnose.context.overrides import WORDS, additional_in, facts_of
from diagnose.context.site import Rows, Site
from diagnose.late import late
from diagnose.model import Fact, Value

ASKED = "non-default args"
ENGINE = "Initializing … with config"

OVERRIDDEN = ASKED + WORDS
"""Of the pool: vLLM's own argument only limits the scheduler, the override sizes what is compiled."""
_POOL = "kvcache_num_blocks"

_SERVER_KEYS = frozenset({"model_tag", "port", "host", "api_server_count", "enable_auto_tool_choice", "chat_template"})
_ENGINE_KEYS = {
    "max_seq_len": "max_seq_len",
    "tensor_parallel_size": "tensor_parallel_size",
    "pipeline_parallel_size": "pipeline_parallel_size",
    "data_parallel_size": "data_parallel_size",
    "enable_prefix_caching": "enable_prefix_caching",
    "enable_chunked_prefill": "enable_chunked_prefill",
    "chunked_prefill_enabled": "enable_chunked_prefill",
    "dtype": "dtype",
    "served_model_name": "served_model_name",
    "quantization": QUANTIZATION,
    "kv_cache_dtype": "kv_cache_dtype",
}
"""Fields of ``VllmConfig.__str__`` that hold configuration, over all versions."""

_ENGINE = late(r"V1 LLM engine \(v(?P<version>[^)\s]+)\) with config: ")
_LOGO = late(r"[█▀▄ ]{8,}version (?P<version>\d\S*)\s*$", re.MULTILINE)
_LOGO_MODEL = late(r"[█▀▄ ]{8,}model   (?P<model>\S.{0,255}?)\s*$", re.MULTILINE)
_SERVER = late(r"vLLM server version (?P<version>\S+?), serving model (?P<model>\S.{0,255}?)\s*$", re.MULTILINE)
_PLATFORM = late(r"Automatically detected platform (?P<detected>\w+)|Platform plugin (?P<plugin>\w+) is activated")
_API = late(r"vLLM API server version (?P<version>\d\S*)")
_LENGTH = late(r"Using max model len (?P<value>[\d,]+)")
_CHUNK = late(r"Chunked prefill is enabled with max_num_batched_tokens=(?P<value>\d+)")
_SIZE = late(r"(?P<where>\w+) KV cache size: (?P<tokens>[\d,]+) tokens(?: \(num_blocks=(?P<blocks>\d+))?")
_CONCURRENCY = late(r"Maximum concurrency for (?P<length>[\d,]+) tokens per request: (?P<times>[\d.]+)x")
_IMPLS = {"vllm": "vllm", "optimum": "optimum", "transformers": "optimum"}


def platform(site: Site) -> Iterator[Fact]:
    """The platform vLLM runs on: ``rbln``, or another vendor's. ``cpu`` says only that no plugin was found."""
    found = _PLATFORM.match(site.text.lstrip())
    if found:
        yield site.fact("platform", (found["detected"] or found["plugin"]).lower(), "platform", ranks.STATED)


def api_version(site: Site) -> Iterator[Fact]:
    found = _API.match(site.text)
    if found:
        yield site.fact("version:vllm", found["version"], "vLLM API server version", ranks.STATED)
        yield site.fact("form", "vllm-serve", "vLLM API server version", ranks.STATED)


def server_version(site: Site) -> Iterator[Fact]:
    found = _SERVER.match(site.text)
    if found:
        yield site.fact("version:vllm", found["version"], "vLLM server version", ranks.STATED)
        yield site.fact("model", found["model"], "vLLM server version", ranks.STATED)
        yield site.fact("form", "vllm-serve", "vLLM server version", ranks.STATED)


def logo(site: Site) -> Iterator[Fact]:
    """The five-line logo, as one record or as one record per line."""
    version, model = _LOGO.search(site.text), _LOGO_MODEL.search(site.text)
    if version:
        yield site.fact("version:vllm", version["version"], "vLLM logo", ranks.STATED, version.start("version"))
        yield site.fact("form", "vllm-serve", "vLLM logo", ranks.STATED, version.start("version"))
    if model:
        yield site.fact("model", model["model"], "vLLM logo", ranks.STATED, model.start("model"))


def non_default_args(site: Site) -> Iterator[Fact]:
    """What was asked for. The dict is a ``repr`` and not always a literal."""
    asked = read_dict(site.text[len(ASKED) + 1 :])
    if asked is None:
        return
    model = asked.get("model") or asked.get("model_tag")
    if isinstance(model, str):
        yield site.fact("model", model, ASKED, ranks.ASKED)
    process = (site.record.process or "").lower()
    if _SERVER_KEYS & asked.keys() or process.startswith("apiserver"):
        yield site.fact("form", "vllm-serve", ASKED, ranks.ASKED)
    elif not process and asked.get("disable_log_stats") is True:  # what the LLM class sets by itself
        yield site.fact("form", "python-llm", f"{ASKED} (inferred)", ranks.INFERRED)
    path = _IMPLS.get(str(asked.get("model_impl")))
    if path:
        yield site.fact("path", path, ASKED, ranks.ASKED)
    whole = site.fact("", True, ASKED, ranks.ASKED)
    beside, there = additional_in(asked), "'additional_config': {" in site.text
    cut = "additional_config" not in asked or not reads_whole(site.text[len(ASKED) + 1 :])
    yield from facts_of(beside, whole, partly=there and cut)
    values = canonical(asked, site.parameters, "vllm")
    pool = values.pop(_POOL, None) if "num_gpu_blocks_override" not in asked else None
    yield from site.facts(values, ASKED, ranks.ASKED)
    if pool is not None:
        yield from site.facts({_POOL: pool}, OVERRIDDEN, ranks.ASKED)


def engine_config(site: Site) -> Iterator[Fact]:
    """``Initializing a V1 LLM engine (vX) with config:`` and its copies in a dump."""
    found = _ENGINE.search(site.text)
    if not found:
        return
    yield site.fact("version:vllm", found["version"], ENGINE, ranks.STATED)
    pairs = read_pairs(site.text[found.end() :])
    if isinstance(pairs.get("model"), str):
        yield site.fact("model", pairs["model"], ENGINE, ranks.ENGINE)
    values = {name: plain(pairs[key]) for key, name in _ENGINE_KEYS.items() if pairs.get(key) is not None}
    yield from site.facts(values, ENGINE, ranks.ENGINE)


def max_model_len(site: Site) -> Iterator[Fact]:
    found = _LENGTH.match(site.text)
    if found:
        yield site.fact("max_seq_len", _int(found["value"]), "Using max model len", ranks.RESOLVED)


def chunked_prefill(site: Site) -> Iterator[Fact]:
    found = _CHUNK.match(site.text)
    if found:
        yield site.fact("prefill_chunk_size", int(found["value"]), "Chunked prefill", ranks.RESOLVED)


def architecture(site: Site) -> Iterator[Fact]:
    cls = rbln_class(site.text.partition(":")[2].split()[0]) if site.text.partition(":")[2].strip() else None
    if cls:
        yield site.fact("model_class", cls, "Resolved architecture", ranks.RESOLVED)


def kv_size(site: Site) -> Iterator[Fact]:
    """KV pool in tokens and its concurrency. vLLM 0.30 names the device: CPU on the optimum path, RBLN on
    vLLM's.
    """
    size, times = _SIZE.match(site.text), _CONCURRENCY.search(site.text)
    if size:
        yield site.fact("measured.kv_cache_tokens", _int(size["tokens"]), "KV cache size", ranks.MEASURED)
        if size["blocks"]:
            yield site.fact("measured.kv_blocks", int(size["blocks"]), "KV cache size", ranks.MEASURED)
        path = {"CPU": "optimum", "RBLN": "vllm"}.get(size["where"])
        if path:
            yield site.fact("path", path, "KV cache size", ranks.STATED)
    if times:
        yield site.fact("max_seq_len", _int(times["length"]), "Maximum concurrency", ranks.ENGINE, times.start())
        yield site.fact("measured.max_concurrency", float(times["times"]), "Maximum concurrency", ranks.MEASURED)


def ready(site: Site) -> Iterator[Fact]:
    """uvicorn's line: other programs' servers print it too, so it says nothing about vLLM."""
    yield site.fact("phase", "serve", "Application startup complete", ranks.STATED)


def listening(site: Site) -> Iterator[Fact]:
    yield site.fact("form", "vllm-serve", "Starting vLLM", ranks.STATED)


def _int(text: str) -> Value:
    return int(text.replace(",", ""))


BEGINS: Rows = (
    ("Automatically detected platform ", platform),
    ("Platform plugin ", platform),
    ("vLLM API server version ", api_version),
    ("vLLM server version ", server_version),
    ("non-default args: ", non_default_args),
    ("Initializing a V1 LLM engine (v", engine_config),
    ("V1 LLM engine (v", engine_config),
    ("Dumping input data for V1 LLM engine (v", engine_config),
    ("Using max model len ", max_model_len),
    ("Chunked prefill is enabled with max_num_batched_tokens=", chunked_prefill),
    ("Resolved architecture:", architecture),
    ("GPU KV cache size: ", kv_size),
    ("CPU KV cache size: ", kv_size),
    ("RBLN KV cache size: ", kv_size),
    ("Maximum concurrency for ", kv_size),
    ("Application startup complete.", ready),
    ("Starting vLLM API server ", listening),
    ("Starting vLLM server on ", listening),
)
HOLDS: Rows = (("▄▄ ▄█", logo), ("█▄█▀", logo))
