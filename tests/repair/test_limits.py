"""Beyond a limit of the repair a text is read as it stands: nothing of it is lost."""

from __future__ import annotations

import pytest

from diagnose import diagnose_bytes
from diagnose.records.span import Span
from diagnose.repair import flow, literals, readings, strips
from diagnose.repair import page as page_rows
from diagnose.repair.page import Page, page_of
from diagnose.repair.readings import _MAX_STRIPS, _MAYBE, MAX_DEPTH, MAX_ROWS, _settled, _Step

ERROR = "OSError: [Errno 24] Too many open files: 'a'"
HEAD = "INFO 11-29 12:00:00 [a.py:1] "


def page(*lines: str) -> Page:
    return page_of("".join(f"{line}\n" for line in lines).encode())


def texts(found: Page | None) -> list[str] | None:
    return None if found is None else [row.text for row in found]


def together(*pieces: str) -> Page:
    return page(" ".join(pieces))


def test_a_page_of_more_rows_has_its_line_ends() -> None:
    row = f"{HEAD}a {HEAD}b"
    assert flow.run_together(page(*[row] * page_rows.MAX_ROWS)) is not None
    assert flow.run_together(page(*[row] * (page_rows.MAX_ROWS + 1))) is None
    literal = r'"a\nb"'
    assert literals.written_out(page(*[literal] * page_rows.MAX_ROWS)) is not None
    assert literals.written_out(page(*[literal] * (page_rows.MAX_ROWS + 1))) is None


def test_a_text_told_apart_is_so_long() -> None:
    filler = "x" * (flow.MAX_CHARS - len(f"{HEAD}a {HEAD}"))
    assert flow.run_together(together(f"{HEAD}a", HEAD + filler)) is not None
    assert flow.run_together(together(f"{HEAD}a", HEAD + filler + "x")) is None


def test_a_text_is_cut_into_so_many_rows_and_nothing_of_it_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flow, "MAX_PARTS", 5)
    pieces = [f"{HEAD}message {n}" for n in range(9)]
    found = texts(flow.run_together(together(*pieces)))
    assert found is not None
    assert len(found) <= 6
    assert " ".join(found) == " ".join(pieces)


def test_bare_returns_and_written_out_ends_are_so_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flow, "MAX_PARTS", 5)
    monkeypatch.setattr(literals, "MAX_PARTS", 5)
    assert texts(flow.returns(page("a\rb\rc\rd"))) == ["a", "b", "c", "d"]
    assert flow.returns(page("a\rb\rc\rd\re\rf")) is None
    assert literals.written_out(page('"' + r"a\n" * 10 + '"')) is not None
    assert literals.written_out(page('"' + r"a\n" * 11 + '"')) is None


def test_a_head_without_a_message_is_so_long() -> None:
    def found(process: int) -> list[str] | None:
        head = f"(EngineCore pid={'7' * process}) "
        return texts(flow.run_together(together(f"{HEAD}first", head + f"{HEAD}{ERROR}")))

    assert any(row.endswith(ERROR) and "EngineCore" in row for row in found(5) or ())
    long = found(flow._LONGEST_HEAD + 1)
    assert long is None or "".join(long).replace(" ", "").endswith(ERROR.replace(" ", ""))


def test_a_type_glued_to_the_line_before_it_is_so_long() -> None:
    def begins(length: int) -> list[int]:
        name = "A" + "b" * (length - 6) + "Error"
        return [start for start, _ in flow._types(f"text. {name}: it failed")]

    assert begins(flow._LONGEST_TYPE) == [len("text. ")]
    assert begins(flow._LONGEST_TYPE + 1) == []


def test_a_quotation_of_quotations_is_opened_so_deep() -> None:
    def opened(depth: int) -> list[str] | None:
        return texts(strips.parts(page("text", "more", "lines", "> " * depth + ERROR)))

    assert (opened(strips.MAX_LEVELS) or [])[-1] == ERROR
    assert (opened(strips.MAX_LEVELS + 3) or [])[-1].endswith(ERROR)


def test_layers_around_every_line_are_taken_off_so_often() -> None:
    def left(depth: int) -> str:
        rows: list[Span] = page(*[f"{'> ' * depth}line {n}" for n in range(9)])
        return _settled(_Step(rows, True)).page[0].text

    assert left(_MAX_STRIPS) == "line 0"
    assert left(_MAX_STRIPS + 2) == "> > line 0"


def test_what_was_done_to_a_text_is_undone_so_often() -> None:
    shapes = [reading.shapes for reading in readings("".join(f"> {n} x\\n" for n in range(40)).encode())]
    guesses = {guess.__name__ for guess in _MAYBE} | {"wrapped"}
    assert all(sum(shape in guesses for shape in found) <= MAX_DEPTH for found in shapes)


def test_a_text_of_more_lines_is_no_paste() -> None:
    def given(lines: int) -> bytes:
        return (f"> {ERROR}\n" + "> x\n" * (lines - 1)).encode()

    assert any(True for _ in readings(given(MAX_ROWS)))
    assert not list(readings(given(MAX_ROWS + 1)))
    assert diagnose_bytes(f"{ERROR}\n".encode() + given(MAX_ROWS + 1)).findings[0].line == 1
