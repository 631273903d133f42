"""Images against the compiled buckets of a vision encoder, through the library's own search and the processor's own
resize."""

from __future__ import annotations

import math
import random
import tempfile
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from diagnose.remedies import images
from oracle import library
from oracle.case import Case, VisionShape
from oracle.families.common import machine

KINDS = {"qwen3_vl": VisionShape("qwen3_vl", 16), "qwen2_5_vl": VisionShape("qwen2_5_vl", 14)}
CLASSES = {
    "qwen3_vl": ("RBLNQwen3VLForConditionalGeneration", "RBLNQwen3VLVisionModel"),
    "qwen2_5_vl": ("RBLNQwen2_5_VLForConditionalGeneration", "RBLNQwen2_5_VisionTransformerPretrainedModel"),
}
WINDOW = 64
LEAST_PIXELS = 56 * 56


def encode(case: Case) -> None:
    """Compiles the encoder with ``visual`` and runs every image of the request through it."""
    import torch
    from optimum import rbln

    shape = case.model
    if not isinstance(shape, VisionShape):
        raise TypeError("a case with a vision model")
    with tempfile.TemporaryDirectory() as directory:
        model = getattr(rbln, CLASSES[shape.kind][1]).from_model(
            library.vision_model(shape), rbln_config=library.copied(case.config["visual"]), model_save_dir=directory
        )
        for image in case.request["images"]:
            height, width = resized(shape, case.request, *image)
            grid = torch.tensor([[1, height // shape.patch, width // shape.patch]])
            patches = int(grid.prod())
            _forward(model, torch.zeros(patches, 3 * 2 * shape.patch**2), grid)


def resized(shape: VisionShape, request: Mapping[str, Any], height: int, width: int) -> tuple[int, int]:
    """(height, width) after the processor."""
    from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import smart_resize

    most, factor = request.get("processor.max_pixels", 1 << 26), shape.patch * shape.merge
    found = smart_resize(height, width, factor=factor, min_pixels=LEAST_PIXELS, max_pixels=most)
    return int(found[0]), int(found[1])


def whole_windows(request: Mapping[str, Any], value: int) -> list[tuple[int, int]]:
    """The images as a person brings them to whole attention windows of at most ``value`` pixels together."""
    side = math.isqrt(WINDOW) * KINDS["qwen2_5_vl"].patch
    found = []
    for height, width in request["images"]:
        by = min(1.0, (value / (height * width)) ** 0.5)
        found.append(tuple(max(side, int(length * by) // side * side) for length in (height, width)))
    return found


def _forward(model: Any, pixels: Any, grid: Any) -> None:
    """The bucket search comes before the graph, and the stand-in's graph computes nothing: what follows it is left."""
    try:
        model.forward(pixels, grid)
    except (TypeError, IndexError, RuntimeError):
        return


def _image(rng: random.Random, largest: int) -> tuple[int, int]:
    """(height, width), up to twice the largest bucket."""
    area = rng.uniform(0.2, 2.0) * largest
    ratio = rng.choice((1.0, 4 / 3, 16 / 9, 0.5, 3.0))
    height = max(56, int((area / ratio) ** 0.5))
    return height, max(56, int(height * ratio))


def cases(rng: random.Random) -> Iterator[Case]:
    while True:
        kind = rng.choice(tuple(KINDS))
        shape = KINDS[kind]
        step = WINDOW if kind == "qwen2_5_vl" and rng.random() < 0.9 else 4
        buckets = sorted({step * rng.randint(2, 2048 // step) for _ in range(rng.randint(1, 3))})
        pixels = buckets[-1] * shape.patch**2
        count = 1 if kind == "qwen2_5_vl" else rng.randint(1, 3)  # windows do not grow with the area alone
        request: dict[str, Any] = {}
        if rng.random() < 0.5:
            request["processor.max_pixels"] = int(pixels * rng.uniform(0.5, 2))
        drawn = [_image(rng, pixels) for _ in range(count)]
        # the largest first, by the product's own resize: the message names the one that fails first
        factor, most = shape.patch * shape.merge, request.get("processor.max_pixels")
        size = partial(images.resized, factor=factor, min_pixels=LEAST_PIXELS, max_pixels=most)
        request["images"] = sorted(drawn, key=lambda hw: -math.prod(size(*hw)))
        yield Case(
            "vision", encode, {"visual": {"max_seq_len": buckets}}, machine(rng, "RBLN-CA25"), shape, request,
            rbln_class=CLASSES[kind][0],
        )  # fmt: skip
