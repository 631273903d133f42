"""Two copies of one error have one fingerprint; two errors have two."""

from __future__ import annotations

import pytest

from diagnose.records import fingerprint_text


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("only 12 blocks of 17", "only 3 blocks of 1,024"),
        ("sizes [1, 2, 4]", "sizes [8]"),
        ("at 0x7f3a22 now", "at 0x1 now"),
        (
            "request 9f1c2d3e-0000-4abc-8def-001122334455 lost",
            "request aaaabbbb-1111-2222-3333-444455556666 lost",
        ),
        ("key deadbeef01 lost", "key 0a1b2c3d4e lost"),
        ("cannot read /srv/a/b.json", "cannot read /home/x/y/z.json"),
        ("no field 'alpha'", 'no field "beta gamma"'),
        ("peer 10.0.0.1:8000 gone", "peer 192.168.1.20:51000 gone"),
        ("see https://a.example/x?y=1", "see http://b.example"),
        ("since 2026-11-29 12:00:00,123", "since 2025-01-01T00:00:00Z"),
        ("Worker_TP0 on rbln0 died", "Worker_TP13 on rbln7 died"),
        ("a\n  b", "a b"),
    ],
)
def test_what_varies_between_runs_is_masked(one: str, two: str) -> None:
    assert fingerprint_text(one) == fingerprint_text(two)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("no attribute `alpha`", "no attribute `beta`"),
        ("dtype bfloat16", "dtype float32"),
        ("ValueError: bad", "TypeError: bad"),
    ],
)
def test_what_tells_errors_apart_stays(one: str, two: str) -> None:
    assert fingerprint_text(one) != fingerprint_text(two)


def test_an_apostrophe_is_no_quote() -> None:
    assert "enough" in fingerprint_text("it doesn't have enough and can't grow")


def test_a_long_message_costs_no_more_than_its_beginning() -> None:
    assert len(fingerprint_text("word " * 100_000)) <= 2_000
