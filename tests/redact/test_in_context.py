"""What is told by its surroundings goes with every prefix a log puts before it, and its surroundings stay."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diagnose.redact import Redactor
from diagnose.redact.manifests import NEAR, is_login
from diagnose.redact.numbered import _luhn
from tests.redact.in_context import IN_CONTEXT

PREFIXES = (
    "",
    "(EngineCore pid=4242) ERROR 11-29 08:07:35 [core.py:1366] ",
    "2026-11-29T08:07:35.123456789Z stdout F ",
    "2026-11-29T08:07:35.1234567Z ",
    "vllm-1  | ",
)


@pytest.mark.parametrize("prefix", PREFIXES)
def test_every_secret_goes_behind_every_prefix(prefix: str) -> None:
    for name, planted in IN_CONTEXT.items():
        text = "\n".join(prefix + line for line in planted.text.split("\n"))
        made = Redactor().text(f"{prefix}begin\n{text}\n{prefix}ValueError: 12 blocks")
        assert planted.secret not in made, name
        assert made.startswith(f"{prefix}begin\n"), name
        assert made.endswith(f"\n{prefix}ValueError: 12 blocks"), name
        assert Redactor().text(made) == made, name


def test_a_document_that_is_no_secret_keeps_its_values() -> None:
    text = "kind: ConfigMap\ndata:\n  max_model_len: 4096\n  model: Qwen/Qwen3-8B\n"
    assert Redactor().text(text) == text
    assert Redactor().text(text + "x\n" * NEAR + "kind: Secret\n").startswith(text)


CONFIG = "apiVersion: v1\ndata:\n  max_model_len: 4096\nkind: ConfigMap\nmetadata:\n  name: a\n"
SECRET = "apiVersion: v1\ndata:\n  db: aHVudGVyemVicmE=\nkind: Secret\nmetadata:\n  name: b\n"


@pytest.mark.parametrize("between", ["", "---\n"])
def test_of_two_documents_the_secret_alone_is_one(between: str) -> None:
    hidden = SECRET.replace("aHVudGVyemVicmE=", "<secret-1>")
    assert Redactor().text(CONFIG + between + SECRET) == CONFIG + between + hidden
    assert Redactor().text(SECRET + between + CONFIG) == hidden + between + CONFIG


def test_keys_of_a_secret_stay_and_every_value_goes() -> None:
    text = "kind: Secret\ndata:\n  a: YWJjZGVm\n  b.pem: Z2hpamts\ntype: Opaque"
    assert Redactor().text(text) == "kind: Secret\ndata:\n  a: <secret-1>\n  b.pem: <secret-2>\ntype: Opaque"


@given(st.from_regex(r"[a-z]{3,12}", fullmatch=True), st.from_regex(r"[A-Za-z0-9!_]{6,20}", fullmatch=True))
@settings(max_examples=200)
def test_every_login_goes_as_base64_too(user: str, password: str) -> None:
    text = base64.b64encode(f"{user}:{password}".encode()).decode()
    for shown in (text, text.rstrip("=")):
        assert is_login(shown)
        assert shown not in Redactor().text(f"the header held {shown} again")


@given(st.binary(min_size=9, max_size=40))
@settings(max_examples=200)
def test_base64_of_anything_else_stays(data: bytes) -> None:
    if not data.isascii():
        assert not is_login(base64.b64encode(data).decode())


@given(st.sampled_from(["4", "51", "2221", "35", "6011", "9"]), st.from_regex(r"[0-9]{15}", fullmatch=True))
@settings(max_examples=200)
def test_every_card_goes_and_the_same_digits_with_another_check_digit_stay(issuer: str, digits: str) -> None:
    body = (issuer + digits)[:15]
    check = next(d for d in "0123456789" if _luhn(body + d))
    other = str((int(check) + 1) % 10)
    groups = [body[i : i + 4] for i in (0, 4, 8)]
    if sum(int(g) % 64 == 0 for g in (*groups, body[12:] + check) if int(g)) > 1:
        return  # looks like a shape
    assert Redactor().text(f"card {'-'.join(groups)}-{body[12:]}{check} refused") == "card <card-1> refused"
    kept = f"card {'-'.join(groups)}-{body[12:]}{other} refused"
    assert "<card" not in Redactor().text(kept)


@pytest.mark.parametrize("number", ["4096 4096 1024 1024", "1732860000123456789", "39163045120", "4111111111111112"])
def test_sizes_times_and_other_numbers_are_no_card(number: str) -> None:
    assert Redactor().text(f"x {number} y") == f"x {number} y"


@pytest.mark.parametrize("name", ["server.log", "run17.log", "node1.log", "kv-insufficient-vllm.log", "rank0.out"])
def test_a_log_that_is_called_after_nothing_keeps_its_name(name: str) -> None:
    assert Redactor().text(f"reading /srv/{name}") == f"reading /srv/{name}"


def test_a_host_a_launcher_named_is_one_where_nothing_announces_it() -> None:
    by = Redactor()
    assert by.text("[npuprod17:4242] mca_base failed") == "[<host-1>:4242] mca_base failed"
    assert by.text("lost npuprod17 again") == "lost <host-1> again"
