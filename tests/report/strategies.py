"""Any Diagnosis, with the worst text a log can hold."""

from __future__ import annotations

from hypothesis import strategies as st

from diagnose.model import (
    Change,
    Consequence,
    Diagnosis,
    Finding,
    InputInfo,
    Nearest,
    Overruled,
    Remedy,
    RunContext,
    Setting,
    Text,
    Unknown,
)
from diagnose.report.repaired import SHAPES

HOSTILE = [
    "\x1b[31mred\x1b[0m",
    "\x1b]0;title\x07",
    "\x1b]8;;http://x\x1b\\link",
    "\x9b2J",
    "\x1b",
    "\u202egnp.exe",
    "</pre><script>alert(1)</script>",
    "]]>",
    "```",
    "::error::x",
    "%0A",
    "\r\n",
    "\r",
    "\t",
    "\x00",
    "\ud800",
    "\ufffe",
    "한글 메시지",
    "각",
    "| a | b |",
    "{not_a_field}",
    " @octocat and @org/team, #12 !34 ",
    "![beacon](http://evil.example/b.png)",
    "<img src=http://evil.example/b.png>",
]
words = st.one_of(st.sampled_from(HOSTILE), st.text(st.characters(exclude_categories=()), max_size=12), st.just(" 17 "))
strings = st.lists(words, max_size=5).map("".join)
names = st.sampled_from(["max_seq_len", "batch_size", "visual.device", "kvcache_partition_len"])
texts = st.builds(Text, strings, strings)
scalars = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), strings, st.lists(st.integers(0, 9), max_size=3)
)
value = st.one_of(scalars, st.tuples(scalars, scalars), st.dictionaries(strings, scalars, max_size=2), st.just(b"raw"))
lines = st.integers(1, 10**7)
settings_ = st.builds(Setting, value, st.none() | lines, strings)
overruled = st.builds(Overruled, names, settings_, settings_)
remedies = st.builds(
    Remedy,
    id=st.just("a-remedy"),
    applicability=st.sampled_from(["exact", "estimate", "needs-value", "advice"]),
    title=texts,
    changes=st.lists(st.builds(Change, names, value, value), max_size=2).map(tuple),
    arithmetic=strings,
    bound=st.none() | texts,
    missing=st.lists(names, max_size=2).map(tuple),
    commands=st.dictionaries(st.sampled_from(["vllm", "python", "processor", "own"]), strings, max_size=2),
    side_effect=st.none() | texts,
    verify=st.none() | texts,
)


@st.composite
def findings(draw: st.DrawFn) -> Finding:
    text = draw(strings)
    places = sorted(draw(st.lists(st.integers(0, len(text)), max_size=6)))
    return Finding(
        entry=draw(st.sampled_from(["kv-cache.insufficient-memory", "host.disk-full"])),
        domain=draw(st.sampled_from(["rbln", "vllm", "hf", "host", "foreign"])),
        role=draw(st.sampled_from(["root", "consequence", "context"])),
        severity=draw(st.sampled_from(["fatal", "error", "warning", "info"])),
        line=draw(lines),
        offset=draw(st.integers(0, 10**9)),
        text=text,
        title=draw(texts),
        cause=draw(texts),
        count=draw(st.integers(1, 9)),
        lines=tuple(draw(st.lists(lines, max_size=5))),
        process=draw(st.none() | strings),
        time=draw(st.none() | strings),
        numbers=draw(st.dictionaries(names, value, max_size=3)),
        highlights=tuple(zip(places[::2], places[1::2], strict=False)),
        remedies=tuple(draw(st.lists(remedies, max_size=2))),
        consequences=tuple(
            draw(st.lists(st.builds(Consequence, st.just("engine.init-failed"), lines, texts), max_size=5))
        ),
        recovered=draw(st.booleans()),
    )


unknown = st.builds(
    Unknown,
    line=lines,
    offset=st.integers(0, 10**9),
    text=strings,
    template=strings,
    count=st.integers(1, 9),
    process=st.none() | strings,
    nearest=st.lists(st.builds(Nearest, st.just("runtime.timeout"), st.integers(0, 100)), max_size=2).map(tuple),
)
runs = st.builds(
    RunContext,
    config=st.dictionaries(names, settings_, max_size=3),
    overruled=st.lists(overruled, max_size=2).map(tuple),
    npu=st.none() | strings,
    versions=st.dictionaries(st.sampled_from(["vllm", "optimum_rbln"]), strings, max_size=2),
    model=st.none() | strings,
)
shapes = st.lists(st.sampled_from(list(SHAPES)), max_size=3).map(tuple)
diagnoses = st.builds(
    Diagnosis,
    input=st.builds(InputInfo, strings, st.integers(0, 10**12), st.integers(0, 10**9), shapes),
    outcome=st.sampled_from(["diagnosed", "unknown", "healthy"]),
    run=runs,
    findings=st.lists(findings(), max_size=2).map(tuple),
    notes=st.lists(findings(), max_size=1).map(tuple),
    unknown=st.lists(unknown, max_size=2).map(tuple),
    runs=st.integers(1, 3),
    kb_hash=st.text("0123456789abcdef", max_size=8),
    kb_entries=st.integers(0, 999),
)
