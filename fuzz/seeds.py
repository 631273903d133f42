"""What mutation starts from: the fixtures, the examples of the knowledge base, and small configuration files."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from diagnose.knowledge import Knowledge, load
from diagnose.knowledge.source import entry_files

ROOT = Path(__file__).resolve().parent.parent
MOST_LINES = 24
"""Lines of a fixture taken as one seed: small inputs are read fast, and break as well as long ones."""


@dataclass(frozen=True, slots=True)
class Seeds:
    """Texts by what they are."""

    logs: tuple[str, ...]
    templates: tuple[str, ...]
    expressions: tuple[str, ...]
    entries: tuple[str, ...]
    json_files: tuple[str, ...]
    yaml_files: tuple[str, ...]
    scripts: tuple[str, ...]
    shells: tuple[str, ...]
    sets: tuple[str, ...]


@lru_cache(maxsize=1)
def seeds() -> Seeds:
    """Read once; every process that is forked afterwards shares them."""
    knowledge = load()
    entries = tuple(path.read_text("utf-8") for path in entry_files(ROOT / "kb" / "entries")[::4])
    return Seeds(
        logs=(*_fixtures(), *(e.text for entry in knowledge.entries.values() for e in entry.examples)),
        templates=tuple(s.template for s in knowledge.signatures if s.template),
        expressions=_expressions(knowledge),
        entries=entries,
        json_files=tuple(json.dumps(one) for one in _JSON),
        yaml_files=_YAML,
        scripts=_PYTHON,
        shells=_SHELL,
        sets=(*(f"{name}=8" for name in knowledge.parameters), "image=1920x1080", "vllm=0.22.0", "npu=x"),
    )


def _fixtures() -> list[str]:
    found = []
    for path in sorted((ROOT / "fixtures").glob("*.log")):
        lines = path.read_text("utf-8").splitlines(keepends=True)
        found += ["".join(lines[at : at + MOST_LINES]) for at in range(0, len(lines), MOST_LINES)]
    return found


def _expressions(knowledge: Knowledge) -> tuple[str, ...]:
    found = [constraint.rule for constraint in knowledge.constraints]
    for entry in knowledge.entries.values():
        for remedy in entry.remedies:
            found += [*remedy.set.values(), *([remedy.when] if remedy.when else [])]
    return tuple(dict.fromkeys(found))


_RBLN = {
    "cls_name": "RBLNQwen3VLForConditionalGenerationConfig",
    "max_seq_len": 262144,
    "batch_size": 8,
    "decoder_batch_sizes": [8, 4, 1],
    "kvcache_partition_len": 16384,
    "visual": {"cls_name": "RBLNQwen3VLVisionModelConfig", "max_seq_len": [16384], "device": 0},
    "_compile_cfgs": [{"compiled_model_name": "prefill", "num_devices": 4, "npu": "RBLN-CA25"}],
    "kvcache_metas": [{"name": "past_key_values_0", "shape": [17, 8, 16384, 128], "dtype": "bfloat16"}],
    "optimum_rbln_version": "0.12.0",
}
_JSON = (
    _RBLN,
    {"architectures": ["Qwen3ForCausalLM"], "model_type": "qwen3", "num_hidden_layers": 36, "head_dim": 128},
    {"model_type": "qwen3_vl", "text_config": {"hidden_size": 4096}, "vision_config": {"patch_size": 16, "depth": 27}},
    {"image_processor_type": "Qwen2VLImageProcessorFast", "size": {"longest_edge": 16777216, "shortest_edge": 65536}},
)
_YAML = (
    "services:\n  a: &a\n    image: x/vllm-rbln:0.12\n    command: serve m --max-model-len 8192\n"
    "    environment: [RBLN_DEVICES=0]\n  b:\n    <<: *a\n    command: ['--tensor-parallel-size', '4']\n",
    "apiVersion: apps/v1\nkind: Deployment\nspec:\n  template:\n    spec:\n      containers:\n"
    "      - name: a\n        command: [bash, -c]\n        args: ['exec vllm serve m --max-num-seqs 8']\n"
    "        env: [{name: RBLN_NPU_NAME, value: RBLN-CA25}]\n",
)
_PYTHON = (
    "from optimum.rbln import RBLNQwen3ForCausalLM as M\nB = 4\nfor n in (1, 2):\n    B = B * n\n"
    "cfg = {'batch_size': B, 'max_seq_len': 1024 * 8, **({'a': 1} if B > 2 else {})}\n"
    "model = M.from_pretrained('Qwen/Qwen3-8B', export=True, rbln_config=cfg)\nmodel.save_pretrained('out')\n",
    "from vllm import LLM, SamplingParams\nimport os\nos.environ['RBLN_DEVICES'] = '0,1'\n"
    "def make(n=8):\n    return LLM(model='m', max_model_len=4 << 10, max_num_seqs=n, block_size=1024)\n"
    "if __name__ == '__main__':\n    make(2).generate(['x'], SamplingParams(max_tokens=5))\n",
    "match x:\n    case 1: y = f'{x!r:>{3}}'\ntry:\n    z = [a for a in range(3) if a]\nexcept* OSError: pass\n",
)
_SHELL = (
    "#!/bin/bash\nset -e\nexport RBLN_DEVICES=0,1\nM=Qwen/Qwen3-8B\nvllm serve $M \\\n  --max-model-len 8192 "
    '--additional-config \'{"rbln_config": {"batch_size": 8}}\' > log 2>&1 &\n',
    "python -m vllm.entrypoints.openai.api_server --model m --block-size=1024 # note\n",
    'optimum-rbln-cli compile --model m --rbln-config.batch_size 4 <<EOF\nx\nEOF\nbash -c "vllm serve m -tp 2"\n',
)
