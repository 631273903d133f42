#!/usr/bin/env bash
# The oracle's own virtual environment: the real optimum-rbln, torch and transformers on a CPU, and what
# rbln-diagnose itself needs. No NPU driver and no `rebel` package: oracle/rebel_standin takes its place.
# Usage: oracle/setup.sh [DIRECTORY]   (default: oracle/.venv)
# ORACLE_VLLM=0 leaves vLLM out (300 MB, only a few of its files are read); its family is skipped then.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
venv="${1:-$here/.venv}"
python="${PYTHON:-python3}"

[ -x "$venv/bin/python" ] || "$python" -m venv "$venv"
pip() { "$venv/bin/python" -m pip --disable-pip-version-check --quiet "$@"; }

# torch 2.13.0 and transformers 5.15.1: the releases optimum-rbln 0.12.0 asks for.
pip install "torch==2.13.0"
pip install "transformers==5.15.1" "tokenizers==0.22.1" "accelerate>=1.0.1" "diffusers==0.38.0" pillow
# --no-deps: its own pins name a "+cpu" build that package indexes do not carry.
pip install --no-deps "optimum-rbln==0.12.0"
pip install --no-deps "vllm-rbln==0.12.0"
if [ "${ORACLE_VLLM:-1}" != 0 ]; then
  pip install --no-deps "vllm==0.30.0"
  pip install psutil
fi
# The product runs from the source tree beside this directory; only its dependencies are installed.
"$venv/bin/python" - "$here/../pyproject.toml" >"$venv/product-requirements.txt" <<'PY'
import re
import sys
from pathlib import Path

block = re.search(r"^dependencies = \[(.*?)^\]", Path(sys.argv[1]).read_text(encoding="utf-8"), re.M | re.S)
print("\n".join(re.findall(r'^\s*"([^"]+)"', block.group(1), re.M)))
PY
pip install -r "$venv/product-requirements.txt"
echo "oracle: $venv is ready"
