"""Carries a remedy out: its changes are made in the case, as a person would make them in the script."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from diagnose.model import Change, Remedy, Text
from oracle.case import Case

PROCESSOR = "processor."
VIDEO = ("processor.size.longest_edge",)
"""Limits a video only; the requests here are images."""
SERVED = "vllm"
"""Families with this in their name keep vLLM's own parameters in their configuration too."""
REQUEST = ("request_tokens", "max_new_tokens")
"""Parameters of a request that have no ``processor.`` in front."""


def _whole_windows(case: Case, remedy: Remedy) -> Mapping[str, Any]:
    from oracle.families.vision import whole_windows

    return {"images": whole_windows(case.request, next(c.to for c in remedy.changes))}


CONDITIONS: Mapping[str, Callable[[Case, Remedy], Mapping[str, Any]]] = {"limit-whole-windows": _whole_windows}
"""Remedy that says what has to be done beside its changes → that, done to the request."""


class CannotApply(Exception):
    """The change cannot be written into a case of this kind (another tool, another form)."""


def applied(case: Case, remedy: Remedy) -> Case:
    """The case with every change of ``remedy`` made. Raises CannotApply for a vLLM or environment change."""
    config: dict[str, Any] = copy.deepcopy(dict(case.config))
    request: dict[str, Any] = dict(case.request)
    for change in remedy.changes:
        if change.parameter in VIDEO:
            raise CannotApply(f"for videos: {change.parameter}")
        if change.parameter.startswith(PROCESSOR) or change.parameter in REQUEST:
            put(request, (change.parameter,), change.to)
        elif change.scope == "rbln_config" or (change.scope == "vllm" and SERVED in case.family):
            put(config, tuple(change.parameter.split(".")), change.to)
        else:
            raise CannotApply(f"{change.scope}: {change.parameter}")
    if remedy.id in CONDITIONS:
        request |= CONDITIONS[remedy.id](case, remedy)
    return replace(case, config=config, request=request)


def with_value(case: Case, parameter: str, value: Any) -> Case:
    """The case with one more parameter set, written as a change would be."""
    return applied(
        case, Remedy(id="", applicability="exact", title=Text("", ""), changes=(Change(parameter, None, value),))
    )


def put(target: dict[str, Any], path: tuple[str, ...], value: Any) -> None:
    """Sets a value under a dotted path, or removes it when it is None; an empty submodule goes with its last key."""
    head, *rest = path
    if rest:
        inner = dict(target.get(head) or {})
        put(inner, tuple(rest), value)
        if inner:
            target[head] = inner
        else:
            target.pop(head, None)
    elif value is None:
        target.pop(head, None)
    else:
        target[head] = list(value) if isinstance(value, tuple) else value


def flat(config: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """``{"visual": {"device": 1}}`` as ``{"visual.device": 1}``."""
    found: dict[str, Any] = {}
    for name, value in config.items():
        if isinstance(value, Mapping):
            found |= flat(value, f"{prefix}{name}.")
        else:
            found[f"{prefix}{name}"] = value
    return found
