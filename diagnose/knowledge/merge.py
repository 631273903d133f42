"""Entries of the person added to the compiled knowledge base of a wheel."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from diagnose.knowledge.compiled import Compiled, pack, parts, unpack
from diagnose.knowledge.schema import Knowledge, SourceError
from diagnose.knowledge.source import entry_files, read_entry


def add_entries(compiled: Compiled, extra: Sequence[Path]) -> Knowledge:
    """The knowledge base with the entry files under ``extra``. Raises SourceError for a broken or doubled one."""
    index, lines = parts(compiled)
    entries = {id_: lines.parsed(i) for i, id_ in enumerate(index["entries"], len(index["literals"]))}
    for path in (file for root in extra for file in entry_files(root)):
        entry = read_entry(path)
        if entry["id"] in entries:
            raise SourceError(str(path), f"id {entry['id']!r} stands already in the knowledge base")
        entries[entry["id"]] = entry
    return unpack(pack({**index, "entries": entries}))
