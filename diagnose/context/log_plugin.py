"""Lines of vllm-rbln that say what the run was. Wordings of 0.9 to 0.12; files are those of 0.12.0."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from diagnose.context import ranks
from diagnose.context.argv import without_halves
from diagnose.context.classes import rbln_class
from diagnose.context.literals import closing, read_dict, read_value, reads_whole
from diagnose.context.names import block_size, canonical, one_name, plain
from diagnose.context.overrides import OVERRIDE, WORDS, additional_in, facts_of
from diagnose.context.site import Rows, Site
from diagnose.knowledge.schema import Parameter
from diagnose.late import late
from diagnose.model import Fact, Value

UPDATING = "Updating … to"
SETTING = "Setting … to"
COMPILING = "Compiling … with rbln_config"
SECTION = "RBLN config"

_UPDATE = late(r"Updating (?:\w+\.)?(?P<name>attention block_size|\w+) from (?P<old>\S.*?) to (?P<new>\S+?)\.?(?=\s|$)")
_SET = late(r"Setting (?P<name>\w+) to (?P<new>\S+?)\.?(?=\s|$)")
_SUB_BLOCK_SET = late(r"Sub-block size is set to (?P<value>\d+)")
_COMPILE = late(r"Compiling (?P<model>\S.*?) via optimum-rbln \((?P<cls>\w+)\) with rbln_config:")
_PREPARED = late(r"(?P<name>batch_size|block_size|max_model_len|max_num_seqs)['\"]?\s*[=:]\s*(?P<value>\d+)")
_PATH = late(r"(?:Loading RBLN model from|Found cached compiled model at) (?P<path>\S.*?)\s*$", re.MULTILINE)
_LOCAL = late(r"Local rank: (?P<rank>\d+), Selected devices: (?P<devices>[\d,\s\[\]]+)")
_BUCKETS = late(r"Decode batch buckets: (?P<list>\[[\d,\s]*\])")
_SUB_BLOCK = late(r"Sub-block prefix caching enabled: block_size=(?P<block>\d+), sub_block_size=(?P<sub>\d+)")
_SCHEME = late(r"model quantization scheme = (?P<value>\S+)")
_BYTES = late(r"(?P<name>(?:draft_)?n_model_bytes|available_memory_estimate) = (?P<value>-?[\d.]+) (?P<unit>GB|GiB)")
_KV = late(r"KV cache initialized: blocks=(?P<blocks>\d+)")
_MEGA = late(r"\bnpu=(?P<npu>\S+?) rebel=(?P<rebel>[^\s)]+)")
_ESTIMATE = late(r"\[Dynamic KV\] compiling with \d+ KV blocks instead of (?P<blocks>\d+)")
_SIZED = late(r"\[Dynamic KV\] rank \d+: computed_num_blocks=(?P<blocks>\d+) gpu_memory_utilization=(?P<gmu>[\d.]+)")
_UNIT = late(r"(?P<unit>\d+:\d+)\((?P<figures>[^)]*)\)")
_RESIZED = late(r"dynamic KV cache: scheduler block pool resized \d+ -> (?P<blocks>\d+) blocks")
_RESERVED = late(r"device memory reserved per chiplet = (?P<list>[\d.,\s]+?) GiB")

_MEASURED = {
    "n_model_bytes": "measured.model_bytes",
    "draft_n_model_bytes": "measured.draft_model_bytes",
    "available_memory_estimate": "measured.available_memory",
}
GIB = 2**30


def updating(site: Site) -> Iterator[Fact]:
    """The artifact overrules vLLM: ``Updating scheduler_config.max_num_seqs from 8 to 4 based on
    rbln_config.json``.
    """
    found = _UPDATE.match(site.text)
    if found:
        yield from _vllm_value(site, found["name"], found["new"], UPDATING)
    if "based on rbln_config.json" in site.text:
        yield site.fact("path", "optimum", UPDATING, ranks.STATED)


def setting(site: Site) -> Iterator[Fact]:
    """The overrides overrule vLLM: ``Setting max_num_seqs to 4 based on
    additional_config.optimum_overrides``.
    """
    found = _SET.match(site.text)
    if found and "based on" in site.text:
        beside = "additional_config" in site.text
        for fact in _vllm_value(site, found["name"], found["new"], SETTING + WORDS if beside else SETTING):
            yield fact
            if beside:
                yield replace(fact, name=OVERRIDE + fact.name)
        yield site.fact("path", "optimum", SETTING, ranks.STATED)


def sub_block_set(site: Site) -> Iterator[Fact]:
    found = _SUB_BLOCK_SET.match(site.text)
    if found:
        yield site.fact("sub_block_size", int(found["value"]), SETTING, ranks.SYNCED)


def compiling(site: Site) -> Iterator[Fact]:
    """Cache miss: the configuration given to optimum-rbln, as JSON on the following lines of the record."""
    found = _COMPILE.match(site.text)
    if not found:
        return
    yield site.fact("model", found["model"], COMPILING, ranks.COMPILING)
    cls = rbln_class(found["cls"])
    if cls:
        yield site.fact("model_class", cls, COMPILING, ranks.COMPILING)
    yield site.fact("phase", "compile", COMPILING, ranks.STATED)
    yield site.fact("path", "optimum", COMPILING, ranks.STATED)
    text = site.text[found.end() :]
    values, whole = told(read_json(text), text.lstrip(), site.parameters)
    yield from site.facts(values, COMPILING, ranks.COMPILING, found.end())
    if whole and closing(site.text, site.text.find("{", found.end())) is not None:
        yield site.fact("whole", True, COMPILING, ranks.COMPILING, found.end())


def told(found: Mapping[str, Value], text: str, parameters: Mapping[str, Parameter]) -> tuple[dict[str, Value], bool]:
    """The settings of a printed configuration by their canonical names, and whether all of it could be read. ``found``
    is what was read of ``text``, which begins with its brace."""
    values: Mapping[str, Value] = canonical(found, parameters, "rbln")
    known = without_halves(values, parameters)
    named = all(len(name.split()) == 1 for name in values)  # else a line was broken within a name
    return known, bool(values) and len(known) == len(values) and named and reads_whole(text)


def read_json(text: str) -> Mapping[str, Value]:
    """The JSON object ``text`` begins with; of one that is cut off, the items that are whole."""
    import json

    start = text.find("{")
    if start < 0 or text[:start].strip():
        return {}
    try:
        value, _ = json.JSONDecoder().raw_decode(text, start)
    except ValueError:
        value = _python_words(read_dict(text[start:]) or {})
    return value if isinstance(value, dict) else {}


def prepared(site: Site) -> Iterator[Fact]:
    """0.10.2 – 0.10.3."""
    values: dict[str, Value] = {}
    for found in _PREPARED.finditer(site.text):
        name = {"batch_size": "max_num_seqs"}.get(found["name"], found["name"])
        values[name] = int(found["value"])
    yield from site.facts(canonical(values, site.parameters, "vllm"), "Prepared vLLM config", ranks.COMPILING)
    yield site.fact("phase", "compile", "Prepared vLLM config", ranks.STATED)
    yield site.fact("path", "optimum", "Prepared vLLM config", ranks.STATED)


def section(site: Site) -> Iterator[Fact]:
    """0.12: every field of the plugin's section that is not default, variables of the environment
    included.
    """
    text = site.text[len(SECTION) + 1 :]
    values = read_dict(text)
    here = site.fact("", True, SECTION, ranks.TYPED - 1)  # what the person wrote tells the section's name as well
    beside = additional_in({"additional_config": values})
    yield from facts_of(beside, here, partly=bool(beside) and not reads_whole(text))
    yield from site.facts(canonical(values or {}, site.parameters, "additional"), SECTION, ranks.SECTION)
    yield site.fact("version:vllm_rbln", "0.12.0", f"{SECTION} (inferred)", ranks.INFERRED)


def artifact(site: Site) -> Iterator[Fact]:
    found = _PATH.match(site.text)
    if found:
        origin = site.text.split(" ", 1)[0]
        yield site.fact("artifact", found["path"], origin, ranks.STATED)
        yield site.fact("phase", "load", origin, ranks.STATED)
        yield site.fact("path", "optimum", origin, ranks.STATED)


def local_rank(site: Site) -> Iterator[Fact]:
    found = _LOCAL.match(site.text)
    if found:
        devices = [int(n) for n in re.findall(r"\d+", found["devices"])]
        yield site.fact("num_devices", len(devices), "Local rank", ranks.COMPILING)
        yield site.fact("path", "vllm", "Local rank", ranks.STATED)


def buckets(site: Site) -> Iterator[Fact]:
    found = _BUCKETS.search(site.text)
    if found:
        yield site.fact("measured.decode_buckets", read_value(found["list"]), "Decode batch buckets", ranks.MEASURED)


def sub_block(site: Site) -> Iterator[Fact]:
    found = _SUB_BLOCK.match(site.text)
    if found:
        yield site.fact("kvcache_partition_len", int(found["block"]), "Sub-block prefix caching", ranks.COMPILING)
        yield site.fact("sub_block_size", int(found["sub"]), "Sub-block prefix caching", ranks.SYNCED)
        yield site.fact("enable_prefix_caching", True, "Sub-block prefix caching", ranks.SYNCED)


def scheme(site: Site) -> Iterator[Fact]:
    found = _SCHEME.match(site.text)
    if found and found["value"] != "None":
        yield site.fact("measured.quantization_scheme", found["value"], "model quantization scheme", ranks.MEASURED)


def memory_figure(site: Site) -> Iterator[Fact]:
    """Bytes. ``n_model_bytes`` prints GB and means GiB; ``available_memory_estimate`` in GB is 10^9 (up to
    0.10.2).
    """
    found = _BYTES.match(site.text)
    if found:
        decimal = found["unit"] == "GB" and found["name"] == "available_memory_estimate"
        size = round(float(found["value"]) * (10**9 if decimal else GIB))
        yield site.fact(_MEASURED[found["name"]], size, found["name"], ranks.MEASURED)
        yield site.fact("path", "vllm", found["name"], ranks.STATED)


def kv_initialized(site: Site) -> Iterator[Fact]:
    found = _KV.match(site.text)
    if found:
        yield site.fact("measured.kv_blocks", int(found["blocks"]), "KV cache initialized", ranks.MEASURED)


def mega_cache(site: Site) -> Iterator[Fact]:
    """Device and compiler; the compiler's version is major.minor only, so a full one elsewhere is
    preferred.
    """
    found = _MEGA.search(site.text)
    if found:
        if found["npu"].startswith("RBLN-"):
            yield site.fact("npu", found["npu"], "mega-cache", ranks.STATED)
        yield site.fact("version:rebel_compiler", found["rebel"], "mega-cache (major.minor)", ranks.INFERRED)
        yield site.fact("path", "vllm", "mega-cache", ranks.STATED)


def dynamic_kv(site: Site) -> Iterator[Fact]:
    """Sizing after warm-up; the figures per chiplet are in bytes."""
    yield site.fact("path", "vllm", "[Dynamic KV]", ranks.STATED)
    estimate, sized = _ESTIMATE.match(site.text), _SIZED.match(site.text)
    if estimate:
        yield site.fact("measured.kv_blocks_estimate", int(estimate["blocks"]), "[Dynamic KV]", ranks.MEASURED)
    if sized:
        yield site.fact("measured.kv_blocks", int(sized["blocks"]), "[Dynamic KV]", ranks.MEASURED)
        yield site.fact("memory_budget", float(sized["gmu"]), "[Dynamic KV]", ranks.SYNCED)
        yield site.fact("measured.dynamic_kv_units", _units(site.text), "[Dynamic KV]", ranks.MEASURED)


def chiplet_budget(site: Site) -> Iterator[Fact]:
    yield site.fact("measured.chiplet_budget", _units(site.text), "per-chiplet KV budget", ranks.MEASURED)
    yield site.fact("path", "vllm", "per-chiplet KV budget", ranks.STATED)


def pool_resized(site: Site) -> Iterator[Fact]:
    found = _RESIZED.match(site.text)
    if found:
        yield site.fact("measured.kv_blocks", int(found["blocks"]), "dynamic KV cache", ranks.MEASURED)


def reserved(site: Site) -> Iterator[Fact]:
    """Bytes per chiplet, read from a line in GiB."""
    found = _RESERVED.search(site.text)
    if found:
        sizes = [round(float(x) * GIB) for x in found["list"].split(",") if x.strip()]
        yield site.fact("measured.reserved_per_chiplet", sizes, "device memory reserved", ranks.MEASURED)


def warm_up(site: Site) -> Iterator[Fact]:
    compiles = site.text.startswith("Compile and warming up")
    yield site.fact("phase", "compile" if compiles else "load", "warm up", ranks.STATED)


def _vllm_value(site: Site, name: str, text: str, origin: str) -> Iterator[Fact]:
    """A value under vLLM's name. ``block_size`` here is the attention block of the compiled model."""
    value = plain(read_value(text))
    if name in ("block_size", "attention block_size"):
        for canonical_name, size in block_size(value, None):
            yield site.fact(canonical_name, size, origin, ranks.SYNCED)
    else:
        yield site.fact(one_name(name, site.parameters, "vllm"), value, origin, ranks.SYNCED)


def _units(text: str) -> Value:
    """``0:0(total=1 used=2)`` per chiplet as ``{"0:0": {"total": 1, "used": 2}}``."""
    return {
        found["unit"]: {key: int(number) for key, number in re.findall(r"(\w+)=(-?\d+)", found["figures"])}
        for found in _UNIT.finditer(text)
    }


def _python_words(value: Value) -> Value:
    if isinstance(value, dict):
        return {key: _python_words(item) for key, item in value.items()}
    words = {"true": True, "false": False, "null": None}
    return words.get(value, value) if isinstance(value, str) else value


BEGINS: Rows = (
    ("Updating ", updating),
    ("Setting ", setting),
    ("Sub-block size is set to ", sub_block_set),
    ("Compiling ", compiling),
    ("Prepared vLLM config for compilation", prepared),
    ("RBLN config: ", section),
    ("Loading RBLN model from ", artifact),
    ("Found cached compiled model at ", artifact),
    ("Local rank: ", local_rank),
    ("Sub-block prefix caching enabled: ", sub_block),
    ("model quantization scheme = ", scheme),
    ("n_model_bytes = ", memory_figure),
    ("draft_n_model_bytes = ", memory_figure),
    ("available_memory_estimate = ", memory_figure),
    ("KV cache initialized: ", kv_initialized),
    ("mega-cache config_signature=", mega_cache),
    ("[Dynamic KV] ", dynamic_kv),
    ("per-chiplet KV budget: ", chiplet_budget),
    ("dynamic KV cache: ", pool_resized),
    ("Running dummy warm up.", warm_up),
    ("Compile and warming up model.", warm_up),
)
HOLDS: Rows = (("Decode batch buckets: ", buckets), ("device memory reserved per chiplet = ", reserved))
TRIGGERS = (
    "based on rbln_config.json",
    "based on rbln_config in additional_config",
    "based on additional_config",
    "Updating attention block_size from ",
    " via optimum-rbln (",
)
"""Literals of the lines whose first word is too common to look for."""
COMMON = frozenset({"Updating ", "Setting ", "Compiling "})
