"""Lines of optimum-rbln and rebel-compiler that say what the run was.

rebel-compiler's wordings are from public logs of SDK 0.10.1 – 0.11.0, optimum-rbln's from its source
(0.12.0).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from diagnose.context import ranks
from diagnose.context.site import Rows, Site
from diagnose.late import late
from diagnose.model import Fact, RecordKind

_SDK = late(r"RBLN SDK compiler version: (?P<version>\d\S*)")
_NPU = late(r"-- Target NPU: (?P<npu>RBLN-[A-Z]{2}\d{2})")
_WIDTH = late(r"-- (?:Tensor parallel size|Number of devices): (?P<value>\d+)")
_GRAPH = late(r"\|?\s*Compile\(#\d+\)")
_MISMATCH = late(r"Version mismatch detected: optimum-rbln v(?P<own>\S+) and (?P<name>[\w-]+) v(?P<other>\S+)")
_COMPATIBLE = late(
    r"optimum-rbln v(?P<own>\S+) is compatible to (?P<name>[\w-]+) v\S+ to v\S+\. "
    r"\(you are currently using v(?P<other>[^)\s]+)\)"
)
_PROBE = late(
    r"\[KVCache\] Not enough memory for (?P<blocks>\d+) blocks\. "
    r"Tightest chiplet headroom: (?P<bytes>-?\d+) B\b"
)
_RENAMED = late(r"`tensor_parallel_size` is deprecated and (?:will be )?removed")
_EXPORT = late(r"(?:^|[(,])\s*export=(?P<value>True|False)\s*(?:[,)]|$)", re.MULTILINE)
_ALLOC = late(r"Memory usage of compiled_model\[(?P<graph>[^\]]+)\]")


def compiler_version(site: Site) -> Iterator[Fact]:
    found = _SDK.match(site.text)
    if found:
        yield site.fact("version:rebel_compiler", found["version"], "RBLN SDK compiler version", ranks.STATED)
        yield site.fact("phase", "compile", "rebel-compiler", ranks.STATED)


def target(site: Site) -> Iterator[Fact]:
    found = _NPU.match(site.text)
    if found:
        yield site.fact("npu", found["npu"], "rebel-compiler Target NPU", ranks.STATED)


def width(site: Site) -> Iterator[Fact]:
    """Devices of the graph compiled now. A vision graph has its own number, so this only fills a gap."""
    found = _WIDTH.match(site.text)
    if found:
        yield site.fact("num_devices", int(found["value"]), "rebel-compiler (inferred)", ranks.INFERRED)


def graph(site: Site) -> Iterator[Fact]:
    if _GRAPH.match(site.text):
        yield site.fact("phase", "compile", "Compile(#…)", ranks.STATED)


def loaded(site: Site) -> Iterator[Fact]:
    yield site.fact("phase", "load", "Load model completed", ranks.STATED)


def mismatch(site: Site) -> Iterator[Fact]:
    """Versions of two packages that optimum-rbln found not to belong together."""
    found = _MISMATCH.search(site.text) or _COMPATIBLE.search(site.text)
    if found:
        name = found["name"].replace("-", "_")
        yield site.fact("version:optimum_rbln", found["own"], "optimum-rbln version warning", ranks.STATED)
        yield site.fact(f"version:{name}", found["other"], "optimum-rbln version warning", ranks.STATED)


def renamed(site: Site) -> Iterator[Fact]:
    """optimum-rbln 0.11 – 0.12 take the old name of ``num_devices`` and say so: a later release than the name tells."""
    if _RENAMED.search(site.text):
        yield site.fact("renamed", True, "deprecation warning", ranks.STATED)


def probe(site: Site) -> Iterator[Fact]:
    """One trial of the block search: ``[blocks tried, bytes left (negative: missing) on the tightest
    chiplet]``.
    """
    found = _PROBE.search(site.text)
    if found:
        pair = [int(found["blocks"]), int(found["bytes"])]
        yield site.fact("measured.kv_probe", pair, "[KVCache]", ranks.MEASURED)
        yield site.fact("phase", "compile", "[KVCache]", ranks.STATED)


def allocation(site: Site) -> Iterator[Fact]:
    if _ALLOC.search(site.text):
        yield site.fact("phase", "compile", "Memory usage of compiled_model", ranks.STATED)


def script(site: Site) -> Iterator[Fact]:
    """A script the log shows before it runs: ``export=False`` loads what was compiled, ``export=True`` compiles."""
    found = _EXPORT.search(site.text) if site.record.kind is RecordKind.RAW else None
    if found:
        phase = "compile" if found["value"] == "True" else "load"
        yield site.fact("phase", phase, "export=… (inferred)", ranks.INFERRED, found.start("value"))


BEGINS: Rows = (
    ("RBLN SDK compiler version: ", compiler_version),
    ("-- Target NPU: ", target),
    ("-- Tensor parallel size: ", width),
    ("-- Number of devices: ", width),
    ("Load model completed.", loaded),
)
HOLDS: Rows = (
    ("`tensor_parallel_size` is deprecated and ", renamed),
    ("Compile(#", graph),
    ("Version mismatch detected: optimum-rbln ", mismatch),
    ("(you are currently using v", mismatch),
    ("[KVCache] Not enough memory for ", probe),
    ("Memory usage of compiled_model[", allocation),
    ("export=", script),
)
