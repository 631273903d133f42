"""The short file of results: ``bench/results.json``, from which the READMEs take their figures."""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path

FILE = Path(__file__).resolve().parent / "results.json"


@dataclass(frozen=True, slots=True)
class Row:
    """One figure that has a limit."""

    name: str
    value: float
    limit: float
    unit: str
    """``ratio`` (ours / ripgrep's wall time), ``ms`` or ``MB``."""

    def __str__(self) -> str:
        verdict = "ok" if self.value <= self.limit else "OVER"
        return f"{self.name:24s} {self.value:8.2f} {self.unit:6s} limit {self.limit:6.1f}  {verdict}"


def write(rows: Sequence[Row], settings: Mapping[str, object], rg: str | None, file: Path = FILE) -> None:
    """Writes ``rows`` with the machine, the versions and the ``settings`` they were measured with."""
    about = {
        "date": time.strftime("%Y-%m-%d"),
        "machine": machine(),
        "versions": versions(rg),
        **settings,
        "rows": [asdict(row) for row in rows],
    }
    file.write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")


def machine() -> dict[str, object]:
    """Processor, cores this process may use, memory (GiB) and system."""
    memory_bytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_gib": round(memory_bytes / 2**30),
        "system": platform.system(),
    }


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.machine()
    found = re.search(r"^model name\s*:\s*(.+)$", text, re.M)
    return found[1] if found else platform.machine()


def versions(rg: str | None) -> dict[str, str]:
    """What the figures depend on."""
    found = {"python": platform.python_version(), "hyperscan": version("hyperscan")}
    if rg is not None:
        out = subprocess.run([rg, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
        found["ripgrep"] = out.split()[1]
    return found
