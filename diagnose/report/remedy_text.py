"""The remedies of a finding on a page: numbered, the sure ones told apart from the guessed ones."""

from __future__ import annotations

from collections.abc import Mapping

from diagnose.model import Finding, Lang, Remedy
from diagnose.report import values
from diagnose.report.excerpt import cells
from diagnose.report.page import Page, Part
from diagnose.report.remarks import Remarks
from diagnose.report.words import word

_LABELS = ("arithmetic", "of_copy", "bound", "missing", "in_doubt", "doubt", "side_effect", "verify")
_DIFF = {"+": "added", "-": "removed"}


def write_remedies(
    page: Page, finding: Finding, lang: Lang, *, indent: int, brief: bool = False, remarks: Remarks | None = None
) -> None:
    """All remedies under their heading; ``brief`` leaves the heading out (for notes)."""
    if not finding.remedies:
        return
    if not brief:
        page.gap()
        page.write(word("fixes", lang), "heading", indent=indent)
    for number, remedy in enumerate(finding.remedies, 1):
        if number > 1:
            page.gap()
        remark = remarks.of_remedy(finding, remedy) if remarks else None
        said = remark.in_(lang) if remark else ""
        _write_remedy(page, remedy, number, lang, indent=indent + (0 if brief else 2), remark=said)


def _write_remedy(page: Page, remedy: Remedy, number: int, lang: Lang, *, indent: int, remark: str) -> None:
    badge = f"[{values.badge(remedy, lang)}]"
    lead = f"{number}. "
    parts: list[Part] = [
        (lead, ""),
        (badge, f"badge_{remedy.applicability}"),
        (" " + remedy.title.in_(lang), "heading"),
        (f" ({remark})" if remark else "", "dim"),
    ]
    page.parts(parts, indent=indent, hang=len(lead))
    inner = indent + len(lead)
    for change in remedy.changes:
        page.parts(
            [(values.change_line(change, lang, page.glyph("→")), "new")],
            indent=inner,
            hang=4,
        )
    column = 2 + max(cells(word(key, lang)) for key in _LABELS)
    for key, text in before_commands(remedy, lang):
        page.labelled(word(key, lang), text, indent=inner, column=column)
    _write_commands(page, remedy.commands, lang, indent=inner)
    for key, text in after_commands(remedy, lang):
        page.labelled(word(key, lang), text, indent=inner, column=column)


def before_commands(remedy: Remedy, lang: Lang) -> list[tuple[str, str]]:
    """(word key, text) of how the change was computed."""
    bound = remedy.bound.in_(lang) if remedy.bound else ""
    doubt = remedy.doubt.in_(lang) if remedy.doubt else ""
    named = ("in_doubt" if doubt else "missing", ", ".join(remedy.missing))
    copies = ("of_copy", values.copies_line(remedy, lang))
    said = (("arithmetic", remedy.arithmetic), copies, ("bound", bound), named, ("doubt", doubt))
    return [(key, text) for key, text in said if text]


def after_commands(remedy: Remedy, lang: Lang) -> list[tuple[str, str]]:
    """(word key, text) of what the change brings with it and how to see that it worked."""
    said = (("side_effect", remedy.side_effect), ("verify", remedy.verify))
    return [(key, text.in_(lang)) for key, text in said if text is not None]


def commands_shown(commands: Mapping[str, str]) -> list[tuple[str, str]]:
    """The person's own form, which stands first; the processor's part belongs to it whatever the form is."""
    own = list(commands.items())[:1]
    beside = [(k, v) for k, v in commands.items() if k == "processor" and (k, v) not in own]
    return own + beside


def form_name(form: str, lang: Lang) -> str:
    """Name of a command form; a form an entry invented is shown by its key."""
    return word(f"form_{form}", lang) if form in ("vllm", "llm", "python", "cli", "processor") else form


def _write_commands(page: Page, commands: Mapping[str, str], lang: Lang, *, indent: int) -> None:
    for form, command in commands_shown(commands):
        page.write(f"{word('paste', lang)} ({form_name(form, lang)})", "dim", indent=indent)
        for line in command.rstrip().split("\n"):
            style = _DIFF.get(line[:1], "command") if form == "python" else "command"
            page.verbatim(line, style, indent=indent + 4)
