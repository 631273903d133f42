"""From an entry's remedies to what a person can do: computed, checked against every constraint, in a fixed
order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from diagnose.knowledge.compiled import observing
from diagnose.knowledge.schema import Entry, Knowledge, RemedySpec
from diagnose.light import dataclass
from diagnose.model import SURETY, Applicability, Change, Remedy, RunContext, Text, Value
from diagnose.remedies.constraints import adjust
from diagnose.remedies.defaults import explicit, with_defaults
from diagnose.remedies.environment import MODEL_NUMBERS, Environment, MissingValue, artifact
from diagnose.remedies.expressions import ExpressionError, evaluate, explain, names_in
from diagnose.remedies.legible import legible
from diagnose.remedies.plausible import outside, why_outside
from diagnose.remedies.problem import TOP, Problem, Solution
from diagnose.remedies.proof import with_proven_release
from diagnose.remedies.refused import own_fault
from diagnose.remedies.render import fill, fill_command
from diagnose.remedies.solvers import SOLVERS
from diagnose.remedies.stated import Against, against, checked, outranked

UNSET = "unset"
"""As a whole value: the parameter is removed."""

NAMED_BY: Mapping[str, tuple[str, ...]] = {
    "max_seq_len": ("seq_len", "asked_len"),
    "batch_size": ("runtime_batch", "batch_size", "batch_compiled", "batch_expected", "seqs"),
    "kvcache_num_blocks": ("blocks_set",),
    "kvcache_partition_len": ("partition_len",),
    "visual.max_seq_len": ("available_patches", "seq_len"),
    "memory_budget": ("utilization", "budget_asked"),
    "dtype": ("runner_dtype",),
    "visual.batch_size": ("batch_asked", "value_given"),
    "data_parallel_size_local": ("dp_local",),
    "num_speculative_tokens": ("draft_tokens",),
    "max_logprobs": ("limit",),
    "decode_batch_bucket_step": ("step",),
    "decode_batch_bucket_limit": ("limit",),
    "gdn_chunk_size": ("gdn_chunk",),
    "lora_config.max_lora_rank": ("rank_given",),
    "decode_batch_bucket_min": ("min_batch",),
    "RBLN_NPUS_PER_DEVICE": ("npus_given", "needed"),
    "VLLM_RBLN_NUM_HIDDEN_LAYERS": ("layers",),
    "prefill_chunk_size": ("batched_tokens", "buffer_tokens", "chunk"),
    "num_devices": ("num_devices",),
    "tensor_parallel_size": ("tp", "tp_size"),
    "pipeline_parallel_size": ("stages", "local_pp"),
    "sub_block_size": ("sub_block",),
    "attn_impl": ("attn_asked",),
    "decoder_batch_sizes": ("compiled_batches",),
    "visual.max_soft_tokens": ("compiled_soft_tokens",),
    "max_new_tokens": ("output_len",),
    "enc_max_seq_len": ("bucket_max",),
}
"""Parameter → captured numbers that tell its value when no configuration does."""

_SCOPES = {"processor": "processor", "vllm": "vllm", "environment": "environment"}
_SUPPLIED = MODEL_NUMBERS | {"npu", "model", "layer_types"}
"""What a person can supply beside parameters."""


def prescribe(
    entry: Entry, numbers: Mapping[str, Value], context: RunContext, knowledge: Knowledge
) -> tuple[Remedy, ...]:
    """The remedies of ``entry`` for this run, surest first, in the entry's order among equals.

    ``numbers`` are the captured values. A remedy whose guard is false, whose change is in force already, or
    whose change cannot be made to satisfy every constraint is left out; one that misses a value stays, with
    its formula. Where nothing can be computed because a value in force is wrong by itself, that is said.
    """
    return prescribe_in(environment(numbers, context, knowledge), entry, context)


def environment(numbers: Mapping[str, Value], context: RunContext, knowledge: Knowledge) -> Environment:
    """What the texts and remedies of one finding rest on: what the message says before what was assumed, and nothing
    that cannot be read."""
    env = Environment(numbers, legible(with_defaults(context, knowledge), knowledge), knowledge)
    return replace(env, context=outranked(env))


def prescribe_in(env: Environment, entry: Entry, context: RunContext) -> tuple[Remedy, ...]:
    """``prescribe`` for an ``environment`` of ``context`` that is there already."""
    proven = with_proven_release(env.context, env.numbers, env.knowledge)
    if proven is not env.context:
        context = replace(context, versions=proven.versions)
        env = replace(env, context=proven)
    found: list[Remedy] = []
    refused: list[Remedy] = []
    for spec in entry.remedies:
        remedy = _remedy(spec, env, context, entry.component)
        if isinstance(remedy, _Refused):
            refused.append(remedy.remedy)
        elif remedy is not None and not any(_repeats(remedy, other) for other in found):
            found.append(remedy)
    if refused and not any(r.changes and r.applicability == "exact" for r in found):
        found.append(refused[0])
    return tuple(sorted(found, key=lambda r: r.order))


def cause_text(entry: Entry, numbers: Mapping[str, Value], context: RunContext, knowledge: Knowledge) -> Text:
    """The cause of ``entry`` as it is in this run: the first case whose guard is known to hold."""
    return cause_in(environment(numbers, context, knowledge), entry)


def cause_in(env: Environment, entry: Entry) -> Text:
    """``cause_text`` for an ``environment`` that is there already."""
    chosen = next((case for case in entry.cause if case.when is None or holds(case.when, env)), None)
    return Text("", "") if chosen is None else fill(chosen.text, env)


def title_text(entry: Entry, numbers: Mapping[str, Value], context: RunContext, knowledge: Knowledge) -> Text:
    """The title of ``entry`` with the run's numbers in it."""
    return title_in(environment(numbers, context, knowledge), entry)


def title_in(env: Environment, entry: Entry) -> Text:
    """``title_text`` for an ``environment`` that is there already."""
    return fill(entry.title, env)


def observe(knowledge: Knowledge, context: RunContext) -> Iterator[tuple[Entry, Mapping[str, Value]]]:
    """Entries no message announces whose observation is true of this configuration, with the values it
    looked at."""
    watching = list(observing(knowledge))
    env = environment({}, context, knowledge)
    for entry in watching:
        if entry.observe is None or not holds(entry.observe, env):
            continue
        if entry.when is not None and not holds(entry.when, env):
            continue
        values = {name: env.get(name) for name in names_in(entry.observe)}
        yield entry, {name: value for name, value in values.items() if value is not None}


def considered(entry: Entry, numbers: Mapping[str, Value], context: RunContext, knowledge: Knowledge) -> bool:
    """Whether a message of ``entry`` counts in this run: not when its guard is known to be false."""
    if entry.when is None:
        return True
    env = environment(numbers, context, knowledge)
    return holds(entry.when, env) is not False


def holds(guard: str, env: Environment) -> bool | None:
    """Whether a guard is true; None when a value it needs is unknown."""
    try:
        return bool(evaluate(guard, env))
    except MissingValue:
        return None
    except ExpressionError:
        return False


# --------------------------------------------------------------------------- one remedy


@dataclass(frozen=True, slots=True)
class _Refused:
    """A remedy without its change, which cannot go with a value in force."""

    remedy: Remedy


def _remedy(spec: RemedySpec, env: Environment, context: RunContext, component: str) -> Remedy | _Refused | None:
    if spec.when is not None and holds(spec.when, env) is False:
        return None
    solution = _solution(spec, env)
    if solution is None:
        return None
    changes: tuple[Change, ...] = ()
    if solution.changes:
        context = _asked(context, solution)
        adjusted = adjust(solution.changes, _asked(env.context, solution), env.knowledge)
        if adjusted is None:
            why = own_fault(solution.changes, _asked(env.context, solution), env.knowledge)
            return None if why is None else _Refused(_advice(spec, env, why))
        refuted = against({n: v for n, v in adjusted.items() if v != env.config(n)}, env.numbers)
        if refuted is not None:
            return _Refused(_in_doubt(spec, env, refuted))
        solution = replace(solution, changes=adjusted, arithmetic=_with_moves(solution, adjusted))
        strange = outside(env.knowledge.parameters, adjusted)
        if strange is not None:
            solution = Solution(applicability="advice", note=why_outside(strange))
        else:
            seen = checked(context, env.numbers)
            if seen is not context and _there(adjusted, context):
                return None
            context = seen
            changes = tuple(_changes(adjusted, env, context))
            if not changes:
                return None
    applicability, missing = _surety(spec, solution, env.knowledge)
    return Remedy(
        id=spec.id,
        applicability=applicability,
        title=fill(spec.title, env),
        changes=changes,
        arithmetic=solution.arithmetic,
        bound=solution.bound,
        missing=missing,
        doubt=solution.doubt,
        commands=_commands(spec, solution, changes, env, context, component),
        side_effect=_joined(None if spec.side_effect is None else fill(spec.side_effect, env), solution.note),
        verify=None if spec.verify is None else fill(spec.verify, env),
        first=solution.first,
    )


def _advice(spec: RemedySpec, env: Environment, why: Text) -> Remedy:
    return Remedy(id=spec.id, applicability="advice", title=fill(spec.title, env), side_effect=why)


def _in_doubt(spec: RemedySpec, env: Environment, refuted: Against) -> Remedy:
    return Remedy(
        id=spec.id,
        applicability="needs-value",
        title=fill(spec.title, env),
        missing=(refuted.parameter,),
        doubt=refuted.note,
    )


def _solution(spec: RemedySpec, env: Environment) -> Solution | None:
    if spec.solver is not None:
        solver = SOLVERS.get(spec.solver)
        return None if solver is None else solver(Problem(env.numbers, env.context, env.knowledge, spec.options))
    if not spec.set:
        return Solution(applicability="advice")
    try:
        return _by_expressions(spec.set, env)
    except ExpressionError:
        return None  # `kb lint` and `kb test` find it; a wrong number must not be shown


def _by_expressions(wanted: Mapping[str, str], env: Environment) -> Solution | None:
    """Values of all expressions; None when one of them has no answer. Raises ExpressionError."""
    changes: dict[str, Value] = {}
    shown: dict[str, str] = {}
    missing: dict[str, None] = {}
    for parameter, expression in wanted.items():
        if expression.strip() == UNSET:
            changes[parameter] = None
            continue
        text = explain(expression, env)
        if text:
            shown[parameter] = text
        try:
            value = evaluate(expression, env)
        except MissingValue as error:
            missing.update(dict.fromkeys(error.names))
            continue
        if value is None:
            return None
        changes[parameter] = value
    named = [f"{p} = {text}" for p, text in shown.items()] if len(shown) > 1 else list(shown.values())
    if missing:
        return Solution(arithmetic="; ".join(named), applicability="needs-value", missing=tuple(missing))
    return Solution(changes, "; ".join(named))


def _asked(context: RunContext, solution: Solution) -> RunContext:
    """The run without the pool of a compiled artifact: the library chose that number, so a new compile does not
    start from it."""
    pool = context.place("kvcache_num_blocks")
    if not artifact(context) or "kvcache_num_blocks" in solution.changes:
        return context
    return replace(context, config={n: s for n, s in context.config.items() if n not in (pool, "kvcache_num_blocks")})


def _with_moves(solution: Solution, adjusted: Mapping[str, Value]) -> str:
    """The arithmetic, and after it the values a constraint moved or brought along."""
    moved = [
        f"{name} = {'unset' if value is None else value}"
        for name, value in adjusted.items()
        if name not in solution.changes or solution.changes[name] != value
    ]
    return "; ".join(part for part in (solution.arithmetic, *moved) if part)


def _changes(values: Mapping[str, Value], env: Environment, context: RunContext) -> Iterator[Change]:
    for parameter, to in values.items():
        if parameter.startswith(TOP):
            name = parameter.removeprefix(TOP)
            there = context.config.get(name)
            if there is None or there.value != to:
                yield Change(name, None if there is None else there.value, to, "rbln_config")
            continue
        now = _in_force(parameter, to, env, context)
        default = env.config(parameter)
        by_default = now is None and to is not None and _same(parameter, to, default)
        if by_default or (_same(parameter, to, now) and not _other_unit(parameter, to, now)):
            continue
        level = p.level if (p := env.knowledge.parameters.get(parameter)) is not None else "lm"
        scope = _SCOPES.get(level, "rbln_config")
        yield Change(context.place(parameter), now, to, scope)  # type: ignore[arg-type]


def _there(values: Mapping[str, Value], context: RunContext) -> bool:
    """Whether the configuration has all of these values, whatever the message says of an earlier one."""
    found = {name: explicit(context, name) for name in values}
    return all(setting is not None and _same(name, values[name], setting.value) for name, setting in found.items())


def _in_force(parameter: str, to: Value, env: Environment, context: RunContext) -> Value:
    """The value that was in force: as the message says it, else from the configuration. Where the two differ and
    one is the proposed value, it is the configuration that has it or has to get it."""
    setting = explicit(context, parameter)
    said = next((v for n in NAMED_BY.get(parameter, ()) if (v := env.numbers.get(n)) is not None), None)
    if setting is None:
        return (
            int(said) if isinstance(said, str) and said.isdecimal() else said
        )  # a word of the message: batch_size has 4
    if isinstance(setting.value, str) and isinstance(
        said, int
    ):  # memory_budget: "20GB", which the message has in bytes
        return setting.value
    return setting.value if said is None or _same(parameter, to, said) or _same(parameter, to, setting.value) else said


def _other_unit(parameter: str, to: Value, now: Value) -> bool:
    """``memory_budget: 1`` is one byte, 1.0 is everything."""
    return parameter == "memory_budget" and isinstance(to, float) and isinstance(now, int)


def _same(parameter: str, to: Value, now: Value) -> bool:
    """Equal as settings: a list of one is its element, an automatic pool (0) is an unset one, True is not
    1."""
    if to is None:
        return now is None or (parameter.endswith("kvcache_num_blocks") and now == 0)
    to, now = (v[0] if isinstance(v, (list, tuple)) and len(v) == 1 else v for v in (to, now))
    return isinstance(to, bool) == isinstance(now, bool) and to == now


def _surety(spec: RemedySpec, solution: Solution, knowledge: Knowledge) -> tuple[Applicability, tuple[str, ...]]:
    """How sure the remedy is, capped by the entry, and what can be supplied. A formula whose missing value
    nobody can supply is advice."""
    missing = tuple(n for n in solution.missing if n in knowledge.parameters or n in _SUPPLIED)
    sure = solution.applicability
    if sure == "needs-value" and not missing:
        sure = "advice"
    if spec.applicability is not None and SURETY[spec.applicability] > SURETY[sure]:
        sure = spec.applicability
    return sure, missing


_OWN_FORM: Mapping[str, str] = {"vllm": "vllm", "vllm-rbln": "vllm"}
"""Component of an entry → the form its users have, where the log does not show it."""


def _commands(
    spec: RemedySpec,
    solution: Solution,
    changes: tuple[Change, ...],
    env: Environment,
    context: RunContext,
    component: str,
) -> Mapping[str, str]:
    made: dict[str, str] = {}
    if changes:
        from diagnose.remedies.forms import commands

        # The names are placed already, and one that belongs to the top level must stay there.
        literal = any(name.startswith(TOP) for name in solution.changes)
        about = replace(context, lm_prefix="") if literal else context
        made.update(commands(changes, about, env.knowledge.parameters, own=_OWN_FORM.get(component)))
    made.update(solution.commands)
    made.update({name: fill_command(text, env) for name, text in spec.commands.items()})
    return made


def _joined(text: Text | None, note: Text | None) -> Text | None:
    if text is None or note is None:
        return text or note
    return Text(f"{text.en} {note.en}", f"{text.ko} {note.ko}")


def _repeats(remedy: Remedy, other: Remedy) -> bool:
    """The same changes for the same reason are offered once."""
    return bool(remedy.changes) and _values(remedy) == _values(other)


def _values(remedy: Remedy) -> list[tuple[str, Value]]:
    """What a remedy sets; a list of one is its element."""
    return [
        (c.parameter, c.to[0] if isinstance(c.to, (list, tuple)) and len(c.to) == 1 else c.to) for c in remedy.changes
    ]
