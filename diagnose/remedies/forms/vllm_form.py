"""``vllm``: flags for ``vllm serve``."""

from __future__ import annotations

import shlex

from diagnose.model import Value
from diagnose.remedies.forms import literals
from diagnose.remedies.forms.vllm_plan import VllmPlan


def render_vllm(plan: VllmPlan) -> str:
    """Comment lines, ``export`` lines and one line of flags; what must go is named in a comment."""
    lines = list(plan.notes)
    for variable, value in plan.environment.items():
        lines.append(f"unset {variable}" if value is None else f"export {variable}={literals.word(value)}")
    lines += [f"# remove {flag_of(name)}" for name, value in plan.arguments.items() if value is None]
    lines += [f"# remove --rbln-{_dashes(name)}" for name, value in plan.additional.items() if value is None]
    flag = additional_flag(plan)
    for path, value in plan.overrides.items():
        if value is None:
            lines.append(f"# remove {literals.quoted('.'.join(path))} from {flag}")
    if plan.processor and list(plan.processor) == [""]:
        lines.append("# remove --mm-processor-kwargs")
    lines += [f'# in the request: "{name}": {value}' for name, value in plan.request.items()]
    shown = flags(plan)
    return "\n".join([*lines, *([" ".join(shown)] if shown else [])])


def flags(plan: VllmPlan) -> list[str]:
    """Each flag with its value, quoted for a shell."""
    found = [flag(name, value) for name, value in plan.arguments.items() if value is not None]
    overrides = plan.all_overrides if plan.overrides or plan.old else {}
    if plan.old:
        given = {k: v for k, v in plan.additional.items() if v is not None}
        config = {**plan.beside, **given} if given or plan.overrides else {}
        if overrides:
            config["rbln_config"] = overrides
        if config:
            found.append(f"--additional-config {literals.json_word(config)}")
    else:
        for name, value in plan.additional.items():
            if value is not None:
                found.append(f"--rbln-{_dashes(name)} {literals.word(value)}")
        if overrides:
            found.append(f"--rbln-optimum-overrides {literals.json_word(overrides)}")
    if any(plan.processor):
        found.append(f"--mm-processor-kwargs {literals.json_word(plan.processor)}")
    return found


def flag(name: str, value: Value) -> str:
    """``max_model_len``, 4096 → ``--max-model-len 4096``; a truth value is ``--name`` or ``--no-name``."""
    if isinstance(value, bool):
        return f"--{_dashes(name)}" if value else f"--no-{_dashes(name)}"
    if isinstance(value, (list, tuple)) and name == "served_model_name":
        return f"--{_dashes(name)} " + " ".join(shlex.quote(str(item)) for item in value)
    return f"--{_dashes(name)} {literals.word(value)}"


def flag_of(name: str) -> str:
    return f"--{_dashes(name)}"


def additional_flag(plan: VllmPlan) -> str:
    return "--additional-config" if plan.old else "--rbln-optimum-overrides"


def _dashes(name: str) -> str:
    return name.replace("_", "-")
