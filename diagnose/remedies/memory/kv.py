"""Bytes of a KV cache on one unit (an ATOM device, a chiplet of a REBEL device).

Source: optimum-rbln 0.12.0 ``modeling_attention_utils.py`` (``_kvcache_bytes_per_chiplet``): every cache
tensor is rounded up to 2 MiB after it was multiplied by the number of blocks. The heads are split over the
units; with fewer heads than units they are repeated.
"""

from __future__ import annotations

from diagnose.light import dataclass

MIB = 2**20
GIB = 2**30


def align(value: int, to: int) -> int:
    """``value`` rounded up to a multiple of ``to``."""
    return -(-value // to) * to


def align_2mib(value: int) -> int:
    return align(value, 2 * MIB)


@dataclass(frozen=True, slots=True)
class KvShape:
    """What a KV cache is made of, before it is split over devices."""

    layers: int
    """Layers with full attention; each has two tensors (keys, values)."""
    kv_heads: int
    head_dim: int
    sliding_layers: int = 0
    """Layers with a sliding window: their cache does not grow with the pool."""
    sliding_window: int = 0
    """Tokens."""
    dtype_bytes: int = 2
    """2 for 16-bit and also for float32 models; 1 with an fp8 KV cache."""


@dataclass(frozen=True, slots=True)
class Pool:
    """A KV cache laid out over ``units`` units in blocks of ``block`` tokens for ``batch`` sequences."""

    shape: KvShape
    block: int
    units: int
    batch: int = 1

    @property
    def block_tensor_bytes(self) -> int:
        """One tensor's bytes per block on one unit, before rounding."""
        return self.block * self._token_bytes

    @property
    def _token_bytes(self) -> int:
        heads = -(-self.shape.kv_heads // self.units)
        return align(self.shape.head_dim, 64) * heads * self.shape.dtype_bytes

    def tensor_bytes(self, blocks: int) -> int:
        """One tensor of ``blocks`` blocks on one unit, rounded up to 2 MiB."""
        return align_2mib(self.block_tensor_bytes * blocks)

    def bytes(self, blocks: int) -> int:
        """The whole cache of ``blocks`` blocks on one unit."""
        sliding = align_2mib(self.shape.sliding_window * self._token_bytes * self.batch)
        return 2 * self.shape.layers * self.tensor_bytes(blocks) + 2 * self.shape.sliding_layers * sliding

    def largest(self, room_bytes: int, limit: int) -> int:
        """The most blocks, at most ``limit``, whose cache fits ``room_bytes`` of a unit; 0 when none does."""
        low, high = 0, limit
        while low < high:
            middle = (low + high + 1) // 2
            if self.bytes(middle) <= room_bytes:
                low = middle
            else:
                high = middle - 1
        return low
