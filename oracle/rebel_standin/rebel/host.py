"""The machine the stand-in pretends to be: its NPUs, their memory, and what is allocated on them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

MIB = 2**20
GIB = 2**30


@dataclass(frozen=True, slots=True)
class Family:
    """Memory of one device. Source: optimum-rbln 0.12.0 ``utils/runtime_utils.py``; four chiplets are documented."""

    dram_bytes: int
    chiplets: int
    reserve_bytes: int
    """Kept for the system, per unit."""

    @property
    def unit_capacity(self) -> int:
        return self.dram_bytes // self.chiplets

    @property
    def unit_available(self) -> int:
        return self.unit_capacity - self.reserve_bytes


FAMILIES = {"RBLN-CA": Family(16 * GIB, 1, 288 * MIB), "RBLN-CR": Family(144 * GIB, 4, GIB)}


def family_of(npu: str) -> Family:
    """Raises RuntimeError for a name that is no RBLN NPU."""
    for prefix, family in FAMILIES.items():
        if npu.startswith(prefix):
            return family
    raise RuntimeError(f"unknown NPU: {npu}")


def _silent(_text: str) -> None:
    return None


@dataclass(slots=True)
class Host:
    """``npu`` is None and ``devices`` 0 on a machine without NPUs."""

    npu: str | None = "RBLN-CA25"
    devices: int = 8
    workspace_bytes: int = 128 * MIB
    """What a model needs on a unit beside weights and KV cache."""
    held_bytes: int = 0
    """What other processes hold on every unit."""
    driver_checks_pool: bool = True
    """Refuse at compile time a pool that was given explicitly and does not fit, as the compiler does."""
    console: Callable[[str], None] = _silent
    """Where native code writes its lines."""
    used: dict[tuple[int, int], int] = field(default_factory=dict)
    """(device, chiplet) → bytes this process allocated."""
    groups: dict[tuple[str, int], int] = field(default_factory=dict)
    """(compile context, device) → runtimes that share its KV cache there."""

    def free(self, unit: tuple[int, int], family: Family) -> int:
        return family.unit_available - self.held_bytes - self.used.get(unit, 0)

    def release(self) -> None:
        """Every runtime of this process is gone."""
        self.used.clear()
        self.groups.clear()


_current: list[Host] = [Host()]


def host() -> Host:
    """The machine in use."""
    return _current[-1]


@contextmanager
def use_host(new: Host) -> Iterator[Host]:
    """Runs a block on another machine."""
    _current.append(new)
    try:
        yield new
    finally:
        _current.pop()


def device_count() -> int:
    return host().devices


def get_npu_name(device: int = 0) -> str | None:
    return host().npu if 0 <= device < host().devices else None


def npu_is_available(device: int = 0) -> bool:
    return get_npu_name(device) is not None
