from __future__ import annotations

from pathlib import Path

from diagnose.authoring.readme import FILES, stale, updated
from diagnose.knowledge import load

ROOT = Path(__file__).parents[2]


def test_the_made_parts_of_the_readmes_are_up_to_date() -> None:
    assert stale(ROOT, load()) == [], "run: rbln-diagnose kb readme"


def test_each_readme_has_an_example_and_the_figures() -> None:
    for name in FILES:
        text = (ROOT / name).read_text(encoding="utf-8")
        assert "<!-- made: example -->" in text
        assert "<!-- made: figures -->" in text


def test_only_made_parts_are_changed() -> None:
    text = "kept\n<!-- made: figures -->\nold\n<!-- end -->\nkept too\n"
    new = updated(text, "en", ROOT, load())
    assert new.startswith("kept\n<!-- made: figures -->\n")
    assert new.endswith("<!-- end -->\nkept too\n")
    assert "old" not in new
