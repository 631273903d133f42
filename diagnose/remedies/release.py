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


def stated(context: RunContext, package: str) -> str | None:
    """The release of ``package`` as a line or a sister package names it; None when there is at most a range."""
    named = context.versions.get(package)
    if named or package not in LOCKSTEP:
        return named
    return next((v for p in LOCKSTEP if (v := context.versions.get(p))), None)


def version_of(context: RunContext, package: str) -> str | None:
    """The release of ``package`` that ran, at most; None when neither it nor a sister package is named.

    Where only a range is known (an old parameter name, a vLLM that several plugin releases are made for), its newest
    release stands in.
    """
    return stated(context, package) or _end(context, package, "_max")


def oldest_of(context: RunContext, package: str) -> str | None:
    """The oldest release that may have run, of the range that is known; else as ``version_of``."""
    return stated(context, package) or _end(context, package, "_min") or _end(context, package, "_max")


def _end(context: RunContext, package: str, end: str) -> str | None:
    packages = (package, *LOCKSTEP) if package in LOCKSTEP else (package,)
    return next((v for p in packages if (v := context.versions.get(f"{p}{end}"))), None)


def at_least(context: RunContext, package: str, version: str) -> bool:
    """True when ``package`` is ``version`` or later. An unknown release counts as the newest one."""
    known = version_of(context, package)
    return known is None or numbers_of(known) >= numbers_of(version)
