"""A day on one page: rows, the others folded, counts, and what comes."""

from __future__ import annotations

from datetime import timedelta

import pytest

from duly.errors import InvalidInputError
from duly.model.run import Status
from tests.conformance.overview.conftest import ADMIN, MIDNIGHT, START, TOMORROW, Desk, scoped, seated

HOUR = timedelta(hours=1)


@seated
async def test_a_fresh_store_has_an_empty_day(desk: Desk) -> None:
    view = await desk.overview.day(ADMIN, MIDNIGHT, TOMORROW)
    assert view.groups == []
    assert view.others is None
    assert view.next_up == []
    assert view.sentence_counts.total == 0
    assert view.zone == "Europe/Berlin"


@seated
async def test_rows_have_their_runs_and_what_comes(desk: Desk) -> None:
    await desk.add("late", cron="0 20 * * *")
    triage = await desk.add("triage", cron="30 * * * *", targets=["shop"])
    await desk.ran(triage, START - HOUR)
    await desk.ran(triage, START - 2 * HOUR, Status.FAILED, error="no money")
    view = await desk.overview.day(ADMIN, MIDNIGHT, TOMORROW)
    assert [row.name for row in view.groups] == ["triage", "late"]
    row = view.groups[0]
    assert (row.kind, row.detail, row.zone) == ("agent", "in shop", "Europe/Berlin")
    assert [mark.status for mark in row.runs] == ["failed", "succeeded"]
    assert len(row.coming) == 9
    assert [each.name for each in view.next_up] == ["triage", "late"]
    assert (view.sentence_counts.succeeded, view.sentence_counts.failed) == (1, 1)


@seated
async def test_missed_records_count_as_the_fires_they_stand_for(desk: Desk) -> None:
    ping = await desk.add("ping", cron="* * * * *", job_name="ping")
    await desk.ran(ping, START - HOUR, Status.MISSED, skipped=61)
    view = await desk.overview.day(ADMIN, MIDNIGHT, TOMORROW)
    assert view.sentence_counts.missed == 61
    (row,) = view.groups
    assert row.often
    assert row.runs == []
    assert sum(band.count for band in row.bands if band.status == "missed") == 61
    assert sum(band.count for band in row.bands if band.status is None) == 9 * 60 + 27


@seated
async def test_others_are_folded_and_unfold(desk: Desk) -> None:
    for number in range(5):
        schedule_id = await desk.add(f"s{number}", cron=f"{number} 18 * * *")
        await desk.ran(schedule_id, START - HOUR)
    view = await desk.overview.day(ADMIN, MIDNIGHT, TOMORROW, rows=2)
    assert [row.name for row in view.groups] == ["s0", "s1"]
    assert view.others is not None
    assert view.others.schedules == 3
    assert view.others.counts.succeeded == 3
    assert sum(each.count for each in view.others.columns if each.status is None) == 3
    rest = await desk.overview.day(ADMIN, MIDNIGHT, TOMORROW, rows=50, unfold_after=view.others.unfold_after)
    assert [row.name for row in rest.groups] == ["s2", "s3", "s4"]
    assert rest.others is None


@seated
async def test_a_person_sees_only_their_own(desk: Desk) -> None:
    mine = await desk.add("mine", namespace="user:ada")
    theirs = await desk.add("theirs", namespace="user:bob")
    await desk.ran(mine, START - HOUR, cost=0.25)
    await desk.ran(theirs, START - HOUR, cost=0.5)
    view = await desk.overview.day(scoped("user:ada"), MIDNIGHT, TOMORROW)
    assert [row.name for row in view.groups] == ["mine"]
    assert view.sentence_counts.succeeded == 1
    assert view.spend.spent_usd == 0.25
    assert (await desk.overview.day(ADMIN, MIDNIGHT, TOMORROW)).spend.spent_usd == 0.75


@seated
async def test_a_clock_change_is_noted_at_its_fire(desk: Desk) -> None:
    await desk.add("backup", cron="30 2 * * *", job_name="backup")
    sunday = MIDNIGHT + timedelta(days=2)
    view = await desk.overview.day(ADMIN, sunday, sunday + timedelta(hours=23))
    (fire,) = view.groups[0].coming
    assert fire.note is not None
    assert "02:30" in fire.note


@pytest.mark.parametrize("hours", [0, -1, 33 * 24])
@seated
async def test_a_span_that_cannot_be_shown_is_refused(desk: Desk, hours: int) -> None:
    with pytest.raises(InvalidInputError, match="cannot be shown"):
        await desk.overview.day(ADMIN, MIDNIGHT, MIDNIGHT + timedelta(hours=hours))
