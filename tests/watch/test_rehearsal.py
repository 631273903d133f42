"""What a first failure has to wait for is ready before it comes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from diagnose.analyzer import Analyzer
from diagnose.model import Diagnosis
from diagnose.redact import Surroundings
from diagnose.watch.rehearsal import KNOWN, QUIET, UNKNOWN, rehearse
from tests.watch.kit import tools

ROOT = Path(__file__).parents[2]

MODULES_OF_A_FAILURE = """
import sys
from diagnose.analyzer import Analyzer, engine_for
from diagnose.knowledge import load
from diagnose.redact import Surroundings, redacted
from diagnose.redact.redactor import Redactor, _compiled
from diagnose.watch.rehearsal import KNOWN, UNKNOWN, rehearse
knowledge = load()
engine = engine_for(knowledge)
made = lambda name: Analyzer(name=name, all_runs=True, knowledge=knowledge, engine=engine)
rehearse(made, Surroundings())
before, patterns = set(sys.modules), _compiled.cache_info().misses
for log in (KNOWN, UNKNOWN):
    one = made("a.log")
    one.feed(log.replace(b"10", b"12"))
    redacted(one.snapshot(), Redactor()).to_dict()
print(sorted(set(sys.modules) - before), _compiled.cache_info().misses - patterns, engine._built is not None)
"""


def test_a_failure_imports_and_compiles_nothing_after_it() -> None:
    done = subprocess.run(
        [sys.executable, "-c", MODULES_OF_A_FAILURE], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "[] 0 True\n"


def test_it_goes_through_a_failure_with_a_remedy_and_one_that_is_unknown() -> None:
    made: list[Analyzer] = []
    knowledge, engine = tools()

    def analyzer(name: str) -> Analyzer:
        made.append(Analyzer(name=name, knowledge=knowledge, engine=engine))
        return made[-1]

    rehearse(analyzer, Surroundings())
    known, unknown = (one.snapshot() for one in made)
    assert known.findings[0].remedies
    assert _outcomes(known, unknown) == ("diagnosed", "unknown")
    assert len(QUIET) + len(KNOWN) + len(UNKNOWN) < 200_000


def _outcomes(*found: Diagnosis) -> tuple[str, ...]:
    return tuple(d.outcome for d in found)
