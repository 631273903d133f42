"""A whole artifact directory: its ``rbln_config.json``, ``config.json``, processor files and submodules."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path

from diagnose.context.names import SUBMODULES
from diagnose.context.readers import artifact, hf_config, json_files, processor
from diagnose.context.readers.errors import refused
from diagnose.context.readers.files import ARTIFACT_FILE, read_text, subdirectories
from diagnose.knowledge.schema import Parameter
from diagnose.model import GivenConfig, Text, Value

_PROCESSOR_FILES = ("processor_config.json", "preprocessor_config.json", "video_preprocessor_config.json")


def read(path: Path, name: str, parameters: Mapping[str, Parameter]) -> GivenConfig:
    """The artifact with everything its directory says; ``artifact`` is the path as it was given.

    Raises InputError when there is no ``rbln_config.json`` or a file of it is broken.
    """
    main = path / ARTIFACT_FILE
    if not main.is_file():
        reason = Text(f"is a directory without {ARTIFACT_FILE}", f"{ARTIFACT_FILE}이 없는 디렉터리입니다")
        raise refused(name, reason)
    config = _load(main, name)
    if not artifact.is_rbln_config(config):
        raise refused(name, Text(f"holds an unknown {ARTIFACT_FILE}", f"알 수 없는 {ARTIFACT_FILE}입니다"))
    for child in subdirectories(path):
        # The parent's file repeats its submodules; older releases leave some of them to the directories.
        if child.name in SUBMODULES and not isinstance(config.get(child.name), dict):
            config[child.name] = _load(child / ARTIFACT_FILE, name)
    given = artifact.read(config, name, parameters)
    values: dict[str, Value] = {}
    numbers: dict[str, Value] = {}
    for file in _PROCESSOR_FILES:
        if (path / file).is_file():
            limits = processor.read(_load(path / file, name), name, parameters)
            values.update(limits.values)
            numbers.update(limits.architecture)
    model, cls = given.model, given.model_class
    if (path / "config.json").is_file():
        hf = hf_config.read(_load(path / "config.json", name), name, parameters)
        numbers.update(hf.architecture)
        model, cls = hf.model, cls or hf.model_class
    return dataclasses.replace(
        given,
        values={**values, **given.values, "artifact": name},
        architecture={**given.architecture, **numbers},
        model=model,
        model_class=cls,
    )


def _load(path: Path, name: str) -> dict[str, Value]:
    return json_files.load(read_text(path, f"{name}/{path.name}"), f"{name}/{path.name}")
