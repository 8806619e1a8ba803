"""The text of the audit: hashes cover it, so every way to write it gives the same bytes."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duly.model.audit import (
    GENESIS,
    AuditEntry,
    AuditHead,
    ChainEnd,
    GrowingLink,
    data_text,
    link_after,
    link_hash,
)
from duly.model.events import SCHEDULE_CREATED, Event
from duly.model.run import Status

NOW = datetime(2026, 1, 1, tzinfo=UTC)
ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()))


def written(data: dict[str, object]) -> str:
    return json.dumps(data, sort_keys=True, separators=(",", ":"), default=str)


@given(st.dictionaries(ANY_TEXT, ANY_TEXT))
def test_texts_are_written_as_json_with_sorted_names(data: dict[str, object]) -> None:
    assert data_text(Event(SCHEDULE_CREATED, NOW, data=data)) == written(data)


@pytest.mark.parametrize("value", [1, 1.5, True, None, ["a", {"b": 2}], {"z": 1, "a": [2]}, Status.FAILED, NOW])
def test_other_values_are_written_as_json_as_well(value: object) -> None:
    data = {"name": "daily", "by": "library", "value": value}
    assert data_text(Event(SCHEDULE_CREATED, NOW, data=data)) == written(data)


def hashed(*parts: object) -> str:
    return sha256(json.dumps(parts, separators=(",", ":")).encode("ascii")).hexdigest()


@given(ANY_TEXT, ANY_TEXT, st.none() | ANY_TEXT, st.none() | ANY_TEXT)
def test_a_link_is_hashed_as_json_without_spaces(
    actor: str, data: str, schedule_id: str | None, run_id: str | None
) -> None:
    at = int(NOW.timestamp()) * 10**6
    entries = [(seq, 4, at, "schedule.created", actor, schedule_id, run_id, data) for seq in (8, 9)]
    read = [
        AuditEntry(
            seq=seq,
            link=link,
            at=NOW,
            kind=kind,
            actor=actor,
            schedule_id=schedule_id,
            run_id=run_id,
            data=data,
        )
        for seq, link, _, kind, *_ in entries
    ]
    assert link_hash("before", 4, NOW, read) == hashed("before", 4, at, entries)


@pytest.mark.parametrize("first", [NOW, datetime(1960, 1, 1, tzinfo=UTC)])
def test_a_link_has_the_time_of_its_latest_entry(first: datetime) -> None:
    times = [first, first + timedelta(seconds=2), first + timedelta(seconds=1)]
    events = [Event(SCHEDULE_CREATED, at, "sched_1", data={"by": "library"}) for at in times]
    link = link_after(ChainEnd(3, "before", 7), events, ["{}"] * 3)
    micros = [round(at.timestamp() * 10**6) for at in times]
    assert link.at == micros[1]
    assert [row[:3] for row in link.rows] == [(8, 4, micros[0]), (9, 4, micros[1]), (10, 4, micros[2])]
    assert link.end == ChainEnd(4, hashed("before", 4, micros[1], link.rows), 10)


def micros(at: datetime) -> int:
    return (at - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)


@given(st.lists(st.integers(1, 3), min_size=1, max_size=4), ANY_TEXT)
def test_a_link_made_in_parts_has_the_hash_of_all_its_entries(sizes: list[int], caller: str) -> None:
    link = GrowingLink(AuditHead(), at=NOW)
    entries = [
        entry
        for size in sizes
        for entry in link.add(
            [
                Event(SCHEDULE_CREATED, NOW - timedelta(seconds=place), f"sch_{place}", data={"by": caller})
                for place in range(size)
            ]
        )
    ]
    rows = [
        (each.seq, each.link, micros(each.at), each.kind, each.actor, each.schedule_id, each.run_id, each.data)
        for each in entries
    ]
    whole = json.dumps([GENESIS, 1, micros(NOW), rows], separators=(",", ":"))
    after = link.head()
    assert after.hash == sha256(whole.encode("ascii")).hexdigest() == link_hash(GENESIS, 1, NOW, entries)
    assert [each.seq for each in entries] == list(range(1, sum(sizes) + 1))
    assert (after.number, after.seq) == (1, sum(sizes))
