"""Patches of images and videos against the compiled buckets.

Source: optimum-rbln 0.12.0 vision models (``Required seq_len``); multi-module troubleshooting guide v0.12.0,
step 5.
"""

from __future__ import annotations

import math

from diagnose.model import Text, Value
from diagnose.remedies.environment import Environment, MissingValue
from diagnose.remedies.facts import vision_facts
from diagnose.remedies.images import pixels_for, video_budget_for, windowed_pixels_for
from diagnose.remedies.needed import needed_patches
from diagnose.remedies.problem import Problem, Solution
from diagnose.remedies.solvers.common import environment, or_formula
from diagnose.remedies.whole import as_list

ASPECT = 4
"""Images up to this ratio of their sides are sure to pass a limit of pixels."""
WASTE = 1.5
"""A bucket this many times larger than needed is worth a word."""


def _buckets(env: Environment) -> list[int]:
    """Compiled buckets, ascending: from the message, else from the configuration. Raises MissingValue."""
    said = as_list(env.numbers.get("available_patches"))
    found = sorted(said or as_list(env.config("visual.max_seq_len")))
    if not found:
        raise MissingValue(("visual.max_seq_len",))
    return found


def _window(env: Environment) -> int:
    return int(vision_facts(env.knowledge, env.context).get("window") or 1)


def _patch(env: Environment) -> int:
    return int(env.require("patch"))


@or_formula("required_patches")
def vision_bucket_for_image(problem: Problem) -> Solution | None:
    """A further bucket for the image that was too large; whole attention windows where the class has them."""
    env = environment(problem)
    need, window = env.require("required_patches"), _window(env)
    top = -(-need // window) * window
    buckets = _buckets(env)
    if top <= buckets[-1]:
        return None
    text = f"ceil({need} / {window}) * {window} = {top}" if top != need else f"required_patches = {need}"
    mask = 2 * top * top / 2**20
    return Solution(
        changes={"visual.max_seq_len": [*buckets, top]},
        arithmetic=text,
        note=Text(
            f"Its attention mask alone is {top}² * 2 bytes = {mask:,.0f} MiB; memory and time grow with the square.",
            f"attention mask만 {top}² * 2바이트 = {mask:,.0f} MiB이며, 메모리와 시간은 제곱에 비례해 늘어납니다.",
        ),
    )


def _top_formula(env: Environment) -> str:
    try:
        return f"{_buckets(env)[-1]} * patch_size ** 2"
    except MissingValue:
        return "visual.max_seq_len * patch_size ** 2"


@or_formula(_top_formula)
def processor_limit_for_bucket(problem: Problem) -> Solution | None:
    """max_pixels with which no image goes over the largest bucket: no new compile."""
    env = environment(problem)
    patch, top, window = _patch(env), _buckets(env)[-1], _window(env)
    windowed = window > 1
    value = windowed_pixels_for(top, patch, window, aspect=ASPECT) if windowed else pixels_for(top, patch)
    current = env.config("processor.max_pixels")
    if value == 0 or (isinstance(current, int) and current <= value):
        return None  # images are small enough already: a video went over
    bound = Text(
        f"Every attention window counts in full, so the value is below {top} * {patch}**2. It holds for images of "
        f"up to {ASPECT}:1; a longer one can still go over.",
        f"attention window는 일부만 차도 전체로 계산되므로 {top} * {patch}**2보다 작은 값입니다. 가로세로 비율 "
        f"{ASPECT}:1까지의 이미지에 적용되며, 더 긴 이미지는 넘을 수 있습니다.",
    )
    return Solution(
        changes={"processor.max_pixels": value},
        arithmetic=_windows_text(top, patch, window, value) if windowed else f"{top} * {patch}**2 = {value}",
        applicability="estimate" if windowed else "exact",
        bound=bound if windowed else None,
        note=Text(
            "It limits images only; a video has a budget of its own (size.longest_edge).",
            "이미지에만 적용되며, 비디오는 별도의 예산(size.longest_edge)을 따릅니다.",
        ),
    )


def processor_limit_for_whole_windows(problem: Problem) -> Solution | None:
    """The limit for images that the caller brings to whole attention windows before the processor sees them: sides that
    are multiples of the window's side and an area up to the bucket's patches are left alone, and no window is padded.
    """
    env = environment(problem)
    if _window(env) <= 1:
        return None
    return _whole_windows(problem)


@or_formula(_top_formula)
def _whole_windows(problem: Problem) -> Solution | None:
    env = environment(problem)
    patch, top, window = _patch(env), _buckets(env)[-1], _window(env)
    side, value = patch * math.isqrt(window), pixels_for(top, patch)
    return Solution(
        changes={"processor.max_pixels": value},
        arithmetic=f"{top} * {patch}**2 = {value}",
        bound=Text(
            f"Only when every image is resized beforehand to a height and a width that are multiples of {side} pixels "
            f"and together at most {value} pixels; any other image can still go over.",
            f"모든 이미지를 미리 높이와 너비는 {side}픽셀의 배수, 넓이는 {value}픽셀 이하로 리사이즈한 경우에만 "
            "유효합니다. 그 밖의 이미지는 여전히 넘을 수 있습니다.",
        ),
    )


def _windows_text(top: int, patch: int, window: int, value: int) -> str:
    side = patch * math.isqrt(window)
    return f"ceil(h / {side}) * ceil(w / {side}) <= {top} / {window} = {top // window} for h * w <= {value}"


def video_budget_for_bucket(problem: Problem) -> Solution | None:
    """size.longest_edge with which no temporal patch (two frames) goes over the largest bucket, for any
    video."""
    env = environment(problem)
    if not vision_facts(env.knowledge, env.context).get("video_total"):
        return None
    return _video_budget(problem)


@or_formula(lambda env: f"2 * {_top_formula(env)}")
def _video_budget(problem: Problem) -> Solution | None:
    env = environment(problem)
    patch, top = _patch(env), _buckets(env)[-1]
    value = video_budget_for(top, patch)
    current = env.config("processor.size.longest_edge")
    if isinstance(current, int) and current <= value:
        return None
    return Solution(
        changes={"processor.size.longest_edge": value},
        arithmetic=f"2 * {top} * {patch}**2 = {value}",
        note=Text(
            "Only when the input that failed was a video: the budget counts all its frames together.",
            "실패한 입력이 비디오일 때만 필요합니다. 이 예산은 모든 프레임을 합산합니다.",
        ),
    )


@or_formula("ceil(processor.max_pixels / patch_size ** 2)")
def right_size_vision(problem: Problem) -> Solution | None:
    """A bucket for the images that are really sent: from their sizes, else from the processor's
    max_pixels."""
    env = environment(problem)
    buckets, window = _buckets(env), _window(env)
    need, text = needed_patches(env)
    value = -(-need // window) * window
    fitting = [b for b in buckets if b >= value]
    if not fitting or fitting[0] < WASTE * value:
        return None
    new: Value = value if len(buckets) == 1 else sorted({*buckets, value})
    waste = f"{fitting[0] / value:.1f}"
    return Solution(
        changes={"visual.max_seq_len": new},
        arithmetic=text if value == need else f"{text}; ceil({need} / {window}) * {window} = {value}",
        note=Text(
            f"The ViT computes {fitting[0]:,} patches for images of {need:,}: {waste} times what they need.",
            f"patch {need:,}개인 이미지에 ViT가 {fitting[0]:,}개를 계산합니다({waste}배).",
        ),
    )
