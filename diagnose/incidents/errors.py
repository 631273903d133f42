"""A store that cannot be used, in one line of the person's language."""

from __future__ import annotations

from typing import Final

from diagnose.model import InputError, Text


class StoreError(InputError):
    """The store cannot be used now. Whoever catches it goes on without the store."""

    def __init__(self, message: Text, *, passing: bool = False) -> None:
        super().__init__(message)
        self.passing = passing
        """True when the same call may succeed later without anybody doing anything: a lock."""


_WAYS: Final[tuple[tuple[tuple[str, ...], bool, str, str], ...]] = (
    (
        ("locked", "busy"),
        True,
        "{path} is in use by another program for too long; try again",
        "다른 프로그램이 계속 사용 중인 파일입니다: {path}. 잠시 후 다시 시도하세요",
    ),
    (
        ("is full", "no space left", "quota"),
        False,
        "no space is left for {path}; free some, or set RBLN_DIAGNOSE_DB to a file on another disk",
        "{path}: 저장할 공간이 없습니다. 공간을 확보하거나 RBLN_DIAGNOSE_DB를 다른 디스크의 파일로 지정하세요",
    ),
    (
        ("readonly", "read-only", "permission denied", "not permitted"),
        False,
        "{path} cannot be written; allow it, or set RBLN_DIAGNOSE_DB to a file that can be written",
        "{path}에 쓸 수 없습니다. 쓰기 권한을 주거나 RBLN_DIAGNOSE_DB를 쓸 수 있는 파일로 지정하세요",
    ),
    (
        ("not a database",),
        False,
        "{path} is no database of rbln-diagnose, or its beginning is damaged; set RBLN_DIAGNOSE_DB to another file, or "
        "move it away, and a new one is made",
        "{path}: rbln-diagnose의 데이터베이스가 아니거나 파일이 손상되었습니다. RBLN_DIAGNOSE_DB를 다른 파일로 "
        "지정하거나 이 파일을 다른 곳으로 옮기면 새로 만듭니다",
    ),
    (
        ("malformed", "corrupt"),
        False,
        "{path} is damaged; move it away, and a new one is made",
        "{path}: 파일이 손상되었습니다. 다른 곳으로 옮기면 새로 만듭니다",
    ),
)
"""Words of the message of SQLite or of the system, whether it passes by itself, the line in both languages."""
_ELSE: Final = (
    "{path} cannot be used ({error}); set RBLN_DIAGNOSE_DB to another file",
    "{path}: 사용할 수 없습니다 ({error}). RBLN_DIAGNOSE_DB를 다른 파일로 지정하세요",
)


def translated(error: Exception, path: object) -> StoreError:
    """What an error of SQLite or of the file system means for the person.

    By the words of the message: ``sqlite_errorcode`` exists from Python 3.11 only.
    """
    said = str(error).lower()
    for words, passing, en, ko in _WAYS:
        if any(word in said for word in words):
            return StoreError(Text(en.format(path=path), ko.format(path=path)), passing=passing)
    reason = getattr(error, "strerror", None) or str(error)
    return StoreError(Text(*(text.format(path=path, error=reason) for text in _ELSE)))


def newer(path: object, found: int, known: int) -> StoreError:
    """The file was written by a later release."""
    return StoreError(
        Text(
            f"{path} was written by a newer rbln-diagnose (schema {found}, this one knows {known}); upgrade, or set "
            "RBLN_DIAGNOSE_DB to another file",
            f"{path}: 더 새로운 rbln-diagnose가 만든 파일입니다 (schema {found}, 이 버전은 {known}까지). "
            "업그레이드하거나 RBLN_DIAGNOSE_DB를 다른 파일로 지정하세요",
        )
    )


def foreign(path: object) -> StoreError:
    """The file is a database of another program."""
    return StoreError(
        Text(
            f"{path} is the database of another program; set RBLN_DIAGNOSE_DB to another file",
            f"{path}: 다른 프로그램의 데이터베이스입니다. RBLN_DIAGNOSE_DB를 다른 파일로 지정하세요",
        )
    )
