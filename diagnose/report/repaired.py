"""What was undone before a pasted text said what it says, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from diagnose.model import Diagnosis, Lang, Text
from diagnose.report.words import word

SHAPES: Final[Mapping[str, Text]] = {
    "quoted_printable": Text("encoding of a mail undone", "메일 인코딩 해제"),
    "few_quoted_printable": Text("encoding of a mail undone", "메일 인코딩 해제"),
    "colours": Text("colour codes removed", "색상 코드 제거"),
    "carets": Text("written-out carriage returns removed", "문자로 적힌 캐리지 리턴 제거"),
    "line_ends": Text("carriage returns removed", "캐리지 리턴 제거"),
    "padding": Text("padding removed", "줄 끝 채움 공백 제거"),
    "entities": Text("HTML escapes undone", "HTML 이스케이프 해제"),
    "quotation": Text("quote marks removed", "인용 부호 제거"),
    "fences": Text("Markdown fences removed", "Markdown 코드 블록 표시 제거"),
    "numbered": Text("line numbers removed", "줄 번호 제거"),
    "few_numbered": Text("line numbers removed", "줄 번호 제거"),
    "numbers": Text("line numbers removed", "줄 번호 제거"),
    "numbers_between": Text("line numbers on lines of their own removed", "따로 떨어진 줄 번호 제거"),
    "indented_block": Text("an indented block taken out", "들여쓴 블록 분리"),
    "same_prefix": Text("the same text before every line removed", "모든 줄 앞의 같은 글자 제거"),
    "printed_json": Text("lines taken out of a JSON document", "JSON 문서에서 줄 추출"),
    "indentation": Text("common indentation removed", "공통 들여쓰기 제거"),
    "wrapped": Text("broken lines joined", "끊긴 줄 연결"),
    "markup": Text("HTML elements around lines removed", "줄을 감싼 HTML 태그 제거"),
    "typography": Text("typographic quotes and dashes made plain", "둥근 따옴표와 대시를 일반 문자로 복원"),
    "double_dashes": Text("dashes made two hyphens", "대시를 하이픈 두 개로 복원"),
    "signs": Text("signs in front of lines removed", "줄 앞의 기호 제거"),
    "few_elements": Text("HTML elements around lines removed", "줄을 감싼 HTML 태그 제거"),
    "few_signs": Text("signs in front of lines removed", "줄 앞의 기호 제거"),
    "wrapped_at_blanks": Text("broken lines joined", "끊긴 줄 연결"),
    "returns": Text("bare carriage returns read as line ends", "캐리지 리턴을 줄바꿈으로 해석"),
    "written_out": Text("written-out line ends restored", "문자로 적힌 줄바꿈 복원"),
    "run_together": Text("lost line ends restored", "사라진 줄바꿈 복원"),
    "transports": Text("log prefixes removed", "로그 접두어 제거"),
    "parts": Text("line numbers or quote marks removed from a part", "일부 줄의 줄 번호나 인용 부호 제거"),
    "backslashes": Text("Markdown backslashes removed", "Markdown 백슬래시 제거"),
    "few_backslashes": Text("Markdown backslashes removed", "Markdown 백슬래시 제거"),
    "breaks": Text("backslashes at line ends removed", "줄 끝 백슬래시 제거"),
    "boxes": Text("a box around the lines removed", "줄을 둘러싼 상자 제거"),
    "literal_rows": Text("lines taken out of string literals", "문자열 리터럴에서 줄 추출"),
    "whole_literals": Text("written-out line ends restored", "문자로 적힌 줄바꿈 복원"),
    "running": Text("running times before lines removed", "줄 앞의 경과 시간 제거"),
    "few_running": Text("running times before lines removed", "줄 앞의 경과 시간 제거"),
    "few_barred": Text("the same text before every line removed", "모든 줄 앞의 같은 글자 제거"),
    "newest_first": Text("newest lines first, turned round", "최신 줄이 먼저여서 순서를 뒤집음"),
    "panes": Text("panes side by side taken apart", "나란히 놓인 화면 분할 창을 나눔"),
    "speakers": Text("program names before lines told apart", "줄 앞의 프로그램 이름 구분"),
    "blanks": Text("lost blanks restored", "사라진 공백 복원"),
    "nul_ends": Text("NUL bytes as line ends", "줄 끝으로 쓰인 NUL 바이트"),
    "holes": Text("NUL bytes removed", "NUL 바이트 제거"),
}
"""One for every name ``diagnose.repair`` gives to what it undoes."""


def repaired_line(diagnosis: Diagnosis, lang: Lang) -> str | None:
    """``Read as a paste: line numbers removed, broken lines joined.``; None for an input read as it stands."""
    shapes = dict.fromkeys(SHAPES[name].in_(lang) for name in diagnosis.input.repaired if name in SHAPES)
    return word("repaired", lang).format(shapes=", ".join(shapes)) if shapes else None
