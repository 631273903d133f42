"""Words the nouns are made of: two languages, roles, severities, and bad input."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

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

    def to_dict(self) -> dict[str, str]:
        return {"en": self.en, "ko": self.ko}


class InputError(Exception):
    """Bad input of the person: shown as one line in their language, exit code 2."""

    def __init__(self, message: Text) -> None:
        super().__init__(message.en)
        self.message = message
