"""Runs over all schedules: found and counted by the same filters, for every scope, and as figures."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from duly.errors import AccessDeniedError, InvalidInputError
from duly.model.run import Origin, Status
from duly.service.access.scopes import Caller
from tests.conformance.overview.conftest import ADMIN, START, Desk, scoped, seated

HOUR = timedelta(hours=1)
STATUSES = (Status.SUCCEEDED, Status.FAILED, Status.MISSED, Status.SKIPPED, Status.RUNNING, Status.PENDING)


async def _filled(desk: Desk) -> dict[str, str]:
    """Record runs of every status for schedules of several owners and kinds."""
    ids = {
        "job": await desk.add("backup", job_name="backup"),
        "shop": await desk.add("shop-agent", targets=["shop"]),
        "both": await desk.add("both-agent", targets=["shop", "blog"]),
        "ada": await desk.add("ada-agent", namespace="user:ada"),
    }
    for number, schedule_id in enumerate(ids.values()):
        for place, status in enumerate(STATUSES):
            error = "disk 100% full" if status is Status.FAILED else None
            origin = Origin.MANUAL if place % 2 else Origin.SCHEDULE
            at = START - HOUR * (place + 1) - timedelta(minutes=number)
            await desk.ran(schedule_id, at, status, error=error, origin=origin)
    return ids


CALLERS = (ADMIN, scoped("project:shop"), scoped("project:shop:ro"), scoped("user:ada"), scoped("user:eve"))
FILTERS: tuple[dict[str, Any], ...] = (
    {},
    {"statuses": ["failed"]},
    {"since": START - 3 * HOUR},
    {"until": START - 3 * HOUR},
    {"kind": "agent"},
    {"kind": "person"},
    {"origin": "manual"},
    {"text": "AGENT"},
    {"text": "100% F"},
    {"text": "10_%"},
)


@seated
async def test_counts_equal_the_rows(desk: Desk) -> None:
    await _filled(desk)
    for caller in CALLERS:
        for filters in FILTERS:
            runs, cursor = await desk.overview.runs(caller, limit=100, **filters)
            assert cursor is None
            counts = await desk.overview.run_counts(caller, **filters)
            assert counts.total == len(runs), (caller.scope, filters)
            assert counts.failed == sum(run.status == "failed" for run in runs)
            assert counts.waiting == sum(run.status == "pending" for run in runs)


@seated
async def test_each_scope_sees_its_own_runs(desk: Desk) -> None:
    await _filled(desk)

    async def names(caller: Caller) -> set[str]:
        return {run.name for run in (await desk.overview.runs(caller, limit=100))[0]}

    assert await names(ADMIN) == {"backup", "shop-agent", "both-agent", "ada-agent"}
    assert await names(scoped("project:shop")) == {"shop-agent", "both-agent"}
    assert await names(scoped("user:ada")) == {"ada-agent"}
    assert await names(scoped("user:eve")) == set()


@seated
async def test_hidden_output_is_neither_shown_nor_found(desk: Desk) -> None:
    await _filled(desk)
    runs, _ = await desk.overview.runs(scoped("project:shop"), text="disk", limit=100)
    assert {run.name for run in runs} == {"shop-agent"}
    both, _ = await desk.overview.runs(scoped("project:shop"), schedule="default/both-agent", limit=100)
    assert all(run.error is None for run in both)


@seated
async def test_pages_give_every_run_once_newest_first(desk: Desk) -> None:
    await _filled(desk)
    found: list[str] = []
    cursor: str | None = None
    while True:
        runs, cursor = await desk.overview.runs(ADMIN, cursor=cursor, limit=7)
        found += [run.id for run in runs]
        if cursor is None:
            break
    assert len(found) == 4 * len(STATUSES)
    assert found == sorted(set(found), reverse=True)


@seated
async def test_unreadable_filters_are_refused(desk: Desk) -> None:
    for filters in ({"kind": "robot"}, {"statuses": ["gone"]}, {"origin": "mars"}, {"since": "soon"}):
        with pytest.raises(InvalidInputError):
            await desk.overview.runs(ADMIN, **filters)
    with pytest.raises(InvalidInputError, match="exchange them"):
        await desk.overview.run_counts(ADMIN, since=START, until=START - HOUR)
    with pytest.raises(AccessDeniedError):
        await desk.overview.runs(scoped("project:shop"), project="blog")


@seated
async def test_figures_of_a_page_of_schedules(desk: Desk) -> None:
    ids = await _filled(desk)
    for number in range(40):
        await desk.ran(ids["shop"], START - timedelta(days=2, minutes=number), seconds=10 + number % 3, cost=0.1)
    figures = await desk.overview.figures(ADMIN, list(ids.values()))
    shop = figures[ids["shop"]]
    assert len(shop.outcomes) == 30
    assert [mark.fire_at for mark in shop.outcomes] == sorted(mark.fire_at for mark in shop.outcomes)
    assert shop.median_seconds == 11
    assert shop.last_seconds == 30
    assert shop.spend_7_days == pytest.approx(4.0)
    assert figures[ids["job"]].spend_7_days is None
    assert (await desk.overview.figures(scoped("user:ada"), list(ids.values()))).keys() == {ids["ada"]}


@seated
async def test_chips_count_what_their_lists_show(desk: Desk) -> None:
    ids = await _filled(desk)
    await desk.runtime.services.use_cases.update(ADMIN, ids["ada"], {"enabled": False})
    for caller in CALLERS:
        counts = await desk.overview.schedule_counts(caller)
        for chip in ("failing", "awaiting", "running", "paused"):
            shown, _ = await desk.runtime.services.schedules.schedule_list(caller, state=chip)
            assert getattr(counts, chip) == len(shown), (caller.scope, chip)
        for chip, kind in (("agents", "agent"), ("jobs", "job"), ("people", "person")):
            shown, _ = await desk.runtime.services.schedules.schedule_list(caller, kind=kind)
            assert getattr(counts, chip) == len(shown)
        everything, _ = await desk.runtime.services.schedules.schedule_list(caller)
        assert counts.all == len(everything)


@seated
async def test_a_list_in_another_order_has_the_same_schedules(desk: Desk) -> None:
    await _filled(desk)
    for number in range(20):
        await desk.add(f"more-{number:02}", cron=f"{number} 20 * * *")
    reads = desk.runtime.services.schedules
    by_name, _ = await reads.schedule_list(ADMIN, limit=100)
    for sort in ("attention", "next"):
        names: list[str] = []
        cursor: str | None = None
        while True:
            page, cursor = await reads.schedule_list(ADMIN, sort=sort, cursor=cursor, limit=7)
            names += [view.name for view in page]
            if cursor is None:
                break
        assert sorted(names) == sorted(view.name for view in by_name)
    first, _ = await reads.schedule_list(ADMIN, sort="next", limit=1)
    assert first[0].name == "more-00"


@seated
async def test_the_state_of_a_schedule_is_one_word(desk: Desk) -> None:
    failing = await desk.add("failing", job_name="a")
    await desk.ran(failing, START - HOUR, Status.FAILED)
    running = await desk.add("running", job_name="b")
    await desk.ran(running, START - HOUR, Status.RUNNING)
    await desk.add("well", job_name="c")
    await desk.add("once", job_name="d", cron=None, cron_timezone=None, when="tomorrow at 9")
    views, _ = await desk.runtime.services.schedules.schedule_list(ADMIN)
    assert {view.name: view.state for view in views} == {
        "failing": "failing",
        "running": "running",
        "well": "ok",
        "once": "waiting",
    }
    assert (await desk.runtime.services.schedules.schedule_get(ADMIN, "running")).state == "running"
    with pytest.raises(InvalidInputError, match="state"):
        await desk.runtime.services.schedules.schedule_list(ADMIN, state="sleepy")
