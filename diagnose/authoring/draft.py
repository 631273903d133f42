"""``kb new``: a first draft of an entry from a log line, its values named and typed."""

from __future__ import annotations

import json
import keyword
import re
from collections.abc import Iterator, Mapping, Sequence

from diagnose.authoring.reading import records as read_records
from diagnose.knowledge import Knowledge
from diagnose.knowledge.templates import ALIAS, TemplateError, compile_template
from diagnose.knowledge.values import convert
from diagnose.light import dataclass
from diagnose.model import InputError, Record, Text, Value
from diagnose.scan import Engine

VALUES: tuple[tuple[str, str], ...] = (
    ("shape", r"torch\.Size\(\[[\d, ]+\]\)|\(\d+(?:, ?\d+)+,?\)"),
    ("ints", r"\[\s*-?\d+(?:\s*,\s*-?\d+)*\s*\]"),
    ("bytes", r"(?<![\w.])\d[\d,_]*(?:\.\d+)?\s*(?:[KMGT]i?B|[Bb]ytes?|바이트)(?!\w)"),
    ("quoted", r"(?<!\w)'[^'\n{}]{1,200}'(?!\w)|(?<!\w)\"[^\"\n{}]{1,200}\"(?!\w)"),
    ("word", rf"(?:{ALIAS}|(?<![\w/])(?=/))(?:/[\w.@+~=-]+){{2,}}|{ALIAS}"),
    ("float", r"(?<![\w.])-?\d+\.\d+(?![\w.])"),
    ("int", r"(?<![\w.])-?\d{1,3}(?:[,_]\d{3})+(?![\w,])|(?<![\w.])-?\d+(?![\w.]*\w)"),
)
"""Type of a placeholder → what is taken for one, the most telling first."""

_VALUE = re.compile("|".join(f"(?P<{name}>{pattern})" for name, pattern in VALUES))
_TYPE = re.compile(r"(?:[\w.]+\.)?(?P<name>\w+(?:Error|Exception|Warning))(?::\s+|\Z)")
_CONTROL = re.compile(r"[^\S\n\t ]|[\x00-\x08\x0b-\x1f\x7f]")
_NAME = re.compile(r"[A-Za-z_]\w*")
_PLAIN = frozenset(
    ["a", "an", "the", "of", "is", "to", "at", "with", "than", "but", "got", "and", "only", "set", "be", "for"]
)

_BY_TYPE: Mapping[str, str] = {"quoted": "name", "word": "path", "bytes": "size", "shape": "shape", "ints": "values"}

HOMES: Mapping[str, str] = {
    "optimum/rbln": "optimum-rbln",
    "optimum.rbln": "optimum-rbln",
    "vllm_rbln": "vllm-rbln",
    "torch_rbln": "torch-rbln",
    "rebel": "rebel",
    "transformers": "hf",
    "huggingface_hub": "hf",
    "vllm": "vllm",
}
"""What stands in a frame or a writer's name → component."""


@dataclass(frozen=True, slots=True)
class Draft:
    """An entry to be completed by a person."""

    yaml: str
    template: str
    numbers: Mapping[str, Value]
    known: tuple[str, ...]
    """Entries that match the line already."""
    nearest: tuple[str, ...]


def draft(text: str, knowledge: Knowledge, engine: Engine | None = None) -> Draft:
    """A draft for the (first) error in ``text``; ``engine`` spares making one over the knowledge base.

    Raises InputError when the text holds too little that is fixed.
    """
    record = first_error(text)
    message = said(record)
    template = templated(message, knowledge.parameters)
    try:
        compiled = compile_template(template)
    except TemplateError as error:
        raise _too_little() from error
    found = re.search(compiled.pattern, message)
    if found is None:
        raise _too_little()
    numbers = {name: convert(compiled.types[name], value) for name, value in found.groupdict().items() if value}
    known, near = _relatives(record, knowledge, engine)
    return Draft(
        "\n".join(_yaml(text, record, template, numbers, near, knowledge)) + "\n", template, numbers, known, near
    )


def first_error(text: str) -> Record:
    """The first record that reports an error, else the first one at all, prefix layers removed."""
    from diagnose.matching import is_error

    records = [r for r in read_records(text) if r.text.strip()]
    if not records:
        raise _too_little()
    return next((r for r in records if is_error(r)), records[0])


def said(record: Record) -> str:
    """The message without the exception's type, its first paragraph only."""
    text = _CONTROL.sub(" ", record.text).strip()
    found = _TYPE.match(text)
    if found is not None and found.end() < len(text):
        text = text[found.end() :]
    return text.split("\n\n", 1)[0].strip()


def templated(message: str, parameters: Mapping[str, object] | Sequence[str] = ()) -> str:
    """``message`` with every value replaced by a named, typed placeholder, braces doubled."""
    parts: list[str] = []
    taken: set[str] = set()
    position = 0
    for found in _VALUE.finditer(message):
        before = message[position : found.start()]
        parts.append(_escaped(before))
        name = _named(before, str(found.lastgroup), taken, parameters)
        taken.add(name)
        parts.append("{" + name + ("" if found.lastgroup == "word" else f":{found.lastgroup}") + "}")
        position = found.end()
    parts.append(_escaped(message[position:]))
    return "".join(parts)


def _escaped(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def _named(before: str, type_: str, taken: set[str], parameters: Mapping[str, object] | Sequence[str]) -> str:
    """Named after the last telling word before it; never like a parameter, whose value in force it is not."""
    words = [w for w in _NAME.findall(before[-60:]) if w.lower() not in _PLAIN]
    base = words[-1].lower() if words else _BY_TYPE.get(type_, "value")
    base = re.sub(r"\W|^_+", "", base) or "value"
    if not base[0].isascii() or not base.isascii() or not base[0].isalpha():
        base = "value"
    if base in parameters or keyword.iskeyword(base):
        base += "_given"
    name, number = base, 2
    while name in taken:
        name, number = f"{base}_{number}", number + 1
    return name


def _relatives(record: Record, knowledge: Knowledge, engine: Engine | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    from diagnose.analyzer import engine_for
    from diagnose.matching import Matcher
    from diagnose.reasoning.unknown import nearest

    known = tuple(m.entry for m in Matcher(knowledge, engine or engine_for(knowledge)).match(record))
    return known, tuple(n.entry for n in nearest(record.text, knowledge) if n.entry not in known)


def component_of(record: Record, near: Sequence[str], knowledge: Knowledge) -> str:
    """By the innermost frame, the logger, the nearest entry; optimum-rbln when nothing tells."""
    frames = record.exception.frames[-1:] if record.exception is not None else ()
    for text in (*frames, record.writer or "", record.source or ""):
        for mark, component in HOMES.items():
            if mark in text:
                return component
    return knowledge.entries[near[0]].component if near else "optimum-rbln"


def _yaml(
    text: str, record: Record, template: str, numbers: Mapping[str, Value], near: Sequence[str], knowledge: Knowledge
) -> Iterator[str]:
    """Lines of the entry; a JSON string is a YAML string."""
    warned = record.level in ("WARNING", "WARN") or record.kind.value == "warning"
    slug = "-".join(re.findall(r"[a-z0-9]+", re.sub(r"\{[^}]*\}", " ", template).lower())[:5]) or "message"
    family = near[0].split(".")[0] if near else "new"
    yield f"id: {family}.{slug}"
    yield f"component: {component_of(record, near, knowledge)}"
    yield f"role: {'context' if warned else 'root'}"
    yield f"severity: {'warning' if warned else 'error'}"
    yield "title:"
    yield '  en: "<what is wrong, one line without a full stop>"'
    yield '  ko: "<무엇이 잘못되었는지 한 줄>"'
    yield "signatures:"
    yield f"  - text: {_string(template)}"
    yield "cause:"
    yield f'  en: "<why it happens; values by name: {_names(numbers)}>"'
    yield f'  ko: "<왜 일어나는지. 값은 이름으로: {_names(numbers)}>"'
    yield "remedies:"
    yield "  - id: first-remedy"
    yield "    title:"
    yield '      en: "<what to change>"'
    yield '      ko: "<무엇을 바꾸는지>"'
    yield "    verify:"
    yield '      en: "<how to see that it worked>"'
    yield '      ko: "<어떻게 확인하는지>"'
    if not warned:
        yield 'explains: ["engine.*"]'
    yield "evidence: reported"
    yield "examples:"
    yield f"  - text: {_string(text.strip())}"
    if numbers:
        yield f"    numbers: {json.dumps(numbers, ensure_ascii=False)}"


def _string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _names(numbers: Mapping[str, Value]) -> str:
    return ", ".join("{" + name + "}" for name in numbers) or "-"


def _too_little() -> InputError:
    return InputError(
        Text(
            "the line holds too little fixed text for a signature; give the whole message",
            "시그니처를 만들 고정 문구가 너무 짧습니다. 메시지 전체를 지정하세요",
        )
    )
