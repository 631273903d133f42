"""Targets of the way a log takes: unpacking, records, matching, the whole analysis, signature templates."""

from __future__ import annotations

import gzip
import random
from io import BytesIO

from fuzz.mutate import any_text, as_bytes, mutated, seed_of
from fuzz.seeds import seeds
from fuzz.target import Run, Target


def _log(chance: random.Random) -> str:
    return any_text(chance) if chance.random() < 0.15 else seed_of(chance, seeds().logs)


def _log_bytes(chance: random.Random) -> list[bytes]:
    """A log in pieces, as a pipe gives it."""
    data = as_bytes(_log(chance), chance)
    cuts = sorted(chance.randrange(len(data) + 1) for _ in range(chance.choice((0, 0, 1, 4))))
    return [data[a:b] for a, b in zip([0, *cuts], [*cuts, len(data)], strict=True)]


def _records() -> Run:
    from diagnose.model import Line
    from diagnose.records import Assembler, fingerprint_text
    from diagnose.records.limits import MAX_RECORD_CHARS
    from diagnose.sources import decode_line

    def run(data: bytes) -> None:
        assembler = Assembler()
        offset = 0
        found = []
        for number, raw in enumerate(data.split(b"\n"), 1):
            found += assembler.feed(Line(number, offset, decode_line(raw)))
            offset += len(raw) + 1
        for record in (*found, *assembler.flush()):
            assert len(record.text) <= MAX_RECORD_CHARS
            assert 1 <= record.line <= record.last_line <= data.count(b"\n") + 1
            fingerprint_text(record.text)

    return run


def _analysis() -> Run:
    from diagnose.analyzer import Analyzer, engine_for
    from diagnose.knowledge import load

    knowledge = load()
    engine = engine_for(knowledge)

    def run(pieces: list[bytes]) -> None:
        analyzer = Analyzer(name="x.log", knowledge=knowledge, engine=engine, all_runs=len(pieces) % 2 == 0)
        for piece in pieces:
            analyzer.feed(piece)
        found = analyzer.finish()
        assert found.input.bytes == sum(map(len, pieces))
        assert (found.outcome == "diagnosed") <= bool(found.findings)
        for finding in (*found.findings, *found.notes):
            assert all(0 <= a <= b <= len(finding.text) for a, b in finding.highlights)

    return run


def _unpacked() -> Run:
    from diagnose.model import InputError
    from diagnose.sources import open_source
    from diagnose.sources.unpack import BLOCK_BYTES

    def run(data: bytes) -> None:
        try:
            with open_source("-", stdin=BytesIO(data)) as source:
                for block in source.blocks():
                    assert 0 < len(block) <= max(BLOCK_BYTES, len(data))
        except InputError as error:
            assert "\n" not in error.message.en

    return run


def _archive(chance: random.Random) -> bytes:
    data = as_bytes(_log(chance) * chance.choice((1, 1, 40)), chance)
    for _ in range(chance.choice((1, 1, 2))):
        if chance.random() < 0.5:
            data = gzip.compress(data, 1, mtime=0)
        else:
            import zstandard

            data = zstandard.ZstdCompressor(level=1).compress(data)
    broken = bytearray(data)
    for _ in range(chance.choice((0, 1, 1, 3))):
        broken[chance.randrange(len(broken))] = chance.randrange(256)
    tail = b"" if chance.random() < 0.7 else as_bytes(any_text(chance), chance)
    return bytes(broken[: chance.randrange(1, len(broken) + 1)] if chance.random() < 0.3 else broken) + tail


def _templates() -> Run:
    import regex

    from diagnose.knowledge.templates import TemplateError, compile_template
    from diagnose.knowledge.values import convert
    from diagnose.matching.matcher import MATCH_LIMIT_S

    def run(given: tuple[str, str]) -> None:
        template, text = given
        try:
            compiled = compile_template(template)
        except TemplateError:
            return
        try:
            found = regex.search(compiled.pattern, text, timeout=MATCH_LIMIT_S)
        except TimeoutError:
            return
        if found is not None:
            flat = " ".join(text.split())
            assert any(literal in flat for literal in compiled.literals)
            for name, value in found.groupdict().items():
                convert(compiled.types[name], value)

    return run


def _template(chance: random.Random) -> tuple[str, str]:
    template = seed_of(chance, seeds().templates)
    # Half of the texts are near the template itself, the way a message is near it.
    text = mutated(template, chance, seeds().logs) if chance.random() < 0.5 else _log(chance)
    return template, text


TARGETS = (
    Target("records", 250, lambda chance: as_bytes(_log(chance), chance), _records),
    Target("analysis", 120, _log_bytes, _analysis),
    Target("archives", 60, _archive, _unpacked),
    Target("templates", 100, _template, _templates),
)
