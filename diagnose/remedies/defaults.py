"""The library's defaults, as far as a remedy may rest on them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from diagnose.knowledge.schema import Knowledge
from diagnose.model import RunContext, Setting
from diagnose.remedies.release import version_of

_FOLLOWING = frozenset({"attn_impl", "kvcache_block_size", "decoder_batch_sizes"})
"""Defaults that follow from other parameters: they would go stale with a change, and an attention mode
that was only assumed must not decide the block size."""

_CHOSEN = frozenset({"batch_size", "num_devices"})
"""Nearly every run sets them: their default is a fact only where the whole configuration was seen."""

_GEMMA4_ONLY = frozenset({"visual.max_soft_tokens", "vision_tower.max_soft_tokens"})


def is_default(setting: Setting) -> bool:
    return setting.line is None and setting.origin.startswith("default of")


def known_settings(context: RunContext, knowledge: Knowledge) -> Mapping[str, Setting]:
    """Values in force and the defaults that stand on their own."""
    from diagnose.context.effective import effective

    release = version_of(context, "optimum_rbln")
    if release is not None:  # told by a sister package, where the library itself is not named
        context = replace(context, versions={**context.versions, "optimum_rbln": release})
    foreign = frozenset() if "Gemma4" in (context.model_class or "") else _GEMMA4_ONLY
    return {
        name: setting
        for name, setting in effective(context, knowledge.parameters).items()
        if not (is_default(setting) and (name in _FOLLOWING or name in foreign or _assumed(name, context)))
    }


def _assumed(name: str, context: RunContext) -> bool:
    """Whether a default would be taken for the value of a run that was not seen. REBEL has no RSD: one device."""
    if name not in _CHOSEN or context.defaults_known:
        return False
    return not (name == "num_devices" and context.family == "REBEL")


def with_defaults(context: RunContext, knowledge: Knowledge) -> RunContext:
    """The same run with those defaults in its configuration, still marked as defaults by their origin."""
    return replace(context, config={**known_settings(context, knowledge), **context.config})


def without_defaults(context: RunContext) -> RunContext:
    """The run with only what somebody chose: what a command for another tool has to repeat."""
    return replace(context, config={n: s for n, s in context.config.items() if not is_default(s)})


def explicit(context: RunContext, parameter: str) -> Setting | None:
    """The setting of a parameter that somebody chose: not a default of the library."""
    setting = context.setting(parameter)
    return None if setting is None or is_default(setting) else setting
