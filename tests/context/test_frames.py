"""What the frames of a traceback give away: the configuration in the call that failed."""

from __future__ import annotations

import pytest

from diagnose import diagnose_bytes
from diagnose.records.limits import MAX_SOURCE_CHARS

CALL = """model = RBLNLlamaForCausalLM.from_pretrained("m", rbln_config={"device": [0, 1, 2], "num_devices": 6})"""


def traceback(source: str, file: str = "/home/user/work/run.py") -> bytes:
    return f"""Traceback (most recent call last):
  File "{file}", line 22, in <module>
    {source}
  File "/opt/venv/lib/python3.11/site-packages/optimum/rbln/modeling_base.py", line 512, in from_pretrained
    rbln_config = cls.get_config(rbln_config={{"num_devices": 9}})
ValueError: The number of devices (3) does not match `num_devices` (6).
""".encode()


def test_a_configuration_in_the_call_is_in_force_and_what_changes_has_its_old_value() -> None:
    found = diagnose_bytes(traceback(CALL))
    assert found.run.config["num_devices"].value == 6
    (change,) = found.findings[0].remedies[0].changes
    assert (change.parameter, change.from_, change.to) == ("device", [0, 1, 2], [0, 1, 2, 3, 4, 5])


@pytest.mark.parametrize(
    "data",
    [
        traceback(CALL, "/opt/venv/lib/python3.11/site-packages/serving/run.py"),
        traceback(CALL.replace("num_devices", "x" * MAX_SOURCE_CHARS)),
        traceback("model = RBLNLlamaForCausalLM.from_pretrained(path, rbln_config=config)"),
        traceback('model = RBLNLlamaForCausalLM.from_pretrained(path, rbln_config={"device": devices})'),
        traceback('model = RBLNLlamaForCausalLM.from_pretrained(path, rbln_config={"device": {0, 1}})'),
        traceback('model = RBLNLlamaForCausalLM.from_pretrained(path, rbln_config={"num_devices": 2 ** 3})'),
        traceback('model = RBLNLlamaForCausalLM.from_pretrained(path, rbln_config={"device": [0, **})'),
    ],
    ids=["of a library", "cut off", "a name", "a value that is computed", "a set", "a power", "no Python"],
)
def test_what_is_no_literal_of_the_person_is_not_in_force(data: bytes) -> None:
    assert not {"device", "num_devices"} & diagnose_bytes(data).run.config.keys()
