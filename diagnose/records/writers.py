"""Which program a logger's record came from."""

from __future__ import annotations

_PLUGIN_STARTS = ("rbln_", "optimum_", "flash_", "sliding_window_attention", "exponential_bucket")
_PLUGIN_FILES = frozenset(
    {
        "base_scheduler.py",
        "block_size.py",
        "bucketing_manager.py",
        "dispatch.py",
        "dynamic_kv.py",
        "dynamic_kv_sizer.py",
        "from_optimum.py",
        "from_vllm.py",
        "input_stager.py",
        "kv_cache_bindings.py",
        "kv_placement.py",
        "linear_bucketing_manager.py",
        "manual_bucketing_manager.py",
        "mega_cache.py",
        "model_base.py",
        "nan_logprobs.py",
        "pull_worker.py",
        "push_worker.py",
    }
)
"""File names the plugin has and upstream vLLM has not. Source: the vllm-rbln 0.12.0 wheel."""

_BY_LOGGER = (
    ("optimum", "optimum"),
    ("rebel-compiler", "rebel-compiler"),
    ("rebel", "rebel"),
    ("vllm_rbln", "vllm-rbln"),
    ("vllm", "vllm"),
    ("uvicorn", "uvicorn"),
    ("transformers", "transformers"),
    ("torch_rbln", "torch-rbln"),
)


def writer_of_file(file: str, tagged: bool, exact: bool) -> str:
    """``vllm-rbln`` or ``vllm`` for a record in vLLM's format.

    The plugin's tag tells only where it has a handler of its own (``exact``: 0.12). Up to 0.11 it takes over
    the logger named ``vllm``, so the tag stands on upstream's records too and the file name decides.
    """
    name = file.rsplit("/", 1)[-1]
    if (tagged and exact) or name in _PLUGIN_FILES or name.startswith(_PLUGIN_STARTS):
        return "vllm-rbln"
    return "vllm"


def writer_of_logger(name: str | None) -> str | None:
    """The program behind a logger's name; the name itself when the program is not a known one."""
    if not name:
        return None
    for start, writer in _BY_LOGGER:
        if name == start or name.startswith((start + ".", start + "-")):
            return writer
    return name
