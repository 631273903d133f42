"""Persons, machines and prompts go wherever tools write them; what only stands in their place stays."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diagnose.redact import Redactor, addresses
from diagnose.redact.said import is_sentence
from tests.redact.by_place import FULL_NAMES, MACHINES, NOBODY, PERSONS, PROMPTS, SAID, TELLING_MACHINES

FORMS = (
    *((form, "minjaekim") for form in PERSONS),
    *((form, name) for form in FULL_NAMES for name in ("Minjae Kim", "김민재")),
    *((form, "npurack-n17") for form in TELLING_MACHINES),
    *((form, name) for form in MACHINES for name in ("npurack-n17", "zebrasrv")),
    *((form, said) for form in PROMPTS for said in SAID),
)
NAMES = st.from_regex(r"[cghijklmpqyz][a-z]{2}kim[0-9]?", fullmatch=True)
BOXES = st.from_regex(r"zq[a-z]{2,6}-[a-z][0-9]{1,3}", fullmatch=True)


@pytest.mark.parametrize("before", ["", "(EngineCore pid=4242) ERROR 11-29 08:07:35 [core.py:1366] up\n"])
def test_every_form_loses_what_gives_somebody_away_and_stays_so(before: str) -> None:
    for form, secret in FORMS:
        made = Redactor().text(f"{before}{form.format(*[secret] * form.count('{}'))}\nValueError: 12 blocks")
        assert secret not in made, form
        assert made.endswith("\nValueError: 12 blocks"), form
        assert Redactor().text(made) == made, form


@pytest.mark.parametrize("text", NOBODY)
def test_what_stands_in_the_same_place_and_names_nobody_stays(text: str) -> None:
    assert Redactor().text(text) == text


@given(NAMES, st.sampled_from(PERSONS))
@settings(max_examples=150)
def test_every_name_goes(name: str, form: str) -> None:
    assert name not in Redactor().text(form.format(*[name] * form.count("{}")))


@given(BOXES, st.sampled_from((*MACHINES, *TELLING_MACHINES)))
@settings(max_examples=150)
def test_every_machine_goes(box: str, form: str) -> None:
    assert box not in Redactor().text(form.format(*[box] * form.count("{}")))


def test_every_element_of_a_list_of_hosts_goes_but_what_is_public() -> None:
    made = Redactor().text("NO_PROXY=npusrv,localhost,huggingface.co,zebrabox")
    assert made == "NO_PROXY=<host-1>,localhost,huggingface.co,<host-2>"


@given(st.lists(st.ip_addresses(v=4).filter(lambda a: a.is_global), min_size=2, max_size=80, unique=True))
@settings(max_examples=30)
def test_every_address_of_a_list_goes(found: list[Any]) -> None:
    made = Redactor().text("X-Forwarded-For: " + ", ".join(map(str, found)))
    assert re.fullmatch(r"X-Forwarded-For: (?:<ip-\d+>(?:, |$))+", made)


@pytest.mark.parametrize("count", [10, 40, 160])
def test_an_address_of_a_list_looks_back_at_a_few_others_however_long_it_is(
    count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[str] = []

    class Counting:
        def search(self, text: str) -> Any:
            looked.append(text)
            return real.search(text)

    real = addresses._OTHER
    monkeypatch.setattr(addresses, "_OTHER", Counting())
    text = ", ".join(f"10.1.{number}.3" for number in range(count))
    for found in re.finditer(r"[\d.]+", text):
        assert addresses._is_v4(found)
    assert len(looked) <= count * addresses.MOST_OTHERS
    assert max(map(len, looked)) <= addresses._BEFORE


@pytest.mark.parametrize("extra", [0, 1])
def test_of_a_list_of_versions_so_many_are_looked_past_and_no_more(extra: int) -> None:
    others = ", ".join(f"1.2.3.{number}" for number in range(addresses.MOST_OTHERS + extra))
    made = Redactor().text(f"versions {others}, 1.2.4.1")
    assert made.endswith("1.2.4.1") == (not extra)


@pytest.mark.parametrize("text", ["Only one block size is supported for now", "a b c", "loaded 3 of 4 parts of it"])
def test_what_a_program_says_or_is_too_short_is_no_sentence_of_a_person(text: str) -> None:
    assert not is_sentence(f"'{text}'") or not Redactor().text(f"text: '{text}'").endswith(">")


def test_what_a_person_says_is_a_sentence() -> None:
    assert all(map(is_sentence, SAID))
