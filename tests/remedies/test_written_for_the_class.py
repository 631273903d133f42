"""A change is written with the names of the class and the path that have the message."""

from __future__ import annotations

import pytest

from diagnose import diagnose_bytes
from diagnose.context.classes import is_encoder_decoder

BLOCKS = (
    "RuntimeError: Not enough memory for 812 blocks of KV cache. "
    "Try reducing the number of blocks by setting --num-gpu-blocks-override.\n"
)
DECODER = (
    "Traceback (most recent call last):\n"
    '  File "gen.py", line 9, in <module>\n'
    "    model = RBLNBartForConditionalGeneration.from_pretrained(path)\n"
    "ValueError: Cache position exceeds the maximum sequence length.\n"
    "  - Current max cache position: 512\n  - Allowed max_seq_len: 512\n"
)
SIZES = {"max_seq_len": 32768, "kvcache_partition_len": 1024, "batch_size": 16}


def test_a_message_of_one_path_is_judged_by_the_rules_of_that_path() -> None:
    found = diagnose_bytes(BLOCKS.encode(), sets=SIZES, npu="RBLN-CR13").findings[0]
    fewer = next(r for r in found.remedies if r.id == "fewer-blocks")
    assert {c.parameter: c.to for c in fewer.changes} == {"kvcache_num_blocks": 730}
    assert "--num-gpu-blocks-override 730" in fewer.commands["vllm"]
    assert "limits the scheduler only" not in fewer.commands["vllm"]


def test_a_decoder_that_has_an_encoder_is_given_its_own_length() -> None:
    sets = {"max_seq_len": 512, "batch_size": 1, "request_tokens": 700, "max_position_embeddings": 1024}
    found = diagnose_bytes(DECODER.encode(), sets=sets, npu="RBLN-CA25").findings[0]
    longer = next(r for r in found.remedies if r.id == "longer-context")
    assert {c.parameter: c.to for c in longer.changes} == {"max_seq_len": 700}
    assert "dec_max_seq_len" in longer.commands["python"]
    assert '"max_seq_len"' not in longer.commands["python"]


@pytest.mark.parametrize(
    ("model", "limit"), [("RBLNBartForConditionalGeneration", 600), ("RBLNWhisperForConditionalGeneration", 4096)]
)
def test_a_decoder_is_not_made_longer_than_its_model(model: str, limit: int) -> None:
    text = DECODER.replace("RBLNBartForConditionalGeneration", model)
    sets = {"max_seq_len": 512, "batch_size": 1, "request_tokens": 700, "max_position_embeddings": limit}
    found = diagnose_bytes(text.encode(), sets=sets, npu="RBLN-CA25").findings[0]
    assert "longer-context" not in [r.id for r in found.remedies]


def test_encoder_decoders_are_known_by_class_and_else_by_name() -> None:
    assert is_encoder_decoder("RBLNT5ForConditionalGenerationConfig", None)
    assert not is_encoder_decoder("RBLNT5EncoderModel", "google/t5-base")
    assert not is_encoder_decoder("RBLNQwen3VLForConditionalGeneration", None)
    assert is_encoder_decoder(None, "google/flan-t5-base")
    assert is_encoder_decoder(None, "openai/whisper-large-v3")
    assert not is_encoder_decoder(None, "Qwen/Qwen3-32B")
    assert not is_encoder_decoder(None, "meta-llama/Llama-3.1-8B")
