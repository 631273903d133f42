"""``python -m bench healthy``: lines of a healthy server, prompts that quote every known error among them.

Nothing may be found in them.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Sequence

from bench.generate import calm_lines
from diagnose.analyzer import Analyzer, engine_for
from diagnose.knowledge import Knowledge
from diagnose.model import Diagnosis

QUOTING = 0.05
"""Share of lines that echo a prompt which quotes the text of a known error."""
BLOCK_LINES = 5_000


def quoted(r: random.Random, example: str) -> str:
    """A request as the server logs it: the prompt is a Python literal, so new lines are escaped."""
    prompt = f"What does this mean, and how do I mend it?\n{example}"
    return (
        f"(APIServer pid=4100) INFO 11-29 12:{r.randrange(60):02d}:{r.randrange(60):02d} [logger.py:39] Received "
        f"request cmpl-{r.getrandbits(32):08x}: prompt: {prompt!r}, params: SamplingParams(n=1, max_tokens=512)\n"
    )


def lines(seed: int, count: int, examples: Sequence[str]) -> Iterator[str]:
    """``count`` lines of a healthy server."""
    r = random.Random(seed)
    calm = calm_lines(r, count)
    for line in calm:
        yield quoted(r, r.choice(examples)) if r.random() < QUOTING else f"{line}\n"


def diagnosed(knowledge: Knowledge, count: int, seed: int) -> Diagnosis:
    """The diagnosis of ``count`` healthy lines."""
    examples = [x.text for e in knowledge.entries.values() for x in e.examples if e.role != "noise"]
    analyzer = Analyzer(knowledge=knowledge, engine=engine_for(knowledge))
    block: list[str] = []
    for line in lines(seed, count, examples):
        block.append(line)
        if len(block) == BLOCK_LINES:
            analyzer.feed("".join(block).encode())
            block.clear()
    analyzer.feed("".join(block).encode())
    return analyzer.finish()


def run(count: int, seed: int) -> int:
    """Prints what was found; the exit code is 1 when it was anything."""
    from diagnose.knowledge import load

    started = time.perf_counter()
    found = diagnosed(load(), count, seed)
    wrong = [f.entry for f in (*found.findings, *found.notes)]
    print(f"{found.input.lines} healthy lines in {time.perf_counter() - started:.0f} s: {found.outcome}", end="")
    print(f", findings and notes {wrong}, unknown {len(found.unknown)}")
    return 1 if wrong or found.unknown else 0
