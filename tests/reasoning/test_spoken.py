"""An error that a log only shows, tells of or got over is not its failure; a log that is shown as a whole is one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose import diagnose_bytes
from diagnose.model import Diagnosis
from diagnose.reasoning.shown import MOST_PROMPTS
from diagnose.reasoning.spoken import LONGEST_ROW, Spoken

OOM = "rebel.core.exception.RBLNCompileError: DRAM OOM: requested 39163045120 bytes, capacity 38654705664 bytes"
TRACE = f'Traceback (most recent call last):\n  File "/home/u/c.py", line 12, in <module>\n    go()\n{OOM}'
ROWS = "".join(f"+{row}\n" for row in TRACE.split("\n"))
DONE = "2026-11-29 09:10:00,311 INFO [rebel-compiler] Compile done."


def diagnosed(text: str) -> Diagnosis:
    return diagnose_bytes(text.encode())


def roots(text: str) -> list[str]:
    return [found.entry for found in diagnosed(text).findings]


SHOWN = {
    "issue": f"$ gh issue view 412\ntitle:\tOOM\n--\n{TRACE}\n\nAny idea?\n$ echo done\ndone\n",
    "document": f"$ cat docs/oom.md\n# OOM\n\n```\n$ python c.py\n{TRACE}\n```\n\nSet it.\n$ python c.py\n{DONE}\n",
    "set -x": f"+ cat issue.txt\n{TRACE}\n+ echo ok\nok\n+ exit 0\n",
    "diff": "$ git show HEAD\ndiff --git a/o.md b/o.md\n@@ -1 +1,4 @@\n"
    + "".join(f"+{row}\n" for row in TRACE.split("\n"))
    + "-old\n$ ls\ndocs\n",
    "diff in a job": "Checking out\ndiff --git a/o.md b/o.md\n@@ -1 +1,4 @@\n"
    + "".join(f"+{row}\n" for row in TRACE.split("\n"))
    + "Running tests\nok\n",
    "search": f'$ grep -rn "OOM" logs/\nlogs/old.log:82:{OOM}\nlogs/old.log:90:{OOM}\n$ python c.py\nOK\n',
    "search of documents": f'+ grep -rn "OOM" docs/\ndocs/a.md:12: {OOM}\n+ echo ok\nok\n',
    "answer": f"User: what is it?\nAssistant: The traceback\n\n{TRACE}\n\nmeans that memory is full.\nUser: thanks\n",
    "response": '$ curl -s x\n{"choices":[{"message":{"content":"Look\\n\\n' + OOM + '\\n\\nso"}}]}\n200\n',
    "question": f'2026-11-29 10:00:00 INFO app: up\n2026-11-29 10:00:01 INFO app: user question: "I get {OOM}, why?"\n'
    "2026-11-29 10:00:03 INFO app: answered\n",
    "message": '{"level":"info","msg":"received","text":"we saw ' + OOM + ' today"}\n{"level":"info","msg":"ok"}\n',
    "passed": f"collected 2 items\n\ntests/test_l.py::test_oom {TRACE}\nPASSED\ntests/test_l.py::test_kv PASSED\n",
    "expected": f"tests/test_oom.py::test_oom XFAIL ({OOM})\n=== 1 xfailed in 3.1s ===\n",
    "docstring": f"Failed example:\n    f()\nExpected:\n{TRACE}\nGot:\n    True\n***Test Failed*** 1 failures.\n",
    "compared": f"E       assert 'ok' == 'x'\nE         - {OOM}\nE         + ok\nt.py:5: AssertionError\n",
    "changes": f"$ cat NEWS; pip list\n- fixed: {OOM}\n- fixed: ValueError: {OOM}\ndone\n",
    "gtest": f"[ RUN      ] Oom.Detects\nexpected error: {OOM}\n[       OK ] Oom.Detects (3 ms)\n",
    "title": f"Complete job name: test\n  PR_TITLE: Handle it\n  PR_BODY: {OOM} on load\n12 passed in 3.1s\n",
}


@pytest.mark.parametrize("text", SHOWN.values(), ids=SHOWN)
def test_what_is_only_shown_is_not_the_failure(text: str) -> None:
    found = diagnosed(text)
    assert (found.outcome, found.findings, found.unknown) == ("healthy", (), ())


@pytest.mark.parametrize("name", ["issue", "document", "set -x", "diff", "search", "passed", "gtest"])
def test_a_failure_behind_what_is_shown_is_told(name: str) -> None:
    found = diagnosed(f"{SHOWN[name]}$ python c.py\n{TRACE}\n")
    assert [(f.entry, f.line) for f in found.findings] == [("memory.dram-oom", SHOWN[name].count("\n") + 5)]


def test_an_unknown_failure_behind_a_shown_issue_in_a_job_is_the_one_that_is_told() -> None:
    job = (
        f"##[group]Run gh issue view 4\ngh issue view 4\nshell: /usr/bin/bash -e {{0}}\n##[endgroup]\n{TRACE}\n"
        "##[group]Run make\nmake\n##[endgroup]\nmake: *** [Makefile:4: t] Error 1\n##[error]exit code 2.\n"
    )
    found = diagnosed(job)
    assert (found.outcome, found.findings) == ("unknown", ())
    assert found.unknown[0].line == 12


def test_a_commit_that_is_named_is_no_failure() -> None:
    named = "HEAD is now at 1a2b3c4 Work around RuntimeError: SYS_EBUSY: Lack of device memory. (code: -16)"
    assert roots(f"{named}\nnpm ERR! code ELIFECYCLE\n##[error]Process completed with exit code 1.\n") == []


@pytest.mark.parametrize(
    "text",
    [
        f"$ cat server.log\n{TRACE}\n$ \n",
        f"+ cat out.txt\n{TRACE}\n+ exit 1\n",
        f"$ cat docs/issue.md\n{TRACE}\n",
        f"$ git pull && python c.py\n{TRACE}\n$ ls\n",
        f"##[group]Run git log -1\ngit log -1\npython c.py\n##[endgroup]\n{TRACE}\n##[group]Run ls\nls\n",
        f"$ grep -n OOM server.log\nserver.log:82:{OOM}\n$ rbln-stat\n",
        f"tests/test_l.py::test_oom {TRACE}\nFAILED\n",
        f"[ RUN      ] Oom.Detects\nerror: {OOM}\n[  FAILED  ] Oom.Detects (3 ms)\n",
        f"User: what is this?\n{TRACE}\nAssistant: memory is full\nUser: thanks\n",
        "".join(f"+{row}\n" for row in ("diff", *TRACE.split("\n"))),
    ],
    ids=["log", "log of a job", "whole", "and", "script", "only search", "failed", "gtest", "asked", "all"],
)
def test_a_log_that_is_shown_because_it_is_the_log_is_diagnosed(text: str) -> None:
    assert roots(text) == ["memory.dram-oom"]


@given(st.lists(st.sampled_from(["loading", "step 1", DONE, "[load] ok"]), max_size=5))
def test_in_a_transport_that_writes_every_row_as_a_text_a_row_counts(rows: list[str]) -> None:
    text = "".join(f'{{"user": "svc", "text": "{row}"}}\n' for row in (*rows, OOM))
    assert not Spoken(text).holds(len(rows) + 1, OOM[:20])


@pytest.mark.parametrize(
    "text",
    [
        f"[sweep] try blocks=256\n[sweep] failed: {OOM}\n[sweep] try blocks=128\n{DONE}\n[sweep] all good\n",
        f"2026-11-29 09:00:00,311 WARNING [c] first try failed ({OOM}), trying again\n{DONE}\n",
    ],
    ids=["sweep", "again"],
)
def test_what_a_program_got_over_is_a_note(text: str) -> None:
    found = diagnosed(text)
    assert (found.outcome, [note.entry for note in found.notes]) == ("healthy", ["memory.dram-oom"])


def test_a_failure_after_what_was_got_over_is_told_by_itself() -> None:
    first = f"WARNING: first try failed ({OOM}), trying again with 8192\n{DONE}\n"
    found = diagnosed(
        f"{first}Traceback (most recent call last):\n  File \"c.py\", line 3, in f\n    g()\nKeyError: 'x'\n"
    )
    assert (found.outcome, found.findings) == ("unknown", ())
    assert [one.text for one in found.unknown] == ["KeyError: 'x'"]


@pytest.mark.parametrize(
    "text",
    [
        f"[sweep] try a\n[sweep] failed: {OOM}\n[sweep] try b\n{DONE}\n[sweep] 1 of 2 failed\n",
        f"[sweep] try a\n[sweep] failed: {OOM}\n[sweep] try b\n",
        f"{DONE}\n[c] failed: {OOM}, trying again\n[c] failed: {OOM}, trying again\n",
    ],
    ids=["one failed", "no end", "success before"],
)
def test_what_was_not_got_over_is_the_failure(text: str) -> None:
    assert roots(text) == ["memory.dram-oom"]


def test_a_quotation_is_looked_for_within_the_limit_of_a_row() -> None:
    row = f"ValueError: bad '{OOM}'"
    assert Spoken(f"x\n{row}\n").holds(2, OOM[:20])
    assert not Spoken(f"x\n{'y' * LONGEST_ROW}{row}\n").holds(2, OOM[:20])


def test_the_end_of_a_document_is_looked_for_behind_as_many_prompts_as_the_limit() -> None:
    def shown(inside: int) -> bool:
        text = "$ cat docs/a.md\n```\n" + "$ ls\n" * inside + f"```\n{OOM}\n$ ls\n"
        return Spoken(text).holds(inside + 4, OOM[:20])

    assert shown(MOST_PROMPTS - 1)
    assert not shown(MOST_PROMPTS)
