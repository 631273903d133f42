"""Secrets of the person do not leave the log: not into the store, not into an alert, not into a metric."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from typing import Any, Final, TypeVar

from diagnose.model import Finding

_T = TypeVar("_T")
MASK: Final = "•••"

_NAMED = (
    r"(?:(?:api|access|secret)[_-]?key|(?:auth|access|hf|hub|refresh|api|bearer)?[_-]?token|secret"
    r"|pass(?:word|wd|phrase)|credentials?)"
)
_PATTERNS: Final = (
    # tokens that are known by their beginning
    re.compile(
        r"\b(?P<keep>hf_|sk-|sk_live_|ghp_|gho_|ghs_|github_pat_|glpat-|xox[abprs]-|AKIA|ASIA|AIza|nvapi-)[\w\-]{12,}"
    ),
    re.compile(r"\b(?P<keep>eyJ)[\w\-]{8,}\.[\w\-]{8,}\.[\w\-]*"),  # JSON web token
    re.compile(r"(?P<keep>-----BEGIN [A-Z ]*PRIVATE KEY-----)[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)"),
    # what a name announces
    re.compile(r"(?i)(?P<keep>\bauthorization['\"]?\s*[:=]\s*['\"]?(?:bearer|basic|token)\s+)[^\s'\",;]+"),
    re.compile(r"(?i)(?P<keep>\bbearer\s+)[\w\-.~+/=]{12,}"),
    re.compile(
        rf"(?i)(?P<keep>\b[\w\-]*{_NAMED}['\"]?\s*(?:=|:\s|:(?=['\"])|\s(?=\S{{16,}}))\s*['\"\[]*)"
        r"(?!None\b|null\b|True\b|False\b|\d{1,9}\b)[^\s'\",;)\]}]{4,}"
    ),
    re.compile(r"(?P<keep>\b[a-zA-Z][\w+.\-]*://[^\s/:@'\"]*:)[^\s/@'\"]+(?=@)"),  # user:password@host
)


def redacted(text: str) -> str:
    """``text`` with what looks like a secret masked; doing it twice changes nothing."""
    for pattern in _PATTERNS:
        text = pattern.sub(lambda m: m["keep"] + MASK, text)
    return text


def without_secrets(value: _T) -> _T:
    """The same nouns with every string in them redacted."""
    result: Any = value
    if isinstance(value, str):
        result = redacted(value) if type(value) is str else value
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        changed = {f.name: without_secrets(getattr(value, f.name)) for f in dataclasses.fields(value)}
        if isinstance(value, Finding) and changed["text"] != value.text:
            changed["highlights"] = ()  # they would underline something else
        result = dataclasses.replace(value, **changed)
    elif isinstance(value, Mapping):
        result = {key: without_secrets(_named(key, item)) for key, item in value.items()}
    elif type(value) in (tuple, list, set, frozenset):
        sequence: Any = value
        result = type(sequence)(without_secrets(item) for item in sequence)
    return result  # type: ignore[no-any-return]


_SECRET_NAME: Final = re.compile(rf"(?i)(?:^|[_\-.]){_NAMED}$|^{_NAMED}$")


def _named(key: object, item: Any) -> Any:
    """A value whose name says that it is a secret."""
    return MASK if isinstance(key, str) and isinstance(item, str) and item and _SECRET_NAME.search(key) else item
