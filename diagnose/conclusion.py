"""From what was collected about an input to its diagnosis: verdicts become findings with remedies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import TypeVar

from diagnose.by_run import Contexts
from diagnose.collected import MAX_RUNS, Collected
from diagnose.context import layout_of
from diagnose.knowledge import Entry, Knowledge
from diagnose.model import (
    MESSAGE,
    Consequence,
    Diagnosis,
    Finding,
    InputInfo,
    Match,
    Outcome,
    Overruled,
    Role,
    RunContext,
    Setting,
    Text,
    Unknown,
    Value,
)
from diagnose.once import Once
from diagnose.reasoning import Event, Run, RunVerdict, Verdict, judge
from diagnose.reasoning.runs import last_failed
from diagnose.reasoning.unknown import process_name, unknown_errors, word_end
from diagnose.reasoning.vendor import of_another
from diagnose.records import fingerprint_text
from diagnose.remedies import Advice, Advisor, considered

MAX_FINDINGS = 50
"""Findings of one input, the root of the last failed run first."""
MAX_NOTES = 50
MAX_ECHOES = 50
"""Consequences named under one root."""
LONGEST_EXCERPT = 700
"""Characters of the message shown as the finding's text."""

STATED: Mapping[str, Sequence[tuple[str, str]]] = {"memory.blocks-do-not-fit": (("kvcache_num_blocks", "blocks"),)}
"""Entry → (parameter, number of the message that is its value in force)."""

DAMAGED = "input.damaged"
"""Entry of an input that broke off."""
MORE_THAN_KEPT = "input.more-than-kept"
MORE_THAN_SHOWN = "input.more-than-shown"
"""Entries of an input that holds more than a diagnosis."""


def conclude(collected: Collected, knowledge: Knowledge, once: Once | None = None) -> Diagnosis:
    """The diagnosis: the last failed run is shown, unless a later start came up.

    ``once``: what was worked out for the conclusions before, with the same ``knowledge``.
    """
    advise = Advisor(knowledge, Once() if once is None else once)
    runs = collected.runs()
    every = collected.earlier_runs + len(runs)
    runs = tuple(replace(run, number=number) for number, run in enumerate(runs[-MAX_RUNS:]))
    contexts = Contexts(collected, runs, knowledge)
    verdicts = [_judged(run, its, contexts, knowledge) for run, its in zip(runs, contexts.events, strict=True)]
    failed = last_failed(runs, [v.failed_on for v in verdicts])
    shown = verdicts[len(runs) - 1 if failed is None else failed]
    context = _context_of(shown, contexts, knowledge)
    findings = _findings(shown, contexts, advise) if failed is not None else []
    # In an input of several runs it cannot be told whose the events were that were only counted.
    dropped = collected.events.dropped if every == 1 else lambda kind: 0
    # Nor which of several servers failed again.
    told = [f.entry for f in findings]
    findings = [
        _counted(f, f.lines, collected.left_out, dropped(f.entry) if told.count(f.entry) == 1 else 0) for f in findings
    ]
    unknown = unknown_errors(shown.unknown, knowledge) if failed is not None else ()
    unknown = tuple(_counted(u, (u.line,), collected.left_out, dropped(u.template)) for u in unknown)
    outcome = _outcome(findings, bool(unknown), cut=collected.damaged or collected.lines_lost_to >= shown.run.first)
    others = [v for v in verdicts if v is not shown]
    if collected.all_runs:
        findings += _of_other_runs(others, failed is not None, contexts, advise)
    notes = list(_notes(shown, () if failed is not None or collected.all_runs else others, contexts, advise))
    first = runs[0].first if collected.all_runs else shown.run.first
    said: list[tuple[str, Mapping[str, Value]]] = [(DAMAGED, {})] if collected.damaged else []
    said += [(MORE_THAN_KEPT, lost)] if any((lost := _not_kept(collected, first, every > 1)).values()) else []
    said += [(MORE_THAN_SHOWN, more)] if any((more := _not_shown(shown, findings, notes, unknown)).values()) else []
    about = [observed(knowledge.entries[id_], numbers, context, advise) for id_, numbers in said]
    notes = [*(_without_zeros(note) if note.entry == MORE_THAN_SHOWN else note for note in about), *notes]
    return Diagnosis(
        input=InputInfo(collected.name, collected.bytes, collected.lines),
        outcome=outcome,
        run=context,
        findings=tuple(findings[:MAX_FINDINGS]),
        notes=tuple(notes[:MAX_NOTES]),
        unknown=unknown,
        runs=every,
        kb_hash=knowledge.hash,
        kb_entries=len(knowledge.entries),
    )


def _judged(run: Run, events: Iterable[Event], contexts: Contexts, knowledge: Knowledge) -> RunVerdict:
    """The verdict of a run with its causes as the last try met them: with other settings after each failure a program
    may try again in one run."""
    counting = _considered(run, events, contexts, knowledge)
    verdict = judge(run, counting, knowledge.entries, contexts.servers(run.number))
    if all(root.is_uniform for root in verdict.roots):
        return verdict
    from diagnose.tries import last_try

    facts = contexts.facts(run.number)
    return replace(verdict, roots=tuple(last_try(root, facts, knowledge.parameters) for root in verdict.roots))


def _not_kept(collected: Collected, first: int, several: bool) -> dict[str, Value]:
    """What was read of the lines from ``first`` on, of ``several`` runs or one, and let go: what may be missing."""
    return {
        "facts": collected.facts_lost if collected.facts_lost_to >= first else 0,
        "lines": collected.lines_lost if collected.lines_lost_to >= first else 0,
        "errors": collected.events.all_dropped if collected.all_runs and several else collected.events.lost,
    }


def _not_shown(
    shown: RunVerdict, findings: Sequence[Finding], notes: Sequence[Finding], unknown: Sequence[Unknown]
) -> dict[str, Value]:
    """What was found and is left out of a diagnosis with these."""
    kinds = len({event.template for event in shown.unknown}) if unknown else 0
    return {
        "findings": max(len(findings) - MAX_FINDINGS, 0),
        "notes": max(len(notes) - MAX_NOTES, 0),
        "unknown": kinds - len(unknown),
        "echoes": sum(max(len(v.echoes) - MAX_ECHOES, 0) for v in shown.roots or shown.consequences) if findings else 0,
    }


_NOT_SHOWN = {
    "findings": Text("{:,} further findings", "원인 {:,}건"),
    "notes": Text("{:,} notes", "참고 사항 {:,}건"),
    "unknown": Text("{:,} kinds of unknown errors", "알 수 없는 오류 {:,}종"),
    "echoes": Text("{:,} echoes", "여파 {:,}건"),
}
"""The parts of what the entry says."""


def _without_zeros(note: Finding) -> Finding:
    """What of a kind is shown as a whole is not counted among what is not: the entry's text holds every kind."""
    left = [(what, count) for name, what in _NOT_SHOWN.items() if (count := note.numbers[name])]
    if len(left) == len(_NOT_SHOWN):
        return note
    en, ko = (", ".join(what.in_(lang).format(count) for what, count in left) for lang in ("en", "ko"))
    cause = Text(
        f"Not shown: {en}. What is shown comes first in importance.",
        f"표시하지 않은 내용: {ko}. 중요한 것부터 표시합니다.",
    )
    return replace(note, cause=cause)


def _considered(run: Run, events: Iterable[Event], contexts: Contexts, knowledge: Knowledge) -> Iterable[Event]:
    """Events of a run without the matches whose entry's guard is known to be false there, and without those of RBLN's
    wordings that are another vendor's."""

    elsewhere = cache(lambda: contexts.elsewhere(run.number))

    def counts(match: Match) -> bool:
        entry = knowledge.entries[match.entry]
        if of_another(entry, match.record, elsewhere):
            return False
        return entry.when is None or considered(entry, match.numbers, contexts[run.number], knowledge)

    for event in events:
        kept = tuple(match for match in event.matches if counts(match))
        if len(kept) == len(event.matches):
            yield event
        elif kept or event.error:
            template = "" if kept else fingerprint_text(event.record.text)
            yield replace(event, matches=kept, template=template)


Counted = TypeVar("Counted", Finding, Unknown)


def _counted(found: Counted, lines: Sequence[int], left_out: Mapping[int, int], dropped: int = 0) -> Counted:
    """With the copies the scan only counted, and the events that were not kept."""
    more = dropped + sum(left_out.get(line, 0) for line in set(lines))
    if not more:
        return found
    counted = replace(found, count=found.count + more)
    if not isinstance(counted, Finding) or not any(remedy.copies for remedy in counted.remedies):
        return counted
    from diagnose.remedies.copies import unsure

    return replace(counted, remedies=unsure(counted.remedies, more))


def _outcome(findings: Sequence[Finding], unknown: bool, *, cut: bool) -> Outcome:
    """Of an input that was ``cut`` off, or cut in mid line, nobody can say that nothing is wrong in it."""
    if any(f.role == "root" and f.domain != "foreign" for f in findings):
        return "diagnosed"
    return "unknown" if findings or unknown or cut else "healthy"


def _findings(verdict: RunVerdict, contexts: Contexts, advise: Advisor) -> list[Finding]:
    role: Role = "root" if verdict.roots else "consequence"
    number = verdict.run.number
    return [finding(v, role, _as_stated(v, number, contexts), advise) for v in verdict.roots or verdict.consequences]


def _as_stated(verdict: Verdict, number: int, contexts: Contexts) -> RunContext:
    """The run ``number`` as the process that failed ran, with what the failure's message says was in force in place of
    what the log said before and the message contradicts."""
    context = contexts.of(number, verdict.lead.record)
    several = bool(contexts.servers(number))
    for parameter, name in STATED.get(verdict.entry, ()):
        known, value = context.setting(parameter), verdict.lead.numbers.get(name)
        if value is None or (known is None and not several) or (known is not None and known.value == value):
            continue
        if known is not None and several:  # then it is not that server's process
            context = contexts.alike(number)
        place = context.place(parameter)
        context = replace(context, config={**context.config, place: Setting(value, verdict.lead.line, MESSAGE)})
    return context


def _context_of(verdict: RunVerdict, contexts: Contexts, knowledge: Knowledge) -> RunContext:
    """The run as the process that failed first ran. What earlier runs said of the machine and its RBLN packages is
    left out where it failed on another vendor's device."""
    told = verdict.roots or verdict.consequences
    if told and knowledge.entries[told[0].entry].domain == "foreign":
        return contexts.alone(verdict.run.number)
    return _as_stated(told[0], verdict.run.number, contexts) if told else contexts[verdict.run.number]


def _of_other_runs(
    others: Sequence[RunVerdict],
    failed_last: bool,
    contexts: Contexts,
    advise: Advisor,
) -> list[Finding]:
    """Findings of the runs that are not shown, the latest first; what a later start got over is marked so."""
    made = []
    for verdict in reversed(others):
        made += [_recovered(f) if not failed_last else f for f in _findings(verdict, contexts, advise)]
    return made


def finding(verdict: Verdict, role: Role, context: RunContext, advise: Advisor) -> Finding:
    """A finding with its texts filled in, its echoes and its remedies."""
    entry = advise.knowledge.entries[verdict.entry]
    context = with_entry(context, entry)
    match = verdict.lead
    text, highlights = excerpt(match)
    numbers, said = _said(verdict, entry, context, advise)
    return Finding(
        entry=entry.id,
        domain=entry.domain,
        role=role,
        severity=entry.severity,
        line=match.line,
        offset=match.offset,
        text=text,
        title=said.title,
        own_title=said.title == entry.title,
        cause=said.cause,
        count=sum(m.record.repeated for m in verdict.copies),
        lines=tuple(m.line for m in verdict.copies),
        process=process_name(match.record),
        time=match.record.time,
        numbers=numbers,
        highlights=highlights,
        remedies=said.remedies,
        consequences=tuple(_echoes(verdict, advise.knowledge)),
    )


def _said(verdict: Verdict, entry: Entry, context: RunContext, advise: Advisor) -> tuple[Mapping[str, Value], Advice]:
    """The numbers of a finding and the advice: one that holds for every copy, where these differ."""
    if verdict.is_uniform:
        return verdict.numbers, advise(entry, verdict.numbers, context)
    from diagnose.remedies.copies import advice_for_all, occurrences, of_one

    every = occurrences(verdict.lead, verdict.in_force)
    said = advice_for_all(advise, entry, every, context)
    if verdict.since:
        said = replace(said, remedies=of_one(said.remedies, occurrences(verdict.lead, verdict.copies)))
    return (every[0].numbers if len(every) > 1 or verdict.since else verdict.numbers), said


def with_entry(context: RunContext, entry: Entry) -> RunContext:
    """The context with what the message itself says of the run, where the log did not: the plugin whose own message it
    is, the path that alone has it, the layout of the class it belongs to."""
    if entry.component == "vllm-rbln" and context.platform is None:
        context = replace(context, platform="rbln")
    if entry.path is not None and context.path is None:
        context = replace(context, path=entry.path)
    batched = context.config.get("max_num_batched_tokens")
    if batched is not None and context.path == "vllm" and "prefill_chunk_size" not in context.config:
        # On vLLM's own path the scheduler's budget is the step that is compiled (vllm-rbln platform/vllm_impl.py).
        context = replace(context, config={**context.config, "prefill_chunk_size": batched})
    layout = layout_of(entry.model_class)
    if layout is None or context.model_class is not None:
        return context
    return replace(context, lm_prefix=layout.lm_prefix, vision_prefix=layout.vision_prefix)


def _echoes(verdict: Verdict, knowledge: Knowledge) -> Iterable[Consequence]:
    for echo in verdict.echoes[:MAX_ECHOES]:
        title = knowledge.entries[echo.entry].title
        yield Consequence(echo.entry, echo.line, title, echo.text)


def excerpt(match: Match) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The lines of the message the match stands on, and the spans of its numbers in them."""
    text = match.record.text
    start = text.rfind("\n", 0, match.start) + 1
    end = text.find("\n", match.end)
    end = min(len(text) if end < 0 else end, word_end(text, LONGEST_EXCERPT, start))
    spans = [(a - start, b - start) for a, b in match.number_spans if start <= a and b <= end]
    return text[start:end], tuple(spans)


def _recovered(found: Finding) -> Finding:
    return replace(found, recovered=True)


def _notes(
    shown: RunVerdict,
    overcome: Sequence[RunVerdict],
    contexts: Contexts,
    advise: Advisor,
) -> Iterable[Finding]:
    """What is worth knowing but is no failure of the run that is shown; ``overcome``: the failed runs before it."""
    number = shown.run.number
    # Of two servers none asked for what the other one runs with.
    context = _context_of(shown, contexts, advise.knowledge) if contexts.servers(number) else contexts[number]
    for verdict in shown.notes:
        yield finding(verdict, advise.knowledge.entries[verdict.entry].role, context, advise)
    for verdict in shown.recovered:
        yield _recovered(finding(verdict, "root", context, advise))
    for run in overcome:
        for verdict in run.roots:
            yield _recovered(finding(verdict, "root", contexts[run.run.number], advise))
    for noted in context.noted:
        yield observed(advise.knowledge.entries[noted.entry], noted.numbers, context, advise)
    for difference in context.overruled:
        yield _overruled(difference, context, advise)
    for entry, numbers in advise.observed(context):
        yield observed(entry, numbers, context, advise)


def _overruled(difference: Overruled, context: RunContext, advise: Advisor) -> Finding:
    numbers = {
        "parameter": difference.parameter,
        "asked": difference.asked.value,
        "in_force": difference.in_force.value,
        "asked_from": difference.asked.origin,
        "in_force_from": difference.in_force.origin,
    }
    line = difference.in_force.line or difference.asked.line or 0
    return observed(advise.knowledge.entries["config.overruled"], numbers, context, advise, line)


def observed(
    entry: Entry,
    numbers: Mapping[str, Value],
    context: RunContext,
    advise: Advisor,
    line: int = 0,
) -> Finding:
    """A note about the configuration, in the shape of a finding; no message of the log announces it."""
    said = advise(entry, numbers, context)
    return Finding(
        entry=entry.id,
        domain=entry.domain,
        role=entry.role,
        severity=entry.severity,
        line=line,
        offset=0,
        text=said.title.en,
        title=said.title,
        cause=said.cause,
        numbers=numbers,
        remedies=said.remedies,
    )
