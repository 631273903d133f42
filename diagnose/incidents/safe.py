"""The last gate before the disk: whoever writes, and whatever was forgotten before, no secret is stored."""

from __future__ import annotations

from dataclasses import replace

from diagnose.incidents.nouns import Batch, Sighting
from diagnose.redact import Redactor, Surroundings, redacted
from diagnose.redact.sources import source_name
from diagnose.report.clean import clean


def safe(batch: Batch, about: Surroundings) -> Batch:
    """The same batch, redacted; one that was redacted already stays as it is."""
    point, started = batch.checkpoint, batch.started
    return Batch(
        None if point is None else replace(point, source=source_name(point.source, about)),
        tuple(_sighting(one, about) for one in batch.sightings),
        None if started is None else (started[0], redacted(started[1], Redactor(about))),
    )


def _sighting(new: Sighting, about: Surroundings) -> Sighting:
    by = Redactor(about)
    finding, context = redacted((new.finding, new.context), by)
    return replace(new, finding=finding, context=context, excerpt=by.text(clean(new.excerpt)))
