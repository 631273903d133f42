"""A diagnosis that is looked at again is redacted as if for the first time."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from diagnose.model import Remedy, Text
from diagnose.redact import Redactor, redacted
from tests.redact.planted import SECRETS

TEXTS = st.sampled_from([planted.text for planted in SECRETS.values()] + ["Raise max_seq_len", "on 10.1.2.3"])


def remedy(text: str) -> Remedy:
    return Remedy(id="a", applicability="advice", title=Text(text, text), commands={"vllm": text})


@given(st.lists(TEXTS, max_size=6))
def test_every_remedy_again_is_as_a_document_without_memory_has_it(texts: list[str]) -> None:
    by, other = Redactor(), Redactor()
    for text in texts:
        found = redacted(remedy(text), by)
        other.once = type(other.once)()
        assert found == redacted(remedy(text), other)
        assert redacted(remedy(text), by) == found


def test_what_was_redacted_before_a_credential_was_learned_is_redacted_again() -> None:
    by = Redactor()
    said = remedy("run it with QwErTy12UiOp")
    assert redacted(said, by) == said
    redacted(Text("HF_TOKEN=QwErTy12UiOp", ""), by)
    assert "QwErTy" not in repr(redacted(said, by))
