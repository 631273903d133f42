"""One document's aliases, and the masking of its texts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import chain
from typing import Any, Final, NamedTuple

from diagnose.late import late
from diagnose.once import Once
from diagnose.redact import (
    addresses,
    announced,
    calls,
    commands,
    consoles,
    credentials,
    hosts,
    machines,
    manifests,
    named,
    numbered,
    options,
    people,
    phrases,
    prompts,
    sessions,
)
from diagnose.redact.about import Surroundings
from diagnose.redact.escaped import MAX_LAYERS, NO_BLANK, Plain, unescaped
from diagnose.redact.everywhere import OWNERS, has_sign, is_known_by, is_person, stands_alone
from diagnose.redact.rejoined import rejoined
from diagnose.redact.rule import Rule
from diagnose.redact.wrapped import Row, rest, wrapped
from diagnose.redact.written_out import blanked

Span = tuple[int, int]

RULES: Final[tuple[Rule, ...]] = (
    *credentials.RULES,
    *named.RULES,
    *phrases.RULES,
    *announced.RULES,
    *calls.RULES,
    *consoles.RULES,
    *manifests.RULES,
    *commands.RULES,
    *options.RULES,
    *sessions.RULES,
    *prompts.RULES,
    *people.RULES,
    *numbered.RULES,
    *addresses.RULES,
    *machines.RULES,
    *hosts.RULES,
)
KINDS: Final = frozenset(rule.kind for rule in RULES)
TIMEOUT_S: Final = 2.0
"""For one pattern on one text; a text that takes longer is left out as a whole."""
LEFT_OUT: Final = "<left-out>"
CUT: Final = "…"
"""The end of a text that is shown in part."""
MAX_ROUNDS: Final = 3
"""An alias can bring out what stood behind the secret; nearly every text is done after the first, and one
that is not after so many is left out as a whole."""
MAX_ALIASES: Final = 20_000
"""Secrets told apart within one document; what comes after them has an alias without a number."""
MAX_LEARNED: Final = 500
"""Credentials looked for where nothing announces them."""
MAX_KNOWN: Final = 200
"""Persons and machines looked for where nothing announces them."""
MIN_LEARNED: Final = 6
"""A shorter one stands in too many words by chance."""
MAX_CACHED: Final = 4_096
MAX_CACHED_CHARS: Final = 4_000
MAX_CACHED_LONG: Final = 32
"""Longer texts of which what was found is kept: an excerpt is redacted again once all its secrets are known."""
MAX_CUT: Final = 8
"""Secrets of texts that were cut, which wait for what they are the beginning of."""

ALIAS: Final = late(rf"<(?:{'|'.join(sorted(KINDS))})(?:-\d+)?>|{LEFT_OUT}")
_NUMBERED: Final = late(rf"<({'|'.join(sorted(KINDS))})-\d+>")
_TELLS: Final = late(r"\w")


def unnumbered(text: str) -> str:
    """``text`` with ``<ip>`` for ``<ip-3>``: equal whatever the order in which secrets came up."""
    return _NUMBERED.sub(r"<\1>", text)


@cache
def _compiled(pattern: str) -> Any:
    import regex

    # A particle of Korean stands right behind what it belongs to (`10.1.2.3에서`) and is no part of it.
    return regex.compile(pattern, regex.ASCII)


_small = cache(re.compile)


class Region(NamedTuple):
    """A part of a text that is masked."""

    start: int
    end: int
    kind: str
    secret: str
    """What has the alias; empty for the rest of one that a line end broke, which goes without a trace."""


def _search(text: str) -> tuple[tuple[int, int, Rule], ...]:
    """What the rules find; it depends on the text alone. Raises TimeoutError."""
    # Where even the blanks are written out no sign is one as it stands: half of an entity would go with a value.
    found = () if NO_BLANK in text else _search_as_written(text)
    layers: list[Plain] = []
    while len(layers) < MAX_LAYERS and (plain := unescaped(layers[-1].text if layers else text)) is not None:
        layers.append(plain)
        found += tuple((*_through(layers, start, end), rule) for start, end, rule in _search_as_written(plain.text))
    return found


def _through(layers: Sequence[Plain], start: int, end: int) -> Span:
    """Where a span of the last of ``layers`` stands in the text."""
    for plain in reversed(layers):
        start, end = plain.span(start, end)
    return start, end


def _search_as_written(text: str) -> tuple[tuple[int, int, Rule], ...]:
    plain = _search_in(text)
    other = blanked(text)
    return plain if other == text else (*plain, *_search_in(other))


def _search_in(text: str) -> tuple[tuple[int, int, Rule], ...]:
    lower = text.lower()
    made = []
    for rule in RULES:
        if rule.hints:
            for hint in rule.hints:  # no any(…): a generator costs more than the few searches in it
                if hint in lower:
                    break
            else:
                continue
        if rule.needs and not _small(rule.needs).search(text):
            continue
        for found in _compiled(rule.pattern).finditer(text, timeout=TIMEOUT_S):
            if not rule.check(found):
                continue
            for start, end in found.spans("x" if "x" in found.groupdict() else 0):
                if _tells(text[start:end]):
                    made.append((start, end, rule))
    return tuple(made)


def _tells(said: str) -> bool:
    """Whether there is more in ``said`` than aliases; else it was redacted before."""
    return _TELLS.search(ALIAS.sub("", said)) is not None


_found = lru_cache(MAX_CACHED)(_search)
"""A report is redacted several times on its way: for the person, for the memory, and its texts come again."""
_found_in_long = lru_cache(MAX_CACHED_LONG)(_search)


class Redactor:
    """Masks texts of one document. Deterministic: the same texts in the same order give the same aliases."""

    def __init__(self, about: Surroundings | None = None) -> None:
        self._about = about or Surroundings()
        self._numbers: dict[str, dict[str, int]] = {}
        self._count = 0
        self._learned: dict[str, str] = {}
        self._known: dict[str, str] = {}
        self._persons: set[str] = set()
        self._cut: dict[tuple[str, str], int] = {}
        self.once = Once()
        """What was redacted before and comes again: aliases stay, so the same is the same until more is learned."""
        if self._about.home:
            self._alias("home", self._about.home)
        if self._about.telling_host:
            self._alias("host", self._about.telling_host)

    @staticmethod
    def prepare() -> None:
        """Compile every pattern now: done when the first text asks for it, that text waits."""
        for rule in RULES:
            _compiled(rule.pattern)

    @property
    def learned(self) -> int:
        """How many credentials and names are looked for everywhere; grows while texts are read."""
        return len(self._learned) + len(self._known) + len(self._persons)

    def text(self, text: str) -> str:
        """``text`` with every secret in it as its alias; doing it twice changes nothing."""
        return self.spans(text, ())[0]

    def spans(self, text: str, spans: Sequence[Span]) -> tuple[str, tuple[Span, ...]]:
        """``text`` redacted, and ``spans`` (character indices) moved along; one that holds a secret holds its alias."""
        if len(text) < MIN_LEARNED:
            return text, tuple(spans)
        spans = tuple(spans)
        for number in range(MAX_ROUNDS + 1):
            try:
                regions = _joined(self._regions(text), text)
            except TimeoutError:
                break
            if not regions:
                return text, spans
            if number < MAX_ROUNDS:
                text, spans = self._masked(text, spans, regions)
        return LEFT_OUT, ()

    def _masked(self, text: str, spans: Sequence[Span], regions: Sequence[Region]) -> tuple[str, tuple[Span, ...]]:
        parts: list[str] = []
        edits: list[tuple[int, int, int]] = []
        position = 0
        for start, end, kind, secret in regions:
            # What stood on several lines leaves as many: numbers of lines stay what they are.
            alias = (self._alias(kind, secret) if secret else "") + "\n" * text.count("\n", start, end)
            parts += (text[position:start], alias)
            edits.append((start, end, len(alias)))
            position = end
        moved = ((_moved(a, edits, first=True), _moved(b, edits, first=False)) for a, b in spans)
        return "".join((*parts, text[position:])), tuple((a, b) for a, b in moved if a < b)

    def secret(self, name: str, value: str) -> str:
        """``value`` as it may be shown under ``name``: a password is one because of its name."""
        if named.is_secret(name, value) and not ALIAS.fullmatch(value):
            self._learn("secret", value)
            return self._alias("secret", value)
        return self.text(value)

    def _regions(self, text: str) -> Iterator[Region]:
        whole = rejoined(text)
        for row in whole.rows:
            yield from self._broken(row)
        written = (Region(start, end, kind, text[start:end]) for start, end, kind in self._whole(text))
        rows = () if whole.is_mail else wrapped(text)
        for region in chain.from_iterable((*map(self._broken, rows), written)):
            start, end = whole.within(text, region.start, region.end)
            if (start, end) == region[:2]:
                yield region
            elif _tells(said := text[start:end]):
                yield Region(start, end, region.kind, region.secret and said)

    def _broken(self, row: Row) -> Iterator[Region]:
        """What is found when a row is whole again, part by part."""
        for start, end, kind in self._whole(row.text):
            secret = row.text[start:end]
            for first, last in row.parts(start, end):
                yield Region(first, last, kind, secret)
                secret = ""

    def _whole(self, text: str) -> Iterator[tuple[int, int, str]]:
        for start, end, rule in (_found if len(text) <= MAX_CACHED_CHARS else _found_in_long)(text):
            if rule.learn:
                self._learn(rule.kind, text[start:end])
                if (more := rest(text, end)) is not None:
                    yield *more, rule.kind
            elif rule.kind in OWNERS:
                self._know(rule.kind, text[start:end])
            yield start, end, rule.kind
        for secret, kind in (*self._learned.items(), *self._own()):
            yield from ((start, start + len(secret), kind) for start in _places(secret, text))
        for name, kind in self._known.items():
            yield from (
                (start, start + len(name), kind) for start in _places(name, text) if stands_alone(name, start, text)
            )
        for name in self._persons if "~" in text or "@" in text else ():
            yield from (
                (start, start + len(name), "user") for start in _places(name, text) if has_sign(name, start, text)
            )

    def _own(self) -> Iterator[tuple[str, str]]:
        if self._about.home:
            yield self._about.home, "home"
        if self._about.telling_host:
            yield self._about.telling_host, "host"

    def _learn(self, kind: str, secret: str) -> None:
        if len(secret) >= MIN_LEARNED and not _a_word(secret) and len(self._learned) < MAX_LEARNED:
            self._learned.setdefault(secret, kind)

    def _know(self, kind: str, found: str) -> None:
        """Whose name it is that a line gave away; the directory of a person has the person's."""
        name = found.replace("\\", "/").rpartition("/")[2]
        if len(self._known) < MAX_KNOWN and len(name) >= MIN_LEARNED and is_known_by(kind, name):
            self._known.setdefault(name, "host" if kind == "host" else "user")
        elif len(self._persons) < MAX_KNOWN and is_person(kind, name):
            self._persons.add(name)

    def _alias(self, kind: str, secret: str) -> str:
        numbers = self._numbers.setdefault(kind, {})
        number = numbers.get(secret)
        if number is None:
            if self._count >= MAX_ALIASES:
                return f"<{kind}>"
            self._count += 1
            number = numbers[secret] = self._begun(kind, secret) or len(numbers) + 1
            if len(secret) > MIN_LEARNED and secret.endswith(CUT) and len(self._cut) < MAX_CUT:
                self._cut[kind, secret[: -len(CUT)]] = number
        return f"<{kind}>" if kind == "home" and number == 1 else f"<{kind}-{number}>"

    def _begun(self, kind: str, secret: str) -> int | None:
        """The number of what a text before shows the beginning of ``secret`` as; the next with it has its own."""
        for of, begin in self._cut:
            if of == kind and secret.startswith(begin):
                return self._cut.pop((of, begin))
        return None


def _places(secret: str, text: str) -> Iterator[int]:
    """Where ``secret`` stands as a word of its own."""
    at = text.find(secret)
    while at >= 0:
        end = at + len(secret)
        inside = (at > 0 and _word(text[at - 1]) and _word(secret[0])) or (
            end < len(text) and _word(text[end]) and _word(secret[-1])
        )
        if not inside:
            yield at
        at = text.find(secret, end)


def _a_word(secret: str) -> bool:
    """What may stand in any sentence: ``password``, ``12345678``."""
    return secret.isdigit() or (secret.isalpha() and secret.islower() and len(secret) < 12)


def _word(character: str) -> bool:
    return character.isalnum()


def _joined(regions: Iterator[Region], text: str) -> list[Region]:
    """Regions that overlap as one, of the kind of the longest; of equal ones the rule that comes first decides."""
    made: list[Region] = []
    longest = 0
    for region in sorted(regions, key=lambda r: (r.start, -r.end)):
        start, end, kind, _ = region
        if made and start < made[-1].end:
            before = made[-1]
            kept = before.kind if longest >= end - start else kind
            longest = max(longest, end - start)
            if end > before.end or kept != before.kind:
                last = max(before.end, end)
                made[-1] = Region(before.start, last, kept, text[before.start : last] if before.secret else "")
        else:
            made.append(region)
            longest = end - start
    return made


def _moved(index: int, edits: Sequence[tuple[int, int, int]], *, first: bool) -> int:
    """Where ``index`` went; inside a masked part to its begin (``first``) or its end."""
    shift = 0
    for start, end, length in edits:
        if end <= index:
            shift += length - (end - start)
        elif start < index:
            return start + shift + (0 if first else length)
        else:
            break
    return index + shift
