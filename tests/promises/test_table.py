"""What is in the log, and what the person must be told: every row, with its exact numbers, in both languages."""

from __future__ import annotations

from typing import Any

import pytest

from diagnose import diagnose_bytes
from diagnose.model import Diagnosis, Finding, Remedy
from diagnose.report.text import render
from tests.promises.logs import (
    EXPORT_CODE,
    LOAD_CODE,
    RUNTIME_FAILED,
    compile_log,
    serve_log,
    traceback,
)

QWEN = "Qwen/Qwen3-VL-2B-Instruct"
REBEL = {
    "model": QWEN,
    "max_seq_len": 262144,
    "kvcache_partition_len": 8192,
    "batch_size": 8,
    "num_devices": 1,
    "visual.max_seq_len": 16384,
    "visual.num_devices": 1,
}
ATOM = REBEL | {"kvcache_partition_len": 16384, "num_devices": 8, "visual.num_devices": 8}
LACK = "(System) code=511 SYS_EBUSY: Lack of device memory."


def diagnosed(log: str, sets: dict[str, Any] | None = None, npu: str | None = None) -> Diagnosis:
    return diagnose_bytes(log.encode(), sets=sets or {}, npu=npu)


def root(found: Diagnosis) -> Finding:
    assert found.outcome == "diagnosed", [f.entry for f in found.findings]
    return found.findings[0]


def offering(finding: Finding, **wanted: Any) -> Remedy:
    """The remedy that makes all these changes (``__`` stands for a dot)."""
    expected = {name.replace("__", "."): value for name, value in wanted.items()}
    for remedy in finding.remedies:
        got = {c.parameter: c.to for c in remedy.changes}
        if all(name in got and got[name] == value for name, value in expected.items()):
            return remedy
    offered = [(r.id, r.applicability, {c.parameter: c.to for c in r.changes}, r.missing) for r in finding.remedies]
    raise AssertionError(f"nobody offers {expected}: {offered}")


def offered(finding: Finding, parameter: str) -> list[Any]:
    return [c.to for r in finding.remedies for c in r.changes if c.parameter == parameter]


def said(found: Diagnosis, *parts: str) -> None:
    """Both reports hold these texts; numbers with or without thousands separators."""
    for lang in ("en", "ko"):
        text = " ".join(render(found, lang).split())
        plain = text.replace(",", "").replace("_", "")
        for part in parts:
            assert part in text or part.replace(",", "").replace("_", "") in plain, (lang, part, text)


# ---------------------------------------------------------------- runtime creation


@pytest.mark.parametrize("reason", [LACK, "SYS_EBUSY: Lack of device memory. (code: -16)"])
def test_right_after_a_compile_the_runtimes_are_switched_off_at_both_levels(reason: str) -> None:
    log = compile_log("RBLN-CR13", 1) + traceback(RUNTIME_FAILED.format(reason=reason), code=EXPORT_CODE)
    found = diagnosed(log, REBEL)
    remedy = offering(root(found), create_runtimes=False, visual__create_runtimes=False)
    assert root(found).remedies[0] is remedy
    assert "create_runtimes" in remedy.commands["python"]
    assert root(found).line == log.split("Failed to create")[0].count("\n") + 1
    said(found, "create_runtimes")


def test_at_load_the_submodules_are_put_on_disjoint_devices() -> None:
    log = traceback(RUNTIME_FAILED.format(reason=LACK), file="inference.py", code=LOAD_CODE)
    finding = root(diagnosed(log, REBEL, "RBLN-CR13"))
    offering(finding, device=0, visual__device=1)
    offering(finding, max_seq_len=32768)


def test_at_load_on_sixteen_devices_the_pools_are_disjoint() -> None:
    log = traceback(RUNTIME_FAILED.format(reason=LACK), file="inference.py", code=LOAD_CODE)
    finding = root(diagnosed(log, ATOM, "RBLN-CA25"))
    offering(finding, visual__device=list(range(8, 16)))
    assert any(v in (list(range(8)), None) for v in offered(finding, "device"))


def test_the_shorter_context_for_one_device_fills_the_whole_pool() -> None:
    log = traceback(RUNTIME_FAILED.format(reason=LACK), file="inference.py", code=LOAD_CODE)
    found = diagnosed(log, REBEL, "RBLN-CR13")
    remedy = offering(root(found), max_seq_len=32768)
    assert "262144" in remedy.arithmetic.replace(",", "").replace("_", "")
    assert "32" in remedy.arithmetic
    said(found, "32,768")


# ---------------------------------------------------------------- the block pool

NO_BLOCKS = (
    "RuntimeError: No memory blocks are available for allocation.\n"
    "The generate() API cannot complete this inference task because Paged Attention is not fully supported."
)


def test_an_exhausted_pool_is_served_with_vllm_and_sized_by_formula() -> None:
    found = diagnosed(traceback(NO_BLOCKS, file="run.py", code="out = model.generate(**inputs)"), REBEL, "RBLN-CR13")
    finding = root(found)
    serve = next(r for r in finding.remedies if "vllm serve" in r.commands.get("vllm", ""))
    for part in ("--max-model-len 262144", "--block-size 8192", "--max-num-seqs 8"):
        assert part in serve.commands["vllm"]
    pool = next(r for r in finding.remedies if any(c.parameter == "kvcache_num_blocks" for c in r.changes))
    assert [c.to for c in pool.changes] == [150]
    assert "256" in pool.arithmetic
    said(found, "256", "150", "33")


@pytest.mark.parametrize(
    "wording",
    [
        "RuntimeError: DRAM OOM: requested {r} bytes, capacity {c} bytes",
        "RuntimeError: DRAM OOM (requested {r} B, capacity {c} B)",
        "RuntimeError: DRAM OOM으로 실패합니다(요청 {r}바이트, 용량 {c}바이트).",
        "RuntimeError: DRAM OOM으로 실패합니다(요청 {r}바이트, 장치당 용량 {c}바이트).",
        "RuntimeError: Out of device memory: requested={r} capacity={c}",
    ],
)
@pytest.mark.parametrize("form", ["{:d}", "{:,}"])
@pytest.mark.parametrize(
    ("sets", "npu", "asked", "requested", "capacity", "fits", "naive"),
    [
        (REBEL, "RBLN-CR13", 256, 39163045120, 38654705664, 150, 252),
        (ATOM, "RBLN-CA25", 128, 17639009280, 17179869184, 69, 124),
    ],
)
def test_the_largest_pool_that_fits_comes_from_the_memory_model(
    wording: str,
    form: str,
    sets: Any,
    npu: str,
    asked: int,
    requested: int,
    capacity: int,
    fits: int,
    naive: int,
) -> None:
    message = wording.format(r=form.format(requested), c=form.format(capacity))
    found = diagnosed(traceback(message, code=EXPORT_CODE), sets | {"kvcache_num_blocks": asked}, npu)
    finding = root(found)
    assert (finding.numbers["requested_bytes"], finding.numbers["capacity_bytes"]) == (requested, capacity)
    pools = offered(finding, "kvcache_num_blocks")
    assert pools[0] is None, "unset is the first choice"
    assert fits in pools
    assert naive not in pools
    remedy = offering(finding, kvcache_num_blocks=fits)
    assert remedy.applicability == "estimate"
    assert remedy.bound is not None
    said(found, str(fits))


@pytest.mark.parametrize(
    ("sets", "npu", "minimum", "full"), [(REBEL, "RBLN-CR13", 33, 256), (ATOM, "RBLN-CA25", 17, 128)]
)
def test_a_pool_below_the_minimum_names_both_limits(sets: Any, npu: str, minimum: int, full: int) -> None:
    message = (
        f"ValueError: The set `kvcache_num_blocks` (10) is less than the minimum number of blocks ({minimum}). "
        "Please adjust."
    )
    found = diagnosed(traceback(message), sets | {"kvcache_num_blocks": 10}, npu)
    offering(root(found), kvcache_num_blocks=minimum)
    said(found, str(minimum), str(full))


@pytest.mark.parametrize(
    ("sets", "npu", "minimum", "full"), [(REBEL, "RBLN-CR13", 33, 256), (ATOM, "RBLN-CA25", 17, 128)]
)
def test_a_pool_above_the_full_count_names_both_limits(sets: Any, npu: str, minimum: int, full: int) -> None:
    line = (
        "2026-11-29 11:57:53,295 WARNING [optimum.rbln] The set `kvcache_num_blocks` (400) is greater than the "
        f"required number of blocks ({full}).This can cause a failure during model compilation.\n"
    )
    found = diagnosed(line, sets | {"kvcache_num_blocks": 400}, npu)
    note = next(f for f in (*found.findings, *found.notes) if "kvcache_num_blocks" in f.text)
    offering(note, kvcache_num_blocks=full)
    said(found, str(minimum), str(full))


INSUFFICIENT = (
    "ValueError: Insufficient memory for the required KV cache: only {have} blocks can be allocated, but at least "
    "{need} blocks are required. Consider reducing `max_seq_len` or `batch_size` (currently {batch}) to lower the "
    "memory requirement."
)


def test_too_little_memory_for_the_cache_is_answered_with_every_way_out() -> None:
    log = serve_log(
        INSUFFICIENT.format(have=12, need=17, batch=8),
        args="{'model_tag': 'X', 'model': 'X', 'max_model_len': 262144, 'block_size': 16384, 'max_num_seqs': 8}",
    )
    found = diagnosed(log, {}, "RBLN-CA25")
    finding = root(found)
    assert finding.numbers == {"available_blocks": 12, "required_blocks": 17, "batch_size": 8}
    context = offering(finding, max_seq_len=180224)
    assert context.applicability == "exact"
    assert "180224" in context.arithmetic
    assert context.commands["vllm"] == "--max-model-len 180224"
    # 16 blocks for one sequence are the larger term: no batch size helps.
    assert offered(finding, "batch_size") == []
    assert any(c.entry == "engine.init-failed" for c in finding.consequences)
    assert finding.count == 2
    said(found, "180,224")


def test_a_smaller_batch_is_offered_where_the_batch_is_the_larger_term() -> None:
    message = INSUFFICIENT.format(have=12, need=17, batch=16)
    sets = {"max_seq_len": 32768, "kvcache_partition_len": 8192, "batch_size": 16}
    finding = root(diagnosed(traceback(message), sets, "RBLN-CR13"))
    offering(finding, batch_size=11)


def test_one_sequence_may_use_every_block() -> None:
    message = INSUFFICIENT.format(have=5, need=8, batch=1)
    sets = {"max_seq_len": 131072, "kvcache_partition_len": 16384, "batch_size": 1}
    finding = root(diagnosed(traceback(message), sets, "RBLN-CA25"))
    offering(finding, max_seq_len=81920)


def test_more_devices_are_offered_on_atom_and_never_on_rebel() -> None:
    message = INSUFFICIENT.format(have=5, need=9, batch=8)
    sets = {"max_seq_len": 131072, "kvcache_partition_len": 16384, "batch_size": 8, "num_devices": 4}
    atom = root(diagnosed(traceback(message), sets, "RBLN-CA25"))
    assert any(v in (8, 16) for v in offered(atom, "num_devices"))
    rebel = root(diagnosed(traceback(message), sets | {"num_devices": 1}, "RBLN-CR13"))
    assert offered(rebel, "num_devices") == []


@pytest.mark.parametrize(
    "wording",
    [
        "ValueError: Memory is not enough for full sequence length. Please consider decreasing `max_seq_len` to "
        "reduce the number of blocks.",
        "ValueError: Memory is not enought for full sequence length. Please consider decreasing `max_seq_len` to "
        "reduce the number of blocks.",
    ],
)
def test_the_older_wordings_are_the_same_cause(wording: str) -> None:
    assert root(diagnosed(traceback(wording))).entry == "kv-cache.insufficient-memory"


# ---------------------------------------------------------------- images


def test_an_image_that_is_too_large_gets_a_bucket_or_a_limit() -> None:
    message = "ValueError: Required seq_len(48400) is larger than available max_seq_len([3136, 16384])."
    found = diagnosed(traceback(message, code="model.generate(**inputs)"), {"model": QWEN})
    finding = root(found)
    offering(finding, processor__max_pixels=4194304)
    buckets = [v for v in offered(finding, "visual.max_seq_len") if v]
    assert buckets
    assert all(max(b) >= 48400 and {3136, 16384} <= set(b) for b in buckets)
    said(found, "4,194,304", "longest_edge")


def test_an_older_wording_with_one_value_is_read_too() -> None:
    message = "ValueError: Required seq_len(tensor(20000)) is larger than available max_seq_lens([16384])."
    finding = root(diagnosed(traceback(message), {"model": "Qwen/Qwen2.5-VL-7B-Instruct"}))
    offering(finding, processor__max_pixels=16384 * 14 * 14)


# ---------------------------------------------------------------- attention limits


def test_a_length_that_is_no_multiple_gets_the_nearest_both_ways() -> None:
    message = (
        "ValueError: `max_seq_len` (40000) must be a multiple of `kvcache_partition_len` (16384) when using "
        "'flash_attn'. Please adjust either value to meet this requirement."
    )
    found = diagnosed(traceback(message), {"max_seq_len": 40000, "kvcache_partition_len": 16384}, "RBLN-CA25")
    finding = root(found)
    offering(finding, max_seq_len=32768)
    offering(finding, max_seq_len=49152)


def test_a_partition_out_of_range_gets_the_largest_valid_divisor() -> None:
    message = (
        "ValueError: `kvcache_partition_len` (20480) is out of the REBEL supported range for 'flash_attn' "
        "(1024 <= `kvcache_partition_len` <= 16384). Please provide a valid value within this range."
    )
    sets = {"max_seq_len": 40960, "kvcache_partition_len": 20480}
    offering(root(diagnosed(traceback(message), sets, "RBLN-CR13")), kvcache_partition_len=10240)


def test_the_eager_limit_is_answered_with_flash_attention_or_the_limit() -> None:
    message = (
        "ValueError: `max_seq_len` is set to 131072, which exceeds the REBEL limit of 16384 for 'eager' attention. "
        "Please reduce the `max_seq_len` to 16384 or lower, or consider switching `attn_impl` to 'flash_attn' for "
        "larger sequence lengths."
    )
    finding = root(diagnosed(traceback(message), {"max_seq_len": 131072}, "RBLN-CR13"))
    offering(finding, kvcache_partition_len=8192)
    offering(finding, max_seq_len=16384)


# ---------------------------------------------------------------- Gemma 4, decoder, devices

GEMMA = {"model": "google/gemma-4-31B-it", "visual.max_soft_tokens": [70, 140, 280, 560, 1120]}


@pytest.mark.parametrize(
    ("message", "chunks"),
    [
        (
            "ValueError: Every image-prefill chunk size must be a positive integer divisible by 128, but got "
            "image_prefill_chunk_size=[300, 640, 1152].",
            [300, 640, 1152],
        ),
        (
            "ValueError: The largest image-prefill chunk size (640) is smaller than the vision tower's largest "
            "max_soft_tokens (1120). Set image_prefill_chunk_size to at least 1152.",
            [384, 640],
        ),
        (
            "ValueError: Image-prefill chunk sizes [512] are never used at runtime.",
            [128, 256, 384, 512, 640, 1152],
        ),
    ],
)
def test_gemma_chunks_are_derived_from_the_soft_tokens(message: str, chunks: list[int]) -> None:
    finding = root(diagnosed(traceback(message), GEMMA | {"image_prefill_chunk_size": chunks}))
    lists = [v for p in ("language_model.image_prefill_chunk_size",) for v in offered(finding, p)]
    assert lists, [(r.id, r.missing) for r in finding.remedies]
    assert [128, 256, 384, 640, 1152] in lists or None in lists


def test_decoder_sizes_above_the_batch_are_corrected() -> None:
    message = "ValueError: Decoder batch size (8) must be less than or equal to the runtime batch size (4)."
    sets = {"batch_size": 4, "decoder_batch_sizes": [1, 2, 8]}
    lists = offered(root(diagnosed(traceback(message), sets)), "decoder_batch_sizes")
    assert any(sorted(v) == [1, 2, 4] for v in lists if v)


def test_a_device_list_of_the_wrong_length_is_corrected() -> None:
    message = "ValueError: The number of devices (4) does not match `num_devices` (8)."
    sets = {"num_devices": 8, "device": [0, 1, 2, 3]}
    offering(root(diagnosed(traceback(message), sets, "RBLN-CA25")), device=list(range(8)))


# ---------------------------------------------------------------- waste


def test_a_vision_graph_far_larger_than_the_images_is_a_note() -> None:
    sets = REBEL | {"processor.max_pixels": 896 * 896}
    found = diagnosed("INFO 11-29 12:00:00 [x.py:1] hello\n", sets)
    assert found.outcome == "healthy"
    offering(next(n for n in found.notes if n.entry == "waste.vision-bucket"), visual__max_seq_len=3136)


def test_one_huge_context_with_short_requests_is_a_note() -> None:
    found = diagnosed("INFO 11-29 12:00:00 [x.py:1] hello\n", REBEL | {"request_tokens": 30000}, "RBLN-CR13")
    offering(next(n for n in found.notes if n.entry == "waste.context"), max_seq_len=32768)


# ---------------------------------------------------------------- only an echo


def test_a_lone_closing_line_says_what_is_missing() -> None:
    line = (
        "RuntimeError: Engine core initialization failed. See root cause above. "
        "Failed core proc(s): {'EngineCore_DP0': 1}\n"
    )
    found = diagnosed(line)
    assert found.outcome == "unknown"
    assert found.findings[0].role == "consequence"
    said(found, "2>&1")


def test_a_server_that_was_restarted_and_came_up_has_recovered() -> None:
    args = "{'model_tag': 'X', 'model': 'X', 'max_model_len': 262144, 'block_size': 16384, 'max_num_seqs': 8}"
    failed = serve_log(INSUFFICIENT.format(have=12, need=17, batch=8), args=args)
    good = "".join(failed.splitlines(keepends=True)[:4]) + (
        "(APIServer pid=4100) INFO:     Application startup complete.\n"
    )
    found = diagnosed(failed + good.replace("4100", "5100").replace("4242", "5242"))
    assert found.outcome == "healthy"
    assert not found.findings
    assert [n.entry for n in found.notes if n.recovered] == ["kv-cache.insufficient-memory"]
    again = diagnosed(failed + good.replace("4100", "5100") + failed.replace("4100", "6100").replace("4242", "6242"))
    assert again.outcome == "diagnosed"


# ---------------------------------------------------------------- what was not seen, what is fixed


def test_a_server_that_cannot_create_its_runtimes_is_not_told_to_compile_without_them() -> None:
    error = RUNTIME_FAILED.format(reason=LACK)
    args = (
        f"{{'model_tag': '{QWEN}', 'model': '{QWEN}', 'max_model_len': 262144, 'block_size': 8192, 'max_num_seqs': 8, "
        "'model_impl': 'transformers'}"
    )
    found = diagnosed(serve_log(error, args=args), REBEL, "RBLN-CR13")
    assert root(found).entry == "runtime.create-failed"
    assert offered(root(found), "create_runtimes") == []
    assert offered(root(found), "visual.device") == [1]


def test_an_exhausted_automatic_pool_is_told_its_limits_and_not_enlarged() -> None:
    log = f"rbln_config = {REBEL}\n" + compile_log("RBLN-CR13", 1)
    log += traceback(NO_BLOCKS, file="run.py", code="out = model.generate(**inputs)")
    found = diagnosed(log, {"model": QWEN})
    assert offered(root(found), "kvcache_num_blocks") == []
    said(found, "33", "256", "150")


def test_the_minimum_of_an_older_release_is_taken_as_it_is_said() -> None:
    message = "ValueError: The set `kvcache_num_blocks` (8) is less than the minimum number of blocks (9)."
    sets = {"max_seq_len": 131072, "kvcache_partition_len": 16384, "batch_size": 16, "num_devices": 4}
    assert 9 in offered(root(diagnosed(traceback(message), sets, "RBLN-CA25")), "kvcache_num_blocks")
    assert 17 not in offered(root(diagnosed(traceback(message), sets, "RBLN-CA25")), "kvcache_num_blocks")


def test_neither_a_shorter_context_nor_a_smaller_batch_alone_but_both_together() -> None:
    message = (
        "ValueError: Insufficient memory for the required KV cache: only 3 blocks can be allocated, but at least 9 "
        "blocks are required. Consider reducing `max_seq_len` or `batch_size` (currently 8) to lower the memory "
        "requirement."
    )
    sets = {"max_seq_len": 40960, "kvcache_partition_len": 8192, "batch_size": 8, "num_devices": 4}
    offering(root(diagnosed(traceback(message), sets, "RBLN-CA25")), max_seq_len=16384, batch_size=2)


def test_an_abort_of_the_compiler_on_rebel_is_the_limit_of_eager_attention() -> None:
    log = "rbln_config = {'max_seq_len': 32768, 'batch_size': 1}\n" + compile_log("RBLN-CR13", 1)
    log = log.replace("0.12.0", "0.11.1") + "Process compile died with <Signals.SIGABRT: 6>\n"
    finding = root(diagnosed(log))
    offering(finding, max_seq_len=16384)
    offering(finding, kvcache_partition_len=16384)
