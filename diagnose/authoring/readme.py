"""The parts of the READMEs that are made, not written: the example report and the figures of the knowledge base."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from diagnose.analyzer import diagnose_path
from diagnose.authoring.figures import figures
from diagnose.knowledge import Knowledge
from diagnose.model import Lang
from diagnose.report.text import render

EXAMPLE = "fixtures/kv-insufficient-vllm.log"
FILES: Mapping[str, Lang] = {"README.md": "en", "README.ko.md": "ko"}
_PART = re.compile(r"(<!-- made: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)

_FIGURES: Mapping[Lang, str] = {
    "en": "{entries} entries with {signatures} message wordings. Of the {roots} root causes, {computed} compute a "
    "change, {advice} give advice, {support} say whom to report to, {none} only explain.",
    "ko": "항목 {entries}개, 메시지 표현 {signatures}개. 근본 원인 {roots}개 가운데 {computed}개는 바꿀 값을 계산하고, "
    "{advice}개는 조언을, {support}개는 제보할 곳을 알려 주며, {none}개는 원인만 설명합니다.",
}


def updated(text: str, lang: Lang, root: Path, knowledge: Knowledge) -> str:
    """A README with its made parts as they must be now."""
    parts: Mapping[str, Callable[[], str]] = {
        "example": lambda: _example(lang, root),
        "figures": lambda: _figures(lang, knowledge),
    }
    return _PART.sub(lambda found: f"{found[1]}{parts[found[2]]()}{found[3]}", text)


def stale(root: Path, knowledge: Knowledge) -> list[str]:
    """READMEs whose made parts are not as they must be."""
    read = {name: (root / name).read_text(encoding="utf-8") for name in FILES}
    return [name for name, text in read.items() if updated(text, FILES[name], root, knowledge) != text]


def write(root: Path, knowledge: Knowledge) -> None:
    """Bring the made parts of the READMEs up to date."""
    for name, lang in FILES.items():
        path = root / name
        text = path.read_text(encoding="utf-8")
        path.write_text(updated(text, lang, root, knowledge), encoding="utf-8")


def _example(lang: Lang, root: Path) -> str:
    shown = render(diagnose_path(root / EXAMPLE), lang).replace(str(root) + "/", "")
    return f"```text\n$ rbln-diagnose {EXAMPLE}\n{shown.rstrip()}\n```\n"


def _figures(lang: Lang, knowledge: Knowledge) -> str:
    found = figures(knowledge)
    remedies = found["remedies"]
    made = _FIGURES[lang].format(
        entries=found["entries"], signatures=found["signatures"], roots=sum(remedies.values()), **remedies
    )
    return f"{made}\n"
