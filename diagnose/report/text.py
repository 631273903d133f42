"""The report a person reads: the answer first, then why, what to change, and the rest."""

from __future__ import annotations

import io
import shlex
from typing import TextIO

from diagnose.model import Diagnosis, Finding, Lang, RunContext
from diagnose.report import relevant, values
from diagnose.report.clean import clean, cleaned, one_line
from diagnose.report.excerpt import rows
from diagnose.report.markup import flags, headline
from diagnose.report.page import Page, Part
from diagnose.report.remarks import Hide, Recall, Remarks, as_it_is, nothing, remembered
from diagnose.report.remedy_text import write_remedies
from diagnose.report.repaired import repaired_line
from diagnose.report.words import word

MAX_UNKNOWN = 10
"""Unknown errors shown; how many more there are is said."""
MAX_OVERRULED = 6
"""Values that were overruled, the same."""
MAX_CONFIG = 12
"""Values in force beside one finding, the same."""


def render(diagnosis: Diagnosis, lang: Lang, *, width: int = 80, color: bool = False) -> str:
    """The report as a string; ``width`` in terminal cells (at least 40)."""
    out = io.StringIO()
    write(diagnosis, lang, out, width=width, color=color)
    return out.getvalue()


def write(
    diagnosis: Diagnosis,
    lang: Lang,
    stream: TextIO,
    *,
    width: int = 80,
    color: bool = False,
    hide: Hide = as_it_is,
    recall: Recall = nothing,
) -> None:
    """Write the report to ``stream``; the headline is flushed before anything else is hidden, asked for or laid out."""
    _Report(diagnosis, lang, Page(stream, width=width, color=color)).write(hide, recall)


class _Report:
    def __init__(self, diagnosis: Diagnosis, lang: Lang, page: Page) -> None:
        self.d, self.lang, self.page = diagnosis, lang, page
        self.remarks: Remarks | None = None

    def word(self, key: str) -> str:
        return word(key, self.lang)

    def write(self, hide: Hide, recall: Recall) -> None:
        own_title = bool(self.d.findings) and self.d.findings[0].own_title
        if own_title:
            self.headline()
        self.d = cleaned(hide(self.d))
        if not own_title:
            self.headline()
        self.d, self.remarks = remembered(self.d, recall)
        main = self.d.findings[0] if self.d.findings else None
        if main is not None:
            self.finding_body(main, indent=0)
        elif self.d.outcome != "healthy":
            self.page.items([self.d.input.name, *run_parts(self.d.run, self.lang, self.page)], "dim")
        for finding in self.d.findings[1:]:
            self.heading("further")
            self.page.write(finding.title.in_(self.lang), "bad", indent=2)
            self.finding_body(finding, indent=2)
        self.overruled()
        self.unknown()
        self.notes()
        self.closing()

    # ------------------------------------------------------------------ findings

    def headline(self) -> None:
        self.page.first(one_line(clean(headline(self.d, self.lang))), self.mood())

    def mood(self) -> str:
        """Style of the headline."""
        if self.d.outcome == "healthy":
            return "good"
        sure = bool(self.d.findings) and self.d.findings[0].role == "root"
        return "bad" if sure else "doubt"

    def finding_body(self, finding: Finding, *, indent: int) -> None:
        page = self.page
        for flag in flags(finding, self.lang):
            page.write(flag, "doubt", indent=indent)
        page.items(values.details(finding, self.d.input.name), "dim", indent=indent)
        if indent == 0:
            page.items(run_parts(self.d.run, self.lang, page), "dim")
        for remark in self.remarks.of(finding) if self.remarks else ():
            page.write(one_line(clean(remark.in_(self.lang))), indent=indent)
        self.excerpt(finding, indent=indent)
        page.gap()
        page.write(self.word("cause"), "heading", indent=indent)
        page.write(finding.cause.in_(self.lang), indent=indent + 2)
        self.settings(finding, indent=indent)
        write_remedies(page, finding, self.lang, indent=indent, remarks=self.remarks)
        if finding.role == "consequence":
            self.how_to_get(indent)
        echoes = values.echoes_line(finding, self.lang)
        if echoes:
            page.gap()
            page.write(echoes, indent=indent)

    def excerpt(self, finding: Finding, *, indent: int) -> None:
        if not finding.text.strip():
            return
        number = str(finding.line) if finding.line else ""
        gutter = indent + 2 + len(number)
        self.page.gap()
        for row in rows(finding.text, finding.highlights, self.page.width - gutter - 3):
            self.page.verbatim(row.text, lead=f"{number:>{gutter}} | ")
            if row.carets:
                self.page.verbatim(row.carets, "mark", lead=f"{'':>{gutter}} | ")
            number = ""
        if finding.count > 1:
            several = "repeated_differ" if any(r.copies for r in finding.remedies) else "repeated"
            key = several if len(finding.lines) > 1 else "repeated_here"
            text = self.word(key).format(count=finding.count, lines=values.lines_named(finding.lines, self.lang))
            self.page.write(text, "dim", indent=indent + 2)

    def settings(self, finding: Finding, *, indent: int) -> None:
        every = relevant.settings_used(finding, self.d.run)
        used = every[:MAX_CONFIG]
        if not used:
            return
        self.page.gap()
        self.page.write(self.word("config"), "heading", indent=indent)
        shown = [(name, values.show(s.value, self.lang), s) for name, s in used]
        wide = max(len(name) for name, _, _ in shown)
        value_wide = min(max(len(value) for _, value, _ in shown), 20)
        for name, value, setting in shown:
            lead = f"{name:<{wide}}  {value:<{value_wide}}  "
            parts: list[Part] = [(lead, ""), (values.origin_line(setting, self.lang), "dim")]
            self.page.parts(parts, indent=indent + 2, hang=4)
        self.more(len(every) - MAX_CONFIG, indent=indent + 2)

    def how_to_get(self, indent: int) -> None:
        self.page.gap()
        self.page.write(self.word("how_to_get"), "heading", indent=indent)
        steps = ("get_streams", "get_above", "get_worker")
        for number, key in enumerate(steps, 1):
            self.page.parts([(f"{number}. {self.word(key)}", "")], indent=indent + 2, hang=3)
            if key == "get_streams":
                self.page.verbatim("vllm serve MODEL > server.log 2>&1", "command", indent=indent + 9)

    # ------------------------------------------------------------------ the rest

    def heading(self, key: str) -> None:
        self.page.gap()
        self.page.write(self.word(key), "heading")

    def overruled(self) -> None:
        if not self.d.run.overruled:
            return
        self.heading("overruled")
        for item in self.d.run.overruled[:MAX_OVERRULED]:
            self.page.write(item.parameter, indent=2)
            for key, setting in (("asked", item.asked), ("in_force", item.in_force)):
                text = f"{values.show(setting.value, self.lang)} ({values.origin_line(setting, self.lang)})"
                self.page.labelled(self.word(key), text, indent=4, column=10)
        self.more(len(self.d.run.overruled) - MAX_OVERRULED, indent=2)

    def more(self, count: int, *, indent: int) -> None:
        if count > 0:
            self.page.write(self.word("more").format(count=count), "dim", indent=indent)

    def unknown(self) -> None:
        if not self.d.unknown:
            return
        self.heading("unknown")
        for item in self.d.unknown[:MAX_UNKNOWN]:
            place = f"{self.d.input.name}:{item.line}"
            times = self.word("times").format(count=item.count) if item.count > 1 else ""
            self.page.items([part for part in (place, item.process, times) if part], "dim", indent=2)
            for row in rows(one_line(item.text, 400), (), self.page.width - 6)[:4]:
                self.page.verbatim(f"| {row.text}", indent=4)
            nearest = item.nearest[0] if item.nearest else None
            known = (
                self.word("nearest").format(entry=nearest.entry, score=nearest.score)
                if nearest
                else self.word("nearest_none")
            )
            self.page.write(known, "dim", indent=4)
        self.more(len(self.d.unknown) - MAX_UNKNOWN, indent=2)
        self.page.gap()
        self.page.write(self.word("unknown_next"), indent=2)

    def notes(self) -> None:
        if not self.d.notes:
            return
        self.heading("notes")
        for note in self.d.notes:
            self.page.write(note.title.in_(self.lang), indent=2)
            for flag in flags(note, self.lang):
                self.page.write(flag, "doubt", indent=4)
            self.page.items(values.details(note, self.d.input.name), "dim", indent=4)
            self.page.write(note.cause.in_(self.lang), indent=4)
            write_remedies(self.page, note, self.lang, indent=4, brief=True)

    def closing(self) -> None:
        if self.d.runs > 1 and self.d.outcome != "healthy":
            self.page.gap()
            self.page.write(self.word("runs").format(count=self.d.runs), "dim")
        repaired = repaired_line(self.d, self.lang)
        if repaired is not None:
            self.page.gap()
            self.page.write(repaired, "dim")
        names = relevant.missing(self.d)
        if not names:
            return
        self.page.gap()
        self.page.write(self.word("supply"))
        sets = " ".join(f"--set {name}={self.page.glyph('…')}" for name in names)
        target = self.d.input.name if self.d.input.name else "-"
        self.page.verbatim(f"rbln-diagnose {shlex.quote(target)} {sets}", "command", indent=4)
        self.page.write(self.word("or_config"))


def run_parts(run: RunContext, lang: Lang, page: Page) -> list[str]:
    """``RBLN-CR13``, ``vllm-rbln 0.12.0``, …, the model: what is known of the run."""
    versions = values.versions_named(run, lang, page.glyph("–"))
    return [part for part in (run.npu, *versions, run.model) if part]
