"""Which release of a package ran, for rules that depend on it."""

from __future__ import annotations

import re

from diagnose.model import RunContext

LOCKSTEP: tuple[str, ...] = ("optimum_rbln", "vllm_rbln", "rebel_compiler", "torch_rbln")
"""Packages released together under one number (the public version matrix, 0.10 – 0.12): one of them tells
the others' minor release. An inference, used only when the package itself is not named."""


def numbers_of(version: str) -> tuple[int, ...]:
    """``0.11.0.post1`` → (0, 11, 0). Empty when the text holds no number."""
    found = re.match(r"v?(\d+(?:\.\d+)*)", version.strip())
    return tuple(int(part) for part in found[1].split(".")) if found else ()


def version_of(context: RunContext, package: str) -> str | None:
    """The release of ``package`` that ran; None when neither it nor a sister package is named."""
    named = context.versions.get(package)
    if named or package not in LOCKSTEP:
        return named
    return next((v for p in LOCKSTEP if (v := context.versions.get(p))), None)


def at_least(context: RunContext, package: str, version: str) -> bool:
    """True when ``package`` is ``version`` or later. An unknown release counts as the newest one."""
    known = version_of(context, package)
    return known is None or numbers_of(known) >= numbers_of(version)
