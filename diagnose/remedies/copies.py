"""One failure that came several times with numbers of its own each time: what is offered has to hold for every copy.

Data-parallel engines have different room, two prompts are over the limit by different lengths, ranks need different
amounts. A change is worked out for each copy. It is offered where all copies come to the same, or where one of them
goes at least as far as every other one, in the same direction; else no value is offered.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from diagnose.knowledge.schema import Entry
from diagnose.light import dataclass
from diagnose.model import SURETY, Change, Copy, Match, Remedy, RunContext, Text, Value
from diagnose.remedies.advice import Advice, Advisor

MOST_COMPARED = 16
"""Copies with numbers of their own for which a change is worked out: those that have the least or the most of a number
first."""
MOST_NAMED = 4
"""Numbers of a copy that are named."""
MOST_SHOWN = 3
"""Copies that are named where none decides."""

FURTHER: Mapping[str, int] = {
    "max_seq_len": 0,
    "enc_max_seq_len": 0,
    "batch_size": 0,
    "prefill_chunk_size": 0,
    "kvcache_num_blocks": 0,
    "kvcache_partition_len": 0,
    "memory_budget": 0,
    "num_devices": 0,
    "tensor_parallel_size": 0,
    "pipeline_parallel_size": 0,
    "max_lora_rank": 0,
    "max_logprobs": 0,
    "timeout": 0,
    "max_new_tokens": -1,
    "max_pixels": -1,
    "longest_edge": -1,
}
"""Last part of a parameter's name → the way it always goes (-1 down), 0 where the value before tells. What a step does,
one that goes further in the same direction does too. Of other parameters (a value that has to divide another one, a
name) only one and the same value serves two copies."""

NO_ONE = Text(
    "The failure came several times with different numbers, and no one value is known to serve all of them.",
    "같은 오류가 서로 다른 수치로 여러 번 발생했고, 모두에 맞는 값 하나를 정할 수 없습니다.",
)


@dataclass(frozen=True, slots=True)
class Occurrence:
    """Copies of a failure with the same numbers."""

    line: int
    """Of the first one."""
    numbers: Mapping[str, Value]


def occurrences(lead: Match, copies: Iterable[Match]) -> tuple[Occurrence, ...]:
    """The copies by their numbers, those of ``lead`` first. A wording of the same failure that says less belongs to
    the copy it does not contradict, that of its own process before others."""
    firsts = [lead]
    found: list[dict[str, Value]] = [dict(lead.numbers)]
    for match in copies:
        fits = [i for i, numbers in enumerate(found) if not _contradict(numbers, match.numbers)]
        own = (i for i in fits if firsts[i].record.process == match.record.process)
        place = next(own, fits[0] if fits else None)
        if place is None:
            firsts.append(match)
            found.append(dict(match.numbers))
        else:
            found[place] = {**match.numbers, **found[place]}
    return tuple(Occurrence(m.line, {**found[0], **numbers}) for m, numbers in zip(firsts, found, strict=True))


def advice_for_all(advise: Advisor, entry: Entry, copies: Sequence[Occurrence], context: RunContext) -> Advice:
    """The advice for the first of ``copies`` with remedies that hold for each of them."""
    said = advise(entry, copies[0].numbers, context)
    if len(copies) == 1 or not any(spec.set or spec.solver for spec in entry.remedies):
        return said
    varying = _varying(copies)
    compared = _compared(copies, varying)
    each = [(_named(copy, varying), advise(entry, copy.numbers, context).remedies) for copy in compared]
    remedies = tuple(sorted((_for_all(remedy, each) for remedy in said.remedies), key=lambda r: r.order))
    if len(varying) > 1:
        remedies = unsure(remedies, len(copies) - len(compared))
    return replace(said, remedies=remedies)


def of_one(remedies: Sequence[Remedy], copies: Sequence[Occurrence]) -> tuple[Remedy, ...]:
    """Remedies worked out for the first of ``copies`` alone, which says so where there are others."""
    varying = _varying(copies)
    mine = (_named(copies[0], varying),) if varying else ()
    return tuple(replace(r, copies=mine) if r.changes and not r.copies else r for r in remedies)


def unsure(remedies: Sequence[Remedy], count: int) -> tuple[Remedy, ...]:
    """Remedies of a failure of which ``count`` further copies were not looked at: where the copies differ, one of those
    may ask for more."""
    if not count:
        return tuple(remedies)
    note = Text(
        f"{count:,} more copies of this failure were only counted: one of them may ask for more.",
        f"이 오류 {count:,}건은 횟수만 집계했으므로, 그중 더 큰 변경이 필요한 것이 있을 수 있습니다.",
    )
    return tuple(
        replace(r, applicability="estimate", bound=note) if r.copies and r.applicability == "exact" else r
        for r in remedies
    )


def _contradict(one: Mapping[str, Value], other: Mapping[str, Value]) -> bool:
    return any(_counts(value) and name in one and one[name] != value for name, value in other.items())


def _counts(value: Value) -> bool:
    """Whether it is a quantity; the name of a tensor or a request makes no other failure."""
    return not isinstance(value, str) or value.isdecimal()


# --------------------------------------------------------------------------- which copies


def _varying(copies: Sequence[Occurrence]) -> tuple[str, ...]:
    """Names of the numbers in which they differ."""
    first = copies[0].numbers
    return tuple(n for n, v in first.items() if _counts(v) and any(c.numbers.get(n) != v for c in copies))


def _compared(copies: Sequence[Occurrence], varying: Sequence[str]) -> list[Occurrence]:
    if len(copies) <= MOST_COMPARED:
        return list(copies)
    chosen = [copies[0]]
    for name in varying:
        ordered = sorted(copies, key=lambda copy: _size(copy.numbers.get(name)) or 0)
        chosen += [ordered[0], ordered[-1]]
    unique = {copy.line: copy for copy in (*chosen, *copies)}
    return list(unique.values())[:MOST_COMPARED]


def _named(copy: Occurrence, varying: Sequence[str]) -> Copy:
    return Copy(copy.line, {name: copy.numbers.get(name) for name in varying[:MOST_NAMED]})


# --------------------------------------------------------------------------- one remedy


def _for_all(remedy: Remedy, each: Sequence[tuple[Copy, Sequence[Remedy]]]) -> Remedy:
    theirs = [(copy, _counterpart(remedy, remedies)) for copy, remedies in each]
    if not remedy.changes:
        return _formula(remedy, theirs)
    made = [(copy, other) for copy, other in theirs if other is not None and other.changes]
    if len(made) < len(theirs):
        return _not_for(remedy, theirs)
    surety = max((other for _, other in made), key=lambda r: SURETY[r.applicability])
    if all(_values(other) == _values(remedy) for _, other in made):
        return surety if surety.applicability != remedy.applicability else remedy
    strictest = next((one for one in made if all(_as_far(one[1], other) for _, other in made)), None)
    if strictest is None:
        return _undecided(remedy, [copy for copy, _ in made])
    copy, chosen = strictest
    return replace(
        chosen,
        applicability=surety.applicability,
        bound=chosen.bound or surety.bound,
        first=remedy.first,
        copies=(copy,),
    )


def _counterpart(remedy: Remedy, others: Sequence[Remedy]) -> Remedy | None:
    """The same way out for another copy; the same change under another name is offered once only."""
    own = (other for other in others if other.id == remedy.id)
    return next(own, None) or next((o for o in others if o.changes and _values(o) == _values(remedy)), None)


def _formula(remedy: Remedy, theirs: Sequence[tuple[Copy, Remedy | None]]) -> Remedy:
    """A remedy without a value; where its formula has numbers of the copy, the copies are named."""
    odd = [copy for copy, other in theirs if other is not None and other.arithmetic != remedy.arithmetic]
    return replace(remedy, copies=(theirs[0][0], *odd)[:MOST_SHOWN]) if odd else remedy


def _not_for(remedy: Remedy, theirs: Sequence[tuple[Copy, Remedy | None]]) -> Remedy:
    """A change that is not computed for, or is no way out of, every copy."""
    odd = [(copy, other) for copy, other in theirs if other is None or not other.changes]
    waits = next((other for _, other in odd if other is not None and other.applicability == "needs-value"), None)
    named = [theirs[0][0], *(copy for copy, _ in odd)]
    return _undecided(remedy, named) if waits is None else replace(waits, copies=tuple(named[:MOST_SHOWN]))


def _undecided(remedy: Remedy, copies: Sequence[Copy]) -> Remedy:
    return Remedy(
        id=remedy.id,
        applicability="advice",
        title=remedy.title,
        doubt=NO_ONE,
        side_effect=remedy.side_effect,
        verify=remedy.verify,
        copies=tuple(copies[:MOST_SHOWN]),
    )


def _values(remedy: Remedy) -> dict[str, Value]:
    return {change.parameter: change.to for change in remedy.changes}


def _as_far(one: Remedy, other: Remedy) -> bool:
    """Whether what ``one`` changes does what ``other`` does as well."""
    theirs = {change.parameter: change for change in other.changes}
    return len(one.changes) == len(other.changes) and all(
        change.parameter in theirs and _step(change, theirs[change.parameter]) for change in one.changes
    )


def _step(mine: Change, its: Change) -> bool:
    if mine.to == its.to:
        return True
    name = mine.parameter.rpartition(".")[2]
    ends = _size(mine.to), _size(its.to)
    way = FURTHER.get(name)
    if way is None or ends[0] is None or ends[1] is None or (not way and mine.from_ != its.from_):
        return False
    before = _size(mine.from_)
    ways = [way] if way or before is None else [(end > before) - (end < before) for end in ends if end is not None]
    return len(set(ways)) == 1 and ways[0] != 0 and (ends[0] - ends[1]) * ways[0] >= 0


def _size(value: Value) -> float | None:
    """A number to compare by; of a list of buckets the largest, which is what it holds."""
    if isinstance(value, (list, tuple)):
        sizes = [size for item in value if (size := _size(item)) is not None]
        return max(sizes) if sizes and len(sizes) == len(value) else None
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None
