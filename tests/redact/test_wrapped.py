"""The rest of a credential that a terminal broke, where no other row tells the width."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from diagnose.redact import Redactor

BEFORE = {
    "export HF_TOKEN=": "hf_QwErTyUiOpAsDfGhJkLzXcVbNm12345678",
    "Authorization: Bearer ": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJlc2ln",
    "wandb: logged in with WANDB_API_KEY=": "0123456789abcdef0123456789abcdef01234567",
}


def _is_no_word(rest: str) -> bool:
    return len(rest) > 7 and "." not in rest and not rest.isalpha() and not rest.isdigit()


@given(
    st.sampled_from(sorted(BEFORE)),
    st.integers(14, 36),
    st.integers(0, 60),
    st.sampled_from(["", " ok", '"', "\nnext line"]),
)
def test_the_rest_of_any_credential_goes_with_it_wherever_it_was_broken(
    before: str, cut: int, dots: int, behind: str
) -> None:
    secret = BEFORE[before]
    rest = secret[cut:]
    # What is all letters or all digits is masked where nothing else stands in its line: it may be a word.
    assume(behind[:1] in ("", "\n") or _is_no_word(rest))
    text = f"{'.' * dots} {before}{secret[:cut]}\n{rest}{behind}"
    shown = Redactor().text(text)
    assert rest not in shown and secret[:cut] not in shown
    assert shown.count("\n") == text.count("\n")
    assert shown.endswith(behind)
    assert Redactor().text(shown) == shown


@pytest.mark.parametrize(
    "next_line",
    [
        "RBLN_NPU_DEVICES=0,1",
        "vllm-1  | - b: 1",
        "rbln0 | 1.3.73",
        "rbln0",
        "  image: vllm-rbln:0.12",
        "ValueError: The number of devices (3) does not match `num_devices` (6).",
        "INFO 11-30 09:12:01 [loader.py:44] Loading weights took 12.3 seconds",
        "Loading weights took 12.3 seconds",
    ],
)
def test_a_line_of_its_own_behind_a_credential_stays(next_line: str) -> None:
    shown = Redactor().text(f"export HF_TOKEN=hf_QwErTyUiOpAsDfGhJkLzXcVbNm12345678\n{next_line}")
    assert shown.split("\n")[1] == next_line


@pytest.mark.parametrize("width", [40, 60, 79])
def test_what_was_broken_after_so_many_characters_is_whole_again_beside_wide_ones(width: int) -> None:
    lines = ["2026-11-30 09:12:01 모델을 불러오는 중입니다. 시간이 조금 걸릴 수 있으니 기다려 주세요, 곧 끝납니다 " * 2]
    lines += [
        f"2026-11-30 09:12:02 loaded the weights of {'the model and ' * 6}",
        "Bearer " + BEFORE["Authorization: Bearer "],
    ]
    text = "\n".join(line[at : at + width] for line in lines for at in range(0, len(line), width))
    shown = Redactor().text(text)
    assert "0In0" not in shown and "c2ln" not in shown
    assert "곧 끝납니다" in shown.replace("\n", "")


@pytest.mark.parametrize("blank", ["\u00a0", "\u202f", "\u2003", "\u3000"])
def test_another_blank_is_one(blank: str) -> None:
    shown = Redactor().text("vllm serve Qwen/Qwen3-8B --api-key my-private-serve-key-42".replace(" ", blank))
    assert shown == "vllm serve Qwen/Qwen3-8B --api-key <secret-1>".replace(" ", blank)
