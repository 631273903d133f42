"""One error over and over: told once, counted to the end, and told again by the next run."""

from __future__ import annotations

from diagnose import diagnose_bytes

LINE = "(EngineCore pid=7) ERROR 11-29 12:00:{:02d} [core.py:1] RBLN worker {}: boom at {}\n"
KNOWN = (
    "(APIServer pid=9) ERROR 11-29 12:00:00 [serving.py:1] This model's maximum context length is 8192 tokens. "
    "However, you requested {} tokens ({} in the messages, 5 in the completion). Please reduce the length.\n"
)
BANNER = "(APIServer pid={0}) INFO 11-29 12:00:00 [api_utils.py:286] non-default args: {{'model': 'x{0}'}}\n"


def test_a_storm_of_a_known_error_is_one_finding_with_the_full_count() -> None:
    total = 3000
    log = "".join(KNOWN.format(9000 + n, 8995 + n) for n in range(total))
    found = diagnose_bytes(log.encode())
    (finding,) = found.findings
    assert finding.count == total
    assert finding.line == 1


def test_a_storm_of_an_unknown_error_is_one_unknown_error_with_the_full_count() -> None:
    total = 3000
    found = diagnose_bytes("".join(LINE.format(n % 60, n, hex(n)) for n in range(total)).encode())
    assert sum(u.count for u in found.unknown) + sum(f.count for f in found.findings) == total


def test_a_run_after_a_storm_is_read_from_its_first_error() -> None:
    storm = "".join(KNOWN.format(9000 + n, 8995 + n) for n in range(500))
    log = BANNER.format(1) + storm + BANNER.format(2) + KNOWN.format(9000, 8995)
    found = diagnose_bytes(log.encode())
    assert found.runs == 2
    assert found.findings[0].line == 503
