"""Topics and ids of live events, and the ring that keeps them: rules that need no store."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duly.errors import InvalidInputError
from duly.model.action import Prompt, Target
from duly.model.events import CATALOGUE, CONFIG_RELOADED, RUN_FAILED, SCHEDULE_UPDATED, STORE_UNAVAILABLE, Event
from duly.service.access.scopes import ADMIN, Owned, Scope
from duly.service.journal import EntrySchedule
from duly.service.live.events import TOPICS, read_topics, topic_of
from duly.service.live.ring import LONGEST_TEXT, Ring, life_of

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
NOT_TOLD = {"login", "audit"}
"""Events that listeners are not told of, besides those of a declarative scheduler, which has a program of its own."""


def filled(count: int, size: int = 10) -> Ring:
    ring = Ring(life_of(NOW, 7), size)
    for number in range(count):
        ring.add(Event(RUN_FAILED, NOW, "sched_a", f"run_{number}", data={"error": "no"}), None)
    return ring


def test_every_event_of_the_catalogue_has_a_topic() -> None:
    without = {name.partition(".")[0] for name in CATALOGUE if topic_of(name) is None and "." in name}
    assert without == NOT_TOLD
    assert {topic_of(name) for name in CATALOGUE} - {None} <= set(TOPICS)


@given(st.integers(0, 40), st.integers(1, 15), st.integers(0, 50))
def test_a_place_in_the_ring_is_known_exactly_while_everything_after_it_is_there(
    count: int, size: int, number: int
) -> None:
    ring = filled(count, size)
    is_known = max(0, count - size) <= number <= count
    assert ring.place_of(ring.id_of(number)) == (number if is_known else None)
    if is_known:
        told = ring.since(number, ADMIN, frozenset(TOPICS))
        assert [each.run_id for each in told] == [f"run_{each}" for each in range(number, count)]
        assert [each.id for each in told] == sorted(each.id for each in told)


@given(st.text(max_size=30))
def test_a_foreign_id_is_no_place(text: str) -> None:
    assert filled(3).place_of(text) is None


@given(st.integers(0, 2**16 - 1), st.integers(0, 2**16 - 1), st.integers(1, 10**9), st.integers(0, 10**9))
def test_ids_of_a_later_life_sort_after_all_before(first: int, second: int, milliseconds: int, number: int) -> None:
    before = Ring(life_of(NOW, first), 1)
    after = Ring(life_of(NOW + timedelta(milliseconds=milliseconds), second), 1)
    assert before.id_of(number) < after.id_of(0)


def test_data_are_those_that_a_scope_may_see() -> None:
    ring = Ring("life", 10)
    shared = EntrySchedule("shared", Owned.of("default", Prompt(text="p", targets=(Target("shop"), Target("blog")))))
    changed = {"by": "tok_1", "name": "shared", "before": {"policy": "a"}, "after": {"policy": "b"}}
    ring.add(Event(RUN_FAILED, NOW, "sched_a", "run_a", data={"error": "x" * 9999, "attempt": 3}), shared)
    ring.add(Event(SCHEDULE_UPDATED, NOW, "sched_a", data=changed), shared)
    ring.add(Event(STORE_UNAVAILABLE, NOW, data={"error": "disk full at /a/path"}), None)
    ring.add(Event(CONFIG_RELOADED, NOW, data={"file": "duly.toml"}), None)
    everything = frozenset(TOPICS)
    failed, updated, store, config = ring.since(0, ADMIN, everything)
    assert len(failed.data["error"]) == LONGEST_TEXT
    assert updated.data == {"name": "shared", "changed": ["policy"]}
    assert store.data == {"error": "disk full at /a/path"}
    assert config.kind == "config.reloaded"
    failed, updated, store = ring.since(0, Scope("project", "shop"), everything)
    assert failed.data == {"name": "shared", "attempt": 3}  # the error may be of the other target
    assert updated.data == {"name": "shared", "changed": ["policy"]}
    assert store.data == {}
    [store] = ring.since(0, Scope("project", "other"), everything)
    assert store.kind == "store.unavailable"


def test_topics_are_all_unless_some_are_named() -> None:
    assert read_topics(None) == read_topics([]) == frozenset(TOPICS)
    assert read_topics(["run", "run"]) == {"run"}
    with pytest.raises(InvalidInputError, match="topic 'xyz' is unknown: use attention, config"):
        read_topics(["xyz"])
