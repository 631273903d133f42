"""kb/ as people write it: YAML read, checked for shape, and brought to the compiled form.

The only module that knows YAML. It runs when the package is built, on the first use of a source checkout, and
for extra entries given with RBLN_DIAGNOSE_KB; never on a normal start.
"""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from diagnose.knowledge.expanded import TooLarge, expanded_size
from diagnose.knowledge.healthy import rare_end
from diagnose.knowledge.schema import FORMAT, SourceError
from diagnose.knowledge.templates import TemplateError, compile_template

ROLES = ("root", "consequence", "context", "noise")
SEVERITIES = ("fatal", "error", "warning", "info")
EVIDENCE = ("source", "documented", "reported", "inferred")
WHERES = ("log", "exception", "fatal", "warning", "usage", "raw")
DOMAINS: Mapping[str, str] = {
    "optimum-rbln": "rbln",
    "vllm-rbln": "rbln",
    "torch-rbln": "rbln",
    "rebel": "rbln",
    "driver": "rbln",
    "vllm": "vllm",
    "hf": "hf",
    "host": "host",
    "foreign": "foreign",
}
"""Component → domain of its entries; an entry may say another with ``domain:``."""

ENTRY_KEYS = frozenset(
    [
        "id",
        "component",
        "domain",
        "role",
        "severity",
        "title",
        "signatures",
        "cause",
        "remedies",
        "explains",
        "when",
        "observe",
        "model_class",
        "path",
        "evidence",
        "references",
        "examples",
        "near_misses",
    ]
)
SIGNATURE_KEYS = frozenset(["text", "regex", "types", "literals", "in", "anywhere", "since", "until", "frame"])
REMEDY_KEYS = frozenset(
    ["id", "title", "when", "set", "solver", "options", "applicability", "commands", "side_effect", "verify"]
)
EXAMPLE_KEYS = frozenset(["text", "numbers", "sets", "npu", "changes", "not_offered"])
PATHS = ("optimum", "vllm")
APPLICABILITY = ("exact", "estimate", "needs-value", "advice")
PLAIN_FILES = ("parameters", "constraints", "hardware", "models")


MAX_BYTES = 256 * 1024
"""Of one file; the largest entry has 20 KiB."""
MAX_PATTERN_CHARS = 1_000
"""Of a ``regex:``; the longest has 700. See ``templates.MAX_TEMPLATE_CHARS``."""
MAX_NESTED_GROUPS = 30
"""Groups of a ``regex:`` inside each other: a pattern is read by a function that calls itself for each."""
MAX_NODES = 20_000
"""Nodes of one file after every alias is put in."""
MAX_DEPTH = 24
"""Levels of one file."""


def entry_files(root: Path) -> list[Path]:
    """Entry files under ``root`` (a directory of entries or one file), in a fixed order."""
    if root.is_file():
        return [root]
    found = (p for p in root.rglob("*.yaml") if p.stem not in PLAIN_FILES or p.parent != root)
    # A FIFO would be waited for. An empty file is the one a shell makes for ``kb new … > new.yaml``.
    return sorted(p for p in found if p.is_file() and p.stat().st_size)


def tree_hash(root: Path, extra: Sequence[Path] = ()) -> str:
    """Hash of everything the compiled form depends on."""
    digest = hashlib.sha256(f"format {FORMAT}\n".encode())
    code = Path(__file__).parent
    files = [code / name for name in ("source.py", "templates.py", "healthy.py")]
    files += [*(root / f"{name}.yaml" for name in PLAIN_FILES), *entry_files(root / "entries")]
    for more in extra:
        files += entry_files(more)
    for path in files:
        if path.is_file() and path.stat().st_size <= MAX_BYTES:
            digest.update(path.name.encode() + b"\0")
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def compile_tree(root: Path, extra: Sequence[Path] = ()) -> dict[str, Any]:
    """The compiled form of ``root`` (kb/) and ``extra`` entry files or directories: JSON-ready.

    Raises SourceError for the first file that cannot be used.
    """
    plain = {name: _load(root / f"{name}.yaml") or {} for name in PLAIN_FILES}
    entries: dict[str, dict[str, Any]] = {}
    where: dict[str, str] = {}
    for path in [*entry_files(root / "entries"), *(p for more in extra for p in entry_files(more))]:
        entry = read_entry(path)
        if entry["id"] in entries:
            raise SourceError(str(path), f"id {entry['id']!r} stands already in {where[entry['id']]}")
        entries[entry["id"]] = entry
        where[entry["id"]] = str(path)
    constraints = plain.pop("constraints") or []
    return {
        "format": FORMAT,
        "hash": tree_hash(root, extra),
        "entries": entries,
        "constraints": constraints if isinstance(constraints, list) else constraints.get("constraints", []),
        **plain,
    }


def read_entry(path: Path) -> dict[str, Any]:
    """One entry file in the compiled form. Raises SourceError."""
    name = str(path)
    raw = _load(path)
    if not isinstance(raw, dict):
        raise SourceError(name, "an entry is a mapping with id, component, role, title, signatures, cause")
    _only(name, "entry", raw, ENTRY_KEYS)
    for key in ("id", "component", "role", "title", "cause"):
        if not raw.get(key):
            raise SourceError(name, f"{key!r} is missing")
    component = _one_of(name, "component", raw["component"], DOMAINS)
    role = _one_of(name, "role", raw["role"], ROLES)
    entry: dict[str, Any] = {
        "id": str(raw["id"]),
        "component": component,
        "domain": _one_of(name, "domain", raw.get("domain", DOMAINS[component]), set(DOMAINS.values())),
        "role": role,
        "severity": _one_of(name, "severity", raw.get("severity", "error" if role == "root" else "info"), SEVERITIES),
        "title": _text(name, "title", raw["title"]),
        "cause": _cases(name, raw["cause"]),
        "signatures": [_signature(name, s) for s in _list(name, "signatures", raw.get("signatures"))],
        "remedies": [_remedy(name, r) for r in _list(name, "remedies", raw.get("remedies"))],
        "explains": [str(x) for x in _list(name, "explains", raw.get("explains"))],
        "when": _expr(raw.get("when")),
        "observe": _expr(raw.get("observe")),
        "model_class": raw.get("model_class"),
        "path": None if raw.get("path") is None else _one_of(name, "path", raw["path"], PATHS),
        "evidence": _one_of(name, "evidence", raw.get("evidence", "source"), EVIDENCE),
        "references": [str(x) for x in _list(name, "references", raw.get("references"))],
        "examples": [_example(name, x) for x in _list(name, "examples", raw.get("examples"))],
        "near_misses": [str(x) for x in _list(name, "near_misses", raw.get("near_misses"))],
    }
    ids = [r["id"] for r in entry["remedies"]]
    if len(ids) != len(set(ids)):
        raise SourceError(name, "two remedies have the same id")
    return entry


def _load(path: Path) -> Any:
    """The document in a file; None when there is no such file. Raises SourceError, also for one that grows through its
    aliases: an entry somebody sent must not fill the memory."""
    import yaml

    try:
        with path.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise SourceError(str(path), f"cannot be read: {error}") from error
    if len(data) > MAX_BYTES:
        raise SourceError(str(path), f"is larger than {MAX_BYTES >> 10} KiB")
    loader = None
    try:
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(data)
        node = loader.get_single_node()
        if node is not None and expanded_size(node, MAX_DEPTH) > MAX_NODES:
            raise SourceError(str(path), "is nested or repeated too much")
        return None if node is None else loader.construct_document(node)
    except SourceError:
        raise
    except TooLarge as error:
        raise SourceError(str(path), f"is nested or repeated too much: it {error}") from error
    except (yaml.YAMLError, ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        # Beside YAMLError: what a value of a wrong form makes of the loader, such as a date that is none.
        reason = " ".join(str(error).split())
        raise SourceError(str(path), f"is not valid YAML: {reason}") from error
    finally:
        if loader is not None:
            loader.dispose()


def _signature(name: str, raw: Any) -> dict[str, Any]:
    if isinstance(raw, str):
        raw = {"text": raw}
    if not isinstance(raw, dict):
        raise SourceError(name, "a signature is a mapping with text: or regex:")
    _only(name, "signature", raw, SIGNATURE_KEYS)
    where = _list(name, "in", raw.get("in"))
    for item in where:
        _one_of(name, "in", item, WHERES)
    made = {
        "in": where,
        "anywhere": bool(raw.get("anywhere", False)),
        "since": None if raw.get("since") is None else str(raw["since"]),
        "until": None if raw.get("until") is None else str(raw["until"]),
        "frame": None if raw.get("frame") is None else str(raw["frame"]),
    }
    if "text" in raw:
        try:
            compiled = compile_template(str(raw["text"]))
        except TemplateError as error:
            raise SourceError(name, f"template {str(raw['text'])[:200]!r}: {error}") from error
        literals = [str(x) for x in _list(name, "literals", raw.get("literals"))] or list(compiled.literals)
        return made | {
            "template": str(raw["text"]),
            "pattern": compiled.pattern,
            "types": {**compiled.types},
            "literals": [rare_end(literal) for literal in literals],
        }
    if "regex" not in raw:
        raise SourceError(name, "a signature needs text: or regex:")
    return made | _regex_signature(name, raw)


def _nesting(pattern: str) -> int:
    """Groups that are open at one place; a parenthesis of a character class counts as one too."""
    bare = re.sub(r"\\.", "", pattern, flags=re.DOTALL)
    return max(itertools.accumulate({"(": 1, ")": -1}.get(sign, 0) for sign in bare), default=0)


def _regex_signature(name: str, raw: Mapping[str, Any]) -> dict[str, Any]:
    import regex

    pattern = str(raw["regex"])
    if len(pattern) > MAX_PATTERN_CHARS:
        raise SourceError(name, f"regex {pattern[:40]!r}… is longer than {MAX_PATTERN_CHARS} characters")
    if (depth := _nesting(pattern)) > MAX_NESTED_GROUPS:
        raise SourceError(
            name, f"regex {pattern[:40]!r}… has {depth} groups inside each other, at most {MAX_NESTED_GROUPS}"
        )
    try:
        groups = regex.compile(pattern).groupindex
    except regex.error as error:
        raise SourceError(name, f"regex {pattern!r}: {error}") from error
    types = _mapping(name, "types", raw.get("types"))
    for group in groups:
        types.setdefault(group, "word")
    literals = [str(x) for x in _list(name, "literals", raw.get("literals"))]
    if not literals or min(map(len, literals)) < 4:
        raise SourceError(name, f"regex {pattern!r} needs literals: of at least 4 characters, one in every match")
    return {"template": "", "pattern": pattern, "types": types, "literals": [rare_end(literal) for literal in literals]}


def _remedy(name: str, raw: Any) -> dict[str, Any]:
    if not isinstance(raw, dict) or not raw.get("id") or not raw.get("title"):
        raise SourceError(name, "a remedy needs id and title")
    _only(name, "remedy", raw, REMEDY_KEYS)
    changes = _mapping(name, "set", raw.get("set"))
    cap = raw.get("applicability")
    if cap is not None:
        _one_of(name, "applicability", cap, APPLICABILITY)
    return {
        "id": str(raw["id"]),
        "title": _text(name, "title", raw["title"]),
        "when": _expr(raw.get("when")),
        "set": {k: _expr(v) or "unset" for k, v in changes.items()},
        "solver": raw.get("solver"),
        "options": _mapping(name, "options", raw.get("options")),
        "applicability": cap,
        "commands": {k: str(v) for k, v in _mapping(name, "commands", raw.get("commands")).items()},
        "side_effect": _text(name, "side_effect", raw["side_effect"]) if raw.get("side_effect") else None,
        "verify": _text(name, "verify", raw["verify"]) if raw.get("verify") else None,
    }


def _example(name: str, raw: Any) -> dict[str, Any]:
    if isinstance(raw, str):
        raw = {"text": raw}
    if not isinstance(raw, dict) or "text" not in raw:
        raise SourceError(name, "an example is a text, or a mapping with text:")
    _only(name, "example", raw, EXAMPLE_KEYS)
    return {
        "text": str(raw["text"]),
        "numbers": _mapping(name, "numbers", raw.get("numbers")),
        "sets": _mapping(name, "sets", raw.get("sets")),
        "npu": raw.get("npu"),
        "changes": {k: _mapping(name, "changes", v) for k, v in _mapping(name, "changes", raw.get("changes")).items()},
        "not_offered": [str(x) for x in _list(name, "not_offered", raw.get("not_offered"))],
    }


def _cases(name: str, raw: Any) -> list[dict[str, Any]]:
    cases = raw if isinstance(raw, list) else [raw]
    made = []
    for case in cases:
        given = _mapping(name, "cause", case)
        text = _text(name, "cause", {k: v for k, v in given.items() if k != "when"})
        made.append({"when": _expr(given.get("when")), **text})
    if made[-1]["when"] is not None:
        raise SourceError(name, "the last case of cause: must stand without when:")
    return made


def _text(name: str, key: str, raw: Any) -> dict[str, str]:
    if not isinstance(raw, dict) or set(raw) != {"en", "ko"} or not all(raw.values()):
        raise SourceError(name, f"{key!r} needs en: and ko:")
    return {lang: " ".join(str(raw[lang]).split()) for lang in ("en", "ko")}


def _expr(raw: Any) -> str | None:
    """An expression as text; YAML may have read ``8`` or ``true`` as a value."""
    if raw is None:
        return None
    if isinstance(raw, bool):
        return str(raw)
    return str(raw).strip()


def _list(name: str, key: str, raw: Any) -> list[Any]:
    if raw is None:
        return []
    if isinstance(raw, list):
        return raw
    if isinstance(raw, str):
        return [raw]
    raise SourceError(name, f"{key!r} is a list")


def _mapping(name: str, key: str, raw: Any) -> dict[str, Any]:
    if raw is None:
        return {}
    if not isinstance(raw, dict):
        raise SourceError(name, f"{key!r} is a mapping")
    return {str(k): v for k, v in raw.items()}


def _only(name: str, what: str, raw: Mapping[str, Any], allowed: Iterable[str]) -> None:
    strange = sorted(map(str, set(raw) - set(allowed)))
    if strange:
        raise SourceError(name, f"{what} has unknown keys: {', '.join(strange)}")


def _one_of(name: str, key: str, value: Any, allowed: Iterable[str]) -> str:
    if not isinstance(value, str) or value not in set(allowed):
        raise SourceError(name, f"{key}: {value!r} is not one of {', '.join(sorted(allowed))}")
    return str(value)
