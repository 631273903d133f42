"""The compiled form: one line of JSON index, then one line of JSON per entry, read only when asked for.

The index holds what every run needs (signatures, literals, parameters, constraints, hardware); titles, causes and
remedies of an entry are parsed when it is found.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
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

LITERALS = 5
"""Place of the literals in a signature's row of the index."""


def pack(tree: Mapping[str, Any]) -> bytes:
    """The compiled form of ``source.compile_tree``'s result as bytes."""
    lines: list[bytes] = []
    places: dict[str, tuple[int, int]] = {}
    offset = 0
    for id_, entry in tree["entries"].items():
        line = json.dumps(entry, ensure_ascii=False, separators=(",", ":"), default=str).encode()
        places[id_] = (offset, len(line))
        offset += len(line) + 1
        lines.append(line)
    index = {
        "format": tree["format"],
        "hash": tree["hash"],
        "places": places,
        "signatures": [
            [
                id_,
                i,
                s["template"],
                s["pattern"],
                s["types"],
                s["literals"],
                s["in"],
                s["anywhere"],
                s["since"],
                s["until"],
                s["frame"],
            ]
            for id_, entry in tree["entries"].items()
            for i, s in enumerate(entry["signatures"])
        ],
        "constraints": tree["constraints"],
        "parameters": tree["parameters"],
        "hardware": tree["hardware"],
        "models": tree["models"],
        "observe": [id_ for id_, entry in tree["entries"].items() if entry["observe"]],
    }
    head = json.dumps(index, ensure_ascii=False, separators=(",", ":"), default=str).encode()
    return head + b"\n" + b"\n".join(lines) + b"\n"


def unpack(data: bytes) -> Knowledge:
    """Knowledge from the compiled form. Raises ValueError when it is of another format."""
    end = data.index(b"\n")
    index = json.loads(data[:end])
    if index.get("format") != FORMAT:
        raise ValueError("compiled knowledge base of another format")
    rows = index["signatures"]
    return Knowledge(
        hash=index["hash"],
        entries=_Entries(data, end + 1, index["places"], frozenset(index["observe"])),
        signatures=_Signatures(rows),
        literals=tuple((text, i) for i, row in enumerate(rows) for text in row[LITERALS]),
        parameters={name: _parameter(name, raw) for name, raw in index["parameters"].items()},
        constraints=tuple(_constraint(raw) for raw in index["constraints"]),
        hardware=index["hardware"],
        models=index["models"],
    )


class _Signatures(Sequence[Signature]):
    """Signatures by index, each made on first use: a log asks for a handful of them."""

    def __init__(self, rows: list[list[Any]]) -> None:
        self._rows = rows
        self._made: dict[int, Signature] = {}

    @overload
    def __getitem__(self, index: int) -> Signature: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Signature]: ...
    def __getitem__(self, index: int | slice) -> Signature | Sequence[Signature]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self._rows)))]
        if index not in self._made:
            self._made[index] = _signature(self._rows[index])
        return self._made[index]

    def __len__(self) -> int:
        return len(self._rows)


class _Entries(Mapping[str, Entry]):
    """Entries by id, each parsed on first use."""

    def __init__(
        self, data: bytes, base: int, places: Mapping[str, tuple[int, int]], observing: frozenset[str]
    ) -> None:
        self._data = data
        self._base = base
        self._places = places
        self._made: dict[str, Entry] = {}
        self.observing = observing
        """Ids of the entries that look at the configuration, so that not every entry must be parsed for them."""

    def __getitem__(self, id_: str) -> Entry:
        if id_ not in self._made:
            offset, length = self._places[id_]
            start = self._base + offset
            self._made[id_] = entry_from_dict(json.loads(self._data[start : start + length]))
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
