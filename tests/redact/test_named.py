"""A password goes as a whole, also with the signs of a URL in it; what only looks like one stays."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diagnose.redact import Redactor

_SIGNS = st.from_regex(r"[a-z]{1,6}[@/][a-z0-9]{1,6}[@/][a-z0-9]{1,6}", fullmatch=True)


@given(
    _SIGNS.filter(lambda password: "/" in password),
    st.sampled_from(
        ["rebel.example.kr/simple", "npu17:8000/x", "10.20.30.40:6379/0", "localhost/x", "회사.한국/simple"]
    ),
    st.sampled_from(["{}", "PIP_INDEX_URL={}", "['{}']", "오류 {} 에서"]),
)
@settings(max_examples=150)
def test_every_password_with_the_signs_of_a_url_goes_to_its_last_letter(password: str, host: str, frame: str) -> None:
    made = Redactor().text(frame.format(f"https://zebrauser:{password}@{host}"))
    assert made.partition("https://")[2].startswith("<login-1>@")
    assert made.count("@") == 1


def test_a_password_with_an_at_and_a_slash_leaves_nothing() -> None:
    made = Redactor().text("https://rbluser55:p@ss/w0rd1@pypi.rbln.ai/simple")
    assert made == "https://<login-1>@pypi.rbln.ai/simple"


def test_the_host_behind_a_login_goes_when_the_login_went_before() -> None:
    assert Redactor().text("https://<login-1>@zebracorp/simple") == "https://<login-1>@<host-1>/simple"


@pytest.mark.parametrize(
    "text",
    [
        "http://localhost:8000/path@example.com/x",
        "http://localhost:8000/v1/@scope/pkg@1.2.3",
        "git+https://github.com/rebellions-sw/vllm-rbln@v0.11.0",
        "https://huggingface.co/Qwen/Qwen3-8B@main",
        "http://{}:{}/a@example.com/",
        "http://$HOST:$PORT/a@example.com/",
        "user@host:path and build@1.2.3/x, @app.route('/v1')",
    ],
)
def test_a_path_with_an_at_is_no_password(text: str) -> None:
    assert Redactor().text(text) == text


def test_a_path_behind_a_well_known_host_stays() -> None:
    made = Redactor().text("git+https://kim:tok12345@github.com/org/repo@next.rc")
    assert made == "git+https://<login-1>@github.com/org/repo@next.rc"
