"""``--format json``: the contract's object, readable (Hangul as it is, two spaces of indentation)."""

from __future__ import annotations

import json

from diagnose.model import Diagnosis, Lang
from diagnose.report.as_dict import diagnosis_to_dict
from diagnose.report.remarks import Remarks


def render(diagnosis: Diagnosis, lang: Lang, remarks: Remarks | None = None) -> str:
    """One JSON object and a newline. ``lang`` changes nothing: every text is there in both languages."""
    return json.dumps(diagnosis_to_dict(diagnosis, remarks), ensure_ascii=False, indent=2, allow_nan=False) + "\n"
