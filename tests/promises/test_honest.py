"""Nothing is claimed that the log does not carry: no finding from look-alikes, no number from nowhere."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from diagnose import diagnose_bytes
from diagnose.authoring.rules.filled import texts_filled
from diagnose.knowledge import load
from diagnose.knowledge.schema import Case
from diagnose.model import Diagnosis, Finding, Text
from tests.promises.logs import traceback

REBEL = {"max_seq_len": 262144, "kvcache_partition_len": 8192, "batch_size": 8, "num_devices": 1}


def diagnosed(log: str, sets: dict[str, Any] | None = None, npu: str | None = None) -> Diagnosis:
    return diagnose_bytes(log.encode(), sets=sets or {}, npu=npu)


def entries(found: Diagnosis) -> list[str]:
    return [f.entry for f in (*found.findings, *found.notes)]


def computed(finding: Finding) -> dict[str, dict[str, Any]]:
    """Remedies that give a value as computed."""
    sure = (r for r in finding.remedies if r.applicability in ("exact", "estimate"))
    return {r.id: {c.parameter: c.to for c in r.changes} for r in sure if r.changes}


# ---------------------------------------------------------------- a device out of memory, and what only looks like it

R, C = 39163045120, 38654705664


@pytest.mark.parametrize(
    "log",
    [
        f"NOTE requested {R} bytes of disk, capacity {C} bytes on /dev/sda\n",
        "Elasticsearch [WARN ] disk: requested 10GiB capacity 5GiB\n",
        "ERROR 11-29 08:16:30 [x.py:1] S3 upload: requested 1,073,741,824 bytes, capacity 536,870,912 bytes\n",
        f"ERROR 11-29 08:16:30 [x.py:1] cache: requested {R} bytes, capacity {C} bytes; evicting\n",
        f"The docs say: DRAM OOM: requested {R} bytes, capacity {C} bytes means the pool is too big.\n",
        f"The docs on this error say: DRAM OOM: requested {R} bytes, capacity {C} bytes means it is too big.\n",
        traceback(f"OSError: disk quota: requested {R} bytes, capacity {C} bytes"),
        traceback(f"torch.OutOfMemoryError: XPU out of memory, requested {R} bytes, capacity {C} bytes"),
        traceback("RuntimeError: GPU DRAM OOM in cuda allocator"),
        traceback("RuntimeError: no DRAM OOM happened here"),
        traceback("RuntimeError: DRAM OOM in cuda allocator"),
    ],
)
def test_other_memory_and_sentences_about_it_are_not_a_device_out_of_memory(log: str) -> None:
    found = diagnosed(log)
    assert "memory.dram-oom" not in entries(found)
    assert not any(f.domain == "rbln" for f in found.findings)


@pytest.mark.parametrize(
    "message",
    [
        "DRAM OOM: requested {r} bytes, capacity {c} bytes",
        "DRAM OOM (requested {r} B, capacity {c} B)",
        "DRAM OOM으로 실패합니다(요청 {r}바이트, 용량 {c}바이트)",
        "DRAM OOM으로 실패합니다(요청 {r}바이트, 장치당 용량 {c}바이트)",
        "Out of device memory: requested={r} capacity={c}",
        "Out of device memory: capacity={c} requested={r}",
        "(Runtime) code=511 SYS_EBUSY: allocation failed: requested {r} bytes, capacity {c} bytes",
        "(System) code=511 SYS_EBUSY: Lack of device memory: requested {r} bytes, capacity {c} bytes",
        "RBLNCompileError: requested {r} bytes, capacity {c} bytes",
        "rebel.core.exception.RBLNRuntimeError: alloc: capacity {c} bytes, requested {r} bytes",
        "Failed to create RBLN runtime: DRAM OOM: requested {r} bytes,\ncapacity {c} bytes",
        "❌ Error during model compilation: DRAM OOM: requested {r} bytes, capacity {c} bytes per device",
        "[3/3] 컴파일 실패: DRAM OOM으로 실패했습니다(요청 {r}바이트, 용량 {c}바이트)",
        "컴파일이 DRAM OOM으로 실패했습니다(요청 {r}바이트, 용량 {c}바이트)",
    ],
)
@pytest.mark.parametrize("form", ["{:d}", "{:,}"])
@pytest.mark.parametrize("place", ["raw", "exception", "logged"])
def test_every_wording_of_a_device_out_of_memory_is_read(message: str, form: str, place: str) -> None:
    text = message.format(r=form.format(R), c=form.format(C))
    if place == "raw":
        log = text + "\n"
    elif place == "exception":
        log = traceback(text if "Error: " in text else f"RuntimeError: {text}")
    else:
        log = f"ERROR 11-29 08:16:30 [core.py:1] {text}\n"
    if place == "logged" and "\n" in text:
        pytest.skip("one record is one line here")
    found = diagnosed(log)
    assert found.outcome == "diagnosed", log
    assert found.findings[0].entry == "memory.dram-oom"
    assert found.findings[0].numbers == {"requested_bytes": R, "capacity_bytes": C}


# ---------------------------------------------------------------- the log and the configuration contradict each other

KV = (
    "ValueError: Insufficient memory for the required KV cache: only {have} blocks can be allocated, but at least "
    "{need} blocks are required. Consider reducing `max_seq_len` or `batch_size` (currently {batch}) to lower the "
    "memory requirement."
)
BELOW = "ValueError: The set `kvcache_num_blocks` ({asked}) is less than the minimum number of blocks ({least})"


@pytest.mark.parametrize(
    ("have", "need", "batch", "seq", "partition"),
    [
        (12, 17, 8, 8192, 16384),
        (12, 17, 8, 262144, 4096),
        (20, 17, 8, 262144, 16384),
        (17, 17, 8, 262144, 16384),
        (12, 17, 0, 262144, 16384),
        (12, 17, -1, 262144, 16384),
        (10**12, 10**15, 8, 262144, 16384),
        (-3, 17, 8, 262144, 16384),
    ],
)
def test_counts_that_contradict_the_configuration_give_no_computed_value(
    have: int, need: int, batch: int, seq: int, partition: int
) -> None:
    sets = {"max_seq_len": seq, "kvcache_partition_len": partition}
    found = diagnosed(traceback(KV.format(have=have, need=need, batch=batch)), sets, "RBLN-CA25")
    finding = found.findings[0]
    assert finding.entry == "kv-cache.insufficient-memory"
    assert computed(finding) == {}
    first = finding.remedies[0]
    why = first.doubt or first.side_effect
    assert why is not None
    assert "nothing is computed" in why.en
    assert "계산" in why.ko


def test_counts_that_agree_are_computed_as_before() -> None:
    sets = {"max_seq_len": 262144, "kvcache_partition_len": 16384}
    finding = diagnosed(traceback(KV.format(have=12, need=17, batch=8)), sets, "RBLN-CA25").findings[0]
    assert computed(finding)["shorter-context"] == {"max_seq_len": 180224}


@pytest.mark.parametrize(
    ("asked", "least", "sets"),
    [
        (10, 33, {"max_seq_len": 32768, "kvcache_partition_len": 8192, "batch_size": 8, "kvcache_num_blocks": 100}),
        (40, 33, REBEL),
        (33, 33, {}),
        (10, 10**15, {}),
    ],
)
def test_a_minimum_that_contradicts_itself_or_the_configuration_is_not_computed(
    asked: int, least: int, sets: dict[str, Any]
) -> None:
    finding = diagnosed(traceback(BELOW.format(asked=asked, least=least)), sets, "RBLN-CR13").findings[0]
    assert finding.entry == "kv-cache.below-minimum"
    values = [v for made in computed(finding).values() for v in made.values()]
    assert all(v is None for v in values), values


def test_the_old_value_is_the_one_the_log_names() -> None:
    sets = REBEL | {"kvcache_num_blocks": 100}
    finding = diagnosed(traceback(BELOW.format(asked=10, least=33)), sets, "RBLN-CR13").findings[0]
    change = next(c for r in finding.remedies for c in r.changes if c.to == 33)
    assert change.from_ == 10


# ---------------------------------------------------------------- a message that was cut


CUT = "ValueError: Insufficient memory for the required KV cache: only 12 blocks can be allocated"


def test_a_message_cut_before_the_minimum_names_its_count_and_keeps_the_spare_block() -> None:
    sets = {"max_seq_len": 262144, "kvcache_partition_len": 16384}
    finding = diagnosed(traceback(CUT), sets, "RBLN-CA25").findings[0]
    assert "12" in finding.cause.en
    assert "no counts" not in finding.cause.en
    remedy = next(r for r in finding.remedies if r.id == "shorter-context")
    assert [c.to for c in remedy.changes] == [11 * 16384]
    assert remedy.applicability == "estimate"


def test_a_formula_shows_no_value_that_nobody_gave() -> None:
    finding = diagnosed(traceback(CUT)).findings[0]
    shown = {r.id: r.arithmetic for r in finding.remedies}
    assert "12" in shown["shorter-context"]
    assert "(p)" not in shown["smaller-partition"]
    assert "1 * 2" not in shown["more-devices"]
    partly = diagnosed(traceback(CUT), {"max_seq_len": 262144, "kvcache_partition_len": 16384}).findings[0]
    assert not any(r.arithmetic.startswith("1 * 2") for r in partly.remedies)


def test_byte_counts_of_zero_are_not_called_missing() -> None:
    finding = diagnosed(traceback("RuntimeError: DRAM OOM: requested 0 bytes, capacity 0 bytes")).findings[0]
    assert finding.entry == "memory.dram-oom"
    assert "no byte counts" not in finding.cause.en
    assert "requested 0, capacity 0" in finding.cause.en


# ---------------------------------------------------------------- ports, three words, a shutdown


FLASK = "OSError: [Errno 98] Address already in use"


def test_a_port_nobody_named_is_not_computed() -> None:
    finding = diagnosed(traceback(FLASK, file="flask_app.py", code="app.run()")).findings[0]
    assert finding.entry == "server.port-in-use"
    assert computed(finding) == {}
    assert not any("8001" in text for r in finding.remedies for text in (r.arithmetic, *r.commands.values()))
    assert any("port" in r.title.en for r in finding.remedies if r.applicability == "advice")


def test_a_port_that_was_given_or_printed_is_counted_on_from() -> None:
    given = diagnosed(traceback(FLASK), {"port": 8000}).findings[0]
    assert computed(given)["other-port"] == {"port": 8001}
    printed = (
        "ERROR:    [Errno 98] error while attempting to bind on address ('0.0.0.0', 9000): address already in use\n"
    )
    assert computed(diagnosed(printed).findings[0])["other-port"] == {"port": 9001}


@pytest.mark.parametrize("port", [65535, -7, 0])
def test_there_is_no_port_beyond_the_last_or_below_one(port: int) -> None:
    for finding in (
        diagnosed(traceback(FLASK), {"port": port}).findings[0],
        diagnosed(
            f"[Errno 98] error while attempting to bind on address ('::', {port}): address already in use\n"
        ).findings[0],
    ):
        assert all(0 < made["port"] <= 65535 for made in computed(finding).values()), finding.remedies


def test_three_words_of_any_code_are_no_missing_tokenizer() -> None:
    assert "hf.tokenizer-file-missing" not in entries(diagnosed(traceback("TypeError: not a string")))
    loader = (
        "Traceback (most recent call last):\n"
        '  File "/srv/app/main.py", line 7, in <module>\n    AutoTokenizer.from_pretrained(path)\n'
        '  File "/opt/venv/lib/python3.11/site-packages/sentencepiece/__init__.py", line 310, in LoadFromFile\n'
        "    return _sentencepiece.SentencePieceProcessor_LoadFromFile(self, arg)\nTypeError: not a string\n"
    )
    assert entries(diagnosed(loader)) == ["hf.tokenizer-file-missing"]


def test_a_shutdown_names_a_signal_only_where_the_log_does() -> None:
    line = "(APIServer pid=7) INFO 11-29 12:00:00 [launcher.py:90] Shutting down FastAPI HTTP server.\n"
    note = next(n for n in diagnosed(line).notes if n.entry == "server.stopped")
    assert "SIG" not in f"{note.title.en} {note.title.ko} {note.cause.en} {note.cause.ko}"
    line = (
        "(EngineCore pid=9) INFO 11-29 12:00:00 [core.py:1178] [shutdown] EngineCore: trigger received signal=SIGTERM\n"
    )
    note = next(n for n in diagnosed(line).notes if n.entry == "server.stopped")
    assert "SIGTERM" in note.cause.en
    assert "SIGTERM" in note.cause.ko


# ---------------------------------------------------------------- captures end where the value ends


def test_a_model_name_does_not_take_the_text_before_it() -> None:
    line = "ERROR 10-01 22:33:23 [serving_chat.py:251] ValueError: /home/u/models/llava-AWQ is not a multimodal model\n"
    finding = diagnosed(line).findings[0]
    assert finding.numbers["model"] == "/home/u/models/llava-AWQ"
    assert "ValueError" not in finding.cause.en


@pytest.mark.parametrize("device", ["CUDA", "HIP", "XPU", "NPU"])
def test_an_allocation_is_read_as_bytes(device: str) -> None:
    said = f"{device} out of memory. Tried to allocate 112.00 MiB.', please check the stack trace above for the cause"
    finding = diagnosed(traceback(f"RuntimeError: Worker failed with error '{said}")).findings[0]
    assert finding.domain == "foreign"
    assert finding.numbers["asked"] == 112 * 2**20


def test_a_command_to_paste_has_single_braces() -> None:
    message = "RuntimeError: No NPU is available to get available DRAM size."
    finding = diagnosed(traceback(message)).findings[0]
    assert finding.remedies[0].commands["python"] == 'rbln_config={"npu": "RBLN-CR13", ...}'


def test_no_example_of_an_entry_leaves_a_placeholder_of_its_texts_unfilled() -> None:
    assert list(texts_filled(load())) == []


def test_an_unfilled_placeholder_is_found_by_lint() -> None:
    knowledge = load()
    entry = replace(
        knowledge.entries["request.not-multimodal"],
        cause=(Case(None, Text("It has {prompt_len} tokens.", "{prompt_len} 토큰입니다.")),),
    )
    found = list(texts_filled(replace(knowledge, entries={**knowledge.entries, entry.id: entry})))
    assert [(p.entry, "cause" in p.message) for p in found] == [(entry.id, True)]


# ---------------------------------------------------------------- remedies are sorted, so each title stands alone


def test_no_title_of_a_remedy_continues_another() -> None:
    for entry in load().entries.values():
        for remedy in entry.remedies:
            assert not re.match(r"(Or|Otherwise|Else|Then|Also)\b", remedy.title.en), (entry.id, remedy.id)
            assert not re.match(r"(또는|아니면|혹은)\s", remedy.title.ko), (entry.id, remedy.id)
