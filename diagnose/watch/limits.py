"""Every bound and every wait of the daemon, by name. Times are seconds, sizes bytes."""

from __future__ import annotations

from typing import Final

TIMER_S: Final = 1.0
"""Everything is looked at this often even when no event says so: events may be lost."""
POLL_S: Final = 0.05
"""The same where there are no events at all (network file systems, containers)."""
SOON_S: Final = 0.05
"""When something is known to be waiting."""
DISCOVER_S: Final = 1.0
"""How often globs and directories are listed again."""
DISCOVER_SOON_S: Final = 0.1
"""The same when an event said that a file came or went."""
SETTLE_S: Final = 0.1
"""A message after which nothing came for so long is told although more of it may follow: what belongs together is
written in one go. With the longest sleep of polling it stays below the 250 ms in which a cause is to be told."""
HALF_LINE_S: Final = 0.5
"""The same for a line whose end has not come: a full buffer cuts lines anywhere."""
CALM_S: Final = 2.0
"""An incident is amended, and an error without a cause told, only when nothing new came for so long: the lines that
correct the one and explain the other come in one burst with it."""
DOUBT_S: Final = 10.0
"""An error whose cause may still come is told after so long, even in a log that is never calm."""
BURST_S: Final = 10.0
"""Copies of a message that come within so long after it was told are no repeat."""
ROTATE_WAIT_S: Final = 5.0
"""A file that was rotated away is read on until nothing was written to it for so long."""
PARTIAL_WAIT_S: Final = 0.25
"""How long the rest of a line in a rotated file is waited for before the next file goes on."""
CHECKPOINT_S: Final = 5.0
"""How often the place is written down when nothing is told."""
REPEAT_S: Final = 3_600.0
"""The rule for repeats: an incident that goes on, or comes again before it was recovered, is told again after an
hour at the earliest."""
RETRY_S: Final = 5.0
"""How often a store that failed is tried again."""
REVIEW_SHARE: Final = 0.25
"""Of a core that one source's reviews may take for long: an error storm cannot eat it."""
REVIEW_CREDIT_S: Final = 0.5
"""Seconds of reviews that may be made at once before that holds."""
REVIEW_MAX_S: Final = 2.0
"""The longest time a review waits for its turn."""

CHUNK_BYTES: Final = 256 * 1024
"""Read from one source before the next has its turn."""
TURN_BYTES: Final = 16 * 1024 * 1024
"""Read from all sources before the daemon looks at its other work."""
LEAD_BYTES: Final = 64 * 1024 * 1024
"""Of rotated files read again at a restart: what the run is, and what is still open, may stand there."""
HEAD_BYTES: Final = 1024
"""First bytes that identify a file."""
SURE_HEAD_BYTES: Final = 64
"""So many first bytes at least tell a compressed file from another one: it has no inode to go by."""
MAX_UNPACKED_BYTES: Final = 2 * 1024**3
"""Of one compressed file, written to the disk for temporary files while it is read."""
TAIL_BYTES: Final = 256
"""Bytes before the place reached that must still be what was read."""
HOLE_BYTES: Final = 64
"""A run of NUL bytes at the start of a line is a hole from this length on (shorter ones may be UTF-16)."""
EXCERPT_BEFORE_BYTES: Final = 2_048
EXCERPT_AFTER_BYTES: Final = 6_144
EXCERPT_LINES_BEFORE: Final = 6
EXCERPT_LINES: Final = 20
RING_BYTES: Final = 64 * 1024
"""Kept of a pipe, to quote from."""

MAX_SOURCES: Final = 1_000
"""Files followed at one time; that there are more is said."""
MAX_OLD: Final = 16
"""Rotated files kept open for one path."""
MAX_PACKED: Final = 20
"""Compressed files looked at for one path, when it is not known where the file followed last is."""
MAX_SIBLINGS: Final = 200
"""Rotated files looked at for one path."""
MAX_TOLD: Final = 1_000
"""Incidents of one source that are remembered in memory."""
MAX_UNKNOWN: Final = 50
"""Unknown errors told of one run."""
MAX_BACKLOG: Final = 1_000
"""Batches kept while the store cannot be written, and alerts that wait without one; then the oldest goes, which is
said."""
MAX_ALERTS_WAITING: Final = 100
"""Alerts handed to the sender of one channel at one time; the rest waits in the outbox."""
MAX_SEGMENTS: Final = 4_096
"""Pieces of files remembered, to find the line of a file from a line of the stream."""
