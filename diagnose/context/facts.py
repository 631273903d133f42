"""What one record says about the run: the configuration in it, versions, NPU, phases. Nothing is decided
here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from diagnose.context import log_command, log_host, log_optimum, log_plugin, log_vllm, ranks
from diagnose.context.frames import from_frames
from diagnose.context.printed_lines import piece
from diagnose.context.site import TOLD, Reader, Site
from diagnose.context.versions import by_file_number, by_plugin_dates
from diagnose.knowledge.schema import Parameter
from diagnose.late import late
from diagnose.model import Fact, Record, RecordKind

_ROOMS = (log_vllm, log_plugin, log_optimum)
_BEGINS: tuple[tuple[str, Reader], ...] = tuple(row for room in (*_ROOMS, log_host) for row in room.BEGINS)
_HOLDS: tuple[tuple[str, Reader], ...] = tuple(row for room in (*_ROOMS, log_host) for row in room.HOLDS)
_RAW_HOLDS = (*_HOLDS, *log_command.HOLDS)
"""A logger's message is no command, so only raw lines are asked for one."""
_ANY_BEGIN = tuple(literal for literal, _ in _BEGINS)

_FILES = {
    "optimum_worker.py": "optimum",
    "optimum_model_runner.py": "optimum",
    "rbln_worker.py": "vllm",
    "rbln_model_runner.py": "vllm",
}
"""File that only one of the two model paths has → path."""
_LOGGED_BY_VLLM = ("vllm", "vllm-rbln")
"""Up to 0.11 the plugin's handler writes upstream's records too, so the form of the date tells in both."""

_NAMES_A_SECRET = late(
    r"(?i)(?:key|token|passw(?:or)?d|pass|secret)['\"]?(?:[ =]|: )['\"\[]{0,2}(?!None|null)[^\s'\"-]{6}"
)

TRIGGERS: tuple[str, ...] = tuple(
    dict.fromkeys(
        [
            *(literal for room in _ROOMS for literal, _ in room.BEGINS if literal not in log_plugin.COMMON),
            *(literal for room in _ROOMS for literal, _ in room.HOLDS),
            *log_plugin.TRIGGERS,
            *log_host.TRIGGERS,
            *log_command.TRIGGERS,
            *_FILES,
            '"num_devices":',
            '"batch_size":',
            '"kvcache_partition_len":',
            '"kvcache_block_size":',
            '"attn_impl":',
            '"prefill_chunk_size":',
            '"memory_budget":',
            '"decoder_batch_sizes":',
            '"max_soft_tokens":',
            '"visual":',
            '"vision_tower":',
            '"vision_model":',
            '"language_model":',
            '"text_model":',
            '"create_runtimes":',
            '"device":',
        ]
    )
)
"""Literals of the lines that hold facts. Those in quotes are the lines of the JSON behind ``Compiling …``."""


def facts(record: Record, parameters: Mapping[str, Parameter]) -> tuple[Fact, ...]:
    """Every fact of one record, in the order of the text. Empty for most records; never raises on odd
    input.
    """
    site = Site(record, record.text, parameters)
    if record.kind is RecordKind.EXCEPTION:
        return tuple(from_frames(site))
    found = [fact for reader in _readers(record) for fact in reader(site)]
    found.extend(_of_the_prefix(site, bool(found)))
    found.extend(piece(record))
    if found and _NAMES_A_SECRET.search(site.text):
        found.append(site.fact(TOLD, site.text, "", ranks.INFERRED))
    return tuple(found)


def _readers(record: Record) -> Iterable[Reader]:
    """Readers whose literal the text begins with or holds; each once."""
    text, begin = record.text, record.text.lstrip()
    holds = _RAW_HOLDS if record.kind is RecordKind.RAW else _HOLDS
    chosen = [reader for literal, reader in holds if literal in text]
    if begin.startswith(_ANY_BEGIN):
        chosen = [reader for literal, reader in _BEGINS if begin.startswith(literal)] + chosen
    return dict.fromkeys(chosen) if chosen else ()


def _of_the_prefix(site: Site, telling: bool) -> Iterator[Fact]:
    """What file, line number and date form of the record give away about versions and path."""
    record = site.record
    place = (record.source or "").rpartition("/")[2]
    path = _FILES.get(place.partition(":")[0])
    if path or record.writer == "optimum":
        yield site.fact("path", path or "optimum", "file of the record", ranks.STATED)
    vllm = by_file_number(place, site.text)
    if vllm:
        yield site.fact("version:vllm", vllm, "line number (inferred)", ranks.INFERRED)
    span = by_plugin_dates(record.time) if telling and record.writer in _LOGGED_BY_VLLM else None
    if span:
        value = [span.first, span.last]
        yield site.fact("span:vllm_rbln", value, "date form of the plugin (inferred)", ranks.INFERRED)
