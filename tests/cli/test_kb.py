"""``rbln-diagnose kb`` over a small knowledge base."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from diagnose.cli.app import main
from diagnose.knowledge.schema import Case, Entry, Knowledge, RemedySpec, Signature
from diagnose.model import Text

Capture = pytest.CaptureFixture[str]

ENTRY = Entry(
    id="kv-cache.below-minimum",
    component="optimum-rbln",
    domain="rbln",
    role="root",
    severity="fatal",
    title=Text("The pool is too small", "pool이 너무 작습니다"),
    cause=(Case("known('batch_size')", Text("First.", "첫째.")), Case(None, Text("Second.", "둘째."))),
    signatures=(Signature("kv-cache.below-minimum", 0, "set {n:int} is less", "…", {"n": "int"}, (" is less",)),),
    remedies=(RemedySpec("raise", Text("Raise it", "올립니다"), set={"kvcache_num_blocks": "n + 1"}),),
    explains=("engine.*",),
)


KNOWLEDGE = Knowledge(
    hash="0",
    entries={ENTRY.id: ENTRY},
    signatures=ENTRY.signatures,
    literals=((" is less", 0),),
    parameters={},
    constraints=(),
    hardware={},
    models={},
)


@pytest.fixture(autouse=True)
def knowledge(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("diagnose.knowledge.load", lambda: KNOWLEDGE)


@pytest.mark.parametrize(("lang", "title"), [("ko", "pool이 너무 작습니다"), ("en", "The pool is too small")])
def test_list_names_every_entry(lang: str, title: str, capsys: Capture) -> None:
    assert main(["kb", "list", "--lang", lang], {}) == 0
    assert capsys.readouterr().out.split(None, 2) == ["kv-cache.below-minimum", "root", f"{title}\n"]


def test_show_holds_message_cause_and_change(capsys: Capture) -> None:
    assert main(["kb", "show", ENTRY.id, "--lang", "ko"], {}) == 0
    out = capsys.readouterr().out
    for part in ("set {n:int} is less", "첫째.", "둘째.", "kvcache_num_blocks = n + 1", "engine.*"):
        assert part in out


def test_an_unknown_id_names_the_nearest(capsys: Capture) -> None:
    assert main(["kb", "show", "kv-cache.below"], {}) == 2
    assert "similar: kv-cache.below-minimum" in capsys.readouterr().err


def test_an_id_like_no_other_is_refused_without_a_guess(capsys: Capture) -> None:
    assert main(["kb", "show", "zzqqxx"], {}) == 2
    assert capsys.readouterr().err.strip().endswith("no entry 'zzqqxx'")


def test_stats_count_entries(capsys: Capture) -> None:
    assert main(["kb", "stats"], {}) == 0
    assert "     1  entries\n" in capsys.readouterr().out


@pytest.mark.parametrize(("command", "module"), [("lint", "lint"), ("test", "examples")])
@pytest.mark.parametrize(("found", "code"), [([], 0), (["kv-cache.x: no example"], 1)])
def test_a_problem_is_printed_and_is_the_exit_code(
    command: str,
    module: str,
    found: list[str],
    code: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Capture,
) -> None:
    package = ModuleType("diagnose.authoring")
    checker = ModuleType(f"diagnose.authoring.{module}")
    checker.run = lambda knowledge, ids: found  # type: ignore[attr-defined]
    setattr(package, module, checker)
    monkeypatch.setitem(sys.modules, "diagnose.authoring", package)
    monkeypatch.setitem(sys.modules, checker.__name__, checker)
    assert main(["kb", command], {}) == code
    assert capsys.readouterr().out == "".join(f"{p}\n" for p in found) + f"{len(found)} problems in 1 entries\n"
