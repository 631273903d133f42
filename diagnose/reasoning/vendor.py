"""Whose failure a message is: wordings of RBLN's packages that other vendors' have as well (``Batch size (4) exceeds
…``) are no finding in the log of another vendor's run."""

from __future__ import annotations

from collections.abc import Callable

from diagnose.knowledge.schema import Entry
from diagnose.late import late
from diagnose.model import Record

_OF_NOBODY = frozenset({"cpu", "unspecified", "none"})
"""Platforms vLLM names where it found no device: RBLN's plugin may only be missing."""
_NAMED = late(r"(?i)rbln|\brebel\b|rebellions")
_ANOTHER = late(
    r"(?:^|/)(?:tensorrt(?:_llm)?|vllm_ascend|vllm_gaudi|torch_npu|torch_xla|torch_neuronx|neuronx_distributed|jax|jaxlib"
    r"|habana_frameworks|intel_extension_for_pytorch|openvino|tpu_inference|optimum/(?:habana|neuron|intel|tpu|nvidia|amd))/"
)
"""Packages that other vendors' devices alone need, as they stand in the path of a file."""


def of_another(entry: Entry, record: Record, elsewhere: Callable[[], bool]) -> bool:
    """Whether a message of ``entry`` is another vendor's: the run was ``elsewhere``, or the frames lie in their
    package, and the record does not name RBLN."""
    if entry.domain != "rbln" or names_rbln(record):
        return False
    frames = () if record.exception is None else record.exception.frames
    return any(_ANOTHER.search(frame.partition(" in ")[0]) for frame in frames) or elsewhere()


def another_platform(name: str | None) -> bool:
    """Whether a platform as vLLM calls it is another vendor's device."""
    return name is not None and name not in _OF_NOBODY and "rbln" not in name


def names_rbln(record: Record) -> bool:
    """Whether the record names RBLN in its words, its writer, its file or the files of its frames."""
    told = (record.text, record.writer or "", record.source or "", record.exception.type if record.exception else "")
    frames = () if record.exception is None else record.exception.frames
    return any(_NAMED.search(text) for text in (*told, *frames))
