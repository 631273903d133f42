"""The stand-in keeps the books of device memory as the library reads them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle.library import STANDIN

MIB = 2**20


@pytest.fixture(scope="module", autouse=True)
def rebel() -> Iterator[Any]:
    """The stand-in without its torch operators."""
    sys.path.insert(0, str(STANDIN))
    sys.modules["rebel.ops"] = type(sys)("rebel.ops")
    import rebel as module

    yield module
    sys.path.remove(str(STANDIN))
    for name in [n for n in sys.modules if n == "rebel" or n.startswith("rebel.")]:
        del sys.modules[name]


def books(rebel: Any, **more: Any) -> Any:
    from rebel.compiled import Books

    given_ = {"group": "g", "npu": "RBLN-CA25", "devices": 1, "chiplets": 1, "weight_bytes": 0, "workspace_bytes": 0}
    return rebel.RBLNCompiledModel(Books(**{**given_, **more}))


def test_what_was_saved_is_read_back(rebel: Any, tmp_path: Path) -> None:
    model = books(rebel, caches={"past_key_values_0": 5 * MIB}, weight_bytes=7)
    model.save(tmp_path / "prefill.rbln")
    assert rebel.RBLNCompiledModel(tmp_path / "prefill.rbln").books == model.books


def test_allocations_have_the_shape_of_devices_and_chiplets(rebel: Any) -> None:
    model = books(rebel, npu="RBLN-CR13", chiplets=4, weight_bytes=9, caches={"past_key_values_0": 3 * MIB})
    assert model.get_alloc_per_chiplet_by_key()["Kernel"] == [[9, 9, 9, 9]]
    assert model.get_alloc_per_chiplet_by_key()["DramTensor"] == [[4 * MIB] * 4]
    assert model.get_alloc_per_node_by_key()["Kernel"] == [36]
    assert model.exp_get_dram_tensor_sizes() == {"past_key_values_0": [[3 * MIB] * 4]}


@given(blocks=st.integers(1, 300), new=st.integers(1, 300), one=st.integers(1, 9 * MIB))
def test_any_pool_is_resized_block_by_block(rebel: Any, blocks: int, new: int, one: int) -> None:
    model = books(rebel, caches={"k": one})
    model.exp_multiply_buffer_size({"k": blocks})
    assert model.books.caches == {"k": one * blocks}
    model.exp_rescale_buffer_size({"k": (new, blocks)})
    assert model.books.caches == {"k": one * new}


def test_heads_are_repeated_where_there_are_fewer_than_units(rebel: Any) -> None:
    from rebel.compiled import cache_bytes

    assert cache_bytes([1, 8, 8192, 128], "bfloat16", 4) == 4 * MIB
    assert cache_bytes([1, 8, 8192, 128], "float32", 16) == cache_bytes([1, 8, 8192, 128], "float32", 8)
    assert cache_bytes([1, 8, 8192, 80], "float8_e4m3fn", 8) == MIB


def test_a_runtime_takes_memory_until_the_device_is_full(rebel: Any) -> None:
    from rebel.host import FAMILIES

    room = FAMILIES["RBLN-CA"].unit_available
    with rebel.use_host(rebel.Host(npu="RBLN-CA25", devices=2)):
        rebel.Runtime(books(rebel, weight_bytes=room - MIB))
        with pytest.raises(RuntimeError, match=r"^SYS_EBUSY: Lack of device memory$"):
            rebel.Runtime(books(rebel, group="other", weight_bytes=2 * MIB), device=0)
        rebel.Runtime(books(rebel, group="other", weight_bytes=2 * MIB), device=1)


def test_graphs_of_one_model_share_their_cache(rebel: Any) -> None:
    with rebel.use_host(rebel.Host(npu="RBLN-CA25", devices=1)) as machine:
        rebel.Runtime(books(rebel, caches={"k": 4 * MIB}))
        rebel.Runtime(books(rebel, caches={"k": 4 * MIB}))
        assert machine.used == {(0, 0): 4 * MIB}


def test_other_processes_take_room_and_a_dummy_device_takes_none(rebel: Any) -> None:
    with rebel.use_host(rebel.Host(npu="RBLN-CA25", devices=1, held_bytes=2**34)) as machine:
        rebel.Runtime(books(rebel, weight_bytes=MIB), device=-1)
        assert machine.used == {}
        with pytest.raises(RuntimeError, match="Lack of device memory"):
            rebel.Runtime(books(rebel, weight_bytes=MIB))


def test_a_machine_without_npus_has_none(rebel: Any) -> None:
    with rebel.use_host(rebel.Host(npu=None, devices=0)):
        assert not rebel.npu_is_available(0)
        assert rebel.get_npu_name(0) is None
    with rebel.use_host(rebel.Host(npu="RBLN-CR13", devices=2)):
        assert [rebel.get_npu_name(i) for i in (0, 1, 2, -1)] == ["RBLN-CR13", "RBLN-CR13", None, None]


def test_a_device_that_is_not_there_is_refused(rebel: Any) -> None:
    with rebel.use_host(rebel.Host(devices=1)), pytest.raises(RuntimeError, match="SYS_ENODEV"):
        rebel.Runtime(books(rebel), device=[3])
