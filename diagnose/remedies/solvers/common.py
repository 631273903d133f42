"""What the solvers share: the run's environment, and the answer for a value that is missing."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from diagnose.model import Text
from diagnose.remedies.agreement import Disagreement
from diagnose.remedies.constraints import violations
from diagnose.remedies.defaults import explicit, is_default
from diagnose.remedies.environment import MODEL_NUMBERS, Environment, MissingValue
from diagnose.remedies.problem import Problem, Solution
from diagnose.remedies.whole import is_whole

Formula = str | Callable[[Environment], str]


_CONFIG_JSON = Text(
    "The model's config.json has these numbers: give it with `--config config.json`.",
    "이 수치는 모델의 config.json에 있습니다. `--config config.json`으로 지정하세요.",
)


def environment(problem: Problem) -> Environment:
    return Environment(problem.numbers, problem.context, problem.knowledge)


def needs_value(formula: str, missing: tuple[str, ...]) -> Solution:
    """The formula with the known numbers in it, and what to supply."""
    note = _CONFIG_JSON if MODEL_NUMBERS & set(missing) else None
    return Solution(arithmetic=formula, applicability="needs-value", missing=missing, note=note)


def disagreeing(formula: str, env: Environment, error: Disagreement) -> Solution:
    """The formula without what is in doubt, and why no value is given."""
    text = filled(formula, env, (*error.names, "block"))
    return Solution(arithmetic=text, applicability="needs-value", missing=error.names, doubt=error.note)


def or_formula(
    formula: Formula, *, doubles: str | None = None
) -> Callable[[Callable[[Problem], Solution | None]], Callable[[Problem], Solution | None]]:
    """A solver that misses a value answers with ``formula``; names of known values in it are filled in. ``doubles``:
    the count of devices it doubles at least; there is no answer where the run does not see so many."""

    def decorate(solver: Callable[[Problem], Solution | None]) -> Callable[[Problem], Solution | None]:
        @wraps(solver)
        def solve(problem: Problem) -> Solution | None:
            try:
                return solver(problem)
            except Disagreement as error:
                env = environment(problem)
                return disagreeing(formula if isinstance(formula, str) else formula(env), env, error)
            except MissingValue as error:
                env = environment(problem)
                if doubles is not None and not _are_there(doubles, env):
                    return None
                text = formula if isinstance(formula, str) else formula(env)
                return needs_value(filled(text, env, error.names), error.names)

        return solve

    return decorate


def _are_there(parameter: str, env: Environment) -> bool:
    """Whether twice the ``parameter`` breaks no rule that it keeps now."""
    now = env.get(parameter)
    if not is_whole(now):
        return True
    rules = violations({parameter: now * 2}, env.context, env.knowledge)
    return not any(rule.id == "devices-there" for rule in rules)


def filled(formula: str, env: Environment, missing: tuple[str, ...] = ()) -> str:
    """``(available_blocks - 1) * block`` with the known names replaced by their values; ``missing`` ones and
    what only the library's default tells stay, and so does the name of a function."""
    import re

    def put(found: re.Match[str]) -> str:
        name = found[0]
        setting = None if name in env.numbers else env.context.setting(name)
        assumed = setting is not None and is_default(setting)
        value = None if name in missing or assumed else env.get(name)
        return name if value is None or isinstance(value, (str, bool)) else str(value)

    return re.sub(r"[A-Za-z_][\w.]*+(?!\s*\()", put, formula)


def device_count(env: Environment) -> int:
    """Devices of the language model. REBEL has one; a default counts only where the configuration was seen.

    Raises MissingValue.
    """
    if env.get("num_devices") is None and env.get("family") == "REBEL":
        return 1
    if explicit(env.context, "num_devices") is None and "num_devices" not in env.numbers:
        assumed = env.context.setting("num_devices") is not None and not env.context.defaults_known
        if assumed and env.get("family") != "REBEL":
            raise MissingValue(("num_devices",))
    count = int(env.require("num_devices"))
    if count < 1:
        raise MissingValue(("num_devices",))
    return count


def interval(low: int, high: int, *, advise: bool = True) -> Text:
    """The bound of an estimated number of blocks; ``advise`` where that number is the parameter itself."""
    if low >= high:
        return Text(f"Memory model: {high} blocks fit.", f"메모리 모델 추정값: {high}블록.")
    if not advise:
        return Text(
            f"Memory model: between {low} and {high} blocks fit.",
            f"메모리 모델 추정값이며, 실제로 들어가는 수는 {low}~{high}블록 사이입니다.",
        )
    return Text(
        f"Memory model: between {low} and {high} blocks fit. If this value still fails, take {low}.",
        f"메모리 모델 추정값이며, 실제로 들어가는 수는 {low}~{high}블록 사이입니다. 이 값도 실패하면 다음 "
        f"값을 사용하세요: {low}.",
    )
