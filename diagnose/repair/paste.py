"""The text of an input for as long as it can be a paste."""

from __future__ import annotations

PASTE_BYTES = 1 << 20
"""A larger input is no paste and is not repaired. Issue forms and chats take 64 KiB to 1 MiB."""


class Paste:
    """Keeps what was fed up to a limit, and nothing beyond it."""

    def __init__(self, limit: int = PASTE_BYTES) -> None:
        self._limit = limit
        self._kept: bytearray | None = bytearray()

    def feed(self, data: bytes) -> None:
        """Takes the next bytes; lets go of everything once there are too many."""
        if self._kept is None:
            return
        if len(self._kept) + len(data) > self._limit:
            self._kept = None
        else:
            self._kept += data

    def take(self) -> bytes | None:
        """The whole text, or None when it was too large. To be called once, at the end."""
        kept, self._kept = self._kept, None
        return None if kept is None else bytes(kept)
