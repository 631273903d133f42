"""Hatchling build hook: compiles kb/ into the wheel as ``diagnose/_kb.jsonl``."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompileKnowledge(BuildHookInterface):  # type: ignore[type-arg, misc, unused-ignore]
    """Adds the compiled knowledge base to a wheel; an editable install keeps reading kb/."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name != "wheel" or version == "editable":
            return
        root = Path(self.root)
        sys.path.insert(0, str(root))
        from diagnose.knowledge.compiled import pack
        from diagnose.knowledge.source import compile_tree

        made = Path(tempfile.mkdtemp(prefix="rbln-diagnose-kb-")) / "_kb.jsonl"
        made.write_bytes(pack(compile_tree(root / "kb")))
        build_data["force_include"][str(made)] = "diagnose/_kb.jsonl"
