"""Values as a person reads them."""

from __future__ import annotations

import pytest

from diagnose.model import Lang, RunContext
from diagnose.report.values import versions_named

RANGE = RunContext(
    versions={"optimum_rbln_max": "0.9.2", "vllm": "0.22.0", "vllm_rbln_max": "0.11.1", "vllm_rbln_min": "0.11.0"},
    inferred=("optimum_rbln_max", "vllm_rbln_max", "vllm_rbln_min"),
)


@pytest.mark.parametrize(
    ("lang", "shown"),
    [
        ("en", ["optimum-rbln up to 0.9.2 (inferred)", "vllm 0.22.0", "vllm-rbln 0.11.0–0.11.1 (inferred)"]),
        ("ko", ["optimum-rbln 0.9.2 이하(추정)", "vllm 0.22.0", "vllm-rbln 0.11.0–0.11.1(추정)"]),
    ],
)
def test_a_range_is_one_version_and_what_nothing_states_is_marked(lang: Lang, shown: list[str]) -> None:
    assert list(versions_named(RANGE, lang)) == shown


def test_a_range_needs_no_sign_a_stream_does_not_have() -> None:
    assert "vllm-rbln 0.11.0-0.11.1 (inferred)" in list(versions_named(RANGE, "en", "-"))
