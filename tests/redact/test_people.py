"""An e-mail address is one in every script, and ends where the sentence around it goes on."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diagnose.redact import Redactor

LOCALS = ("김민수", "kim.minsu", "홍길동.dev", "홍길동1", "müller", "jörg_k", "山田", "иван")
DOMAINS = (
    "회사.한국",
    "mail.회사.닷컴",
    "회사.co.kr",
    "bücher.de",
    "例え.jp",
    "公司.中国",
    "почта.рф",
    "xn--3e0b707e.xn--3e0b707e",
)
AROUND = (
    "{}",
    "<{}>",
    "연락처: {}",
    "메일은 {}로 보내세요",
    "({})",
    "오류: {}에서 났습니다",
    "'to': '{}', 'n': 1",
    "{}, {}",
)


@given(st.sampled_from(LOCALS), st.sampled_from(DOMAINS), st.sampled_from(AROUND))
@settings(max_examples=200)
def test_every_address_goes_in_every_script_and_the_text_around_it_stays(local: str, domain: str, around: str) -> None:
    made = Redactor().text(around.replace("{}", f"{local}@{domain}"))
    assert made == around.replace("{}", "<email-1>")


def test_a_word_of_korean_right_before_an_address_stays() -> None:
    assert Redactor().text("오류가kim@회사.한국으로 갔습니다") == "오류가<email-1>으로 갔습니다"


@pytest.mark.parametrize(
    "text",
    [
        "담당@김민수 오류가 납니다",
        "@app.route('/오류') def 함수(): @torch.inference_mode() 로 실행",
        "vllm@0.30.0 한국어, 모델@1.2.3 버전",
        "모델@설정.값 을 확인하세요",
        "오류 @ 3.5 초",
        "처리량 12개@4초. 다음",
    ],
)
def test_an_at_between_other_words_is_no_address(text: str) -> None:
    assert Redactor().text(text) == text


def test_a_host_of_another_script_goes_out_of_its_url() -> None:
    assert Redactor().text("https://kim:zq77kd82@회사.한국/simple 에서") == "https://<login-1>@<host-1>/simple 에서"
    assert Redactor().text("http://모델.회사.한국:8000/v1") == "http://<host-1>:8000/v1"


@pytest.mark.parametrize("quote", ['"{}"', "'{}'", '""{}""', "“{}”", "‘{}’", '\\"{}\\"'])
def test_a_user_behind_any_quotation_mark_goes(quote: str) -> None:
    said = f"client = Acme(user={quote}, retries=3)"
    assert Redactor().text(said.replace("{}", "minjikim")) == said.replace("{}", "<user-1>")
