"""What was in force in a run: facts, files given with ``--config`` and ``--set`` weighed against each
other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, cast

from diagnose.context import ranks
from diagnose.context.claims import SET, Claim, fixed_by_artifact, loads_artifact, same, with_nested_batch
from diagnose.context.classes import Layout, guess_class, layout_from_keys, layout_of, rbln_class
from diagnose.context.overrides import ADDITIONAL, asked_beside, cited
from diagnose.context.printed_lines import CONFIG, settings
from diagnose.context.run_versions import inferred_of, versions_of
from diagnose.context.seen_whole import seen_whole
from diagnose.context.sets import IMAGE_SIZES
from diagnose.context.site import TOLD
from diagnose.context.versions import before
from diagnose.context.visible import visible_devices
from diagnose.knowledge.schema import Parameter
from diagnose.model import LM_FIELDS, Fact, GivenConfig, Noted, Overruled, RunContext, Setting, Value

if TYPE_CHECKING:
    from diagnose.context.clues import Clues

Form = Literal["vllm-serve", "python-llm", "optimum-python", "optimum-cli"]

_SET_RANK = 1000
_GIVEN_RANK = 0
_LAUNCH_FORMS = frozenset({"vllm-serve", "python-llm"})
_OPTIMUM_FORMS = frozenset({"optimum-python", "optimum-cli"})
_RBLN_NAMES = frozenset({ranks.COMPILING, ranks.SECTION, ranks.PRINTED})
"""Lines whose values stand under rbln_config's names, where a partition is a partition."""
_NOT_SETTINGS = frozenset(
    {"npu", "model", "model_class", "path", "phase", "form", "artifact", "whole", "renamed", "platform", ADDITIONAL}
)
_INHERITED = frozenset({"num_devices", "device", "create_runtimes"})
"""Fields a class that nests its language model keeps at both levels: the printed level is the real one."""
_ARCHITECTURE = "architecture."
_IMAGE_SIZES = "processor.image_sizes"
"""Where a reader of a script puts the sizes it found: a list of [height, width]."""
_BATCHED_TOKENS = "max_num_batched_tokens"


def in_force(
    facts: Iterable[Fact],
    *,
    given: Sequence[GivenConfig] = (),
    sets: Mapping[str, Value] | None = None,
    npu: str | None = None,
    clues: Clues | None = None,
    parameters: Mapping[str, Parameter],
) -> RunContext:
    """The configuration in force and everything else a remedy may rest on.

    Precedence: what the message of an error states where it goes against the rest, ``--set`` (None there takes a value
    away), then the log by rank and line, then files (the later file wins). Defaults are not put in. ``overruled``
    names each parameter that was asked for with another value than the one that came into force, ``noted`` what of
    the files and of ``sets`` does not count.
    """
    facts, sets = list(_told(facts, parameters)), sets or {}
    noted: list[Noted] = []
    if any(config.sections for config in given):
        from diagnose.context.sections import chosen

        given, noted = chosen(given, facts, sets, clues)
    return _in_force(facts, given, sets, npu, clues, parameters, noted)


def _in_force(
    facts: Sequence[Fact],
    given: Sequence[GivenConfig],
    sets: Mapping[str, Value],
    npu: str | None,
    clues: Clues | None,
    parameters: Mapping[str, Parameter],
    noted: Sequence[Noted],
) -> RunContext:
    """``in_force`` with one launch a file; ``noted`` is what was said of the files already."""
    about = _about(facts, given, sets, npu)
    layout = _layout(about, facts, given, sets)
    claims = _claims(facts, given, sets)
    if loads_artifact(facts):
        claims = fixed_by_artifact(claims, given, parameters)
    claims = [_honest_chunk(claim, claims, about) for claim in claims]
    claims = [replace(claim, name=_placed(claim.name, layout)) for claim in claims]
    claims = _as_eager(claims, layout)
    if given or sets:
        from diagnose.context.differences import differences

        found = differences(claims, given, {} if clues is None else clues.stated, layout, about)
        noted = [*noted, *(note for note in found.noted if note not in noted)]
        if found.given != tuple(given):
            return _in_force(facts, found.given, sets, npu, clues, parameters, noted)
        claims = list(found.claims)
    winners: dict[str, Claim] = {}
    for claim in sorted(claims, key=lambda c: c.order):
        winners[claim.name] = claim
    winners = with_nested_batch(_with_one_block(_without_exclusive(winners, layout), layout), layout)
    config = {name: winners[name].setting for name in sorted(winners) if winners[name].setting.value is not None}
    derives = (about.form in _LAUNCH_FORMS or about.path is not None) and not loads_artifact(facts)
    config |= _devices(config, facts, layout, derives=derives)
    additional, sources = asked_beside(facts, given, parameters)
    if not loads_artifact(facts):
        config = cited(config, sources)
    return replace(
        about,
        config=config,
        additional=additional,
        overruled=tuple(_overruled(claims, winners)),
        noted=tuple(noted),
        lm_prefix=layout.lm_prefix,
        vision_prefix=layout.vision_prefix,
        defaults_known=seen_whole(facts, given, about, config),
    )


def _told(facts: Iterable[Fact], parameters: Mapping[str, Parameter]) -> Iterator[Fact]:
    """The facts, a configuration printed over several lines opened."""
    for fact in facts:
        if fact.name == CONFIG:
            yield from settings(fact, parameters)
        else:
            yield fact


# --------------------------------------------------------------------------- claims


def _claims(facts: Sequence[Fact], given: Sequence[GivenConfig], sets: Mapping[str, Value]) -> list[Claim]:
    claims: list[Claim] = []
    for place, config in enumerate(given):
        launch = config.form in _LAUNCH_FORMS
        for name, value in config.values.items():
            if name == _IMAGE_SIZES or ":" in name:
                continue
            setting = Setting(value, None, config.name)
            claims.append(Claim(name, setting, (_GIVEN_RANK, place), asked=launch, launch=launch))
    optimum = {(f.rank, f.line) for f in facts if f.name == "form" and f.value in _OPTIMUM_FORMS}
    for place, fact in enumerate(sorted(facts, key=lambda f: f.line)):
        if fact.name in _NOT_SETTINGS or ":" in fact.name or fact.name == "devices_available":
            continue
        asked = fact.rank in (ranks.ASKED, ranks.TYPED)
        setting = Setting(fact.value, fact.line, fact.origin)
        launch = fact.rank not in _RBLN_NAMES and (fact.rank, fact.line) not in optimum
        claims.append(Claim(fact.name, setting, (fact.rank, place), asked, launch=launch))
    for name, value in sets.items():
        if name not in _NOT_SETTINGS and ":" not in name and not name.startswith(_ARCHITECTURE) and name != IMAGE_SIZES:
            claims.append(Claim(name, Setting(value, None, SET), (_SET_RANK, 0)))
    return claims


def _honest_chunk(claim: Claim, claims: Sequence[Claim], about: RunContext) -> Claim:
    """``max_num_batched_tokens`` is the prefill chunk only where the plugin makes it so.

    Up to vllm-rbln 0.11 and on the vLLM path it is a scheduler budget; and vLLM's own default, printed before
    the plugin replaces it, was asked for by nobody. A value as long as the sequence is such a budget too
    (encoders, older plugins). They keep vLLM's name. Source: vllm-rbln ``converter/common.py``, 0.10.4 –
    0.12.0.
    """
    if claim.name != "prefill_chunk_size" or not claim.launch or claim.setting.origin == SET:
        return claim
    plugin = about.versions.get("vllm_rbln") or about.versions.get("vllm_rbln_max")
    old = plugin is not None and before(plugin, "0.12")
    unasked = claim.setting.origin == "Chunked prefill" and not any(
        c.asked and c.name == claim.name and c.setting.value == claim.setting.value for c in claims
    )
    whole = any(c.name == "max_seq_len" and c.setting.value == claim.setting.value for c in claims)
    return replace(claim, name=_BATCHED_TOKENS) if old or unasked or whole or about.path == "vllm" else claim


def _as_eager(claims: list[Claim], layout: Layout) -> list[Claim]:
    """vLLM's ``block_size`` equal to the length in force means eager attention, whichever line gave which."""
    length_name, partition = _placed("max_seq_len", layout), _placed("kvcache_partition_len", layout)
    lengths = [c for c in claims if c.name == length_name]
    flash = any(c.name.endswith("attn_impl") and c.setting.value != "eager" for c in claims)
    if not lengths or flash:
        return claims
    length = max(lengths, key=lambda c: c.order).setting.value
    made: list[Claim] = []
    for claim in claims:
        if claim.name == partition and claim.launch and claim.setting.value == length:
            made.append(replace(claim, name=_placed("kvcache_block_size", layout)))
            eager = replace(claim.setting, value="eager")
            made.append(replace(claim, name=_placed("attn_impl", layout), setting=eager))
        else:
            made.append(claim)
    return made


def _without_exclusive(winners: dict[str, Claim], layout: Layout) -> dict[str, Claim]:
    """Flash and eager exclude each other: an older partition does not survive a newer eager setting, or the
    reverse.
    """
    attn, partition = _placed("attn_impl", layout), _placed("kvcache_partition_len", layout)
    if attn not in winners or partition not in winners or winners[attn].setting.value != "eager":
        return winners
    loser = partition if winners[partition].order < winners[attn].order else attn
    block = _placed("kvcache_block_size", layout)
    dropped = {loser} | ({block} if loser == attn and block in winners else set())
    return {name: claim for name, claim in winners.items() if name not in dropped}


def _with_one_block(winners: dict[str, Claim], layout: Layout) -> dict[str, Claim]:
    """Flash attention's block is its partition: where one of two sources is a file or ``--set``, the better one says
    both.

    Source: optimum-rbln 0.12.0 ``modeling_attention_utils.py``. A log or a file that gives them different values is the
    error of its own that the library reports.
    """
    names = _placed("kvcache_block_size", layout), _placed("kvcache_partition_len", layout)
    block, partition = (winners.get(name) for name in names)
    if block is None or partition is None or not block.is_of_another_source(partition):
        return winners
    if None in (block.setting.value, partition.setting.value) or block.setting.value == partition.setting.value:
        return winners
    loser = min(block, partition, key=lambda c: c.order)
    return {name: claim for name, claim in winners.items() if claim is not loser}


def _overruled(claims: Sequence[Claim], winners: Mapping[str, Claim]) -> Iterable[Overruled]:
    asked: dict[str, Claim] = {}
    for claim in sorted(claims, key=lambda c: c.order):
        if claim.asked:
            asked[claim.name] = claim
    for name, claim in sorted(asked.items()):
        winner = winners.get(name)
        if winner is None or winner.setting.origin == SET or winner.order <= claim.order:
            continue
        if not same(winner.setting.value, claim.setting.value):
            yield Overruled(name, claim.setting, winner.setting)


# --------------------------------------------------------------------------- places


def _placed(name: str, layout: Layout) -> str:
    """The name at the level where the model class keeps it (``RunContext.place``); inherited fields stay as
    printed.
    """
    if name in _INHERITED:
        return name
    head, dot, rest = name.partition(".")
    if head == "visual" and dot and layout.vision_prefix:
        return f"{layout.vision_prefix}.{rest}"
    return f"{layout.lm_prefix}.{name}" if not dot and layout.lm_prefix and name in LM_FIELDS else name


def _layout(
    about: RunContext, facts: Sequence[Fact], given: Sequence[GivenConfig], sets: Mapping[str, Value]
) -> Layout:
    """By the class; else by the keys seen; else by the model's name (a guess that decides nothing but
    this).
    """
    names = [f.name for f in facts] + [n for g in given for n in g.values]
    known = layout_of(about.model_class) or layout_from_keys(names) or layout_of(guess_class(about.model))
    # A person may write ``--set visual.…`` for whatever the class calls it, so those keys decide last.
    return known or layout_from_keys(list(sets)) or Layout()


def _devices(
    config: Mapping[str, Setting], facts: Sequence[Fact], layout: Layout, *, derives: bool
) -> dict[str, Setting]:
    """NPUs present, and the number of devices where only a list of them says it (inferred).

    A submodule without a number of its own has its parent's, whatever its list says; only vllm-rbln, when it
    compiles, ``derives`` the number from the list (``compilation/__init__.py``).
    """
    found: dict[str, Setting] = {}
    rows = [f for f in facts if f.name == "devices_available"]
    visible = config.get("RBLN_VISIBLE_DEVICES")
    exported = None if visible is None else visible_devices(visible.value)
    if visible is not None and exported:
        found["devices_available"] = Setting(exported, visible.line, f"{visible.origin}, visible devices")
    elif rows:
        most = max(rows, key=lambda f: int(f.value))
        found["devices_available"] = Setting(most.value, most.line, most.origin)
    for prefix in (
        "",
        f"{layout.lm_prefix}." if layout.lm_prefix else "",
        "visual.",
        f"{layout.vision_prefix}.",
    ):
        listed = config.get(f"{prefix}device")
        inherits = bool(prefix) and "num_devices" in config and not derives
        if inherits or listed is None or f"{prefix}num_devices" in config:
            continue
        if isinstance(listed.value, list):
            found[f"{prefix}num_devices"] = Setting(
                len(listed.value), listed.line, f"{listed.origin}, device list (inferred)"
            )
    return found


# --------------------------------------------------------------------------- everything but the configuration


def _about(
    facts: Sequence[Fact], given: Sequence[GivenConfig], sets: Mapping[str, Value], npu: str | None
) -> RunContext:
    """Versions, NPU, model, path, form, phases, architecture."""
    model = sets.get("model") or _best(facts, "model") or next((g.model for g in reversed(given) if g.model), None)
    phases = {str(f.value) for f in facts if f.name == "phase"} | {p for g in given for p in g.phases}
    by_hand = {n.removeprefix("version:"): str(v) for n, v in sets.items() if n.startswith("version:")}
    found = versions_of(facts, given)
    versions = {**found, **by_hand}
    return RunContext(
        npu=npu or sets.get("npu") or _best(facts, "npu") or next((g.npu for g in reversed(given) if g.npu), None),
        versions=versions,
        inferred=tuple(name for name in inferred_of(found, facts, given) if name not in by_hand),
        model=model,
        model_class=sets.get("model_class") or _model_class(facts, given, model, sets),
        path=_path(facts, given),
        platform=_best(facts, "platform"),
        form=cast("Form | None", _form(facts, given)),
        phases=frozenset(phases),
        architecture=_architecture(given, sets),
        image_sizes=_image_sizes(given, sets),
        told=tuple(dict.fromkeys(str(f.value) for f in facts if f.name == TOLD)),
    )


def _architecture(given: Sequence[GivenConfig], sets: Mapping[str, Value]) -> dict[str, Value]:
    found = {name: value for config in given for name, value in config.architecture.items()}
    by_hand = {n.removeprefix(_ARCHITECTURE): v for n, v in sets.items() if n.startswith(_ARCHITECTURE)}
    return found | by_hand


def _image_sizes(given: Sequence[GivenConfig], sets: Mapping[str, Value]) -> tuple[tuple[int, int], ...]:
    """(height, width) of the images named by hand, else of those that the files name; each once."""
    by_hand = sets.get(IMAGE_SIZES)
    listed = by_hand or [size for config in given for size in config.values.get(_IMAGE_SIZES) or ()]
    return tuple(dict.fromkeys((int(height), int(width)) for height, width in listed))


def _model_class(
    facts: Sequence[Fact], given: Sequence[GivenConfig], model: str | None, sets: Mapping[str, Value]
) -> str | None:
    """The first class of the highest rank: a draft model's architecture is resolved after the model's own.

    The package a traceback passes through tells the class only where neither a file nor the model's name does; one
    that holds text models too, only beside a field of the vision submodule.
    """
    stated = [f for f in facts if f.name == "model_class"]
    inferred = bool(stated) and all(f.rank == ranks.INFERRED for f in stated)
    names = (*(f.name for f in facts), *(n for g in given for n in g.values), *sets)
    shared = inferred and "Qwen3_5" in str(stated[0].value) and not any(n.startswith("visual.") for n in names)
    if inferred and (shared or guess_class(model) or any(g.model_class for g in given)):
        stated = []
    if stated:
        return str(min(stated, key=lambda f: (-f.rank, f.line)).value)
    return next((cls for g in reversed(given) if g.model_class and (cls := rbln_class(g.model_class))), None)


def _path(facts: Sequence[Fact], given: Sequence[GivenConfig]) -> Literal["optimum", "vllm"] | None:
    found = _best(facts, "path")
    if not found:
        impl = next((g.values["model_impl"] for g in reversed(given) if "model_impl" in g.values), None)
        found = {"vllm": "vllm", "optimum": "optimum", "transformers": "optimum"}.get(str(impl))
    return found if found in ("optimum", "vllm") else None


def _form(facts: Sequence[Fact], given: Sequence[GivenConfig]) -> str | None:
    """A launch form given by hand is the person's own; then the log's."""
    handed = next((g.form for g in reversed(given) if g.form), None)
    return handed or _best(facts, "form")


def _best(facts: Sequence[Fact], name: str) -> Value:
    """The value of the highest rank, of the latest line within it; None when no fact has the name."""
    found = [f for f in facts if f.name == name]
    return max(found, key=lambda f: (f.rank, f.line)).value if found else None
