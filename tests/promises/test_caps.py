"""Every cap has its test: those of the whole flow stand here, those of one room beside the room's tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from diagnose import collected, conclusion, diagnose_bytes
from diagnose.analyzer import MAX_CONFIGS, MAX_SETS, Analyzer
from diagnose.cli.app import main
from diagnose.collected import MAX_FACTS, MAX_MARKS, MAX_RUNS
from diagnose.conclusion import LONGEST_EXCERPT, MAX_ECHOES, MAX_FINDINGS, MAX_NOTES
from diagnose.context import Mark
from diagnose.context.literals import read_value
from diagnose.context.npu import MAX_SHOWN
from diagnose.context.readers import files, python_guard, read_config, read_text_config, safe_yaml
from diagnose.knowledge import load
from diagnose.model import Diagnosis, InputError
from diagnose.reasoning import events, unknown
from diagnose.scan.long_lines import MAX_LINE_BYTES
from diagnose.scan.repeats import REPEATS

ROOT = Path(__file__).parents[2]
PARAMETERS = load({}).parameters
START = "(APIServer pid={0}) INFO 11-29 12:00:00 [api_utils.py:286] vLLM API server version 0.22.0\n"
ARGS = "(APIServer pid={0}) INFO 11-29 12:00:00 [api_utils.py:286] non-default args: {{'model': 'm{0}'}}\n"
BOOM = "(EngineCore pid={0}) ERROR 11-29 12:00:00 [core.py:1] boom\n"
OSERROR = "OSError: [Errno 24] Too many open files: '{0}'\n"


def diagnosed(text: str, **more: object) -> Diagnosis:
    return diagnose_bytes(text.encode(), **more)  # type: ignore[arg-type]


def test_of_many_runs_the_latest_are_judged_and_all_are_counted() -> None:
    text = "".join((START + ARGS + BOOM).format(number) for number in range(MAX_RUNS + 30))
    found = diagnosed(text)
    assert found.runs == MAX_RUNS + 30
    assert found.unknown[0].line == text.count("\n")
    assert found.run.model == f"m{MAX_RUNS + 29}"


def test_findings_notes_and_echoes_are_so_many(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "".join((START + ARGS).format(number) + OSERROR.format(number) for number in range(MAX_FINDINGS + 20))
    found = diagnosed(text, all_runs=True)
    assert len(found.findings) == MAX_FINDINGS
    recovered = (
        text
        + (START + ARGS).format(9999)
        + ("(APIServer pid=9999) INFO 11-29 12:00:00 [x.py:1] Application startup complete.\n")
    )
    assert len(diagnosed(recovered).notes) <= MAX_NOTES
    log = (ROOT / "fixtures" / "kv-insufficient-vllm.log").read_text("utf-8")
    assert 0 < len(diagnosed(log).findings[0].consequences) <= MAX_ECHOES
    monkeypatch.setattr(conclusion, "MAX_ECHOES", 1)
    assert len(diagnosed(log).findings[0].consequences) == 1
    monkeypatch.setattr(conclusion, "MAX_NOTES", 1)
    assert len(diagnosed(recovered).notes) == 1


def notes_of(found: Diagnosis) -> list[str]:
    return [note.entry for note in found.notes]


KEPT, SHOWN = conclusion.MORE_THAN_KEPT, conclusion.MORE_THAN_SHOWN
RUNS = "".join((START + ARGS + BOOM).format(number) for number in range(40))
UP = "(APIServer pid={0}) INFO 11-29 12:00:00 [x.py:1] Application startup complete.\n"


def test_of_too_many_facts_the_latest_count_and_it_is_said_when_the_run_lost_some(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = diagnosed(RUNS)
    assert MAX_FACTS > 10 * MAX_RUNS
    monkeypatch.setattr(collected, "MAX_FACTS", 60)
    analyzer = Analyzer()
    analyzer.feed(RUNS.encode())
    assert len(analyzer.collected.facts) <= 60
    assert analyzer.collected.facts_lost > 0
    found = analyzer.finish()
    assert (found.run, found.unknown, notes_of(found)) == (whole.run, whole.unknown, [])
    assert notes_of(diagnosed(RUNS, all_runs=True))[0] == KEPT


def test_a_run_that_says_more_than_is_kept_is_told_so_and_its_latest_values_count(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    line = "(EngineCore pid=2) INFO 11-29 12:00:00 [model.py:1] Using max model len {}\n"
    monkeypatch.setattr(collected, "MAX_FACTS", 50)
    found = diagnosed(START.format(1) + ARGS.format(1) + "".join(map(line.format, range(8192, 8392))) + BOOM.format(1))
    assert notes_of(found)[0] == KEPT
    assert found.run.model == "m1"
    assert found.run.config["max_seq_len"].value == 8391


def test_of_too_many_signs_of_life_those_of_the_latest_runs_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    assert MAX_MARKS > 10 * MAX_RUNS
    monkeypatch.setattr(collected, "MAX_MARKS", 30)
    monkeypatch.setattr(collected, "MAX_RUNS", 5)
    monkeypatch.setattr(conclusion, "MAX_RUNS", 5)
    found = diagnosed(RUNS)
    assert (found.runs, found.run.model, found.unknown[0].count, notes_of(found)) == (40, "m39", 1, [])
    assert diagnosed(RUNS + (START + ARGS + UP).format(77)).outcome == "healthy"


def test_signs_of_life_of_one_run_that_tell_nothing_new_make_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collected, "MAX_MARKS", 30)
    kept = Analyzer().collected
    for line in range(1, 10 * collected.MAX_MARKS):
        kept.mark(line, Mark("start", f"platform@{line}"))
        assert len(kept.marks) <= collected.MAX_MARKS
    kept.mark(1_000, Mark("ready", "uvicorn"))
    kept.lines = 1_001
    assert [(run.first, run.ready) for run in kept.runs()] == [(1, 1_000)]


def test_the_same_sign_of_life_over_and_over_takes_no_room() -> None:
    analyzer = Analyzer()
    analyzer.feed((START.format(1) + UP.format(1) * 40).encode())
    assert len(analyzer.collected.marks) <= 2


def test_a_flood_of_unknown_errors_hides_no_known_cause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "MAX_KINDS", 4)
    words = [f"{a}{b}" for a in "abcdefghijkl" for b in "mnopqrstuvwx"]
    flood = "".join(f"ERROR 11-29 12:00:00 [core.py:1] {word} is odd\n" for word in words)
    found = diagnosed(flood + OSERROR.format("x") + flood.replace("odd", "even"))
    assert found.outcome == "diagnosed"
    assert notes_of(found)[0] == KEPT
    assert found.notes[0].numbers["errors"] > 0


def test_what_is_found_and_not_shown_is_counted() -> None:
    text = "".join((START + ARGS).format(number) + OSERROR.format(number) for number in range(MAX_FINDINGS + 20))
    found = diagnosed(text, all_runs=True)
    kept, shown = (next(n for n in found.notes if n.entry == entry) for entry in (KEPT, SHOWN))
    assert kept.numbers["errors"] + shown.numbers["findings"] == 20
    kinds = [f"{letter}{other}" for letter in "abcdefgh" for other in "klmnopqr"]
    found = diagnosed("".join(f"ERROR 11-29 12:00:00 [core.py:1] {kind} is odd\n" for kind in kinds))
    (note,) = (n for n in found.notes if n.entry == SHOWN)
    assert note.numbers["unknown"] == len(kinds) - unknown.MAX_UNKNOWN
    assert str(note.numbers["unknown"]) in note.cause.ko
    assert " 0 " not in note.cause.en and " 0건" not in note.cause.ko
    assert SHOWN not in notes_of(diagnosed(BOOM.format(1)))


def test_a_quoted_message_is_so_long() -> None:
    found = diagnosed(OSERROR.format("x" * 5_000))
    assert len(found.findings[0].text) == LONGEST_EXCERPT


def test_an_unknown_error_is_quoted_and_compared_within_limits() -> None:
    kinds = [f"{letter}{other}" for letter in "abcdefgh" for other in "klmnopqr"]
    text = "".join(f"ERROR 11-29 12:00:00 [core.py:1] {kind} out of memory blocks {'y' * 900}\n" for kind in kinds)
    found = diagnosed(text)
    assert len(found.unknown) == unknown.MAX_UNKNOWN
    assert {len(one.text) for one in found.unknown} == {unknown.LONGEST_TEXT + 1}
    assert all(len(one.nearest) <= unknown.MAX_NEAREST for one in found.unknown)


def test_a_line_and_its_copies_have_their_limits() -> None:
    long = "ERROR 11-29 12:00:00 [core.py:1] boom " + "x" * (2 * MAX_LINE_BYTES)
    assert diagnosed(long).unknown[0].count == 1
    found = diagnosed(BOOM.format(1) * (REPEATS * 3))
    assert found.unknown[0].count == REPEATS * 3


@pytest.mark.parametrize(("option", "most"), [("config", MAX_CONFIGS), ("sets", MAX_SETS)])
def test_an_option_is_given_so_many_times(option: str, most: int, tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    path.write_text('{"model_type": "qwen3"}', "utf-8")
    value = str(path) if option == "config" else "batch_size=8"
    Analyzer(**{option: [value] * most})  # type: ignore[arg-type]
    with pytest.raises(InputError, match=f"at most {most}"):
        Analyzer(**{option: [value] * (most + 1)})  # type: ignore[arg-type]


def test_a_refused_name_is_repeated_within_limits() -> None:
    with pytest.raises(InputError) as refused:
        Analyzer(npu="x\n" * 500)
    assert "\n" not in refused.value.message.en
    assert refused.value.message.en.count("x ") <= MAX_SHOWN


def test_a_configuration_file_is_so_large(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    for size, says in ((files.MAX_BYTES, "known kind"), (files.MAX_BYTES + 1, "larger than 8 MiB")):
        path.write_bytes(b"{}".ljust(size))
        with pytest.raises(InputError, match=says):
            read_config(str(path), PARAMETERS)


COMPOSE = "services: {a: {command: vllm serve m}}\n"
SCRIPT = "from vllm import LLM\nLLM(model='m', max_num_seqs=8)\n"


@pytest.mark.parametrize(
    ("inside", "beyond"),
    [
        (COMPOSE + "#" * (safe_yaml.MAX_CHARACTERS - len(COMPOSE)), COMPOSE + "#" * safe_yaml.MAX_CHARACTERS),
        (
            COMPOSE + "x-a: " + "[" * 30 + "]" * 30,
            COMPOSE + "x-a: " + "[" * (safe_yaml.MAX_DEPTH + 1) + "]" * (safe_yaml.MAX_DEPTH + 1),
        ),
        (COMPOSE + "x-a: [" + "x, " * 9_000 + "]", COMPOSE + "x-a: [" + "x, " * safe_yaml.MAX_NODES + "]"),
        (SCRIPT + "#" * (python_guard.MAX_CHARACTERS - len(SCRIPT)), SCRIPT + "#" * python_guard.MAX_CHARACTERS),
        (SCRIPT + "x = " + "+".join("1" * 400), SCRIPT + "x = " + "+".join("1" * python_guard.MAX_RUN)),
        (SCRIPT + "if 1: a\n" + "elif 1: a\n" * 50, SCRIPT + "if 1: a\n" + "elif 1: a\n" * (python_guard.MAX_ELIF + 1)),
    ],
    ids=["YAML characters", "YAML depth", "YAML nodes", "script characters", "script expression", "script branches"],
)
def test_a_configuration_holds_so_much(inside: str, beyond: str) -> None:
    assert read_text_config(inside, "c", PARAMETERS).values or True
    with pytest.raises(InputError):
        read_text_config(beyond, "c", PARAMETERS)


def test_a_printed_value_is_opened_so_deep() -> None:
    from diagnose.context.literals import _DEEPEST

    value = read_value("[" * 40 + "<odd>" + "]" * 40)
    depth = 0
    while isinstance(value, list):
        value, depth = value[0], depth + 1
    assert depth <= _DEEPEST + 1
    assert isinstance(value, str)


BELOW = "ValueError: The set `kvcache_num_blocks` (10) is less than the minimum number of blocks (33)"
CALM = "INFO 11-29 12:00:00 [a.py:1] all is well "


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_an_error_in_the_cut_of_a_line_leaves_no_verdict(
    lang: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pad = CALM * (MAX_LINE_BYTES // len(CALM) + 1)
    path = tmp_path / "a.log"
    path.write_text(f"{pad}(EngineCore pid=1) ERROR 11-29 12:00:00 [core.py:1] {BELOW} {pad}\n", "utf-8")
    assert main([str(path), "--no-store", "--lang", lang], {}) == 2
    said = capsys.readouterr().out
    assert {"en": "No verdict", "ko": "판정할 수 없습니다"}[lang] in " ".join(said.split())
    assert "256 KiB" in said
    found = diagnosed(path.read_text("utf-8"))
    assert found.is_open
    assert found.notes[0].numbers["lines"] == 1


def test_a_long_line_without_anything_in_its_middle_and_a_long_prompt_are_no_news() -> None:
    pad = CALM * (2 * MAX_LINE_BYTES // len(CALM))
    quoted = f"INFO 11-29 12:00:00 [logger.py:39] Received request a: prompt: '{pad}{BELOW}{pad}', params: None\n"
    found = diagnosed(pad + "\n" + quoted)
    assert (found.outcome, found.notes) == ("healthy", ())
    assert diagnosed(f"{pad}{BELOW}{pad}\n" + OSERROR.format("a")).findings[0].entry.startswith("host")
