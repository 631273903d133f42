"""How much one record, one stream and one chain may hold. What goes beyond is read past, never kept."""

from __future__ import annotations

MAX_RECORD_LINES = 400
"""Lines kept in one record; a dump of a whole configuration has about 150."""
MAX_RECORD_CHARS = 65_536
"""Characters kept in one record."""
MAX_MESSAGE_LINES = 48
"""Unprefixed lines after ``Type: message`` that may still belong to it; nothing marks their end."""
MAX_BLANKS = 2
"""Blank lines in a row inside such a message."""
MAX_FOREIGN = 24
"""Lines of something else that may stand inside an unprefixed traceback before it is given up."""
MAX_FRAMES = 6
"""Innermost frames kept for one exception."""
MAX_SOURCE_CHARS = 300
"""Characters kept of one frame's source."""
MAX_CHAIN = 64
"""Exceptions kept of one chain."""
MAX_STREAMS = 256
"""Processes with something open at one time; the one silent for longest is closed first."""
MAX_PARTIALS = 64
"""Unfinished container-runtime lines kept at one time."""
MAX_USAGE_LINES = 800
"""Lines of one argparse usage text; ``vllm serve`` prints about 250."""
