"""Nodes and the spans in which none of them lived."""

from __future__ import annotations

import os
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duly.errors import AccessDeniedError
from duly.ports.records import NodeRecord
from duly.processes import pid_space, pid_started
from duly.service.overview.day import gaps
from tests.conformance.overview.conftest import ADMIN, MIDNIGHT, START, TOMORROW, Desk, scoped, seated

HOUR = timedelta(hours=1)


async def _join(desk: Desk, node_id: str) -> None:
    await desk.store.register(
        NodeRecord(
            id=node_id,
            host="here",
            pid=os.getpid(),
            pid_started=pid_started(os.getpid()) or "",
            boot_id=pid_space(),
            lease_seconds=15.0,
            handlers=("job:ping", "message"),
            started_at=desk.clock.now(),
            version="1.2.3",
        )
    )


@seated
async def test_a_node_is_shown_to_admins(desk: Desk) -> None:
    await _join(desk, "node_a")
    (node,) = await desk.overview.nodes(ADMIN)
    assert (node.id, node.host, node.version, node.handlers) == ("node_a", "here", "1.2.3", ["job:ping", "message"])
    assert (node.started_at, node.last_beat_at, node.under_way) == (START, START, 0)
    assert node.lease_left_seconds == 15.0
    with pytest.raises(AccessDeniedError, match="nodes"):
        await desk.overview.nodes(scoped("user:ada"))


@seated
async def test_a_store_in_which_nothing_ever_ran_has_no_silent_spans(desk: Desk) -> None:
    assert (await desk.overview.day(ADMIN, MIDNIGHT, TOMORROW)).silent == []


@seated
async def test_the_time_between_two_lives_is_silent(desk: Desk) -> None:
    await _join(desk, "node_a")
    desk.clock.advance(HOUR)
    await desk.store.deregister("node_a", desk.clock.now())
    stopped = desk.clock.now()
    desk.clock.advance(2 * HOUR)
    await _join(desk, "node_b")
    (span,) = (await desk.overview.day(ADMIN, MIDNIGHT, TOMORROW)).silent
    assert (span.start, span.end) == (stopped, stopped + 2 * HOUR)


@seated
async def test_a_beat_prolongs_a_life(desk: Desk) -> None:
    await _join(desk, "node_a")
    desk.clock.advance(HOUR)
    pulse = desk.store.pulse()
    assert pulse.beat("node_a")
    pulse.close()
    (life,) = await desk.store.timeline.lives(desk.clock.now())
    assert (life.started_at, life.seen_at, life.ended) == (START, START + HOUR, False)


_MINUTES = st.integers(0, 600)


@given(st.lists(st.tuples(_MINUTES, _MINUTES).map(sorted), max_size=6))
def test_a_minute_is_silent_unless_a_life_covers_it(lives: list[list[int]]) -> None:
    def at(minute: float) -> datetime:
        return MIDNIGHT + timedelta(minutes=minute)

    found = gaps([(at(10 * begin), at(10 * end)) for begin, end in lives], at(0), at(6000))
    for minute in range(0, 6000, 5):
        covered = any(10 * begin <= minute + 0.5 < 10 * end for begin, end in lives)
        silent = any(span.start <= at(minute + 0.5) < span.end for span in found)
        assert silent is not covered
