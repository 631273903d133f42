"""A log that a mail carried as quoted-printable says what the log says."""

from __future__ import annotations

import quopri
import random
from pathlib import Path

import pytest

from bench.metamorphic.transforms import BY_NAME
from diagnose import diagnose_bytes
from diagnose.repair.look import SMALL_BYTES, shows_shape
from diagnose.repair.mailed import WIDEST, few_quoted_printable, quoted_printable
from diagnose.repair.page import page_of
from tests.repair.kit import of, rows

FIXTURES = Path(__file__).parents[2] / "fixtures"
OOM = (
    "(EngineCore pid=4242) ERROR 11-29 07:05:42 [core.py:1366] "
    "rebel.core.exception.RBLNCompileError: DRAM OOM: requested 39163045120 bytes, capacity 38654705664 bytes\n"
    "the model was given max_seq_len=262144, batch_size=8 as its configuration\n"
)


def mailed(text: str) -> str:
    return quopri.encodestring(text.encode()).decode()


@pytest.mark.parametrize("name", ["quoted_printable", "quoted_printable+crlf", "quoted_printable+quote"])
@pytest.mark.parametrize("path", sorted(FIXTURES.glob("*.log"))[::4], ids=lambda p: p.stem)
def test_a_log_out_of_a_mail_gives_the_diagnosis_of_the_log(path: Path, name: str) -> None:
    text = plain = path.read_text("utf-8", "replace")
    for step in name.split("+"):
        text = BY_NAME[step].change(text, random.Random(1))
    first, found = (diagnose_bytes(t.encode()) for t in (plain, text))
    assert found.outcome == first.outcome
    assert [(f.entry, f.numbers) for f in found.findings] == [(f.entry, f.numbers) for f in first.findings]


def test_a_number_that_a_mail_broke_is_whole_and_stands_on_its_line() -> None:
    text = mailed("first\n" + OOM)
    assert "capacity 38654705664" not in text
    found = diagnose_bytes(text.encode())
    assert found.findings[0].numbers["capacity_bytes"] == 38654705664
    assert found.findings[0].line == 2
    assert found.input.repaired == ("quoted_printable",)


def test_hangul_whose_bytes_a_mail_broke_apart_is_read() -> None:
    text = "[3/3] 컴파일 실패: DRAM OOM으로 실패했습니다, 자세한 내용은 위 로그를 확인하세요\n" * 3
    assert rows(quoted_printable(of(mailed(text)))) == text


def test_line_ends_that_a_mail_wrote_out_are_line_ends() -> None:
    assert rows(quoted_printable(of("a=3D1=0D=0Ab=3D2=0Ac=3D3\n"))) == "a=1\nb=2\nc=3\n"


@pytest.mark.parametrize(
    "text",
    [
        "mode=3D\n",
        "view=3D mode=3D\n",
        "a=10 b=20 c=30 d=3D\n",
        "====== test ======\na=3D1 b=3D2\n",
        "x=3D1 " * 20 + "\n",
        "the value of kvcache_num_blocks=\n10\n",
        "key=\n" * 9,
    ],
)
def test_a_text_with_other_equals_signs_was_not_carried_by_a_mail(text: str) -> None:
    assert quoted_printable(of(text)) is None


def test_a_row_that_is_wider_than_those_of_a_mail_leaves_a_guess() -> None:
    text = f"{'typed above it ' * 6}\n" + "a=3D1\nb=\nc\n"
    assert len(text.partition("\n")[0]) > WIDEST
    assert quoted_printable(of(text)) is None
    assert (rows(few_quoted_printable(of(text))) or "").endswith("\na=1\nbc\n")
    assert few_quoted_printable(of("===== FAILED =====\n==FAILED\n")) is None


def test_a_large_mail_shows_what_it_is() -> None:
    text = mailed("INFO 11-29 08:07:35 [core.py:1] max_seq_len=262144, num_devices=8, and goes on behind it\n")
    assert shows_shape((text * (2 * SMALL_BYTES // len(text))).encode(), troubled=False)


def test_a_number_behind_its_name_is_no_sign_of_a_mail() -> None:
    page = page_of(b"_MONOTONIC_TIMESTAMP=812000000\n__REALTIME_TIMESTAMP=1796025600000003\nvalue=E5\n")
    assert quoted_printable(page) is None
    assert few_quoted_printable(page) is None
