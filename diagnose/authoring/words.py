"""Fixed words of the authoring commands, once per language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from diagnose.model import Lang

WORDS: Final[Mapping[str, tuple[str, str]]] = {
    "messages": ("Messages", "메시지"),
    "observed": ("Seen in the configuration", "설정에서 판단"),
    "cause": ("Cause", "원인"),
    "remedies": ("Remedies", "해결"),
    "echoes": ("Its echoes", "여파"),
    "explained_by": ("Can be an echo of", "다음의 여파일 수 있음"),
    "evidence": ("Evidence and references", "근거와 참고 자료"),
    "example": ("Example", "예"),
    "since": ("since", "부터"),
    "until": ("until", "까지"),
    "side_effect": ("side effect", "부작용"),
    "verify": ("verify", "확인"),
    "solver": ("computed by", "계산기"),
    "changes": ("changes", "변경"),
    "missing": ("needs", "필요한 값"),
    "in_force": ("with", "설정"),
    "entries": ("entries", "항목"),
    "signatures": ("messages", "메시지"),
    "literals": ("prefilter literals", "prefilter literal"),
    "parameters": ("parameters", "파라미터"),
    "constraints": ("constraints", "제약 조건"),
    "remedy_computed": ("root causes with a computed change", "변경 값을 계산하는 근본 원인"),
    "remedy_advice": ("root causes with advice only", "조언만 있는 근본 원인"),
    "remedy_support": ("root causes to report to the vendor", "벤더에 문의할 근본 원인"),
    "remedy_none": ("root causes without a remedy", "해결 방법이 없는 근본 원인"),
    "sites": ("sites", "위치"),
    "reachable": ("reachable by a person's values", "사용자 값으로 도달 가능"),
    "all": ("all", "전체"),
    "of": ("of", "/"),
    "covered": ("known to an entry of its own", "전용 항목이 있음"),
    "family": ("known to a family entry only", "묶음 항목만 있음"),
    "excepted": ("excepted", "예외"),
    "uncovered": ("unknown", "모름"),
    "dynamic": ("pass another place's message on", "다른 위치의 메시지를 전달"),
    "uncovered_sites": ("Sites no entry knows", "항목이 없는 위치"),
    "family_sites": ("Reachable sites only a family entry knows", "도달 가능하지만 묶음 항목만 있는 위치"),
    "unemitted": ("Messages of entries that stand nowhere in this release", "항목에는 있지만 이 버전에는 없는 메시지"),
    "outdated": ("Messages emitted outside their since/until", "since/until 범위를 벗어나 출력되는 메시지"),
    "dead_exceptions": ("Exceptions that except nothing any more", "더 이상 필요 없는 예외"),
    "too_large": (
        "Files too large to be read, their messages are not counted",
        "너무 커서 읽지 않은 파일 (메시지가 집계에서 빠짐)",
    ),
    "added": ("Added", "추가됨"),
    "changed": ("Changed", "바뀜"),
    "dropped": ("Dropped", "없어짐"),
    "known_already": ("this line is known already: {entries}", "지식 베이스에 이미 있는 줄입니다: {entries}"),
    "nearest": ("nearest entries: {entries}", "가장 가까운 항목: {entries}"),
    "no_nearest": ("no entry is near", "가까운 항목이 없습니다"),
}


def say(key: str, lang: Lang) -> str:
    """The word of ``key``; KeyError for one that is not in the table (a bug of ours)."""
    en, ko = WORDS[key]
    return ko if lang == "ko" else en
