"""What several graphs of one model share: weights and static tensors (the KV cache)."""

from __future__ import annotations

import uuid
from typing import Any


class CompileContext:
    """Graphs compiled in one context hold the weights and the cache once."""

    def __init__(self, use_weight_sharing: bool = False, **_options: Any) -> None:
        self.use_weight_sharing = use_weight_sharing
        self.id = uuid.uuid4().hex
        self.static_names: list[str] = []
        self.graphs = 0

    def mark_static_address(self, _tensor: Any, name: str = "") -> None:
        self.static_names.append(name)
