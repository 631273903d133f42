"""The target of the way out: every format, with hostile text wherever a diagnosis holds text."""

from __future__ import annotations

import dataclasses
import json
import random
import unicodedata
import xml.etree.ElementTree as ET
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from diagnose.model import Diagnosis
from fuzz.mutate import any_text, mutated
from fuzz.seeds import seeds
from fuzz.target import Run, Target

_FIXED = frozenset({"domain", "role", "severity", "outcome", "applicability", "scope", "id", "entry", "path", "form"})
"""Fields that the tool fills from its own words; the log cannot."""
_FORMATS = ("json", "sarif", "github", "gitlab", "junit", "markdown", "html", "text")
_SHARE = 0.2
"""Of the texts of one diagnosis that are changed."""


@lru_cache(maxsize=1)
def _diagnoses() -> tuple[Diagnosis, ...]:
    from diagnose.analyzer import diagnose_bytes

    return tuple(diagnose_bytes(text.encode(), name="server.log") for text in seeds().logs[::40])


def _hostile(value: Any, chance: random.Random, name: str = "") -> Any:
    """The same nouns with some of their texts changed."""
    if isinstance(value, str):
        if name in _FIXED or chance.random() > _SHARE:
            return value
        return any_text(chance) if chance.random() < 0.5 else mutated(value, chance, seeds().logs)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {f.name: _hostile(getattr(value, f.name), chance, f.name) for f in dataclasses.fields(value)}
        if "highlights" in fields:
            fields["highlights"] = tuple(
                (a, b) for a, b in getattr(value, "highlights", ()) if b <= len(fields["text"])
            )
        return dataclasses.replace(value, **fields)
    if isinstance(value, Mapping):
        return {key: _hostile(item, chance, name) for key, item in value.items()}
    if type(value) in (tuple, list):
        return type(value)(_hostile(item, chance, name) for item in value)
    return value


def _diagnosis(chance: random.Random) -> tuple[Diagnosis, str, str]:
    found = _hostile(chance.choice(_diagnoses()), chance)
    return found, chance.choice(_FORMATS), chance.choice(("en", "ko"))


def _reports() -> Run:
    from diagnose.report import render

    checks: dict[str, Callable[[str], object]] = {
        "json": json.loads,
        "sarif": json.loads,
        "gitlab": json.loads,
        "junit": ET.fromstring,
    }

    def run(given: tuple[Diagnosis, str, Any]) -> None:
        diagnosis, format, lang = given
        text = render(diagnosis, format, lang)
        assert not [c for c in text if c != "\n" and unicodedata.category(c) in ("Cc", "Cs")]
        text.encode()
        if format in checks:
            checks[format](text)
        if format == "github":
            assert all(line.startswith("::") for line in text.split("\n")[:-1])
        if format == "html":
            assert "<script" not in text.lower()

    return run


TARGETS = (Target("reports", 20, _diagnosis, _reports),)
