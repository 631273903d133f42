"""Temporary: signature check of every example, for authors until `kb test` is there."""

from __future__ import annotations

import sys

import regex

from diagnose.knowledge.source import SourceError, entry_files, read_entry
from diagnose.knowledge.store import PACKAGE


def main() -> int:
    bad = 0
    entries = {}
    for path in entry_files(PACKAGE.parent / "kb" / "entries"):
        try:
            e = read_entry(path)
            if e["id"] in entries:
                raise SourceError(str(path), "id twice")
            entries[e["id"]] = (path, e)
        except SourceError as error:
            bad += 1
            print(error)
    compiled = [
        (i, n, regex.compile(s["pattern"]), s)
        for i, (_, e) in entries.items()
        for n, s in enumerate(e["signatures"])
    ]
    for id_, (path, e) in entries.items():
        used = set()
        for x in e["examples"]:
            text = x["text"]
            hits = {}
            flat = " ".join(text.split())
            for i, n, rx, s in compiled:
                m = rx.search(text)
                if m:
                    if i == id_:
                        used.add(n)
                    if not any(" ".join(l.split()) in flat for l in s["literals"]):
                        bad += 1
                        print(f"{path}: a match of {i}#{n} holds none of its literals {s['literals']}")
                    hits.setdefault(i, m)
            if id_ not in hits:
                bad += 1
                print(f"{path}: example not matched: {text[:100]!r}")
                continue
            others = [
                i
                for i in hits
                if i != id_ and entries[i][1]["role"] != "consequence" and i not in e["explains"]
            ]
            if others and e["role"] == "root":
                print(f"note {path}: example also matched by {others}")
        for n in range(len(e["signatures"])):
            if n not in used:
                bad += 1
                print(f"{path}: signature {n} has no example")
    print(f"{len(entries)} entries, {len(compiled)} signatures, {bad} problems")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
