"""``--help``, laid out here because Hangul takes two columns and the parser's own help counts it as one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from diagnose.cli.words import WORDS, word
from diagnose.model import Lang
from diagnose.report.excerpt import cells, rows

WIDTH = 80


def help_text(parser: Any, program: str, words: Sequence[str], lang: Lang) -> str:
    """Help of ``parser``, or of the subcommand of it that ``words`` name, ending in a newline."""
    subcommands: dict[str, Any] = getattr(parser, "commands", {})
    for name in words:
        if name in subcommands:
            return help_text(subcommands[name], f"{program} {name}", (), lang)
    key = program.replace("rbln-diagnose", "help").replace(" ", "_")
    blocks = [f"{word('usage', lang)}: {program} {_usage(parser)}", *_wrapped(word(key, lang), 0)]
    if subcommands:
        blocks += ["", f"{word('commands', lang)}:"]
        blocks += _table([(name, word(f"{key}_{name}", lang)) for name in subcommands])
    options = [(_names(p), _meaning(key, p.name, lang)) for p in parser.params]
    options += [("--lang ko|en", word("help_lang", lang)), ("--help", word("help_help", lang))]
    return "\n".join([*blocks, "", f"{word('options', lang)}:", *_table(options)]) + "\n"


def _meaning(key: str, name: str, lang: Lang) -> str:
    """What an option means: said for this command, else for all commands of its group."""
    group = key.rpartition("_")[0]
    return word(f"{key}_{name}" if f"{key}_{name}" in WORDS[lang] else f"{group}_{name}", lang)


def _usage(parser: Any) -> str:
    if getattr(parser, "commands", None):
        return "COMMAND"
    arguments = [p for p in parser.params if p.param_type_name == "argument"]
    return " ".join(["[OPTIONS]", *(a.metavar or a.name.upper() for a in arguments)])


def _names(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return str(parameter.metavar or parameter.name.upper())
    names = ", ".join(parameter.opts)
    return names if parameter.is_flag else f"{names} {parameter.metavar}"


def _table(lines: Sequence[tuple[str, str]]) -> Iterator[str]:
    column = max(cells(left) for left, _ in lines) + 4
    for left, right in lines:
        lead = f"  {left}" + " " * (column - 2 - cells(left))
        for number, part in enumerate(_wrapped(right, column)):
            yield f"{lead}{part}" if number == 0 else " " * column + part


def _wrapped(text: str, indent: int) -> list[str]:
    return [row.text for row in rows(text, (), WIDTH - indent)]
