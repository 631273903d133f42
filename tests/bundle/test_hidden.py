"""What an excerpt hides is told by lines that it does not show as well."""

from __future__ import annotations

import pytest

from diagnose.bundle import choosing, make, making
from diagnose.bundle.choosing import CONTEXT, MAX_CONTEXT, told_with
from diagnose.bundle.making import Given
from diagnose.redact import Redactor, Surroundings
from diagnose.redact.redactor import LEFT_OUT

ERROR = "ValueError: The number of devices (3) does not match `num_devices` (6).\n"
CHATTER = "(EngineCore pid=3150) INFO 11-30 09:12:01 [loader.py:44] Loading took 12.3 s, the graphs were reused here\n"
SECRET = "redis://:R3disPassLongerThanThat@cache:6379/0"


def rows(text: str, width: int) -> str:
    lines = [line[at : at + width] for line in text.splitlines() for at in range(0, len(line), width)]
    return "".join(f"{line}\n" for line in lines)


@pytest.mark.parametrize("shown", range(1, SECRET.index("@") - 3))
def test_the_rest_of_a_secret_whose_beginning_is_left_out_is_not_quoted(shown: int) -> None:
    told = f"(EngineCore pid=3150) INFO 11-30 09:12:00 [x.py:1] {'.' * 80}"[: 79 - shown] + f" {SECRET}"
    log = rows(CHATTER * 4 + told, 80) + CHATTER[:79] + "\n" * 2 + ERROR
    made = make(lambda: [log.encode()], Given("a"), Surroundings())
    assert made.same
    assert f"lines 1-{len(log.splitlines()) - 4} left out" in made.excerpt
    assert SECRET[shown:].split("@")[0] not in made.excerpt


def test_lines_that_are_not_neighbours_are_not_taken_for_one_text() -> None:
    lines = {1: f"{'.' * 60} export HF_TOKEN=hf_QwErTyUiOpAsDfGhJkLzXcVbNm12345678", 50: "model8b", 51: "end"}
    assert making.hidden(lines, {1, 50, 51}, Redactor()) == {**lines, 1: f"{'.' * 60} export HF_TOKEN=<hf-token-1>"}


def test_lines_in_which_secrets_cannot_be_found_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    by = Redactor()
    monkeypatch.setattr(by, "text", lambda text: LEFT_OUT)
    assert making.hidden({1: "a", 2: "b"}, {1, 2}, by) == {1: LEFT_OUT, 2: LEFT_OUT}


def test_a_line_is_told_by_those_above_it_and_by_fewer_where_many_stand_alone() -> None:
    lines = frozenset(range(1, 200_000))
    assert told_with({100}, lines) == [list(range(100 - CONTEXT, 101))]
    assert told_with({1, 2, 30}, lines) == [[1, 2], list(range(30 - CONTEXT, 31))]
    many = set(range(100, 200_000, 100))
    assert sum(map(len, told_with(many, lines))) - len(many) <= MAX_CONTEXT
    few = set(range(100, 100 * (MAX_CONTEXT // CONTEXT + 1), 100))
    assert sum(map(len, told_with(few, lines))) - len(few) == MAX_CONTEXT


def test_a_reader_holds_what_is_quoted_and_what_tells_it() -> None:
    held = choosing.Wanted(((500, 510),), frozenset({100})).held()
    assert [n for n in range(1, 600) if held(n)] == [
        *range(100 - CONTEXT, 101),
        *range(500 - choosing.BACK - CONTEXT, 510 + choosing.AROUND + 1),
    ]
