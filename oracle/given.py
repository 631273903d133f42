"""How a person gives the configuration to rbln-diagnose: by hand, as the script, or as the saved artifact."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from oracle.apply import flat
from oracle.case import Case


def forms(case: Case) -> tuple[str, ...]:
    """The forms a case can be given in. The pool of a saved ``rbln_config.json`` may be what the library chose, so a
    pool that somebody set is given by hand or in the script."""
    return tuple(form for form in case.forms if form != "artifact" or "kvcache_num_blocks" not in case.config)


@dataclass(frozen=True, slots=True)
class Given:
    """Arguments of ``diagnose.diagnose_bytes``."""

    sets: tuple[str, ...] = ()
    config: tuple[str, ...] = ()


def give(case: Case, form: str, directory: Path) -> Given:
    """The case's configuration in one of the case's ``forms``; files are written into ``directory``."""
    settings = {**case.config, **{k: v for k, v in case.request.items() if k.startswith("processor.")}}
    files: list[str] = []
    sets: list[str] = list(case.extra_sets)
    if form == "sets":
        sets += [f"{name}={_typed(value)}" for name, value in flat(settings).items() if name != "npu"]
    elif form == "script":
        sets += [f"{name}={_typed(value)}" for name, value in case.request.items() if name.startswith("processor.")]
        files.append(_written(directory / "compile.py", script(case)))
    else:
        sets += [f"{name}={_typed(value)}" for name, value in case.request.items() if name.startswith("processor.")]
        saved = {"cls_name": f"{case.rbln_class}Config", "optimum_rbln_version": "0.12.0", **case.config}
        files.append(_written(directory / "rbln_config.json", json.dumps(saved, indent=2)))
    if case.hf_config is not None:
        files.append(_written(directory / "config.json", json.dumps(case.hf_config)))
    return Given(tuple(sets), tuple(files))


def script(case: Case) -> str:
    """A compile script with the case's rbln_config."""
    return (
        f"from optimum.rbln import {case.rbln_class}\n\n"
        f"model = {case.rbln_class}.from_pretrained(\n"
        f"    'model',\n    export=True,\n    rbln_config={_literal(case.config)},\n)\n"
        "model.save_pretrained('out')\n"
    )


def _literal(config: Mapping[str, Any]) -> str:
    return repr({name: dict(v) if isinstance(v, Mapping) else v for name, v in config.items()})


def _typed(value: Any) -> str:
    """A value as it is typed behind ``--set name=``."""
    if isinstance(value, bool):
        return str(value).lower()
    return json.dumps(value) if isinstance(value, (list, tuple, dict)) else str(value)


def _written(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8")
    return str(path)
