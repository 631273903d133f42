"""Which line of a log is believed when two lines disagree.

Higher wins; within one rank the later line wins. The order of the configuration ranks follows what the plugin
does: it takes the person's arguments, resolves its own section, lets vLLM build its config and finally
overwrites values with those of the compiled artifact (vllm-rbln 0.12.0 ``converter/from_optimum.py``,
``converter/from_vllm.py``).
"""

from __future__ import annotations

from typing import Final

SYNCED: Final = 70
"""``Updating … from A to B``, ``Setting … to N``."""
COMPILING: Final = 60
"""``Compiling … with rbln_config:`` (and the older ``Prepared vLLM config for compilation``)."""
ENGINE: Final = 50
"""``Initializing a V1 LLM engine … with config:``."""
RESOLVED: Final = 40
"""``Using max model len``, ``Chunked prefill is enabled``."""
SECTION: Final = 30
"""``RBLN config: {…}``."""
ASKED: Final = 20
"""``non-default args: {…}``."""
TYPED: Final = 15
"""A launch command pasted into or traced by the log."""
PRINTED: Final = 14
"""A configuration that the person's own script printed."""
INFERRED: Final = 5
"""Concluded, not read: file numbers, version pins, names of scripts."""

MEASURED: Final = 50
"""A quantity that was measured; it is never set by anybody, so its rank only orders repeated measurements."""
STATED: Final = 50
"""Versions, NPU, model, path, form and phase that a line states."""
