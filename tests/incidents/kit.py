"""Sightings made to order, and what is in a store."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from diagnose.incidents.fingerprint import fingerprint
from diagnose.incidents.nouns import Batch, Checkpoint, Incident, Kind, Sighting
from diagnose.incidents.store import Store
from diagnose.model import Applicability, Change, Finding, Remedy, RunContext, Setting, Text

SOURCE, HOST = "/var/log/server.log", "npu01"
START = 1_700_000_000.0

SHORTER = Remedy(
    "shorter-context",
    "exact",
    Text("Shorten max_seq_len", "max_seq_len을 줄입니다"),
    changes=(Change("max_seq_len", 262_144, 180_224),),
)
SMALLER = Remedy(
    "smaller-batch",
    "exact",
    Text("Lower batch_size", "batch_size를 낮춥니다"),
    changes=(Change("batch_size", 8, 4),),
)


class Clock:
    """Stands still unless told to go on."""

    def __init__(self, now: float = START) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def run_context(model: str | None = "Qwen/Qwen3-8B", npu: str | None = "RBLN-CR13", **config: Any) -> RunContext:
    config = {"max_seq_len": 262_144, "batch_size": 8, **config}
    return RunContext(
        config={name: Setting(value, 3, "non-default args") for name, value in config.items()},
        model=model,
        npu=npu,
        versions={"vllm_rbln": "0.12.0"},
    )


CONTEXT = run_context()


def finding(
    text: str = "ValueError: only 12 blocks can be allocated, but at least 17 blocks are required",
    entry: str = "kv-cache.insufficient-memory",
    remedies: tuple[Remedy, ...] = (SHORTER, SMALLER),
    **fields: Any,
) -> Finding:
    made: dict[str, Any] = {
        "domain": "rbln",
        "role": "root",
        "severity": "fatal",
        "line": 812,
        "offset": 90_211,
        "title": Text(
            "Device memory cannot hold the minimum KV cache", "디바이스 메모리에 최소 KV 캐시가 안 들어갑니다"
        ),
        "cause": Text("Only 12 blocks fit.", "블록이 12개만 들어갑니다. 버전을 확인하세요."),
        "numbers": {"available_blocks": 12},
    }
    return Finding(entry=entry, text=text, remedies=remedies, **(made | fields))


def sighting(
    kind: Kind = "opened",
    run: str = "run1",
    revision: int = 0,
    found: Finding | None = None,
    context: RunContext = CONTEXT,
    excerpt: str = "the line",
    print_: str | None = None,
) -> Sighting:
    found = found or finding()
    return Sighting(kind, print_ or fingerprint(found, context), run, revision, found, context, excerpt)


def batch(*sightings: Sighting, offset: int | None = None, started: tuple[str, RunContext] | None = None) -> Batch:
    point = None if offset is None else Checkpoint(SOURCE, "1:2:abc", offset, offset // 10)
    return Batch(point, sightings, started)


def write(store: Store, made: Batch, channels: tuple[str, ...] = (), source: str = SOURCE) -> tuple[Incident, ...]:
    return store.write(made, source=source, host=HOST, channels=channels)


def opened(path: Path, clock: Clock | None = None, busy_s: float = 5.0) -> Store:
    return Store.open(path / "incidents.sqlite3", clock=clock or Clock(), busy_s=busy_s)


def remedy(id_: str, applicability: Applicability = "exact") -> Remedy:
    return Remedy(id_, applicability, Text(id_, id_))


def everything(store: Store) -> Mapping[str, list[tuple[Any, ...]]]:
    """Every row of every table of ours."""
    tables = ("incidents", "sightings", "checkpoints", "outbox", "starts", "evidence")
    with store.connection.reading() as conn:
        return {table: conn.execute(f"SELECT * FROM {table} ORDER BY 1").fetchall() for table in tables}
