"""What the run was: the configuration in force with its lines, versions, NPU, model, path, phases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diagnose.context import facts as _facts
from diagnose.context import runs as _runs
from diagnose.context.book import FactBook
from diagnose.context.classes import layout_of
from diagnose.context.effective import effective
from diagnose.context.facts import facts
from diagnose.context.in_force import in_force
from diagnose.context.npu import parse_npu
from diagnose.context.runs import GOES_ON, Mark, lifecycle
from diagnose.late import late_names

if TYPE_CHECKING:
    from diagnose.context.readers import read_config, read_text_config
    from diagnose.context.sets import parse_set

TRIGGERS: tuple[str, ...] = tuple(dict.fromkeys((*_facts.TRIGGERS, *_runs.TRIGGERS)))
"""Literals of the lines that hold a fact or a mark: the scan looks for them."""

__all__ = [
    "GOES_ON",
    "TRIGGERS",
    "FactBook",
    "Mark",
    "effective",
    "facts",
    "in_force",
    "layout_of",
    "lifecycle",
    "parse_npu",
    "parse_set",
    "read_config",
    "read_text_config",
]

__getattr__ = late_names(__name__, {"read_config": "readers", "read_text_config": "readers", "parse_set": "sets"})
