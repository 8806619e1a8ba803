"""Coming fires in a span, and the load of a day."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Coroutine
from datetime import UTC, date, datetime, timedelta
from typing import Any, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duly.clock import SystemClock, Turns
from duly.cron import Cron
from duly.errors import AccessDeniedError, InvalidInputError
from duly.model.policy import Policy
from duly.planning.fire import dispatch_at
from duly.ports.timeline import Planned
from duly.service.overview.coming import Series, count_between, count_by_day
from duly.service.overview.load import local_days
from duly.zones import Zone
from tests.conformance.overview.conftest import ADMIN, MIDNIGHT, START, TOMORROW, Desk, scoped, seated

MINUTE = timedelta(minutes=1)
DAY = timedelta(days=1)
Found = TypeVar("Found")


@seated
async def test_a_week_has_its_fires_and_its_rhythms(desk: Desk) -> None:
    daily = await desk.add("daily", cron="30 2 * * *", job_name="backup", display_title="Backup")
    ping = await desk.add("ping", cron="*/5 * * * *", job_name="ping")
    monday = datetime(2027, 3, 28, 22, tzinfo=UTC)
    page = await desk.overview.fires(ADMIN, monday, monday + 7 * DAY)
    assert {each.schedule_id for each in page.fires} == {daily}
    assert len(page.fires) == 7
    assert page.fires[0].display_title == "Backup"
    (rhythm,) = page.rhythms
    assert rhythm.schedule_id == ping
    assert rhythm.per_day == {f"2027-{day}": 288 for day in ("03-29", "03-30", "03-31", *_april(1, 4))}
    assert not page.truncated


def _april(first: int, last: int) -> list[str]:
    return [f"04-{day:02}" for day in range(first, last + 1)]


@seated
async def test_a_day_of_23_hours_has_fewer_fires(desk: Desk) -> None:
    await desk.add("ping", cron="*/5 * * * *", job_name="ping")
    sunday = MIDNIGHT + 2 * DAY
    page = await desk.overview.fires(ADMIN, sunday, sunday + timedelta(hours=23))
    assert page.rhythms[0].per_day == {"2027-03-28": 276}
    load = await desk.overview.load(ADMIN, date(2027, 3, 28), "Europe/Berlin")
    assert len(load.minutes) == 1380
    assert load.total == 276


@seated
async def test_too_many_fires_are_cut_at_the_end(desk: Desk) -> None:
    for number in range(12):
        await desk.add(f"s{number:02}", cron=f"{number} 20 * * *", job_name="a")
    page = await desk.overview.fires(ADMIN, MIDNIGHT, TOMORROW, limit=5)
    assert page.truncated
    assert [each.name for each in page.fires] == [f"s{number:02}" for number in range(5)]


@seated
async def test_fires_of_a_project_kind_or_schedule(desk: Desk) -> None:
    await desk.add("shop", targets=["shop"])
    await desk.add("job", job_name="a")
    span = (START, START + DAY)

    async def names(**filters: str) -> list[str]:
        return [each.name for each in (await desk.overview.fires(ADMIN, *span, **filters)).fires]  # type: ignore[arg-type]

    assert await names(project="shop") == ["shop"]
    assert await names(kind="job") == ["job"]
    assert await names(schedule="job") == ["job"]
    assert [each.name for each in (await desk.overview.fires(scoped("project:shop"), *span)).fires] == ["shop"]
    with pytest.raises(AccessDeniedError):
        await desk.overview.fires(scoped("project:shop"), *span, project="blog")
    with pytest.raises(InvalidInputError, match="kind"):
        await desk.overview.fires(ADMIN, *span, kind="robot")


@seated
async def test_a_change_is_seen_at_once(desk: Desk) -> None:
    await desk.add("a", cron="0 20 * * *", job_name="a")
    assert len((await desk.overview.fires(ADMIN, MIDNIGHT, TOMORROW)).fires) == 1
    row = await desk.store.find("default", "a")
    assert row is not None
    await desk.runtime.services.use_cases.update(ADMIN, "a", {"enabled": False})
    assert (await desk.overview.fires(ADMIN, MIDNIGHT, TOMORROW)).fires == []


@seated
async def test_the_busiest_minute_is_found_and_spread(desk: Desk) -> None:
    ids = {await desk.add(f"s{number}", cron="0 3 * * *") for number in range(8)}
    await desk.add("filed", cron="0 3 * * *", source="toml")
    await desk.add("other", cron="30 5 * * *")
    load = await desk.overview.load(ADMIN, date(2027, 3, 29), "Europe/Berlin")
    busiest = load.busiest[0]
    assert (busiest.fires, load.total, load.concurrency_peak) == (9, 10, 9)
    assert busiest.at == datetime(2027, 3, 29, 1, tzinfo=UTC)
    assert load.minutes[180] == 9
    desk.clock.advance(2 * DAY)  # the next fire is that one
    assert len(await desk.overview.minute(ADMIN, busiest.at)) == 9
    shown = await desk.overview.spread(ADMIN, busiest.at, 15 * MINUTE)
    assert set(shown.changed) == ids
    assert shown.before[0] == 9
    assert sum(shown.before) == sum(shown.after)
    assert max(shown.after) < 9
    assert any("max_stagger_seconds = 900" in line for line in shown.from_file)
    with pytest.raises(AccessDeniedError):
        await desk.overview.spread(scoped("admin:ro"), busiest.at, 15 * MINUTE)
    with pytest.raises(InvalidInputError, match="over"):
        await desk.overview.spread(ADMIN, busiest.at, timedelta(days=1))


@seated
async def test_spreading_changes_the_load(desk: Desk) -> None:
    for number in range(6):
        await desk.add(f"s{number}", cron="0 3 * * *")
    at = datetime(2027, 3, 27, 2, tzinfo=UTC)
    shown = await desk.overview.spread(ADMIN, at, 15 * MINUTE, dry_run=False)
    load = await desk.overview.load(ADMIN, date(2027, 3, 27), "Europe/Berlin")
    assert load.minutes[180:196] == shown.after
    assert load.total == 6


@seated
async def test_the_past_is_a_mean_of_seven_days(desk: Desk) -> None:
    schedule_id = await desk.add("daily", cron="0 3 * * *", job_name="a")
    for back in range(1, 8):
        await desk.ran(schedule_id, datetime(2027, 3, 26, 2, tzinfo=UTC) - back * DAY)
    load = await desk.overview.load(ADMIN, date(2027, 3, 26), "Europe/Berlin", past=True)
    assert (load.total, load.minutes[180]) == (1, 1)


def done(work: Coroutine[Any, Any, Found]) -> Found:
    """Carry work out to its end: a generated example has no event loop."""
    return asyncio.run(work)


CRONS = ("* * * * *", "*/7 * * * *", "0 9 * * 1-5", "30 2 * * *", "15 */6 1,15 * *", "0 0 29 2 *")


@given(
    st.sampled_from(CRONS),
    st.sampled_from(["UTC", "Europe/Berlin"]),
    st.integers(0, 10 * 1440),
    st.integers(1, 3 * 1440),
    st.one_of(st.none(), st.integers(1, 40)),
    st.one_of(st.none(), st.integers(0, 5 * 1440)),
)
def test_fires_of_a_span_are_those_of_the_trigger(
    expression: str, zone: str, ahead: int, length: int, max_runs: int | None, until: int | None
) -> None:
    trigger = Cron(expression, tz=zone)
    first = trigger.get_next_occurrence(START)
    assert first is not None
    planned = Planned("s", 1, first, first, None if until is None else START + until * MINUTE, max_runs, 0)
    series = Series(1, "s", "default", None, "job", "db", trigger, Policy())
    start = START + ahead * MINUTE
    end = start + length * MINUTE
    turns = Turns(SystemClock())
    own: list[datetime] = []
    at: datetime | None = first
    number = 0
    while at is not None and at < end and (max_runs is None or number < max_runs):
        if planned.until_at is not None and at > planned.until_at:
            break
        own += [at] if at >= start else []
        number += 1
        at = trigger.get_next_occurrence(at)
    assert [fire.fire_at for fire in done(series.between(planned, start, end, turns))] == own
    assert done(count_between(series, planned, start, end, turns)) == len(own)


@given(
    cron=st.sampled_from(["* * * * *", "*/7 8-17 * * *", "0 */3 * * *", "30 2 * * *", "15,45 1-3 * * 0"]),
    stagger=st.sampled_from([None, "key"]),
    ahead=st.integers(0, 3000),
    hours=st.integers(1, 24 * 9),
    until=st.one_of(st.none(), st.integers(0, 9000)),
    max_runs=st.one_of(st.none(), st.integers(1, 500)),
)
def test_days_count_the_fires_that_a_walk_finds_on_them_whatever_was_asked_before(
    cron: str, stagger: str | None, ahead: int, hours: int, until: int | None, max_runs: int | None
) -> None:
    zone = Zone.of("Europe/Berlin")
    trigger = Cron(cron, tz=zone.name)
    first = trigger.get_next_occurrence(START)
    assert first is not None
    policy = Policy(stagger_key=stagger)
    run_at = dispatch_at(trigger, policy, first)
    assert run_at is not None
    until_at = None if until is None else first + until * MINUTE
    planned = Planned("s", 1, first, run_at, until_at, max_runs, 0)
    series = Series(1, "s", "default", None, "job", "db", trigger, policy)
    turns = Turns(SystemClock())
    for start in (START, START + ahead * MINUTE, START):  # the kept numbers of one answer serve the next one
        end = start + timedelta(hours=hours)
        walked = Counter(
            zone.localize(run_at).date().isoformat()
            for number, at in enumerate(trigger.between(first - MINUTE, end))
            if (until_at is None or at <= until_at)
            and (max_runs is None or number < max_runs)
            and start <= (run_at := dispatch_at(trigger, policy, at.astimezone(UTC)) or at) < end
        )
        if sum(walked.values()) < 5000 or stagger is None:
            assert done(count_by_day(series, planned, local_days(start, end, zone), turns)) == walked


@seated
async def test_a_calendar_has_what_was_and_what_comes_and_says_the_same_again(desk: Desk) -> None:
    daily = await desk.add("daily", cron="30 20 * * *", job_name="backup")
    ping = await desk.add("ping", cron="*/5 * * * *", job_name="ping")
    await desk.ran(daily, START - 3 * MINUTE)
    seen = await desk.overview.calendar(ADMIN, MIDNIGHT, MIDNIGHT + 3 * DAY - MINUTE * 60, "Europe/Berlin")
    assert [(each.schedule_id, each.status) for each in seen.entries] == [(daily, "succeeded"), *[(daily, None)] * 3]
    (rhythm,) = seen.rhythms
    assert rhythm.schedule_id == ping
    assert rhythm.days == {
        "2027-03-26": {"coming": 113},
        "2027-03-27": {"coming": 288},
        "2027-03-28": {"coming": 276},  # the clocks go forward
    }
    assert await desk.overview.calendar(ADMIN, MIDNIGHT, MIDNIGHT + 3 * DAY - MINUTE * 60, "Europe/Berlin") == seen


@given(
    cron=st.sampled_from(["* * * * *", "*/7 8-17 * * *", "15,45 1-3 * * 0"]),
    steps=st.lists(st.tuples(st.integers(0, 90), st.booleans()), min_size=1, max_size=5),
    until=st.one_of(st.none(), st.integers(0, 3000)),
    max_runs=st.one_of(st.none(), st.integers(1, 500)),
)
def test_numbers_that_were_kept_stay_right_while_a_schedule_goes_on(
    cron: str, steps: list[tuple[int, bool]], until: int | None, max_runs: int | None
) -> None:
    trigger = Cron(cron, tz="Europe/Berlin")
    at = trigger.get_next_occurrence(START)
    assert at is not None
    until_at = None if until is None else at + until * MINUTE
    kept = Series(1, "s", "default", None, "job", "db", trigger, Policy())
    fires = 0
    turns = Turns(SystemClock())
    for passes, is_moved in steps:
        for _ in range(passes):
            fires += 1
            at = trigger.get_next_occurrence(at)
            assert at is not None
        at += timedelta(seconds=20) if is_moved else timedelta(0)
        planned = Planned("s", 1, at, at, until_at, max_runs, fires)
        fresh = Series(1, "s", "default", None, "job", "db", trigger, Policy())
        for hours in (1, 5, 30):
            bound = START + timedelta(hours=hours)
            assert done(kept.count_before(planned, bound, turns)) == done(fresh.count_before(planned, bound, turns))
