"""An archive that breaks off is never taken for a clean log."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
import zstandard

from diagnose import diagnose_path
from diagnose.cli.app import main

HEALTHY = b"INFO 11-29 12:00:00 [x.py:1] all is well %d\n"


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
    assert [n.entry for n in diagnose_path(path).notes] == ["input.damaged"]
    assert main([str(path), "--no-store", "--lang", "en"], {}) == 2
    assert "ends early" in capsys.readouterr().out
