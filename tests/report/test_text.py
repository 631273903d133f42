"""The report a person reads."""

from __future__ import annotations

import io
import subprocess
import sys
from dataclasses import replace

import pytest
from hypothesis import given, settings

from diagnose import diagnose_bytes
from diagnose.model import Diagnosis, Finding, Lang, Overruled, Remedy, RunContext, Setting, Text
from diagnose.report import text, values
from diagnose.report.excerpt import cells
from diagnose.report.relevant import settings_used
from tests.report.samples import CONSEQUENCE, HEALTHY, KV, KV_FINDING, RUNTIME, SAMPLES, UNKNOWN
from tests.report.strategies import diagnoses

LANGS: tuple[Lang, ...] = ("ko", "en")


@pytest.mark.parametrize("lang", LANGS)
def test_the_first_line_is_the_root_cause(lang: Lang) -> None:
    assert text.render(KV, lang).split("\n")[0] == KV_FINDING.title.in_(lang)


def test_the_second_line_is_the_place() -> None:
    assert text.render(KV, "en").split("\n")[1] == "server.log:812 · EngineCore pid=4242 · 11-29 11:57:53 ·"[:-2]


def test_the_numbers_of_the_message_are_underlined() -> None:
    lines = text.render(KV, "en").split("\n")
    at = next(i for i, line in enumerate(lines) if line.startswith("  812 | "))
    row, carets = lines[at], lines[at + 1]
    assert "".join(c for c, m in zip(row.ljust(99), carets, strict=False) if m == "^") == "12"


@pytest.mark.parametrize(
    ("lang", "expected"),
    [("ko", "3행, non-default args"), ("en", "line 3, non-default args")],
)
def test_a_value_in_force_says_where_it_was_read(lang: Lang, expected: str) -> None:
    line = next(x for x in text.render(KV, lang).split("\n") if x.startswith("  max_seq_len"))
    assert line.split() == ["max_seq_len", "262144", *expected.split()]


def test_a_value_no_remedy_uses_is_not_shown() -> None:
    assert "batch_size   " not in text.render(KV, "en")


@pytest.mark.parametrize(("lang", "badge"), [("ko", "[계산]"), ("en", "[computed]")])
def test_a_fix_is_complete(lang: Lang, badge: str) -> None:
    remedy = KV_FINDING.remedies[0]
    page = text.render(KV, lang, width=100)
    assert f"1. {badge} {remedy.title.in_(lang)}" in page
    assert "max_seq_len: 262144 → 180224" in page
    assert "(12 - 1) * 16384 = 180224" in page
    assert remedy.side_effect is not None and remedy.side_effect.in_(lang) in page
    assert remedy.verify is not None and remedy.verify.in_(lang) in page


def test_only_the_persons_own_form_is_shown() -> None:
    page = text.render(KV, "en")
    assert "--max-model-len 180224" in page
    assert "262_144" not in page


@pytest.mark.parametrize(
    ("lang", "expected"),
    [
        ("ko", "이후 오류 3건은 이 원인의 여파입니다 (871, 902, 915행)"),
        ("en", "3 later errors are echoes of this (lines 871, 902, 915)"),
    ],
)
def test_echoes_are_folded_into_one_line(lang: Lang, expected: str) -> None:
    assert expected in text.render(KV, lang)


@pytest.mark.parametrize(("lang", "expected"), [("ko", "(871, 902, 915행 등)"), ("en", "(lines 871, 902, 915, …)")])
def test_many_echoes_name_the_first_lines_only(lang: Lang, expected: str) -> None:
    more = (*KV_FINDING.consequences, replace(KV_FINDING.consequences[0], line=920))
    assert expected in text.render(replace(KV, findings=(replace(KV_FINDING, consequences=more),)), lang)


def test_an_echo_printed_before_the_root_is_not_called_later() -> None:
    early = replace(KV_FINDING.consequences[0], line=5)
    page = text.render(replace(KV, findings=(replace(KV_FINDING, consequences=(early,)),)), "en")
    assert "1 other error is an echo of this (line 5)" in page


def test_a_missing_value_is_asked_for_with_the_command() -> None:
    assert "    rbln-diagnose server.log --set block_size=…\n" in text.render(KV, "ko")


def test_a_file_name_with_a_space_is_quoted_in_the_command() -> None:
    page = text.render(replace(KV, input=replace(KV.input, name="my server.log")), "en")
    assert "rbln-diagnose 'my server.log' --set" in page


@pytest.mark.parametrize(
    ("lang", "expected"),
    [("ko", "근본 원인은 이 로그에 없습니다"), ("en", "The root cause is not in this log")],
)
def test_a_lone_consequence_says_that_the_root_is_elsewhere(lang: Lang, expected: str) -> None:
    page = text.render(CONSEQUENCE, lang)
    assert expected in page
    assert "2>&1" in page


def test_a_healthy_log_is_one_line() -> None:
    assert text.render(HEALTHY, "ko") == "ok.log에서 문제를 찾지 못했습니다 (1,234행)\n"
    assert text.render(HEALTHY, "en") == "Nothing wrong found in ok.log (1,234 lines)\n"


def test_an_unknown_error_gets_no_cause() -> None:
    page = text.render(UNKNOWN, "en")
    assert "no cause is claimed" in " ".join(page.split())
    assert "nearest known: runtime.timeout (similarity 71/100, not the same)" in page
    assert "4 times" in page


def test_what_was_asked_and_what_is_in_force_are_both_named() -> None:
    page = text.render(RUNTIME, "en")
    assert "asked     262144 (line 3, non-default args)" in page
    assert "in force  131072 (line 9, Updating … to)" in page


def test_a_recovered_failure_says_so() -> None:
    assert "이미 해소된 실패입니다" in text.render(RUNTIME, "ko")


def test_a_recovered_failure_among_the_notes_says_so_too() -> None:
    over = replace(KV, findings=(), outcome="healthy", notes=(replace(KV_FINDING, recovered=True),))
    assert "this failure is over" in text.render(over, "en")


def test_a_foreign_failure_is_not_called_rbln() -> None:
    foreign = replace(KV, findings=(replace(KV_FINDING, domain="foreign"),))
    assert "not from RBLN" in text.render(foreign, "en")


def test_a_note_about_the_configuration_has_no_line_number() -> None:
    assert ":0" not in text.render(RUNTIME, "en")


@pytest.mark.parametrize("width", [40, 60, 80, 120])
@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("name", SAMPLES)
def test_nothing_but_a_command_is_wider_than_the_page(name: str, lang: Lang, width: int) -> None:
    commands = {
        line for f in SAMPLES[name].findings for r in f.remedies for c in r.commands.values() for line in c.split("\n")
    }
    for line in text.render(SAMPLES[name], lang, width=width).split("\n"):
        is_command = line.strip() in commands or line.strip().startswith(("rbln-diagnose", "vllm serve"))
        assert cells(line) <= width or is_command, line


def test_a_command_is_never_broken() -> None:
    long = "--rbln-optimum-overrides '" + '{"device": [0, 1, 2, 3], "visual": {"device": [4, 5, 6, 7]}}' * 3 + "'"
    remedy = replace(KV_FINDING.remedies[0], commands={"vllm": long})
    page = text.render(replace(KV, findings=(replace(KV_FINDING, remedies=(remedy,)),)), "ko", width=60)
    assert long in [line.strip() for line in page.split("\n")]


def test_a_page_without_colour_has_no_escape_and_no_trailing_space() -> None:
    for sample in SAMPLES.values():
        page = text.render(sample, "ko")
        assert "\x1b" not in page
        assert not [line for line in page.split("\n") if line != line.rstrip()]


def test_colour_changes_nothing_but_the_colour() -> None:
    from diagnose.report.clean import clean

    for sample in SAMPLES.values():
        assert clean(text.render(sample, "ko", color=True)) == text.render(sample, "ko")
        assert "\x1b[" in text.render(sample, "ko", color=True)


def test_an_ascii_stream_gets_ascii_signs() -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii", errors="strict")
    text.write(replace(KV, run=RunContext()), "en", stream)
    stream.flush()
    assert b"max_seq_len: 262144 -> 180224" in raw.getvalue()


def test_the_headline_is_flushed_before_rich_is_imported() -> None:
    program = """
import sys
from tests.report.samples import KV
from diagnose.report import text, values
class Stream:
    encoding = "utf-8"
    first = None
    def write(self, s): pass
    def flush(self):
        if Stream.first is None:
            Stream.first = "rich" in sys.modules
    def isatty(self): return False
text.write(KV, "en", Stream())
assert Stream.first is False and "rich" in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


def test_a_number_in_the_arithmetic_names_its_setting() -> None:
    run = RunContext(config={"kvcache_partition_len": Setting(16384, 3, "x"), "batch_size": Setting(11, 3, "x")})
    remedy = Remedy("r", "exact", Text("", ""), arithmetic="11 * 16384 = 180224")
    finding = replace(KV_FINDING, remedies=(remedy,))
    assert [name for name, _ in settings_used(finding, run)] == ["kvcache_partition_len"]


def test_a_nested_parameter_is_found_where_the_model_keeps_it() -> None:
    run = RunContext(config={"vision_tower.device": Setting(1, 4, "x")}, vision_prefix="vision_tower")
    remedy = Remedy("r", "exact", Text("", ""), missing=("visual.device",))
    finding: Finding = replace(KV_FINDING, remedies=(remedy,))
    assert [name for name, _ in settings_used(finding, run)] == ["vision_tower.device"]


@given(diagnoses)
@settings(max_examples=20)
def test_any_diagnosis_can_be_printed(diagnosis: Diagnosis) -> None:
    for lang in LANGS:
        page = text.render(diagnosis, lang, width=60)
        page.encode()
        assert page.endswith("\n")


@pytest.mark.parametrize("extra", [0, 3])
@pytest.mark.parametrize("lang", LANGS)
def test_what_a_report_leaves_out_is_counted(lang: Lang, extra: int) -> None:
    def more(found: Diagnosis) -> int:
        line = {"en": f"and {extra} more", "ko": f"외 {extra}건"}[lang]
        return text.render(found, lang).split("\n").count(f"  {line}") + text.render(found, lang).count(f"    {line}")

    unknown = replace(UNKNOWN, unknown=UNKNOWN.unknown[:1] * (text.MAX_UNKNOWN + extra))
    assert more(unknown) == bool(extra)
    one = Overruled("batch_size", Setting(1, 2, "x"), Setting(4, 3, "y"))
    overruled = replace(KV, run=RunContext(overruled=(one,) * (text.MAX_OVERRULED + extra)))
    assert more(overruled) == bool(extra)
    names = [f"name_{chr(97 + n)}" for n in range(text.MAX_CONFIG + extra)]
    remedy = Remedy("a", "advice", Text("t", "t"), arithmetic=" + ".join(names))
    run = RunContext(config={name: Setting(7, 1, "x") for name in names})
    settings = replace(KV, run=run, findings=(replace(KV_FINDING, remedies=(remedy,)),))
    assert more(settings) == bool(extra)


def test_lines_are_named_up_to_a_number_and_dots_stand_for_the_rest() -> None:
    few = tuple(range(1, values.MAX_LINES_NAMED + 1))
    assert "…" not in values.lines_named(few, "en")
    named = values.lines_named((*few, 99), "en")
    assert named.endswith("…")
    assert "99" not in named


@pytest.mark.parametrize(("lang", "label", "other"), [("en", "in doubt", "missing"), ("ko", "확인할 값", "필요한 값")])
def test_values_that_contradict_the_log_are_told_as_such_and_not_as_missing(lang: Lang, label: str, other: str) -> None:
    doubt = Text("17 blocks are not 65", "블록 17개는 65개가 아닙니다")
    remedy = replace(KV_FINDING.remedies[0], applicability="needs-value", changes=(), missing=("max_seq_len",))
    missing = replace(KV, findings=(replace(KV_FINDING, remedies=(remedy,)),))
    doubted = replace(KV, findings=(replace(KV_FINDING, remedies=(replace(remedy, doubt=doubt),)),))
    assert f"{other} " in text.render(missing, lang, width=100)
    page = text.render(doubted, lang, width=100)
    assert f"{other} " not in page
    assert f"{label} " in page
    assert doubt.in_(lang) in page


@pytest.mark.parametrize("own_title", [True, False])
def test_a_title_that_holds_nothing_of_the_log_is_read_before_secrets_are_looked_for_and_no_other(
    own_title: bool,
) -> None:
    finding = replace(KV_FINDING, own_title=own_title, title=Text("title of kim", "title of kim"))
    out = io.StringIO()
    read: list[str] = []

    def hide(diagnosis: Diagnosis) -> Diagnosis:
        read.append(out.getvalue())
        return replace(diagnosis, findings=(replace(finding, title=Text("title", "title")),))

    text.write(replace(KV, findings=(finding,)), "en", out, hide=hide)
    assert read == (["title of kim\n"] if own_title else [""])
    assert out.getvalue().split("\n")[0] == ("title of kim" if own_title else "title")


def test_only_a_title_that_is_the_entrys_as_it_stands_is_its_own() -> None:
    with_values = b"ValueError: The number of devices (3) does not match `num_devices` (6).\n"
    without = b"torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB\n"
    assert [f.own_title for data in (with_values, without) for f in diagnose_bytes(data).findings] == [False, True]
