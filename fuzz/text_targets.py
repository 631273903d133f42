"""Targets of what is done to a whole text: secrets taken out of it, and a paste put right."""

from __future__ import annotations

import random
from dataclasses import dataclass

from bench.metamorphic.transforms import TRANSFORMS
from fuzz.mutate import MAX_CHARS, any_text, as_bytes, seed_of
from fuzz.seeds import seeds
from fuzz.target import Run, Target
from tests.redact.planted import SECRETS, Planted

_FRAMES = ("{}", " {} ", "> {}", "['{}']", '{"x": "{}"}', "x -> {}", "x\\n{}\\n", "{}에서", "Kim <a@b.kr> {}")
"""What a secret is planted in: on a line of its own, so that no word before it makes it something else."""
_MOST_LAYERS = 3
_LOG_CHANCE = 0.85


def _text(chance: random.Random) -> str:
    return seed_of(chance, seeds().logs) if chance.random() < _LOG_CHANCE else any_text(chance, most=30)


@dataclass(frozen=True, slots=True)
class _Sown:
    """A text with secrets in it."""

    text: str
    planted: tuple[Planted, ...]
    spans: tuple[tuple[int, int], ...]


def _sown(chance: random.Random) -> _Sown:
    text = _text(chance)
    # What the log talks of where nothing announces a secret is none.
    planted = [one for one in chance.sample(sorted(SECRETS.values()), chance.randrange(4)) if one.secret not in text]
    lines = text.split("\n")
    for one in planted:
        lines.insert(chance.randrange(len(lines) + 1), chance.choice(_FRAMES).replace("{}", one.text))
    text = "\n".join(lines)
    ends = sorted(chance.randrange(len(text) + 1) for _ in range(2))
    return _Sown(text, tuple(planted), ((ends[0], ends[1]),))


def _redaction() -> Run:
    from diagnose.redact import Redactor

    Redactor.prepare()

    def run(given: _Sown) -> None:
        by = Redactor()
        by.text(given.text)  # a password can stand on a line before the one that names it
        found, spans = by.spans(given.text, given.spans)
        assert not [one.secret for one in given.planted if one.secret in found]
        assert found.count("\n") == given.text.count("\n")
        assert all(0 <= a <= b <= len(found) for a, b in spans)
        assert Redactor().text(found) == found

    return run


def _paste(chance: random.Random) -> bytes:
    text = _text(chance)
    if chance.random() < 0.8:
        for transform in chance.sample(TRANSFORMS, chance.randrange(1, _MOST_LAYERS + 1)):
            text = transform.change(text, chance)[: MAX_CHARS * 4]
    return as_bytes(text, chance)


def _repair() -> Run:
    from diagnose.repair import readings, shows_shape
    from diagnose.repair.readings import MAX_READINGS, READ_AGAIN_BYTES

    def run(data: bytes) -> None:
        lines = data.count(b"\n") + 1
        shows_shape(data, troubled=True)
        total = count = 0
        broken = data.decode("utf-8", "replace").encode() != data
        for reading in readings(data):
            count += 1
            total += len(reading.data)
            reading.data.decode()
            assert reading.rests <= set(range(1, lines + 1))
            rows = reading.data.split(b"\n")[:-1]
            offset = 0
            for number, row in enumerate(rows, 1):
                line, place = reading.origin.of_offset(offset)
                assert line == reading.origin.of_line(number)
                assert 1 <= line <= lines
                assert 0 <= place <= len(data) or broken  # a broken byte is no character of one byte
                marks = reading.origin.marks(number)
                assert all(offset <= mark.offset <= offset + len(row) for mark in marks)
                offset += len(row) + 1
        assert count <= MAX_READINGS
        assert total <= READ_AGAIN_BYTES + len(data)

    return run


TARGETS = (
    Target("redaction", 60, _sown, _redaction),
    Target("repair", 60, _paste, _repair),
)
