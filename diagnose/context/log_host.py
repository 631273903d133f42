"""What a log shows of the host and of the person's own script: rbln-smi tables, printed configurations,
installs.
"""

from __future__ import annotations

from collections.abc import Iterator

from diagnose.context import ranks
from diagnose.context.printed_lines import read
from diagnose.context.site import Rows, Site
from diagnose.late import late
from diagnose.model import Fact, RecordKind

_ROW = late(
    r"\|\s*(?P<index>\d+)\s*\|\s*(?P<name>RBLN-[A-Z]{2}\d{2})\s*\|\s*rbln\d+\s*\|.*?"
    r"\|\s*[\d.]+\s*[KMGT]?i?B\s*/\s*[\d.]+\s*[KMGT]?i?B\s*\|"
)
_DRIVER = late(r"KMD ver(?:sion)?: (?P<version>\d[\w.~+-]*)")
_PRINTED = late(r"\brbln_config['\"]?\s*[:=]\s*(?=\{)")
_MODEL_ID = late(r"""\s*model(?:_id|_name)\s*[:=]\s*["']?(?P<model>[\w.-]+/[\w.-]+)["']?\s*$""")
_PACKAGE = late(
    r"(?P<name>vllm|vllm-rbln|optimum-rbln|rebel-compiler|torch-rbln)(?:==|\s+(?=\d[\w.+]*\s*$))(?P<version>\d[\w.+!]*)"
)
_ENOUGH = 2
"""A bare dict is taken for an rbln_config when it has this many parameters of ours."""


def smi_row(site: Site) -> Iterator[Fact]:
    """Rows of the device table: the NPU's name, and how many there are (highest index + 1)."""
    for found in _ROW.finditer(site.text):
        yield site.fact("npu", found["name"], "rbln-smi", ranks.RESOLVED, found.start())
        yield site.fact("devices_available", int(found["index"]) + 1, "rbln-smi", ranks.MEASURED, found.start())


def smi_driver(site: Site) -> Iterator[Fact]:
    found = _DRIVER.search(site.text)
    if found:
        yield site.fact("version:driver", found["version"], "rbln-smi", ranks.STATED, found.start())


def printed_config(site: Site) -> Iterator[Fact]:
    """``rbln_config = {…}`` printed by a script, as Python or JSON."""
    found = _PRINTED.search(site.text)
    # Help texts print `rbln_config={..., 'create_runtimes': False}`: advice, not what was in force.
    advice = found is not None and site.text[found.end() :].lstrip("{ ").startswith("...")
    if found and not advice and site.record.kind in (RecordKind.RAW, RecordKind.LOG):
        yield from read(site, found.end(), 1, alone="{" not in site.text[: found.start()])


def bare_config(site: Site) -> Iterator[Fact]:
    """A dict without a name, when its keys leave no doubt."""
    if site.record.kind is RecordKind.RAW and site.text.lstrip().startswith("{"):
        yield from read(site, site.text.index("{"), _ENOUGH)


def printed_model(site: Site) -> Iterator[Fact]:
    """``model_id = "org/name"`` or ``model: org/name`` printed by a script."""
    found = _MODEL_ID.match(site.text)
    if found and site.record.kind in (RecordKind.RAW, RecordKind.LOG):
        yield site.fact("model", found["model"], "printed model_id", ranks.PRINTED)


def package(site: Site) -> Iterator[Fact]:
    """A line of ``pip freeze`` or ``pip list``; an ``==`` inside a sentence is a requirement and no
    version.
    """
    found = _PACKAGE.fullmatch(site.text.strip())
    if found and site.record.kind is RecordKind.RAW:
        name = found["name"].replace("-", "_")
        yield site.fact(f"version:{name}", found["version"], "pip", ranks.RESOLVED)


def tpu(site: Site) -> Iterator[Fact]:
    """What only the runtime of a TPU prints."""
    yield site.fact("platform", "tpu", "TPU driver", ranks.INFERRED)


def tensorrt(site: Site) -> Iterator[Fact]:
    """The prefix of TensorRT-LLM's own records."""
    yield site.fact("platform", "cuda", "TensorRT-LLM", ranks.INFERRED)


BEGINS: Rows = (
    ("[TensorRT-LLM] ", tensorrt),
    ("vllm==", package),
    ("vllm-rbln", package),
    ("optimum-rbln", package),
    ("rebel-compiler", package),
    ("torch-rbln", package),
)
HOLDS: Rows = (
    ("| RBLN-C", smi_row),
    ("KMD ver", smi_driver),
    ("tpu_driver", tpu),
    ("model_id", printed_model),
    ("model_name", printed_model),
    ("rbln_config", printed_config),
    ("'max_seq_len':", bare_config),
    ('"max_seq_len":', bare_config),
    ("'batch_size':", bare_config),
)
TRIGGERS = (
    "[TensorRT-LLM]",
    "tpu_driver",
    "model_id",
    "| RBLN-C",
    "KMD ver",
    "rbln_config",
    "max_seq_len",
    "vllm-rbln==",
    "optimum-rbln==",
    "rebel-compiler==",
)
