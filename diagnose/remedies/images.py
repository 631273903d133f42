"""What the image and video processors make of an input: its size after the resize, and ViT patches.

The Qwen processors bring each side to a multiple of ``factor`` (patch size times merge size) and the area
into [min_pixels, max_pixels]. The video processor of Qwen3-VL applies one budget to all sampled frames
together. Sizes are (height, width) in pixels.
"""

from __future__ import annotations

import math

MAX_ASPECT = 200
"""The processors refuse an image whose sides differ by more."""

VIDEO_LONGEST_EDGE = 25_165_824
"""Pixel budget over all frames of the Qwen3-VL video processor, by default. Source: troubleshooting guide
v0.12.0."""
MOST_WINDOWS = 1 << 20
"""Attention windows of a bucket; a number above is a damaged one."""
FRAMES_PER_PATCH = 2
"""Frames that make one temporal patch."""


Size = tuple[int, int]


def _rounded(size: Size, factor: int) -> Size:
    return round(size[0] / factor) * factor, round(size[1] / factor) * factor


def _shrunk(size: Size, factor: int, by: float) -> Size:
    h, w = (max(factor, math.floor(side / by / factor) * factor) for side in size)
    return h, w


def _grown(size: Size, factor: int, by: float) -> Size:
    h, w = (math.ceil(side * by / factor) * factor for side in size)
    return h, w


def resized(height: int, width: int, *, factor: int, min_pixels: int = 0, max_pixels: int | None = None) -> Size:
    """Size of an image after the processor: 1000×1000 with factor 32 → (992, 992). Raises ValueError for
    no image."""
    if height < 1 or width < 1 or max(height, width) > MAX_ASPECT * min(height, width):
        raise ValueError(f"{height}x{width} is not an image the processor takes")
    size = height, width
    h, w = _rounded(size, factor)
    if max_pixels is not None and h * w > max_pixels:
        return _shrunk(size, factor, math.sqrt(height * width / max_pixels))
    if h * w < min_pixels:
        return _grown(size, factor, math.sqrt(min_pixels / (height * width)))
    return max(h, factor), max(w, factor)


def patches(height: int, width: int, patch: int) -> int:
    """ViT patches of an image of this size, before the spatial merge."""
    return (height // patch) * (width // patch)


def image_patches(
    height: int, width: int, *, patch: int, merge: int = 2, min_pixels: int = 0, max_pixels: int | None = None
) -> int:
    """ViT patches of an image after the processor's resize: 1000×1000 with patch 16 → 3844."""
    return patches(*resized(height, width, factor=patch * merge, min_pixels=min_pixels, max_pixels=max_pixels), patch)


def video_patches(
    frames: int,
    height: int,
    width: int,
    *,
    patch: int,
    merge: int = 2,
    longest_edge: int = VIDEO_LONGEST_EDGE,
) -> int:
    """ViT patches per temporal patch of a video (Qwen3-VL): 4 frames of 1792×1792 → 12544, 2 of 4096×4096 →
    48400.

    ``longest_edge`` is the budget in pixels over all frames.
    """
    if frames < 1 or height < 1 or width < 1:
        raise ValueError("a video has frames")
    count = -(-frames // FRAMES_PER_PATCH) * FRAMES_PER_PATCH
    factor = patch * merge
    h, w = _rounded((height, width), factor)
    if count * h * w > longest_edge:
        h, w = _shrunk((height, width), factor, math.sqrt(frames * height * width / longest_edge))
    return patches(max(h, factor), max(w, factor), patch)


def pixels_for(top: int, patch: int) -> int:
    """Largest area whose patches fit a bucket of ``top`` patches: 16384 patches of 16 → 4194304."""
    return top * patch * patch


def windowed_pixels_for(top: int, patch: int, window: int, *, merge: int = 2, aspect: int = 4) -> int:
    """Largest area with which no image of up to ``aspect``:1 goes over ``top`` patches of an encoder that fills every
    attention window up to ``window`` patches: 1728 patches of 14 in windows of 64 → 254016, not 338688.

    An image of h x w pixels takes ``ceil(h / side) * ceil(w / side)`` windows. The answer is one step below the
    smallest image that needs a window more than there are. Source: optimum-rbln 0.12.0
    ``modeling_qwen2_5_vl.py`` (``window_padded_len``). 0 when not even one window fits, and for a bucket no
    encoder has.
    """
    step, side = patch * merge, patch * math.isqrt(window)
    most = top // window
    if not 0 < most <= MOST_WINDOWS:
        return 0
    areas = []
    for rows in range(1, math.isqrt(most) + 2):
        columns = max(most // rows + 1, rows)
        wide = side * (columns - 1) + step
        high = max(side * (rows - 1) + step, -(-wide // (aspect * step)) * step)
        if high <= side * rows:
            areas.append(high * wide)
    return max(min(areas) - step**2, 0) if areas else 0


def video_budget_for(top: int, patch: int) -> int:
    """``longest_edge`` with which no temporal patch goes over ``top`` patches: a video has at least two
    frames."""
    return FRAMES_PER_PATCH * pixels_for(top, patch)
