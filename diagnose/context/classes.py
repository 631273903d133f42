"""Where each model class keeps its fields: the language model's and the vision submodule's place.

Source: optimum-rbln 0.12.0 configuration classes (submodule keys per class). Classes that are not listed are
text models: everything at the top level and no vision submodule.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from diagnose.late import late
from diagnose.light import dataclass


@dataclass(frozen=True, slots=True)
class Layout:
    """The place of the fields of one class."""

    lm_prefix: str = ""
    vision_prefix: str | None = None


TEXT = Layout()
_FLAT_VISUAL = Layout("", "visual")
_TOWER = Layout("language_model", "vision_tower")

LAYOUTS: dict[str, Layout] = {
    "Qwen2VL": _FLAT_VISUAL,
    "Qwen2_5_VL": _FLAT_VISUAL,
    "Qwen3VL": _FLAT_VISUAL,
    "Qwen3VLMoe": _FLAT_VISUAL,
    "Qwen3_5": _FLAT_VISUAL,
    "Exaone4_5_": _FLAT_VISUAL,
    "Qwen3ASR": TEXT,
    "Llava": _TOWER,
    "LlavaNext": _TOWER,
    "Gemma3": _TOWER,
    "Gemma4": _TOWER,
    "PaliGemma": _TOWER,
    "Idefics3": Layout("text_model", "vision_model"),
    "Blip2": Layout("language_model", "vision_model"),
    "ColPali": Layout("vlm.language_model", "vlm.vision_tower"),
    "ColQwen2": Layout("vlm", "vlm.visual"),
}
"""Stem of the class name (without ``RBLN`` and the task) → layout."""

_TASKS = ("ForConditionalGeneration", "ForRetrieval", "Model")
_NESTED_TASKS = frozenset({"ForConditionalGeneration", "ForRetrieval"})

_FAMILIES: tuple[tuple[str, str], ...] = (
    (r"qwen3[-_.]?vl.*(?:a3b|a22b|moe)", "RBLNQwen3VLMoeForConditionalGeneration"),
    (r"qwen3[-_.]?vl", "RBLNQwen3VLForConditionalGeneration"),
    (r"qwen2\.5[-_.]?vl", "RBLNQwen2_5_VLForConditionalGeneration"),
    (r"qwen2[-_.]?vl", "RBLNQwen2VLForConditionalGeneration"),
    (r"qwen3[-_.]?asr", "RBLNQwen3ASRForConditionalGeneration"),
    (r"exaone[-_.]?4[._]5", "RBLNExaone4_5_ForConditionalGeneration"),
    (r"gemma[-_.]?4", "RBLNGemma4ForConditionalGeneration"),
    (r"gemma[-_.]?3[-_.](?:4b|12b|27b)", "RBLNGemma3ForConditionalGeneration"),
    (r"paligemma", "RBLNPaliGemmaForConditionalGeneration"),
    (r"llava[-_.]?(?:v?1\.6|next)", "RBLNLlavaNextForConditionalGeneration"),
    (r"llava|pixtral", "RBLNLlavaForConditionalGeneration"),
    (r"idefics3", "RBLNIdefics3ForConditionalGeneration"),
    (r"blip[-_.]?2", "RBLNBlip2ForConditionalGeneration"),
    (r"colqwen2", "RBLNColQwen2ForRetrieval"),
    (r"colpali", "RBLNColPaliForRetrieval"),
)


def rbln_class(name: str) -> str | None:
    """The RBLN class of a Hugging Face architecture, an RBLN class or its configuration class.

    >>> rbln_class("Qwen3VLForConditionalGeneration"), rbln_class("RBLNLlamaForCausalLMConfig")
    ('RBLNQwen3VLForConditionalGeneration', 'RBLNLlamaForCausalLM')

    None for a word that is no class of a model, and for an ``Auto`` class, which does not say which model it
    is.
    """
    name = name.strip().removesuffix("Config").removeprefix("RBLN")
    if not re.fullmatch(r"[A-Z][A-Za-z0-9_]*(?:For[A-Z]\w*|Model|LMHeadModel|Pipeline)", name) or name.startswith(
        "Auto"
    ):
        return None
    return f"RBLN{name}"


def layout_of(model_class: str | None) -> Layout | None:
    """Layout of an RBLN class; None when no class is known."""
    if not model_class:
        return None
    name = model_class.removeprefix("RBLN")
    for task in _TASKS:
        stem = name.removesuffix(task)
        if stem != name and stem in LAYOUTS and (task in _NESTED_TASKS or stem not in ("Gemma3", "Gemma4")):
            return LAYOUTS[stem]
    return TEXT


_ENCODER_DECODERS = late(r"RBLN(?:Bart|Pegasus|T5|Whisper)ForConditionalGeneration|RBLNModelForSeq2SeqLM")
_ENCODER_DECODER_NAMES = late(r"(?:^|/)(?:[a-z]+-)?(?:bart|pegasus|t5|whisper)\b", re.IGNORECASE)


def is_encoder_decoder(model_class: str | None, model: str | None) -> bool:
    """Whether the lengths are ``enc_max_seq_len`` and ``dec_max_seq_len`` (optimum-rbln 0.12.0
    configuration_seq2seq.py, configuration_whisper.py): by class, else by the model's name."""
    if model_class is not None:
        return _ENCODER_DECODERS.fullmatch(model_class.removesuffix("Config")) is not None
    return _ENCODER_DECODER_NAMES.search(model or "") is not None


def layout_from_keys(names: Iterable[str]) -> Layout | None:
    """Layout that the dotted names of a configuration show; None when no submodule is among them."""
    heads = {name.rpartition(".")[0] for name in names if "." in name}
    lm = next((p for p in ("vlm.language_model", "language_model", "text_model", "vlm") if p in heads), "")
    vision = next(
        (p for p in ("vlm.vision_tower", "vlm.visual", "visual", "vision_tower", "vision_model") if p in heads),
        None,
    )
    return Layout(lm, vision) if lm or vision else None


def guess_class(model: str | None) -> str | None:
    """The multimodal class a model's name suggests; a guess, None when the name suggests none.

    >>> guess_class("Qwen/Qwen3-VL-2B-Instruct")
    'RBLNQwen3VLForConditionalGeneration'
    """
    text = (model or "").lower()
    return next((cls for pattern, cls in _FAMILIES if re.search(pattern, text)), None)
