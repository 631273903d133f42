"""What puts the name of a program before its lines, or over them, so that those of several stay apart.

Formats: stern over a StatefulSet; concurrently; honcho and foreman; overmind; podman's and a shell's ``name | ``; pm2;
``docker service logs``; ``pdsh``, ``clush``; ``grep`` and ``grep -n`` over files; ``tail`` over files; ansible.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from bench.metamorphic.lines import clock, per_line

Change = Callable[[str, Random], str]


def stern_set(text: str, r: Random) -> str:
    return per_line(text, lambda _, line: f"chat-0 server {line}")


def concurrently(text: str, r: Random) -> str:
    return per_line(text, lambda _, line: f"[gpu] {line}")


def honcho(text: str, r: Random) -> str:
    return per_line(text, lambda n, line: f"{clock(n, 0)} web.1 | {line}")


def foreman(text: str, r: Random) -> str:
    return per_line(text, lambda n, line: f"{clock(n, 0)} web.1    | {line}")


def overmind(text: str, r: Random) -> str:
    return per_line(text, lambda _, line: f"server | {line}")


def pm2(text: str, r: Random) -> str:
    return per_line(text, lambda _, line: f"0|chat  | {line}")


def swarm(text: str, r: Random) -> str:
    return per_line(text, lambda _, line: f"chat.1.k3j9x0q2m4ab@node-1    | {line}")


def pdsh(text: str, r: Random) -> str:
    return per_line(text, lambda _, line: f"node1: {line}")


def grep_file(text: str, r: Random) -> str:
    return per_line(text, lambda _, line: f"a.log:{line}")


def grep_file_n(text: str, r: Random) -> str:
    return per_line(text, lambda n, line: f"a.log:{n + 1}:{line}")


def tail_header(text: str, r: Random) -> str:
    return f"==> chat.log <==\n{text}"


def ansible(text: str, r: Random) -> str:
    return f"node1 | CHANGED | rc=0 >>\n{text}"


NAMED: tuple[Change, ...] = (
    *(stern_set, concurrently, honcho, foreman, overmind, pm2, swarm, pdsh, grep_file, grep_file_n),
    *(tail_header, ansible),
)
