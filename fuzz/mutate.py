"""Changes a text as people, terminals, collectors and attackers do."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

MAX_CHARS = 3_000
"""Characters of one input."""
MAX_CHANGES = 6

HOSTILE = (
    *("\x1b[31m", "\x1b]52;c;QQ==\x07", "\x1b]0;t\x07", "\x9b2J", "\x90q\x9c", "\x1b", "\u202e", "\u2066", "\ufeff"),
    *("\r", "\r\n", "\n", "\n\n", "\t", "\x00", "\x0b", "\x0c", "\x85", "\u2028", "\ud800", "\ufffe", "\U0010ffff"),
    *("</pre><script>", "]]>", "<!--", "```", "~~~", "::error::x", "##vso[task.x]", "%0A", "javascript:x", "@all"),
    *("' OR 1=1 --", '"', "'", "`", "\\", "\\\\", "$(x)", "${A:-", "{", "}", "{{", "{*}", "{a:int}", "[", "]", "("),
    *("9" * 30, "9" * 400, "-1", "0", "1e999", "nan", "0x", "1_0", "1,000", "12.5 GiB", "1 << 99", "9 ** 9 ** 9"),
    *("&a [*a, *a]", "!!python/object/apply:os.system ['x']", "<<: *a", "*a", "? ", ": ", "- ", "%YAML 9", "---\n"),
    *(
        '{"log": "',
        '{"event":"rbln.worker.fatal",',
        "Traceback (most recent call last):\n",
        '  File "a", line 1, in f\n',
    ),
    *("  + Exception Group Traceback (most recent call last):\n", "  +-+---------------- 1 ----------------\n"),
    *("ERROR 11-29 12:00:00 [a.py:1] ", "(EngineCore pid=1) ", "2026-11-29T12:00:00.1Z stderr P ", "a-1  | ", "> "),
    *("During handling of the above exception, another exception occurred:\n", "ValueError: ", "usage: x [-h]\n"),
    *("non-default args: {", "Compiling x with rbln_config {", "prompt: '", "lambda: ", "__class__", "().__init__"),
    *("한글", "각", "\u1100\u1161", "e\u0301", "🙂", "ﬁ", "\u200b", "\xa0", "０"),
)
_SLICES = (1, 2, 5, 20, 80)


def any_text(chance: random.Random, pieces: Sequence[str] = HOSTILE, most: int = 12) -> str:
    """A text put together from ``pieces`` and random characters."""
    made = []
    for _ in range(chance.randrange(most)):
        roll = chance.random()
        if roll < 0.6:
            made.append(chance.choice(pieces))
        elif roll < 0.9:
            made.append("".join(chr(chance.randrange(32, 127)) for _ in range(chance.randrange(8))))
        else:
            made.append(chr(chance.randrange(0x110000)))
    return "".join(made)


def mutated(text: str, chance: random.Random, others: Sequence[str]) -> str:
    """``text`` after a few changes; ``others`` are texts of the same kind, to be spliced in."""
    for _ in range(chance.randrange(MAX_CHANGES)):
        text = chance.choice(_CHANGES)(text, chance, others)[:MAX_CHARS]
    return text[:MAX_CHARS]


def seed_of(chance: random.Random, texts: Sequence[str]) -> str:
    return mutated(chance.choice(texts), chance, texts)


_Change = Callable[[str, random.Random, Sequence[str]], str]


def _at(text: str, chance: random.Random) -> tuple[int, int]:
    start = chance.randrange(len(text) + 1)
    return start, min(len(text), start + chance.choice(_SLICES))


def _insert(text: str, chance: random.Random, others: Sequence[str]) -> str:
    start, _ = _at(text, chance)
    return text[:start] + chance.choice(HOSTILE) + text[start:]


def _replace(text: str, chance: random.Random, others: Sequence[str]) -> str:
    start, end = _at(text, chance)
    return text[:start] + chance.choice(HOSTILE) + text[end:]


def _drop(text: str, chance: random.Random, others: Sequence[str]) -> str:
    start, end = _at(text, chance)
    return text[:start] + text[end:]


def _repeat(text: str, chance: random.Random, others: Sequence[str]) -> str:
    start, end = _at(text, chance)
    return text[:end] + text[start:end] * chance.choice((1, 2, 10, 200)) + text[end:]


def _splice(text: str, chance: random.Random, others: Sequence[str]) -> str:
    other = chance.choice(others)
    return text[: _at(text, chance)[0]] + other[_at(other, chance)[0] :]


def _lines(text: str, chance: random.Random, others: Sequence[str]) -> str:
    """Lines shuffled, doubled, joined, or with something in front of each."""
    lines = text.split("\n")
    how = chance.randrange(4)
    if how == 0:
        chance.shuffle(lines)
    elif how == 1:
        lines.insert(chance.randrange(len(lines)), chance.choice(lines))
    elif how == 2:
        return "".join(lines)
    else:
        front = chance.choice(HOSTILE)
        lines = [front + line for line in lines]
    return "\n".join(lines)


def _number(text: str, chance: random.Random, others: Sequence[str]) -> str:
    digits = [at for at, character in enumerate(text) if character.isdigit()]
    if not digits:
        return text
    at = chance.choice(digits)
    return text[:at] + chance.choice(("0", "-1", "7" * 25, "9" * 310, "1.5", "٣", "²", "1e400")) + text[at + 1 :]


def _nest(text: str, chance: random.Random, others: Sequence[str]) -> str:
    start, _ = _at(text, chance)
    opening, closing = chance.choice(("()", "[]", "{}", "''", "``", '""'))
    depth = chance.choice((1, 3, 50, 400))
    return text[:start] + opening * depth + text[start:] + closing * chance.choice((0, depth))


def _character(text: str, chance: random.Random, others: Sequence[str]) -> str:
    start, _ = _at(text, chance)
    return text[:start] + chr(chance.randrange(0x300 if chance.random() < 0.8 else 0x110000)) + text[start + 1 :]


_CHANGES: tuple[_Change, ...] = (
    _insert,
    _replace,
    _drop,
    _repeat,
    _splice,
    _lines,
    _number,
    _nest,
    _character,
)


def as_bytes(text: str, chance: random.Random) -> bytes:
    """In one of the encodings logs come in, at times with bytes broken."""
    encoding = "utf-8" if chance.random() < 0.85 else chance.choice(("utf-16", "utf-16-le", "cp949", "latin-1"))
    data = bytearray(text.encode(encoding, "surrogatepass" if encoding == "utf-8" else "replace"))
    for _ in range(chance.choice((0, 0, 0, 1, 5))):
        if data:
            data[chance.randrange(len(data))] = chance.randrange(256)
    return bytes(data)
