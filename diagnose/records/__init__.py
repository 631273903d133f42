"""Lines to logical records: prefixes off, messages and tracebacks together, places kept."""

from diagnose.records.assembler import Assembler
from diagnose.records.envelope import reports_error
from diagnose.records.template import fingerprint_text

__all__ = ["Assembler", "fingerprint_text", "reports_error"]
