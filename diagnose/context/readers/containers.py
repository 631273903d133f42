"""docker-compose and Kubernetes YAML: the launch command in ``command``, ``entrypoint`` and ``args``."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping

from diagnose.context.readers import shell
from diagnose.context.readers.draft import Draft
from diagnose.context.readers.errors import refused
from diagnose.knowledge.schema import Parameter
from diagnose.model import GivenConfig, Text, Value

_MARKS = re.compile(r"(?m)^(?:services|apiVersion|kind|x-[\w.-]+)[ \t]*:")
_COMMAND_KEYS = ("entrypoint", "command", "args")
_ENVIRONMENT_KEYS = ("environment", "env")

_Container = tuple[str, tuple[str, ...], Mapping[str, Value]]
"""Name of a section, the names it may have in a log, and what stands in it."""


def is_containers(text: str) -> bool:
    return _MARKS.search(text) is not None


def read(text: str, name: str, parameters: Mapping[str, Parameter]) -> GivenConfig:
    """Every container's launch and environment, each a section where several launch something. Raises InputError when
    no container launches a server."""
    from diagnose.context.readers.safe_yaml import documents

    found = [document for document in documents(text, name) if isinstance(document, Mapping)]
    kind = "compose" if any("services" in document for document in found) else "kubernetes"
    draft = Draft()
    for document in found:
        for section, called, container in _containers(document):
            draft.section, draft.called = section, called
            _read_container(container, name, parameters, draft)
    if not draft.launched:
        reason = Text("has no container with vllm serve", "vllm serve를 실행하는 컨테이너가 없습니다")
        raise refused(name, reason)
    return draft.given(name, kind)


def _read_container(
    container: Mapping[str, Value], name: str, parameters: Mapping[str, Parameter], draft: Draft
) -> None:
    environment = _environment(container)
    words: list[str] = []
    for key in _COMMAND_KEYS:
        words.extend(_words(container.get(key), name))
    if not words:
        return
    if _is_server_image(container) and (words[0].startswith("-") or words[0] == "serve"):
        # The image's own entry point is the server; the file gives its arguments only.
        words = ["vllm", "serve", *(words[1:] if words[0] == "serve" else words)]
    shell.read_words(words, name, parameters, draft, environment)


def _is_server_image(container: Mapping[str, Value]) -> bool:
    return "vllm" in str(container.get("image", "")).lower()


def _words(value: Value, name: str) -> list[str]:
    """A list gives its words, a string is split as compose does; ``$$`` is compose's way to write ``$``."""
    if isinstance(value, list):
        return [_text(item) for item in value if not isinstance(item, (list, Mapping))]
    if isinstance(value, str) and value.strip():
        try:
            return [word.replace("$$", "$") for word in shlex.split(value)]
        except ValueError:
            reason = Text("has an unclosed quote in a command", "명령에 닫히지 않은 따옴표가 있습니다")
            raise refused(name, reason) from None
    return []


def _environment(container: Mapping[str, Value]) -> dict[str, str]:
    """``{NAME: value}``, ``["NAME=value"]`` and Kubernetes' ``[{name:, value:}]``, no references."""
    found: dict[str, str] = {}
    for key in _ENVIRONMENT_KEYS:
        value = container.get(key)
        if isinstance(value, Mapping):
            found.update({str(k): _text(v) for k, v in value.items() if v is not None})
        for item in value if isinstance(value, list) else ():
            if isinstance(item, str) and "=" in item:
                variable, _, text = item.partition("=")
                found[variable] = text
            elif isinstance(item, Mapping) and "name" in item and item.get("value") is not None:
                found[str(item["name"])] = _text(item["value"])
    return found


def _containers(document: Mapping[str, Value]) -> Iterator[_Container]:
    services = document.get("services")
    if not isinstance(services, Mapping):
        yield from _commanded(document, "", "")
        return
    for service, container in services.items():
        for _, _, found in _commanded(container, "", ""):
            name = container.get("container_name") if isinstance(container, Mapping) else None
            yield str(service), (str(service), *([name] if isinstance(name, str) else [])), found


def _commanded(value: Value, key: str, owner: str) -> Iterator[_Container]:
    """Every mapping that has a command, at any depth: containers, templates, jobs. ``owner``: the name of the object
    (deployment, pod) it is in, ``key`` the one it stands under."""
    if isinstance(value, Mapping):
        about = value.get("metadata")
        if isinstance(about, Mapping) and isinstance(about.get("name"), str):
            owner = about["name"]
        if any(command in value for command in _COMMAND_KEYS):
            name = value["name"] if isinstance(value.get("name"), str) else key
            called = tuple(dict.fromkeys(text for text in (owner, name) if text))
            yield "/".join(called), called, value
        for inner_key, inner in value.items():
            if inner_key not in _COMMAND_KEYS:
                yield from _commanded(inner, str(inner_key), owner)
    elif isinstance(value, list):
        for inner in value:
            yield from _commanded(inner, key, owner)


def _text(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
