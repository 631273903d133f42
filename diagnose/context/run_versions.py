"""Versions of a run: what lines state, and what the pins between the packages let conclude from it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from diagnose.context.versions import Span, before, overlap, pinned
from diagnose.model import Fact, GivenConfig

_SISTERS = ("optimum_rbln", "vllm_rbln", "vllm_rbln_max", "rebel_compiler", "torch_rbln")
"""Any of them tells the release better than a parameter's name."""
_TOGETHER = "0.12.0"
"""The release from which vllm-rbln pins optimum-rbln, rebel-compiler and torch-rbln to its own number."""


def versions_of(facts: Sequence[Fact], given: Sequence[GivenConfig]) -> dict[str, str]:
    """Versions by key (``vllm``, ``vllm_rbln``, ``optimum_rbln``, ``rebel_compiler``, ``torch_rbln``,
    ``driver``).

    What a line states beats what is concluded. Where only a range of vllm-rbln releases is known, the key is
    left out and ``vllm_rbln_min`` and ``vllm_rbln_max`` hold the range; a range of one release gives
    ``vllm_rbln`` itself. ``optimum_rbln_max`` stands where nothing but old parameter names tells the release.
    """
    found: dict[str, str] = {}
    for config in given:
        found |= dict(config.versions)
    for fact in sorted(facts, key=lambda f: (f.rank, f.line)):
        kind, colon, name = fact.name.partition(":")
        if colon and kind == "version":
            found[name] = str(fact.value)
    if "vllm_rbln" not in found:
        found |= _plugin(found.get("vllm"), facts)
    plugin = found.get("vllm_rbln")
    if plugin is not None and not before(plugin, _TOGETHER) and before(plugin, "0.13"):
        found.setdefault("optimum_rbln", _TOGETHER)
    if any(name in found for name in _SISTERS) or any(fact.name == "renamed" for fact in facts):
        found.pop("optimum_rbln_max", None)
    return dict(sorted(found.items()))


def inferred_of(versions: Iterable[str], facts: Sequence[Fact], given: Sequence[GivenConfig]) -> tuple[str, ...]:
    """Those keys of ``versions`` that no line and no given file states; the ends of a range are never stated."""
    stated = {name for config in given for name in config.versions}
    stated |= {fact.name.removeprefix("version:") for fact in facts}
    return tuple(name for name in versions if name not in stated or name.endswith(("_min", "_max")))


def _plugin(vllm: str | None, facts: Sequence[Fact]) -> dict[str, str]:
    spans = [Span(*fact.value) for fact in facts if fact.name == "span:vllm_rbln"]
    span = pinned(vllm) if vllm and _rbln_is_there(facts) else None
    for other in spans:
        span = other if span is None else overlap(span, other) or span
    if span is None:
        return {}
    if span.first == span.last:
        return {"vllm_rbln": span.first}
    return {"vllm_rbln_min": span.first, "vllm_rbln_max": span.last}


def _rbln_is_there(facts: Sequence[Fact]) -> bool:
    """A vLLM version says nothing about the plugin in the log of another vendor's run."""
    return any(
        fact.name in ("path", "npu", "span:vllm_rbln", "version:rebel_compiler", "version:optimum_rbln")
        for fact in facts
    )
