"""The bundle as Markdown, or as a zip of Markdown, excerpt and JSON."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator

from diagnose.bundle.making import Bundle
from diagnose.bundle.words import word
from diagnose.model import Lang
from diagnose.report import json as report_json
from diagnose.report import markdown, values
from diagnose.report.clean import one_line
from diagnose.report.words import word as report_word
from diagnose.version import __version__

MAX_SETTINGS = 60
"""Rows of the table of settings; how many more there are is said, and ``diagnosis.json`` has them all."""
EPOCH = (1980, 1, 1, 0, 0, 0)
"""The oldest time a zip can hold: the same bundle is the same file whenever it is made."""


def page(bundle: Bundle, lang: Lang, system: str) -> str:
    """Markdown for an issue. ``system`` names Python and the operating system."""
    return "\n\n".join(_blocks(bundle, lang, system)) + "\n"


def _blocks(bundle: Bundle, lang: Lang, system: str) -> Iterator[str]:
    d = bundle.diagnosis
    yield f"# {word('title', lang)}"
    yield markdown.escape(word("look", lang))
    yield markdown.render(d, lang).rstrip()
    yield f"## {word('versions', lang)}"
    about = [f"rbln-diagnose {__version__} ({d.kb_entries} / {d.kb_hash})", system]
    about += values.versions_named(d.run, lang)
    about += [f"{key} {value}" for key, value in (("NPU", d.run.npu), ("model", d.run.model)) if value]
    about += [f"{word('log', lang)} {d.input.name} ({d.input.lines:,} / {d.input.bytes:,} B)", *bundle.options]
    yield "\n".join(f"- {markdown.code(line)}" for line in about)
    if d.run.config:
        yield f"## {word('config', lang)}"
        yield "\n".join(_table(bundle, lang))
    yield f"## {word('excerpt', lang)}"
    yield markdown.escape(word("same" if bundle.same else "not_same", lang))
    yield markdown.fence(bundle.excerpt.rstrip("\n"))


def _table(bundle: Bundle, lang: Lang) -> Iterator[str]:
    yield f"| {word('parameter', lang)} | {word('value', lang)} | {word('origin', lang)} |"
    yield "|---|---|---|"
    for name, setting in list(bundle.diagnosis.run.config.items())[:MAX_SETTINGS]:
        cells = (name, one_line(values.show(setting.value, lang), 200), values.origin_line(setting, lang))
        yield f"| {' | '.join(markdown.escape(one_line(cell)) for cell in cells)} |"
    more = len(bundle.diagnosis.run.config) - MAX_SETTINGS
    if more > 0:
        yield f"| {report_word('more', lang).format(count=more)} | | |"


def archive(bundle: Bundle, lang: Lang, system: str) -> bytes:
    """A zip of ``report.md``, ``excerpt.log`` and ``diagnosis.json``."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for name, text in (
            ("report.md", page(bundle, lang, system)),
            ("excerpt.log", bundle.excerpt),
            ("diagnosis.json", report_json.render(bundle.diagnosis, lang)),
        ):
            made.writestr(zipfile.ZipInfo(name, EPOCH), text.encode(), zipfile.ZIP_DEFLATED)
    return out.getvalue()
