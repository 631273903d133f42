"""A secret is one in a mail's quoted-printable and in records a container wrote in parts; what carries them stays."""

from __future__ import annotations

import json
import quopri

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diagnose.redact import Redactor
from tests.redact.planted import SECRETS

LINE = "the compiler goes on with the shards of it "


def _mail(text: str) -> str:
    return quopri.encodestring(text.encode()).decode()


def _docker(text: str, size: int) -> str:
    return "\n".join(
        json.dumps({"log": part, "stream": "stderr", "time": "2026-11-29T09:00:00.123456789Z"})
        for line in text.splitlines(keepends=True)
        for part in (line[at : at + size] for at in range(0, len(line), size))
    )


def _cri(text: str, size: int) -> str:
    rows = []
    for line in text.splitlines():
        parts = [line[at : at + size] for at in range(0, len(line), size)]
        flags = ["P"] * (len(parts) - 1) + ["F"]
        rows += [f"2026-11-29T09:00:00.1234Z stderr {flag} {part}" for flag, part in zip(flags, parts, strict=True)]
    return "\n".join(rows)


_SECRETS = st.sampled_from(sorted(name for name, planted in SECRETS.items() if planted.text.isascii()))


@given(_SECRETS, st.integers(0, 60))
@settings(max_examples=60, deadline=None)
def test_a_secret_of_a_mail_goes_and_its_rows_stay_joined(name: str, length: int) -> None:
    planted = SECRETS[name]
    if "\n" in planted.text:
        return
    text = _mail(f"a = {LINE * 3}\n{(LINE * 2)[:length]} {planted.text} {LINE * 3}\nnext\n")
    made = Redactor().text(text)
    assert made.count("\n") == text.count("\n")
    assert planted.secret not in quopri.decodestring(made.encode()).decode().replace("\n", "")
    assert made.startswith("a =3D the compiler")


@pytest.mark.parametrize("write", [_docker, _cri])
@given(_SECRETS, st.integers(30, 60), st.integers(0, 60))
@settings(max_examples=60, deadline=None)
def test_a_secret_of_a_record_in_parts_goes_and_every_part_stays_one(
    write: object, name: str, size: int, length: int
) -> None:
    planted = SECRETS[name]
    if "\n" in planted.text:
        return
    assert callable(write)
    text = write(f"{(LINE * 2)[:length]} {planted.text} {LINE}\nnext\n", size)
    rows = Redactor().text(text).split("\n")
    assert len(rows) == text.count("\n") + 1
    if write is _docker:
        said = "".join(json.loads(row)["log"] for row in rows)
    else:
        said = "".join(row[row.index(" stderr ") + 10 :] for row in rows)
    assert planted.secret not in said
    assert said.rstrip().endswith("next")


def test_a_letter_of_a_mail_beyond_ascii_hides_with_the_words_around_it() -> None:
    text = _mail("INFO prompt: '내 진단은 당뇨이고 아무도 몰라야 합니다', params: SamplingParams(n=1)\n")
    made = Redactor().text(text)
    assert "당뇨" not in quopri.decodestring(made.encode()).decode()
    assert "SamplingParams(n=3D1)" in made.replace("=\n", "")


def test_rows_of_a_mail_that_were_joined_with_their_signs_are_one() -> None:
    made = Redactor().text(
        "failed with pas=sword Zx9-plumTree (secret=3Dabcd-efgh-ijkl, DAT=ABASE_URL=3Dredis://a:pg9x@h/1"
    )
    assert not [secret for secret in ("plumTree", "efgh", "pg9x") if secret in made]


def test_parts_of_two_streams_and_lines_between_are_never_one() -> None:
    rows = [
        {"log": "password=Zx9-", "stream": "stdout"},
        {"log": "max_seq_len=", "stream": "stderr"},
        {"log": "plumTree1\n", "stream": "stdout"},
        {"log": "32768\n", "stream": "stderr"},
    ]
    made = Redactor().text("\n".join(map(json.dumps, rows)))
    assert "plumTree1" not in made
    assert "max_seq_len=" in made
    assert "32768" in made


def test_a_query_that_ends_a_row_of_a_terminal_makes_no_mail() -> None:
    row = "GET /v1/files with a path that is of the width of it /search?q="
    text = f"{row.rjust(70, 'x')}\nmerger+with+Foo HTTP/1.1 {'y' * 45}\n{'z' * 70}\nlast"
    assert "merger" not in Redactor().text(text)


def test_a_name_in_one_record_tells_of_the_value_in_the_next() -> None:
    rows = [
        "        - name: HF_TOKEN",
        "          value: hfyamlvictor123456",
        "        - name: MODE",
        "          value: fast",
    ]
    text = "\n".join(json.dumps({"log": f"{row}\n", "stream": "stderr"}) for row in rows)
    shown = Redactor().text(text)
    assert shown == text.replace("hfyamlvictor123456", "<secret-1>")
    assert Redactor().text(shown) == shown
