"""A runtime: takes device memory when it is created, or is refused in the words of the real one."""

from __future__ import annotations

from typing import Any

from rebel.compiled import RBLNCompiledModel
from rebel.host import family_of, host

REFUSED = "SYS_EBUSY: Lack of device memory"


class Runtime:
    """``device``: one id, a list, or None for ``0 .. devices - 1``. A negative id is a dummy device: nothing is
    allocated.

    Raises RuntimeError for an id that is not there, and when a unit has not enough memory left.
    """

    def __init__(
        self,
        compiled: RBLNCompiledModel,
        tensor_type: str = "pt",
        device: int | list[int] | None = None,
        **_options: Any,
    ) -> None:
        books = compiled.books
        ids = list(range(books.devices)) if device is None else [device] if isinstance(device, int) else list(device)
        self.books = books
        self.calls = 0
        if any(i < 0 for i in ids):
            return
        missing = next((i for i in ids if i >= host().devices), None)
        if missing is not None:
            raise RuntimeError(f"SYS_ENODEV: No such device {missing}")
        self._take(ids)

    def _take(self, ids: list[int]) -> None:
        machine, family = host(), family_of(self.books.npu)
        for device in ids:
            shared = (self.books.group, device)
            need = self.books.weight_bytes + self.books.workspace_bytes
            if shared not in machine.groups:
                need += self.books.dram_bytes()
            units = [(device, chiplet) for chiplet in range(self.books.chiplets)]
            if any(machine.free(unit, family) < need for unit in units):
                raise RuntimeError(REFUSED)
            for unit in units:
                machine.used[unit] = machine.used.get(unit, 0) + need
            machine.groups[shared] = machine.groups.get(shared, 0) + 1

    def __call__(self, *_inputs: Any, out: Any = None, **_named: Any) -> Any:
        """``out`` as it came, or zeros."""
        import torch

        self.calls += 1
        return out if out is not None else torch.zeros(self.books.outputs)

    def run(self, *inputs: Any, **named: Any) -> Any:
        return self(*inputs, **named)


class AsyncRuntime(Runtime):
    """The same books; nothing here runs in parallel."""
