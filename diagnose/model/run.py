"""What a run was: facts, settings with the line they came from, given files, and the whole context."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Literal

from diagnose.light import dataclass
from diagnose.model.text import Value


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing a record says about the run, before anything is decided about it."""

    name: str
    """A canonical parameter (``max_seq_len``, ``visual.device``), or ``version:vllm``, ``npu``, ``model``,
    ``model_class``, ``path`` (``optimum``/``vllm``), ``phase`` (``compile``/``load``/``serve``), ``artifact``."""
    value: Value
    line: int
    offset: int
    origin: str
    """Where it was read, in words a person finds in the log: ``non-default args``, ``RBLN config``, …"""
    rank: int
    """Precedence: a higher rank wins, within one rank the later line wins."""
    speaker: tuple[str, int] | None = None
    """Name and pid of the process that said it, where its lines have both."""


MESSAGE = "the message"
"""Origin of a setting that the message of an error states."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A parameter's value in force and where it was read."""

    value: Value
    line: int | None
    """None when it did not come from the log."""
    origin: str
    """``non-default args``, ``rbln_config.json``, ``--set``, ``default of optimum-rbln 0.12`` …"""


@dataclass(frozen=True, slots=True)
class Overruled:
    """What was asked for and what came into force instead."""

    parameter: str
    asked: Setting
    in_force: Setting


@dataclass(frozen=True, slots=True)
class GivenConfig:
    """What one ``--config FILE`` told us."""

    name: str
    """The path as the person gave it."""
    kind: str
    """``rbln_config.json``, ``hf-config``, ``python``, ``shell``, ``compose``, ``kubernetes``."""
    values: Mapping[str, Value] = field(default_factory=dict)
    """Canonical parameter → value (see ``kb/parameters.yaml``)."""
    model: str | None = None
    model_class: str | None = None
    npu: str | None = None
    versions: Mapping[str, str] = field(default_factory=dict)
    architecture: Mapping[str, Value] = field(default_factory=dict)
    """Hugging Face numbers of the language model: ``num_hidden_layers``, ``num_key_value_heads``, ``head_dim``,
    ``hidden_size``, ``intermediate_size``, ``vocab_size``, ``patch_size`` …"""
    form: str | None = None
    """``vllm-serve``, ``python-llm``, ``optimum-python``, ``optimum-cli`` when the file is a launch form."""
    phases: tuple[str, ...] = ()
    """``compile`` when it exports, ``load`` when it loads an artifact, ``serve``."""
    additional: Mapping[str, Value] = field(default_factory=dict)
    """vLLM's ``additional_config`` as written."""
    section: str = ""
    """Of one launch of a file with several: how a person names it behind ``#``, a service or a line of a script."""
    called: tuple[str, ...] = ()
    """Names under which a log may know it: service, container, pod, deployment."""
    sections: tuple[GivenConfig, ...] = ()
    """Launches of which only one is the run's, where the file holds several. ``values`` are then what all of them
    have in common."""


@dataclass(frozen=True, slots=True)
class Noted:
    """What is worth saying about something that was given by hand."""

    entry: str
    """Id of the entry that says it."""
    numbers: Mapping[str, Value]
    """Names in the entry's texts → values."""


@dataclass(frozen=True, slots=True)
class Additional:
    """What the person gave vllm-rbln beside vLLM's own arguments, as written: a flag pasted for one key replaces the
    others of its section."""

    section: str = ""
    """Key of the overrides: ``optimum_overrides``, ``rbln_config``; empty where it was not seen."""
    overrides: Mapping[str, Value] = field(default_factory=dict)
    """Nested, under the names the person used."""
    other: Mapping[str, Value] = field(default_factory=dict)
    """The rest of ``additional_config``."""
    partly: bool = False
    """Whether there are keys that were not seen."""


@dataclass(frozen=True, slots=True)
class RunContext:
    """What the run was: everything a remedy may rest on, each value with its source."""

    config: Mapping[str, Setting] = field(default_factory=dict)
    """Canonical dotted parameter → value in force (defaults not included)."""
    overruled: tuple[Overruled, ...] = ()
    noted: tuple[Noted, ...] = ()
    """What of the values given by hand could not be used, or goes against what the log says."""
    npu: str | None = None
    """``RBLN-CA25``, ``RBLN-CR13`` …"""
    versions: Mapping[str, str] = field(default_factory=dict)
    """Keys ``vllm``, ``vllm_rbln``, ``optimum_rbln``, ``rebel_compiler``, ``torch_rbln``, ``driver``; with ``_min`` and
    ``_max`` behind them the ends of a range."""
    inferred: tuple[str, ...] = ()
    """Keys of ``versions`` that nothing states: concluded from another version or from an old name."""
    model: str | None = None
    model_class: str | None = None
    """RBLN class without suffix where known: ``RBLNQwen3VLForConditionalGeneration``."""
    path: Literal["optimum", "vllm"] | None = None
    platform: str | None = None
    """``rbln`` or another vendor's (``cuda``, ``tpu`` …), where the log names it."""
    form: Literal["vllm-serve", "python-llm", "optimum-python", "optimum-cli"] | None = None
    """How the person started the run: decides the form a change is shown in."""
    phases: frozenset[str] = frozenset()
    """Which of ``compile``, ``load``, ``serve``, ``generate`` the log shows."""
    architecture: Mapping[str, Value] = field(default_factory=dict)
    lm_prefix: str = ""
    """Where the language model's fields live: ``""`` (top level), ``language_model``, ``text_model``."""
    vision_prefix: str | None = None
    """``visual``, ``vision_tower``, ``vision_model``, or None for a text model or an unknown one."""
    image_sizes: tuple[tuple[int, int], ...] = ()
    """Image sizes (height, width) in pixels the log or a configuration names."""
    additional: Additional = field(default_factory=Additional)
    """Never shown as it is: of it, a change to paste repeats what must stay."""
    told: tuple[str, ...] = ()
    """Texts of commands and configurations that name a secret: it is hidden wherever else it stands. Never shown or
    stored; gone once redacted."""
    defaults_known: bool = False
    """Whether the whole configuration was seen, so that a parameter it does not hold is at the library's default."""

    def get(self, parameter: str, default: Value = None) -> Value:
        """Value in force of a canonical parameter, looked up at the level where this model class keeps it."""
        setting = self.setting(parameter)
        return default if setting is None else setting.value

    def setting(self, parameter: str) -> Setting | None:
        placed = self.place(parameter)
        found = self.config.get(placed)
        return found if found is not None else self.config.get(parameter)

    def place(self, parameter: str) -> str:
        """The dotted name this model class uses: ``max_seq_len`` → ``language_model.max_seq_len`` for Gemma 4,
        ``visual.device`` → ``vision_tower.device``."""
        head, dot, rest = parameter.partition(".")
        if head == "visual" and dot:
            return f"{self.vision_prefix or 'visual'}.{rest}"
        nested = f"{self.lm_prefix}.{parameter}"
        # ``batch_size`` stands at the top for these classes, but one inside the language model wins where it is given.
        if not dot and self.lm_prefix and (parameter in LM_FIELDS or nested in self.config):
            return nested
        return parameter

    @property
    def family(self) -> Literal["ATOM", "REBEL"] | None:
        if self.npu is None:
            return None
        return "REBEL" if self.npu.startswith("RBLN-CR") else "ATOM"


LM_FIELDS = frozenset(
    {
        "max_seq_len",
        "attn_impl",
        "kvcache_partition_len",
        "kvcache_block_size",
        "kvcache_num_blocks",
        "memory_budget",
        "prefill_chunk_size",
        "image_prefill_chunk_size",
        "decoder_batch_sizes",
        "quantization",
        "sliding_window",
        "num_devices",
        "device",
        "create_runtimes",
    }
)
"""Fields of the language model that move into its submodule for the classes that nest it.
``batch_size`` stays at the top level for those classes. Source: rbln-config-fields §3, optimum-rbln 0.12.0."""
