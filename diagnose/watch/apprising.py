"""Alerts through Apprise: chat services, mail, webhooks. An extra; imported when an address is given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from diagnose.incidents.nouns import Alert, Kind
from diagnose.model import InputError, Lang
from diagnose.watch.saying import alert_text
from diagnose.watch.words import text

TYPES: Final[Mapping[Kind, str]] = {
    "opened": "failure",
    "repeated": "failure",
    "amended": "warning",
    "recovered": "success",
}
"""Kind of an alert → type of a notification, which services show as a colour or a sign."""


class AppriseSender:
    """One address. Raises InputError when Apprise is missing or does not understand the address."""

    def __init__(self, address: str, lang: Lang, host: str) -> None:
        try:
            import apprise
        except ImportError as error:
            raise InputError(text("need_extra", option="--alert", extra="alerts")) from error
        self._service: Any = apprise.Apprise()
        if not self._service.add(address):
            raise InputError(text("bad_alert"))
        self._lang = lang
        self._host = host

    def send(self, alert: Alert) -> bool:
        """True when the service took it. The key is in the text, so that a receiver can tell a second copy."""
        place = {name: str(alert.payload.get(name, other)) for name, other in (("host", self._host), ("source", ""))}
        title, body = alert_text(alert.kind, alert.payload, self._lang, **place)
        kind = TYPES[alert.kind]
        return bool(self._service.notify(title=title, body=f"{body}\n#{alert.key}", notify_type=kind))
