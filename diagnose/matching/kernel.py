"""What the NPU's kernel driver prints when something failed: lines of ``dmesg`` without a level.

Shapes: ``rebellions <PCI address>: …``, ``rebellions rbln<N>: …`` (driver and firmware messages of the public KMD
documentation), ``rebellions: …`` (the module loader), and the PCI core's about the device (Linux
``drivers/pci/pcie/aer.c``).
"""

from __future__ import annotations

import re

from diagnose.late import late

DRIVER = "rebellions"
LONGEST_LINE = 1_024
"""Characters of a line that are looked at; the kernel cuts its own there (Linux ``kernel/printk``)."""

_LINE = late(
    r"(?:kern\s*:\s?\w+\s*:\s*)?(?:kernel:\s)?(?:\[[ \d.]+\]\s*)?"
    r"rebellions(?:\s(?:[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.\d|rbln\d{1,4}))?:\s(?P<said>.*)"
)
_FAILURE = late(
    r"\b(?:fail(?:ed|ure|s)?|errors?|faults?|fatal|abort(?:ed|ing)?|timed[ _-]?out|panic(?:ked)?|hung|hang|crash(?:ed)?"
    r"|uncorrect(?:ed|able)|unrecoverable|not responding|no response|unable to|can(?:not|'t)|could not"
    r"|corrupt(?:ed|ion)?|lost|refused|denied|unknown symbol|exhausted|overflow(?:ed)?|assert(?:ion)?"
    r"|deadlock|lockup|stuck)\b",
    re.IGNORECASE,
)
_NOT_ONE = late(
    r"\b(?:no|without|zero|0)\s(?:\w+\s)?(?:errors?|faults?|failures?)\b"
    r"|\b(?:errors?|faults?|failures?)(?:\s(?:count|counter|code|status|cnt))?\s?[=:]\s?(?:0x0+|0+|no|none|ok)\b"
    r"|\b(?:errors?|fault)\s(?:handl(?:er|ing)|report(?:er|ing)|injection|interrupts?|mask|notifier|recovery)\b"
    # the kernel says this of every module that was built outside of its tree
    r"|\bmodule verification failed\b"
    r"|\bseverity=Corrected\b|\bCorrected error\b|\berror status/mask="
    r"|\brecovered\b|\bsuccess(?:ful|fully)?\b",
    re.IGNORECASE,
)


def driver_failed(text: str) -> bool:
    """Whether the first line of ``text`` is one of the driver that reports a failure, known or not."""
    head = text[:LONGEST_LINE]
    if DRIVER not in head:
        return False
    line = _LINE.match(head)
    if line is None:
        return False
    said = line["said"]
    return _FAILURE.search(said) is not None and _NOT_ONE.search(said) is None
