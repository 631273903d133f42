"""One file, several launches (the services of a compose file, the containers of a manifest, the lines of a script):
which of them is the run's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from diagnose.context import ranks
from diagnose.context.claims import same
from diagnose.context.clues import NO_CLUES, Clues
from diagnose.context.seen_whole import PARTLY
from diagnose.late import late
from diagnose.model import Fact, GivenConfig, InputError, Noted, Text, Value

WHICH = "config.which-section"
"""Entry that says that it is not known which section counts."""
_MODEL = "model"
_MOST_NAMED = 8
"""Sections and parameters a sentence names."""

_NUMBERED = late(r"[-_.]\d{1,4}$")
_POD = late(r"(?:-[bcdf-hj-np-tv-xz2456789]{5,10}){1,2}")
"""What Kubernetes puts behind a name: of a replica set, of a pod."""
_FILE = late(r"\.(?:log|txt|out)$")


def kind_of(section: GivenConfig) -> tuple[str | None, tuple[str, ...]]:
    """Launches of one kind exclude each other; those of different kinds are steps of one run."""
    return section.form, section.phases


def named(given: GivenConfig, section: str) -> GivenConfig:
    """The section of ``given`` a person named. Raises InputError, with the names there are, for another one."""
    for match in (lambda one: one.section == section, lambda one: section in one.called):
        found = [one for one in given.sections or (given,) if match(one)]
        if len(found) == 1:
            return found[0]
    there = _listed([f"#{one.section}" for one in given.sections]) or "-"
    raise InputError(
        Text(
            f"{given.name}: nothing in it is called #{section}; there is {there}",
            f"{given.name}: #{section} 항목이 없습니다. 있는 항목: {there}",
        )
    )


def together(whole: GivenConfig, sections: tuple[GivenConfig, ...]) -> GivenConfig:
    """``sections`` as one: of those of one kind what they have in common, those of different kinds laid over each
    other. ``whole`` gives name and kind. A single section stays itself where they are all alike."""
    kinds = _by_kind(sections)
    common = [_common(alike) for alike in kinds]
    values: dict[str, Value] = {}
    for one in common:
        values.update(one.values)
    one_of_each = not any(map(differing, kinds))
    last = common[-1]
    return replace(
        whole,
        name=sections[0].name if len(sections) == 1 else whole.name,
        values=values,
        model=next((one.model for one in reversed(common) if one.model), None),
        model_class=next((one.model_class for one in reversed(common) if one.model_class), None),
        npu=next((one.npu for one in reversed(common) if one.npu), None),
        form=last.form,
        phases=tuple(dict.fromkeys(phase for one in common for phase in one.phases)),
        sections=() if one_of_each else sections,
    )


def _common(alike: Sequence[GivenConfig]) -> GivenConfig:
    first = alike[0]
    unequal = differing(alike)
    values = {name: value for name, value in first.values.items() if name not in unequal}
    if unequal:
        values[PARTLY] = True
    return replace(
        first,
        values=values,
        model=first.model if _MODEL not in unequal else None,
        model_class=first.model_class if all(one.model_class == first.model_class for one in alike) else None,
        npu=first.npu if all(one.npu == first.npu for one in alike) else None,
    )


def differing(alike: Sequence[GivenConfig]) -> tuple[str, ...]:
    """Parameters (and ``model``) that not all sections give the same value."""
    names = dict.fromkeys(name for one in alike for name in one.values if name != PARTLY)
    first = alike[0]
    found = [n for n in names if any(n not in one.values or one.values[n] != first.values.get(n) for one in alike)]
    return (*([_MODEL] if any(one.model != first.model for one in alike) else ()), *found)


def chosen(
    given: Sequence[GivenConfig], facts: Sequence[Fact], sets: Mapping[str, Value], clues: Clues | None
) -> tuple[list[GivenConfig], list[Noted]]:
    """``given`` with each file of several sections as the one the log is of: that which its lines name, else that
    which agrees with the values they print. Where more than one is left, nothing of what differs counts, and it is
    said which there are."""
    made: list[GivenConfig] = []
    noted: list[Noted] = []
    clues = clues or NO_CLUES
    printed = _printed(facts, clues)
    for config in given:
        if not config.sections:
            made.append(config)
            continue
        left = tuple(_left(config.sections, clues.servers, printed))
        one = together(config, left)
        known = {*printed, *sets}
        unknown = [name for alike in _by_kind(left) for name in differing(alike) if name not in known]
        if unknown:
            noted.append(_which(config, left, unknown))
        made.append(replace(one, sections=()))
    return made, noted


def _by_kind(sections: Iterable[GivenConfig]) -> list[list[GivenConfig]]:
    """The sections of each kind, in their order."""
    kinds: dict[object, list[GivenConfig]] = {}
    for section in sections:
        kinds.setdefault(kind_of(section), []).append(section)
    return list(kinds.values())


def _which(config: GivenConfig, left: Sequence[GivenConfig], unknown: Sequence[str]) -> Noted:
    names = [one.section for one in left]
    return Noted(
        WHICH,
        {
            "file": config.name,
            "sections": _listed([f"#{name}" for name in names]),
            "unlike": _listed(list(dict.fromkeys(unknown))),
            "example": f"--config {config.name}#{names[0]}",
        },
    )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:_MOST_NAMED]) + (" …" if len(names) > _MOST_NAMED else "")


# --------------------------------------------------------------------------- what the log says


def _printed(facts: Sequence[Fact], clues: Clues) -> dict[str, list[Value]]:
    """Every value the log has for a name, the model under ``model``."""
    found: dict[str, list[Value]] = {}
    for fact in facts:
        if fact.rank > ranks.INFERRED:
            found.setdefault(fact.name, []).append(fact.value)
    for name, values in clues.stated.items():
        found.setdefault(name, []).extend(values)
    return found


def _left(
    sections: Sequence[GivenConfig], servers: Sequence[str], printed: Mapping[str, Sequence[Value]]
) -> Iterator[GivenConfig]:
    """The sections that may be the run's, in their order. Never empty."""
    told = {one.section for one in _most_named(sections, servers)}
    left: list[GivenConfig] = []
    for alike in _by_kind(sections):
        its = [one for one in alike if one.section in told]
        if its or not told or len(alike) == 1:
            left += _agreeing(its or alike, printed)
    yield from (section for section in sections if any(one is section for one in left))


def _agreeing(alike: Sequence[GivenConfig], printed: Mapping[str, Sequence[Value]]) -> Sequence[GivenConfig]:
    models = printed.get(_MODEL, ())
    by_model = [one for one in alike if one.model is not None and one.model in models] or alike
    return [one for one in by_model if not any(_against(one, printed))] or by_model


def _against(section: GivenConfig, printed: Mapping[str, Sequence[Value]]) -> Iterator[str]:
    for name, value in section.values.items():
        if name in printed and not any(same(said, value) for said in printed[name]):
            yield name


def _most_named(sections: Sequence[GivenConfig], servers: Sequence[str]) -> list[GivenConfig]:
    """The sections a server's name speaks of most closely; of several servers each has its own."""
    found: list[GivenConfig] = []
    for server in servers:
        scores = [_named_in(section.called, server) for section in sections]
        most = max(scores, default=(0, 0))
        if most > (0, 0):
            found.extend(section for section, score in zip(sections, scores, strict=True) if score == most)
    return found


def _named_in(called: Iterable[str], server: str) -> tuple[int, int]:
    """How many of the names ``called`` are in the name of a server, and how many letters of it they are."""
    parts = [_FILE.sub("", part) for part in re.split(r"[/ \[\]]+", server) if part]
    hits = [name for name in dict.fromkeys(called) if any(_is_name(name, part) for part in parts)]
    return len(hits), sum(map(len, hits))


def _is_name(name: str, part: str) -> bool:
    """``llama-1``, ``project-llama-1``, ``project_llama_1`` and ``llama-6f7c9d8b5-x2x4z`` are of ``llama``."""
    for text in (part, _NUMBERED.sub("", part)):
        if text == name or text.endswith((f"-{name}", f"_{name}")):
            return True
    return part.startswith(name) and _POD.fullmatch(part, len(name)) is not None
