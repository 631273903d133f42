"""Every fixed word of the daemon, once per language; keys and ``{fields}`` are equal in both tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from diagnose.model import Lang, Text

WORDS: Final[Mapping[Lang, Mapping[str, str]]] = {
    "en": {
        "opened": "NEW",
        "amended": "CORRECTED",
        "recovered": "RECOVERED",
        "repeated": "AGAIN",
        "unknown": "UNKNOWN ERROR",
        "replayed": "earlier",
        "echo": "an echo of another error, not the cause",
        "line": "line",
        "incident": "incident",
        "idle": "waiting",
        "starting": "starting",
        "compiling": "compiling",
        "ready": "ready",
        "failed": "failed",
        "stopped": "stopped",
        "followed": "Followed",
        "state": "State",
        "rate": "Lines/s",
        "lines": "Lines",
        "lag": "Behind",
        "last": "Last incidents",
        "none": "none so far",
        "notice_awaited": "{path}: nothing to follow there yet; waiting for it",
        "notice_appeared": "{path}: the file is there now",
        "notice_rotated": "{path}: rotated; going on with the new file",
        "notice_truncated": "{path}: cut or written anew; reading it from its beginning ({lost} bytes are known to "
        "be lost)",
        "notice_hole": "{path}: skipped a hole of {bytes} NUL bytes",
        "notice_gone": "{path}: the file is gone; no longer followed",
        "notice_lost": "{path}: the file followed last is not there any more; what was written to it after byte "
        "{offset} may not have been read",
        "notice_unreadable": "{path}: cannot be read ({why}); tried again",
        "notice_readable": "{path}: can be read again",
        "notice_ended": "{path}: the stream has ended",
        "notice_store-failed": "incidents cannot be written down ({why}); following goes on",
        "notice_store-back": "incidents are written down again",
        "notice_backlog-full": "more than {limit} batches wait for the store; the oldest are not written down",
        "notice_alerts-dropped": "more than {limit} alerts wait; the oldest are dropped",
        "notice_checkpoint-unreadable": "{path}: the place reached last is not known; what is in the log already is "
        "only listed",
        "notice_polling": "file events are not to be had ({why}); looking at the files 20 times a second",
        "notice_taken": "{path}: another rbln-diagnose watch follows it; left to that one",
        "notice_too-many": "more than {limit} files; the rest is not followed",
        "notice_alert-failed": "{channel}: an alert did not arrive; tried again",
        "notice_alert-given-up": "{channel}: an alert did not arrive after {attempts} attempts and is given up",
        "notice_reloaded": "knowledge base reloaded ({entries} entries)",
        "notice_reload-failed": "the knowledge base could not be reloaded ({why}); the old one stays",
        "notice_listening": "health and metrics on http://{path}",
        "taken": "{path} is followed by another rbln-diagnose watch already; stop that one first",
        "compressed": "{path} is compressed and will not grow; use rbln-diagnose {path}",
        "terminal": "standard input is a terminal: pipe a log into it (journalctl -f -u vllm | rbln-diagnose watch -)",
        "bad_from": "--from is {value!r}; it must be start, end, checkpoint or last-run",
        "bad_format": "--format is {value!r}; it must be text or json",
        "bad_listen": "--listen is {value!r}; write it as HOST:PORT, as 127.0.0.1:9108",
        "cannot_listen": "cannot listen on {value} ({why}); choose another HOST:PORT",
        "need_extra": "{option} needs a package that is not installed: pip install 'rbln-diagnose[{extra}]'",
        "bad_alert": "an --alert address is not understood; see the list of services at the Apprise project",
        "no_watch_here": "watch needs a POSIX system",
    },
    "ko": {
        "opened": "새 문제",
        "amended": "정정",
        "recovered": "복구됨",
        "repeated": "재발",
        "unknown": "모르는 오류",
        "replayed": "이전 기록",
        "echo": "원인이 아니라 다른 오류의 여파입니다",
        "line": "행",
        "incident": "인시던트",
        "idle": "대기",
        "starting": "시작 중",
        "compiling": "컴파일 중",
        "ready": "준비됨",
        "failed": "실패",
        "stopped": "종료됨",
        "followed": "감시 대상",
        "state": "상태",
        "rate": "행/초",
        "lines": "행",
        "lag": "지연",
        "last": "최근 인시던트",
        "none": "아직 없음",
        "notice_awaited": "{path}: 아직 따라갈 파일이 없어 생길 때까지 기다립니다",
        "notice_appeared": "{path}: 파일이 생겼습니다",
        "notice_rotated": "{path}: 로그가 로테이션되어 새 파일을 이어서 읽습니다",
        "notice_truncated": "{path}: 파일이 잘렸거나 새로 작성되어 처음부터 읽습니다 (유실이 확인된 바이트: {lost})",
        "notice_hole": "{path}: NUL {bytes}바이트 구간을 건너뛰었습니다",
        "notice_gone": "{path}: 파일이 없어져 더 이상 따라가지 않습니다",
        "notice_lost": "{path}: 마지막으로 읽던 파일이 없습니다. {offset}바이트 이후의 내용은 읽지 못했을 수 있습니다",
        "notice_unreadable": "{path}: 읽을 수 없습니다 ({why}). 계속 시도합니다",
        "notice_readable": "{path}: 다시 읽을 수 있습니다",
        "notice_ended": "{path}: 스트림이 끝났습니다",
        "notice_store-failed": "인시던트를 저장할 수 없습니다 ({why}). 로그는 계속 따라갑니다",
        "notice_store-back": "인시던트 저장이 복구되었습니다",
        "notice_backlog-full": "저장을 기다리는 묶음이 {limit}개를 넘어 오래된 인시던트는 저장되지 않습니다",
        "notice_alerts-dropped": "기다리는 알림이 {limit}건을 넘어 오래된 알림을 버립니다",
        "notice_checkpoint-unreadable": "{path}: 마지막 위치를 알 수 없습니다. 이미 있던 내용은 목록으로만 보여 줍니다",
        "notice_polling": "파일 이벤트를 쓸 수 없어({why}) 1초에 20번 파일을 확인합니다",
        "notice_taken": "{path}: 다른 rbln-diagnose watch가 이미 따라가고 있어 제외합니다",
        "notice_too-many": "파일이 {limit}개를 넘습니다. 나머지는 따라가지 않습니다",
        "notice_alert-failed": "{channel}: 알림이 전달되지 않았습니다. 다시 시도합니다",
        "notice_alert-given-up": "{channel}: 알림을 {attempts}번 시도했지만 전달하지 못해 포기합니다",
        "notice_reloaded": "지식 베이스를 다시 읽었습니다 (항목 {entries}개)",
        "notice_reload-failed": "지식 베이스를 다시 읽지 못했습니다 ({why}). 이전 내용을 계속 씁니다",
        "notice_listening": "상태와 메트릭: http://{path}",
        "taken": "{path}: 다른 rbln-diagnose watch가 이미 따라가고 있습니다. 먼저 그 watch를 멈추세요",
        "compressed": "{path}: 압축 파일이라 늘어나지 않습니다. rbln-diagnose {path} 명령을 쓰세요",
        "terminal": "표준 입력이 터미널입니다. 로그를 파이프로 넘기세요 "
        "(journalctl -f -u vllm | rbln-diagnose watch -)",
        "bad_from": "--from 값이 {value!r}입니다. start, end, checkpoint, last-run 중 하나여야 합니다",
        "bad_format": "--format 값이 {value!r}입니다. text 또는 json이어야 합니다",
        "bad_listen": "--listen 값이 {value!r}입니다. 127.0.0.1:9108처럼 HOST:PORT로 쓰세요",
        "cannot_listen": "{value}에서 대기할 수 없습니다 ({why}). 다른 HOST:PORT를 지정하세요",
        "need_extra": "{option}에 필요한 패키지가 없습니다: pip install 'rbln-diagnose[{extra}]'",
        "bad_alert": "--alert 주소를 이해할 수 없습니다. Apprise 프로젝트의 서비스 목록을 참고하세요",
        "no_watch_here": "watch는 POSIX 시스템에서만 동작합니다",
    },
}


def word(key: str, lang: Lang) -> str:
    """The text of ``key``; KeyError for a key no table has (a bug of ours)."""
    return WORDS[lang][key]


def text(key: str, **fields: object) -> Text:
    """The text of ``key`` in both languages with its fields filled in."""
    return Text(WORDS["en"][key].format(**fields), WORDS["ko"][key].format(**fields))
