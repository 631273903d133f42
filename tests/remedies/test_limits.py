"""Nothing is computed beyond a limit: no value is offered there, and none in place of it."""

from __future__ import annotations

from typing import Any

import pytest

from diagnose.model import Value
from diagnose.remedies import constraints, plausible
from diagnose.remedies.images import MAX_ASPECT, MOST_WINDOWS, resized, windowed_pixels_for
from diagnose.remedies.solvers import room, vllm_room
from diagnose.remedies.solvers.decoder import MOST_ROWS
from tests.remedies.kit import ATOM, KNOWLEDGE, changes, run

PARAMETERS = KNOWLEDGE.parameters


def test_a_change_is_repaired_so_often_and_then_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    rounds: list[Any] = []

    def repaired(broken: object, now: dict[str, Value], env: object) -> dict[str, Value]:
        rounds.append(now)
        return {"max_seq_len": 8192 + len(rounds)}

    left = [constraints.MAX_ROUNDS - 1]
    monkeypatch.setattr(constraints, "_repaired", repaired)
    monkeypatch.setattr(constraints, "violations", lambda now, *_: KNOWLEDGE.constraints[:1] * (len(rounds) < left[0]))
    assert constraints.adjust({"max_seq_len": 8192}, run(), KNOWLEDGE) is not None
    rounds.clear()
    left[0] += 1
    assert constraints.adjust({"max_seq_len": 8192}, run(), KNOWLEDGE) is None
    assert len(rounds) == constraints.MAX_ROUNDS


def test_an_image_the_processor_takes_is_so_long() -> None:
    assert resized(32, 32 * MAX_ASPECT, factor=32) == (32, 32 * MAX_ASPECT)
    for height, width in ((32, 32 * MAX_ASPECT + 1), (32 * MAX_ASPECT + 1, 32)):
        with pytest.raises(ValueError, match="is not an image"):
            resized(height, width, factor=32)


def test_a_bucket_of_more_windows_than_any_encoder_has_gives_no_area() -> None:
    window = 64
    assert windowed_pixels_for(MOST_WINDOWS * window, 14, window) > 0
    assert windowed_pixels_for((MOST_WINDOWS + 1) * window, 14, window) == 0


@pytest.mark.parametrize("name", ["max_seq_len", "batch_size", "num_devices", "memory_budget"])
def test_a_value_beyond_every_machine_is_not_possible(name: str) -> None:
    parameter = PARAMETERS[name]
    most = plausible.MOST_BYTES if parameter.type == "budget" else plausible.MOST[parameter.unit]
    assert plausible.possible(parameter, most)
    assert not plausible.possible(parameter, most + 1)
    assert plausible.beyond({name: most + 1}, PARAMETERS)
    assert not plausible.beyond({name: most}, PARAMETERS)
    assert plausible.beyond({"of_no_unit": plausible.MOST_BYTES + 1}, PARAMETERS)


def test_a_batch_nobody_compiles_gets_no_decoder() -> None:
    def added(rows: int) -> Any:
        return changes("decoder_size_added", {"batch_given": rows, "compiled_batches": [4]}, run({"batch_size": 4}))

    assert added(MOST_ROWS)["batch_size"] == MOST_ROWS
    assert added(MOST_ROWS + 1) is None


def test_devices_are_doubled_up_to_a_number() -> None:
    assert max(room._doublings(1)) == room.MOST_DEVICES
    assert room._doublings(room.MOST_DEVICES) == []
    half = run({"num_devices": room.MOST_DEVICES // 2}, npu="RBLN-CA25", vlm=False)
    assert changes("kv_more_devices", {}, half) == {"num_devices": room.MOST_DEVICES}
    whole = run({"num_devices": room.MOST_DEVICES}, npu="RBLN-CA25", vlm=False)
    assert changes("kv_more_devices", {}, whole) is None
    assert changes("kv_more_devices", {}, run({**ATOM, "num_devices": 1, "batch_size": 1}, npu="RBLN-CA25"))


def test_where_no_doubling_will_do_none_is_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    config = {"model": "Qwen/Qwen3-8B", "max_seq_len": 32768, "memory_budget": 0.4, "num_devices": 1}

    def found() -> Any:
        return changes("vllm_more_devices", {}, run(config, npu="RBLN-CA25", vlm=False))

    assert vllm_room.MOST_DOUBLINGS > 1
    assert found() == {"num_devices": 4}
    monkeypatch.setattr(vllm_room, "MOST_DOUBLINGS", 1)
    assert found() is None
