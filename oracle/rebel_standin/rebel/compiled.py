"""A compiled graph: how many bytes it takes on each unit, and its KV cache tensors."""

from __future__ import annotations

import pickle
import uuid
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Any

from rebel.compile_context import CompileContext
from rebel.host import MIB, Family, family_of, host

CACHE_NAME = "past_key_values"
"""Inputs that are KV cache tensors hold this in their name."""
DTYPE_BYTES = {"float8_e4m3fn": 1, "int8": 1, "uint8": 1}
CACHE_DTYPE_BYTES = 2
"""A KV cache is kept in 16 bits, also for a float32 model."""


def align(value: int, to: int) -> int:
    return -(-value // to) * to


@dataclass(slots=True)
class Books:
    """Everything that is saved in a ``.rbln`` file of the stand-in. Bytes are per unit."""

    group: str
    npu: str
    devices: int
    chiplets: int
    weight_bytes: int
    workspace_bytes: int
    caches: dict[str, int] = field(default_factory=dict)
    """KV tensor → bytes on one unit, at the blocks it has now, not rounded."""
    outputs: tuple[int, ...] = (1,)
    """Shape of what a call returns."""

    def dram_bytes(self) -> int:
        """The caches on one unit, each rounded up to 2 MiB."""
        return sum(align(size, 2 * MIB) for size in self.caches.values())


class RBLNCompiledModel:
    """``RBLNCompiledModel(path)`` reads one back that was saved."""

    def __init__(self, source: str | Path | Books) -> None:
        self.books: Books = source if isinstance(source, Books) else pickle.loads(Path(source).read_bytes())

    def save(self, path: str | Path) -> None:
        Path(path).write_bytes(pickle.dumps(self.books))

    def _everywhere(self, size: int) -> list[list[int]]:
        return [[size] * self.books.chiplets for _ in range(self.books.devices)]

    def get_alloc_per_chiplet_by_key(self) -> dict[str, list[list[int]]]:
        """Key → bytes by device and chiplet. ``DramTensor`` is the KV cache."""
        return {
            "Kernel": self._everywhere(self.books.weight_bytes),
            "Workspace": self._everywhere(self.books.workspace_bytes),
            "DramTensor": self._everywhere(self.books.dram_bytes()),
        }

    def get_alloc_per_node_by_key(self) -> dict[str, list[int]]:
        return {key: [sum(unit) for unit in nodes] for key, nodes in self.get_alloc_per_chiplet_by_key().items()}

    def exp_get_dram_tensor_sizes(self) -> dict[str, list[list[int]]]:
        """KV tensor → bytes by device and chiplet, not rounded."""
        return {name: self._everywhere(size) for name, size in self.books.caches.items()}

    def exp_multiply_buffer_size(self, factors: dict[str, int]) -> None:
        for name, factor in factors.items():
            self.books.caches[name] *= factor

    def exp_rescale_buffer_size(self, ratios: dict[str, tuple[int, int]]) -> None:
        for name, (new, old) in ratios.items():
            self.books.caches[name] = self.books.caches[name] // old * new


def cache_bytes(shape: list[int], dtype: str, units: int) -> int:
    """One KV tensor on one unit: heads are split over the units, repeated where there are fewer heads than units;
    head_dim is padded to 64."""
    blocks, heads, block, head_dim = shape
    return blocks * -(-heads // units) * block * align(head_dim, 64) * DTYPE_BYTES.get(dtype, CACHE_DTYPE_BYTES)


def weight_bytes(model: Any, units: int) -> int:
    """16 bits for every parameter that is not an input embedding (that one stays on the host)."""
    import torch

    skipped = {id(p) for m in model.modules() if isinstance(m, torch.nn.Embedding) for p in m.parameters(recurse=False)}
    heads = [m for m in model.modules() if isinstance(m, torch.nn.Linear)]
    skipped -= {id(p) for m in heads for p in m.parameters(recurse=False)}  # a tied head is on the device
    numbers: int = sum(p.numel() for p in model.parameters() if id(p) not in skipped)
    return -(-2 * numbers // units)


def _flat(input_info: Any) -> list[tuple[str, list[int], str]]:
    first = input_info[0] if input_info else ()
    infos = input_info if isinstance(first, (list, tuple)) and first and isinstance(first[0], str) else input_info[-1]
    return [(str(name), list(shape), str(dtype)) for name, shape, dtype in infos]


def _outputs(model: Any, inputs: list[tuple[str, list[int], str]]) -> tuple[int, ...]:
    """Rows of the first input and the width of the model's last linear layer."""
    import torch

    widths = [m.out_features for m in model.modules() if isinstance(m, torch.nn.Linear)]
    shape = inputs[0][1] if inputs else [1]
    return (shape[0], 1, widths[-1] if widths else 1) if len(shape) > 1 else (prod(shape), 1)


def compile_from_torch(
    model: Any,
    input_info: Any,
    npu: str | None = None,
    num_devices: int | None = None,
    compile_context: CompileContext | None = None,
    **_options: Any,
) -> RBLNCompiledModel:
    """Books a graph. The first graph of a context carries the weights and the workspace.

    Raises RuntimeError when an explicit pool does not fit its unit, in the words of the troubleshooting guide.
    """
    name = npu or host().npu
    if name is None:
        raise RuntimeError("no NPU to compile for")
    family = family_of(name)
    devices = num_devices or 1
    units = devices * family.chiplets
    inputs = _flat(input_info)
    first = compile_context is None or compile_context.graphs == 0 or not compile_context.use_weight_sharing
    books = Books(
        group=compile_context.id if compile_context is not None else uuid.uuid4().hex,
        npu=name,
        devices=devices,
        chiplets=family.chiplets,
        weight_bytes=weight_bytes(model, units) if first else 0,
        workspace_bytes=host().workspace_bytes if first else 0,
        caches={n: cache_bytes(s, d, units) for n, s, d in inputs if CACHE_NAME in n and len(s) == 4},
        outputs=_outputs(model, inputs),
    )
    if compile_context is not None:
        compile_context.graphs += 1
    if first and host().driver_checks_pool:
        _check_pool(books, family)
    return RBLNCompiledModel(books)


def compile(model: Any, num_devices: int | None = None, **options: Any) -> RBLNCompiledModel:
    """optimum-rbln reads the signature of this function to learn the name of ``num_devices``."""
    return compile_from_torch(model, options.pop("input_info", []), num_devices=num_devices, **options)


def _check_pool(books: Books, family: Family) -> None:
    """Allocates one tensor after the other, as a compiler that lays out DRAM does: the total it complains of is the one
    at the first tensor that did not fit."""
    total = books.weight_bytes + books.workspace_bytes
    for size in [0, *books.caches.values()]:
        total += align(size, 2 * MIB)
        if total > family.unit_capacity:
            raise RuntimeError(f"DRAM OOM: requested {total} bytes, capacity {family.unit_capacity} bytes")
