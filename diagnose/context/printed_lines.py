"""A configuration that a script printed over several lines: ``json.dumps(…, indent=2)``, ``pprint``.

Every line is a record of its own. ``piece`` marks the lines that can belong to one; ``Block`` puts them together
as they come and gives one fact when its braces are closed; ``settings`` reads that fact.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from diagnose.context import ranks
from diagnose.context.literals import closing, read_dict
from diagnose.context.log_plugin import read_json, told
from diagnose.context.site import Site
from diagnose.knowledge.schema import Parameter
from diagnose.late import late
from diagnose.model import Fact, Record, RecordKind, Value

ORIGIN = "printed rbln_config"
_OLD_NAMES = late(r"""["'](?:rbln_)?(?P<name>tensor_parallel_size|max_seq_lens)["']\s*:""")
"""Names of ``num_devices`` up to optimum-rbln 0.10.4 and of ``visual.max_seq_len`` up to 0.10.3; 0.10.4 (for the
second) and 0.11 – 0.12 (for the first) still take them, with a warning that ``log_optimum`` reads."""
_RENAMED_AFTER = {"max_seq_lens": "0.10.3", "tensor_parallel_size": "0.10.4"}
OLD_RELEASE = "version:optimum_rbln_max"
PIECE = "printed:piece"
CONFIG = "printed:config"
_NAMED = late(r"\s*[\w.]*rbln_config['\"]?\s*[:=]\s*(?=\{)")
_OPENING = late(r"\s*(?:[\w.]*rbln_config['\"]?\s*[:=]\s*)?\{")
_INNER = late(r"""\s*(?:["'][\w.]+["']\s*:.*|[-\d][-\d., \]}]*|[\]}][\]}, ]*)$""", re.DOTALL)
_OURS = late(r"max_seq_len|batch_size|num_devices|kvcache_|rbln_config")
_LONGEST_LINE = 400
_LONGEST = 8_000
"""Characters of one printed configuration; a longer dict is something else."""


def piece(record: Record) -> Iterator[Fact]:
    """The line as it is, when it can be a line of such a configuration; a dict on one line is read elsewhere."""
    text = record.text
    if record.kind is not RecordKind.RAW or len(text) > _LONGEST_LINE:
        return
    opens = _OPENING.match(text) is not None and not text.rstrip().endswith("}")
    if opens or _INNER.match(text):
        yield Fact(PIECE, text, record.line, record.offset, ORIGIN, ranks.PRINTED)


class Block:
    """The lines of one dict, from its opening brace on. Lines that do not follow each other are not one dict."""

    def __init__(self) -> None:
        self._text = ""
        self._first: Fact | None = None

    def add(self, fact: Fact) -> Fact | None:
        """Takes one piece; the whole configuration when this closes it."""
        line, first = str(fact.value), self._first
        if _OPENING.match(line):
            self._text, self._first = line, fact
            return None
        if first is None or fact.line != first.line + self._text.count("\n") + 1:
            self._first = None
            return None
        self._text += f"\n{line}"
        closed = closing(self._text, self._text.index("{")) is not None
        if closed or len(self._text) > _LONGEST:
            self._first = None
        if not closed or not _OURS.search(self._text):
            return None
        return Fact(CONFIG, self._text, first.line, first.offset, ORIGIN, ranks.PRINTED)


def settings(fact: Fact, parameters: Mapping[str, Parameter]) -> Iterator[Fact]:
    """The settings of a ``CONFIG`` fact, each on its own line, and that the configuration was seen whole."""
    text = str(fact.value)
    start = text.index("{")
    values, whole = told(_read(text[start:]), text[start:], parameters)
    known = [name for name in values if name in parameters or name.rpartition(".")[2] in parameters]
    if len(known) < (1 if _NAMED.match(text) else 2):
        return
    for name, value in values.items():
        line = fact.line + text.count("\n", 0, _key(text, name))
        yield Fact(name, value, line, fact.offset, ORIGIN, ranks.PRINTED)
    if whole:
        yield Fact("whole", True, fact.line, fact.offset, ORIGIN, ranks.PRINTED)
    if (newest := _newest(text)) is not None:
        yield Fact(OLD_RELEASE, newest, fact.line, fact.offset, f"{ORIGIN} (inferred)", ranks.INFERRED)


def _key(text: str, name: str) -> int:
    at = 0
    for part in name.split("."):
        found = re.compile(rf"""["']{re.escape(part)}["']\s*:""").search(text, at)
        at = found.start() if found else at
    return at


def read(site: Site, start: int, enough: int, *, alone: bool = True) -> Iterator[Fact]:
    """A configuration that stands in one record, from its brace at ``start`` on; ``alone``: in no other dict."""
    text = site.text[start:]
    values, whole = told(_read(text), text, site.parameters)
    known = [n for n in values if n in site.parameters or n.rpartition(".")[2] in site.parameters]
    if len(known) < enough:
        return
    yield from site.facts(values, ORIGIN, ranks.PRINTED, start)
    end = closing(text, 0)
    if alone and whole and end is not None:
        yield site.fact("whole", True, ORIGIN, ranks.PRINTED, start)
    if alone and (newest := _newest(text[:end])) is not None:
        yield site.fact(OLD_RELEASE, newest, f"{ORIGIN} (inferred)", ranks.INFERRED, start)


def _read(text: str) -> Mapping[str, Value]:
    """What a printed configuration says, as JSON or as Python prints it."""
    return read_json(text) or read_dict(text) or {}


def _newest(text: str) -> str | None:
    """The newest release whose own names these are; the oldest of them where two names tell two."""
    found = {match["name"] for match in _OLD_NAMES.finditer(text)}
    return next((release for name, release in _RENAMED_AFTER.items() if name in found), None)
