"""What the knowledge base holds, as types. YAML is read in ``source.py`` only, and never at start-up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any, Literal

from diagnose.light import dataclass
from diagnose.model import Applicability, Domain, Role, Severity, Text, Value

FORMAT = 6
"""Raised whenever the compiled form changes, so that no cache of another form is read."""

Where = Literal["log", "exception", "fatal", "warning", "usage", "raw"]
Level = Literal["lm", "top", "vision", "processor", "vllm", "environment"]
ParameterType = Literal["int", "float", "bool", "str", "ints", "devices", "budget", "dict"]


class SourceError(ValueError):
    """An entry that cannot be used; the message names the file and says what to do."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter and every name it has (``kb/parameters.yaml``)."""

    name: str
    """Canonical name: the rbln_config name where one exists, ``visual.…`` for a vision submodule."""
    type: ParameterType
    level: Level
    """``lm``: a field of the language model; ``top``: always top level; ``vision``: of the vision submodule;
    ``processor``: of the Hugging Face processor; ``vllm``: only vLLM has it; ``environment``: a variable."""
    unit: str = ""
    vllm: str | None = None
    """vLLM argument (argparse dest, ``LLM(...)`` keyword): ``max_model_len``. The flag is ``--max-model-len``."""
    additional: str | None = None
    """Key in vllm-rbln's ``additional_config`` (0.12 flag ``--rbln-…``): ``num_devices_per_local_rank``."""
    environment: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    """Other names the same value has: older rbln_config names, ``rbln_`` prefixed ones need no alias."""
    at: Literal["compile", "load", "request", "any"] = "compile"
    """When it takes effect. ``compile``: a new artifact is needed."""
    default: Mapping[str, Value] = field(default_factory=dict)
    """Value when unset, by NPU family: keys ``ATOM``, ``REBEL`` or ``any``; absent when it is computed."""
    meaning: Text = field(default_factory=lambda: Text("", ""))

    @property
    def flag(self) -> str | None:
        """The ``vllm serve`` flag, where there is one."""
        if self.vllm:
            return "--" + self.vllm.replace("_", "-")
        if self.additional:
            return "--rbln-" + self.additional.replace("_", "-")
        return None


@dataclass(frozen=True, slots=True)
class Signature:
    """One wording of an entry's message."""

    entry: str
    index: int
    template: str
    """As written in the entry; empty when ``regex`` was written by hand."""
    pattern: str
    """``regex`` source with named groups."""
    types: Mapping[str, str]
    """Placeholder → type (``int``, ``float``, ``bytes``, ``ints``, ``shape``, ``word``, ``quoted``, ``rest``)."""
    literals: tuple[str, ...]
    """At least one of these stands in every text the pattern accepts (white space single)."""
    where: tuple[Where, ...] = ()
    """Record kinds it may match in; empty means: errors (exceptions, logged warnings and errors, raw lines that
    begin with it, usage errors, fatal JSON)."""
    anywhere: bool = False
    """True when a raw line may hold it in mid line."""
    since: str | None = None
    until: str | None = None
    frame: str | None = None
    """Text that one of the innermost frames must hold: for messages that say nothing by themselves."""


@dataclass(frozen=True, slots=True)
class Case:
    """A text that holds only when ``when`` does."""

    when: str | None
    text: Text


@dataclass(frozen=True, slots=True)
class RemedySpec:
    """A remedy as its entry writes it."""

    id: str
    title: Text
    when: str | None = None
    """Guard. When a name in it is unknown the remedy is kept."""
    set: Mapping[str, str] = field(default_factory=dict)
    """Canonical parameter → expression; the word ``unset`` removes the parameter."""
    solver: str | None = None
    """Name of a function in ``diagnose/remedies/solvers``."""
    options: Mapping[str, Value] = field(default_factory=dict)
    """Passed to the solver."""
    applicability: Applicability | None = None
    """Cap: a remedy is never shown as surer than this."""
    commands: Mapping[str, str] = field(default_factory=dict)
    """Extra commands to paste, with ``{placeholders}``."""
    side_effect: Text | None = None
    verify: Text | None = None


@dataclass(frozen=True, slots=True)
class Example:
    """A text with what must come out of it."""

    text: str
    numbers: Mapping[str, Value] = field(default_factory=dict)
    sets: Mapping[str, Value] = field(default_factory=dict)
    """Configuration the expected changes are computed under (as ``--set``)."""
    npu: str | None = None
    changes: Mapping[str, Mapping[str, Value]] = field(default_factory=dict)
    """Remedy id → parameter → expected value."""
    not_offered: tuple[str, ...] = ()
    """Remedies that would be wrong here."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One cause, in all its wordings."""

    id: str
    component: str
    domain: Domain
    role: Role
    severity: Severity
    title: Text
    cause: tuple[Case, ...]
    """The first case whose guard holds is shown; the last one has no guard."""
    signatures: tuple[Signature, ...] = ()
    remedies: tuple[RemedySpec, ...] = ()
    explains: tuple[str, ...] = ()
    """Entries (ids, or prefixes ending in ``*``) that are echoes of this one."""
    when: str | None = None
    """Guard over the context; the entry is not considered when it is known to be false."""
    observe: str | None = None
    """For a note that no message announces: an expression over the configuration that makes it true."""
    model_class: str | None = None
    """RBLN class the message belongs to alone: tells where its fields live when the log does not."""
    path: Literal["optimum", "vllm"] | None = None
    """Model path of vllm-rbln that alone has the message: the run took it, said or not."""
    evidence: Literal["source", "documented", "reported", "inferred"] = "source"
    references: tuple[str, ...] = ()
    examples: tuple[Example, ...] = ()
    near_misses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Constraint:
    """One rule between parameters (``kb/constraints.yaml``)."""

    id: str
    rule: str
    """Expression that must be true; not judged while a name in it is unknown."""
    when: str | None
    touches: tuple[str, ...]
    """Parameters whose change can break it."""
    text: Text
    source: str


@dataclass(frozen=True, slots=True)
class Knowledge:
    """The compiled knowledge base."""

    hash: str
    entries: Mapping[str, Entry]
    signatures: Sequence[Signature]
    """All signatures; ``literals[i]`` points into it."""
    literals: tuple[tuple[str, int], ...]
    """(literal, index into ``signatures``)."""
    parameters: Mapping[str, Parameter]
    constraints: tuple[Constraint, ...]
    hardware: Mapping[str, Any]
    """``kb/hardware.yaml`` as it stands."""
    models: Mapping[str, Any]
    """``kb/models.yaml`` as it stands: language-model and vision numbers of known checkpoints."""
