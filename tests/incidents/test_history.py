"""Looking back: filters, search in Korean and English, similar failures, forgetting."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from diagnose.incidents import editing, history
from diagnose.incidents.history import Filter
from diagnose.incidents.store import Store
from diagnose.model import Finding, InputError, Text
from tests.incidents.kit import Clock, batch, everything, finding, run_context, sighting, write

EVERYTHING = Filter()


def add(store: Store, clock: Clock, found: Finding, source: str = "/var/log/server.log") -> str:
    clock.now += 3_600
    (incident,) = write(store, batch(sighting(found=found, excerpt=found.text)), source=source)
    return incident.id


def titled(en: str, ko: str, text: str = "Error: x", entry: str = "a.b") -> Finding:
    return finding(text=text, entry=entry, title=Text(en, ko), cause=Text("", ""), remedies=())


# --------------------------------------------------------------------------- list


def test_the_latest_comes_first_and_the_limit_holds(store: Store, clock: Clock) -> None:
    ids = [add(store, clock, finding(entry=entry)) for entry in ("a", "b", "c")]
    assert [one.id for one in history.listed(store.connection, Filter(limit=2))] == [ids[2], ids[1]]
    assert [one.id for one in history.exported(store.connection, EVERYTHING)] == ids


@pytest.mark.parametrize(
    ("which", "entries"),
    [
        (Filter(entry="kv.one"), ["kv.one"]),
        (Filter(entry="kv.*"), ["kv.two", "kv.one"]),
        (Filter(entry="*"), ["host.oom", "kv.two", "kv.one"]),
        (Filter(since="2023-11-15T00:30:00.000Z"), ["host.oom"]),
        (Filter(until="2023-11-14T23:30:00.000Z"), ["kv.one"]),
        (Filter(state="recovered"), ["kv.two"]),
        (Filter(source="b.log"), ["host.oom"]),
        (Filter(source="_"), []),
        (Filter(entry="kv.*", state="open"), ["kv.one"]),
    ],
    ids=str,
)
def test_filters(store: Store, clock: Clock, which: Filter, entries: list[str]) -> None:
    add(store, clock, finding(entry="kv.one"))
    add(store, clock, finding(entry="kv.two"))
    write(store, batch(sighting("recovered", found=finding(entry="kv.two"))))
    add(store, clock, finding(entry="host.oom"), source="/var/log/b.log")
    assert [one.entry for one in history.listed(store.connection, which)] == entries


def test_an_incident_is_found_by_the_beginning_of_its_id(store: Store, clock: Clock) -> None:
    id_ = add(store, clock, finding())
    assert history.find(store.connection, id_[:3].upper()).id == id_


@pytest.mark.parametrize("id_", ["", "zz", "%", "________"])
def test_an_id_nobody_has_is_said(store: Store, clock: Clock, id_: str) -> None:
    add(store, clock, finding())
    with pytest.raises(InputError, match="no incident"):
        history.find(store.connection, id_)


def test_a_beginning_that_several_ids_have_is_said(store: Store, clock: Clock) -> None:
    ids = [add(store, clock, finding(entry=f"e{number}")) for number in range(17)]
    shared = next(one[0] for one in ids if sum(other[0] == one[0] for other in ids) > 1)
    with pytest.raises(InputError, match="several"):
        history.find(store.connection, shared)


# --------------------------------------------------------------------------- search


@pytest.mark.parametrize(
    ("words", "hits"),
    [
        ("버전", True),
        ("버전이", True),
        ("메모리", True),
        ("메모리 버전", True),
        ("부족", True),
        ("할당", True),
        ("카드", False),
        ("메모리 카드", False),
        ("KERNEL", True),
        ("kernel mismatch", True),
        ("max_seq_len", True),
        ("seq_len", True),
        ("ax_seq", True),
        ("blocks 17", True),
        ("100%", False),
        ("th_ng", False),
        ('"quoted" OR', False),
    ],
)
def test_words_are_found_in_both_languages(store: Store, clock: Clock, words: str, hits: bool) -> None:
    found = titled(
        "Kernel version mismatch", "커널 버전이 맞지 않고 디바이스메모리부족", "max_seq_len 17 blocks 재할당"
    )
    id_ = add(store, clock, found)
    add(store, clock, titled("Something else", "다른 것", "nothing", entry="c.d"))
    assert [one.id for one in history.search(store.connection, words, EVERYTHING)] == ([id_] if hits else [])


def test_hangul_taken_apart_is_found_by_hangul_put_together_and_the_other_way(store: Store, clock: Clock) -> None:
    apart = unicodedata.normalize("NFD", "메모리 부족")
    one = add(store, clock, titled("x", apart))
    other = add(store, clock, titled("x", "메모리 부족", entry="c.d"))
    for words in ("메모리", apart):
        assert {i.id for i in history.search(store.connection, words, EVERYTHING)} == {one, other}


def test_search_keeps_to_its_filter_and_limit(store: Store, clock: Clock) -> None:
    for number in range(5):
        add(store, clock, titled("Memory", "메모리", entry=f"e{number}"))
    assert len(history.search(store.connection, "메모리", Filter(limit=3))) == 3
    assert [i.entry for i in history.search(store.connection, "메모리", Filter(entry="e1"))] == ["e1"]


def test_what_was_amended_is_found_by_its_new_words_only(store: Store, clock: Clock) -> None:
    first = titled("x", "처음")
    add(store, clock, first)
    later = titled("x", "나중")
    write(store, batch(sighting("amended", revision=1, found=later)))
    assert history.search(store.connection, "처음", EVERYTHING) == ()
    assert len(history.search(store.connection, "나중", EVERYTHING)) == 1


def test_so_many_words_are_searched_for_at_once(store: Store, clock: Clock) -> None:
    words = [f"w{number}x" for number in range(history.MAX_WORDS)]
    one = add(store, clock, titled(" ".join(words), "없음"))
    found = history.search(store.connection, " ".join(words * 30), EVERYTHING)
    assert [incident.id for incident in found] == [one]
    with pytest.raises(InputError, match="at most"):
        history.search(store.connection, " ".join([*words, "more"]), EVERYTHING)


def test_a_name_that_is_no_text_can_be_asked_for(store: Store, clock: Clock) -> None:
    name = "/var/log/a\udcff.log"
    one = add(store, clock, finding(), source=name)
    assert [incident.id for incident in history.listed(store.connection, Filter(source=name))] == [one]
    assert history.search(store.connection, "\ud800 nothing", EVERYTHING) == ()


def test_nothing_to_search_for_is_said(store: Store) -> None:
    with pytest.raises(InputError, match="no word"):
        history.search(store.connection, " *%\"'- ", EVERYTHING)


korean = st.text(st.characters(min_codepoint=0xAC00, max_codepoint=0xD7A3), min_size=2, max_size=4)
latin = st.text(st.sampled_from("abcxyz_09"), min_size=2, max_size=6)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.one_of(korean, latin), min_size=1, max_size=4), st.data())
def test_any_two_syllables_of_any_word_are_found(store: Store, words: list[str], data: st.DataObject) -> None:
    found = titled("x", "은는 ".join(words), entry="property")
    (incident,) = write(
        store, batch(sighting(found=found, run=repr(words)), sighting("recovered", repr(words), found=found))
    )[:1]
    word = data.draw(st.sampled_from(words))
    start = data.draw(st.integers(0, len(word) - 2))
    part = word[start : start + 2]
    if any(character.isalnum() for character in part):
        assert incident.id in {one.id for one in history.search(store.connection, part, EVERYTHING)}


# --------------------------------------------------------------------------- similar


def test_the_likest_message_comes_first_and_numbers_do_not_count(store: Store, clock: Clock) -> None:
    near = add(store, clock, finding("ValueError: only 12 blocks can be allocated, but 17 are required", entry="a"))
    add(store, clock, finding("OSError: no such file or directory", entry="b"))
    far = add(store, clock, finding("ValueError: only some blocks were allocated on the device", entry="c"))
    text = "ValueError: only 99 blocks can be allocated, but 1_000 are required"
    found = history.similar(store.connection, text, limit=5)
    assert [one.incident.id for one in found] == [near, far]
    assert found[0].score == 100


def test_the_incident_itself_is_not_similar_to_itself_but_another_like_it_is(store: Store, clock: Clock) -> None:
    one = add(store, clock, finding())
    other = add(store, clock, finding(), source="/other.log")
    text = finding().text
    assert [s.incident.id for s in history.similar(store.connection, text, limit=5, but=one)] == [other]


def test_nothing_is_similar_in_an_empty_store(store: Store) -> None:
    assert history.similar(store.connection, "anything", limit=5) == ()


# --------------------------------------------------------------------------- forgetting


def test_old_incidents_are_forgotten_with_all_that_belongs_to_them(store: Store, clock: Clock) -> None:
    write(store, batch(sighting(found=titled("x", "오래된")), offset=10, started=("run0", run_context())), ("slack",))
    clock.now += 86_400
    kept = add(store, clock, finding())
    assert editing.prune(store.connection, "2023-11-15T12:00:00.000Z") == 1
    left = everything(store)
    assert [row[0] for row in left["incidents"]] == [kept]
    assert {row[1] for row in left["sightings"]} == {kept}
    assert left["outbox"] == []
    assert len(left["checkpoints"]) == 1
    assert history.search(store.connection, "오래된", EVERYTHING) == ()


def test_what_happened_is_listed_in_order(store: Store, clock: Clock) -> None:
    id_ = add(store, clock, finding())
    clock.now += 60
    write(store, batch(sighting("recovered")))
    assert [one["kind"] for one in history.told(store.connection, id_)] == ["opened", "recovered"]
