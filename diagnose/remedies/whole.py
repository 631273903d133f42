"""Whole numbers among values: a yes or no is none, though Python counts it as one."""

from __future__ import annotations

from typing import Any, TypeGuard

from diagnose.model import Value


def is_whole(value: Any) -> TypeGuard[int]:
    """Whether ``value`` is a whole number."""
    return isinstance(value, int) and not isinstance(value, bool)


def as_list(value: Value) -> list[int]:
    """A value that may be one number or a list of them, as a list; empty when it is neither. A list with something else
    in it was damaged or masked, and what is left of it is not what the run had."""
    items = list(value) if isinstance(value, (list, tuple)) else [value]
    return items if all(map(is_whole, items)) else []
