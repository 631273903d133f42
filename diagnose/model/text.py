"""Words the nouns are made of: two languages, roles, severities, and bad input."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from diagnose.light import dataclass

Lang = Literal["en", "ko"]
Role = Literal["root", "consequence", "context", "noise"]
Severity = Literal["fatal", "error", "warning", "info"]
Domain = Literal["rbln", "vllm", "hf", "host", "foreign"]
Applicability = Literal["exact", "estimate", "needs-value", "advice"]
Outcome = Literal["diagnosed", "unknown", "healthy"]
Value = Any  # int, float, str, bool, None, list of those, or a dict read from a log or a file


@dataclass(frozen=True, slots=True)
class Text:
    """One statement in both languages; ``en`` and ``ko`` say the same."""

    en: str
    ko: str

    def in_(self, lang: Lang) -> str:
        return self.ko if lang == "ko" else self.en

    def filled(self, *values: object, **fields: object) -> Text:
        """With its places filled as ``str.format`` does; a value that is a Text is put in by language."""
        return Text(*(_in_language(lang, self.in_(lang), values, fields) for lang in ("en", "ko")))

    def to_dict(self) -> dict[str, str]:
        return {"en": self.en, "ko": self.ko}


def _in_language(lang: Lang, text: str, values: Iterable[object], fields: Mapping[str, object]) -> str:
    def of(value: object) -> object:
        return value.in_(lang) if isinstance(value, Text) else value

    return text.format(*map(of, values), **{name: of(value) for name, value in fields.items()})


class InputError(Exception):
    """Bad input of the person: shown as one line in their language, exit code 2."""

    def __init__(self, message: Text) -> None:
        super().__init__(message.en)
        self.message = message
