"""Every fixed word of the bundle, once per language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from diagnose.model import Lang

WORDS: Final[Mapping[Lang, Mapping[str, str]]] = {
    "en": {
        "title": "rbln-diagnose report",
        "look": "Secrets and names were replaced by aliases such as <ip-1>; the same alias is the same thing. "
        "Look it over before you publish it.",
        "versions": "Versions",
        "log": "log",
        "config": "Configuration in force",
        "parameter": "Parameter",
        "value": "Value",
        "origin": "Read from",
        "excerpt": "Excerpt of the log",
        "same": "These lines alone, with the options above, give the same diagnosis. "
        "Line numbers in the diagnosis are those of the whole log.",
        "not_same": "These lines alone do not give the whole diagnosis; for that the log itself is needed.",
    },
    "ko": {
        "title": "rbln-diagnose 보고서",
        "look": "비밀 값과 이름은 <ip-1> 같은 별칭으로 바꾸었습니다. 별칭이 같으면 같은 값입니다. "
        "공개하기 전에 한 번 확인하세요.",
        "versions": "버전",
        "log": "로그",
        "config": "적용 중인 설정",
        "parameter": "파라미터",
        "value": "값",
        "origin": "출처",
        "excerpt": "로그 발췌",
        "same": "위 옵션과 함께 이 행들만 진단해도 같은 결과가 나옵니다. "
        "진단에 나오는 행 번호는 전체 로그의 번호입니다.",
        "not_same": "이 행들만으로는 진단 결과가 모두 나오지 않습니다. 전체를 재현하려면 원본 로그가 필요합니다.",
    },
}


def word(key: str, lang: Lang) -> str:
    """The text of ``key``; KeyError for a key no table has (a bug of ours)."""
    return WORDS[lang][key]
