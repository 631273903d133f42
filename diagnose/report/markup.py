"""What markdown and html share: a finding as titled blocks, and prose whose `code` is set as code."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from diagnose.model import Diagnosis, Finding, Lang
from diagnose.report.words import word

_CODE = re.compile(r"`([^`\n]+)`")


def prose(text: str, plain: Callable[[str], str], code: Callable[[str], str]) -> str:
    """``text`` with every `` `…` `` through ``code`` and the rest through ``plain``."""
    parts = _CODE.split(text)
    return "".join(code(part) if number % 2 else plain(part) for number, part in enumerate(parts))


def headline(diagnosis: Diagnosis, lang: Lang) -> str:
    """The first line of the report: title of the root cause, or what there is instead of one."""
    if diagnosis.findings:
        return diagnosis.findings[0].title.in_(lang)
    if diagnosis.outcome == "healthy" or diagnosis.is_open:
        return nothing_found(diagnosis, lang)
    return word("unknown_headline", lang)


def nothing_found(diagnosis: Diagnosis, lang: Lang) -> str:
    """That nothing is wrong in the input, or in what could be read of it."""
    unread = any(note.entry == "input.more-than-kept" for note in diagnosis.notes)
    key = ("unread" if unread else "cut") if diagnosis.is_open else "healthy"
    if diagnosis.input.lines == 1:
        key += "_one"
    return word(key, lang).format(name=diagnosis.input.name, lines=diagnosis.input.lines)


def sections(diagnosis: Diagnosis) -> Iterator[tuple[str, Finding]]:
    """(word key of the heading, finding): none for the main one, then further ones, then notes."""
    for number, finding in enumerate(diagnosis.findings):
        yield ("further" if number else "", finding)
    for note in diagnosis.notes:
        yield "notes", note


def flags(finding: Finding, lang: Lang) -> list[str]:
    """Sentences that change how the finding is to be read."""
    said = (
        ("no_root", finding.role == "consequence"),
        ("foreign", finding.domain == "foreign"),
        ("recovered", finding.recovered),
    )
    return [word(key, lang) for key, says in said if says]
