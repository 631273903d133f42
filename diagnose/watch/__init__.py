"""Following live logs: bytes as they are written, the same diagnosis as one-shot, told once, nothing lost."""

from __future__ import annotations
