"""Coverage and drift as lines for a person and as an object for a program."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from diagnose.authoring.coverage.drift import Drift
from diagnose.authoring.coverage.judge import Coverage, Judged, uncovered
from diagnose.authoring.coverage.sites import Site
from diagnose.authoring.words import say
from diagnose.knowledge.schema import Signature
from diagnose.model import Lang

STATUSES = ("covered", "family", "excepted", "uncovered")


def lines(found: Coverage, lang: Lang) -> Iterator[str]:
    """The figures, then everything there is to do."""
    yield f"{found.package.name} {found.package.version}".rstrip()
    counts = Counter(str(j.status) for j in found.counted)
    for name, reachable in (("reachable", True), ("all", False)):
        known, total = found.share(reachable=reachable)
        yield f"  {_percent(known, total)}  {known}/{total}  {say(name, lang)}"
    for status in STATUSES:
        yield f"  {counts[status]:>6}  {say(status, lang)}"
    yield f"  {len(found.judged) - len(found.counted):>6}  {say('dynamic', lang)}"
    sites = [_site(j.site) for j in uncovered(found.judged)]
    family = [j for j in found.counted if j.status == "family" and j.site.reachable]
    for heading, items in (
        ("uncovered_sites", sites),
        ("family_sites", [f"{_site(j.site)}  <- {', '.join(j.entries)}" for j in family]),
        ("outdated", [f"{_signature(s)}  <- {site.path}:{site.line}" for s, site in found.outdated]),
        ("unemitted", [_signature(s) for s in found.unemitted]),
        ("dead_exceptions", list(found.dead_exceptions)),
        ("too_large", list(found.package.too_large)),
    ):
        if items:
            yield f"  {say(heading, lang)}:"
            yield from (f"    {item}" for item in items)


def drift_lines(found: Drift, lang: Lang) -> Iterator[str]:
    yield f"{found.new.name} {found.old.version} → {found.new.version}"
    changed = [f"{_place(b)}  {_flat(a.text)}  →  {_flat(b.text)}" for a, b in found.changed]
    added, dropped = [_site(s) for s in found.added], [_site(s) for s in found.dropped]
    for heading, items in (("added", added), ("changed", changed), ("dropped", dropped)):
        yield f"  {say(heading, lang)}: {len(items)}"
        yield from (f"    {item}" for item in items)


def as_object(found: Coverage) -> dict[str, Any]:
    """JSON-ready."""
    return {
        "package": found.package.name,
        "version": found.package.version,
        "sites": len(found.judged),
        "dynamic": len(found.judged) - len(found.counted),
        "counts": {s: sum(j.status == s for j in found.counted) for s in STATUSES},
        "reachable": dict(zip(("known", "all"), found.share(reachable=True), strict=True)),
        "all": dict(zip(("known", "all"), found.share(reachable=False), strict=True)),
        "known": [{**_site_object(j.site), "status": j.status, "entries": list(j.entries)} for j in _known(found)],
        "uncovered": [_site_object(j.site) for j in uncovered(found.judged)],
        "outdated": [{**_signature_object(s), "site": _place(site)} for s, site in found.outdated],
        "unemitted": [_signature_object(s) for s in found.unemitted],
        "dead_exceptions": list(found.dead_exceptions),
        "too_large": list(found.package.too_large),
    }


def _known(found: Coverage) -> Iterator[Judged]:
    return (j for j in found.counted if j.status != "uncovered")


def drift_object(found: Drift) -> dict[str, Any]:
    """JSON-ready."""
    return {
        "package": found.new.name,
        "from": found.old.version,
        "to": found.new.version,
        "added": [_site_object(s) for s in found.added],
        "changed": [{**_site_object(b), "was": a.text} for a, b in found.changed],
        "dropped": [_site_object(s) for s in found.dropped],
    }


def to_do(found: Coverage) -> bool:
    """Whether an entry is missing or wrong: a reachable site unknown, or a message emitted outside its versions."""
    return bool(found.outdated) or any(j.site.reachable for j in uncovered(found.judged))


def _percent(known: int, total: int) -> str:
    """Rounded down: 100 % is said only when nothing is missing."""
    return f"{int(1000 * known / total) / 10 if total else 100.0:5.1f} %"


def _site(site: Site) -> str:
    return f"{'' if site.reachable else '(internal) '}{_place(site)}  {site.type}: {_flat(site.text)}"


def _site_object(site: Site) -> dict[str, Any]:
    return {
        "path": site.path,
        "line": site.line,
        "function": site.function,
        "kind": site.kind,
        "type": site.type,
        "reachable": site.reachable,
        "text": site.text,
    }


def _place(site: Site) -> str:
    return f"{site.path}:{site.line}"


def _signature(signature: Signature) -> str:
    return f"{signature.entry}: {_flat(signature.template or signature.pattern)}"


def _signature_object(signature: Signature) -> dict[str, Any]:
    return {
        "entry": signature.entry,
        "text": signature.template or signature.pattern,
        "since": signature.since,
        "until": signature.until,
    }


def _flat(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 160 else text[:159] + "…"
