"""``--npu NAME``: a name rbln-smi prints, checked before anything is computed for it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from diagnose.model import InputError, Text

_NAME = re.compile(r"(?:RBLN-)?(C[AR]\d{2})", re.IGNORECASE)
MAX_SHOWN = 80
"""Characters of a refused name that are repeated."""


def parse_npu(text: str, hardware: Mapping[str, Any]) -> str:
    """The NPU name as the libraries write it: ``ca25`` gives ``RBLN-CA25``.

    A name of a known family is taken even when its number is new: the limits hang on the family alone
    (optimum-rbln 0.12.0 ``get_attention_limits``). Raises InputError for anything else.
    """
    found = _NAME.fullmatch(text.strip())
    if found:
        return f"RBLN-{found.group(1).upper()}"
    shown = " ".join(text.split())[:MAX_SHOWN]
    names = ", ".join(sorted(hardware.get("products", ())))
    raise InputError(
        Text(
            f"--npu {shown}: no such NPU; give the name rbln-smi shows, for example {names}",
            f"--npu {shown}: 알 수 없는 NPU입니다. rbln-smi에 표시되는 이름을 지정하세요. 예: {names}",
        )
    )
