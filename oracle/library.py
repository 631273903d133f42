"""The real library, driven: tiny or weightless models compiled, loaded and called over the stand-in."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any
from unittest import mock

from oracle.case import Case, TextShape, VisionShape

STANDIN = Path(__file__).resolve().parent / "rebel_standin"


def install() -> None:
    """Makes ``import rebel`` give the stand-in. Call before anything imports optimum.rbln."""
    if str(STANDIN) not in sys.path:
        sys.path.insert(0, str(STANDIN))


def warm_up() -> None:
    """Imports the library: seconds, and its loggers stand before anything listens to them."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # "requires rebel-compiler": the stand-in is no installed package
        from optimum import rbln

        _ = rbln.RBLNLlamaForCausalLM


@contextmanager
def machine(case: Case, native: Any) -> Iterator[Any]:
    """The case's machine, with nothing allocated on it."""
    from rebel.host import Host, use_host

    about = case.machine
    new = Host(
        npu=about.npu if about.devices else None,
        devices=about.devices,
        workspace_bytes=about.workspace_bytes,
        held_bytes=about.held_bytes,
        console=native,
    )
    with use_host(new):
        yield new


@contextmanager
def no_graph() -> Iterator[None]:
    """Leaves out the module that is only traced: building it fills rotary tables of hundreds of megabytes, and nothing
    is traced here."""
    from optimum.rbln.transformers.models.decoderonly.modeling_decoderonly import RBLNDecoderOnlyModel

    with mock.patch.object(RBLNDecoderOnlyModel, "_wrap_model_if_needed", lambda model, _config: model):
        yield


@lru_cache(maxsize=64)
def text_config(shape: TextShape) -> Any:
    """A Llama configuration, or a Mistral one where there is a sliding window."""
    from transformers import LlamaConfig, MistralConfig

    numbers = {name: value for name, value in asdict(shape).items() if name != "sliding_window"}
    if shape.sliding_window is not None:
        return MistralConfig(**numbers, sliding_window=shape.sliding_window)
    return LlamaConfig(**numbers, tie_word_embeddings=False)


@lru_cache(maxsize=32)
def text_model(shape: TextShape) -> Any:
    """The model without memory: its parameters are on the meta device."""
    import torch
    from transformers import LlamaForCausalLM, MistralForCausalLM

    model_class = MistralForCausalLM if shape.sliding_window is not None else LlamaForCausalLM
    with torch.device("meta"):
        return model_class(text_config(shape)).to(torch.bfloat16)


def compile_text(case: Case) -> Any:
    """Compiles the case's language model with its rbln_config, as ``from_pretrained(export=True)`` does after loading
    the weights."""
    from optimum import rbln

    if not isinstance(case.model, TextShape):
        raise TypeError("a case with a text model")
    model = text_model(case.model)
    name = "RBLNMistralForCausalLM" if case.model.sliding_window is not None else "RBLNLlamaForCausalLM"
    with no_graph():
        return getattr(rbln, name).from_model(model, rbln_config=copied(case.config))


def embed(case: Case, rows: int, tokens: int) -> None:
    """Compiles the model without its head and calls it with a batch of ``rows``."""
    import torch
    from optimum import rbln
    from transformers import LlamaModel

    with torch.device("meta"):
        model = LlamaModel(text_config(case.model)).to(torch.bfloat16)
    with no_graph():
        compiled = rbln.RBLNLlamaModel.from_model(model, rbln_config=copied(case.config))
    compiled(input_ids=torch.ones((rows, tokens), dtype=torch.int64))


def save_and_load(case: Case, overrides: Mapping[str, Any]) -> Any:
    """Compiles without runtimes, saves, and loads the artifact with ``overrides``."""
    from optimum import rbln

    name = "RBLNLlamaForCausalLM"
    with tempfile.TemporaryDirectory() as directory, no_graph():
        model = getattr(rbln, name).from_model(
            text_model(case.model),
            rbln_config={**copied(case.config), "create_runtimes": False},
            model_save_dir=directory,
        )
        del model
        return getattr(rbln, name).from_pretrained(directory, export=False, rbln_config=copied(overrides))


def copied(config: Mapping[str, Any]) -> dict[str, Any]:
    """The library changes what it is given."""
    return {
        name: copied(value)
        if isinstance(value, Mapping)
        else list(value)
        if isinstance(value, (list, tuple))
        else value
        for name, value in config.items()
    }


def generate(model: Any, rows: int, prompt_tokens: int, new_tokens: int) -> None:
    """Greedy generation from a prompt of ones."""
    import torch

    ids = torch.ones((rows, prompt_tokens), dtype=torch.int64)
    model.generate(
        input_ids=ids,
        attention_mask=torch.ones_like(ids),
        max_new_tokens=new_tokens,
        do_sample=False,
        eos_token_id=None,
    )


def vision_config(shape: VisionShape) -> Any:
    """The smallest vision encoder of its kind with the real patch and merge sizes."""
    if shape.kind == "qwen3_vl":
        from transformers.models.qwen3_vl.configuration_qwen3_vl import Qwen3VLVisionConfig

        return Qwen3VLVisionConfig(
            depth=1, hidden_size=32, intermediate_size=32, num_heads=2, out_hidden_size=32, patch_size=shape.patch,
            spatial_merge_size=shape.merge, deepstack_visual_indexes=[0], num_position_embeddings=64,
        )  # fmt: skip
    from transformers.models.qwen2_5_vl.configuration_qwen2_5_vl import Qwen2_5_VLVisionConfig

    return Qwen2_5_VLVisionConfig(
        depth=1, hidden_size=32, intermediate_size=32, num_heads=2, out_hidden_size=32, patch_size=shape.patch,
        spatial_merge_size=shape.merge, window_size=112, fullatt_block_indexes=[0], spatial_patch_size=shape.patch,
    )  # fmt: skip


@lru_cache(maxsize=8)
def vision_model(shape: VisionShape) -> Any:
    import torch

    if shape.kind == "qwen3_vl":
        from transformers.models.qwen3_vl.modeling_qwen3_vl import Qwen3VLVisionModel as Model
    else:
        from transformers.models.qwen2_5_vl.modeling_qwen2_5_vl import Qwen2_5_VisionTransformerPretrainedModel as Model
    torch.manual_seed(0)
    return Model(vision_config(shape)).eval()
