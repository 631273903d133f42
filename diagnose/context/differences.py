"""Where a file or ``--set`` says another value than the log: the log counts, and it is said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from diagnose.context import ranks
from diagnose.context.claims import SET, Claim, same
from diagnose.context.classes import Layout, guess_class
from diagnose.light import dataclass
from diagnose.model import MESSAGE, GivenConfig, Noted, RunContext, Setting, Value

FILE_DIFFERS = "config.file-differs"
OF_ANOTHER_RUN = "config.file-of-another-run"
SET_DIFFERS = "config.set-differs"
"""Entries that say so."""

_BLOCK = "kvcache_block_size"
_PARTITION = "kvcache_partition_len"
_ONE_THING = {_BLOCK: _PARTITION, _PARTITION: _BLOCK}
"""Flash attention's block is its partition. Source: optimum-rbln 0.12.0 ``modeling_attention_utils.py``."""
_OF_A_COMPILE = frozenset(
    {
        *_ONE_THING,
        "max_seq_len",
        "batch_size",
        "num_devices",
        "attn_impl",
        "prefill_chunk_size",
        "decoder_batch_sizes",
    }
)
"""Fields of which one compile has one value. Numbers of blocks and budgets may be edited in an artifact."""
_ARTIFACT_FILE = "rbln_config.json"
_LAUNCHED = frozenset({"vllm-serve", "python-llm"})
"""What such a file asks for and does not get is told as overruled."""
_STATED_RANK = ranks.INFERRED - 1


@dataclass(frozen=True, slots=True)
class Differences:
    """What was given by hand, without what does not count of it."""

    claims: tuple[Claim, ...]
    given: tuple[GivenConfig, ...]
    """Without the values of artifacts of another compile than the run's. Where it is not what was handed over, the
    claims have to be collected anew."""
    noted: tuple[Noted, ...]


@dataclass(frozen=True, slots=True)
class _Unlike:
    name: str
    value: Value
    said_as: str
    """The name under which the log says …"""
    said: Value
    """… its value."""
    proven: bool
    """The library printed what it compiles with, or refused: it is no wish."""

    def __str__(self) -> str:
        other = "" if self.said_as == self.name else f"{self.said_as} "
        return f"{self.name} {self.value} / {other}{self.said}"


def differences(
    claims: Sequence[Claim],
    given: Sequence[GivenConfig],
    stated: Mapping[str, Sequence[Value]],
    layout: Layout,
    about: RunContext,
) -> Differences:
    """``claims`` (names placed) of the files and ``--set`` against those of the log and ``stated``: canonical parameter
    → values that messages name."""
    in_messages = {name: values for n, values in stated.items() for name in (n, f"{layout.lm_prefix}.{n}") if values}
    logged = _logged(claims)
    noted: list[Noted] = []
    kept: list[GivenConfig] = []
    for config in given:
        unlike = tuple(_unlike(_of_file(config, claims), logged, in_messages))
        other = config.kind == _ARTIFACT_FILE and any(one.proven for one in unlike)
        if unlike and config.form not in _LAUNCHED:
            entry = OF_ANOTHER_RUN if other else FILE_DIFFERS
            noted.append(Noted(entry, {"file": config.name, "unlike": ", ".join(map(str, unlike))}))
        kept.append(_of_another(config, about) if other else config)
    left, stated_claims = [], {}
    for claim in claims:
        values = in_messages.get(claim.name)
        if claim.setting.line is None and values and claim.setting.value is not None and _differs(claim, values):
            if len(set(values)) == 1:
                stated_claims[claim.name] = Claim(claim.name, Setting(values[0], None, MESSAGE), (_STATED_RANK, 0))
            if claim.setting.origin == SET:
                numbers = {"parameter": claim.name, "asked": claim.setting.value, "in_force": values[-1]}
                noted.append(Noted(SET_DIFFERS, numbers))
                continue
        left.append(claim)
    return Differences((*left, *stated_claims.values()), tuple(kept), tuple(noted))


def _logged(claims: Sequence[Claim]) -> dict[str, Claim]:
    """What the log says of each parameter, by the best of its lines."""
    found: dict[str, Claim] = {}
    for claim in sorted(claims, key=lambda c: c.order):
        if claim.setting.line is not None and claim.order[0] > ranks.INFERRED:
            found[claim.name] = claim
    return found


def _of_file(config: GivenConfig, claims: Sequence[Claim]) -> dict[str, Claim]:
    return {c.name: c for c in claims if c.setting.line is None and c.setting.origin == config.name}


def _unlike(
    own: Mapping[str, Claim], logged: Mapping[str, Claim], in_messages: Mapping[str, Sequence[Value]]
) -> Iterator[_Unlike]:
    for name, claim in own.items():
        head, dot, leaf = name.rpartition(".")
        if leaf not in _OF_A_COMPILE:
            continue
        values = in_messages.get(name)
        if values and _differs(claim, values):
            yield _Unlike(name, claim.setting.value, name, values[-1], True)
            continue
        other = f"{head}{dot}{_ONE_THING[leaf]}" if leaf in _ONE_THING else name
        twice = other in own and same(own[other].setting.value, claim.setting.value)
        said_as = name if name in logged or twice else other
        said = logged.get(said_as)
        if said is not None and said.order > claim.order and not same(said.setting.value, claim.setting.value):
            yield _Unlike(name, claim.setting.value, said_as, said.setting.value, said.order[0] >= ranks.COMPILING)


def _differs(claim: Claim, values: Sequence[Value]) -> bool:
    return not any(same(value, claim.setting.value) for value in values)


def _of_another(config: GivenConfig, about: RunContext) -> GivenConfig:
    """What an artifact of another compile still tells: the numbers of the model, where it is of the same class."""
    same_class = config.model_class is not None and config.model_class == guess_class(about.model)
    return GivenConfig(
        config.name,
        f"{_ARTIFACT_FILE} of another compile",
        model_class=config.model_class if same_class else None,
        architecture=config.architecture if same_class else {},
    )
