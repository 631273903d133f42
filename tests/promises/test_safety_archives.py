"""An archive is never unpacked to the disk: as a log or a configuration it is refused, a wheel is read in memory."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from diagnose.authoring.coverage.package import read_package
from diagnose.cli.app import main
from tests.authoring.made import wheel

TEXT = b"OSError: [Errno 24] Too many open files: 'a'\n"
OUTSIDE = (
    "../escaped.log",
    "../../escaped.log",
    "/escaped.log",
    "..\\escaped.log",
    "C:\\escaped.log",
)


def a_tar() -> bytes:
    """Paths that lead outside, links to files outside, a device, and a log among them."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as made:
        for name in (*OUTSIDE, "run.log"):
            info = tarfile.TarInfo(name)
            info.size = len(TEXT)
            made.addfile(info, io.BytesIO(TEXT))
        for kind, target in ((tarfile.SYMTYPE, "/etc/passwd"), (tarfile.LNKTYPE, "../secret"), (tarfile.CHRTYPE, "")):
            info = tarfile.TarInfo(f"link-{kind!r}")
            info.type, info.linkname = kind, target
            made.addfile(info)
    return out.getvalue()


def a_zip() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for name in (*OUTSIDE, "run.log"):
            made.writestr(name, TEXT)
        link = zipfile.ZipInfo("link")
        link.external_attr = 0o120777 << 16
        made.writestr(link, "/etc/passwd")
    return out.getvalue()


PACKED: dict[str, Callable[[], bytes]] = {
    "a.tar": a_tar,
    "a.tar.gz": lambda: gzip.compress(a_tar()),
    "a.tar.zst": lambda: zstandard.ZstdCompressor().compress(a_tar()),
    "a.tar.bz2": lambda: bz2.compress(a_tar()),
    "a.tar.xz": lambda: lzma.compress(a_tar()),
    "a.zip": a_zip,
    "a.zip.gz": lambda: gzip.compress(a_zip()),
    "run.log": a_zip,
}


def escaped(tmp_path: Path) -> list[Path]:
    places = (tmp_path, *tmp_path.parents[:2], Path("/"), Path.cwd(), Path.cwd().parent)
    return [found for place in places for found in place.glob("*escaped.log")]


@pytest.mark.parametrize("lang", ["en", "ko"])
@pytest.mark.parametrize("command", ["diagnose", "report", "config"])
@pytest.mark.parametrize("name", PACKED)
def test_an_archive_is_refused_in_one_line_and_nothing_of_it_is_written(
    name: str, command: str, lang: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, log = tmp_path / name, tmp_path / "plain"
    path.write_bytes(PACKED[name]())
    log.write_bytes(TEXT)
    argv = {
        "diagnose": [str(path), "--no-store"],
        "report": ["report", str(path)],
        "config": [str(log), "--no-store", "--config", str(path)],
    }[command]
    assert main([*argv, "--lang", lang], {}) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert name in err
    assert sorted(one.name for one in tmp_path.iterdir()) == sorted({name, "plain"})
    assert not escaped(tmp_path)


def test_a_wheel_is_read_in_memory_whatever_its_paths_are(tmp_path: Path) -> None:
    source = "raise ValueError('the sample pool of 12 blocks is used up')\n"
    names = [name.replace(".log", ".py") for name in OUTSIDE]
    read = read_package(str(wheel(tmp_path, "optimum-rbln", "1.0", dict.fromkeys(names, source))))
    assert set(read.files.values()) == {source}
    assert len(list(tmp_path.iterdir())) == 1
    assert not [found for place in (tmp_path.parent, Path("/")) for found in place.glob("*escaped.py")]


@pytest.mark.parametrize("said", [1, 10_000_000_000])
def test_a_wheel_that_lies_about_a_size_is_refused_or_left_out(said: int, tmp_path: Path) -> None:
    path = wheel(tmp_path, "optimum-rbln", "1.0", {"a.py": "x = 1\n" * 2_000, "b.py": "y = 2\n"})
    data = bytearray(path.read_bytes())
    place = data.index(b"PK\x01\x02")
    assert int.from_bytes(data[place + 24 : place + 28], "little") == 12_000
    data[place + 24 : place + 28] = min(said, 2**32 - 2).to_bytes(4, "little")
    path.write_bytes(data)
    if said == 1:
        assert main(["kb", "coverage", str(path)], {"LANG": "en"}) == 2
    else:
        assert read_package(str(path)).too_large == ("a.py",)
