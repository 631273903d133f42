"""A draft from a log line is an entry that reads that line."""

from __future__ import annotations

from pathlib import Path

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from diagnose.authoring.draft import draft, first_error, said, templated
from diagnose.knowledge.schema import SourceError
from diagnose.knowledge.source import read_entry
from diagnose.knowledge.templates import TemplateError, compile_template
from diagnose.model import InputError
from tests.authoring.made import engine, real

LINE = (
    "(EngineCore_DP0 pid=4242) ERROR 11-29 09:00:00 [core.py:700] ValueError: The pool `kvcache_pool` (10) holds "
    "12.5 GiB of [1, 2] in torch.Size([4, 8]) at '/srv/model' with ratio 0.75"
)


def test_values_become_named_typed_placeholders() -> None:
    made = draft(LINE, real(), engine())
    assert made.template == (
        "The pool `kvcache_pool` ({kvcache_pool:int}) holds {holds:bytes} of {values:ints} in {in_given:shape} at "
        "{name:quoted} with ratio {ratio:float}"
    )
    assert made.numbers["kvcache_pool"] == 10
    assert made.numbers["ratio"] == 0.75
    assert 12.5 * 2**30 in made.numbers.values()
    assert [1, 2] in made.numbers.values()


def test_a_draft_is_a_valid_entry_and_holds_no_value_of_the_line_in_its_template(tmp_path: Path) -> None:
    path = tmp_path / "draft.yaml"
    path.write_text(draft(LINE, real(), engine()).yaml, encoding="utf-8")
    entry = read_entry(path)
    assert entry["role"] == "root"
    assert entry["examples"][0]["text"] == LINE
    assert "12.5" not in entry["signatures"][0]["template"]


def test_an_unfinished_draft_is_refused_by_lint(tmp_path: Path) -> None:
    import yaml

    from diagnose.authoring.rules.wording import drafts
    from tests.authoring.made import knowledge_of

    knowledge = knowledge_of(
        tmp_path, yaml.safe_load(draft(LINE, real(), engine()).yaml.replace('explains: ["engine.*"]\n', ""))
    )
    (entry,) = knowledge.entries.values()
    assert len(list(drafts(entry, knowledge))) >= 3


def test_a_placeholder_is_never_named_like_a_parameter() -> None:
    assert templated("pool with max_seq_len 4096", ["max_seq_len"]) == "pool with max_seq_len {max_seq_len_given:int}"


def test_two_values_of_one_name_get_two_names() -> None:
    assert templated("from size 1 to size 2") == "from size {size:int} to size {size_2:int}"


def test_braces_of_the_message_stay_braces() -> None:
    assert templated("failed core proc(s): {core: 1}") == "failed core proc(s): {{core: {core:int}}}"


def test_a_line_that_is_known_says_so() -> None:
    made = draft("ValueError: memory_budget must be None, a float, an int or a string, got list.", real(), engine())
    assert made.known == ("env.option-not-supported",)


def test_the_innermost_frame_tells_the_component() -> None:
    text = (
        "Traceback (most recent call last):\n"
        '  File "/opt/venv/lib/python3.11/site-packages/torch_rbln/memory.py", line 5, in f\n'
        '    raise ValueError("x")\n'
        "ValueError: an unheard-of thing happened to 7 tensors\n"
    )
    assert "component: torch-rbln" in draft(text, real(), engine()).yaml


def test_a_warning_becomes_a_note() -> None:
    made = draft("WARNING 11-29 09:00:00 [x.py:1] an unheard-of thing happened to 7 tensors", real(), engine())
    assert "role: context" in made.yaml


def test_the_first_error_among_other_lines_is_taken() -> None:
    record = first_error("INFO 11-29 09:00:00 [x.py:1] fine\nValueError: too few blocks\n")
    assert said(record) == "too few blocks"


@pytest.mark.parametrize("text", ["", "\n\n", "42", "7 8 9"])
def test_a_line_with_too_little_text_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        draft(text, real())


@given(st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), max_size=120))
def test_any_message_that_compiles_is_matched_by_its_own_template(message: str) -> None:
    try:
        compiled = compile_template(templated(message))
    except TemplateError:
        return
    assert regex.search(compiled.pattern, message)


@settings(max_examples=25)
@given(st.data())
def test_every_example_of_the_knowledge_base_gives_a_draft_that_can_be_read(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    texts = [example.text for entry in real().entries.values() for example in entry.examples]
    text = data.draw(st.sampled_from(texts))
    path = tmp_path_factory.mktemp("draft") / "draft.yaml"
    try:
        path.write_text(draft(text, real(), engine()).yaml, encoding="utf-8")
        read_entry(path)
    except InputError:
        return  # too little fixed text
    except SourceError as error:
        raise AssertionError(text) from error
