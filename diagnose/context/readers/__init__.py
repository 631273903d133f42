"""``--config FILE``: one reader per kind of file, chosen by what stands in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from diagnose.context.readers.errors import refused
from diagnose.context.readers.files import exists, is_directory, read_text
from diagnose.knowledge.schema import Parameter
from diagnose.model import GivenConfig, Text

Recognise = Callable[[str], bool]
Read = Callable[[str, str, Mapping[str, Parameter]], GivenConfig]


def read_config(path: str, parameters: Mapping[str, Parameter]) -> GivenConfig:
    """What one configuration file (or artifact directory) tells about the run; of a file with several launches
    ``FILE#SECTION`` names one.

    A script is read, never run. Raises InputError (one line in both languages that says what is accepted) for
    anything that cannot be read or tells nothing.
    """
    place = Path(path)
    file, mark, section = path.rpartition("#")
    if mark and file and not exists(place):
        from diagnose.context.sections import named

        return named(read_config(file, parameters), section)
    if is_directory(place):
        from diagnose.context.readers import directory

        return directory.read(place, path, parameters)
    return read_text_config(read_text(place, path), path, parameters)


def read_text_config(text: str, name: str, parameters: Mapping[str, Parameter]) -> GivenConfig:
    """The same for text already read; ``name`` is what the person called it."""
    if not text.strip():
        raise refused(name, Text("is empty", "비어 있습니다"))
    for recognises, reader in _readers():
        if recognises(text):
            return reader(text, name, parameters)
    raise refused(name, Text("is no configuration known here", "알려진 형식의 설정 파일이 아닙니다"))


def _readers() -> tuple[tuple[Recognise, Read], ...]:
    """In this order: JSON opens with a brace, YAML has its own top-level keys; a shell script is asked last
    because Python and YAML may hold a ``vllm serve`` line too."""
    from diagnose.context.readers import containers, json_files, python_script, shell

    return (
        (json_files.is_json, json_files.read),
        (containers.is_containers, containers.read),
        (python_script.is_python, python_script.read),
        (shell.is_shell, shell.read),
    )
