from __future__ import annotations

from diagnose.model import Text


def test_both_languages_are_filled_with_the_same_values_and_with_texts_in_their_own() -> None:
    said = Text("{0} blocks of {what}", "{what} {0}블록").filled(3, what=Text("a pool", "풀"))
    assert said == Text("3 blocks of a pool", "풀 3블록")
