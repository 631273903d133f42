"""The parts of the READMEs that are made, not written: the example report, the figures of the knowledge base, and
the speed that the benchmark measured."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path

from diagnose.analyzer import diagnose_path
from diagnose.authoring.figures import figures
from diagnose.knowledge import Knowledge
from diagnose.model import Lang
from diagnose.report.text import render

SPEED = "bench/results.json"
EXAMPLE = "fixtures/kv-insufficient-vllm.log"
FILES: Mapping[str, Lang] = {"README.md": "en", "README.ko.md": "ko"}
_PART = re.compile(r"(<!-- made: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)

_FIGURES: Mapping[Lang, str] = {
    "en": "{entries} entries with {signatures} message wordings. Of the {roots} root causes, {computed} compute a "
    "change, {advice} give advice, {support} say whom to report to, {none} only explain.",
    "ko": "항목 {entries}개, 메시지 표현 {signatures}개. 근본 원인 {roots}개 가운데 {computed}개는 바꿀 값을 계산하고, "
    "{advice}개는 조언을, {support}개는 제보할 곳을 알려 주며, {none}개는 원인만 설명합니다.",
}

_SPEED_HEAD: Mapping[Lang, str] = {
    "en": "| measured {date} | value | limit |\n|---|---|---|\n",
    "ko": "| {date} 측정 | 값 | 한계 |\n|---|---|---|\n",
}
_SPEED_ROWS: Mapping[str, Mapping[Lang, str]] = {
    "calm: ours / rg": {
        "en": "calm log, time against ripgrep at its fastest, same patterns",
        "ko": "정상 로그, 같은 패턴을 가장 빠른 설정으로 찾는 ripgrep 대비 시간",
    },
    "storm: ours / rg": {
        "en": "log with an error on 30 % of its lines, against the same",
        "ko": "행의 30 %가 오류인 로그, 같은 설정 대비 시간",
    },
    "calm: peak memory": {"en": "peak memory, calm log", "ko": "최대 메모리, 정상 로그"},
    "storm: peak memory": {"en": "peak memory, error storm", "ko": "최대 메모리, 오류가 쏟아지는 로그"},
    "pipe: peak memory": {"en": "peak memory, {pipe_gb} GB through a pipe", "ko": "최대 메모리, 파이프로 {pipe_gb} GB"},
    "--version": {"en": "`--version`", "ko": "`--version`"},
    "small log: first line": {"en": "small log, first line of the report", "ko": "작은 로그, 보고서 첫 줄까지"},
    "small log: whole process": {"en": "small log, whole process", "ko": "작은 로그, 프로세스 전체"},
}
_SPEED_FOOT: Mapping[Lang, str] = {
    "en": "\n{size_mb} MB logs, {cores} cores of {processor}, Python {python}, hyperscan {hyperscan}, "
    "ripgrep {ripgrep}. Measure again with `python -m bench`.\n",
    "ko": "\n로그 {size_mb} MB, {processor} {cores}코어, Python {python}, hyperscan {hyperscan}, "
    "ripgrep {ripgrep}. `python -m bench`로 다시 측정할 수 있습니다.\n",
}


def updated(text: str, lang: Lang, root: Path, knowledge: Knowledge) -> str:
    """A README with its made parts as they must be now."""
    parts: Mapping[str, Callable[[], str]] = {
        "example": lambda: _example(lang, root),
        "figures": lambda: _figures(lang, knowledge),
        "speed": lambda: _speed(lang, root),
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


def _speed(lang: Lang, root: Path) -> str:
    """The benchmark's last figures, as a table."""
    found = json.loads((root / SPEED).read_text(encoding="utf-8"))
    about = {**found, **found["machine"], **found["versions"]}
    rows = "".join(
        f"| {_SPEED_ROWS[row['name']][lang].format(**about)} | {_amount(row['value'], row['unit'])} "
        f"| {_amount(row['limit'], row['unit'])} |\n"
        for row in found["rows"]
    )
    return _SPEED_HEAD[lang].format(**about) + rows + _SPEED_FOOT[lang].format(**about)


def _amount(value: float, unit: str) -> str:
    return f"{value:.2g} ×" if unit == "ratio" else f"{value:.0f} {unit}"
