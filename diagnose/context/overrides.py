"""What a person gave vllm-rbln beside vLLM's own arguments: ``additional_config`` and the overrides in it, as written.

A length, batch or block among the overrides is laid over vLLM's argument (vllm-rbln 0.10.4 – 0.12.0
``converter/from_vllm.py``), so a change has to be made there, with the other keys kept. The section is ``rbln_config``
up to 0.11 and ``optimum_overrides`` from 0.12, which still takes the old name (``config.py``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from diagnose.context import seen_whole
from diagnose.context.names import SECRET, SECTIONS, canonical
from diagnose.knowledge.schema import Parameter
from diagnose.light import dataclass
from diagnose.model import Additional, Fact, GivenConfig, Setting, Value

ADDITIONAL = "additional"
"""Fact: ``additional_config`` as written, secrets left out."""
PARTLY = "additional:partly"
"""Fact: the line that held it is cut off."""
OVERRIDE = "override:"
"""Fact, before the canonical name: a line says that this value came from the overrides."""
WORDS = ", overrides"
"""Ending of the origin of a value that was written among the overrides."""
_POOL = "kvcache_num_blocks"
MOST_NESTED = 8
"""Dicts within dicts of an ``additional_config``; deeper ones are left out. A submodule's own settings are at three."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """One key of the overrides."""

    path: tuple[str, ...]
    """As written: (``language_model``, ``max_seq_len``)."""
    name: str
    """Canonical, under the submodule's printed name."""
    value: Value


def additional_in(values: Mapping[str, Value]) -> dict[str, Value]:
    """``additional_config`` of vLLM's arguments, without secrets; empty where there is none."""
    found = values.get("additional_config")
    return _open(found, MOST_NESTED) if isinstance(found, Mapping) else {}


def _open(values: Mapping[str, Value], levels: int) -> dict[str, Value]:
    return {
        str(key): _open(value, levels - 1) if isinstance(value, Mapping) else value
        for key, value in values.items()
        if key not in SECRET and value is not None and (levels > 1 or not isinstance(value, Mapping))
    }


def section_of(additional: Mapping[str, Value]) -> str | None:
    """The key the overrides stand under. The old name is laid over the new one (``config.py``, ``_resolve``)."""
    held = [key for key in SECTIONS if isinstance(additional.get(key), Mapping)]
    return "rbln_config" if "rbln_config" in held else next(iter(held), None)


def leaves(overrides: Mapping[str, Value], parameters: Mapping[str, Parameter]) -> tuple[Leaf, ...]:
    """Each key of the overrides that holds a value; a key canonical names do not know keeps its own."""
    return tuple(_leaves(overrides, parameters, ()))


def _leaves(values: Mapping[str, Value], parameters: Mapping[str, Parameter], head: tuple[str, ...]) -> Iterator[Leaf]:
    for key, value in values.items():
        path = (*head, key)
        if isinstance(value, Mapping) and value:
            yield from _leaves(value, parameters, path)
            continue
        nested: Value = value
        for part in reversed(path):
            nested = {part: nested}
        name = next(iter(canonical(nested, parameters, "rbln")), ".".join(path))
        yield Leaf(path, name, value)


def asked_beside(
    facts: Sequence[Fact], given: Iterable[GivenConfig], parameters: Mapping[str, Parameter]
) -> tuple[Additional, dict[str, Setting]]:
    """The ``additional_config`` of the run, and the source of each value its overrides hold (canonical name).

    The log's own lines go before files. A value that only a ``Setting … based on`` line tells is put in; what else
    the overrides hold is then not known.
    """
    said = max((f for f in facts if f.name == ADDITIONAL), key=lambda f: (f.rank, f.line), default=None)
    source = said or next((g for g in reversed(list(given)) if g.additional), None)
    values: Mapping[str, Value] = {}
    line, origin, partly = None, "", False
    if isinstance(source, Fact):
        values, line, origin = source.value, source.line, source.origin
        partly = any(f.name == PARTLY and f.line == source.line for f in facts)
    elif source is not None:
        values, origin, partly = source.additional, source.name, seen_whole.PARTLY in source.values
    section = section_of(values)
    held = dict(values[section]) if section is not None else {}
    sources = {leaf.name: Setting(leaf.value, line, origin + WORDS) for leaf in leaves(held, parameters)}
    for fact in facts:
        name = fact.name.removeprefix(OVERRIDE)
        if name == fact.name or _known(name, sources):
            continue
        held[name], partly = fact.value, True
        sources[name] = Setting(fact.value, fact.line, fact.origin)
    other = {key: value for key, value in values.items() if key not in SECTIONS}
    return Additional(section or "", held, other, partly), sources


def _known(name: str, sources: Mapping[str, Setting]) -> bool:
    names = {key.rpartition(".")[2] for key in sources}
    return name in names or (name == "kvcache_partition_len" and "kvcache_block_size" in names)


def cited(config: Mapping[str, Setting], sources: Mapping[str, Setting]) -> dict[str, Setting]:
    """The configuration in force, a value that stands among the overrides cited from there. The pool keeps its own
    rule: vLLM's argument of it only limits the scheduler."""
    found = dict(config)
    for name, source in sources.items():
        for key in (name, name.rpartition(".")[2]):
            there = config.get(key)
            if there is None or key == _POOL or None in (there.line, source.line):
                continue
            if there.value == source.value:
                found[key] = source
    return found


def facts_of(values: Mapping[str, Value], fact: Fact, *, partly: bool) -> Iterator[Fact]:
    """``fact`` made the fact of an ``additional_config``; nothing where there is none. One that is cut off may have had
    overrides nobody sees (``partly``)."""
    if values or partly:
        yield replace(fact, name=ADDITIONAL, value=dict(values))
        if partly:
            yield replace(fact, name=PARTLY, value=True)
