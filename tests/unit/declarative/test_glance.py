"""A glance at a stored task says the same as reading all of it."""

from __future__ import annotations

from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from duly.cron import Cron
from duly.declarative.persisted import to_row
from duly.declarative.resolve import Resolution
from duly.declarative.state import Task
from duly.model.run import Status
from duly.ports.records import Standing, StoredSchedule
from duly.ports.store import Glimpse

NOW = datetime(2026, 6, 1, 11, 30, tzinfo=UTC)
MOMENTS = st.none() | st.integers(-3 * 60, 60).map(lambda minutes: NOW + timedelta(minutes=minutes))


async def callback() -> None:
    """Do nothing."""


def task() -> Task:
    cron = Cron("0 * * * *", dialect="posix", tz="UTC", dst="wallclock")
    return Task(name="a", cron=cron, callback=callback, retry_delay=timedelta(minutes=5))


def resolved(standing: Standing) -> tuple[Resolution, Task]:
    known = task()
    return Resolution("here", {"a": known}, [standing], [], NOW), known


@settings(max_examples=100)
@given(
    attempt=MOMENTS,
    success=MOMENTS,
    last_run_at=MOMENTS,
    watermark=MOMENTS,
    next_fire_at=MOMENTS,
    last_status=st.none() | st.sampled_from([Status.SUCCEEDED, Status.FAILED, Status.SKIPPED]).map(str),
    enabled=st.booleans(),
    policy=st.none() | st.just("{}"),
)
def test_a_glance_decides_as_a_merge_does(
    attempt: datetime | None,
    success: datetime | None,
    last_run_at: datetime | None,
    watermark: datetime | None,
    next_fire_at: datetime | None,
    last_status: str | None,
    enabled: bool,
    policy: str | None,
) -> None:
    incoming = to_row(task(), "here", NOW, lambda _bits: 5)
    stored = replace(
        incoming,
        last_run_at=last_run_at,
        watermark=watermark,
        next_fire_at=next_fire_at,
        last_status=last_status,
        enabled=enabled,
        policy=policy or incoming.policy,
    )
    standing = Standing(stored.id, "a", attempt, success)
    quick, by_glance = resolved(standing)
    at = quick.glance(Glimpse(*(getattr(stored, name) for name in Glimpse._fields)), watermark)
    if at is None:
        assert [row.name for row in quick.rows(lambda _task: incoming)] == ["a"]
        return
    assert not list(quick.rows(lambda _task: incoming))
    slow, by_merge = resolved(standing)
    after = slow.merge(replace(stored), incoming)
    assert times(after or stored) == (at, at if after else stored.next_run_at)
    assert quick.counts == slow.counts
    for each in (quick, slow):
        each.remember()
    assert [getattr(by_glance, each.name) for each in fields(Task)] == [
        getattr(by_merge, each.name) if each.name != "cron" else by_glance.cron for each in fields(Task)
    ]


def times(row: StoredSchedule) -> tuple[datetime | None, datetime | None]:
    return row.next_fire_at, row.next_run_at
