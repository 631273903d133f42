"""The compiled form: one line of JSON index, then one line of JSON per signature and one per entry.

The index holds what every run needs (literals, parameters, constraints, hardware); a signature is parsed when one of
its literals is found, and titles, causes and remedies of an entry when it is. A start parses a seventh of the whole.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from mmap import mmap
from typing import Any, overload

from diagnose.knowledge.schema import (
    FORMAT,
    Case,
    Constraint,
    Entry,
    Example,
    Knowledge,
    Parameter,
    RemedySpec,
    Signature,
)
from diagnose.model import Text

Compiled = bytes | mmap
"""A file of two megabytes, of which a start reads a twentieth."""

SIGNATURE_KEYS = ("template", "pattern", "types", "literals", "in", "anywhere", "since", "until", "frame")
"""What stands in the row of a signature, behind the id of its entry and its number there."""


def pack(tree: Mapping[str, Any]) -> bytes:
    """The compiled form of ``source.compile_tree``'s result as bytes."""
    entries = tree["entries"]
    signatures = [(id_, i, s) for id_, entry in entries.items() for i, s in enumerate(entry["signatures"])]
    index = {
        "format": tree["format"],
        "hash": tree["hash"],
        "entries": list(entries),
        "literals": [s["literals"] for _, _, s in signatures],
        "constraints": tree["constraints"],
        "parameters": tree["parameters"],
        "hardware": tree["hardware"],
        "models": tree["models"],
        "observe": [id_ for id_, entry in entries.items() if entry["observe"]],
    }
    rows = [[id_, i, *(s[key] for key in SIGNATURE_KEYS)] for id_, i, s in signatures]
    lines = [_line(value) for value in (*rows, *entries.values())]
    return b"".join([_line({**index, "lengths": [len(line) for line in lines]}), *lines])


def _line(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str).encode() + b"\n"


def unpack(data: Compiled) -> Knowledge:
    """Knowledge from the compiled form, which is read on as it is needed. Raises ValueError when it is of another
    format."""
    index, lines = parts(data)
    if index.get("format") != FORMAT:
        raise ValueError("compiled knowledge base of another format")
    literals = index["literals"]
    return Knowledge(
        hash=index["hash"],
        entries=_Entries(lines, {id_: i for i, id_ in enumerate(index["entries"], len(literals))}, index["observe"]),
        signatures=_Signatures(lines, len(literals)),
        literals=tuple((text, i) for i, texts in enumerate(literals) for text in texts),
        parameters={name: _parameter(name, raw) for name, raw in index["parameters"].items()},
        constraints=tuple(_constraint(raw) for raw in index["constraints"]),
        hardware=index["hardware"],
        models=index["models"],
    )


def parts(data: Compiled) -> tuple[dict[str, Any], Lines]:
    """The index, and the lines of the signatures with those of the entries behind them."""
    head = data[: data.find(b"\n") + 1]
    index = json.loads(head)
    return index, Lines(data, [*accumulate(index.get("lengths", ()), initial=len(head))])


class Lines:
    """Lines behind the index, each cut out when it is asked for."""

    def __init__(self, data: Compiled, starts: Sequence[int]) -> None:
        self._data = data
        self._starts = starts

    def parsed(self, index: int) -> Any:
        return json.loads(self._data[self._starts[index] : self._starts[index + 1]])


class _Signatures(Sequence[Signature]):
    """Signatures by index, each made on first use: a log asks for a handful of them."""

    def __init__(self, lines: Lines, count: int) -> None:
        self._lines = lines
        self._count = count
        self._made: dict[int, Signature] = {}

    @overload
    def __getitem__(self, index: int) -> Signature: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Signature]: ...
    def __getitem__(self, index: int | slice) -> Signature | Sequence[Signature]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(self._count))]
        if index not in self._made:
            self._made[index] = _signature(self._lines.parsed(range(self._count)[index]))
        return self._made[index]

    def __len__(self) -> int:
        return self._count


class _Entries(Mapping[str, Entry]):
    """Entries by id, each parsed on first use."""

    def __init__(self, lines: Lines, places: Mapping[str, int], observing: Sequence[str]) -> None:
        self._lines = lines
        self._places = places
        self._made: dict[str, Entry] = {}
        self.observing = observing
        """Ids of the entries that look at the configuration, so that not every entry must be parsed for them."""

    def __getitem__(self, id_: str) -> Entry:
        if id_ not in self._made:
            self._made[id_] = entry_from_dict(self._lines.parsed(self._places[id_]))
        return self._made[id_]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def observing(knowledge: Knowledge) -> Iterator[Entry]:
    """The entries that look at the configuration (``observe:``)."""
    ids = getattr(knowledge.entries, "observing", None)
    if ids is None:
        ids = [id_ for id_, entry in knowledge.entries.items() if entry.observe]
    return (knowledge.entries[id_] for id_ in sorted(ids))


def entry_from_dict(raw: Mapping[str, Any]) -> Entry:
    """An Entry from its compiled mapping."""
    return Entry(
        id=raw["id"],
        component=raw["component"],
        domain=raw["domain"],
        role=raw["role"],
        severity=raw["severity"],
        title=_text(raw["title"]),
        cause=tuple(Case(c["when"], _text(c)) for c in raw["cause"]),
        signatures=tuple(
            Signature(
                raw["id"], i, s["template"], s["pattern"], s["types"], tuple(s["literals"]),
                tuple(s["in"]), s["anywhere"], s["since"], s["until"], s["frame"],
            )
            for i, s in enumerate(raw["signatures"])
        ),
        remedies=tuple(_remedy(r) for r in raw["remedies"]),
        explains=tuple(raw["explains"]),
        when=raw["when"],
        observe=raw["observe"],
        model_class=raw["model_class"],
        path=raw["path"],
        evidence=raw["evidence"],
        references=tuple(raw["references"]),
        examples=tuple(
            Example(x["text"], x["numbers"], x["sets"], x["npu"], x["changes"], tuple(x["not_offered"]))
            for x in raw["examples"]
        ),
        near_misses=tuple(raw["near_misses"]),
    )  # fmt: skip


def _text(raw: Mapping[str, Any]) -> Text:
    return Text(raw["en"], raw["ko"])


def _remedy(raw: Mapping[str, Any]) -> RemedySpec:
    return RemedySpec(
        id=raw["id"],
        title=_text(raw["title"]),
        when=raw["when"],
        set=raw["set"],
        solver=raw["solver"],
        options=raw["options"],
        applicability=raw["applicability"],
        commands=raw["commands"],
        side_effect=_text(raw["side_effect"]) if raw["side_effect"] else None,
        verify=_text(raw["verify"]) if raw["verify"] else None,
    )


def _signature(row: list[Any]) -> Signature:
    id_, index, template, pattern, types, literals, where, anywhere, since, until, frame = row
    return Signature(id_, index, template, pattern, types, tuple(literals), tuple(where), anywhere, since, until, frame)


def _parameter(name: str, raw: Mapping[str, Any]) -> Parameter:
    meaning = raw.get("meaning") or {"en": "", "ko": ""}
    return Parameter(
        name=name,
        type=raw["type"],
        level=raw["level"],
        unit=raw.get("unit", ""),
        vllm=raw.get("vllm"),
        additional=raw.get("additional"),
        environment=tuple(raw.get("environment", ())),
        aliases=tuple(raw.get("aliases", ())),
        at=raw.get("at", "compile"),
        default=raw.get("default", {}),
        meaning=_text(meaning),
    )


def _constraint(raw: Mapping[str, Any]) -> Constraint:
    return Constraint(
        id=raw["id"],
        rule=str(raw["rule"]),
        when=None if raw.get("when") is None else str(raw["when"]),
        touches=tuple(raw.get("touches", ())),
        text=_text(raw["text"]),
        source=raw.get("source", ""),
    )
