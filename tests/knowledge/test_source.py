from __future__ import annotations

from pathlib import Path

import pytest

from diagnose.knowledge import load, source
from diagnose.knowledge.compiled import observing, pack, unpack
from diagnose.knowledge.schema import SourceError
from diagnose.knowledge.source import compile_tree, read_entry
from diagnose.knowledge.store import PACKAGE
from diagnose.model import InputError

GOOD = """
id: kv-cache.sample
component: optimum-rbln
role: root
title: {en: A sample, ko: 예}
signatures:
  - text: "sample of a message with {n:int} blocks"
cause: {en: because of {n}, ko: "{n} 때문에"}
"""


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "entry.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_an_entry_is_read_with_its_defaults(tmp_path: Path) -> None:
    entry = read_entry(write(tmp_path, GOOD.replace("because of {n}", '"because of {n}"')))
    assert entry["domain"] == "rbln"
    assert entry["severity"] == "error"
    assert entry["evidence"] == "source"
    assert entry["signatures"][0]["types"] == {"n": "int"}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (("role: root", "role: boss"), "role"),
        (("ko: 예", "fr: oui"), "title"),
        (("component: optimum-rbln", "component: other"), "component"),
        (("- text:", "- words:"), "unknown keys"),
        (("{n:int}", "{n:number}"), "unknown type"),
        (("id: kv-cache.sample", "name: x"), "unknown keys"),
        (("role: root", "role: [root"), "YAML"),
    ],
)
def test_a_broken_entry_is_refused_with_the_file_and_the_reason(
    tmp_path: Path, change: tuple[str, str], reason: str
) -> None:
    path = write(tmp_path, GOOD.replace("because of {n}", '"because of {n}"').replace(*change))
    with pytest.raises(SourceError) as caught:
        read_entry(path)
    assert str(path) in str(caught.value)
    assert reason in str(caught.value)


def test_a_broken_extra_entry_is_an_input_error_in_both_languages(tmp_path: Path) -> None:
    path = write(tmp_path, "id: [")
    with pytest.raises(InputError) as caught:
        load({"RBLN_DIAGNOSE_KB": str(path), "XDG_CACHE_HOME": str(tmp_path)})
    assert str(path) in caught.value.message.en
    assert "RBLN_DIAGNOSE_KB" in caught.value.message.ko
    assert "\n" not in caught.value.message.en


def test_a_missing_extra_path_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        load({"RBLN_DIAGNOSE_KB": str(tmp_path / "none.yaml")})


def test_an_extra_entry_is_added_to_the_shipped_ones(tmp_path: Path) -> None:
    path = write(tmp_path, GOOD.replace("because of {n}", '"because of {n}"'))
    environ = {"RBLN_DIAGNOSE_KB": str(path), "XDG_CACHE_HOME": str(tmp_path)}
    more = load(environ)
    assert "kv-cache.sample" in more.entries
    assert len(more.entries) == len(load({"XDG_CACHE_HOME": str(tmp_path)}).entries) + 1


def test_the_compiled_form_is_kept_by_content_and_used_again(tmp_path: Path) -> None:
    environ = {"XDG_CACHE_HOME": str(tmp_path)}
    first = load(environ)
    kept = sorted(p.name for p in (tmp_path / "rbln-diagnose").iterdir())
    assert len(kept) == 2
    assert kept[0] == f"kb-{first.hash}.jsonl"
    assert kept[1].startswith("unchanged-")
    assert load(environ).hash == first.hash


def test_a_cache_that_cannot_be_written_only_costs_time(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a directory")
    assert load({"XDG_CACHE_HOME": str(blocked)}).entries


def test_packing_and_unpacking_keeps_every_entry_and_signature() -> None:
    tree = compile_tree(PACKAGE.parent / "kb")
    knowledge = unpack(pack(tree))
    assert set(knowledge.entries) == set(tree["entries"])
    for id_, entry in knowledge.entries.items():
        assert entry.title.ko == tree["entries"][id_]["title"]["ko"]
        assert len(entry.signatures) == len(tree["entries"][id_]["signatures"])
    assert {e.id for e in observing(knowledge)} == {i for i, e in tree["entries"].items() if e["observe"]}


def test_a_compiled_form_of_another_format_is_refused() -> None:
    with pytest.raises(ValueError, match="format"):
        unpack(b'{"format": 0}\n')


def test_groups_of_a_hand_written_pattern_are_so_many_inside_each_other(tmp_path: Path) -> None:
    for depth in (source.MAX_NESTED_GROUPS, source.MAX_NESTED_GROUPS + 1, 400):
        path = tmp_path / "e.yaml"
        path.write_text(
            "{id: a.b, component: rebel, role: root, title: {en: a, ko: a}, cause: {en: a, ko: a}, "
            f"signatures: [{{regex: '{'(' * depth}xxxxxx\\(a\\({')' * depth}', literals: [xxxxxx]}}]}}\n",
            "utf-8",
        )
        if depth > source.MAX_NESTED_GROUPS:
            with pytest.raises(source.SourceError, match="inside each other"):
                source.read_entry(path)
        else:
            assert source.read_entry(path)


def test_a_hand_written_pattern_is_so_long(tmp_path: Path) -> None:
    for length, refused in ((source.MAX_PATTERN_CHARS, False), (source.MAX_PATTERN_CHARS + 1, True)):
        path = tmp_path / "e.yaml"
        path.write_text(
            "{id: a.b, component: rebel, role: root, title: {en: a, ko: a}, cause: {en: a, ko: a}, "
            f"signatures: [{{regex: '{'x' * length}', literals: [xxxxxx]}}]}}\n",
            "utf-8",
        )
        if refused:
            with pytest.raises(source.SourceError, match="longer than"):
                source.read_entry(path)
        else:
            source.read_entry(path)


def test_an_extra_entry_that_was_edited_in_place_is_read_again(tmp_path: Path) -> None:
    path = write(tmp_path, GOOD.replace("because of {n}", '"because of {n}"'))
    environ = {"RBLN_DIAGNOSE_KB": str(path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    before = load(environ).entries["kv-cache.sample"].title.en
    path.write_text(path.read_text("utf-8").replace(before, f"{before} again"), "utf-8")
    assert load(environ).entries["kv-cache.sample"].title.en == f"{before} again"
