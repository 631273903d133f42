"""Serving the same configuration with vllm-rbln, whose engine queues what a pool cannot hold."""

from __future__ import annotations

from diagnose.remedies.defaults import without_defaults
from diagnose.remedies.problem import Problem, Solution
from diagnose.remedies.solvers.common import environment


def serve_with_vllm(problem: Problem) -> Solution | None:
    """The ``vllm serve`` command of this run's configuration; nothing when vLLM served it already."""
    if problem.context.form in ("vllm-serve", "python-llm"):
        return None
    from diagnose.remedies.forms import serve_command

    command = serve_command(without_defaults(problem.context), problem.knowledge.parameters)
    values = {"max_seq_len": environment(problem).get("max_seq_len"), "model": problem.context.model}
    missing = tuple(name for name, value in values.items() if value is None)
    return Solution(applicability="needs-value" if missing else "exact", missing=missing, commands={"vllm": command})
