"""The JSON is the contract's."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from importlib import resources
from typing import Any

import pytest
from hypothesis import given, settings
from jsonschema import Draft202012Validator

from diagnose.model import Diagnosis
from diagnose.report import render
from tests.report.samples import KV, SAMPLES
from tests.report.strategies import diagnoses


@lru_cache
def validator() -> Draft202012Validator:
    schema = json.loads(resources.files("diagnose.report").joinpath("schema.json").read_text("utf-8"))
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_is_valid(name: str) -> None:
    validator().validate(SAMPLES[name].to_dict())


@given(diagnoses)
@settings(max_examples=40)
def test_any_diagnosis_is_valid_and_survives_a_round_trip(diagnosis: Diagnosis) -> None:
    found = diagnosis.to_dict()
    validator().validate(found)
    text = render(diagnosis, "json", "ko")
    assert json.loads(text) == found
    text.encode()  # no lone surrogate is left


def test_the_keys_stand_in_the_order_of_the_contract() -> None:
    found = KV.to_dict()
    assert list(found) == [
        "schema", "tool", "input", "outcome", "run", "findings", "notes", "unknown"
    ]  # fmt: skip
    assert list(found["findings"][0]) == [
        "entry", "domain", "role", "severity", "line", "offset", "count", "process", "time", "text",
        "numbers", "title", "cause", "remedies", "consequences", "recovered",
    ]  # fmt: skip


def test_a_change_says_from_and_to() -> None:
    change = KV.to_dict()["findings"][0]["remedies"][0]["changes"][0]
    assert change == {"parameter": "max_seq_len", "scope": "rbln_config", "from": 262144, "to": 180224}


def test_a_setting_says_where_it_was_read() -> None:
    config = KV.to_dict()["run"]["config"]
    assert config["max_seq_len"] == {"value": 262144, "line": 3, "from": "non-default args"}


def test_a_consequence_is_its_entry_and_line() -> None:
    assert KV.to_dict()["findings"][0]["consequences"][0] == {"entry": "engine.init-failed", "line": 871}


def test_hangul_is_written_as_it_is() -> None:
    assert "디바이스 메모리에" in render(KV, "json", "en")


def objects(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, dict):
        yield path
        for key, item in value.items():
            yield from objects(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from objects(item, (*path, index))


OPEN = {"versions", "config", "numbers", "commands", "value"}
"""Objects whose keys are data."""


def test_the_schema_refuses_a_key_it_does_not_know_everywhere() -> None:
    for path in objects(KV.to_dict()):
        if path and path[-1] in OPEN:
            continue
        broken = json.loads(json.dumps(KV.to_dict()))
        place = broken
        for step in path:
            place = place[step]
        place["surprise"] = 1
        assert not validator().is_valid(broken), path


@pytest.mark.parametrize("key", ["schema", "tool", "findings", "notes", "unknown", "run", "outcome"])
def test_the_schema_refuses_a_report_without(key: str) -> None:
    found = KV.to_dict()
    del found[key]
    assert not validator().is_valid(found)
