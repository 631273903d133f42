"""Times as the store keeps and people write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose.incidents.place import default_path
from diagnose.incidents.times import FOREVER, iso, moment, readable, span
from diagnose.model import InputError

NOW = 1_700_000_000.0

any_time = st.floats(allow_nan=False)


@given(any_time, any_time)
def test_any_two_times_sort_as_text(one: float, other: float) -> None:
    if iso(one) < iso(other):
        assert one < other
    assert len(iso(one)) == len(FOREVER)
    assert iso(one) <= FOREVER


@pytest.mark.parametrize(
    ("text", "ahead", "at"),
    [
        ("7d", False, "2023-11-07T22:13:20.000Z"),
        ("12h", False, "2023-11-14T10:13:20.000Z"),
        ("3D", True, "2023-11-17T22:13:20.000Z"),
        ("2023-11-14T00:00:00Z", False, "2023-11-14T00:00:00.000Z"),
        ("2023-11-14T09:00+09:00", False, "2023-11-14T00:00:00.000Z"),
        ("99999999999w", False, "1970-01-01T00:00:00.000Z"),
        ("99999999999w", True, FOREVER),
    ],
)
def test_a_moment_is_a_date_or_a_span(text: str, ahead: bool, at: str) -> None:
    assert moment(text, "--since", now=NOW, ahead=ahead) == at


@pytest.mark.parametrize("text", ["yesterday", "", "7", "2023-13-01", "d"])
def test_another_text_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(InputError, match="2026-11-29"):
        moment(text, "--since", now=NOW)
    with pytest.raises(InputError, match="90d"):
        span(text, "--older-than")


def test_a_time_is_shown_to_the_minute() -> None:
    assert readable("2023-11-14T22:13:20.000Z") == "2023-11-14 22:13 UTC"


def test_the_file_is_where_the_variable_says_else_among_the_users_data() -> None:
    assert str(default_path({"RBLN_DIAGNOSE_DB": "/x/y.db"})) == "/x/y.db"
    assert default_path({}).parts[-2:] == ("rbln-diagnose", "incidents.sqlite3")
