"""Facts of one input, kept small: a fact that only repeats what was said last is not kept again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from diagnose.context.printed_lines import PIECE, Block
from diagnose.model import Fact, Value

ONE_OF_A_SERVER = ("EngineCore", "APIServer")
"""How processes are called of which a vLLM server has one by each name."""


class FactBook:
    """Collects facts without growing with an error storm.

    A fact is left out while the last one of the same name, origin and rank has the same value: what is in
    force is the same with and without it, unless another server said the last one. ``new_start`` is called at
    every start mark, so that each run of a file has its own. The lines of a printed configuration are put
    together here.
    """

    def __init__(self) -> None:
        self._facts: list[Fact] = []
        self._last: dict[tuple[str, str, int], Value] = {}
        self._heard: dict[tuple[str, str, int], set[tuple[str, int]]] = {}
        """The engines and API servers that said the last one."""
        self._block = Block()

    def add(self, facts: Iterable[Fact]) -> None:
        for said in facts:
            fact = self._block.add(said) if said.name == PIECE else said
            if fact is None:
                continue
            key = fact.name, fact.origin, fact.rank
            is_new = key not in self._last or self._last[key] != fact.value
            if is_new:
                self._last[key] = fact.value
                self._heard.pop(key, None)
            if self._said_by_another(key, fact) or is_new:
                self._facts.append(fact)

    def _said_by_another(self, key: tuple[str, str, int], fact: Fact) -> bool:
        """Whether it was another process of the same name that said so. A server has one of each of these names; of
        workers it has many, which all say the same."""
        if fact.speaker is None or not fact.speaker[0].startswith(ONE_OF_A_SERVER):
            return False
        heard = self._heard.setdefault(key, set())
        if fact.speaker in heard:
            return False
        twin = any(name == fact.speaker[0] for name, _ in heard)
        heard.add(fact.speaker)
        return twin

    def new_start(self) -> None:
        """Forget what was said: the next run says it again."""
        self._last.clear()
        self._heard.clear()

    def shrink(self, most: int) -> int:
        """Keep ``most`` of them, the latest; what was said last of each name stays as well, as far as there is room.

        The last line of those that went, 0 when none did.
        """
        latest = {(fact.name, fact.origin, fact.rank): place for place, fact in enumerate(self._facts)}
        recent = len(self._facts) - most
        stays = sorted(place for place in latest.values() if place < recent)[-most:]
        gone = set(range(recent)) - set(stays)
        lost_to = max((self._facts[place].line for place in gone), default=0)
        self._facts = [self._facts[place] for place in (*stays, *range(max(recent, 0), len(self._facts)))]
        return lost_to

    def __iter__(self) -> Iterator[Fact]:
        return iter(self._facts)

    def __len__(self) -> int:
        return len(self._facts)
