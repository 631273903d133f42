"""Bytes in: a file, a pipe, gz or zst, in whatever encoding, as UTF-8 blocks."""

from __future__ import annotations

from diagnose.sources.lines import decode_line
from diagnose.sources.opening import Source, open_source
from diagnose.sources.transcode import Transcoder

__all__ = ["Source", "Transcoder", "decode_line", "open_source"]
