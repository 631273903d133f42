"""Pages as tests write and read them."""

from __future__ import annotations

from diagnose.repair.page import Page, page_of


def of(text: str) -> Page:
    return page_of(text.encode())


def rows(page: Page | None) -> str | None:
    return None if page is None else "".join(f"{row.text}\n" for row in page)
