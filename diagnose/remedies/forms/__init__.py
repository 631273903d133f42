"""How a change is shown: the flags, keywords, diffs and commands a person pastes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from diagnose.knowledge.schema import Parameter
from diagnose.model import Change, RunContext
from diagnose.remedies.forms.cli_form import render_cli
from diagnose.remedies.forms.llm_form import render_llm
from diagnose.remedies.forms.names import items
from diagnose.remedies.forms.processor_form import is_processor, render_processor
from diagnose.remedies.forms.python_form import render_python
from diagnose.remedies.forms.serve import serve_command
from diagnose.remedies.forms.vllm_form import render_vllm
from diagnose.remedies.forms.vllm_plan import vllm_plan

__all__ = ["commands", "serve_command"]

_FIRST = {"vllm-serve": "vllm", "python-llm": "llm", "optimum-python": "python", "optimum-cli": "cli"}
_ORDER = ("python", "processor", "vllm", "llm", "cli")


def commands(
    changes: Sequence[Change],
    context: RunContext,
    parameters: Mapping[str, Parameter],
    *,
    own: str | None = None,
) -> dict[str, str]:
    """Form → text to paste, the person's own first (``own`` where the run does not show it); a form that cannot say
    all of it is left out.

    ``vllm``: flags of ``vllm serve``; ``llm``: keywords of ``LLM(...)``; ``python``: rbln_config as a diff;
    ``cli``: flags of ``optimum-rbln-cli``; ``processor``: the Hugging Face processor in Python. The lines of
    ``llm`` and ``python`` carry a marker (``-``, ``+`` or blank) and a blank in front.
    """
    if not changes:
        return {}
    every = items(changes, context, parameters)
    plain = [item for item in every if not is_processor(item)]
    plan = vllm_plan(every, context, parameters)
    found = {
        "python": render_python(plain, context, parameters) if plain else None,
        "processor": render_processor(every, context),
        "vllm": render_vllm(plan) if plan is not None else None,
        "llm": render_llm(plan, every, context, parameters) if plan is not None else None,
        "cli": render_cli(plain, context) if plain else None,
    }
    first = _FIRST.get(context.form or "") or ("vllm" if context.path == "vllm" else own or "python")
    order = sorted(_ORDER, key=lambda form: form != first)
    return {form: text for form in order if (text := found[form])}
