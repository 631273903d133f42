"""Redacting the nouns: every string in them, wherever it stands."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, TypeVar

from diagnose.model import Finding, Remedy, RunContext, Unknown
from diagnose.records import fingerprint_text
from diagnose.redact.about import here
from diagnose.redact.redactor import Redactor
from diagnose.report.clean import clean, clean_spans

_T = TypeVar("_T")


def redacted(value: _T, by: Redactor | None = None) -> _T:
    """The same nouns, cleaned (a token in two colours is one) and redacted. Numbers, names and texts of ours stay.

    ``by`` holds the aliases of one document; without it, it is a document of its own, of this machine and person.
    A credential that is known only after a text was read is looked for again in what was read before.
    """
    by = by or Redactor(here())
    known = -1
    made = value
    while known != by.learned:
        known = by.learned
        made = _any(value, by)
    return made


def _any(value: _T, by: Redactor) -> _T:
    result: Any = value
    if isinstance(value, str):
        # An enum member is its own constant, not text of a log.
        result = by.text(clean(value)) if type(value) is str else value
    elif isinstance(value, Remedy):
        # The bulk of a diagnosis, and the same from one look at a log that goes on to the next.
        result = by.once((value, by.learned), lambda: _fields(value, by))
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        result = _fields(value, by)
    elif isinstance(value, Mapping):
        result = {_any(key, by): _under(key, item, by) for key, item in value.items()}
    elif type(value) in (tuple, list, set, frozenset):
        sequence: Any = value
        result = type(sequence)(_any(item, by) for item in sequence)
    return result  # type: ignore[no-any-return]


def _fields(value: Any, by: Redactor) -> Any:
    changed = {f.name: _any(getattr(value, f.name), by) for f in dataclasses.fields(value)}
    if isinstance(value, RunContext):
        changed["told"] = ()  # read above: what it names is known now
    if isinstance(value, Finding):
        text, spans = by.spans(*clean_spans(value.text, value.highlights))
        changed |= {"text": text, "highlights": spans}
    if isinstance(value, Unknown):  # the mask of a number tears a token apart, so it comes last
        changed["template"] = fingerprint_text(changed["text"])
    if hasattr(value, "parameter") and hasattr(value, "to"):  # a change of a parameter that is a secret
        changed |= {name: _under(value.parameter, getattr(value, name), by) for name in ("from_", "to")}
    return dataclasses.replace(value, **changed)


def _under(key: object, item: Any, by: Redactor) -> Any:
    """A value whose name may say that it is a secret, wrapped as a setting or not."""
    if not isinstance(key, str):
        return _any(item, by)
    if type(item) is str:
        return by.secret(key, clean(item))
    if type(item) in (list, tuple):
        return type(item)(_under(key, one, by) for one in item)
    if dataclasses.is_dataclass(item) and not isinstance(item, type) and hasattr(item, "value"):
        setting: Any = item
        return dataclasses.replace(_any(setting, by), value=_under(key, setting.value, by))
    return _any(item, by)
