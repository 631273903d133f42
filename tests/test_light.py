"""The light data classes mean what the standard library's mean."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from dataclasses import FrozenInstanceError, field, replace
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose.light import dataclass


@dataclass(frozen=True, slots=True)
class Noun:
    one: int
    other: tuple[object, ...] = field(default_factory=tuple)


@dataclasses.dataclass(frozen=True, slots=True)
class Plain:
    one: int
    other: tuple[object, ...] = field(default_factory=tuple)


@dataclass(slots=True)
class Draft:
    one: int


@dataclass(frozen=True, slots=True)
class Named:
    one: int

    def __repr__(self) -> str:
        return "its own"


_values = st.tuples(st.integers(0, 2), st.lists(st.text(max_size=2) | st.integers(0, 2), max_size=2).map(tuple))


@given(_values, _values)
def test_any_two_are_equal_hashed_and_told_as_the_librarys_are(first: Any, second: Any) -> None:
    light, plain = (Noun(*first), Noun(*second)), (Plain(*first), Plain(*second))
    assert (light[0] == light[1]) is (plain[0] == plain[1])
    assert (len(set(light))) == len(set(plain))
    assert repr(light[0]) == repr(plain[0]).replace("Plain", "Noun")


@given(_values)
def test_any_of_them_is_copied_pickled_and_replaced(values: Any) -> None:
    noun = Noun(*values)
    assert pickle.loads(pickle.dumps(noun)) == copy.deepcopy(noun) == replace(noun, one=noun.one) == noun
    assert replace(noun, one=noun.one + 1) != noun
    assert dataclasses.asdict(noun) == {"one": noun.one, "other": noun.other}


def test_nothing_equals_what_is_of_another_class() -> None:
    other: object = Plain(1)
    assert Noun(1) != other
    assert Draft(1) != Noun(1)


def test_what_is_frozen_stays() -> None:
    noun = Noun(1)
    with pytest.raises(FrozenInstanceError):
        noun.one = 2  # type: ignore[misc]
    assert not hasattr(noun, "__dict__")


def test_what_may_change_has_no_hash() -> None:
    draft = Draft(1)
    draft.one = 2
    assert draft == Draft(2)
    with pytest.raises(TypeError):
        hash(draft)


def test_what_a_class_says_itself_stands() -> None:
    assert repr(Named(1)) == "its own"


def test_what_is_left_out_has_its_default_and_a_made_one_is_made_for_each() -> None:
    @dataclass(slots=True)
    class Basket:
        owner: str
        fruit: list[str] = field(default_factory=list)
        weight_g: int = 7

    first, second = Basket("a"), Basket(owner="b", weight_g=8)
    first.fruit.append("pear")
    assert (first.fruit, first.weight_g) == (["pear"], 7)
    assert (second.fruit, second.weight_g) == ([], 8)


@pytest.mark.parametrize("times", [1, 2])
def test_values_that_are_missing_or_unknown_are_refused_every_time(times: int) -> None:
    @dataclass(frozen=True, slots=True)
    class Needs:
        one: int

    make: Any = Needs
    for _ in range(times):
        with pytest.raises(TypeError, match="missing 1 required"):
            make()
        with pytest.raises(TypeError, match="unexpected keyword"):
            make(1, two=2)


def test_what_is_frozen_cannot_be_deleted() -> None:
    noun = Noun(1)
    with pytest.raises(FrozenInstanceError):
        del noun.one  # type: ignore[misc]
    assert noun.one == 1


def test_the_standard_library_knows_the_fields_with_their_defaults() -> None:
    @dataclass(frozen=True, slots=True)
    class Pair:
        shared: ClassVar[int] = 4
        one: int
        many: list[int] = field(default_factory=list)
        last: str = "x"

    told = dataclasses.fields(Pair)
    assert [(f.name, f.default, f.default_factory) for f in told] == [
        ("one", dataclasses.MISSING, dataclasses.MISSING),
        ("many", dataclasses.MISSING, list),
        ("last", "x", dataclasses.MISSING),
    ]
    assert dataclasses.is_dataclass(Pair)
    assert (Pair.shared, Pair(1), Pair(1).shared) == (4, Pair(1, [], "x"), 4)


def test_a_class_that_inherits_fields_or_has_no_slots_is_refused() -> None:
    light: Any = dataclass
    with pytest.raises(TypeError, match="inherits no fields"):
        light(slots=True)(type("More", (Noun,), {"__annotations__": {"more": "int"}}))
    with pytest.raises(TypeError, match="has slots"):
        light(slots=False)
