"""Targets of what a person gives beside the log: configurations, values, entries, expressions, words to search."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from fuzz.mutate import any_text, seed_of
from fuzz.seeds import Seeds, seeds
from fuzz.target import Run, Target


def _of(texts: Callable[[Seeds], Sequence[str]]) -> Callable[[random.Random], str]:
    return lambda chance: any_text(chance) if chance.random() < 0.05 else seed_of(chance, texts(seeds()))


def _config() -> Run:
    from diagnose.context.readers import read_text_config
    from diagnose.knowledge import load
    from diagnose.model import InputError

    parameters = load().parameters

    def run(text: str) -> None:
        try:
            read_text_config(text, "given", parameters)
        except InputError as error:
            assert "\n" not in error.message.en

    return run


def _sets() -> Run:
    from diagnose.context import parse_npu, parse_set
    from diagnose.knowledge import load
    from diagnose.model import InputError

    knowledge = load()

    def run(text: str) -> None:
        for parse in (lambda: parse_set(text, knowledge.parameters), lambda: parse_npu(text, knowledge.hardware)):
            try:
                parse()
            except InputError as error:
                assert "\n" not in error.message.en

    return run


def _expressions() -> Run:
    from diagnose.knowledge import load
    from diagnose.model import RunContext, Setting
    from diagnose.remedies.environment import Environment, MissingValue
    from diagnose.remedies.expressions import evaluate, explain
    from diagnose.remedies.syntax import MAX_BITS, MAX_ITEMS, ExpressionError

    config = {"max_seq_len": 262144, "batch_size": 8, "kvcache_partition_len": 16384, "visual.max_seq_len": [1, 2]}
    context = RunContext(config={n: Setting(v, 1, "x") for n, v in config.items()}, npu="RBLN-CR13")
    numbers = {"available_blocks": 12, "required_blocks": 17, "text": "x" * 50, "ratio": 0.5}
    environment = Environment(numbers, context, load())

    def run(text: str) -> None:
        for compute in (evaluate, explain):
            try:
                value = compute(text, environment)
            except (ExpressionError, MissingValue):
                continue
            assert not isinstance(value, int) or value.bit_length() <= MAX_BITS
            assert not isinstance(value, list) or len(value) <= MAX_ITEMS

    return run


def _entries() -> Run:
    from diagnose.knowledge.schema import SourceError
    from diagnose.knowledge.source import read_entry

    path = Path(tempfile.mkdtemp()) / "entry.yaml"

    def run(text: str) -> None:
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        try:
            read_entry(path)
        except SourceError as error:
            assert error.reason

    return run


def _history() -> Run:
    from diagnose.analyzer import diagnose_bytes
    from diagnose.incidents import history
    from diagnose.incidents.history import Filter
    from diagnose.incidents.remembering import remember
    from diagnose.incidents.store import Store
    from diagnose.model import InputError

    path = Path(tempfile.mkdtemp()) / "history.db"
    for text in seeds().logs[-12:]:
        remember(diagnose_bytes(text.encode(), name="x.log"), path)
    store = Store.open(path)
    before = len(history.listed(store.connection, Filter()))

    def run(text: str) -> None:
        filters = Filter(entry=text, since=text, source=text, limit=5)
        for ask in (
            lambda: history.search(store.connection, text, Filter(limit=5)),
            lambda: history.listed(store.connection, filters),
            lambda: history.find(store.connection, text),
            lambda: history.similar(store.connection, text, limit=3),
        ):
            try:
                ask()
            except InputError as error:
                assert type(error) is InputError, error  # no StoreError: the database was asked properly
        assert len(history.listed(store.connection, Filter())) == before

    return run


TARGETS = (
    Target("json configuration", 60, _of(lambda s: s.json_files), _config),
    Target("YAML configuration", 40, _of(lambda s: s.yaml_files), _config),
    Target("Python script", 60, _of(lambda s: s.scripts), _config),
    Target("shell script", 80, _of(lambda s: s.shells), _config),
    Target("--set and --npu", 60, _of(lambda s: s.sets), _sets),
    Target("expressions", 80, _of(lambda s: s.expressions), _expressions),
    Target("entries", 20, _of(lambda s: s.entries), _entries),
    Target("history search", 20, _of(lambda s: s.logs), _history),
)
