"""What is known of the machine and the person, passed in: nothing here asks the system by itself but ``here``."""

from __future__ import annotations

import re
from collections.abc import Mapping

from diagnose.light import dataclass

LABEL = "RBLN_DIAGNOSE_HOST"
"""A name for this machine that may be shown, in alerts and in the memory; else it has an alias."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Own names, which no pattern could know."""

    home: str = ""
    host: str = ""
    label: str = ""
    """What the person calls this machine in public."""

    @property
    def telling_host(self) -> str:
        """The machine's name where it can be told from a word: one called ``worker`` cannot."""
        return self.host if len(self.host) > 3 and re.search(r"[\d.-]", self.host) else ""

    @property
    def machine(self) -> str:
        """This machine in alerts and in the memory: the label, else an alias that is the same every time."""
        if self.label or not self.host:
            return self.label
        import hashlib

        return f"<host-{hashlib.blake2b(self.host.encode(), digest_size=4).hexdigest()}>"


def surroundings(environ: Mapping[str, str], node: str = "") -> Surroundings:
    """From the environment and the name of the machine (``platform.node()``)."""
    home = environ.get("HOME") or environ.get("USERPROFILE") or ""
    # A home that is no person's (/, /root, /app) hides nothing.
    home = home.rstrip("/\\") if home.rstrip("/\\").count("/") + home.count("\\") > 1 else ""
    return Surroundings(home, node, environ.get(LABEL, ""))


def here() -> Surroundings:
    """Of this process."""
    import os

    if hasattr(os, "uname"):
        return surroundings(os.environ, os.uname().nodename)
    import platform  # takes as long to import as a text takes to be redacted

    return surroundings(os.environ, platform.node())
