"""YAML from a person's file, with limits: the only place outside the knowledge base that reads YAML."""

from __future__ import annotations

from typing import Any

from diagnose.context.readers.errors import refused
from diagnose.knowledge.expanded import TooLarge, expanded_size
from diagnose.model import InputError, Text, Value

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
        loader = _bounded()(text)
        while loader.check_node():
            node = loader.get_node()
            if node is None:
                break
            budget -= expanded_size(node, MAX_DEPTH)
            if budget < 0:
                raise _too_large(name)
            found.append(loader.construct_document(node))
    except TooLarge:
        raise _too_large(name) from None
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


def _bounded() -> Any:
    """PyYAML's safe loader (it refuses control characters by itself) that stops at the depth nobody writes.

    Its scanner looks at every open bracket for every token: without the stop a line of brackets costs their square.
    """
    import yaml

    class Bounded(yaml.SafeLoader):
        levels = 0

        def compose_node(self, parent: Any, index: Any) -> Any:
            self.levels += 1
            if self.levels > MAX_DEPTH:
                raise TooLarge("nested too deep")
            node = super().compose_node(parent, index)
            self.levels -= 1
            return node

    return Bounded


def _too_large(name: str) -> InputError:
    reason = Text("is YAML that is nested or repeated too much", "중첩이나 반복이 지나친 YAML입니다")
    return refused(name, reason)
