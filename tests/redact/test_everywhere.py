"""Who and where, once a line gave it away, is hidden on every other; what could be a word or a part of a name stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose.context.sets import parse_set
from diagnose.model import InputError
from diagnose.redact import Redactor
from diagnose.redact.redactor import MAX_KNOWN
from tests.context.log_kit import parameters


@given(
    st.sampled_from(["/home/{}/models", "user={}", "{}@npu-n17:~$ ls", "/data/users/{}/x"]),
    st.from_regex(r"[a-z]{4,8}(?:[.-][a-z]{2,8}|[0-9]{2})", fullmatch=True),
    st.sampled_from(["started by {} today", "user {} at 12", "({})"]),
)
def test_every_person_that_a_line_gives_away_is_hidden_on_the_others(given: str, name: str, said: str) -> None:
    by = Redactor()
    by.text(given.format(name))
    assert name not in by.text(f"RuntimeError: custom failure, {said.format(name)}")


def test_a_machine_that_a_prompt_gives_away_is_hidden_in_a_message() -> None:
    by = Redactor()
    by.text("alice@npu-node-17:~$ ls")
    assert by.text("user is at npu-node-17 now") == "user is at <host-1> now"


@pytest.mark.parametrize("said", ["run by alice here", "the engine and model", "kim1"])
def test_what_could_be_a_word_is_looked_for_nowhere(said: str) -> None:
    by = Redactor()
    by.text("/home/alice/x alice@engine:~$ user=model /home/kim1/x")
    assert by.text(said) == said


@pytest.mark.parametrize(
    "said", ["Qwen/qwen3-32b", "/models/qwen3-32b/x", "qwen3-32b-instruct", "qwen3-32b.json", "qwen3-32b=1"]
)
def test_a_part_of_a_longer_name_stays(said: str) -> None:
    by = Redactor()
    by.text("GET http://qwen3-32b:8000/v1")
    assert by.text(f"model {said}") == f"model {said}"


def test_the_names_of_our_own_parameters_are_nobodys_in_our_own_error() -> None:
    with pytest.raises(InputError) as caught:
        parse_set("x=1", parameters())
    for said in (caught.value.message.en, caught.value.message.ko):
        assert Redactor().text(said) == said


def test_who_is_looked_for_everywhere_is_bounded() -> None:
    by = Redactor()
    for number in range(MAX_KNOWN + 20):
        by.text(f"user=kim.{number:06d}")
    assert by.learned == MAX_KNOWN


def test_a_person_in_charge_goes_without_a_sign_before_the_name() -> None:
    assert Redactor().text("담당자 홍길동 (팀)") == "담당자 <user-1> (팀)"
    assert Redactor().text("담당자 정보를 확인하세요") == "담당자 정보를 확인하세요"


def test_a_prompt_over_several_lines_goes_to_its_last_one_and_takes_no_line_of_a_program() -> None:
    assert Redactor().text('prompt="sum up Lee\nsalary of zebra\nend"\nnext') == "prompt=<prompt-1>\n\n\nnext"
    assert Redactor().text('prompt="sum up what\nValueError: "12" blocks').endswith('\nValueError: "12" blocks')


@pytest.mark.parametrize("given", ["/home/minjikim/models", 'user="minjikim"', "/data/users/minjikim/x"])
def test_a_person_whose_name_could_be_a_word_is_hidden_where_a_sign_tells(given: str) -> None:
    by = Redactor()
    by.text(given)
    assert "minjikim" not in by.text("npu node ~minjikim, for minjikim@<host-1> and (~minjikim)")
    assert by.text("models of minjikim and ~minjikims") == "models of minjikim and ~minjikims"


def test_persons_that_only_a_sign_tells_are_bounded() -> None:
    by = Redactor()
    names = [f"k{chr(97 + n // 26)}{chr(97 + n % 26)}im" for n in range(MAX_KNOWN + 1)]
    for name in names:
        by.text(f"user={name}")
    assert names[0] not in by.text(f"see ~{names[0]} here")
    assert names[-1] in by.text(f"see ~{names[-1]} here")


@pytest.mark.parametrize("behind", ["", ", x", "' x", "\nx", '"'])
def test_whose_a_public_key_is_goes_with_it(behind: str) -> None:
    made = Redactor().text(f"key: ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQDplum minji{behind}")
    assert "minji" not in made
    assert made.endswith(behind)
