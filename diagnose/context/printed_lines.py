"""A configuration that a script printed over several lines: ``json.dumps(…, indent=2)``, ``pprint``.

Every line is a record of its own. ``piece`` marks the lines that can belong to one; ``Block`` puts them together
as they come and gives one fact when its braces are closed; ``settings`` reads that fact.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from diagnose.context import ranks
from diagnose.context.literals import closing, read_dict
from diagnose.context.log_plugin import read_json
from diagnose.context.names import canonical
from diagnose.context.site import Site
from diagnose.knowledge.schema import Parameter
from diagnose.model import Fact, Record, RecordKind, Value

ORIGIN = "printed rbln_config"
PIECE = "printed:piece"
CONFIG = "printed:config"
_NAMED = re.compile(r"\s*[\w.]*rbln_config['\"]?\s*[:=]\s*(?=\{)")
_OPENING = re.compile(r"\s*(?:[\w.]*rbln_config['\"]?\s*[:=]\s*)?\{")
_INNER = re.compile(r"""\s*(?:["'][\w.]+["']\s*:.*|[-\d][-\d., ]*|[\]}][\]}, ]*)$""", re.DOTALL)
_OURS = re.compile(r"max_seq_len|batch_size|num_devices|kvcache_|rbln_config")
_LONGEST_LINE = 400
_LONGEST = 8_000
"""Characters of one printed configuration; a longer dict is something else."""


def piece(record: Record) -> Iterator[Fact]:
    """The line as it is, when it can be a line of such a configuration; a dict on one line is read elsewhere."""
    text = record.text
    if record.kind is not RecordKind.RAW or len(text) > _LONGEST_LINE:
        return
    opening = _OPENING.match(text)
    opens = opening is not None and closing(text, opening.end() - 1) is None
    if opens or (opening is None and _INNER.match(text)):
        yield Fact(PIECE, text, record.line, record.offset, ORIGIN, ranks.PRINTED)


class Block:
    """The lines of one dict, from its opening brace on. Lines that do not follow each other are not one dict."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._first: Fact | None = None

    def add(self, fact: Fact) -> Fact | None:
        """Takes one piece; the whole configuration when this closes it."""
        text = str(fact.value)
        if self._first is None or fact.line != self._first.line + len(self._lines) or _OPENING.match(text):
            self.clear()
            if not _OPENING.match(text):
                return None
            self._first = fact
        self._lines.append(text)
        whole = "\n".join(self._lines)
        if closing(whole, whole.index("{")) is None:
            if len(whole) > _LONGEST:
                self.clear()
            return None
        first = self._first
        self.clear()
        if not _OURS.search(whole):
            return None
        return Fact(CONFIG, whole, first.line, first.offset, ORIGIN, ranks.PRINTED)

    def clear(self) -> None:
        self._lines, self._first = [], None


def settings(fact: Fact, parameters: Mapping[str, Parameter]) -> Iterator[Fact]:
    """The settings of a ``CONFIG`` fact, each on its own line, and that the configuration was seen whole."""
    text = str(fact.value)
    start = text.index("{")
    values = canonical(read_json(text[start:]) or read_dict(text[start:]) or {}, parameters, "rbln")
    known = [name for name in values if name in parameters or name.rpartition(".")[2] in parameters]
    if len(known) < (1 if _NAMED.match(text) else 2):
        return
    for name, value in values.items():
        line = fact.line + text.count("\n", 0, _key(text, name))
        yield Fact(name, value, line, fact.offset, ORIGIN, ranks.PRINTED)
    yield whole(fact.line, fact.offset)


def whole(line: int, offset: int) -> Fact:
    return Fact("whole", True, line, offset, ORIGIN, ranks.PRINTED)


def _key(text: str, name: str) -> int:
    at = 0
    for part in name.split("."):
        found = re.compile(rf"""["']{re.escape(part)}["']\s*:""").search(text, at)
        at = found.start() if found else at
    return at


def read(site: Site, start: int, enough: int) -> Iterator[Fact]:
    """A configuration that stands in one record, from its brace at ``start`` on."""
    text = site.text[start:]
    values: Mapping[str, Value] = canonical(read_json(text) or read_dict(text) or {}, site.parameters, "rbln")
    known = [n for n in values if n in site.parameters or n.rpartition(".")[2] in site.parameters]
    if len(known) < enough:
        return
    yield from site.facts(values, ORIGIN, ranks.PRINTED, start)
    if closing(text, 0) is not None:
        yield site.fact("whole", True, ORIGIN, ranks.PRINTED, start)
