"""A secret in a log is in the log and nowhere else: no format, no file of ours, no alert, no metric, no report."""

from __future__ import annotations

import html
import io
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from diagnose.analyzer import Analyzer, engine_for
from diagnose.bundle import make
from diagnose.bundle.making import Given
from diagnose.bundle.page import archive, page
from diagnose.cli.app import main
from diagnose.incidents import Store, recall, remember
from diagnose.incidents.nouns import Batch, Checkpoint, Sighting
from diagnose.model import Diagnosis
from diagnose.redact import Redactor, Surroundings, redacted
from diagnose.report import FORMATS, render
from diagnose.watch.hiding import HidingSink
from diagnose.watch.nouns import SourceState
from diagnose.watch.saying import alert_text
from diagnose.watch.tail.nouns import Notice
from tests.authoring.made import real
from tests.promises.logs import serve_log
from tests.redact.planted import SECRETS, Planted
from tests.watch.kit import ListSink

ROOT = Path(__file__).parents[2]
BELOW = "ValueError: The set `kvcache_num_blocks` (10) is less than the minimum number of blocks (33)"
ABOUT = Surroundings()

# ------------------------------------------------------------------------------ where it is planted


def in_the_message(text: str) -> str:
    return serve_log(f"{BELOW} {text}", args="{'model': 'X'}")


def in_the_configuration(text: str) -> str:
    args = repr({"model": text, "served_model_name": [text], "download_dir": text, "max_model_len": 4096})
    return serve_log(BELOW, args=args)


def in_an_unknown_error(text: str) -> str:
    return f"{serve_log('', args='{}')}RuntimeError: the frobnicator of the gate said {text}\n"


def in_a_frame(text: str) -> str:
    frame = f'  File "/srv/{text}.py", line 3, in main\n    call("{text}")\n'
    return serve_log(f"Traceback (most recent call last):\n{frame}{BELOW}", args="{'model': 'X'}")


def in_the_arguments(text: str) -> str:
    return f"+ vllm serve Qwen/Qwen3 --max-model-len 4096 --served-model-name x {text}\n" + in_the_message("")


def in_the_environment(text: str) -> str:
    return f"declare -x PATH=/usr/bin\n{text}\nMY_SETTING={text}\n" + in_the_message("")


def beside_the_message(text: str) -> str:
    lines = f"INFO 11-29 11:57:52 [x.py:1] {text}\n{text}\n"
    return serve_log("", args="{}") + lines + f"{BELOW}\n{text}\nINFO 11-29 11:57:59 [x.py:1] {text}\n"


REPORTED = (in_the_message, in_the_configuration, in_an_unknown_error, in_the_arguments)
"""Places that reach a report."""
QUOTED = (in_a_frame, in_the_environment, beside_the_message)
"""Places of which an excerpt may hold something."""


def file_name(name: str) -> str:
    """A log that is called so, as far as a file may be."""
    text = SECRETS[name].text
    if "://" in text:
        return "/srv/logs/server.log"
    if name == "host and user":
        return "/srv/minjaekim@npu-rack7:/logs/server.log"
    return f"{text}.log" if "/" in text else f"/srv/logs/{text}.log"


@lru_cache(maxsize=1)
def engine() -> Any:
    return engine_for(real())


@cache
def diagnosed(place: Callable[[str], str], name: str) -> Diagnosis:
    analyzer = Analyzer(name=file_name(name), knowledge=real(), engine=engine())
    analyzer.feed(place(SECRETS[name].text).encode())
    return analyzer.finish()


# --------------------------------------------------------------------------------- how it is looked for


def spellings(text: str) -> Iterator[str]:
    """``text`` as it stands, and as somebody reads it who undoes what a format does."""
    yield text
    yield text.replace("\\\\", "\\").replace("\u200b", "")
    yield text.replace("\\", "")
    yield html.unescape(text)
    yield unquote(text)
    yield unquote(html.unescape(text))


def leaks(text: str, names: Mapping[str, Planted] = SECRETS) -> list[str]:
    """The secrets that are in ``text``, with what stands around them."""
    read = list(dict.fromkeys(spellings(text)))
    return [
        f"{name}: …{one[max(one.index(planted.secret) - 60, 0) :][:120]}"
        for name, planted in names.items()
        for one in read
        if planted.secret in one
    ][:8]


def bytes_of(directory: Path) -> str:
    """Every file of a directory, also what SQLite has not written back yet."""
    return "\n".join(p.read_bytes().decode("utf-8", "replace") for p in sorted(directory.rglob("*")) if p.is_file())


# ---------------------------------------------------------------------------------------- promises


def test_there_are_many_kinds() -> None:
    assert len(SECRETS) >= 25


@pytest.mark.parametrize("place", [in_the_message, in_the_configuration, in_an_unknown_error], ids=lambda p: p.__name__)
def test_without_redaction_it_would_leak(place: Callable[[str], str]) -> None:
    """The test below can fail: what is planted does reach the report."""
    reached = [name for name in SECRETS if leaks(json.dumps(diagnosed(place, name).to_dict()), {name: SECRETS[name]})]
    assert len(reached) >= 0.9 * len(SECRETS), sorted(set(SECRETS) - set(reached))


@pytest.mark.parametrize("place", REPORTED, ids=lambda p: p.__name__)
@pytest.mark.parametrize("format", FORMATS)
def test_no_format_holds_it(format: str, place: Callable[[str], str]) -> None:
    found = [
        name
        for name, planted in SECRETS.items()
        if leaks(render(redacted(diagnosed(place, name), Redactor(ABOUT)), format, "ko"), {name: planted})
    ]
    assert found == []


@pytest.mark.parametrize("place", [in_the_message, in_an_unknown_error], ids=lambda p: p.__name__)
def test_a_message_is_not_cut_inside_of_it(place: Callable[[str], str]) -> None:
    """A message is shown up to a length; half a token would not be known as one."""
    token = "hf_QwErTyUiOpAsDfGhJkLzXcVbNm12345678"
    for length in range(330, 720, 3):
        analyzer = Analyzer(knowledge=real(), engine=engine())
        analyzer.feed(place(("lorem ipsum " * 60)[:length] + f" {token} dolor" * 3).encode())
        assert "QwEr" not in json.dumps(redacted(analyzer.finish(), Redactor(ABOUT)).to_dict())


def reported(log: str, name: str) -> tuple[bool, str]:
    """Whether the excerpt of a report on ``log`` gives the same diagnosis, and every text of the report."""
    bundle = make(lambda: [log.encode()], Given(name, knowledge=real(), engine=engine()), ABOUT)
    with zipfile.ZipFile(io.BytesIO(archive(bundle, "en", "Python"))) as made:
        texts = [page(bundle, "ko", "Python"), *(made.read(one).decode() for one in made.namelist())]
    return bundle.same, "\n".join(texts)


def test_no_report_on_a_message_holds_it() -> None:
    for name, planted in SECRETS.items():
        same, text = reported(in_the_message(planted.text), file_name(name))
        assert leaks(text, {name: planted}) == []
        assert same, name


@pytest.mark.parametrize("place", QUOTED, ids=lambda p: p.__name__)
def test_no_excerpt_of_a_report_holds_any(place: Callable[[str], str]) -> None:
    log = "".join(place(planted.text) for planted in SECRETS.values())
    same, text = reported(log, "server.log")
    assert leaks(text) == []
    assert same


def test_the_memory_does_not_hold_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not its file, not its journal, not the search index, not what is remembered of it."""
    path = tmp_path / "store" / "incidents.db"
    monkeypatch.setenv("RBLN_DIAGNOSE_DB", str(path))
    hold = Store.open(path)  # keeps the journal from being written back
    try:
        for place in (in_the_message, in_the_configuration, in_an_unknown_error):
            for name in SECRETS:
                remember(diagnosed(place, name), path)
                memory = recall(diagnosed(place, name), path)
                said = [t.en for f in diagnosed(place, name).findings for t in memory.of(f)]
                assert leaks("\n".join(said), {name: SECRETS[name]}) == []
        assert leaks(bytes_of(path.parent)) == []
    finally:
        hold.close()
    assert leaks(bytes_of(path.parent)) == []


def test_whoever_writes_to_the_memory_writes_no_secret(tmp_path: Path) -> None:
    """The store redacts by itself: a caller that forgot to, changes nothing. Alerts are made there."""
    store = Store.open(tmp_path / "incidents.db")
    said = []
    for number, (name, planted) in enumerate(SECRETS.items()):
        d = diagnosed(in_the_message, name)
        source = file_name(name)
        batch = Batch(
            Checkpoint(source, "1:2:abc", number, 3),
            (Sighting("opened", f"1:{number:020x}", f"r{number}", 0, d.findings[0], d.run, f"x\n{planted.text}\ny"),),
            (f"s{number}", d.run),
        )
        store.write(batch, source=source, host="", channels=("test",))
        point = store.checkpoint(source)
        assert point is not None
        assert point.offset == number, "two logs whose names differ in a secret are two"
    for alert in store.due_alerts():
        said += [json.dumps(alert.payload, ensure_ascii=False)]
        said += alert_text(alert.kind, alert.payload, "en", host=ABOUT.machine, source="")
    assert said
    assert leaks("\n".join(said)) == []
    assert leaks(bytes_of(tmp_path)) == []
    store.close()


def test_no_label_of_a_metric_and_no_word_of_the_daemon_holds_it() -> None:
    prometheus = pytest.importorskip("prometheus_client")
    from diagnose.watch.daemon import Stats
    from diagnose.watch.listening import Numbers, application

    sink = ListSink()
    hiding = HidingSink(sink, ABOUT)
    states = [SourceState(file_name(n), "failed", 1, 1, 0, 0.0, 0, p.text) for n, p in SECRETS.items()]

    class Daemon:
        latest, stats, turned_at = states, Stats(), 0.0

    daemon: Any = Daemon()
    numbers = Numbers(daemon, lambda: False, lambda: (0, 0), hiding.states)
    registry = prometheus.CollectorRegistry()
    registry.register(numbers)
    metrics = prometheus.generate_latest(registry).decode()
    assert metrics.count("rbln_diagnose_lines_total{") == len(SECRETS)
    app = application(daemon, numbers, lambda: 0.0, lambda: False, hiding.states)
    health = b"".join(app({"PATH_INFO": "/healthz"}, lambda *a: None)).decode()
    for name, planted in SECRETS.items():
        hiding.notice(Notice("unreadable", file_name(name), {"why": planted.text}))
    hiding.state(states)
    assert leaks(metrics.replace("\\\\", "\\").replace('\\"', '"')) == []
    assert leaks(health) == []
    assert leaks(repr(sink.notices)) == []
    assert leaks(repr(sink.states)) == []


def whole_log(tmp_path: Path) -> Path:
    """One log with everything in it, in a directory with somebody's name."""
    directory = tmp_path / "home" / "minjaekim"
    directory.mkdir(parents=True)
    log = directory / "glpat-xY7zAb9cDe1fGh3iJk5l.log"
    texts = [place(planted.text) for planted in SECRETS.values() for place in (in_the_message, in_an_unknown_error)]
    log.write_text("".join(texts), "utf-8")
    return log


@pytest.mark.parametrize("options", [[], ["--all-runs"], *(["--format", f] for f in FORMATS)], ids=str)
def test_no_command_line_shows_it(
    tmp_path: Path, options: list[str], capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RBLN_DIAGNOSE_DB", str(tmp_path / "store" / "i.db"))
    log = whole_log(tmp_path)
    assert main([str(log), *options], {"LANG": "en"}) in (1, 3)
    for command in (["list"], ["search", "kvcache"], ["export"], ["list", "--format", "json"]):
        assert main(["history", *command], {}) == 0
    out, err = capsysbinary.readouterr()
    assert leaks(out.decode()) == []
    assert leaks(err.decode()) == []
    assert leaks(bytes_of(tmp_path / "store")) == []
    assert out


def test_a_file_that_cannot_be_read_is_named_without_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in SECRETS:
        main([file_name(name)], {})
        main(["x.log", "--config", file_name(name)], {})
    out, err = capsys.readouterr()
    assert leaks(out + err) == []


def test_a_bug_of_ours_prints_a_bundle_without_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, planted in SECRETS.items():

        def fails(*args: object, text: str = planted.text, **options: object) -> Diagnosis:
            raise RuntimeError(f"cannot take {text} apart")

        monkeypatch.setattr("diagnose.analyzer.diagnose_path", fails)
        argv = [file_name(name), "--set", f"model={planted.text}", f"--config={file_name(name)}"]
        assert main(argv, {"LANG": "en"}) == 2
    out, err = capsys.readouterr()
    assert err.count("RuntimeError: cannot take") == len(SECRETS)
    assert leaks(out + err) == []


def test_a_draft_of_an_entry_holds_none(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("diagnose.knowledge.load", real)
    for name in ("hf token", "password", "IPv4", "home", "host in a URL", "prompt", "e-mail"):
        line = f"RuntimeError: the frobnicator of the gate refused 17 requests of {SECRETS[name].text}"
        assert main(["kb", "new", line], {"LANG": "en"}) == 0
        out, err = capsys.readouterr()
        assert leaks(out + err) == []
        assert "refused {" in out


def test_the_watch_tells_none(tmp_path: Path) -> None:
    """The daemon as it is started: events on stdout, talk on stderr, what it stores."""
    few = list(SECRETS.values())[::6]
    texts = [beside_the_message("\n".join(planted.text for planted in SECRETS.values()))]
    texts += [place(planted.text) for planted in few for place in (in_the_message, in_an_unknown_error)]
    environ = {**os.environ, "RBLN_DIAGNOSE_DB": str(tmp_path / "store" / "i.db"), "LANG": "en"}
    done = subprocess.run(
        [sys.executable, "-m", "diagnose", "watch", "-", "--format", "json"],
        input="".join(texts).encode(),
        env=environ,
        cwd=ROOT,
        capture_output=True,
        timeout=120,
        check=False,
    )
    events = [json.loads(line) for line in done.stdout.decode().splitlines()]
    assert {event["event"] for event in events} >= {"opened", "unknown"}
    assert leaks(done.stdout.decode()) == []
    assert leaks(done.stderr.decode()) == []
    assert leaks(bytes_of(tmp_path / "store")) == []
