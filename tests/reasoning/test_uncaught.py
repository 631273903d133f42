"""An exception that ends a script is a failure, also where all that is known of its message is a note."""

from __future__ import annotations

import pytest

from diagnose import diagnose_bytes
from diagnose.model import Diagnosis

NOTED = "vllm_rbln.KVCacheCopyError: Failed to copy KV cache from block 3 to block 9 at index 0: boom"
ENTRY = "serve.kv-copy-failed"
HEAD = "Traceback (most recent call last):\n"
FRAME = '  File "/srv/run.py", line 3, in <module>\n    main()\n'


def diagnosed(text: str) -> Diagnosis:
    return diagnose_bytes(text.encode())


def test_it_is_said_as_unknown_with_the_note_beside_it() -> None:
    found = diagnosed(f"loading\n{HEAD}{FRAME}{NOTED}\n")
    assert found.outcome == "unknown"
    assert [(one.line, one.text, bool(one.template)) for one in found.unknown] == [(5, NOTED, True)]
    assert ENTRY in [near.entry for near in found.unknown[0].nearest]
    assert [(note.entry, note.line) for note in found.notes] == [(ENTRY, 5)]


@pytest.mark.parametrize(
    "text",
    [
        "(EngineCore pid=7) WARNING 11-29 12:00:00 [m.py:1] Copying prefix-cached KV failed for request(s) ['r1'].\n",
        f"{NOTED}\n",
        "".join(f"(EngineCore pid=7) {line}\n" for line in f"{HEAD}{FRAME}{NOTED}".split("\n")),
    ],
    ids=["a warning", "a closing line alone", "a process of a server"],
)
def test_what_ends_no_script_stays_a_note(text: str) -> None:
    found = diagnosed(text)
    assert (found.outcome, found.unknown) == ("healthy", ())


def test_a_cause_beside_it_is_the_cause() -> None:
    cause = (
        "ValueError: Insufficient memory for the required KV cache: only 12 blocks can be allocated, but at least 17"
        " blocks are required. Consider reducing `max_seq_len` or `batch_size` (currently 8)."
    )
    handled = "\nDuring handling of the above exception, another exception occurred:\n\n"
    found = diagnosed(f"{HEAD}{FRAME}{cause}\n{handled}{HEAD}{FRAME}{NOTED}\n")
    assert found.outcome == "diagnosed"
    assert found.findings[0].entry == "kv-cache.insufficient-memory"


def test_a_person_who_stops_a_script_is_no_error_nobody_knows() -> None:
    assert diagnosed(f"{HEAD}{FRAME}KeyboardInterrupt\n").unknown == ()
