"""Serving the same configuration with vllm-rbln, whose engine queues what a pool cannot hold."""

from __future__ import annotations

from dataclasses import replace

from diagnose.model import RunContext, Setting
from diagnose.remedies.defaults import without_defaults
from diagnose.remedies.environment import Environment
from diagnose.remedies.problem import Problem, Solution
from diagnose.remedies.solvers.common import environment


def serve_with_vllm(problem: Problem) -> Solution | None:
    """The ``vllm serve`` command of this run's configuration; nothing when vLLM served it already."""
    if problem.context.form in ("vllm-serve", "python-llm"):
        return None
    from diagnose.remedies.forms import serve_command

    env = environment(problem)
    command = serve_command(_as_eager(without_defaults(problem.context), env), problem.knowledge.parameters)
    values = {"max_seq_len": env.get("max_seq_len"), "model": problem.context.model}
    missing = [name for name, value in values.items() if value is None]
    if "<BLOCK_SIZE>" in command:
        missing.append("kvcache_partition_len")
    return Solution(
        applicability="needs-value" if missing else "exact", missing=tuple(missing), commands={"vllm": command}
    )


def _as_eager(context: RunContext, env: Environment) -> RunContext:
    """The run with its attention mode named where only the absence of a partition says that it is eager."""
    if env.get("flash") is not False or context.get("attn_impl") is not None:
        return context
    eager = Setting("eager", None, "no kvcache_partition_len")
    return replace(context, config={**context.config, context.place("attn_impl"): eager})
