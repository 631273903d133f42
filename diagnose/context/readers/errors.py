"""The one-line refusals of ``--config``: what is wrong and what is accepted."""

from __future__ import annotations

from diagnose.model import InputError, Text

ACCEPTED = Text(
    en=(
        "rbln_config.json or an artifact directory, a Hugging Face config.json or preprocessor_config.json, "
        "a Python script with from_pretrained(...) or LLM(...), a shell script with vllm serve or "
        "optimum-rbln-cli, compose or Kubernetes YAML"
    ),
    ko=(
        "rbln_config.json 또는 산출물 디렉터리, Hugging Face config.json 또는 preprocessor_config.json, "
        "from_pretrained(...)나 LLM(...)이 있는 Python 스크립트, vllm serve나 optimum-rbln-cli가 있는 "
        "셸 스크립트, compose 또는 Kubernetes YAML"
    ),
)


def refused(name: str, reason: Text) -> InputError:
    """``--config NAME`` cannot be used because of ``reason``; says what can."""
    shown = " ".join(name.split()) or "''"
    return InputError(
        Text(
            en=f"--config {shown}: {reason.en}; give {ACCEPTED.en}",
            ko=f"--config {shown}: {reason.ko}. 사용할 수 있는 입력: {ACCEPTED.ko}",
        )
    )
