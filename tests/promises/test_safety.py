"""Nothing in a log, a configuration or an entry is executed, is waited for, fills the memory or drives the reader."""

from __future__ import annotations

import gzip
import json
import os
import sqlite3
import subprocess
import sys
import unicodedata
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
import zstandard

from diagnose import diagnose_bytes, diagnose_path
from diagnose.cli.app import main
from diagnose.context.readers import read_config
from diagnose.knowledge import load
from diagnose.knowledge.schema import SourceError
from diagnose.knowledge.source import MAX_BYTES, MAX_DEPTH, MAX_NODES, read_entry
from diagnose.model import InputError
from diagnose.report import FORMATS, render

PARAMETERS = load({}).parameters
NASTY = (
    "\x1b]52;c;cm0gLXJm\x07\x1b]0;title\x07\x1b[2J\x1b[1;1H\x9b31m\x90q\x9c\u202egnp\u2066"
    "</pre><script>alert(1)</script><img src=http://evil.example/beacon.png>[x](javascript:alert(1)) @everyone "
    "``` ::error file=a::b ##vso[task.setvariable]x %0A::set-output name=a::b ]]> <!-- \x00 ' OR 1=1 --"
)
UNKNOWN = f"ERROR 11-29 12:00:00 [core.py:1] entirely unheard-of trouble {NASTY}\n"


@pytest.fixture
def marked(tmp_path: Path) -> Path:
    """A file that exists only when something was executed."""
    return tmp_path / "executed"


# ------------------------------------------------------------------------------------ nothing is executed


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("run.py", "open({mark!r}, 'w')\nfrom vllm import LLM\nLLM(model='m', max_model_len=open({mark!r}, 'w'))\n"),
        ("run.py", "from vllm import LLM\nLLM(model=f\"{{open({mark!r}, 'w')}}\", max_num_seqs=8)\n"),
        ("run.sh", "touch {mark}\nvllm serve $(touch {mark}) --max-model-len `touch {mark}`\n"),
        ("c.yaml", "services:\n  a:\n    command: vllm serve m $(touch {mark})\n"),
        ("c.yaml", "services:\n  a:\n    command: !!python/object/apply:os.system ['touch {mark}']\n"),
        ("c.yaml", "x-a: !!python/object/new:subprocess.Popen [[touch, {mark}]]\nservices: {{}}\n"),
    ],
)
def test_no_configuration_is_executed(name: str, text: str, tmp_path: Path, marked: Path) -> None:
    path = tmp_path / name
    path.write_text(text.format(mark=str(marked)), "utf-8")
    try:
        read_config(str(path), PARAMETERS)
    except InputError as error:
        assert "\n" not in error.message.en
    assert not marked.exists()


@pytest.mark.parametrize(
    "line",
    [
        "non-default args: {{'model': __import__('os').system('touch {mark}')}}",
        "Compiling x with rbln_config {{'a': open('{mark}', 'w')}}",
        "ValueError: $(touch {mark}) `touch {mark}`",
    ],
)
def test_no_line_of_a_log_is_executed(line: str, marked: Path) -> None:
    text = f"INFO 11-29 12:00:00 [api_utils.py:286] {line.format(mark=marked)}\n" * 3
    diagnose_bytes(text.encode())
    assert not marked.exists()


def test_no_entry_is_executed(tmp_path: Path, marked: Path) -> None:
    path = tmp_path / "e.yaml"
    path.write_text(f"id: !!python/object/apply:os.system ['touch {marked}']\n", "utf-8")
    with pytest.raises(SourceError):
        read_entry(path)
    assert not marked.exists()


# ------------------------------------------------------------------------------------------------ bombs

LAUGHS = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12)
)
BOMBS = {
    "aliases": f"{LAUGHS}services: {{a: {{command: *a11}}}}\n",
    "itself": "services: &s\n  a: *s\n  command: vllm serve m\n",
    "merge": "services: &s {command: vllm serve m}\n" + "x-b: {<<: [" + ", ".join(["*s"] * 30_000) + "]}\n",
    "flow depth": "services: " + "[" * 50_000,
    "block depth": "services:\n" + "\n".join(" " * n + "a:" for n in range(1, 1_200)),
    "json depth": '{"a": ' * 100_000,
    "json list": '{"a": ' + "[" * 100_000,
    "json digits": '{"cls_name": "RBLNx", "max_seq_len": ' + "9" * 100_000 + "}",
    "python depth": "LLM(" + "(" * 50_000 + "1" + ")" * 50_000 + ")",
    "python sum": "LLM(model='m', max_model_len=" + "+".join(["1"] * 100_000) + ")",
    "python power": "from vllm import LLM\nLLM(model='m', max_model_len=9**9**9**9, max_num_seqs='a' * 10**12)\n",
    "python doubling": "from vllm import LLM\na = [1]\n" + "a = a + a\n" * 64 + "LLM(model='m', max_num_seqs=a)\n",
    "shell quotes": "vllm serve " + "\\" * 200_000 + '"',
    "shell words": "vllm serve m " + "--x " * 100_000,
    "shell in shell": "bash -c " * 2_000 + "'vllm serve m'",
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_a_configuration_that_explodes_is_refused_or_read_in_bounds(bomb: str, tmp_path: Path) -> None:
    path = tmp_path / "c"
    path.write_text(BOMBS[bomb], "utf-8")
    try:
        assert len(repr(read_config(str(path), PARAMETERS))) < 1_000_000
    except InputError as error:
        assert "\n" not in error.message.en
        assert len(error.message.en) < 1_000


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (f"{LAUGHS}id: *a11\n", "repeated too much"),
        ("id: &a [*a]\n", "contains itself"),
        ("id: " + "[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1), "nested too deep"),
        ("id: [" + "x, " * MAX_NODES + "x]", "repeated too much"),
        ("# " + "x" * MAX_BYTES, "larger than"),
        ("id: " + "[" * 50_000, "not valid YAML"),
        ("id: 2026-13-45\n", "not valid YAML"),
        ("id: x\ncomponent: [rebel]\nrole: root\ntitle: {en: a, ko: a}\ncause: {en: a, ko: a}\n", "component"),
        ("id: x\ncomponent: rebel\nrole: root\ntitle: {en: a, ko: a}\ncause: a\n", "is a mapping"),
        ("id: x\n1: y\n? [a]\n: b\n", ""),
    ],
)
def test_an_entry_that_explodes_is_refused_with_the_reason(text: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "e.yaml"
    path.write_text(text, "utf-8")
    with pytest.raises(SourceError) as refused:
        read_entry(path)
    assert says in refused.value.reason


@pytest.mark.skipif(sys.platform != "linux", reason="the peak of a process is read from /proc")
@pytest.mark.parametrize("kind", ["gz", "zst"])
def test_an_archive_that_explodes_is_read_in_bounded_memory(kind: str, tmp_path: Path) -> None:
    whole = b"\0" * 1_000_000 + b"a" * 150_000_000
    path = tmp_path / f"bomb.{kind}"
    packed = gzip.compress(whole, 9) if kind == "gz" else zstandard.ZstdCompressor(level=9).compress(whole)
    assert len(packed) < len(whole) / 900
    path.write_bytes(packed)
    code = (
        "from pathlib import Path\nfrom diagnose import diagnose_path\n"
        f"found = diagnose_path({str(path)!r})\nassert found.input.bytes == {len(whole)}\n"
        # Not the process's ru_maxrss: that counts what this one held when it was forked.
        "print(Path('/proc/self/status').read_text().partition('VmHWM:')[2].split()[0])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert int(done.stdout) < 120 * 1024


# ------------------------------------------------------------------------------------------------- paths


def test_a_directory_of_links_waits_for_nothing_and_reads_no_device(tmp_path: Path) -> None:
    artifact = tmp_path / "artifact"
    artifact.mkdir()
    (artifact / "rbln_config.json").write_text('{"cls_name": "RBLNQwen3ForCausalLMConfig", "batch_size": 2}', "utf-8")
    os.mkfifo(artifact / "config.json")
    (artifact / "processor_config.json").symlink_to("/dev/zero")
    (artifact / "preprocessor_config.json").symlink_to("preprocessor_config.json")
    (artifact / "visual").symlink_to(artifact)
    (artifact / "language_model").symlink_to("/nonexistent")
    assert read_config(str(artifact), PARAMETERS).values["batch_size"] == 2
    for target in ("/dev/zero", "/dev/null"):
        (artifact / "rbln_config.json").unlink()
        (artifact / "rbln_config.json").symlink_to(target)
        with pytest.raises(InputError):
            read_config(str(artifact), PARAMETERS)


def test_a_linked_file_of_the_system_is_never_quoted(tmp_path: Path) -> None:
    secret = tmp_path / "shadow"
    secret.write_text("root:$6$secret-hash:19000\n", "utf-8")
    (tmp_path / "rbln_config.json").symlink_to(secret)
    for path in (tmp_path, tmp_path / "rbln_config.json"):
        with pytest.raises(InputError) as refused:
            read_config(str(path), PARAMETERS)
        assert "secret-hash" not in refused.value.message.en + refused.value.message.ko


@pytest.mark.parametrize("made", ["fifo", "link to a device", "link to itself"])
def test_extra_entries_are_regular_files(made: str, tmp_path: Path) -> None:
    path = tmp_path / "e.yaml"
    if made == "fifo":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero" if made == "link to a device" else path)
    with pytest.raises(InputError):
        load({"RBLN_DIAGNOSE_KB": str(path), "XDG_CACHE_HOME": str(tmp_path / "cache")})
    # In a directory it is passed over.
    load({"RBLN_DIAGNOSE_KB": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")})


NAMES = [
    "a\nb\n::error::x.log",
    "\x1b]0;t\x07.log",
    "-rf",
    "--format=json",
    "a'b\"c`d$(e).log",
    "x" * 250,
    "\u202egol.log",
]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("format", FORMATS)
def test_a_file_name_of_any_form_is_shown_without_its_power(
    name: str, format: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_text(UNKNOWN, "utf-8", errors="replace")
    assert main(["--format", format, "--no-store", "--lang", "en", "--", name], {}) == 3
    harmless(capfdbinary.readouterr().out.decode(), format)


def test_a_name_that_is_no_text_is_stored_and_found_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RBLN_DIAGNOSE_DB", str(tmp_path / "h.db"))
    path = tmp_path / os.fsdecode(b"a\xffb.log")
    path.write_text(UNKNOWN, "utf-8")
    assert main([str(path), "--lang", "en"]) == 3
    assert "not stored" not in capsys.readouterr().err
    assert main(["history", "list", "--source", os.fsdecode(b"a\xffb"), "--lang", "en"]) == 0
    assert "unknown" in capsys.readouterr().out


def test_words_to_search_are_words_and_no_query(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database = tmp_path / "h.db"
    monkeypatch.setenv("RBLN_DIAGNOSE_DB", str(database))
    log = tmp_path / "a.log"
    log.write_text(UNKNOWN, "utf-8")
    main([str(log)])
    for words in (
        "'; DROP TABLE incidents; --",
        '" OR 1=1 OR "',
        "NEAR(a b)",
        "a*",
        "-x:y",
        "^a {b c}",
        "\ud800 a",
        "%_%",
    ):
        assert main(["history", "search", "--", words]) in (0, 1)
    with sqlite3.connect(database) as stored:
        assert stored.execute("SELECT count(*) FROM incidents").fetchone() == (1,)


# ------------------------------------------------------------------------------------------------ reports


def harmless(text: str, format: str) -> None:
    """No control, no bidirectional override, no command of a CI, no markup of the log's own."""
    assert not [c for c in text if c != "\n" and unicodedata.category(c) in ("Cc", "Cs", "Cf") and c != "\u200b"]
    lines = text.split("\n")
    if format == "github":
        assert all(line.startswith(("::error ", "::warning ", "::notice ")) for line in lines[:-1])
    else:
        assert not [line for line in lines if line.lstrip().startswith(("::error", "::set-output"))]
    assert not [line for line in lines if line.startswith("##vso")]
    if format == "html":
        assert "<script" not in text and "<img" not in text and "<a " not in text
    if format in ("json", "sarif", "gitlab"):
        json.loads(text)
    if format == "junit":
        ET.fromstring(text)


@pytest.mark.parametrize("format", FORMATS)
def test_no_report_passes_on_what_a_log_orders(format: str) -> None:
    found = diagnose_bytes(UNKNOWN.encode("utf-8", "surrogatepass"), name=f"{NASTY}.log")
    assert found.unknown
    for lang in ("en", "ko"):
        harmless(render(found, format, lang), format)


def test_what_a_log_says_in_markdown_stays_in_its_fence() -> None:
    import markdown_it

    text = render(diagnose_bytes(UNKNOWN.encode()), "markdown", "en")
    shown = markdown_it.MarkdownIt("commonmark", {"html": True}).enable("table").render(text)
    for markup in ("<script", "<img", "<a ", 'javascript:alert(1)"'):
        assert markup not in shown


def test_an_address_in_a_log_is_never_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    import socket

    def refused(*args: object, **more: object) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket, "socket", refused)
    monkeypatch.setattr(socket, "getaddrinfo", refused)
    text = "ERROR 11-29 12:00:00 [a.py:1] see https://hooks.example/services/T0/B0/x and http://169.254.169.254/\n"
    found = diagnose_bytes(text.encode())
    for format in FORMATS:
        render(found, format, "en")


def test_a_log_of_one_endless_line_is_read_in_bounds(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(b"ValueError: " + b"x" * 12_000_000)
    assert diagnose_path(path).input.lines == 1
