"""``dataclass`` with equality, hash and text written once for all classes instead of generated for each.

Python compiles six functions for every frozen data class. For the ninety or so classes that a small diagnosis needs
this takes a fifth of its start-up; three of the functions say the same of every class.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    from dataclasses import dataclass as _generated

    def dataclass(*, slots: bool, frozen: bool = False):
        """As the standard library's, with the same meaning."""

        def made(cls: type) -> type:
            own = {"__eq__": _eq, "__hash__": _hash if frozen else None, "__repr__": _repr}
            for name, method in own.items():
                if name not in vars(cls):
                    setattr(cls, name, method)
            return _generated(cls, frozen=frozen, slots=slots, eq=False, repr=False)

        return made


def _values(noun: Any) -> tuple[Any, ...]:
    return tuple([getattr(noun, name) for name in type(noun).__match_args__])


def _eq(self: Any, other: object) -> Any:
    return _values(self) == _values(other) if type(self) is type(other) else NotImplemented


def _hash(self: Any) -> int:
    return hash(_values(self))


def _repr(self: Any) -> str:
    names = type(self).__match_args__
    return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"


__all__ = ["dataclass"]
