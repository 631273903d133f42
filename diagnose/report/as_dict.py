"""A diagnosis as the object of the JSON contract ``rbln-diagnose/1``. ``schema.json`` describes it."""

from __future__ import annotations

from typing import Any

from diagnose.model import Change, Diagnosis, Finding, InputInfo, Remedy, RunContext, Text, Unknown
from diagnose.report.clean import clean, cleaned
from diagnose.report.remarks import Remarks
from diagnose.report.values import plain
from diagnose.version import __version__

SCHEMA = "rbln-diagnose/1"


def diagnosis_to_dict(diagnosis: Diagnosis, remarks: Remarks | None = None) -> dict[str, Any]:
    """The contract's object in the contract's key order, in JSON types only, every text cleaned.

    ``remarks`` adds what is remembered: ``seen`` of a finding, ``here`` of a remedy, where there is anything.
    """
    d = cleaned(diagnosis)
    return {
        "schema": SCHEMA,
        "tool": {"version": __version__, "kb": d.kb_hash, "entries": d.kb_entries},
        "input": _input(d.input),
        "outcome": d.outcome,
        "run": _run(d.run),
        "findings": [_with_memory(_finding(f), f, remarks) for f in d.findings],
        "notes": [_finding(f) for f in d.notes],
        "unknown": [_unknown(u) for u in d.unknown],
    }


def _input(info: InputInfo) -> dict[str, Any]:
    repaired = {"repaired": list(info.repaired)} if info.repaired else {}
    return {"name": info.name, "bytes": info.bytes, "lines": info.lines, **repaired}


def _run(run: RunContext) -> dict[str, Any]:
    return {
        "npu": run.npu,
        "versions": dict(run.versions),
        **({"inferred": list(run.inferred)} if run.inferred else {}),
        "model": run.model,
        "config": {name: {"value": plain(s.value), "line": s.line, "from": s.origin} for name, s in run.config.items()},
    }


def _finding(f: Finding) -> dict[str, Any]:
    return {
        "entry": f.entry,
        "domain": f.domain,
        "role": f.role,
        "severity": f.severity,
        "line": f.line,
        "offset": f.offset,
        "count": f.count,
        "process": f.process,
        "time": f.time,
        "text": f.text,
        "numbers": plain(f.numbers),
        "title": f.title.to_dict(),
        "cause": f.cause.to_dict(),
        "remedies": [_remedy(r) for r in f.remedies],
        "consequences": [{"entry": c.entry, "line": c.line} for c in f.consequences],
        "recovered": f.recovered,
    }


def _with_memory(made: dict[str, Any], finding: Finding, remarks: Remarks | None) -> dict[str, Any]:
    if remarks is None:
        return made
    for remedy, one in zip(finding.remedies, made["remedies"], strict=True):
        times = remarks.tried(finding, remedy)
        if times is not None:
            one["here"] = dict(times)
    seen = remarks.seen_before(finding)
    if seen is not None:
        made["seen"] = {name: clean(value) if isinstance(value, str) else value for name, value in seen.items()}
    return made


def _remedy(r: Remedy) -> dict[str, Any]:
    copies = {"copies": [{"line": c.line, "numbers": plain(c.numbers)} for c in r.copies]} if r.copies else {}
    return {
        "id": r.id,
        "applicability": r.applicability,
        "changes": [_change(c) for c in r.changes],
        "arithmetic": r.arithmetic,
        "bound": _text(r.bound),
        "missing": list(r.missing),
        "doubt": _text(r.doubt),
        "commands": dict(r.commands),
        "title": r.title.to_dict(),
        "side_effect": _text(r.side_effect),
        "verify": _text(r.verify),
        **copies,
    }


def _change(c: Change) -> dict[str, Any]:
    return {"parameter": c.parameter, "scope": c.scope, "from": plain(c.from_), "to": plain(c.to)}


def _text(text: Text | None) -> dict[str, str] | None:
    return None if text is None else text.to_dict()


def _unknown(u: Unknown) -> dict[str, Any]:
    return {
        "line": u.line,
        "text": u.text,
        "template": u.template,
        "count": u.count,
        "nearest": [{"entry": n.entry, "score": n.score} for n in u.nearest],
    }
