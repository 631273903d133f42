"""A secret that one line of a log names is hidden on every other line of it, in the diagnosis and in the report."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import diagnose
from diagnose.bundle.making import Given, make
from diagnose.redact import Redactor, Surroundings, redacted

FIXTURE = Path(__file__).parents[2] / "fixtures" / "kv-insufficient-vllm.log"
SECRET = "kQ7planted9x8w7"
PLAIN = FIXTURE.read_text("utf-8").replace(
    "Insufficient memory for", f"Insufficient memory, client {SECRET} waits, for"
)
NAMED = "non-default args: {"


@pytest.mark.parametrize(
    "log",
    [
        f"+ vllm serve m --api-key {SECRET} --port 8000\n{PLAIN}",
        PLAIN.replace(NAMED, f"{NAMED}'hf_token': '{SECRET}', "),
    ],
    ids=["command", "non-default args"],
)
def test_a_secret_of_a_line_that_is_not_shown_is_hidden_on_those_that_are(log: str) -> None:
    found = diagnose.diagnose_bytes(log.encode())
    shown = redacted(found, Redactor(Surroundings()))
    assert SECRET in str(found.run.told)
    assert SECRET not in str(shown)
    assert shown.run.told == ()
    assert "told" not in json.dumps(found.to_dict()["run"])
    bundle = make(lambda: [log.encode()], Given(), Surroundings())
    assert SECRET not in bundle.excerpt
    assert SECRET not in str(bundle.diagnosis)


def test_a_log_that_names_no_secret_keeps_none_of_its_lines() -> None:
    assert diagnose.diagnose_path(FIXTURE).run.told == ()
