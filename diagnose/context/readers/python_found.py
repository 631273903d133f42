"""What the calls of a script say, collected in the order they would run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field

from diagnose.context.readers.python_values import UNKNOWN, same
from diagnose.light import dataclass
from diagnose.model import Value

MAX_NODES = 20_000


@dataclass(slots=True)
class Found:
    """Raw sections by dialect (``rbln``, ``vllm``, ``processor``, ``environment``), not yet renamed."""

    sections: dict[str, dict[str, Value]] = field(default_factory=dict)
    model: Value = None
    model_class: Value = None
    artifact: Value = None
    form: Value = None
    phases: tuple[str, ...] = ()
    image_sizes: tuple[tuple[int, int], ...] = ()
    max_new_tokens: Value = None
    partly: bool = False
    """Some value of a call is one only a run would give: what the script shows is not all of it."""
    compiled: tuple[str, ...] = ()
    """Models the script compiles; with two of them a value belongs to neither for sure."""

    def put(self, section: str, values: Mapping[str, Value]) -> None:
        """Lays known values over the section; nested dicts are merged."""
        self.partly = self.partly or (section != "processor" and not all(_wholly(value) for value in values.values()))
        _merge(self.sections.setdefault(section, {}), values)

    def keep_only_common(self, section: str, values: Mapping[str, Value]) -> None:
        """For a second model: a value that differs from the first model's is no longer certain."""
        self.partly = True
        self.sections[section] = _common(self.sections.setdefault(section, {}), values)

    def phase(self, name: str) -> None:
        if name not in self.phases:
            self.phases = (*self.phases, name)

    def copy(self) -> Found:
        return Found(
            sections={name: _copied(values) for name, values in self.sections.items()},
            model=self.model,
            model_class=self.model_class,
            artifact=self.artifact,
            form=self.form,
            phases=self.phases,
            image_sizes=self.image_sizes,
            max_new_tokens=self.max_new_tokens,
            compiled=self.compiled,
            partly=self.partly,
        )

    def take_branches(self, branches: Sequence[Found]) -> None:
        """Continues after ``if``/``else``: what one branch alone says holds; a contradiction does not."""
        if not branches:
            return
        first, *others = branches
        sections = {name: _copied(values) for name, values in first.sections.items()}
        for other in others:
            for name, values in other.sections.items():
                sections[name] = _common(sections.get(name, {}), values)
        self.partly = any(branch.partly or branch.sections != first.sections for branch in branches)
        self.sections = sections
        for attribute in ("model", "model_class", "artifact", "form", "max_new_tokens"):
            setattr(self, attribute, _agreed(getattr(branch, attribute) for branch in branches))
        self.phases = _union(branch.phases for branch in branches)
        self.image_sizes = _union(branch.image_sizes for branch in branches)
        self.compiled = _union(branch.compiled for branch in branches)


def plain(value: Value, budget: list[int]) -> Value:
    """A copy without UNKNOWN parts, tuples as lists. Raises ValueError past ``budget[0]`` nodes.

    The budget bounds values that share parts with themselves many times over.
    """
    budget[0] -= 1
    if budget[0] < 0:
        raise ValueError("too many values")
    if isinstance(value, Mapping):
        return {k: plain(v, budget) for k, v in value.items() if isinstance(k, str) and known(v)}
    if isinstance(value, (list, tuple)):
        return [plain(item, budget) for item in value]
    return value


def known(value: Value) -> bool:
    """False for UNKNOWN and for a list that holds it; a dict's known entries are still worth having."""
    if value is UNKNOWN:
        return False
    return all(item is not UNKNOWN for item in value) if isinstance(value, (list, tuple)) else True


def _wholly(value: Value) -> bool:
    if isinstance(value, Mapping):
        return all(_wholly(item) for item in value.values())
    return known(value)


def _merge(target: dict[str, Value], values: Mapping[str, Value]) -> None:
    for key, value in values.items():
        inner = target.get(key)
        if isinstance(inner, dict) and isinstance(value, Mapping):
            _merge(inner, value)
        elif known(value):
            target[key] = _copied(value) if isinstance(value, Mapping) else value
        else:
            # It was set to something only a run would know: an earlier value no longer holds.
            target.pop(key, None)


def _copied(values: Mapping[str, Value]) -> dict[str, Value]:
    return {k: _copied(v) if isinstance(v, Mapping) else v for k, v in values.items() if known(v)}


def _common(first: Mapping[str, Value], second: Mapping[str, Value]) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for key in {**first, **second}:
        if key not in first or key not in second:
            found[key] = first.get(key, second.get(key))
        elif isinstance(first[key], Mapping) and isinstance(second[key], Mapping):
            found[key] = _common(first[key], second[key])
        elif same(first[key], second[key]):
            found[key] = first[key]
    return found


def _agreed(values: Iterable[Value]) -> Value:
    given = [value for value in values if value is not None]
    return given[0] if given and all(same(given[0], value) for value in given) else None


def _union(groups: Iterable[tuple[Value, ...]]) -> tuple[Value, ...]:
    return tuple(dict.fromkeys(item for group in groups for item in group))
