"""``--format html``: one page that needs nothing from outside and runs no script."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from diagnose.model import Diagnosis, Finding, Lang, Remedy, RunContext
from diagnose.report import relevant, values
from diagnose.report.clean import Span, cleaned, one_line
from diagnose.report.markup import flags, headline, prose, sections
from diagnose.report.remedy_text import after_commands, before_commands, commands_shown, form_name
from diagnose.report.repaired import repaired_line
from diagnose.report.words import word

_STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.6 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; }
body { word-break: keep-all; }
h1 { font-size: 1.4rem; line-height: 1.35; margin-bottom: .3rem; }
h2 { font-size: 1.05rem; margin: 1.8rem 0 .4rem; }
.about { opacity: .7; font-size: .875rem; overflow-wrap: anywhere; }
pre { padding: .75rem 1rem; border-radius: 6px; background: rgba(128, 128, 128, .14); overflow-x: auto; }
pre.log { white-space: pre-wrap; overflow-wrap: anywhere; }
code, pre { font-family: ui-monospace, monospace; font-size: .875rem; }
mark { background: none; color: inherit; font-weight: 700; text-decoration: underline 2px; }
table { border-collapse: collapse; font-size: .9rem; }
th, td { text-align: left; padding: .2rem 1.2rem .2rem 0; }
.badge { border: 1px solid; border-radius: 4px; padding: 0 .4rem; font-size: .8rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; margin: .4rem 0; }
dt { opacity: .7; } dd { margin: 0; }
""".strip()
_PAGE = """<!doctype html>
<html lang="{lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title>
<style>
{style}
</style>
</head>
<body>
{body}
</body>
</html>
"""


def render(diagnosis: Diagnosis, lang: Lang) -> str:
    """A whole HTML document in ``lang``."""
    d = cleaned(diagnosis)
    first = escape(headline(d, lang))
    blocks = [f"<h1>{first}</h1>"]
    for heading, finding in sections(d):
        if heading:
            blocks.append(_heading(f"{word(heading, lang)}: {finding.title.in_(lang)}"))
        blocks += _finding(finding, d, lang)
    if d.unknown:
        blocks.append(_heading(word("unknown", lang)))
        for unknown in d.unknown:
            times = f" · {word('times', lang).format(count=unknown.count)}" if unknown.count > 1 else ""
            blocks.append(_p(f"{d.input.name}:{unknown.line}{times}", "about"))
            blocks.append(f'<pre class="log">{escape(unknown.text)}</pre>')
        blocks.append(_p(word("unknown_next", lang)))
    repaired = repaired_line(d, lang)
    if repaired is not None:
        blocks.append(_p(repaired, "about"))
    title = escape(f"{word('title', lang)} · {d.input.name}")
    return _PAGE.format(lang=lang, title=title, style=_STYLE, body="\n".join(blocks))


def _finding(finding: Finding, d: Diagnosis, lang: Lang) -> list[str]:
    blocks = [_p(" · ".join(values.details(finding, d.input.name)), "about")]
    blocks += [f"<p><strong>{escape(flag)}</strong></p>" for flag in flags(finding, lang)]
    if finding.text.strip():
        blocks.append(f'<pre class="log">{_marked(finding.text, finding.highlights)}</pre>')
    blocks.append(f"<p>{_prose(finding.cause.in_(lang))}</p>")
    blocks += _settings(finding, d.run, lang)
    if finding.remedies:
        items = "\n".join(_remedy(remedy, lang) for remedy in finding.remedies)
        blocks += [_heading(word("fixes", lang)), f"<ol>\n{items}\n</ol>"]
    echoes = values.echoes_line(finding, lang)
    return [*blocks, _p(echoes)] if echoes else blocks


def _settings(finding: Finding, run: RunContext, lang: Lang) -> list[str]:
    used = relevant.settings_used(finding, run)
    if not used:
        return []
    heads = "".join(f"<th>{word(key, lang)}</th>" for key in ("parameter", "value", "origin"))
    body = ""
    for name, setting in used:
        cells = (name, values.show(setting.value, lang), values.origin_line(setting, lang))
        body += "\n<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>"
    return [_heading(word("config", lang)), f"<table>\n<tr>{heads}</tr>{body}\n</table>"]


def _remedy(remedy: Remedy, lang: Lang) -> str:
    badge = f'<span class="badge">{escape(values.badge(remedy, lang))}</span>'
    parts = [f"<li>{badge} {_prose(remedy.title.in_(lang))}"]
    parts += [f"<br><code>{escape(values.change_line(change, lang))}</code>" for change in remedy.changes]
    parts.append(_pairs(before_commands(remedy, lang), lang))
    for form, command in commands_shown(remedy.commands):
        parts.append(_p(f"{word('paste', lang)} ({form_name(form, lang)})", "about"))
        parts.append(f"<pre>{escape(command.rstrip())}</pre>")
    parts.append(_pairs(after_commands(remedy, lang), lang))
    return "".join(parts) + "</li>"


def _pairs(pairs: Sequence[tuple[str, str]], lang: Lang) -> str:
    rows = "".join(f"<dt>{word(key, lang)}</dt><dd>{_prose(text)}</dd>" for key, text in pairs)
    return f"<dl>{rows}</dl>" if rows else ""


def _marked(text: str, spans: Sequence[Span]) -> str:
    out, at = "", 0
    for start, end in sorted(spans):
        if start >= at:
            out += f"{escape(text[at:start])}<mark>{escape(text[start:end])}</mark>"
            at = end
    return out + escape(text[at:])


def _heading(text: str) -> str:
    return f"<h2>{escape(text)}</h2>"


def _p(text: str, name: str = "") -> str:
    return f'<p class="{name}">{escape(text)}</p>' if name else f"<p>{escape(text)}</p>"


def _prose(text: str) -> str:
    return prose(one_line(text), escape, lambda part: f"<code>{escape(part)}</code>")
