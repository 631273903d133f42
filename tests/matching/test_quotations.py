"""What stands in quotation marks in a message is spoken of, unless the message hands another one on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose import diagnose_bytes
from diagnose.matching.quotations import FARTHEST, is_handed_on, is_of_a_person, quoted

OOM = "RBLNCompileError: DRAM OOM: requested 39163045120 bytes, capacity 38654705664 bytes"
BUSY = "RuntimeError: SYS_EBUSY: Lack of device memory. (code: -16)"
UP = "(APIServer pid=4) INFO:     Application startup complete.\n"
ERROR = "(APIServer pid=4) ERROR 11-29 09:18:02 [serving_chat.py:200] "
OK = '(APIServer pid=4) INFO:     127.0.0.1:50 - "POST /v1/chat/completions HTTP/1.1" 200 OK\n'


@pytest.mark.parametrize(
    "message",
    [
        f"jinja2.exceptions.TemplateError: Conversation roles must alternate. user: 'Why {OOM}?'",
        f'json.decoder.JSONDecodeError: Expecting value: line 1 column 1: \'{{"cmd": "{BUSY}"}}\'',
        f"pydantic_core._pydantic_core.ValidationError: 1 error\n{ERROR}  bad [input_value='I got {OOM}', x=dict]",
        f"fastapi.exceptions.RequestValidationError: [{{'msg': 'no string', 'input': {{'text': \"{BUSY}\"}}}}]",
    ],
    ids=["template", "tool call", "pydantic", "fastapi"],
)
def test_text_of_a_request_in_an_exception_of_another_kind_is_not_the_failure(message: str) -> None:
    found = diagnose_bytes(f"{UP}{ERROR}{message}\n{OK}".encode())
    assert (found.outcome, found.findings) == ("unknown", ())
    assert len(found.unknown) == 1


@pytest.mark.parametrize(
    "message",
    [
        f"RuntimeError: Worker failed with error '{BUSY}', please check the stack trace above",
        f'RuntimeError: ("{BUSY}", "see above")',
        f"ray.exceptions.RayTaskError(RuntimeError): RuntimeError('{BUSY}')",
        f"openai.InternalServerError: Error code: 500 - {{'error': {{'message': '{BUSY}'}}}}",
    ],
    ids=["worker", "tuple", "ray", "response"],
)
def test_a_message_that_hands_on_another_ones_counts(message: str) -> None:
    found = diagnose_bytes(f"{ERROR}{message}\n".encode())
    assert [f.entry for f in found.findings] == ["runtime.create-failed"]


def test_a_record_of_information_that_quotes_a_person_says_nothing_about_the_run() -> None:
    text = f'2026-11-29 10:00:01 WARNING app: bad question: "I get {BUSY}, why?"\n2026-11-29 10:00:03 INFO app: done\n'
    found = diagnose_bytes(text.encode())
    assert (found.outcome, found.findings, found.notes) == ("healthy", (), ())


@pytest.mark.parametrize("text", ["can't find X", "users' X", "it is 5' X", '"a" and X', "'a' \"b\" X", "an 'open X"])
def test_what_is_not_inside_of_a_closed_pair_is_not_quoted(text: str) -> None:
    assert quoted(text, text.index("X")) is None


@given(st.text("ab '\"“”(:=", max_size=30), st.text("ab '\"“”", max_size=10))
def test_the_lead_of_a_quotation_ends_at_a_mark_in_front_of_the_place(before: str, after: str) -> None:
    lead = quoted(f"{before}X{after}", len(before))
    if lead is not None:
        assert before.startswith(lead)
        assert before[len(lead)] in "'\"“"


def test_a_mark_farther_away_than_the_limit_opens_nothing() -> None:
    text = f"'{'a ' * FARTHEST}X'"
    assert quoted(text, text.index("X")) is None
    assert quoted(text[FARTHEST + 100 :].replace("a", "'a", 1), 5) is not None


@pytest.mark.parametrize(
    ("lead", "handed", "person"),
    [
        ("Worker failed with error ", True, False),
        ("E: {'error': {'message': ", True, False),
        ("KeyError: ", True, False),
        ("X: ('one', ", True, False),
        ("TemplateError: roles. user: ", False, True),
        ("x [input_value=", False, True),
        ('{"role": "user", "content": ', False, True),
        ("the name ", False, False),
    ],
)
def test_the_words_in_front_tell_whose_text_it_is(lead: str, handed: bool, person: bool) -> None:
    assert (is_handed_on(lead), is_of_a_person(lead)) == (handed, person)
