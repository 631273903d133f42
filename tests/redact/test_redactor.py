"""Secrets become aliases; what a diagnosis needs stays; both whatever stands around them."""

from __future__ import annotations

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from diagnose.redact import Redactor, Surroundings, surroundings
from diagnose.redact.redactor import ALIAS, KINDS, LEFT_OUT, MAX_LEARNED, RULES, unnumbered
from diagnose.redact.sources import source_name
from tests.redact.planted import HARMLESS, KEY_LINES, SECRETS

AROUND = st.text(alphabet=st.characters(codec="utf-8", exclude_categories=("Cs",)), max_size=60)


@pytest.mark.parametrize("name", sorted(SECRETS))
@pytest.mark.parametrize("frame", ["{}", "failed: {} (see above)", "x\n{}\ny", "['{}', 1]", "오류 {} 입니다"])
def test_a_secret_becomes_an_alias(name: str, frame: str) -> None:
    planted = SECRETS[name]
    made = Redactor().text(frame.format(planted.text))
    assert planted.secret not in made
    assert ALIAS.search(made)


@pytest.mark.parametrize("text", HARMLESS)
def test_what_a_diagnosis_needs_stays(text: str) -> None:
    assert Redactor().text(text) == text


@given(AROUND, AROUND, st.sampled_from(sorted(SECRETS)))
@settings(max_examples=300)
def test_masking_twice_is_masking_once(before: str, after: str, name: str) -> None:
    once = Redactor().text(f"{before} {SECRETS[name].text} {after}")
    assert Redactor().text(once) == once


@given(st.lists(st.sampled_from(sorted(SECRETS)), max_size=6))
@settings(max_examples=100)
def test_the_same_texts_give_the_same_aliases(names: list[str]) -> None:
    texts = [SECRETS[name].text for name in names]
    one, two = Redactor(), Redactor()
    assert [one.text(t) for t in texts] == [two.text(t) for t in texts]


def test_the_same_secret_has_one_alias_within_a_document() -> None:
    by = Redactor()
    assert by.text("from 10.1.1.1 to 10.1.1.2") == "from <ip-1> to <ip-2>"
    assert by.text("again 10.1.1.2") == "again <ip-2>"
    assert Redactor().text("again 10.1.1.2") == "again <ip-1>"


def test_the_path_below_a_home_stays_and_the_own_home_is_the_first() -> None:
    by = Redactor(Surroundings(home="/home/own"))
    assert by.text("/home/kim/models/a and /home/own/b") == "<home-2>/models/a and <home>/b"


def test_a_home_elsewhere_is_known_from_the_environment() -> None:
    by = Redactor(surroundings({"HOME": "/data/people/minjae"}, "npu-rack7"))
    assert by.text("/data/people/minjae/x on npu-rack7") == "<home>/x on <host-1>"


def test_a_password_is_one_also_without_its_name() -> None:
    by = Redactor()
    assert by.text("login(password='k1mchi-99')") == "login(password='<secret-1>')"
    assert by.text("access denied for k1mchi-99") == "access denied for <secret-1>"


def test_a_common_word_is_not_looked_for_everywhere() -> None:
    by = Redactor()
    by.text("password=password")
    assert by.text("the password is wrong") == "the password is wrong"


def test_what_is_looked_for_everywhere_is_bounded() -> None:
    by = Redactor()
    for number in range(MAX_LEARNED + 50):
        by.text(f"password=secret-{number:06d}")
    assert by.learned == MAX_LEARNED


def test_spans_move_along_and_those_of_a_secret_hold_its_alias() -> None:
    text = "10.1.1.1 has 17 blocks for 10.1.1.2"
    made, spans = Redactor().spans(text, [(13, 15), (27, 35), (0, 8)])
    assert [made[a:b] for a, b in spans] == ["17", "<ip-2>", "<ip-1>"]


@pytest.mark.parametrize(
    "text",
    [
        f"-----BEGIN PRIVATE KEY-----\n{KEY_LINES[0]}\n{KEY_LINES[1]}\nabc=\n-----END PRIVATE KEY-----",
        f"-----BEGIN PRIVATE KEY-----\n{KEY_LINES[0]}\n{KEY_LINES[1]}",
        f"{KEY_LINES[0]}\n{KEY_LINES[1]}\n-----END PRIVATE KEY-----",
        f"t stdout F -----BEGIN PRIVATE KEY-----\nt stdout F {KEY_LINES[0]}\nt stdout F {KEY_LINES[1]}",
    ],
    ids=["whole", "no end", "no begin", "a prefix on every line"],
)
def test_a_private_key_goes_however_it_was_cut(text: str) -> None:
    made = Redactor().text(text)
    assert KEY_LINES[0] not in made
    assert KEY_LINES[1] not in made


def test_the_mention_of_a_key_takes_nothing_else_away() -> None:
    text = "no -----BEGIN RSA PRIVATE KEY----- found\nValueError: 12 blocks"
    assert Redactor().text(text).endswith("found\nValueError: 12 blocks")


def test_a_prompt_ends_where_its_literal_ends() -> None:
    line = (
        "Received request cmpl-1: prompt: 'it\\'s secret', params: SamplingParams(max_tokens=512), lora_request: None."
    )
    assert Redactor().text(line) == (
        "Received request cmpl-1: prompt: <prompt-1>, params: SamplingParams(max_tokens=512), lora_request: None."
    )


def test_a_prompt_that_is_no_literal_takes_the_rest_of_its_line() -> None:
    assert Redactor().text("prompt: 'it's secret', params: x\nnext") == "prompt: <prompt-1>\nnext"


def test_a_text_that_takes_too_long_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    class Slow:
        def finditer(self, text: str, *, timeout: float) -> object:
            raise TimeoutError

    monkeypatch.setattr("diagnose.redact.redactor._compiled", lambda pattern: Slow())
    assert Redactor().text("a text of some length: 10.1.1.1") == LEFT_OUT


ANNOYING = (
    *(
        "a" * 20_000,
        "a." * 10_000,
        "a-" * 10_000,
        "1" * 20_000,
        "1." * 10_000,
        "1-" * 10_000,
        ":" * 20_000,
        "a:" * 10_000,
    ),
    *(
        "password=" * 2_333,
        "prompt: '" * 2_333,
        "--token " * 2_666,
        "\\" * 20_000,
        "'" * 20_000,
        "://a" * 5_000,
        "a@" * 10_000,
    ),
    *(
        "<|im_start|>" * 1_666,
        "-----BEGIN PRIVATE KEY-----" * 666,
        "/home/" * 3_333,
        "ab:" * 6_666,
        " " * 20_000,
        "+1 " * 6_666,
    ),
    *(
        "cookie: a" * 2_333,
        "eyJ" * 6_666,
        "user=" * 4_000,
        "A+" * 10_000,
        "host " * 4_000,
        'content: \\"' * 1_666,
        "\n" * 20_000,
    ),
    *("ab://u:p/" * 2_222, "ab://u:" + "p/@h" * 5_000, "가@" * 10_000, "a@가." * 5_000, "ü" * 20_000, "가." * 10_000),
    *('password "a ' * 1_666, "암호 '가" * 4_000),
)


@pytest.mark.parametrize("number", range(len(RULES)))
def test_no_rule_is_slow_on_any_annoying_text(number: int) -> None:
    pattern = regex.compile(RULES[number].pattern)
    for text in ANNOYING:
        list(pattern.finditer(text, timeout=20))


def test_every_kind_of_alias_has_a_case() -> None:
    made = [Redactor().text(planted.text) for planted in SECRETS.values()]
    assert [kind for kind in sorted(KINDS) if not any(f"<{kind}" in text for text in made)] == []
    assert len(SECRETS) >= 25


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.kind)
def test_an_alias_is_one_for_every_kind(rule: object) -> None:
    kind = rule.kind  # type: ignore[attr-defined]
    assert ALIAS.fullmatch(f"<{kind}-12>")
    assert unnumbered(f"a <{kind}-12>") == f"a <{kind}>"
    assert Redactor().text(f"x <{kind}-12> y") == f"x <{kind}-12> y"


# ---------------------------------------------------------------- names of logs and machines


@pytest.mark.parametrize("before", ["> ", ">> ", "> > ", "a>\n", "version\n"])
def test_an_address_that_begins_a_line_is_no_version(before: str) -> None:
    assert Redactor().text(f"{before}10.21.32.44 refused") == f"{before}<ip-1> refused"


def test_two_logs_stay_two_and_the_own_home_needs_no_more() -> None:
    about = Surroundings(home="/home/own")
    assert source_name("/var/log/vllm.log", about) == "/var/log/vllm.log"
    assert source_name("/home/own/vllm.log", about) == "<home>/vllm.log"
    kim, lee = source_name("/home/kim/vllm.log", about), source_name("/home/lee/vllm.log", about)
    assert kim != lee
    assert kim.startswith("<home-2>/vllm.log#")
    assert kim == source_name("/home/kim/vllm.log", about)


def test_a_machine_has_the_name_its_owner_gave_it_or_an_alias() -> None:
    assert surroundings({}, "npu-rack7").machine == surroundings({}, "npu-rack7").machine != "npu-rack7"
    assert surroundings({"RBLN_DIAGNOSE_HOST": "lab 3"}, "npu-rack7").machine == "lab 3"
    assert surroundings({}, "").machine == ""
