"""Lines of the kernel driver: a failure no entry knows is one, what a healthy boot prints is none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnose import diagnose_bytes
from diagnose.matching.kernel import LONGEST_LINE, driver_failed

DMESG = "[  812.123456] "
CARRIED = [
    "",
    DMESG,
    "[812.1] ",
    "[Sun Nov 29 12:00:01 2026] ",
    "Nov 29 12:00:01 node-3 kernel: ",
    "Nov 29 12:00:01 node-3 kernel: [  812.123456] ",
    "2026-11-29T12:00:01.123456+09:00 node-3 kernel: ",
    "kern  :err   : [  812.123456] ",
]
FAILED = [
    "rebellions rbln1: dma engine 3 failed to start (rc -5)",
    "rebellions rbln0: mailbox timed out",
    "rebellions 0000:41:00.0: AER: can't recover (no error_detected callback)",
    "rebellions 0001:02:00.0: SMC not responding",
    "rebellions: Unknown symbol rbln_new_thing (err -2)",
]
HEALTHY = [
    "rebellions: loading out-of-tree module taints kernel.",
    "rebellions: module verification failed: signature and/or required key missing - tainting kernel",
    "rebellions 0000:41:00.0: pci main[1eff,2030] sub[1af4,1100] rev[1]",
    "rebellions 0000:41:00.0: [BAR-0/DDR]      size 0x1000000000",
    "rebellions 0000:41:00.0: enabling device (0000 -> 0002)",
    "rebellions rbln0: msix vectors count: requested 32, supported 32",
    "rebellions rbln0: [rbln-rbl] rebel_soft_reset + 0",
    "rebellions rbln0: [rbln-rbl] FW_BOOT_DONE",
    "rebellions rbln0: TDR timeout set to 6000 ms",
    "rebellions rbln0: error count: 0",
    "rebellions rbln0: no errors since boot",
    "rebellions rbln0: link retrained, recovered from error",
    "rebellions 0000:41:00.0: PCIe Bus Error: severity=Corrected, type=Physical Layer, (Receiver ID)",
    "rebellions 0000:41:00.0:   device [1eff:2030] error status/mask=00000001/00002000",
    "rebellions 0000:41:00.0:    [ 0] RxErr                  (First)",
]


@pytest.mark.parametrize("carried", CARRIED)
@pytest.mark.parametrize("line", FAILED)
def test_a_failure_of_the_driver_no_entry_knows_is_told_as_unknown(carried: str, line: str) -> None:
    found = diagnose_bytes(f"{DMESG}{HEALTHY[2]}\n{carried}{line}\n{DMESG}{HEALTHY[5]}\n".encode())
    assert (found.outcome, [one.line for one in found.unknown]) == ("unknown", [2])


def test_what_the_driver_says_in_a_healthy_boot_is_no_failure() -> None:
    found = diagnose_bytes("".join(f"{DMESG}{line}\n" for line in HEALTHY).encode())
    assert (found.outcome, found.notes, found.unknown) == ("healthy", (), ())


@pytest.mark.parametrize(
    "line",
    [
        "nvme nvme0: I/O 12 QID 3 timeout, aborting",
        "the rebellions rbln0: mailbox timed out line of dmesg means that the board hangs",
        "Peasant rebellions: why they failed",
        "git clone https://example.com/rebellions/fault.git",
    ],
)
def test_other_lines_are_not_the_drivers(line: str) -> None:
    assert not driver_failed(line)


def test_a_failure_before_a_server_that_came_up_did_not_keep_it_from_that() -> None:
    up = "(APIServer pid=7) INFO:     Application startup complete.\n"
    assert diagnose_bytes(f"{DMESG}{FAILED[0]}\n{up}".encode()).outcome == "healthy"


@given(st.text(max_size=60))
def test_any_line_that_is_not_the_drivers_is_none_of_its_failures(text: str) -> None:
    assert not driver_failed(f"{text} failed")


@given(st.sampled_from(FAILED), st.integers(0, 9_999), st.text(st.characters(codec="ascii"), max_size=20))
def test_a_failure_stays_one_whatever_number_or_line_follows(line: str, number: int, rest: str) -> None:
    assert driver_failed(f"{line} {number}\n{rest}")


def test_a_line_of_the_driver_says_early_that_something_failed() -> None:
    def failed(length: int) -> bool:
        head, tail = "rebellions rbln0: state ", " timed out"
        return driver_failed(head + "x" * (length - len(head) - len(tail)) + tail)

    assert failed(LONGEST_LINE)
    assert not failed(LONGEST_LINE + 1)
