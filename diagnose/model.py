"""The nouns of the project. Every room takes and gives these; none of them does any work.

All are frozen and slotted. Units stand in the names (``*_bytes``, ``*_s``). Line numbers count
``\\n`` only, from 1. Offsets are bytes from the start of the input after it was brought to UTF-8.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Lang = Literal["en", "ko"]
Role = Literal["root", "consequence", "context", "noise"]
Severity = Literal["fatal", "error", "warning", "info"]
Domain = Literal["rbln", "vllm", "hf", "host", "foreign"]
Applicability = Literal["exact", "estimate", "needs-value", "advice"]
Outcome = Literal["diagnosed", "unknown", "healthy"]
Value = Any  # int, float, str, bool, None, list of those, or a dict read from a log or a file


@dataclass(frozen=True, slots=True)
class Text:
    """One statement in both languages; ``en`` and ``ko`` say the same."""

    en: str
    ko: str

    def in_(self, lang: Lang) -> str:
        return self.ko if lang == "ko" else self.en

    def to_dict(self) -> dict[str, str]:
        return {"en": self.en, "ko": self.ko}


# --------------------------------------------------------------------------- lines and records


@dataclass(frozen=True, slots=True)
class Line:
    """One physical line as it stood in the input."""

    number: int
    """From 1, counting ``\\n`` only. A jump between two lines means the scan left lines out between them."""
    offset: int
    """Byte offset of the line's first byte."""
    text: str
    """Decoded text without the closing ``\\n``; a ``\\r``, colours and prefixes are still there."""


class RecordKind(str, enum.Enum):
    """What wrote a record, as far as it decides how the record may be read."""

    LOG = "log"  # a logger's record with a level (vLLM, plugin, optimum, rebel-compiler, uvicorn, …)
    EXCEPTION = "exception"  # one exception of a traceback, or a bare `Type: message` line
    FATAL = "fatal"  # the JSON line a vllm-rbln worker writes before it ends itself
    WARNING = "warning"  # Python `warnings` output
    USAGE = "usage"  # argparse: usage and error
    ACCESS = "access"  # an HTTP access line
    RAW = "raw"  # anything else: program output, C++ messages, kernel lines


@dataclass(frozen=True, slots=True)
class Piece:
    """Where one line of a record's text came from."""

    start: int
    """Index into ``Record.text`` where this line begins."""
    line: int
    offset: int


@dataclass(frozen=True, slots=True)
class ExceptionInfo:
    """How an exception stood in its traceback."""

    type: str
    """As printed, e.g. ``pydantic_core._pydantic_core.ValidationError``."""
    chain: int
    """Number of the traceback this exception belongs to; the exceptions of one chain share it."""
    position: int
    """0 is printed first, i.e. innermost."""
    link: Literal["cause", "context", "group"] | None
    """How it is joined to the exception printed before it in the chain (direct cause / during handling)."""
    last: bool
    """True for the exception printed last in its chain."""
    frames: tuple[str, ...] = ()
    """Innermost frames, oldest first, as ``file.py:line in function: source line``."""
    bare: bool = False
    """True when no ``Traceback`` header was seen, only the closing line."""


@dataclass(frozen=True, slots=True)
class Record:
    """One logical message: every prefix layer stripped, its physical lines joined with ``\\n``."""

    kind: RecordKind
    text: str
    """The message. For an exception ``Type: message`` as printed, continuation lines included."""
    pieces: tuple[Piece, ...]
    """One per line of ``text``, in order; the first gives the record's own line and offset."""
    level: str | None = None
    """``DEBUG`` … ``CRITICAL`` when a logger gave one (for an exception: of the logged copy)."""
    writer: str | None = None
    """``vllm``, ``vllm-rbln``, ``optimum``, ``rebel-compiler``, ``uvicorn``, … where it can be told."""
    source: str | None = None
    """``core.py:1366`` when the record names it."""
    time: str | None = None
    """Time stamp as printed by the innermost layer that has one."""
    process: str | None = None
    """``APIServer``, ``EngineCore_DP0``, ``Worker_TP1``, ``RayWorkerWrapper``, … or None."""
    pid: int | None = None
    exception: ExceptionInfo | None = None
    repeated: int = 1
    """Ray's ``[repeated Nx across cluster]``: how many processes printed it."""

    @property
    def line(self) -> int:
        return self.pieces[0].line

    @property
    def offset(self) -> int:
        return self.pieces[0].offset

    @property
    def last_line(self) -> int:
        return self.pieces[-1].line

    def place(self, index: int) -> Piece:
        """The piece that holds the character ``index`` of ``text``."""
        found = self.pieces[0]
        for piece in self.pieces:
            if piece.start > index:
                break
            found = piece
        return found


# --------------------------------------------------------------------------- context


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


@dataclass(frozen=True, slots=True)
class RunContext:
    """What the run was: everything a remedy may rest on, each value with its source."""

    config: Mapping[str, Setting] = field(default_factory=dict)
    """Canonical dotted parameter → value in force (defaults not included)."""
    overruled: tuple[Overruled, ...] = ()
    npu: str | None = None
    """``RBLN-CA25``, ``RBLN-CR13`` …"""
    versions: Mapping[str, str] = field(default_factory=dict)
    """Keys ``vllm``, ``vllm_rbln``, ``optimum_rbln``, ``rebel_compiler``, ``torch_rbln``, ``driver``."""
    model: str | None = None
    model_class: str | None = None
    """RBLN class without suffix where known: ``RBLNQwen3VLForConditionalGeneration``."""
    path: Literal["optimum", "vllm"] | None = None
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
        if not dot and self.lm_prefix and parameter in LM_FIELDS:
            return f"{self.lm_prefix}.{parameter}"
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


# --------------------------------------------------------------------------- matches and findings


@dataclass(frozen=True, slots=True)
class Match:
    """A signature found in a record."""

    entry: str
    """Entry id."""
    signature: int
    """Index of the signature in its entry."""
    record: Record
    start: int
    end: int
    """Span in ``record.text``."""
    numbers: Mapping[str, Value] = field(default_factory=dict)
    """Captured values by placeholder name."""
    number_spans: tuple[tuple[int, int], ...] = ()
    """Spans of the captured values in ``record.text``, for underlining."""

    @property
    def line(self) -> int:
        return self.record.place(self.start).line

    @property
    def offset(self) -> int:
        return self.record.place(self.start).offset


@dataclass(frozen=True, slots=True)
class Change:
    """One parameter, from the value in force to the value to set."""

    parameter: str
    """Dotted rbln_config name, or a ``processor.*`` name, or a vLLM name that has no rbln_config twin."""
    from_: Value
    """None when it was not set or is not known."""
    to: Value
    """None means: remove it, let the library choose."""
    scope: Literal["rbln_config", "processor", "vllm", "environment", "optimum-cli"] = "rbln_config"


@dataclass(frozen=True, slots=True)
class Remedy:
    """One way out, complete enough to carry out."""

    id: str
    applicability: Applicability
    title: Text
    changes: tuple[Change, ...] = ()
    arithmetic: str = ""
    """The computation with its numbers, e.g. ``(12 - 1) * 16384 = 180224``."""
    bound: Text | None = None
    """For an estimate: how far off it can be."""
    missing: tuple[str, ...] = ()
    """For ``needs-value``: the parameters to supply with ``--set`` or ``--config``."""
    commands: Mapping[str, str] = field(default_factory=dict)
    """``vllm``, ``python``, ``llm``, ``cli`` … → the text to paste, the person's own form first."""
    side_effect: Text | None = None
    verify: Text | None = None


@dataclass(frozen=True, slots=True)
class Consequence:
    """An error that is only the echo of a root cause."""

    entry: str
    line: int
    title: Text
    text: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """A diagnosed error: the root cause, its numbers, its echoes and its remedies."""

    entry: str
    domain: Domain
    role: Role
    severity: Severity
    line: int
    offset: int
    text: str
    """The message line as it stood, prefix layers removed (its first lines if it is long)."""
    title: Text
    cause: Text
    count: int = 1
    lines: tuple[int, ...] = ()
    """Lines of all copies, the first one first."""
    process: str | None = None
    time: str | None = None
    numbers: Mapping[str, Value] = field(default_factory=dict)
    highlights: tuple[tuple[int, int], ...] = ()
    """Spans of the captured numbers in ``text``."""
    remedies: tuple[Remedy, ...] = ()
    consequences: tuple[Consequence, ...] = ()
    recovered: bool = False
    """True when a later start of the same server succeeded."""


@dataclass(frozen=True, slots=True)
class Nearest:
    entry: str
    score: int
    """0–100."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """An error the knowledge base does not know."""

    line: int
    offset: int
    text: str
    template: str
    """``text`` with numbers, paths and ids masked: equal templates are one error."""
    count: int = 1
    process: str | None = None
    nearest: tuple[Nearest, ...] = ()


@dataclass(frozen=True, slots=True)
class InputInfo:
    name: str
    bytes: int
    lines: int


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Everything that was found out about one input."""

    input: InputInfo
    outcome: Outcome
    run: RunContext
    findings: tuple[Finding, ...] = ()
    notes: tuple[Finding, ...] = ()
    unknown: tuple[Unknown, ...] = ()
    runs: int = 1
    """How many runs the input holds."""
    kb_hash: str = ""
    kb_entries: int = 0

    def to_dict(self) -> dict[str, Any]:
        """The object of the JSON contract ``rbln-diagnose/1`` (``diagnose/report/schema.json``)."""
        from diagnose.report.as_dict import diagnosis_to_dict

        return diagnosis_to_dict(self)


class InputError(Exception):
    """Bad input of the person: shown as one line in their language, exit code 2."""

    def __init__(self, message: Text) -> None:
        super().__init__(message.en)
        self.message = message
