"""The loop tells a change that helps from one that does not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from diagnose.model import Change, Finding, Remedy, Text
from oracle import judge as judging
from oracle.capture import Outcome, run
from oracle.judge import CLEAN, NEXT, RULE, SAME, judge
from tests.oracle.kit import Config, case, library, minimum, partitions

FLASH = {"max_seq_len": 40960, "kvcache_partition_len": 16384}


@pytest.mark.parametrize("form", ["sets", "script", "artifact"])
def test_an_error_is_named_and_its_remedies_make_the_library_run(form: str) -> None:
    verdict = judge(case(FLASH), library(partitions), form)
    assert (verdict.entry, verdict.named) == ("attention.not-multiple", True)
    results = {trial.remedy: trial.result for trial in verdict.trials}
    assert results["context-down"] == results["context-up"] == CLEAN


def test_a_claim_that_holds_is_held_and_one_step_less_fails() -> None:
    config = {"max_seq_len": 32768, "kvcache_partition_len": 4096, "batch_size": 2, "kvcache_num_blocks": 3}
    verdict = judge(case(config), library(minimum), "sets")
    raised = next(t for t in verdict.trials if t.remedy == "raise-to-minimum")
    assert (raised.result, raised.tight) == (CLEAN, True)


def test_a_value_that_is_not_the_smallest_is_refuted() -> None:
    def generous(config: Config) -> None:
        """Says 9 and takes 6."""
        if config.get("kvcache_num_blocks", 9) < 6:
            raise ValueError("The set `kvcache_num_blocks` (3) is less than the minimum number of blocks (9).")

    config = {"max_seq_len": 32768, "kvcache_partition_len": 4096, "batch_size": 2, "kvcache_num_blocks": 3}
    verdict = judge(case(config), library(generous), "sets")
    raised = next(t for t in verdict.trials if t.remedy == "raise-to-minimum")
    assert (raised.result, raised.tight, raised.refuted) == (CLEAN, False, 8)


@pytest.mark.parametrize(
    ("second", "result"),
    [
        ("`prefill_chunk_size` must be a positive integer divisible by 64.", RULE),
        ("DRAM OOM: requested 17639009280 bytes, capacity 17179869184 bytes", NEXT),
        ("`max_seq_len` (1) must be a multiple of `kvcache_partition_len` (2) when using 'flash_attn'.", SAME),
    ],
)
def test_what_comes_after_a_change_is_told_apart(second: str, result: str) -> None:
    def stubborn(config: Config) -> None:
        partitions(config)
        raise ValueError(second)

    verdict = judge(case(FLASH), library(stubborn), "sets")
    assert {t.result for t in verdict.trials if t.remedy == "context-down"} == {result}


def test_a_run_without_an_error_must_be_healthy() -> None:
    verdict = judge(case({"max_seq_len": 8192}), library(lambda _config: None), "sets")
    assert (verdict.entry, verdict.named, verdict.trials) == (None, True, ())


def test_an_error_nobody_knows_is_not_called_named() -> None:
    def strange(_config: Config) -> None:
        raise ValueError("the flux capacitor lost its flux")

    verdict = judge(case({"max_seq_len": 8192}), library(strange), "sets")
    assert not verdict.named
    assert "flux" in verdict.log


def test_a_value_that_cannot_be_typed_is_read_from_the_script() -> None:
    def chunk(config: Config) -> None:
        if config.get("prefill_chunk_size", 64) % 64 or config.get("prefill_chunk_size", 64) <= 0:
            raise ValueError("`prefill_chunk_size` must be a positive integer divisible by 64.")

    verdict = judge(case({"max_seq_len": 8192, "prefill_chunk_size": -64}), library(chunk), "sets")
    assert (verdict.entry, verdict.named) == ("attention.prefill-chunk", True)


def test_the_safe_end_of_an_interval_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    bound = Text("Memory model: between 1,226 and 1,232 blocks fit. If this value still fails, take 1,226.", "")
    offered = Remedy("pool", "estimate", Text("", ""), (Change("kvcache_num_blocks", 9, 1232),), bound=bound)
    assert judging.interval(offered) == (1226, 1232)
    seen: list[Any] = []

    def fits(asked: Any) -> Outcome:
        seen.append(asked.config.get("kvcache_num_blocks"))
        return run(lambda _native: None)

    finding = Finding("x", "rbln", "root", "fatal", 1, 0, "t", Text("", ""), Text("", ""))
    trial = judging._trial(case({}), fits, finding, offered)
    assert (trial.low_holds, seen) == (True, [1232, 1226])
    assert judging.interval(replace(offered, bound=None)) is None
