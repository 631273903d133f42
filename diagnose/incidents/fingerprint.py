"""Which failures are one and the same: the entry, its message with the numbers masked, and what was run."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Final

from diagnose.model import Finding, RunContext, Unknown
from diagnose.records import fingerprint_text
from diagnose.redact.redactor import unnumbered
from diagnose.report.clean import clean
from diagnose.report.values import plain

VERSION: Final = 1
"""Goes up whenever the same failure would get another fingerprint than before."""
UNKNOWN_ENTRY: Final = "unknown"
"""Stands where an entry's id stands, for an error the knowledge base does not know."""
NOT_KNOWN: Final = "-"
FAMILIES: Final = ("ATOM", "REBEL")

_CACHE: Final = re.compile(r"models--(?:[^/]+?--)?([^/]+?)(?:/snapshots/[^/]+)?/?$")
"""A directory of the Hugging Face cache: ``models--<owner>--<name>/snapshots/<commit>``."""
_HASHED: Final = 20


def fingerprint(finding: Finding, context: RunContext) -> str:
    """``1:<20 hex digits>``; equal for the same failure of the same model on the same NPU family.

    Numbers, paths, times and ids in the message do not count, nor do colours: the text may be cleaned or not.
    """
    return of_root(finding.entry, template(finding.text), target(context))


def of_root(entry: str, masked: str, what: str) -> str:
    """The fingerprint of an entry id, a masked message (:func:`template`) and a target (:func:`target`)."""
    return f"{VERSION}:{digest(entry, masked, what)}"


def of_unknown(unknown: Unknown, context: RunContext) -> str:
    """The fingerprint of an error no entry knows: its template takes the place of the entry."""
    return of_root(UNKNOWN_ENTRY, template(unknown.text), target(context))


def happening(finding: Finding, context: RunContext) -> str:
    """Which failure it is that happened once, told from the log alone: the same whoever reads the log, and when.

    A record with a time is the same wherever it stands (a rotated file); without one its place and the run's
    configuration have to tell it apart. Both must be redacted; which secret came first in a document does not count.
    """
    config = {name: plain(setting.value) for name, setting in context.config.items()}
    place = "" if finding.time else f"{finding.line}:{finding.offset}"
    where = unnumbered(json.dumps(config, sort_keys=True, ensure_ascii=False))
    return digest(unnumbered(clean(finding.text)), finding.time or "", finding.process or "", place, where)


def template(text: str) -> str:
    """The message with everything masked that varies from run to run."""
    return fingerprint_text(clean(text))


def target(context: RunContext) -> str:
    """``Qwen3-VL-8B-Instruct@REBEL``; ``-`` stands for what is not known."""
    return f"{model_name(context.model)}@{context.family or NOT_KNOWN}"


def model_name(model: str | None) -> str:
    """The last part of a model's name or directory, whatever machine it lies on."""
    path = (model or "").replace("\\", "/").rstrip("/")
    cached = _CACHE.search(path)
    return (cached.group(1) if cached else path.rpartition("/")[2]) or NOT_KNOWN


def knows_model(what: str) -> bool:
    """Whether a target names a model: two runs of unknown models are not the same run."""
    return not what.startswith(f"{NOT_KNOWN}@")


def compatible(what: str) -> tuple[str, ...]:
    """Targets that may be this one: the same model, where the NPU family is the same or one of the two is unknown."""
    model, _, family = what.rpartition("@")
    families = (*FAMILIES, NOT_KNOWN) if family == NOT_KNOWN else (family, NOT_KNOWN)
    return tuple(f"{model}@{one}" for one in families)


def digest(*parts: str, length: int = _HASHED) -> str:
    """``length`` hex digits that stand for ``parts``; their borders count."""
    hashed = hashlib.blake2b(digest_size=16)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        hashed.update(b"%d:" % len(data) + data)
    return hashed.hexdigest()[:length]
