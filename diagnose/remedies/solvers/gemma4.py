"""Image prefill buckets of Gemma 4. Source: optimum-rbln 0.12.0 ``gemma4/configuration_gemma4.py``."""

from __future__ import annotations

from diagnose.model import Value
from diagnose.remedies.defaults import explicit
from diagnose.remedies.environment import Environment, MissingValue
from diagnose.remedies.problem import Problem, Solution
from diagnose.remedies.solvers.common import environment, or_formula
from diagnose.remedies.whole import as_list

MULTIPLE = 128
PARAMETER = "image_prefill_chunk_size"


def bucket_for(tokens: int) -> int:
    """The smallest bucket that holds an image of ``tokens`` soft tokens."""
    return -(-tokens // MULTIPLE) * MULTIPLE


def _soft_tokens(env: Environment) -> list[int]:
    """max_soft_tokens of the vision tower, ascending; the library's default where the configuration was seen and
    does not set it. The message names all of them or the largest: a configuration that goes with neither is not that of
    the run. Raises MissingValue."""
    chosen, said = explicit(env.context, "visual.max_soft_tokens"), as_list(env.numbers.get("soft_tokens"))
    found = sorted(as_list(None if chosen is None else chosen.value))
    if said and (not found or found[-1] != max(said)):
        several = len(_given(env)) != 1 and isinstance(env.numbers.get("soft_tokens"), int)
        found = [] if found or several else sorted(said)  # which of several buckets are used, the largest does not tell
        if not found:
            raise MissingValue(("visual.max_soft_tokens",))
    if not found:
        found = sorted(as_list(env.config("visual.max_soft_tokens")))
    if not found and explicit(env.context, PARAMETER) is not None:
        found = as_list(env.knowledge.parameters["visual.max_soft_tokens"].default.get("any"))
    if not found or found[0] < 1:
        raise MissingValue(("visual.max_soft_tokens",))
    return found


def _given(env: Environment) -> list[int]:
    """The buckets in force, all of them; none where only the largest is known."""
    return as_list(env.config(PARAMETER)) or as_list(env.numbers.get("chunks"))


@or_formula("ceil(max_soft_tokens / 128) * 128 for each")
def gemma4_derive_chunks(problem: Problem) -> Solution | None:
    """One bucket per soft-token count, as the library derives them: 70, 140, 280, 560, 1120 → 128, 256,
    384, 640, 1152."""
    tokens = _soft_tokens(environment(problem))
    chunks = sorted({bucket_for(t) for t in tokens})
    return Solution({PARAMETER: chunks}, f"ceil({tokens} / {MULTIPLE}) * {MULTIPLE} = {chunks}")


SOFT_TOKENS = (70, 140, 280, 560, 1120)
"""What the image processor can make of an image. Source: Gemma 4 bucketing tutorial, v0.12.0."""


@or_formula("visual.max_soft_tokens + the soft tokens of the image")
def gemma4_soft_tokens_added(problem: Problem) -> Solution | None:
    """The vision tower compiled for the token count of the image too, and a prefill bucket for it where the buckets
    were written by hand; unwritten ones follow by themselves."""
    env = environment(problem)
    wanted = env.require("soft_tokens")
    compiled = as_list(env.numbers.get("compiled_soft_tokens")) or as_list(env.config("visual.max_soft_tokens"))
    if not compiled:
        raise MissingValue(("visual.max_soft_tokens",))
    if wanted not in SOFT_TOKENS or wanted in compiled:
        return None
    tokens = sorted({*compiled, wanted})
    changes: dict[str, Value] = {"visual.max_soft_tokens": tokens}
    chunks = as_list(env.config(PARAMETER))
    text = f"{compiled} -> {tokens}"
    if chunks:
        buckets = sorted({min((c for c in {*chunks, bucket_for(t)} if c >= t), default=bucket_for(t)) for t in tokens})
        if buckets != sorted(chunks):
            changes[PARAMETER] = buckets
            text += f"; ceil({wanted} / {MULTIPLE}) * {MULTIPLE} = {bucket_for(wanted)}"
    return Solution(changes, text)


def _buckets(env: Environment) -> str:
    least = env.numbers.get("chunk_min")
    return f"n * {MULTIPLE} for each bucket, the largest >= {least if isinstance(least, int) else 'max_soft_tokens'}"


@or_formula(_buckets)
def gemma4_smallest_change(problem: Problem) -> Solution | None:
    """The given buckets with the least that makes them valid: rounded up to 128, the largest added when it
    is missing, buckets no image uses removed. The order stays as the person wrote it."""
    env = environment(problem)
    given = _given(env)
    largest = env.numbers.get("chunk")
    if not given or (isinstance(largest, int) and max(given) != largest):
        raise MissingValue((PARAMETER,))
    tokens = _soft_tokens(env)
    rounded = list(dict.fromkeys(bucket_for(max(c, 1)) for c in given))
    top = bucket_for(tokens[-1])
    if max(rounded) < tokens[-1]:
        rounded = [top, *rounded] if rounded == sorted(rounded, reverse=True) and len(rounded) > 1 else [*rounded, top]
    used = {min(c for c in rounded if c >= t) for t in tokens}
    kept = [c for c in rounded if c in used]
    if kept == given:
        return None
    single = not isinstance(env.config(PARAMETER), (list, tuple)) and len(kept) == 1
    value: Value = kept[0] if single else kept
    text = f"{given} -> {kept}; n * {MULTIPLE}; max = {max(kept)} >= {tokens[-1]}"
    return Solution({PARAMETER: value}, text)
