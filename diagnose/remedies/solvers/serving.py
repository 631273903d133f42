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
    known = environment(problem).get("max_seq_len") is not None and problem.context.model is not None
    return Solution(applicability="exact" if known else "advice", commands={"vllm": command})
