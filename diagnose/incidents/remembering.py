"""What a one-shot run leaves in the memory."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from diagnose.incidents.fingerprint import UNKNOWN_ENTRY, digest, fingerprint, happening, of_unknown
from diagnose.incidents.lineage import ONE_SHOT
from diagnose.incidents.nouns import Batch, Sighting
from diagnose.incidents.place import default_path
from diagnose.incidents.store import Store
from diagnose.incidents.times import Clock
from diagnose.model import Diagnosis, Finding, RunContext, Text, Unknown
from diagnose.redact import Redactor, here, redacted
from diagnose.report.values import plain

MAX_UNKNOWN: Final = 5
"""Different unknown errors of one log that are remembered: the nearest to the cause stand first."""
WAIT_S: Final = 1.0
"""The report stands already; nobody likes a prompt that does not come back."""
PIPE: Final = "-"

UNKNOWN_TITLE: Final = Text("An error the knowledge base does not know", "지식 베이스에 없는 오류")


def remember(diagnosis: Diagnosis, path: Path | None = None, *, clock: Clock = time.time) -> None:
    """Write what failed, or that the target came up; nothing when there is neither. Raises StoreError.

    Notes, another vendor's failures and mere consequences are not remembered. The same log diagnosed again, also
    under another name or through a pipe, or followed by the watcher meanwhile, is the same failure.
    """
    about = here()
    name = diagnosis.input.name
    diagnosis = redacted(diagnosis, Redactor(about))
    sightings = tuple(_sightings(diagnosis))
    started = _started(diagnosis) if name != PIPE else None
    if not sightings and started is None:
        return
    written_s = _written_s(name)
    now_s = clock()
    store = Store.open(path or default_path(), clock=lambda: now_s, busy_s=WAIT_S)
    try:
        new = tuple(s for s in sightings if not store.knows(s.fingerprint, happening(s.finding, s.context)))
        if new or started is not None:
            store.write(
                Batch(None, new, started),
                source=source(name),
                host=about.machine,
                at_s=None if written_s is None else min(written_s, now_s),
            )
    finally:
        store.close()


def source(name: str) -> str:
    """The log's absolute path; ``-`` for a pipe."""
    return PIPE if name == PIPE else str(Path(name).absolute())


def _sightings(diagnosis: Diagnosis) -> Iterator[Sighting]:
    context = diagnosis.run
    roots = [f for f in diagnosis.findings if worth_remembering(f)]
    for finding in roots:
        yield _opened(finding, fingerprint(finding, context), context)
    if roots or any(f.domain == "foreign" for f in diagnosis.findings):
        return  # what else is unknown is most likely an echo
    for unknown in diagnosis.unknown[:MAX_UNKNOWN]:
        yield _opened(unknown_finding(unknown), of_unknown(unknown, context), context)


def worth_remembering(finding: Finding) -> bool:
    """Whether a finding is an incident: a root cause of ours that is not over."""
    return finding.role == "root" and finding.domain != "foreign" and not finding.recovered


def unknown_finding(unknown: Unknown) -> Finding:
    """An unknown error in the shape of a finding; no cause is claimed."""
    return Finding(
        entry=UNKNOWN_ENTRY,
        domain="host",
        role="root",
        severity="error",
        line=unknown.line,
        offset=unknown.offset,
        text=unknown.text,
        title=UNKNOWN_TITLE,
        cause=Text("", ""),
        count=unknown.count,
        process=unknown.process,
    )


def _opened(finding: Finding, print_: str, context: RunContext) -> Sighting:
    return Sighting("opened", print_, f"{ONE_SHOT}{happening(finding, context)}", 0, finding, context, finding.text)


def _started(diagnosis: Diagnosis) -> tuple[str, RunContext] | None:
    """A server's log without a failure that shows it came up. A pipe does not tell when that was, so it counts not."""
    run = diagnosis.run
    if diagnosis.outcome != "healthy" or "serve" not in run.phases or diagnosis.input.name == PIPE:
        return None
    config = {name: plain(setting.value) for name, setting in run.config.items()}
    what = json.dumps([run.model, run.npu, config, diagnosis.input.lines], sort_keys=True, ensure_ascii=False)
    return f"{ONE_SHOT}{digest(what)}", run


def _written_s(name: str) -> float | None:
    """When the log was last written: a failure is as old as its log, not as its diagnosis."""
    if name == PIPE:
        return None
    try:
        return Path(name).stat().st_mtime
    except OSError:
        return None
