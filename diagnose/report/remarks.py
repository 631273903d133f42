"""What somebody beside the flow has to say about a finding: the memory of past incidents says when it was before."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from diagnose.model import Diagnosis, Finding, Remedy, Text


class Remarks(Protocol):
    """``diagnose.incidents.Memory`` is one; the report does not know where they come from."""

    def ordered(self, diagnosis: Diagnosis) -> Diagnosis:
        """The diagnosis with remedies of equal applicability ordered by what worked here."""

    def of(self, finding: Finding) -> Sequence[Text]:
        """Sentences that stand under the place of a finding."""

    def of_remedy(self, finding: Finding, remedy: Remedy) -> Text | None:
        """What stands behind the title of a remedy."""

    def seen_before(self, finding: Finding) -> Mapping[str, Any] | None:
        """The same for a program (``seen`` of the report's JSON); None when it is new."""

    def tried(self, finding: Finding, remedy: Remedy) -> Mapping[str, int] | None:
        """``{"worked": …, "tried": …}``; None when it was never tried."""


Hide = Callable[[Diagnosis], Diagnosis]
"""Takes secrets and names out of a diagnosis."""


def as_it_is(diagnosis: Diagnosis) -> Diagnosis:
    """Where nothing is hidden."""
    return diagnosis


Recall = Callable[[], Remarks | None]
"""Asks the memory, which takes a while; None when it has nothing to say."""


def nothing() -> None:
    """Where nothing is remembered."""


def remembered(diagnosis: Diagnosis, recall: Recall) -> tuple[Diagnosis, Remarks | None]:
    """The diagnosis as the memory orders it, and the memory."""
    remarks = recall()
    return diagnosis if remarks is None else remarks.ordered(diagnosis), remarks
