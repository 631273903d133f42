"""Several servers in one input: each is judged by its own lines."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diagnose import Diagnosis, diagnose_bytes
from diagnose.records.server import server_of
from diagnose.servers import MAX_SERVERS

Carry = Callable[[str], str]
"""A line of a server → as it stands in the input."""
TIME = "2026-11-29T08:07:35.000Z"


def behind(prefix: str) -> Carry:
    return lambda line: prefix + line


def numbered(name: str) -> Carry:
    lines = itertools.count(1)
    return lambda line: f"{name}:{next(lines)}:{line}"


def within(key: str, **around: object) -> Carry:
    return lambda line: json.dumps({key: line + "\n", "time": TIME, **around})


CARRIERS: dict[str, Callable[[str], Carry]] = {
    "compose": lambda name: behind(f"{name}-1  | "),
    "kubectl": lambda name: behind(f"[pod/{name}-6f7c9d8b5-x2x4z/server] "),
    "stern": lambda name: behind(f"{name}-6f7c9d8b5-x2x4z server "),
    "stern over bare pods": lambda name: behind(f"vllm-{name} srv "),
    "stern over a StatefulSet": lambda name: behind(f"{name}-0 server "),
    "swarm": lambda name: behind(f"{name}.1.k3j9x0q2m4ab@node-1    | "),
    "concurrently": lambda name: behind(f"[{name}] "),
    "concurrently with colours": lambda name: behind(f"\x1b[34m[{name}]\x1b[39m "),
    "honcho": lambda name: behind(f"12:00:01 {name}.1 | "),
    "honcho with colours": lambda name: behind(f"\x1b[36m12:00:01 {name}.1 | \x1b[0m"),
    "one blank before the bar": lambda name: behind(f"{name} | "),
    "pm2": lambda name: behind(f"{len(name)}|{name} | "),
    "pdsh": lambda name: behind(f"{name}: "),
    "grep": lambda name: behind(f"{name}.log:"),
    "grep in folders": lambda name: behind(f"logs/{name}:"),
    "grep -n": lambda name: numbered(f"{name}.log"),
    "time and name": lambda name: behind(f"2026-11-29T08:07:35Z {name} "),
    "journal": lambda name: behind(f"Nov 29 08:07:00 host {name}[77]: "),
    "fluent-bit": lambda name: within(
        "log", stream="stderr", kubernetes={"pod_name": f"{name}-6f7c9d8b5-x2x4z", "container_name": "server"}
    ),
    "Loki": lambda name: within("line", labels={"pod": f"{name}-0", "container": "server"}),
    "Google Cloud": lambda name: within(
        "textPayload", resource={"type": "k8s_container", "labels": {"pod_name": f"{name}-0"}}
    ),
}
KERNEL = "Nov 29 08:09:00 host kernel: Out of memory: Killed process 4242 (VLLM::EngineCor) total-vm:9kB, anon-rss:9kB"


def start(pid: int, length: int, partition: int) -> list[str]:
    config = f'{{"max_seq_len": {length}, "kvcache_partition_len": {partition}, "batch_size": 8, "num_devices": 8}}'
    return [
        f"(APIServer pid={pid}) INFO 11-29 08:01:06 [api_utils.py:286] vLLM API server version 0.30.0",
        f"(APIServer pid={pid}) INFO 11-29 08:01:06 [api_utils.py:286] non-default args: {{'max_model_len': {length}}}",
        f"(EngineCore pid={pid + 1}) [vllm-rbln] INFO 11-29 08:01:25 [model_base.py:242] Compiling m via optimum-rbln"
        f" (RBLNQwen3ForCausalLM) with rbln_config: {config}",
    ]


def failure(pid: int, blocks: int = 12) -> list[str]:
    return [
        f"(EngineCore pid={pid + 1}) ERROR 11-29 08:07:35 [core.py:1366] EngineCore failed to start.",
        f"(EngineCore pid={pid + 1}) ERROR 11-29 08:07:35 [core.py:1366] ValueError: Insufficient memory for the"
        f" required KV cache: only {blocks} blocks can be allocated, but at least 17 blocks are required. Consider"
        " reducing `max_seq_len` or `batch_size` (currently 8) to lower the memory requirement.",
    ]


def up(pid: int) -> list[str]:
    return [f"(APIServer pid={pid}) INFO:     Application startup complete."]


def read(lines: Sequence[str]) -> Diagnosis:
    return diagnose_bytes("".join(f"{line}\n" for line in lines).encode())


def carried(carry: Carry, lines: Sequence[str]) -> list[str]:
    return [carry(line) for line in lines]


def lengths(diagnosis: Diagnosis) -> list[tuple[object, object]]:
    """Old and new max_seq_len of every finding's first remedy."""
    return [(change.from_, change.to) for f in diagnosis.findings for change in f.remedies[0].changes]


@pytest.mark.parametrize("carrier", CARRIERS)
def test_a_failure_is_computed_with_its_own_servers_configuration(carrier: str) -> None:
    one, other = (CARRIERS[carrier](name) for name in ("chat", "code"))
    found = read(
        carried(one, start(10, 262_144, 16_384))
        + carried(other, start(20, 131_072, 8_192) + up(20))
        + carried(one, failure(10))
    )
    assert [f.line for f in found.findings] == [9]
    assert lengths(found) == [(262_144, 11 * 16_384)]


@pytest.mark.parametrize("carrier", CARRIERS)
def test_another_server_that_comes_up_heals_nothing(carrier: str) -> None:
    one, other = (CARRIERS[carrier](name) for name in ("chat", "code"))
    failed = carried(one, start(10, 262_144, 16_384) + failure(10))
    assert read(failed + carried(other, start(20, 32_768, 8_192) + up(20))).outcome == "diagnosed"
    again = read(failed + carried(one, start(30, 32_768, 8_192) + up(30)))
    assert again.outcome == "healthy"
    assert [note.recovered for note in again.notes] == [True]


def test_another_replica_of_the_deployment_is_the_same_server() -> None:
    failed = carried(behind("[pod/chat-6f7c9d8b5-x2x4z/server] "), start(10, 262_144, 16_384) + failure(10))
    after = carried(behind("[pod/chat-6f7c9d8b5-bq7kz/server] "), start(10, 32_768, 8_192) + up(10))
    assert read(failed + after).outcome == "healthy"


def test_what_the_kernel_did_is_told_once_for_all_servers() -> None:
    one, other = (CARRIERS["journal"](name) for name in ("chat", "code"))
    died = "(APIServer pid=10) ERROR 11-29 08:09:00 [core_client.py:600] Engine core proc EngineCore died unexpectedly."
    found = read(
        carried(one, start(10, 8_192, 4_096))
        + carried(other, start(20, 8_192, 4_096) + up(20))
        + [KERNEL]
        + carried(one, [died])
    )
    assert [(f.line, f.role) for f in found.findings] == [(8, "root")]


def test_a_server_that_only_echoes_goes_with_the_cause_of_another() -> None:
    one, other = (CARRIERS["compose"](name) for name in ("node-0", "node-1"))
    echo = "(APIServer pid=20) RuntimeError: Engine core initialization failed. See root cause above."
    found = read(
        carried(one, start(10, 262_144, 16_384))
        + carried(other, start(20, 262_144, 16_384))
        + carried(one, failure(10))
        + carried(other, [echo])
    )
    assert [f.line for f in found.findings] == [8]
    assert 9 in [c.line for c in found.findings[0].consequences]


def test_more_servers_than_are_told_apart_are_read_as_one() -> None:
    def log(count: int) -> list[str]:
        made = carried(behind("s0-1  | "), start(10, 262_144, 16_384) + failure(10))
        for number in range(1, count):
            pid = 100 * number
            made += carried(behind(f"s{number}-1  | "), start(pid, 32_768, 8_192) + up(pid))
        return made

    assert read(log(MAX_SERVERS)).outcome == "diagnosed"
    assert read(log(MAX_SERVERS + 1)).outcome == "healthy"


def test_a_server_without_a_name_among_named_ones_makes_them_one() -> None:
    named = carried(behind("chat-1  | "), start(10, 262_144, 16_384)) + carried(
        behind("code-1  | "), start(20, 262_144, 16_384)
    )
    assert read(named + start(30, 262_144, 16_384) + failure(30)).findings[0].line == 11


@given(st.sampled_from(sorted(CARRIERS)), st.lists(st.booleans(), max_size=14), st.integers(3, 16), st.integers(3, 16))
@settings(max_examples=25)
def test_any_interleaving_of_two_failed_servers_gives_both_as_each_alone(
    carrier: str, turns: list[bool], first: int, second: int
) -> None:
    logs = {
        True: carried(CARRIERS[carrier]("chat"), start(10, 262_144, 16_384) + failure(10, first)),
        False: carried(CARRIERS[carrier]("code"), start(20, 131_072, 8_192) + failure(20, second)),
    }
    alone = {change for log in logs.values() for change in lengths(read(log))}
    left = {turn: list(log) for turn, log in logs.items()}
    mixed = [left[turn].pop(0) for turn in turns if left[turn]] + left[True] + left[False]
    found = read(mixed)
    assert set(lengths(found)) == alone
    assert {mixed[f.line - 1] for f in found.findings} == {log[-1] for log in logs.values()}


@pytest.mark.parametrize(
    ("origin", "server"),
    [
        ("", ""),
        ("stderr", ""),
        ("01O", ""),
        ("1,0", ""),
        ("3", ""),
        ("vllm-chat-1", "vllm-chat-1"),
        ("host vllm[4242]", "host vllm"),
        ("host kernel", ""),
        ("host systemd[1]", ""),
        ("pod/chat-6f7c9d8b5-x2x4z/server", "pod/chat/server"),
        ("pod/chat-0/server stderr", "pod/chat-0/server"),
        ("chat.1.k3j9x0q2m4ab@node-1", "chat.1"),
        ("chat.12.k3j9x0q2m4abcdefghijklmno@node-1.lan", "chat.12"),
        ("ecs/server/0123456789abcdef0123456789abcdef", "ecs/server"),
    ],
)
def test_a_server_keeps_its_name_over_a_restart(origin: str, server: str) -> None:
    assert server_of(origin) == server


@st.composite
def in_one_stream(draw: st.DrawFn) -> tuple[list[str], list[str]]:
    """Lines of two servers in any order, each in its own; and those of the first, which fails, alone."""
    one, other = [*start(10, 262144, 16384), *failure(10)], start(20, 131072, 8192)
    turns = draw(st.permutations([0] * len(one) + [1] * len(other)))
    lines = [iter(one), iter(other)]
    return [next(lines[turn]) for turn in turns], one


@given(in_one_stream())
@settings(max_examples=30)
def test_in_one_stream_without_names_a_failure_has_what_its_own_process_said_in_any_order(
    made: tuple[list[str], list[str]],
) -> None:
    mixed, alone = made
    assert lengths(read(mixed)) == lengths(read(alone)) == [(262144, 180224)]


# ------------------------------------------------------------------ one stream, told apart by the processes alone


def gave_up(pid: int) -> list[str]:
    cause = (
        "RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {'EngineCore': 1}"
    )
    return [f"(APIServer pid={pid}) {cause}"]


def told(lines: Sequence[str]) -> list[tuple[object, ...]]:
    """Of every finding: where, how often, the change, and where its echoes are, as the lines stand there."""
    found = read(lines)
    return [
        (
            lines[f.line - 1],
            f.count,
            [(c.parameter, c.from_, c.to) for remedy in f.remedies for c in remedy.changes],
            sorted(lines[c.line - 1] for c in f.consequences),
        )
        for f in found.findings
    ]


CHAT = [*start(10, 262_144, 16_384), *failure(10), *gave_up(10)]
CODE = [*start(20, 131_072, 8_192), *failure(20, 9), *gave_up(20)]


@given(st.permutations([0] * 3 + [1] * 3), st.permutations([0] * 3 + [1] * 3))
@settings(max_examples=30)
def test_any_two_servers_of_one_stream_that_were_started_both_and_failed_are_told_as_each_alone(
    starts: list[int], ends: list[int]
) -> None:
    logs = [iter(CHAT), iter(CODE)]
    mixed = [next(logs[turn]) for turn in (*starts, *ends)]
    assert sorted(told(mixed)) == sorted([*told(CHAT), *told(CODE)])


def test_what_one_server_asked_for_is_not_held_against_what_the_other_runs_with() -> None:
    asked = [line for line in CODE if "non-default" in line]
    found = read([*CHAT[:2], *asked, *CODE[2:3], *CHAT[2:]])
    assert [(f.process, f.remedies[0].changes[0].from_) for f in found.findings] == [("EngineCore pid=11", 262_144)]
    assert found.run.config["max_seq_len"].value == 262_144
    assert "config.overruled" not in [note.entry for note in found.notes]


def test_a_server_that_was_started_again_is_not_two() -> None:
    assert told(CHAT + CODE) == told(CODE)
    assert [count for _, count, *_ in told(CHAT[2:5] + CODE[2:5])] == [2]


def test_one_server_of_several_engines_and_workers_fails_once() -> None:
    log = [line.replace("EngineCore", "EngineCore_DP0") for line in CHAT]
    for rank, pid in ((1, 12), (2, 13)):
        log += [line.replace("EngineCore pid=21", f"EngineCore_DP{rank} pid={pid}") for line in CODE[3:5]]
    for pid in (14, 15):
        log += [line.replace("EngineCore pid=21", f"Worker_TP0 pid={pid}") for line in CODE[4:5]]
    found = read(log)
    assert [(f.count, len(f.lines)) for f in found.findings] == [(5, 5)]


def test_how_often_a_storm_was_only_counted_is_not_said_of_both_servers() -> None:
    storm = [line for n in range(200) for line in (*failure(10, 300 + n)[1:], *failure(20, 600 + n)[1:])]
    one, other = read([*CHAT[2:3], *CODE[2:3], *storm]).findings
    assert one.count + other.count <= 400


@pytest.mark.parametrize("over", ["==> {}.log <==", "{} | CHANGED | rc=0 >>"])
def test_what_stands_below_the_name_of_a_file_or_a_host_is_that_servers(over: str) -> None:
    chat, code = over.format("chat"), over.format("code")
    found = read(
        [
            *(chat, *start(10, 262_144, 16_384), "", code, *start(10, 131_072, 8_192), ""),
            *(chat, *failure(10), "", code, *failure(10, 9)),
        ]
    )
    assert [f.line for f in found.findings] == [13, 17]
    assert lengths(found) == [(262_144, 11 * 16_384), (131_072, 8 * 8_192)]


@pytest.mark.parametrize("blocks", [12, 9])
def test_behind_names_nothing_is_known_of_a_failure_has_what_its_own_process_said(blocks: int) -> None:
    """The names are words that no tool writes so: only the processes tell the two apart."""
    one, other = behind("~gpu~ "), behind("~npu~ ")
    found = read(
        carried(one, start(10, 262_144, 16_384))
        + carried(other, start(20, 131_072, 8_192))
        + carried(one, failure(10, blocks))
    )
    assert lengths(found) == [(262_144, (blocks - 1) * 16_384)]
