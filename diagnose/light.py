"""``dataclass`` whose methods are written once for all classes, or made when a class is first used.

Python compiles six functions for every frozen data class. For the ninety or so classes that a small diagnosis needs
this takes a quarter of its start-up; five of the functions say the same of every class, and of most classes a small
diagnosis makes no object.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    from dataclasses import dataclass as _generated

    def dataclass(*, slots: bool, frozen: bool = False):
        """As the standard library's, with the same meaning; the generated ``__init__`` is made at the first object."""

        def made(cls: type) -> type:
            own = {"__eq__": _eq, "__hash__": None, "__repr__": _repr} | (_FROZEN if frozen else {})

            def __init__(self, *given, **named):
                done.__init__ = _init_of(done, frozen)
                done.__init__(self, *given, **named)

            for name, method in {**own, "__init__": __init__}.items():
                if name not in vars(cls):
                    setattr(cls, name, method)
            cls.__doc__ = cls.__doc__ or cls.__name__  # else its signature is read, for a docstring
            done = _generated(cls, slots=slots, init=False, eq=False, repr=False)
            return done

        return made


def _init_of(cls: type, frozen: bool) -> Any:
    """``__init__`` with the fields of ``cls`` as its parameters."""
    from dataclasses import MISSING, fields

    names: dict[str, Any] = {"_missing": MISSING, "_set": object.__setattr__}
    parameters, body = ["self"], ["pass"]
    for field in fields(cls):
        name = value = field.name
        default = ""
        if field.default is not MISSING:
            default, names[f"_default_{name}"] = f"=_default_{name}", field.default
        elif field.default_factory is not MISSING:
            default, names[f"_make_{name}"] = "=_missing", field.default_factory
            value = f"_make_{name}() if {name} is _missing else {name}"
        parameters.append(name + default)
        body.append(f"_set(self, {name!r}, {value})" if frozen else f"self.{name} = {value}")
    exec(f"def __init__({', '.join(parameters)}):\n  " + "\n  ".join(body), names)
    return names["__init__"]


def _values(noun: Any) -> tuple[Any, ...]:
    return tuple([getattr(noun, name) for name in type(noun).__match_args__])


def _eq(self: Any, other: object) -> Any:
    return _values(self) == _values(other) if type(self) is type(other) else NotImplemented


def _hash(self: Any) -> int:
    return hash(_values(self))


def _repr(self: Any) -> str:
    names = type(self).__match_args__
    return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"


def _stays(self: Any, name: str, value: object = None) -> None:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"{type(self).__qualname__}.{name} stays as it is")


def _setstate(self: Any, state: tuple[Any, ...]) -> None:
    for name, value in zip(type(self).__match_args__, state, strict=True):
        object.__setattr__(self, name, value)


_FROZEN = {
    "__hash__": _hash,
    "__setattr__": _stays,
    "__delattr__": _stays,
    "__getstate__": _values,
    "__setstate__": _setstate,
}

__all__ = ["dataclass"]
