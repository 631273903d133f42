"""Sizes and patches: the figures of the guides come out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose.remedies.images import (
    image_patches,
    patches,
    pixels_for,
    resized,
    video_budget_for,
    video_patches,
)

SIDES = st.integers(32, 5000)


def test_documented_images() -> None:
    assert resized(1000, 1000, factor=32) == (992, 992)
    assert image_patches(1000, 1000, patch=16) == 3844
    assert image_patches(896, 896, patch=16) == 3136
    assert image_patches(2048, 2048, patch=16) == 16384


def test_documented_videos() -> None:
    assert video_patches(4, 1792, 1792, patch=16) == 12544
    assert video_patches(2, 4096, 4096, patch=16) == 48400


def test_a_limit_in_pixels_caps_the_patches() -> None:
    assert image_patches(4096, 4096, patch=16, max_pixels=896 * 896) == 3136
    assert image_patches(100, 100, patch=16, min_pixels=256 * 16 * 16) >= 256


def test_the_limit_for_a_bucket() -> None:
    assert pixels_for(16384, 16) == 4194304
    assert pixels_for(6400, 14) == 1254400
    assert video_budget_for(16384, 16) == 8388608


def test_an_image_the_processor_refuses_is_no_image() -> None:
    with pytest.raises(ValueError):
        resized(1, 500, factor=32)


@given(SIDES, SIDES, st.sampled_from([(16, 2), (14, 2)]), st.integers(256, 20000))
def test_any_image_under_the_limit_of_a_bucket_fits_it(
    height: int, width: int, kind: tuple[int, int], top: int
) -> None:
    if max(height, width) > 200 * min(height, width):
        return
    patch, merge = kind
    limit = pixels_for(top, patch)
    h, w = resized(height, width, factor=patch * merge, max_pixels=limit)
    if min(h, w) > patch * merge:  # a strip one factor wide cannot be made thinner
        assert patches(h, w, patch) <= top


@given(st.integers(1, 64), SIDES, SIDES, st.integers(1024, 20000))
def test_any_video_under_the_budget_of_a_bucket_fits_it(frames: int, height: int, width: int, top: int) -> None:
    budget = video_budget_for(top, 16)
    count = video_patches(frames, height, width, patch=16, longest_edge=budget)
    if frames % 2 == 0 and max(height, width) < 20 * min(height, width):
        assert count <= top or count <= 4 * max(height, width) // 32 + 4
