"""Which places of a source are found, and which of them a person can reach."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose.authoring.coverage.package import Package, read_package
from diagnose.authoring.coverage.sites import Site, read_sites
from diagnose.model import InputError
from tests.authoring.made import wheel


def sites(source: str) -> list[Site]:
    return list(read_sites(Package("p", "1.0", {"p/m.py": source})))


@pytest.mark.parametrize(
    ("source", "kind", "type_", "text"),
    [
        ("raise ValueError('too few blocks')", "raise", "ValueError", "too few blocks"),
        ("raise errors.PoolError(f'too few: {n}')", "raise", "PoolError", "too few: {}"),
        ("assert n > 1, 'needs two blocks'", "assert", "AssertionError", "needs two blocks"),
        ("warnings.warn('old name used', FutureWarning)", "warning", "FutureWarning", "old name used"),
        ("warnings.warn('old name used')", "warning", "UserWarning", "old name used"),
        ("logger.warning('pool of %d is small', n)", "log", "WARNING", "pool of {} is small"),
        ("self._log.exception('cannot read %s', path)", "log", "ERROR", "cannot read {}"),
        ("logging.getLogger('x').critical('cannot go on')", "log", "CRITICAL", "cannot go on"),
        ("print('cannot go on', file=sys.stderr)", "stderr", "print", "cannot go on"),
        ("sys.exit('cannot go on')", "stderr", "exit", "cannot go on"),
        ("sys.stderr.write('cannot go on')", "stderr", "write", "cannot go on"),
        ("parser.error('needs a path')", "usage", "usage", "needs a path"),
        ("raise ValueError('some text %s', n)", "raise", "ValueError", "('some text %s', {})"),
        ("raise ValueError(('some text %s', n))", "raise", "ValueError", "('some text %s', {})"),
    ],
)
def test_every_way_to_report_is_a_site(source: str, kind: str, type_: str, text: str) -> None:
    (site,) = sites(source)
    assert (site.kind, site.type, site.text, site.line) == (kind, type_, text, 1)
    assert site.reachable is (kind != "assert")


@pytest.mark.parametrize(
    "source",
    [
        "raise",
        "raise error",
        "raise error.with_traceback(t)",
        "sys.exit(1)",
        "print('out')",
        "logger.info('fine')",
        "warn(x)",
    ],
)
def test_what_reports_nothing_of_its_own_is_no_site(source: str) -> None:
    assert sites(source) == []


@pytest.mark.parametrize("source", ["raise NotImplementedError", "assert n", "raise RuntimeError()"])
def test_a_site_without_a_message_is_internal_and_keeps_its_source_line(source: str) -> None:
    (site,) = sites(source)
    assert not site.reachable
    assert site.text == source


def test_a_message_of_another_place_handed_on_is_dynamic() -> None:
    (site,) = sites("logger.error(str(e))")
    assert site.dynamic
    assert not site.reachable


def test_a_message_put_together_in_the_same_function_is_read() -> None:
    source = (
        "def f(n):\n    msg = 'too few: '\n    msg += f'{n} blocks'\n    error = ValueError(msg)\n    raise error\n"
    )
    (site,) = sites(source)
    assert "too few: {} blocks" in {"".join(p if isinstance(p, str) else "{}" for p in t) for t in site.templates}
    assert site.function == "f"


def test_a_constant_of_the_module_and_of_the_class_is_read() -> None:
    source = (
        "TEXT = 'text of the module'\nclass C:\n    MORE = 'text of the class'\n"
        "    def f(self):\n        raise ValueError(TEXT)\n"
    )
    (site,) = sites(source)
    assert (site.text, site.function) == ("text of the module", "C.f")


def test_a_source_that_is_no_python_is_left_out() -> None:
    assert sites("def (") == []


def test_a_wheel_a_directory_and_an_installed_package_are_read_alike(tmp_path: Path) -> None:
    files = {
        "foo/a.py": "raise ValueError('text of a')",
        "foo/tests/test_a.py": "raise ValueError('text of a test')",
        "foo/native.so": b"\0\0fail to open device\0",
    }
    path = wheel(tmp_path, "Foo_Bar", "1.2.3", files)
    package = read_package(str(path))
    assert (package.name, package.version, list(package.files)) == ("foo-bar", "1.2.3", ["foo/a.py"])
    assert package.compiled == "fail to open device"
    import zipfile

    unpacked = tmp_path / "unpacked"
    zipfile.ZipFile(path).extractall(unpacked)
    assert read_package(str(unpacked)) == package
    assert read_package("typer").name == "typer"


@pytest.mark.parametrize("name", ["no-such-package-here", "", "a/b/c"])
def test_what_is_no_package_is_refused_in_one_line(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as caught:
        read_package(name)
    assert "\n" not in caught.value.message.en


def test_a_broken_wheel_and_an_empty_directory_are_refused(tmp_path: Path) -> None:
    broken = tmp_path / "broken.whl"
    broken.write_bytes(b"not a zip")
    (tmp_path / "empty").mkdir()
    for path in (broken, tmp_path / "empty"):
        with pytest.raises(InputError):
            read_package(str(path))


@given(st.text(max_size=200))
def test_any_text_can_be_read_as_a_source(source: str) -> None:
    sites(source)
