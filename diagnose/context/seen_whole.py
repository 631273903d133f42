"""Whether the run's whole configuration was seen, so that a key it does not hold is at its default."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from diagnose.context.claims import loads_artifact
from diagnose.model import Fact, GivenConfig, RunContext, Setting

_LM = frozenset(
    {
        "max_seq_len",
        "batch_size",
        "num_devices",
        "attn_impl",
        "kvcache_partition_len",
        "kvcache_num_blocks",
        "memory_budget",
        "prefill_chunk_size",
        "decoder_batch_sizes",
    }
)
PARTLY = "seen:partly"
"""Key of a given file that holds a value only a run would know."""
_SERVED = frozenset({"vllm-serve", "python-llm"})


def seen_whole(
    facts: Sequence[Fact], given: Sequence[GivenConfig], about: RunContext, config: Mapping[str, Setting]
) -> bool:
    """True for a configuration that was printed to its last brace (``Compiling … with rbln_config``, a script's own
    print) or handed over with ``--config`` as the script or command that compiles.

    A configuration given to load an artifact says nothing about what the artifact was compiled with: there only the
    artifact's own file does, as far as it still holds the number of devices.
    """
    if any(c.kind == "rbln_config.json" and _artifact_is_whole(c) for c in given):
        return True
    if loads_artifact(facts) or "artifact" in config or any(c.kind == "rbln_config.json" for c in given):
        return False
    names = {f.origin for f in facts if f.name == "whole"}
    if any(f.origin in names and f.name.rpartition(".")[2] in _LM and not _vision(f.name) for f in facts):
        return True
    return any(_compiles(c) for c in given)


def _artifact_is_whole(config: GivenConfig) -> bool:
    fields = {name.rpartition(".")[2] for name in config.values if not _vision(name)}
    return {"num_devices", "batch_size"} <= fields


def _compiles(config: GivenConfig) -> bool:
    fields = {name.rpartition(".")[2] for name in config.values if not _vision(name)}
    if not fields & _LM or "load" in config.phases or PARTLY in config.values:
        return False
    if config.form in _SERVED:  # vLLM has a batch of its own where none is asked for; a path may be an artifact
        return (
            "batch_size" in fields and (config.model or "/").count("/") == 1 and (config.model or "/")[0] not in "./~"
        )
    return config.form in ("optimum-python", "optimum-cli")


def _vision(name: str) -> bool:
    return name.rpartition(".")[0].rpartition(".")[2] in ("visual", "vision_tower", "vision_model")
