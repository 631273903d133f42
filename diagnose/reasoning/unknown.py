"""Errors no entry knows: grouped, and the nearest known entries named."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from diagnose.knowledge.schema import Entry, Knowledge, Signature
from diagnose.model import Nearest, Record, Unknown
from diagnose.reasoning.echoes import first_line
from diagnose.reasoning.events import Event
from diagnose.reasoning.grouping import process_rank

MAX_UNKNOWN = 20
"""Different unknown errors that are reported."""
MIN_SCORE = 60
"""rapidfuzz token_sort_ratio from which a known entry is named as near: it counts what either text has alone."""
MAX_NEAREST = 3
LONGEST_TEXT = 400


def unknown_errors(events: Sequence[Event], knowledge: Knowledge) -> tuple[Unknown, ...]:
    """Unknown errors by template: who is nearest to the cause first, then by line."""
    groups: dict[str, list[Event]] = {}
    for event in events:
        groups.setdefault(event.template, []).append(event)
    ordered = sorted(groups.values(), key=lambda g: (min(process_rank(e.record) for e in g), g[0].line))
    return tuple(_unknown(group, knowledge) for group in ordered[:MAX_UNKNOWN])


def _unknown(group: Sequence[Event], knowledge: Knowledge) -> Unknown:
    record = group[0].record
    return Unknown(
        line=group[0].line,
        offset=record.offset,
        text=shown(record),
        template=group[0].template,
        count=len(group),
        process=process_name(record),
        nearest=nearest(record.text, knowledge),
    )


def shown(record: Record) -> str:
    """The head of a message, its first line that says something and what follows on it."""
    text = "\n".join(line.rstrip() for line in record.text.splitlines() if line.strip())
    return text if len(text) <= LONGEST_TEXT else text[: word_end(text, LONGEST_TEXT)] + "…"


def word_end(text: str, limit: int, start: int = 0) -> int:
    """Where to cut ``text`` ``limit`` characters after ``start`` at the latest: between words, where there are any.

    Half a token is no longer recognised as one, and half of it would be told.
    """
    end = start + limit
    if len(text) <= end or text[end].isspace():
        return min(end, len(text))
    space = max(text.rfind(" ", start + limit // 2, end), text.rfind("\n", start + limit // 2, end))
    return end if space < 0 else space


def process_name(record: Record) -> str | None:
    """``EngineCore pid=4242``."""
    if record.process is None:
        return None
    return record.process if record.pid is None else f"{record.process} pid={record.pid}"


def nearest(text: str, knowledge: Knowledge) -> tuple[Nearest, ...]:
    """Known entries whose message is most like ``text``; empty when none is near."""
    from rapidfuzz import fuzz, process

    choices = {i: wording(s) for i, s in enumerate(knowledge.signatures)}
    hits = process.extract(
        first_line(text)[:LONGEST_TEXT],
        choices,
        scorer=fuzz.token_sort_ratio,
        score_cutoff=MIN_SCORE,
        limit=MAX_NEAREST * 4,
    )
    best: dict[str, int] = {}
    for _, score, index in hits:
        entry = knowledge.signatures[index].entry
        if _worth_naming(knowledge.entries, entry):
            best[entry] = max(best.get(entry, 0), round(score))
    ranked = sorted(best.items(), key=lambda item: (-item[1], item[0]))
    return tuple(Nearest(entry, score) for entry, score in ranked[:MAX_NEAREST])


_PLACEHOLDER = re.compile(r"\{[^{}]*\}")


def wording(signature: Signature) -> str:
    """The fixed words of a message."""
    return " ".join(_PLACEHOLDER.sub(" ", signature.template).split()) or " ".join(signature.literals)


def _worth_naming(entries: Mapping[str, Entry], entry: str) -> bool:
    return entries[entry].role in ("root", "context")
