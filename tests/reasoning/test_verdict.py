from __future__ import annotations

from diagnose.model import RecordKind
from diagnose.reasoning import Event, EventLog, Run, RunVerdict, judge
from diagnose.reasoning.events import KEEP_FIRST, KEEP_LAST, MAX_KINDS
from tests.reasoning.made import ENTRIES, event

WHOLE = Run(0, 1, 1000)


def verdict(*events: Event, run: Run = WHOLE) -> RunVerdict:
    return judge(run, events, ENTRIES)


def test_the_echo_is_nested_under_the_root_whatever_its_process() -> None:
    got = verdict(event(10, "kv.small", process="EngineCore"), event(40, "engine.init", process="APIServer"))
    assert [v.entry for v in got.roots] == ["kv.small"]
    assert [(e.entry, e.line) for e in got.roots[0].echoes] == [("engine.init", 40)]
    assert not got.consequences


def test_the_same_exception_printed_eight_times_is_one_finding_at_its_first_line() -> None:
    got = verdict(*(event(10 * n, "kv.small", process="EngineCore") for n in range(1, 9)))
    (root,) = got.roots
    assert root.lead.line == 10
    assert len(root.copies) == 8


def test_the_worker_is_nearer_to_the_cause_than_an_earlier_engine_core() -> None:
    got = verdict(event(10, "host.port", process="EngineCore_DP0"), event(20, "kv.small", process="Worker_TP1 pid=3"))
    assert [v.entry for v in got.roots] == ["kv.small", "host.port"]


def test_the_fatal_json_beats_every_process() -> None:
    got = verdict(
        event(10, "host.port", process="Worker_TP0"),
        event(30, "kv.small", kind=RecordKind.FATAL, process="Worker"),
    )
    assert got.roots[0].entry == "kv.small"


def test_of_two_causes_in_one_class_the_earlier_comes_first() -> None:
    got = verdict(event(30, "kv.small", process="EngineCore"), event(20, "device.memory", process="EngineCore"))
    assert [v.entry for v in got.roots] == ["device.memory", "kv.small"]


def test_a_direct_cause_is_the_root_of_its_chain() -> None:
    got = verdict(
        event(10, "device.memory", chain=1, position=0),
        event(20, "runtime.create", chain=1, position=1, link="cause"),
    )
    assert [v.entry for v in got.roots] == ["device.memory"]


def test_what_was_raised_during_handling_is_the_root() -> None:
    got = verdict(event(10, chain=1, position=0), event(20, "host.port", chain=1, position=1, link="context"))
    assert [v.entry for v in got.roots] == ["host.port"]
    assert not got.unknown


def test_a_known_inner_cause_explains_the_unknown_exception_around_it() -> None:
    got = verdict(event(10, "kv.small", chain=1), event(20, chain=1, position=1, link="cause"))
    assert [v.entry for v in got.roots] == ["kv.small"]
    assert not got.unknown


def test_an_echo_around_an_unknown_error_leaves_the_unknown_error() -> None:
    got = verdict(event(10, chain=1), event(20, "engine.init", chain=1, position=1, link="cause"))
    assert [e.line for e in got.unknown] == [10]
    assert not got.roots


def test_a_lone_echo_is_reported_as_an_echo() -> None:
    got = verdict(event(10, "engine.init", process="APIServer"), event(12, "engine.dead", process="APIServer"))
    (alone,) = got.consequences
    assert alone.entry == "engine.init"
    assert [e.entry for e in alone.echoes] == ["engine.dead"]


def test_an_unknown_error_after_the_cause_is_an_echo_and_before_it_is_reported() -> None:
    got = verdict(
        event(5, process="EngineCore"),
        event(10, "kv.small", process="EngineCore"),
        event(20, process="APIServer"),
    )
    assert [e.line for e in got.unknown] == [5]
    assert [(e.entry, e.line) for e in got.roots[0].echoes] == [("engine.echo", 20)]


def test_what_a_server_printed_before_it_came_up_did_not_stop_it() -> None:
    got = verdict(event(10, "kv.small"), event(12), run=Run(0, 1, 100, ready=50))
    assert got.failed_on is None
    assert [v.entry for v in got.recovered] == ["kv.small"]


def test_errors_of_a_stop_that_was_asked_for_are_no_failure() -> None:
    run = Run(0, 1, 100, ready=20, stopping=60)
    got = verdict(event(61, "engine.dead"), event(62), event(63, "request.long"), run=run)
    assert got.failed_on is None


def test_a_crash_that_makes_the_server_stop_is_a_failure() -> None:
    run = Run(0, 1, 100, ready=20, stopping=60)
    got = verdict(event(50, "kv.small"), event(61, "engine.dead"), run=run)
    assert [v.entry for v in got.roots] == ["kv.small"]
    assert [e.line for e in got.roots[0].echoes] == [61]


def test_a_cause_that_another_explains_is_its_echo_even_when_it_comes_first() -> None:
    got = verdict(event(10, "runtime.create"), event(20, "device.memory"))
    assert [v.entry for v in got.roots] == ["device.memory"]
    assert [(e.entry, e.line) for e in got.roots[0].echoes] == [("runtime.create", 10)]


def test_warnings_are_notes_and_noise_is_nothing() -> None:
    warned = event(10, "warn.pool", kind=RecordKind.LOG, level="WARNING")
    got = verdict(warned, event(11, "noise.pin", kind=RecordKind.LOG, level="WARNING"))
    assert [v.entry for v in got.notes] == ["warn.pool"]
    assert got.failed_on is None


def test_the_text_of_a_cause_inside_a_warning_of_a_healthy_run_is_a_note() -> None:
    got = verdict(event(10, "host.port", kind=RecordKind.LOG, level="WARNING"), run=Run(0, 1, 90, ready=50))
    assert got.failed_on is None
    assert [v.entry for v in got.notes] == ["host.port"]


def test_a_message_that_quotes_a_root_inside_an_echo_is_an_echo_of_it() -> None:
    quoting = event(10, "engine.init", "kv.small", process="APIServer")
    got = verdict(quoting, event(20, "kv.small", process="EngineCore"))
    assert [(v.entry, v.lead.line) for v in got.roots] == [("kv.small", 20)]
    assert [e.line for e in got.roots[0].echoes] == [10]


def test_a_root_that_is_only_quoted_is_better_than_none() -> None:
    got = verdict(event(10, "engine.init", "kv.small", process="APIServer"))
    assert [v.entry for v in got.roots] == ["kv.small"]


def test_an_error_stands_for_itself_before_a_logged_line_that_quotes_it() -> None:
    quoted = event(6, "noise.pin", "request.long", kind=RecordKind.LOG, level="ERROR", text="failed: too long")
    got = verdict(quoted, event(19, "request.long"))
    assert got.roots[0].lead.line == 19


def test_a_warning_between_coming_up_and_an_immediate_stop_is_the_cause_of_it() -> None:
    warning = event(53, "host.port", kind=RecordKind.LOG, level="WARNING")
    at_once, later = Run(0, 1, 100, ready=50, stopping=56), Run(0, 1, 900, ready=5, stopping=56)
    assert [v.entry for v in verdict(warning, run=at_once).roots] == ["host.port"]
    assert verdict(warning, run=later).failed_on is None


def test_what_is_printed_while_a_failed_run_goes_down_is_no_note() -> None:
    note = event(30, "warn.pool", kind=RecordKind.LOG, level="WARNING")
    assert not verdict(event(10, "kv.small"), note).notes
    assert verdict(event(40, "kv.small"), note).notes


def test_a_logged_header_of_a_traceback_is_no_error_of_its_own() -> None:
    header = event(9, kind=RecordKind.LOG, level="ERROR", source="serving.py:1", text="Error in preprocessing")
    got = verdict(header, event(10, "request.long", source="serving.py:1"), run=Run(0, 1, 99, ready=5))
    assert not got.unknown
    assert [v.entry for v in got.roots] == ["request.long"]


def test_numbers_of_all_copies_come_together_and_the_lead_decides() -> None:
    got = verdict(
        event(10, "kv.small", numbers={"available": 3}),
        event(20, "kv.small", numbers={"available": 4, "batch": 8}),
    )
    assert got.roots[0].numbers == {"available": 3, "batch": 8}


def test_events_are_kept_within_bounds_from_both_ends() -> None:
    log = EventLog()
    total = KEEP_FIRST + KEEP_LAST + 500
    for line in range(1, total + 1):
        log.add(event(line, "kv.small"))
    lines = [e.line for e in log]
    assert lines[0] == 1
    assert lines[-1] == total
    assert len(lines) == KEEP_FIRST + KEEP_LAST
    assert log.dropped("kv.small") == 500


def test_kinds_of_events_are_kept_within_bounds() -> None:
    log = EventLog()
    for n in range(MAX_KINDS + 700):
        log.add(event(n + 1, text=f"ValueError: kind {n}"))
    assert len(list(log)) <= MAX_KINDS + KEEP_FIRST + KEEP_LAST


def test_of_every_kind_the_first_after_the_last_start_are_kept() -> None:
    log = EventLog()
    for line in range(1, 2_001):
        if line % 500 == 1:
            log.new_start()
        log.add(event(line, "kv.small"))
    lines = [e.line for e in log]
    assert set(range(1, KEEP_FIRST + 1)) | set(range(1_501, 1_501 + KEEP_FIRST)) <= set(lines)
    assert {501, 1_001, 2_000} <= set(lines)
    assert len(lines) == len(set(lines)) <= 2 * (KEEP_FIRST + KEEP_LAST)
    assert len(lines) + log.dropped("kv.small") == 2_000


def test_a_copy_goes_on_by_itself_and_has_counted_the_same() -> None:
    log = EventLog()
    for line in range(1, 301):
        log.add(event(line, "kv.small"))
    twin = log.copy()
    twin.add(event(301, "kv.small"))
    assert (log.dropped("kv.small"), twin.dropped("kv.small")) == (240, 241)
    assert [e.line for e in log][-1] == 300


def test_known_errors_have_room_however_many_unknown_ones_there_are() -> None:
    log = EventLog()
    for n in range(MAX_KINDS + 700):
        log.add(event(n + 1, text=f"ValueError: kind {n}"))
    log.add(event(3_000, "kv.small"))
    for n in range(700):
        log.add(event(n + 4_000, text=f"ValueError: other {n}"))
    assert any(e.line == 3_000 and e.matches for e in log)
    assert log.lost == 1_400 - KEEP_FIRST - KEEP_LAST
