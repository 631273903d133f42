"""Real logs with labels, where they lie beside the checkout (or where RBLN_DIAGNOSE_CORPUS points).

They are third-party text and never part of the project. Without them the gate says so and is skipped.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import pytest

from diagnose.analyzer import Analyzer, engine_for
from diagnose.knowledge import load
from diagnose.model import Diagnosis

CORPUS = Path(os.environ.get("RBLN_DIAGNOSE_CORPUS") or Path(__file__).parents[3] / "shared" / "corpus")
INDEX = CORPUS / "index.jsonl"
LABELS: list[dict[str, Any]] = (
    [json.loads(line) for line in INDEX.read_text(encoding="utf-8").splitlines()] if INDEX.is_file() else []
)
QUIET = ("none", "rbln-negative", "out-of-domain")

pytestmark = pytest.mark.skipif(not LABELS, reason=f"no corpus at {CORPUS}")


@lru_cache(maxsize=1)
def tools() -> Any:
    knowledge = load()
    return knowledge, engine_for(knowledge)


@cache
def diagnosed(file: str) -> Diagnosis:
    knowledge, engine = tools()
    analyzer = Analyzer(name=file, knowledge=knowledge, engine=engine)
    analyzer.feed((CORPUS / file).read_bytes())
    return analyzer.finish()


def first_line(found: Diagnosis) -> int | None:
    """The line a person is sent to."""
    shown = [*found.findings, *(n for n in found.notes if n.recovered)]
    if shown:
        return shown[0].line
    return found.unknown[0].line if found.unknown else None


@pytest.mark.parametrize("label", [x for x in LABELS if x["domain"] in QUIET], ids=lambda x: x["file"])
def test_no_rbln_finding_where_nothing_of_rbln_failed(label: dict[str, Any]) -> None:
    found = diagnosed(label["file"])
    assert [f.entry for f in (*found.findings, *found.notes) if f.domain == "rbln"] == []


@pytest.mark.parametrize(
    "label", [x for x in LABELS if x["domain"] == "none" and x["label"] == "sure"], ids=lambda x: x["file"]
)
def test_a_healthy_log_gives_no_finding(label: dict[str, Any]) -> None:
    assert [f.entry for f in diagnosed(label["file"]).findings] == []


@pytest.mark.parametrize(
    "label",
    [x for x in LABELS if x["domain"] == "vllm-generic" and x["label"] == "sure"],
    ids=lambda x: x["file"],
)
def test_the_root_line_is_the_labelled_one(label: dict[str, Any]) -> None:
    found = diagnosed(label["file"])
    # What a later start of the same server got over is shown as a note.
    shown = [*found.findings, *(n for n in found.notes if n.recovered)]
    assert shown, [u.text for u in found.unknown]
    assert shown[0].role == "root"
    assert shown[0].line in label["root_lines"]


def test_the_score_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    right: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for label in LABELS:
        if label["label"] != "sure" or not label["root_lines"]:
            continue
        total[label["domain"]] += 1
        right[label["domain"]] += first_line(diagnosed(label["file"])) in label["root_lines"]
    with capsys.disabled():
        print("\ncorpus, first line shown is a labelled root line:", end="")
        print("".join(f" {d} {right[d]}/{total[d]}" for d in sorted(total)))
    assert sum(total.values()) > 0
