"""YAML from a person's file, with limits: the only place outside the knowledge base that reads YAML."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from diagnose.context.readers.errors import refused
from diagnose.model import InputError, Text, Value

if TYPE_CHECKING:
    import yaml

MAX_CHARACTERS = 1024 * 1024
MAX_NODES = 20_000
"""Nodes after every alias is expanded: a compose file of a large deployment has a few thousand."""
MAX_DEPTH = 40


def documents(text: str, name: str) -> list[Value]:
    """Every document of ``text``.

    Raises InputError for broken YAML and for text that is too large, too deep, or grows through its aliases.
    The size is judged on the node graph, before any value is built.
    """
    import yaml

    if len(text) > MAX_CHARACTERS:
        raise refused(name, Text("is YAML larger than 1 MiB", "1 MiB보다 큰 YAML입니다"))
    found: list[Value] = []
    budget = MAX_NODES
    loader = None
    try:
        loader = yaml.SafeLoader(text)  # refuses control characters by itself
        while loader.check_node():
            node = loader.get_node()
            if node is None:
                break
            budget -= _size(node, {}, 0, name)
            if budget < 0:
                raise _too_large(name)
            found.append(loader.construct_document(node))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark is not None else 1
        reason = Text(f"is broken YAML in line {line}", f"{line}행의 YAML이 잘못되었습니다")
        raise refused(name, reason) from None
    except (ValueError, TypeError, LookupError, ArithmeticError, AttributeError, RecursionError):
        raise refused(name, Text("is YAML that cannot be read", "읽을 수 없는 YAML입니다")) from None
    finally:
        if loader is not None:
            loader.dispose()
    return found


def _size(node: yaml.Node, known: dict[int, int], depth: int, name: str) -> int:
    """Nodes below ``node`` with aliases expanded; each node is counted once and remembered."""
    if depth > MAX_DEPTH:
        raise _too_large(name)
    key = id(node)
    if key in known:
        if known[key] < 0:  # being counted further up: the document contains itself
            raise _too_large(name)
        return known[key]
    known[key] = -1
    total = 1
    for child in _children(node):
        total += _size(child, known, depth + 1, name)
    known[key] = total
    return total


def _children(node: yaml.Node) -> list[Any]:
    value = node.value
    if not isinstance(value, list):
        return []
    return [part for item in value for part in (item if isinstance(item, tuple) else (item,))]


def _too_large(name: str) -> InputError:
    reason = Text("is YAML that is nested or repeated too much", "중첩이나 반복이 지나친 YAML입니다")
    return refused(name, reason)
