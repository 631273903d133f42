"""Every fixed word of the command line, once per language; keys and ``{fields}`` are equal in both tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from diagnose.model import Lang, Text

WORDS: Final[Mapping[Lang, Mapping[str, str]]] = {
    "en": {
        "usage": "usage",
        "options": "Options",
        "commands": "Commands",
        "help_lang": "language; default: RBLN_DIAGNOSE_LANG, else the locale",
        "help_help": "this help",
        "help": "Reads the log of a failed run on a Rebellions NPU: the root cause, its line, and what to "
        "change. Further commands: rbln-diagnose kb",
        "help_files": "the log: a file (also .gz, .zst), or - for standard input (the default in a pipe)",
        "help_format": "text, json, sarif, github, gitlab, junit, markdown or html; default: text",
        "help_config": "a file that has the run's configuration: rbln_config.json or a whole artifact "
        "directory, config.json, a Python script, a launch command, compose or Kubernetes YAML; repeatable",
        "help_sets": "a value the log does not have, by its rbln_config or vLLM name; repeatable",
        "help_npu": "the NPU, as RBLN-CA25",
        "help_all_runs": "every run in the log, not only the last one that failed",
        "help_no_store": "do not remember this failure on this machine",
        "help_no_color": "no colour (also: NO_COLOR)",
        "help_version": "the version",
        "help_kb": "Look into the knowledge base, and check it after a change.",
        "help_kb_list": "every entry: id, role, title",
        "help_kb_show": "one entry: its messages, cause and remedies",
        "help_kb_show_entry": "id of an entry, as rbln-diagnose kb list prints it",
        "help_kb_stats": "how much the knowledge base holds",
        "help_kb_lint": "check how the entries are written; exit code 1 when one is wrong",
        "help_kb_test": "run every example and near miss; exit code 1 when one fails",
        "exit_codes": "\nExit codes: 0 nothing wrong · 1 diagnosed · 2 could not run\n"
        "            3 only unknown errors · 130 interrupted",
        "bug": "this is a bug of rbln-diagnose. Please report it with the text below.",
        "one_file": "{count} files were given; give one log at a time",
        "no_input": "no log was given: name a file, or pipe it in (vllm serve MODEL 2>&1 | rbln-diagnose)",
        "bad_format": "unknown format {name!r}; it must be one of {formats}",
        "no_entry": "the knowledge base has no entry {id!r}; similar: {similar}",
        "not_stored": "the incident was not stored",
        "usage_no_option": "unknown option {option}; see {program} --help",
        "usage_similar_option": "unknown option {option}; did you mean {similar}?",
        "usage_needs_value": "option {option} needs a value; see {program} --help",
        "usage_no_value": "option {option} takes no value; see {program} --help",
        "usage_missing": "{argument} is missing; see {program} --help",
        "usage_other": "the command line was not understood ({message}); see {program} --help",
        "signatures": "Messages",
        "cause": "Cause",
        "remedies": "Remedies",
        "explains": "Its echoes",
        "references": "References",
        "entries": "entries",
        "literals": "prefilter literals",
        "parameters": "parameters",
        "constraints": "constraints",
        "problems": "{count} problems in {entries} entries",
    },
    "ko": {
        "usage": "사용법",
        "options": "옵션",
        "commands": "명령",
        "help_lang": "언어. 기본값: RBLN_DIAGNOSE_LANG, 없으면 locale",
        "help_help": "이 도움말",
        "help": "Rebellions NPU에서 실패한 실행의 로그를 읽고 근본 원인과 그 행, 바꿀 값을 알려 줍니다. "
        "다른 명령: rbln-diagnose kb",
        "help_files": "로그 파일(.gz, .zst 가능). -는 표준 입력(파이프에서는 기본값)",
        "help_format": "text, json, sarif, github, gitlab, junit, markdown, html. 기본값: text",
        "help_config": "실행 설정이 들어 있는 파일: rbln_config.json 또는 산출물 디렉터리, config.json, "
        "Python 스크립트, 실행 명령, compose·Kubernetes YAML. 여러 번 지정 가능",
        "help_sets": "로그에 없는 값. rbln_config 또는 vLLM 이름으로 지정. 여러 번 지정 가능",
        "help_npu": "NPU 이름. 예: RBLN-CA25",
        "help_all_runs": "마지막 실패만이 아니라 로그의 모든 실행",
        "help_no_store": "이 실패를 이 장비에 기록하지 않음",
        "help_no_color": "색을 쓰지 않음 (NO_COLOR도 가능)",
        "help_version": "버전",
        "help_kb": "지식 베이스를 보고, 고친 뒤 검사합니다.",
        "help_kb_list": "모든 항목: id, role, 제목",
        "help_kb_show": "항목 하나: 메시지, 원인, 해결",
        "help_kb_show_entry": "항목 id. rbln-diagnose kb list에 나오는 이름",
        "help_kb_stats": "지식 베이스의 규모",
        "help_kb_lint": "항목 작성 규칙 검사. 잘못이 있으면 종료 코드 1",
        "help_kb_test": "모든 example과 near miss 실행. 실패하면 종료 코드 1",
        "exit_codes": "\n종료 코드: 0 문제 없음 · 1 진단함 · 2 실행 불가\n           3 모르는 오류만 있음 · 130 중단됨",
        "bug": "rbln-diagnose의 버그입니다. 아래 내용을 그대로 붙여 제보하세요.",
        "one_file": "파일이 {count}개입니다. 로그를 한 번에 하나만 지정하세요",
        "no_input": "로그가 없습니다. 파일을 지정하거나 파이프로 넘기세요 (vllm serve MODEL 2>&1 | rbln-diagnose)",
        "bad_format": "형식 {name!r}을(를) 알 수 없습니다. 다음 중 하나여야 합니다: {formats}",
        "no_entry": "지식 베이스에 {id!r} 항목이 없습니다. 비슷한 항목: {similar}",
        "not_stored": "실패 이력을 저장하지 못했습니다",
        "usage_no_option": "알 수 없는 옵션 {option}입니다. {program} --help를 참고하세요",
        "usage_similar_option": "알 수 없는 옵션 {option}입니다. {similar}을(를) 찾으셨나요?",
        "usage_needs_value": "옵션 {option}에 값이 필요합니다. {program} --help를 참고하세요",
        "usage_no_value": "옵션 {option}에는 값을 줄 수 없습니다. {program} --help를 참고하세요",
        "usage_missing": "{argument}이(가) 없습니다. {program} --help를 참고하세요",
        "usage_other": "명령행을 이해하지 못했습니다 ({message}). {program} --help를 참고하세요",
        "signatures": "메시지",
        "cause": "원인",
        "remedies": "해결",
        "explains": "여파",
        "references": "참고 자료",
        "entries": "항목",
        "literals": "prefilter literal",
        "parameters": "파라미터",
        "constraints": "제약 조건",
        "problems": "항목 {entries}개에서 문제 {count}건",
    },
}


def word(key: str, lang: Lang) -> str:
    """The text of ``key``; KeyError for a key no table has (a bug of ours)."""
    return WORDS[lang][key]


def text(key: str, **fields: str) -> Text:
    """The text of ``key`` in both languages with its fields filled in."""
    return Text(WORDS["en"][key].format(**fields), WORDS["ko"][key].format(**fields))
