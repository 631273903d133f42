"""``python -m bench watch``: how soon the daemon tells, what it costs when idle; that it neither grows nor loses.

``--soak`` is the long one: 1,000 rotations and 10,000,000 lines, with failures and restarts among them.
"""

from __future__ import annotations

import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LIMITS = {"p99_ms": 250.0, "idle_percent": 1.0, "grown_mb": 8.0, "descriptors": 2}
GAPS_S = {"failures 0.7 s apart": 0.7, "failures back to back": 0.0}
FAIL_EVERY = 20
"""Rotations between two failures of the server in the soak."""
START = "(APIServer pid={n}) INFO 11-29 11:57:05 [api_utils.py:286] vLLM server version 0.30.0, serving model X\n"
READY = "(APIServer pid={n}) INFO:     Application startup complete.\n(APIServer pid={n}) INFO:     up\n"
FAILED = "ValueError: The set `kvcache_num_blocks` (10) is less than the minimum number of blocks (33)\n"
AFTER = "INFO 11-29 11:58:00 [loggers.py:12] going on\n"
CALM = '(APIServer pid=1) INFO:     10.0.0.9:51234 - "POST /v1/completions HTTP/1.1" 200 OK n={n}\n'


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is done."""

    tries: int = 60
    idle_s: float = 10.0
    rotations: int = 1_000
    lines: int = 1_000_000
    writers: int = 5
    lines_each: int = 100_000
    rotate_bytes: int = 256 * 1024
    poll: bool = False


class Watch:
    """The daemon as a process of its own."""

    def __init__(self, *paths: str, poll: bool) -> None:
        command = [sys.executable, "-m", "diagnose", "watch", *paths, "--format", "json"]
        command += ["--listen", "127.0.0.1:0", *(["--poll"] if poll else [])]
        self.process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            bufsize=1,
            env={
                **os.environ,
                "PYTHONPATH": str(Path(__file__).parents[1]),
                "RBLN_DIAGNOSE_LANG": "en",
                "RBLN_DIAGNOSE_DB": f"{paths[0]}.sqlite3",  # written on the way, as in real life
            },
        )
        self.events: list[tuple[float, dict[str, Any]]] = []
        self._came = threading.Condition()
        assert self.process.stderr is not None
        said = self.process.stderr.readline()
        self.address = said.rsplit(" ", 1)[-1].strip()
        threading.Thread(target=self._listen, daemon=True).start()
        threading.Thread(target=self.process.stderr.read, daemon=True).start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            with self._came:
                self.events.append((time.perf_counter(), json.loads(line)))
                self._came.notify_all()

    def wait_for(self, count: int, timeout: float = 10.0) -> float:
        """When the ``count``-th event came."""
        with self._came:
            if not self._came.wait_for(lambda: len(self.events) >= count, timeout):
                raise SystemExit(f"bench: event {count} did not come; the last ones: {self.events[-3:]}")
            return self.events[count - 1][0]

    def lines(self) -> int:
        """Lines of all sources, as the metrics say."""
        with urllib.request.urlopen(f"{self.address}/metrics", timeout=10) as answer:
            text = answer.read().decode()
        return sum(int(float(v)) for v in re.findall(r"^rbln_diagnose_lines_total\{.*\} (\S+)$", text, re.MULTILINE))

    def wait_following(self) -> None:
        """Until the first turn: what is rotated away before is no part of what it follows."""
        for _ in range(200):
            with urllib.request.urlopen(f"{self.address}/healthz", timeout=10) as answer:
                if json.load(answer)["sources"]:
                    return
            time.sleep(0.05)
        raise SystemExit("bench: the daemon follows nothing")

    def wait_lines(self, wanted: int, timeout: float) -> int:
        end = time.monotonic() + timeout
        while (found := self.lines()) < wanted and time.monotonic() < end:
            time.sleep(0.2)
        return found

    def cpu_s(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(") ", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory_mb(self) -> float:
        found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{self.process.pid}/status").read_text())
        return int(found[1]) / 1024 if found else 0.0

    def descriptors(self) -> int:
        return len(list(Path(f"/proc/{self.process.pid}/fd").iterdir()))


@contextmanager
def watching(*paths: str, poll: bool) -> Iterator[Watch]:
    watch = Watch(*paths, poll=poll)
    try:
        watch.wait_following()
        yield watch
    finally:
        watch.process.terminate()
        watch.process.wait(20)


def latency(directory: Path, sizes: Sizes, *, followed: bool, gap_s: float) -> list[float]:
    """Milliseconds from the write to the event. ``followed``: something is written behind the failure."""
    log = directory / f"latency-{followed}-{gap_s}.log"
    log.touch()
    found = []
    with watching(str(log), poll=sizes.poll) as watch, log.open("a") as out:
        time.sleep(1.0)
        for turn in range(sizes.tries):
            out.write(START.format(n=turn) + READY.format(n=turn))
            out.flush()
            if turn:
                watch.wait_for(2 * turn)  # the failure before is recovered
            time.sleep(gap_s)
            begun = time.perf_counter()
            out.write(START.format(n=10_000 + turn) + FAILED + (AFTER if followed else ""))
            out.flush()
            found.append((watch.wait_for(2 * turn + 1) - begun) * 1000)
    return sorted(found)


def idle(directory: Path, sizes: Sizes) -> float:
    """Percent of a core while nothing is written."""
    log = directory / "idle.log"
    log.write_text(START.format(n=1) + FAILED + AFTER)
    with watching(str(log), poll=sizes.poll) as watch:
        watch.wait_for(1)
        time.sleep(4.0)
        before, begun = watch.cpu_s(), time.monotonic()
        time.sleep(sizes.idle_s)
        return (watch.cpu_s() - before) / (time.monotonic() - begun) * 100


@dataclass(frozen=True, slots=True)
class Sample:
    """The daemon at one moment."""

    mb: float
    descriptors: int


def growth(directory: Path, sizes: Sizes) -> dict[str, float]:
    """Memory and descriptors over rotations, and what was read of what was written.

    ``grown_mb`` and ``descriptors_more`` are the mean of the last quarter less that of the first one, of which the
    first samples are left out: the program is still warming up.
    """
    log = directory / "grow.log"
    log.touch()
    each = max(sizes.lines // max(sizes.rotations, 1), 1)
    block = "".join(CALM.format(n=i) for i in range(each))
    samples: list[Sample] = []
    failures = 0
    with watching(str(log), poll=sizes.poll) as watch:
        written = 0
        begun, cpu = time.monotonic(), watch.cpu_s()
        for turn in range(sizes.rotations):
            more = ""
            if turn % FAIL_EVERY == FAIL_EVERY - 1:
                failures += 1
                more = START.format(n=turn) + FAILED + AFTER + START.format(n=turn + 1) + READY.format(n=turn + 1)
            with log.open("a") as out:
                out.write(block + more)
            written += each + more.count("\n")
            for number in range(8, 0, -1):
                old = directory / f"grow.log.{number}"
                if old.exists():
                    old.rename(directory / f"grow.log.{number + 1}")
            log.rename(directory / "grow.log.1")
            log.touch()
            if turn % 4 == 3:  # nine files are kept: what nobody had time to read must not be deleted
                watch.wait_lines(written, 60)
                samples.append(Sample(watch.memory_mb(), watch.descriptors()))
        read = watch.wait_lines(written, 60)
        seconds = time.monotonic() - begun
        return {
            "written": written,
            "read": read,
            "failures": failures,
            "events": len(watch.events),
            "lines_per_s": written / seconds,
            "cpu_percent": (watch.cpu_s() - cpu) / seconds * 100,
            **_quarters(samples),
        }


def _quarters(samples: list[Sample]) -> dict[str, float]:
    quarter = max(len(samples) // 4, 1)
    first, last = samples[min(len(samples) // 50, quarter - 1) : quarter], samples[-quarter:]
    mb = [statistics.mean(s.mb for s in part) for part in (first, last)]
    descriptors = [statistics.mean(s.descriptors for s in part) for part in (first, last)]
    return {
        "first_mb": mb[0],
        "last_mb": mb[1],
        "grown_mb": mb[1] - mb[0],
        "descriptors": max(s.descriptors for s in samples),
        "descriptors_more": descriptors[1] - descriptors[0],
    }


def writers(directory: Path, sizes: Sizes) -> dict[str, int]:
    """Several programs at once, each rotating its own log by size."""
    names = [directory / f"writer-{n}.log" for n in range(sizes.writers)]
    for name in names:
        name.touch()
    with watching(*map(str, names), poll=sizes.poll) as watch:
        threads = [threading.Thread(target=write_rotating, args=(name, sizes)) for name in names]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        wanted = sizes.writers * sizes.lines_each
        return {"written": wanted, "read": watch.wait_lines(wanted, 120)}


def write_rotating(path: Path, sizes: Sizes) -> None:
    """Numbered lines; the file is renamed whenever it has ``rotate_bytes``. Nothing is deleted."""
    turns = 0
    out = path.open("a")
    size = 0
    for number in range(sizes.lines_each):
        line = f"n={number} {'x' * 40}\n"
        size += len(line)
        out.write(line)
        if size >= sizes.rotate_bytes:
            out.close()
            turns += 1
            # Numbers count up here, as with dates: the writer is faster than any rename of hundreds of files.
            path.rename(path.with_name(f"{path.name}-20260101-{turns:06}"))
            out, size = path.open("a"), 0
    out.close()


def soak(sizes: Sizes) -> dict[str, float]:
    """Rotations and lines only, printed and given."""
    with tempfile.TemporaryDirectory() as name:
        found = growth(Path(name), sizes)
    print("rotations:", ", ".join(f"{k} {v:,.1f}" for k, v in found.items()), flush=True)
    flat = found["grown_mb"] <= LIMITS["grown_mb"] and found["descriptors_more"] <= LIMITS["descriptors"]
    print(f"memory and descriptors {'flat' if flat else 'GREW'}, lines {found['written'] - found['read']:,.0f} lost")
    return found


def run(sizes: Sizes) -> dict[str, Any]:
    """Everything, printed and given."""
    made: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        for ending, followed in (("followed by another line", True), ("last line before silence", False)):
            for story, gap_s in GAPS_S.items():
                key = f"{story}, {ending}"
                found = latency(directory, sizes, followed=followed, gap_s=gap_s)
                p99 = found[min(int(len(found) * 0.99), len(found) - 1)]
                made[key] = {"median_ms": statistics.median(found), "p99_ms": p99, "max_ms": found[-1]}
                print(
                    f"write to detection, {key}: median {statistics.median(found):.0f} ms, p99 {p99:.0f} ms "
                    f"(limit {LIMITS['p99_ms']:.0f}), slowest {found[-1]:.0f} ms",
                    flush=True,
                )
        made["idle_percent"] = idle(directory, sizes)
        print(f"idle: {made['idle_percent']:.2f} % of a core (limit {LIMITS['idle_percent']})", flush=True)
        made["writers"] = writers(directory, sizes)
        print("writers:", made["writers"], flush=True)
    made["growth"] = soak(sizes)
    return made
