"""Two servers in one stream: told apart by the names and pids of their processes, or not at all."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diagnose.reasoning import Event, Run, RunVerdict, judge
from diagnose.reasoning.twins import MAX_LOOKED_AT, MAX_TWINS, Lives, Speaker, failures, told_apart

from .made import ENTRIES, event

RUN = Run(0, 1, 1_000)
TWO = {("EngineCore", 101): 0, ("APIServer", 100): 0, ("EngineCore", 201): 1, ("APIServer", 200): 1}


def engines(*lives: tuple[int, int, int], name: str = "EngineCore") -> dict[Speaker, tuple[int, int]]:
    """Of (pid, first line, last line)."""
    return {(name, pid): (first, last) for pid, first, last in lives}


def apis(*lives: tuple[int, int, int]) -> dict[Speaker, tuple[int, int]]:
    return engines(*lives, name="APIServer")


AT_ONCE = engines((101, 10, 30), (201, 20, 40))


# ------------------------------------------------------------------------------------------------ two or one


def test_two_engines_of_one_name_that_lived_at_once_are_two_servers() -> None:
    assert told_apart([AT_ONCE]) == {("EngineCore", 101): 0, ("EngineCore", 201): 1}


ONE: dict[str, Lives] = {
    "one of everything": engines((101, 1, 9)) | apis((100, 1, 9)),
    "engines of several ranks": engines((101, 1, 9), name="EngineCore_DP0")
    | engines((102, 1, 9), name="EngineCore_DP1"),
    "workers of one name": engines((101, 1, 9)) | engines((110, 1, 9), (111, 1, 9), name="Worker_TP0"),
    "workers of Ray": engines((101, 1, 9)) | engines((110, 1, 9), (111, 1, 9), name="RayWorkerWrapper"),
    "engines Ray starts": engines((110, 1, 9), (111, 1, 9), name="DPMoEEngineCoreActor"),
    "API servers alone": apis((100, 1, 9), (200, 2, 8)) | engines((101, 1, 9)),
    "one engine after the other": engines((101, 1, 9), (201, 10, 20)),
    "one after the other, in one API server": engines((101, 1, 9), (201, 10, 20)) | apis((100, 1, 20)),
    "three, of which one was over": engines((101, 1, 9), (201, 5, 20), (301, 10, 20)),
}


@pytest.mark.parametrize("name", ONE)
def test_less_than_that_is_one_server(name: str) -> None:
    assert told_apart([ONE[name]]) == {}


@given(st.dictionaries(st.sampled_from(["EngineCore", *(f"EngineCore_DP{n}" for n in range(4))]), st.integers(1, 99)))
def test_any_engines_of_different_names_are_one_server(pids: dict[str, int]) -> None:
    assert told_apart([dict.fromkeys(pids.items(), (1, 9))]) == {}


def test_an_engine_of_a_lower_rank_was_started_before_those_of_a_higher_one() -> None:
    higher = engines((102, 1, 9), (202, 1, 9), name="EngineCore_DP10")
    for pid, server in ((101, None), (201, 1)):
        told = told_apart([higher | engines((pid, 1, 9), name="EngineCore_DP2")])
        assert told.get(("EngineCore_DP2", pid)) == server


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(0, 9)), min_size=2, max_size=9))
def test_any_engines_that_follow_each_other_are_one_server(gaps: list[tuple[int, int]]) -> None:
    lives, line = {}, 0
    for pid, (gap, length) in enumerate(gaps):
        lives["EngineCore", pid] = (line + gap, line + gap + length)
        line += gap + length
    assert told_apart([lives]) == {}


def test_two_api_servers_at_once_tell_that_engines_which_did_not_meet_are_of_two() -> None:
    assert told_apart([engines((101, 5, 9), (201, 20, 30)) | apis((100, 1, 15), (200, 12, 40))]) == TWO


def test_more_servers_than_are_told_apart_are_one() -> None:
    def many(count: int) -> Lives:
        return engines(*((100 * n, n, 1_000) for n in range(1, count + 1)))

    assert len(told_apart([many(MAX_TWINS)])) == MAX_TWINS
    assert told_apart([many(MAX_TWINS + 1)]) == {}


# -------------------------------------------------------------------------------------- who goes with which


def test_whoever_starts_an_engine_has_the_lower_pid_and_what_it_starts_a_higher_one() -> None:
    workers = engines((110, 1, 9), (210, 1, 9), name="Worker_TP0")
    told = told_apart([AT_ONCE | apis((100, 1, 9), (200, 12, 40)) | workers])
    assert told == TWO | {("Worker_TP0", 110): 0, ("Worker_TP0", 210): 1}


def test_api_servers_that_started_before_both_engines_are_nobodys() -> None:
    told = told_apart([AT_ONCE | apis((99, 1, 9), (100, 2, 40))])
    assert told == {("EngineCore", 101): 0, ("EngineCore", 201): 1}


@pytest.mark.parametrize(("pid", "whose"), [(100, None), (200, 1), (300, None)])
def test_the_only_api_server_that_spoke_is_whose_it_can_only_be(pid: int, whose: int | None) -> None:
    assert told_apart([AT_ONCE | apis((pid, 12, 40))]).get(("APIServer", pid)) == whose


@pytest.mark.parametrize(
    "workers", [engines((110, 1, 9), (111, 1, 9), name="Worker_TP0"), engines((210, 1, 9), name="Worker_TP0")]
)
def test_workers_that_may_be_of_either_server_are_nobodys(workers: Lives) -> None:
    assert told_apart([AT_ONCE | workers]) == told_apart([AT_ONCE])


def test_workers_without_the_rank_of_their_engine_are_nobodys() -> None:
    lives = engines((101, 10, 30), (201, 20, 40), name="EngineCore_DP0")
    lives |= engines((102, 10, 30), (202, 20, 40), name="EngineCore_DP1")
    told = told_apart([lives | engines((110, 1, 9), (210, 1, 9), name="Worker_TP0")])
    assert told == {
        (name, pid): server
        for name in ("EngineCore_DP0", "EngineCore_DP1")
        for pid, server in ((101 + name.endswith("1"), 0), (201 + name.endswith("1"), 1))
    }


@settings(max_examples=300)
@given(st.lists(st.integers(1, 50), min_size=8, max_size=8, unique=True), st.data())
def test_any_processes_are_given_to_their_own_server_or_to_none(pids: list[int], data: st.DataObject) -> None:
    names = ["APIServer", "EngineCore_DP0", "EngineCore_DP1", "Worker_DP0_TP0"]  # as a server starts them
    of_first = set(data.draw(st.permutations(range(8)))[:4])
    ordered = sorted(pids)
    true = {}
    for server in (0, 1):
        its = [pid for place, pid in enumerate(ordered) if (place in of_first) == (server == 0)]
        true.update(dict.fromkeys(zip(names, its, strict=True), server))
    heard = data.draw(st.sets(st.sampled_from(sorted(true))))
    told = told_apart([dict.fromkeys(heard, (1, 9))])
    base = [speaker for speaker in told if speaker[0] == "EngineCore_DP0"] or [s for s in told if "DP1" in s[0]]
    turned = any(told[speaker] != true[speaker] for speaker in base)
    apart = {speaker: server for speaker, server in told.items() if not speaker[0].startswith("Worker")}
    assert apart == {speaker: true[speaker] ^ turned for speaker in apart}


APIS = apis((100, 1, 50), (200, 15, 50))


@pytest.mark.parametrize(("spoke", "started", "whose"), [(12, 15, 0), (15, 15, None), (18, 15, None), (12, None, None)])
def test_a_worker_is_of_no_server_whose_start_was_seen_after_it_spoke(
    spoke: int, started: int | None, whose: int | None
) -> None:
    lives = AT_ONCE | APIS | engines((210, spoke, 30), name="Worker_TP0")
    told = told_apart([lives], {100: 1} | ({} if started is None else {200: started}))
    assert told.get(("Worker_TP0", 210)) == whose


def test_two_workers_of_one_name_are_not_both_of_the_server_that_is_left() -> None:
    lives = AT_ONCE | APIS | engines((210, 12, 30), (211, 13, 30), name="Worker_TP0")
    assert told_apart([lives], {100: 1, 200: 15}) == TWO


def test_a_worker_that_did_not_give_its_rank_is_the_one_of_its_pid() -> None:
    lives = AT_ONCE | APIS | engines((110, 1, 9), (210, 1, 9), name="Worker_TP0")
    told = told_apart([lives | engines((210, 30, 30), (215, 30, 30), name="Worker")])
    assert [told.get(("Worker", pid)) for pid in (210, 215)] == [1, None]


# ------------------------------------------------------------------------------------------- over several runs


def test_a_life_reaches_back_into_the_run_before_the_other_server_started() -> None:
    before = engines((101, 3, 3)) | apis((100, 1, 2))
    here = engines((201, 6, 8), (101, 13, 14)) | apis((200, 4, 12))
    assert told_apart([here, before]) == TWO
    assert told_apart([here]) == {}


def test_an_engine_that_had_the_pid_some_runs_ago_is_another_one() -> None:
    here = engines((201, 6, 8), (101, 13, 14))
    assert told_apart([here, engines((150, 4, 5)), engines((101, 1, 2))]) == {}


def test_engines_of_the_run_before_that_spoke_no_more_are_none_of_this_one() -> None:
    here = engines((201, 25, 40), (301, 30, 50))
    assert told_apart([here, engines((101, 10, 20), (201, 12, 18))]) == {
        ("EngineCore", 201): 0,
        ("EngineCore", 301): 1,
    }


# --------------------------------------------------------------------------------------------------- judging


def said(line: int, entry: str, process: str | None, pid: int | None, **numbers: Any) -> Event:
    made = event(line, entry, process=process, numbers=numbers)
    record = replace(made.record, pid=pid)
    return replace(made, record=record, matches=tuple(replace(m, record=record) for m in made.matches))


def of_two(*events: Event) -> RunVerdict:
    return judge(RUN, events, ENTRIES, TWO)


def test_the_same_cause_in_both_servers_is_two_failures_each_with_its_numbers_and_echoes() -> None:
    found = of_two(
        said(10, "kv.small", "EngineCore", 101, blocks=12),
        said(11, "kv.small", "EngineCore", 201, blocks=9, batch=4),
        said(12, "engine.init", "APIServer", 200),
        said(13, "engine.init", "APIServer", 100),
    )
    assert [(v.lead.line, dict(v.numbers), [e.line for e in v.echoes]) for v in found.roots] == [
        (10, {"blocks": 12}, [13]),
        (11, {"blocks": 9, "batch": 4}, [12]),
    ]


def test_the_cause_of_one_server_is_no_echo_of_what_befell_the_other() -> None:
    found = of_two(said(10, "device.memory", "EngineCore", 101), said(11, "runtime.create", "EngineCore", 201))
    assert [(v.entry, v.echoes) for v in found.roots] == [("device.memory", ()), ("runtime.create", ())]
    one = of_two(said(10, "device.memory", "EngineCore", 101), said(11, "runtime.create", "EngineCore", 101))
    assert [v.entry for v in one.roots] == ["device.memory"]


def test_a_server_that_only_echoes_goes_with_the_cause_there_is() -> None:
    found = of_two(said(10, "kv.small", "EngineCore", 101), said(12, "engine.init", "APIServer", 200))
    assert [[e.line for e in v.echoes] for v in found.roots] == [[12]]


def test_echoes_of_nobody_go_where_they_go_in_one_server() -> None:
    found = of_two(
        said(10, "kv.small", "EngineCore", 101),
        said(11, "kv.small", "EngineCore", 201),
        said(12, "engine.init", None, None),
    )
    assert [[e.line for e in v.echoes] for v in found.roots] == [[12], []]


def test_copies_of_nobody_go_where_the_same_numbers_are() -> None:
    found = of_two(
        said(10, "kv.small", "EngineCore", 101, blocks=12),
        said(11, "kv.small", "EngineCore", 201, blocks=9),
        said(12, "kv.small", None, None, blocks=9),
        said(13, "kv.small", None, None, blocks=5),
    )
    assert [[m.line for m in v.copies] for v in found.roots] == [[10, 13], [11, 12]]


def test_of_a_storm_a_copy_of_nobody_is_compared_with_few() -> None:
    def home(before: int) -> int:
        events = [said(n, "kv.small", "EngineCore", 201, blocks=9) for n in range(1, before + 1)]
        events.insert(0, said(0, "kv.small", "EngineCore", 101, blocks=12))
        events += [said(500, "kv.small", "EngineCore", 201, blocks=7), said(501, "kv.small", None, None, blocks=7)]
        found = failures([(e, e.matches[0]) for e in events], TWO)
        return next(n for n, its in enumerate([[m.line for _, m in copies] for copies in found]) if 501 in its)

    assert home(MAX_LOOKED_AT - 1) == 1
    assert home(MAX_LOOKED_AT) == 0  # nobody has its numbers among those looked at: the first that failed


def test_in_one_server_copies_with_other_numbers_are_one_failure() -> None:
    events = [said(n, "kv.small", f"EngineCore_DP{n}", 100 + n, blocks=n) for n in range(1, 5)]
    assert [len(v.copies) for v in judge(RUN, events, ENTRIES).roots] == [4]
