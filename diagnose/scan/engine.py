"""What a literal engine is, and which one is used."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from diagnose.model import InputError, Text

NAMES = ("hyperscan", "standard")


class Engine(Protocol):
    """Finds literals in bytes. All engines give the same ``which`` and the same set of lines in ``find``."""

    @property
    def name(self) -> str: ...

    def find(self, block: bytes, start: int = 0, end: int | None = None) -> list[int]:
        """End offsets in ``block`` (behind the last byte) of literals inside ``block[start:end]``, ascending:
        at least one for every line that holds a literal. An end offset belongs to the line of the byte before
        it, a newline being the last byte of its line."""
        ...

    def which(self, text: bytes) -> set[int]:
        """Indices of all literals that stand in ``text`` (UTF-8)."""
        ...


def variants(literal: str) -> tuple[bytes, ...]:
    """The byte forms a literal can have in a log: UTF-8, and for Korean CP949 and decomposed UTF-8 as well.

    A newline may stand at the front of a literal (it then holds for the beginning of a line) and at its end.
    Raises ``ValueError`` for a literal that spans lines or is empty: the scan works on lines.
    """
    if literal and literal.isascii() and "\n" not in literal:
        return (literal.encode("ascii"),)  # most are plain words, and every start asks for thousands
    if not literal.strip("\n") or "\n" in literal[1:-1]:
        raise ValueError(f"not a literal within one line: {literal!r}")
    if literal.isascii():
        return (literal.encode("ascii"),)
    import unicodedata

    forms = [literal.encode("utf-8"), unicodedata.normalize("NFD", literal).encode("utf-8")]
    with contextlib.suppress(UnicodeEncodeError):
        forms.append(literal.encode("cp949"))
    return tuple(dict.fromkeys(forms))


def by_bytes(literals: Iterable[tuple[int, str]]) -> Mapping[bytes, tuple[int, ...]]:
    """Byte form → indices of the literals that have it, from pairs of index and literal."""
    table: dict[bytes, tuple[int, ...]] = {}
    for index, literal in literals:
        for form in variants(literal):
            table[form] = (*table.get(form, ()), index)
    return table


def make_engine(literals: Sequence[str], prefer: str | None = None, cache: Path | None = None) -> Engine:
    """The fastest engine this machine has for ``literals``; ``cache`` is a directory for what was compiled.

    ``prefer`` is ``hyperscan`` or ``standard`` (the value of ``RBLN_DIAGNOSE_ENGINE``); None or empty takes
    hyperscan where it imports and can run, else the standard library, and builds it when there is enough to search.
    Raises ``InputError`` for another name, and when hyperscan is asked for by name and is not there.
    """
    if prefer and prefer not in NAMES:
        raise InputError(
            Text(
                f"unknown engine {prefer!r}: set RBLN_DIAGNOSE_ENGINE to {' or '.join(NAMES)}, or unset it",
                f"알 수 없는 엔진 {prefer!r}: RBLN_DIAGNOSE_ENGINE을 해제하거나 다음 값으로 설정하세요:"
                f" {' 또는 '.join(NAMES)}",
            )
        )
    if prefer or not literals:
        return _build(by_bytes(enumerate(literals)), prefer, cache)
    from diagnose.scan.small import SmallEngine

    return SmallEngine(literals, lambda table: _build(table, None, cache))


def _build(table: Mapping[bytes, tuple[int, ...]], prefer: str | None, cache: Path | None) -> Engine:
    from diagnose.scan.standard import StandardEngine

    if prefer == "standard" or not table:
        return StandardEngine(table)
    from diagnose.scan.hyper import UnavailableError, load_hyperscan

    try:
        return load_hyperscan(table, cache)
    except UnavailableError as error:
        if prefer != "hyperscan":
            return StandardEngine(table)
        raise InputError(
            Text(
                f"hyperscan cannot be used here ({error}): unset RBLN_DIAGNOSE_ENGINE or pip install hyperscan",
                f"hyperscan을 사용할 수 없습니다({error}). RBLN_DIAGNOSE_ENGINE을 해제하거나"
                " pip install hyperscan을 실행하세요",
            )
        ) from error
