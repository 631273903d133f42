"""An archive that breaks off is never taken for a clean log."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from diagnose import diagnose_path
from diagnose.analyzer import Analyzer
from diagnose.cli.app import main
from diagnose.model import InputError
from diagnose.report import FORMATS
from diagnose.sources import Source

HEALTHY = b"INFO 11-29 12:00:00 [x.py:1] all is well %d\n"
FAILED = (Path(__file__).parents[2] / "fixtures" / "kv-insufficient-vllm.log").read_bytes()


def archive(kind: str, data: bytes) -> bytes:
    return gzip.compress(data) if kind == "gz" else zstandard.ZstdCompressor().compress(data)


@pytest.mark.parametrize("kind", ["gz", "zst"])
def test_a_whole_archive_is_read_without_a_word(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"a.{kind}"
    path.write_bytes(archive(kind, b"".join(HEALTHY % n for n in range(20000))))
    found = diagnose_path(path)
    assert (found.outcome, found.notes, found.input.lines) == ("healthy", (), 20000)


@pytest.mark.parametrize("kind", ["gz", "zst"])
def test_a_cut_archive_says_so_and_does_not_pass_for_healthy(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import random

    chance = random.Random(1)
    whole = archive(kind, b"".join(HEALTHY % chance.getrandbits(60) for _ in range(60000)))
    path = tmp_path / f"a.{kind}"
    path.write_bytes(whole[: len(whole) // 2])
    found = diagnose_path(path)
    assert ([n.entry for n in found.notes], found.outcome, found.is_open) == (["input.damaged"], "unknown", True)
    for lang, words in (("en", ("No verdict", "ends early")), ("ko", ("판정할 수 없습니다", "끊겨"))):
        for command in ([str(path), "--no-store"], ["report", str(path)]):
            assert main([*command, "--lang", lang], {}) == 2
            said = capsys.readouterr().out
            assert all(word in said for word in words)
            assert f"{found.input.lines:,}" in said
            assert "Nothing wrong found" not in said


@pytest.mark.parametrize("format", FORMATS)
def test_no_format_calls_a_cut_archive_a_pass(format: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.gz"
    path.write_bytes(archive("gz", b"".join(HEALTHY % (n * 7919) for n in range(20000)))[:20_000])
    assert main([str(path), "--no-store", "--format", format, "--lang", "en"], {}) == 2
    said = capsys.readouterr().out
    assert "ends early" in said
    assert "Nothing wrong found" not in said and '"healthy"' not in said
    assert ("<error" in said) is (format == "junit")


@given(st.integers(1, 400))
@settings(max_examples=20)
def test_any_cut_of_a_failed_run_is_diagnosed_or_has_no_verdict(place: int) -> None:
    packed = gzip.compress(FAILED, mtime=0)
    analyzer = Analyzer()
    source = Source("a.gz", io.BytesIO(packed[: len(packed) * place // 401]), size_bytes=None, close=lambda: None)
    try:
        analyzer.feed_all(source.blocks())
    except InputError:
        return
    found = analyzer.finish(damaged=source.damaged)
    assert found.outcome != "healthy"
    assert found.is_open is not (bool(found.findings) or bool(found.unknown))
