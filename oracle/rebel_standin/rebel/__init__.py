"""A stand-in for the ``rebel`` module (compiler and runtime of Rebellions NPUs), enough to run optimum-rbln on a CPU.

It compiles nothing. It keeps the books of device memory: how many bytes each graph takes on each unit (an ATOM device,
a chiplet of a REBEL device), and whether a runtime can be created. Names and shapes of the answers are those
optimum-rbln 0.12.0 calls. How memory is laid out here is our model, not the vendor's: what runs against it proves the
Python side of the library only.
"""

from __future__ import annotations

from rebel import ops as _ops  # registers what optimum-rbln names
from rebel.compile_context import CompileContext
from rebel.compiled import RBLNCompiledModel, compile, compile_from_torch
from rebel.host import Host, device_count, get_npu_name, host, npu_is_available, use_host
from rebel.runtime import AsyncRuntime, Runtime

__version__ = "0.12.0"

del _ops

__all__ = [
    "AsyncRuntime",
    "CompileContext",
    "Host",
    "RBLNCompiledModel",
    "Runtime",
    "compile",
    "compile_from_torch",
    "device_count",
    "get_npu_name",
    "host",
    "npu_is_available",
    "use_host",
]
