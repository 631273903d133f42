"""``--format markdown``: for an issue, a merge request or a wiki page."""

from __future__ import annotations

import re

from diagnose.model import Diagnosis, Finding, Lang, Remedy, RunContext
from diagnose.report import relevant, values
from diagnose.report.clean import cleaned, one_line
from diagnose.report.markup import flags, headline, prose, sections
from diagnose.report.remedy_text import after_commands, before_commands, commands_shown, form_name
from diagnose.report.repaired import repaired_line
from diagnose.report.words import word

_SPECIAL = re.compile(r"([\\`*_\[\]<>|~#&$])")
_CALL = re.compile(r"(?<!\w)([@#!])(?=\w)")
_LINE_START = re.compile(r"^(\s*)([-+=]|\d+(?=[.)]))", re.MULTILINE)
_LANGUAGE = {"vllm": "sh", "cli": "sh", "llm": "python", "python": "diff", "processor": "python"}


def render(diagnosis: Diagnosis, lang: Lang) -> str:
    """CommonMark with tables (GitHub, GitLab); the log's text stands only in fences and code spans."""
    d = cleaned(diagnosis)
    blocks = [f"## {escape(one_line(headline(d, lang)))}"]
    for heading, finding in sections(d):
        if heading:
            blocks.append(f"### {word(heading, lang)}: {escape(one_line(finding.title.in_(lang)))}")
        blocks += _finding(finding, d, lang)
    if d.unknown:
        blocks.append(f"### {word('unknown', lang)}")
        for unknown in d.unknown:
            place = code(f"{d.input.name}:{unknown.line}")
            times = f" ({word('times', lang).format(count=unknown.count)})" if unknown.count > 1 else ""
            blocks += [place + times, fence(unknown.text)]
        blocks.append(escape(word("unknown_next", lang)))
    repaired = repaired_line(d, lang)
    if repaired is not None:
        blocks.append(escape(repaired))
    return "\n\n".join(blocks) + "\n"


def _finding(finding: Finding, d: Diagnosis, lang: Lang) -> list[str]:
    blocks = [" · ".join(code(part) for part in values.details(finding, d.input.name))]
    blocks += [f"**{escape(flag)}**" for flag in flags(finding, lang)]
    blocks += [fence(finding.text)] if finding.text.strip() else []
    blocks.append(_prose(finding.cause.in_(lang)))
    blocks += _settings(finding, d.run, lang)
    if finding.remedies:
        blocks.append(f"**{word('fixes', lang)}**")
    for number, remedy in enumerate(finding.remedies, 1):
        blocks.append(_remedy(number, remedy, lang))
    echoes = values.echoes_line(finding, lang)
    return [*blocks, escape(echoes)] if echoes else blocks


def _settings(finding: Finding, run: RunContext, lang: Lang) -> list[str]:
    used = relevant.settings_used(finding, run)
    if not used:
        return []
    table = [
        f"| {word('parameter', lang)} | {word('value', lang)} | {word('origin', lang)} |",
        "|---|---|---|",
    ]
    for name, setting in used:
        value = one_line(values.show(setting.value, lang))
        table.append(f"| {escape(name)} | {escape(value)} | {escape(values.origin_line(setting, lang))} |")
    return [f"**{word('config', lang)}**", "\n".join(table)]


def _remedy(number: int, remedy: Remedy, lang: Lang) -> str:
    lines = [f"{number}. **[{values.badge(remedy, lang)}]** {_prose(remedy.title.in_(lang))}"]
    lines += [f"   - {code(values.change_line(change, lang))}" for change in remedy.changes]
    lines += [f"   - {word(k, lang)}: {code(text)}" for k, text in before_commands(remedy, lang)]
    for form, command in commands_shown(remedy.commands):
        lines += [f"   - {word('paste', lang)} ({form_name(form, lang)}):", ""]
        block = fence(command.rstrip(), _LANGUAGE.get(form, ""))
        lines += ["     " + line for line in block.split("\n")]
    lines += [f"   - {word(k, lang)}: {_prose(text)}" for k, text in after_commands(remedy, lang)]
    return "\n".join(lines)


def escape(text: str) -> str:
    """``text`` with everything Markdown or HTML would read as markup made plain, and nobody and nothing called by it.

    GitHub and GitLab look for ``@name``, ``#12`` and ``!12`` in what the page says when its markup is gone, so a
    backslash is of no use there.
    """
    return _LINE_START.sub(_at_line_start, _SPECIAL.sub(r"\\\1", _CALL.sub("\\1\u200b", text)))


def _at_line_start(found: re.Match[str]) -> str:
    space, marker = found.groups()
    return f"{space}\\{marker}" if not marker.isdigit() else f"{space}{marker}\u200b"


def code(text: str) -> str:
    """A code span; its fence is longer than any run of backticks in it."""
    flat = one_line(text)
    ticks = "`" * (_longest(flat) + 1)
    pad = " " if flat.startswith("`") or flat.endswith("`") or not flat else ""
    return f"{ticks}{pad}{flat}{pad}{ticks}"


def fence(text: str, language: str = "text") -> str:
    """A fenced block that its content cannot close."""
    ticks = "`" * max(_longest(text) + 1, 3)
    return f"{ticks}{language}\n{text}\n{ticks}"


def _longest(text: str) -> int:
    return max((len(run) for run in re.findall(r"`+", text)), default=0)


def _prose(text: str) -> str:
    return prose(one_line(text), escape, code)
