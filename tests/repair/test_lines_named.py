"""A message of a broken line has one line number, wherever it is named."""

from __future__ import annotations

from diagnose import diagnose_bytes

QUOTED = """\
아래 로그 확인 부탁드립니다.
> (EngineCore pid=7) ERROR 11-30 08:07:35 [core.py:1366] ValueError: 
> Insufficient memory for the required KV cache: only 5 blocks can be 
> allocated, but at least 9 blocks are required. Consider reducing 
> `max_seq_len` or `batch_size` (currently 8) to lower the memory 
> requirement.
> (EngineCore pid=7) Process EngineCore:
> (EngineCore pid=7) Traceback (most recent call last):
> (EngineCore pid=7)   File "/opt/venv/lib/python3.11/site-
> packages/optimum/rbln/transformers/modeling_attention_utils.py", line 
> 276, in set_kvcache_num_blocks_after_compilation
> (EngineCore pid=7)     raise ValueError(
> (EngineCore pid=7) ValueError: Insufficient memory for the required 
> KV cache: only 5 blocks can be allocated, but at least 9 blocks are 
> required. Consider reducing `max_seq_len` or `batch_size` (currently 8) 
> to lower the memory requirement.
확인해보겠습니다
"""


def test_the_line_of_a_message_is_among_the_lines_it_was_seen_on() -> None:
    (finding,) = diagnose_bytes(QUOTED.encode()).findings
    assert finding.line == 3
    assert finding.lines == (3,)
