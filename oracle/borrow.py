"""Loads single files of vLLM and vllm-rbln without the rest of them: what they import is answered by stand-ins that can
be subclassed, called and asked for anything, and do nothing.

Only functions that compute on what they are given are run this way. The files come from the installed packages.
"""

from __future__ import annotations

import importlib
import importlib.machinery
import importlib.util
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar, cast

PACKAGES = ("vllm", "vllm_rbln")
REAL = frozenset(
    {
        "vllm.utils.math_utils",
        "vllm.utils.mem_constants",
        "vllm.utils.mem_utils",
        "vllm.v1.core.kv_cache_utils",
        "vllm.v1.kv_cache_interface",
        "vllm.v1.kv_cache_layout",
        "vllm.v1.kv_cache_spec_registry",
        "vllm_rbln.v1.worker.bucketing.bucketing_manager",
        "vllm_rbln.v1.worker.bucketing.exponential_bucketing_manager",
        "vllm_rbln.v1.worker.bucketing.linear_bucketing_manager",
        "vllm_rbln.v1.worker.bucketing.manual_bucketing_manager",
        "vllm_rbln.v1.worker.utils",
    }
)
"""Modules whose own source is run."""
ANSWERS: Mapping[tuple[str, str], Any] = {
    ("vllm.utils.torch_utils", "get_dtype_size"): lambda dtype: dtype.itemsize,
    ("vllm.v1.hisparse.layout", "get_hisparse_kv_cache_groups"): lambda _config, _specs: None,
}
"""Small functions of modules that are not loaded and whose answer matters: (module, name) → function."""


class _Meta(type):
    """A class that has every attribute and every operator a type hint needs."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return anything(name)

    def __getitem__(cls, _item: Any) -> Any:
        return cls

    def __iter__(cls) -> Any:
        return iter(())


class Anything(metaclass=_Meta):
    """An object that has every attribute, and is the decorator that changes nothing."""

    def __init__(self, *_args: Any, **_named: Any) -> None:
        return None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return anything(name)

    def __call__(self, *args: Any, **_named: Any) -> Any:
        return args[0] if len(args) == 1 and callable(args[0]) else Anything()


def anything(name: str) -> type[Anything]:
    """A fresh class with this name: it can be a base class, a type hint, or be called."""
    return cast("type[Anything]", _Meta(name, (Anything,), {}))


class _StandIn(ModuleType):
    __path__: ClassVar[list[str]] = []  # type: ignore[misc]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return ANSWERS.get((self.__name__, name)) or anything(name)


class Borrower:
    """A finder for the two packages: the real file for ``REAL``, a stand-in for everything else."""

    def __init__(self, roots: Mapping[str, Path]) -> None:
        self.roots = roots

    def find_spec(
        self, name: str, _path: Sequence[str] | None = None, _target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        package, *rest = name.split(".")
        if package not in self.roots:
            return None
        if name in REAL:
            return importlib.util.spec_from_file_location(name, self.roots[package].joinpath(*rest).with_suffix(".py"))
        return importlib.machinery.ModuleSpec(name, self, is_package=True)  # type: ignore[arg-type]

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        return _StandIn(spec.name)

    def exec_module(self, _module: ModuleType) -> None:
        return None


def installed() -> dict[str, Path]:
    """Directories of the two packages, those that are installed; nothing is imported."""
    found: dict[str, Path] = {}
    for place in map(Path, sys.path):
        for name in PACKAGES:
            if name not in found and (place / name / "__init__.py").is_file():
                found[name] = place / name
    return found


def borrow(name: str) -> ModuleType:
    """The module ``name`` of ``REAL``. Raises ModuleNotFoundError when its package is not installed."""
    if not any(isinstance(finder, Borrower) for finder in sys.meta_path):
        sys.meta_path.insert(0, Borrower(installed()))
    if name.split(".", 1)[0] not in installed():
        raise ModuleNotFoundError(name)
    return importlib.import_module(name)
