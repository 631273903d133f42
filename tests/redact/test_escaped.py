"""A secret is found whatever escaped the signs around it on its way, and what stands beside it stays."""

from __future__ import annotations

import csv
import html
import io
import json
from collections.abc import Callable
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose.redact import Redactor
from diagnose.redact.escaped import MAX_LAYERS, unescaped

SECRET = "hunterzebra99"


def _in_table(text: str) -> str:
    out = io.StringIO()
    csv.writer(out, quoting=csv.QUOTE_ALL).writerow(["2026-11-29", text])
    return out.getvalue()


def _markdown(text: str) -> str:
    return "".join("\\" + c if c in "_*`[]<>~" else c for c in text)


ESCAPES: dict[str, Callable[[str], str]] = {
    "JSON in JSON": lambda text: json.dumps({"log": text}),
    "JSON in a list": lambda text: json.dumps([text]),
    "table": _in_table,
    "HTML": html.escape,
    "Markdown": _markdown,
    "URL": lambda text: quote(text, safe="/ "),
    "nothing": lambda text: text,
}
FORMS = (
    {"password": SECRET},
    {"api_key": SECRET, "port": 8000},
    {"user": "root", "HF_TOKEN": SECRET},
    {"hostname": SECRET},
    {"args": ["serve", "--api-key", SECRET]},
    {"args": ["serve", f"--api-key={SECRET}"]},
)


@pytest.mark.parametrize("inner", ESCAPES)
@pytest.mark.parametrize("outer", ESCAPES)
def test_every_secret_goes_however_often_it_was_escaped(inner: str, outer: str) -> None:
    for form in FORMS:
        text = ESCAPES[outer](ESCAPES[inner](json.dumps(form)))
        made = Redactor().text(text)
        assert SECRET not in made, (form, text)
        assert Redactor().text(made) == made


@pytest.mark.parametrize(("more", "is_found"), [(0, True), (1, False)])
def test_escapes_within_escapes_are_undone_up_to_a_depth(more: int, is_found: bool) -> None:
    text = json.dumps({"password": SECRET})
    for _ in range(MAX_LAYERS + more):
        text = quote(text, safe="/ ")
    assert (SECRET not in Redactor().text(text)) is is_found


@pytest.mark.parametrize(
    "text",
    [
        "args:\n  - --api-key\n  - hunterzebra99\n  - --port\n  - '8000'",
        "Popen(['vllm', 'serve', 'm', '--api-key', 'hunterzebra99'])",
        "api_key=['aaaa1111', 'hunterzebra99']",
        "('api_key', 'hunterzebra99')",
        '"Cmd": ["serve", "--hf-token","hunterzebra99","--port","8000"]',
    ],
)
def test_an_element_of_a_list_behind_its_name_is_one(text: str) -> None:
    made = Redactor().text(text)
    assert "hunterzebra99" not in made
    assert ("8000" in made) == ("8000" in text)


@pytest.mark.parametrize(
    "text",
    [
        'fields = ["username", "password", "email"]',
        'x = {"a": "", "b": 12}',
        '"{""app"":""vllm""}","2026-11-29 08:07:35.002","ValueError: 12 blocks"',
        r"path C:\_work\[a]\x",
        "100% of 2% is 25%",
    ],
)
def test_what_holds_no_secret_stays(text: str) -> None:
    assert Redactor().text(text) == text


_pieces = st.lists(
    st.sampled_from(["a", "b12", " ", ":", ",", "{", '"', "'", r"\"", r"\\\"", "&quot;", "&#39;", "%22", r"\_", '""'])
)


@given(_pieces)
def test_any_letter_of_a_text_without_its_escapes_is_where_it_was(pieces: list[str]) -> None:
    text = "".join(pieces)
    plain = unescaped(text)
    if plain is None:
        return
    assert len(plain.text) < len(text)
    for place, character in enumerate(plain.text):
        start, end = plain.span(place, place + 1)
        assert 0 <= start < end <= len(text)
        if character.isalnum():
            assert text[start:end] == character


@pytest.mark.parametrize(
    "line",
    [
        "_HOSTNAME=npubox7",
        '{"_HOSTNAME" : "npubox7", "MESSAGE": "boom"}',
        "<14>1 2026-11-29T03:12:43.123456Z npubox7 vllm 4242 - - boom",
        "<30>Nov 29 01:02:03 npubox7 vllm[3]: boom",
        "[  123.456789] npubox7 vllm[4242]: boom",
        "[  123.456789] npubox7 kernel: boom",
        "Tue 2026-11-24 10:00:01 KST npubox7 vllm[4242]: boom",
        "1732422001.123456 npubox7 vllm[4242]: boom",
        '{"host.name":"npubox7","message":"boom"}',
        '{"host": {"name": "npubox7"}, "message": "boom"}',
        '"2026-11-29T08:07:35.002Z","npubox7","vllm","boom"',
        "agent_hostname=npubox7 boom",
    ],
)
def test_the_machine_goes_from_every_prefix_and_field_of_a_collector(line: str) -> None:
    made = Redactor().text(f"first\n{line}\nlast")
    assert "npubox7" not in made
    assert ("boom" in made) == ("boom" in line)


@pytest.mark.parametrize("escape", [lambda t: html.escape(t), lambda t: html.escape(t).replace("&#x27;", "&#39;")])
def test_what_a_page_holds_is_hidden_as_if_nothing_were_written_as_entities(escape: Callable[[str], str]) -> None:
    text = (
        "boom: ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQDplum minji, npu node npu-prod-03 card 4111 1111 1111 1111 "
        "prompt: 'My number is one and my diagnosis is diabetes', params: SamplingParams(n=1), \"max_seq_len\": 262144"
    )
    written = escape(text).replace(" ", "&nbsp;")
    assert html.unescape(Redactor().text(written)).replace("\xa0", " ") == Redactor().text(text)
