"""An assertion without a message is known by its source line, which a traceback shows above the bare type."""

from __future__ import annotations

import diagnose
from tests.authoring.made import real

_HEAD = "AssertionError: assert "
_PACKAGES = {"vllm-rbln": "vllm_rbln", "torch-rbln": "torch_rbln", "optimum-rbln": "optimum/rbln"}


def test_every_known_assertion_is_told_by_its_own_entry_and_not_by_the_family() -> None:
    tried = 0
    for entry in real().entries.values():
        frames = "/".join(s.frame for s in entry.signatures if s.frame is not None)
        for example in entry.examples:
            line = example.text.strip().splitlines()[-1]
            if not line.startswith(_HEAD) or entry.component not in _PACKAGES or entry.id.startswith("internal."):
                continue
            source = line.removeprefix("AssertionError: ")
            frame = f'  File "/v/lib/{_PACKAGES[entry.component]}/{frames}/a.py", line 4, in run'
            log = f"Traceback (most recent call last):\n{frame}\n    {source}\nAssertionError\n"
            assert [f.entry for f in diagnose.diagnose_bytes(log.encode()).findings] == [entry.id], source
            tried += 1
    assert tried
