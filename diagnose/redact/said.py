"""What reads like something a person said: the shapes of literals, and what is a sentence rather than a message."""

from __future__ import annotations

import re
from typing import Any, Final

from diagnose.late import late

_SINGLE: Final = r"'[^'\\\n]*+(?:\\.[^'\\\n]*+)*+'"
_DOUBLE: Final = r"\"[^\"\\\n]*+(?:\\.[^\"\\\n]*+)*+\""
_ESCAPED: Final = r"\\\"(?:[^\"\\\n]|\\\\\\\"|\\(?!\"))*+\\\""
LITERAL: Final = rf"(?:{_SINGLE}|{_DOUBLE}|{_ESCAPED})"
# A literal is whole when something that may follow a value follows it; else the rest of the line is taken.
WHOLE: Final = rf"{LITERAL}(?:\s{{0,2}},\s{{0,2}}{LITERAL}(?!\s{{0,2}}:))*+(?=\s{{0,3}}(?:[,)\]}}.]|\\n|\n|$))"
VALUE: Final = rf"(?:\[\s{{0,20}})?(?P<x>{WHOLE}|\\?['\"][^\n]++)"
ASSIGN: Final = r"\\?['\"]?\s{0,2}[:=]\s{0,2}"

_NO_WORDS: Final = late(
    r"(?i)(?:none|null|true|false|\d|<\w+-\d+>$|too (?:long|large|short)|length|len\b|tokens?\b|throughput|must"
    r"|is |are |has |was |not |cannot"
    r"|exceeds|longer|invalid|missing|expected|got|(?:\S+ ){0,2}(?:is not|does not|not found|not allowed"
    r"|not authorized|has no|was not|cannot|permission|denied|failed)\b|\S+\s?=|\S+:\s|\S*/\S*\s|0x)"
)
"""What a program says of a prompt."""


_STATE: Final = late(
    r"(?i)\b(?:is|are|was|were) (?:not )?(?:disabled|enabled|invalid|ignored|unsupported|deprecated|required"
    r"|missing|unknown)\b"
    r"|\b(?:loaded|started|initiali[sz]ed|disabled|enabled|ready)(?: ok)?(?: now)?[.!]?$"
    r"|잘못되었|유효하지|지원하지|지원되지|설정되지|활성화"
)
_PROGRAM: Final = late(
    r"(?i)\b(?:error\w*|exception|fail\w*|warn\w*|traceback|invalid|expected|unexpected|unsupported|cannot|must|deprecated|load\w*"
    r"|compil\w+|running|device|npu|rbln\w*|vllm|tensors?|cuda|kernel|memory|arguments?|parameters?|config\w*|shapes?|dtype"
    r"|batch\w*|models?|layers?|tokens?|tokenizer|import\w*|modules?|file|path|default|option|value|string|list|format"
    r"|info|debug|critical|server|client|requests?|connect\w*|timeout|worker|engine|process|please|see|use|using|usage|set)\b"
    r"|오류|실패|메모리|모델|컴파일|디바이스|장치|설정|인자|토큰|서버|요청이|하세요|확인"
)
"""Words of a program: what holds one may be its own message."""
_CODE: Final = late(r"[{}<>=|_\\]|::|\(\)|\d\d:\d\d|%[sdr]|\w/\w|\S\.\w+\.|^\W*#")
_PERSON: Final = late(
    r"(?i)\b(?:I|I'[md]|my|mine|me|myself|summari[sz]e|translate|rewrite|explain|tell|who|whose|give me"
    r"|write (?:an?|the|me)"
    r"|what(?:'s| is| are)|how (?:do|can|to|many|much)|why (?:do|does|is|are)|can you|could you|should I)\b"
    r"|(?:줘|주세요|주십시오|알려|요약|번역|설명해|나요|까요|습니까|인가요)|(?:^|[\s'\"])(?:제|저|저는|저의|나는|나의|내|내가|제가|우리)\s"
)
"""Somebody speaks of himself, asks or wants something."""
_ROLES: Final = late(r"(?i)role|content|user|human|assistant|text")


def two_words(said: str) -> bool:
    """A blank between letters."""
    return bool(re.search(r"[^\W\d_]\S*\s+\S*[^\W\d_]", said))


def is_sentence(text: str) -> bool:
    """Four words or more, in Korean three, that no program says of its own work. Where one cannot tell: False."""
    said = text.strip("'\"[] \\")
    words = [word for word in said.split() if any(map(str.isalpha, word))]
    enough = 3 if any("가" <= letter <= "힣" for letter in said) else 4
    return len(words) >= enough and not (_NO_WORDS.match(said) or _CODE.search(said) or _PROGRAM.search(said))


def sentence(found: Any) -> bool:
    """What ``is_sentence`` says of a match."""
    return is_sentence(found["x"])


def asked(found: Any) -> bool:
    """A sentence in which somebody speaks of himself or asks for something."""
    return is_sentence(found["x"]) and bool(_PERSON.search(found["x"]))


def spoken(found: Any) -> bool:
    """Words of a person: two or more of them, and no word about them."""
    said = found["x"].strip()
    return two_words(said) and not _NO_WORDS.match(said) and not _STATE.search(said)


def quoted(found: Any) -> bool:
    """A list of what was said, or words: no variable of a source line."""
    said = found["x"]
    return bool(re.search(r"[^\W\d_]\s+\S{0,3}[^\W\d_]", said)) and (
        bool(_ROLES.search(said)) or is_sentence(said) if said[0] == "[" else not _NO_WORDS.match(said)
    )
