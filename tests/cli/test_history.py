"""``rbln-diagnose history``: every command, both languages, text and JSON."""

from __future__ import annotations

import io
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from diagnose.cli.app import main
from diagnose.cli.history import MAX_MESSAGE
from diagnose.incidents.store import Store
from diagnose.report.excerpt import cells
from tests.incidents.kit import SOURCE, Clock, batch, finding, run_context, sighting, write

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    path = tmp_path / "incidents.sqlite3"
    monkeypatch.setenv("RBLN_DIAGNOSE_DB", str(path))
    return Store.open(path, clock=Clock())


@pytest.fixture
def id_(store: Store) -> str:
    (incident,) = write(store, batch(sighting(excerpt="first line\nsecond line")))
    return incident.id


def ran(capsys: Capture, *argv: str, code: int = 0, lang: str = "en") -> str:
    assert main(["history", *argv, "--lang", lang], {}) == code
    out, err = capsys.readouterr()
    assert (err if code == 0 else out) == ""
    return out if code == 0 else err


def ran_json(capsys: Capture, *argv: str) -> Any:
    return json.loads(ran(capsys, *argv, "--format", "json"))


@pytest.mark.parametrize("argv", [[], ["list"], ["--limit", "5"], ["--entry", "kv-cache.*"]])
def test_the_list_is_what_is_meant_without_a_command(id_: str, argv: list[str], capsys: Capture) -> None:
    line = ran(capsys, *argv)
    assert line.startswith(f"{id_}  2023-11-14 22:13 UTC  1x  open  kv-cache.insufficient-memory  Qwen3-8B@REBEL  ")
    assert line.count("\n") == 1


def test_columns_stand_below_each_other_in_korean(store: Store, id_: str, capsys: Capture) -> None:
    write(store, batch(sighting(found=finding(entry="a.b")), sighting("recovered", found=finding(entry="a.b"))))
    lines = ran(capsys, lang="ko").splitlines()
    starts = {cells(line[: re.search(r"(a\.b|kv-cache)", line).start()]) for line in lines}  # type: ignore[union-attr]
    assert len(lines) == 2
    assert len(starts) == 1


def test_an_empty_store_is_no_error(capsys: Capture) -> None:
    assert "No incident is stored yet." in ran(capsys)
    assert ran_json(capsys) == []
    assert ran(capsys, "export") == ""


def test_the_list_as_json_holds_what_the_export_holds(id_: str, capsys: Capture) -> None:
    (one,) = ran_json(capsys)
    assert one == json.loads(ran(capsys, "export"))
    assert (one["id"], one["count"], one["numbers"], one["title"]["ko"][:4]) == (
        id_,
        1,
        {"available_blocks": 12},
        "디바이스",
    )


@pytest.mark.parametrize(
    ("lang", "parts"), [("en", ["open", "What happened"]), ("ko", ["디바이스", "블록이 12개만", "경과"])]
)
def test_show_holds_everything(id_: str, lang: str, parts: list[str], capsys: Capture) -> None:
    page = ran(capsys, "show", id_[:5], lang=lang)
    for part in (*parts, id_, SOURCE, "second line", "max_seq_len: 262144 → 180224", "batch_size = 8", "0.12.0"):
        assert part in page


def test_show_as_json_holds_what_happened(id_: str, capsys: Capture) -> None:
    made = ran_json(capsys, "show", id_)
    assert [one["kind"] for one in made["sightings"]] == ["opened"]
    assert made["tried"] == []


@pytest.mark.parametrize(("words", "found"), [(["버전"], 1), (["blocks", "required"], 1), (["카드"], 0)])
def test_search(id_: str, words: list[str], found: int, capsys: Capture) -> None:
    assert len(ran_json(capsys, "search", *words)) == found


def test_similar_to_an_incident_and_to_a_message(store: Store, id_: str, capsys: Capture, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    assert ran(capsys, "similar", id_) == "No similar incident is stored.\n"
    monkeypatch.setattr(sys, "stdin", io.StringIO("ValueError: only 3 blocks can be allocated\n"))
    (hit,) = ran_json(capsys, "similar", "-")
    assert hit["incident"]["id"] == id_
    assert hit["score"] >= 60


def test_similar_without_a_message_says_what_to_do(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("  \n"))
    assert "no message on standard input" in ran(capsys, "similar", "-", code=2)


def test_what_helped_is_said_once_and_shown(id_: str, capsys: Capture) -> None:
    assert (
        ran(capsys, "resolve", id_, "--by", "shorter-context", "--note", "김 책임") == f"Incident {id_} is resolved.\n"
    )
    page = ran(capsys, "show", id_)
    for part in ("fixed by", "shorter-context", "김 책임", "worked 1 of 1 times here"):
        assert part in page
    assert len(ran_json(capsys, "list", "--state", "resolved")) == 1


def test_a_change_that_worked_is_shown(store: Store, id_: str, capsys: Capture) -> None:
    write(store, batch(started=("run2", run_context(batch_size=4))))
    page = ran(capsys, "show", id_)
    assert "smaller-batch  worked  batch_size: 8 → 4" in page


def test_mute_until_for_good_and_off(id_: str, capsys: Capture) -> None:
    assert ran(capsys, "mute", id_) == f"Incident {id_} is muted.\n"
    assert "for good" in ran(capsys, "show", id_)
    assert "is muted until 2099-01-01 00:00 UTC" in ran(capsys, "mute", id_, "--until", "2099-01-01T00:00:00Z")
    assert ran(capsys, "mute", id_, "--off") == f"Incident {id_} is no longer muted.\n"
    assert ran_json(capsys, "show", id_)["muted_until"] is None


def test_prune_forgets_and_says_how_many(id_: str, capsys: Capture) -> None:
    assert ran(capsys, "prune", "--older-than", "30000d") == "Incidents forgotten: 0.\n"
    assert ran(capsys, "prune", "--older-than", "1d") == "Incidents forgotten: 1.\n"


@pytest.mark.parametrize(("lang", "empty", "none"), [("en", "stored yet", "that fits"), ("ko", "아직", "조건에 맞는")])
def test_an_empty_memory_is_told_from_a_filter_nothing_passes(
    lang: str, empty: str, none: str, capsys: Capture
) -> None:
    assert empty in ran(capsys, "list", lang=lang)
    assert none in ran(capsys, "list", "--entry", "kv-cache.*", lang=lang)
    assert none in ran(capsys, "search", "memory", lang=lang)


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_the_help_of_search_says_what_is_true_of_particles(store: Store, lang: str, capsys: Capture) -> None:
    help_ = " ".join(ran(capsys, "search", "--help", lang=lang).split())
    asked, *stored = re.findall("메모리[가를]?", help_.replace("메모리로", "메모리"))
    assert (asked, stored) == ("메모리", ["메모리가", "메모리를"])
    for number, noun in enumerate(stored):
        write(store, batch(sighting(run=f"run{number}", found=finding(entry=f"made.up-{number}", text=f"{noun} 확인"))))
    assert len(ran_json(capsys, "search", asked)) == 2
    assert len(ran_json(capsys, "search", stored[0])) == 1


@pytest.mark.parametrize("command", ["show", "search", "similar", "resolve", "mute", "prune"])
def test_a_command_without_its_argument_names_its_own_help(command: str, capsys: Capture) -> None:
    assert f"rbln-diagnose history {command} --help" in ran(capsys, command, code=2)


BAD = [
    (["list", "--state", "closed"], "unknown state 'closed'", "closed"),
    (["list", "--since", "soon"], "--since 'soon' is no date", "soon"),
    (["list", "--limit", "0"], "--limit is 0", "--limit"),
    (["list", "--limit", "many"], "the command line was not understood", "many"),
    (["list", "--format", "xml"], "unknown format 'xml'", "xml"),
    (["show", "zz", "--format", "xml"], "unknown format 'xml'", "xml"),
    (["show", "zzz"], "no incident 'zzz'", "zzz"),
    (["show"], "ID is missing", "ID"),
    (["prune"], "--older-than is missing", "--older-than"),
    (["prune", "--older-than", "old"], "--older-than 'old' is not a span", "old"),
    (["search", "*"], "no word to search for", ""),
    (["nonsense"], "the command line was not understood", "nonsense"),
]


@pytest.mark.parametrize(("argv", "english", "named"), BAD, ids=[" ".join(b[0]) for b in BAD])
def test_a_mistake_is_one_line_in_the_language(argv: list[str], english: str, named: str, capsys: Capture) -> None:
    for lang, expected in (("en", english), ("ko", named)):
        err = ran(capsys, *argv, code=2, lang=lang)
        assert expected in err
        assert bool(re.search("[가-힣]", err)) is (lang == "ko")
        assert err.startswith("rbln-diagnose: ")
        assert err.count("\n") == 1


def test_a_store_that_cannot_be_used_is_one_line(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    damaged = tmp_path / "damaged.db"
    damaged.write_bytes(b"nothing of ours" * 500)
    monkeypatch.setenv("RBLN_DIAGNOSE_DB", str(damaged))
    for lang, expected in (("en", "is damaged"), ("ko", "손상")):
        err = ran(capsys, code=2, lang=lang)
        assert expected in err
        assert err.count("\n") == 1


COMMANDS = ("list", "show", "search", "similar", "resolve", "mute", "prune", "export")


@pytest.mark.parametrize("lang", ["en", "ko"])
@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_every_command_has_help(command: str, lang: str, capsys: Capture) -> None:
    page = ran(capsys, *([command] if command else []), "--help", lang=lang)
    assert max(cells(line) for line in page.splitlines()) <= 80
    for name in () if command else COMMANDS:
        assert f"  {name} " in page


def test_nothing_of_a_log_drives_the_terminal(store: Store, capsys: Capture) -> None:
    (one,) = write(
        store,
        batch(sighting(found=finding(text="\x1b[2Jboom"), context=run_context(model="a\x1b]0;x\x07"))),
        source="/a\x1b[0m",
    )
    for argv in ([], ["show", one.id], ["search", "boom"]):
        assert "\x1b" not in ran(capsys, *argv)


def test_a_message_from_a_pipe_is_read_up_to_a_length(
    id_: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    given = io.StringIO(finding().text + "\n" + "x" * (3 * MAX_MESSAGE))
    monkeypatch.setattr(sys, "stdin", given)
    assert id_ in ran(capsys, "similar", "-")
    assert given.tell() == MAX_MESSAGE
