"""Which entry is right for which error of optimum-rbln 0.12.0, vllm-rbln 0.12.0 and vLLM 0.30: a piece of their own
text → entry."""

from __future__ import annotations

from collections.abc import Mapping

ERRORS: Mapping[str, str] = {
    "must be a multiple of `kvcache_partition_len`": "attention.not-multiple",
    "supported range for 'flash_attn'": "attention.partition-range",
    "for 'eager' attention": "attention.eager-limit",
    "When using 'flash attention'": "attention.block-not-partition",
    "When using 'eager attention'": "attention.block-not-context",
    "`prefill_chunk_size` must be a positive": "attention.prefill-chunk",
    "Sliding window size": "attention.sliding-window",
    "Insufficient memory for the required KV cache": "kv-cache.insufficient-memory",
    "is less than the minimum number of blocks": "kv-cache.below-minimum",
    "are mutually exclusive": "kv-cache.budget-and-blocks",
    "exceeds the target NPU's available DRAM": "kv-cache.budget-too-large",
    "memory_budget fraction must be in": "kv-cache.budget-fraction",
    "Invalid byte size": "kv-cache.budget-format",
    "DRAM OOM": "memory.dram-oom",
    "Lack of device memory": "runtime.create-failed",
    "Decoder batch size (": "decoder.above-batch",
    "KeyError: ": "decoder.batch-missing",
    "No decoder runtime available": "decoder.no-runtime",
    "must be equal to the batch size of the model": "batch.mismatch",
    "Batch size mismatch": "batch.mismatch",
    "exceeds compiled batch_size": "batch.input-too-large",
    "exceeds compiled max_seq_len": "sequence.input-too-long",
    "exceeds the maximum allowed sequence length": "sequence.input-too-long",
    "Cache position exceeds": "sequence.generation-too-long",
    "No memory blocks are available": "kv-cache.no-free-blocks",
    "does not match `num_devices`": "device.count-mismatch",
    "is not a valid NPU device": "device.not-valid",
    "greater than the number of available devices": "device.too-many",
    "is not on the same NPU": "device.other-npu",
    "Unexpected arguments": "artifact.unknown-key",
    "Cannot set the following arguments": "artifact.cannot-set",
    "must be a positive integer divisible by 128": "gemma4.chunk-not-multiple",
    "The largest image-prefill chunk size": "gemma4.chunk-too-small",
    "are never used at runtime": "gemma4.chunk-unused",
    "encoder only supports batch_size=1": "vision.batch-one",
    "Parameter conflict for": "batch.submodule-conflict",
    "must be >= actual max rank": "lora.rank",
    "less or equal than max_position_embeddings": "sequence.above-model-maximum",
    "exceeds the largest `max_seq_len` bucket": "sequence.bucket-too-small",
    "Invalid device: ": "device.bad-type",
    "Required seq_len(": "vision.image-too-large",
    "must be a multiple of window_seq_len": "vision.window-multiple",
    "min_batch_size must be greater than 0": "config.bucket-minimum",
    "The last manual bucket": "config.decode-buckets",
    "must be >= min_batch_size": "config.decode-buckets",
    "step must be greater than": "config.decode-buckets",
    "limit must be greater than 0": "config.decode-buckets",
    "gdn_chunk_size must": "attention.gdn-chunk",
    "GiB KV cache is needed": "kv-cache.one-request-does-not-fit",
    "No available memory for the cache blocks": "kv-cache.no-memory-for-blocks",
    "Insufficient DRAM during block calculation": "memory.estimate-no-room",
}
"""Raised; the first piece that the error holds decides."""

WARNINGS: Mapping[str, str] = {
    "greater than the required number of blocks": "kv-cache.above-full",
    "Maximum decoder batch size": "decoder.largest-below-batch",
}
"""Logged by a run that ends well."""

RULES: tuple[str, ...] = (
    "attention.",
    "decoder.above-batch",
    "decoder.batch-missing",
    "gemma4.",
    "kv-cache.below-minimum",
    "kv-cache.budget-",
    "device.count-mismatch",
    "vision.window-multiple",
    "vision.batch-one",
    "batch.submodule-conflict",
    "lora.rank",
    "sequence.above-model-maximum",
    "device.bad-type",
    "config.bucket-minimum",
    "config.decode-buckets",
)
"""Entries (or prefixes) whose error follows from the configuration and the NPU alone: no offered change may lead
there."""


def breaks_a_rule(entry: str | None) -> bool:
    return entry is not None and entry.startswith(RULES)


def entry_for(error: str | None, log: str) -> str | None:
    """The entry that should be found; None when the run was fine, ``""`` when the error is not in the tables."""
    if error is not None:
        return next((entry for piece, entry in ERRORS.items() if piece in error), "")
    return next((entry for piece, entry in WARNINGS.items() if piece in log), None)
