"""The knowledge base proves itself: every example gives its finding, its numbers and its changes."""

from __future__ import annotations

import pytest

from diagnose.authoring import examples
from diagnose.authoring.coverage import exceptions
from diagnose.knowledge.store import PACKAGE
from tests.authoring.made import real


def test_every_example_and_near_miss_is_kept() -> None:
    assert [str(problem) for problem in examples.run(real())] == []


def test_every_file_stands_under_a_component_and_a_family() -> None:
    from diagnose.knowledge.source import DOMAINS, entry_files

    root = PACKAGE.parent / "kb" / "entries"
    for path in entry_files(root):
        parts = path.relative_to(root).parts
        assert len(parts) == 3, path
        assert parts[0] in DOMAINS, path


def test_a_family_entry_never_names_a_parameter_to_change() -> None:
    """It gathers checks with different reasons: a change that helps one would be wrong for another."""
    families = [entry for entry in real().entries.values() if entry.id.startswith("internal.")]
    assert families
    for entry in families:
        assert not any(remedy.set or remedy.solver for remedy in entry.remedies), entry.id


def test_the_list_of_exceptions_can_be_read() -> None:
    for texts in exceptions.shipped().values():
        assert all(reason.strip() for reason in texts.values())


@pytest.mark.parametrize("name", ["internal.optimum-assertion", "internal.vllm-rbln-assertion"])
def test_an_assertion_without_a_traceback_stays_unknown(name: str) -> None:
    from diagnose.analyzer import diagnose_bytes

    found = diagnose_bytes(b"AssertionError\n")
    assert name not in {f.entry for f in found.findings}
    assert found.outcome == "unknown"
