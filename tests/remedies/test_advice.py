"""A look at a log that goes on does not work out again what did not change, and says what has."""

from __future__ import annotations

from typing import Any

import pytest

from diagnose.analyzer import Analyzer
from diagnose.model import Diagnosis, Finding
from diagnose.remedies.prescribe import prescribe_in
from tests.watch.kit import CALM, blocks, ready, start, tools

ASKED = "(APIServer pid=4100) INFO 11-29 11:57:06 [utils.py:1] non-default args: {args}\n"


def analyzer() -> Analyzer:
    """A log that goes on is read as it is: only the end of a paste is put right."""
    knowledge, engine = tools()
    return Analyzer(all_runs=True, knowledge=knowledge, engine=engine, repair=False)


def whole(log: str) -> Diagnosis:
    made = analyzer()
    made.feed(log.encode())
    return made.finish()


def roots(found: Diagnosis) -> list[Finding]:
    return [*found.findings, *(n for n in found.notes if n.recovered)]


@pytest.fixture
def worked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Entries whose remedies were worked out."""
    seen: list[str] = []
    real = prescribe_in

    def counted(env: Any, entry: Any, context: Any) -> Any:
        seen.append(entry.id)
        return real(env, entry, context)

    monkeypatch.setattr("diagnose.remedies.advice.prescribe_in", counted)
    return seen


def test_what_did_not_change_is_worked_out_once(worked: list[str]) -> None:
    made = analyzer()
    made.feed((start() + blocks() + CALM).encode())
    first = made.snapshot()
    before = len(worked)
    for _ in range(5):
        made.feed(CALM.encode())
        again = made.snapshot()
    assert before >= 1
    assert len(worked) == before
    assert again.findings == first.findings
    assert again.findings[0].remedies is first.findings[0].remedies


def test_another_number_is_computed_anew() -> None:
    made = analyzer()
    log = ""
    for blocks_set in (10, 11, 10):
        more = start(blocks_set) + blocks(blocks_set) + CALM
        made.feed(more.encode())
        log += more
        now = made.snapshot()
        assert now.findings[0].numbers["blocks_set"] == blocks_set
        assert now.findings[0].remedies[0].changes[0].from_ == blocks_set
        assert now.findings == whole(log).findings


def test_another_configuration_is_computed_anew() -> None:
    """What the run was becomes known after the failure was told: the changes follow."""
    made = analyzer()
    made.feed((start() + blocks() + CALM).encode())
    before = made.snapshot()
    late = ASKED.format(args="{'model': 'meta-llama/Llama-3.1-8B', 'max_model_len': 131072, 'max_num_seqs': 4}")
    made.feed((late + CALM).encode())
    after = made.snapshot()
    assert after.run.config != before.run.config
    assert after.findings == whole(start() + blocks() + CALM + late + CALM).findings
    assert after.findings[0].remedies != before.findings[0].remedies


def test_looks_say_what_the_whole_says() -> None:
    """Piece by piece and with everything remembered, or at once and without: the same."""
    pieces = [start(1), blocks(3), CALM, start(2), ready(2), CALM, start(3), blocks(3), CALM, blocks(4), CALM]
    made = analyzer()
    log = ""
    for piece in pieces:
        made.feed(piece.encode())
        log += piece
        now, then = made.snapshot(), whole(log)
        assert roots(now) == roots(then)
        assert now.run == then.run
