"""``dataclass`` whose methods are written once for all classes, or made when a class is first used.

Python compiles six functions for every frozen data class and takes its fields apart. For the ninety or so classes that
a small diagnosis needs this takes a quarter of its start-up; five of the functions say the same of every class, and of
most classes a small diagnosis makes no object.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(*, slots: bool, frozen: bool = False):
        """As the standard library's with slots, with the same meaning; the generated ``__init__`` is made at the first
        object, and what ``fields`` tells when it is asked for."""
        if not slots:
            raise TypeError("a light data class has slots")

        def made(cls: type) -> type:
            if any("__dataclass_fields__" in vars(base) for base in cls.__mro__[1:]):
                raise TypeError("a light data class inherits no fields")
            space = {name: value for name, value in vars(cls).items() if name not in ("__dict__", "__weakref__")}
            stated = space.get("__annotations__", {})
            names = tuple(name for name, said in stated.items() if "ClassVar" not in str(said))
            defaults = {name: space.pop(name) for name in names if name in space}

            def __init__(self, *given, **named):
                done.__init__ = _init_of(names, defaults, frozen)
                done.__init__(self, *given, **named)

            own = {"__eq__": _eq, "__hash__": None, "__repr__": _repr, "__init__": __init__, "__match_args__": names}
            space = own | (_FROZEN if frozen else {}) | space
            space |= {"__slots__": names, **{name: _Fields(name, defaults, frozen) for name in _LATE}}
            done = type(cls)(cls.__name__, cls.__bases__, space)
            done.__qualname__ = cls.__qualname__
            return done

        return made


_LATE = ("__dataclass_fields__", "__dataclass_params__")


class _Fields:
    """Stands for what the standard library knows of a data class until somebody asks for it."""

    def __init__(self, name: str, defaults: dict[str, Any], frozen: bool) -> None:
        self._name, self._defaults, self._frozen = name, defaults, frozen

    def __get__(self, noun: Any, owner: type) -> Any:
        from dataclasses import dataclass as generated

        stated = {"__doc__": owner.__name__, "__annotations__": owner.__annotations__, "__module__": owner.__module__}
        like: Any = generated(init=False, eq=False, repr=False)(type(owner.__name__, (), {**stated, **self._defaults}))
        like.__dataclass_params__.frozen = self._frozen
        for name in _LATE:
            setattr(owner, name, getattr(like, name))
        return getattr(owner, self._name)


def _init_of(names: tuple[str, ...], defaults: dict[str, Any], frozen: bool) -> Any:
    """``__init__`` with the fields as its parameters."""
    from dataclasses import MISSING, Field

    known: dict[str, Any] = {"_missing": MISSING, "_set": object.__setattr__}
    parameters, body = ["self"], ["pass"]
    for name in names:
        value, default = name, ""
        given = defaults.get(name, MISSING)
        if isinstance(given, Field) and given.default_factory is not MISSING:
            default, known[f"_make_{name}"] = "=_missing", given.default_factory
            value = f"_make_{name}() if {name} is _missing else {name}"
        elif (given := given.default if isinstance(given, Field) else given) is not MISSING:
            default, known[f"_default_{name}"] = f"=_default_{name}", given
        parameters.append(name + default)
        body.append(f"_set(self, {name!r}, {value})" if frozen else f"self.{name} = {value}")
    exec(f"def __init__({', '.join(parameters)}):\n  " + "\n  ".join(body), known)
    return known["__init__"]


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
