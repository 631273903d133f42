"""Redaction changes no diagnosis: of the whole log, and of the excerpt a report holds."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import pytest

from diagnose.analyzer import engine_for
from diagnose.authoring.rules.entry_texts import texts
from diagnose.bundle.making import Given, essence, make
from diagnose.knowledge.schema import Example
from diagnose.redact import Redactor, Surroundings
from diagnose.scan import Engine
from tests.authoring.made import real

FIXTURES = sorted((Path(__file__).parents[2] / "fixtures").glob("*.log"))
NOBODY = Surroundings()


@lru_cache(maxsize=1)
def engine() -> Engine:
    return engine_for(real())


def differences(example: Example) -> list[str]:
    """What is another diagnosis after redaction."""
    data = example.text.encode()
    given = Given(sets=dict(example.sets), npu=example.npu, knowledge=real(), engine=engine())
    bundle = make(lambda: [data], given, NOBODY)
    found = [] if bundle.same else ["the excerpt"]
    whole = Redactor(NOBODY).text(example.text)
    if whole != example.text:
        again = make(lambda: [whole.encode()], given, NOBODY).diagnosis
        by = Redactor(NOBODY)
        if essence(again, by) != essence(bundle.diagnosis, by):
            found.append("the redacted log")
    return found


def test_every_example_of_the_knowledge_base_gives_the_same_diagnosis() -> None:
    wrong = [
        (entry.id, number, found)
        for entry in real().entries.values()
        for number, example in enumerate(entry.examples)
        if (found := differences(example))
    ]
    assert wrong == []


@pytest.mark.parametrize("path", FIXTURES, ids=lambda p: p.stem)
def test_every_fixture_gives_the_same_diagnosis(path: Path) -> None:
    assert differences(Example(path.read_text("utf-8", "replace"))) == []


def test_no_text_of_the_knowledge_base_is_taken_for_a_secret() -> None:
    by = Redactor(NOBODY)
    taken = [
        (entry.id, what, by.text(text))
        for entry in real().entries.values()
        for what, both in texts(entry)
        for text in (both.en, both.ko)
        if by.text(text) != text
    ]
    assert taken == []
