"""Lists of schedules by rank: read from indexes, they are what putting every schedule in order would give."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from itertools import product
from typing import Any

import pytest

from duly.errors import InvalidInputError
from duly.model.reminder import ReminderStatus
from duly.model.run import Status
from duly.ports.records import ScheduleFilter, StoredSchedule
from duly.ports.reminders import Reminder
from duly.ports.timeline import LAST_RANK, Ranked, RankedId, Visible
from duly.service.pages import cursor_of
from duly.service.schedules import listing
from duly.stores.crud import ranking
from tests.conformance.overview.conftest import ADMIN, START, Desk, seated

STATES: dict[str, dict[str, Any]] = {
    "well": {},
    "failing": {"consecutive_failures": 2, "failing_since": START},
    "resting": {"resting": "its project is gone", "resting_since": START, "next_run_at": None},
    "resting-failing": {
        "resting": "its project is gone",
        "resting_since": START,
        "next_run_at": None,
        "consecutive_failures": 1,
        "failing_since": START,
    },
    "forgiven": {"consecutive_failures": 0, "failing_since": START},
    "unplanned": {"next_run_at": None},
    "paused": {"enabled": False, "disabled_by": "person", "next_run_at": None},
    "paused-failing": {"enabled": False, "next_run_at": None, "consecutive_failures": 1, "failing_since": START},
    "finished": {"enabled": False, "disabled_by": "finished", "next_run_at": None},
    "off": {"enabled": False, "disabled_by": "file", "next_run_at": None},
    "unreadable": {
        "enabled": False,
        "disabled_by": "quarantine",
        "quarantine": "ValueError: what",
        "next_run_at": None,
    },
}


_OTHERS = (  # kind, namespace, and what each does besides
    ("job_name", "default", None),
    ("prompt", "user:ada", None),
    ("job_name", "user:ada", Status.RUNNING),
    ("job_name", "user:ada", ReminderStatus.AWAITING_ACK),
    ("job_name", "user:ada", ReminderStatus.SNOOZED),
    ("prompt", "default", Status.PENDING),
)


async def _filled(desk: Desk) -> list[StoredSchedule]:
    """Make schedules of two kinds and owners in every state, some of them with a run under way or an open answer."""
    made: dict[str, dict[str, Any]] = {}
    pending: dict[str, str] = {}
    for number, (state, (kind, namespace, doing)) in enumerate(product(STATES, _OTHERS)):
        schedule_id = await desk.add(f"{state}-{number:02}", namespace=namespace, **{kind: "look"})
        if doing is Status.RUNNING:
            await desk.ran(schedule_id, START - timedelta(hours=1), doing)
        elif doing is not None:
            pending[schedule_id] = doing
        made[schedule_id] = dict(STATES[state])
        if number % 2 and "next_run_at" not in made[schedule_id]:
            made[schedule_id]["next_run_at"] = START + timedelta(hours=number % 3)
    for schedule_id, doing in pending.items():  # last: what begins to run takes all runs that are pending
        run_id = await desk.ran(schedule_id, START - timedelta(hours=1), Status.PENDING)
        if isinstance(doing, ReminderStatus):
            await _ask(desk, schedule_id, run_id, doing)
    await desk.store.edit(list(made), lambda row: replace(row, **made[row.id]))
    rows = await desk.store.schedules(ScheduleFilter(limit=1000))
    await desk.store.edit([rows[0].id], lambda row: replace(row, deleted_at=START, next_run_at=None))
    return rows[1:]


async def _ask(desk: Desk, schedule_id: str, run_id: str, status: ReminderStatus) -> None:
    """Let a run wait for the answer of a person, who may have put it off."""
    asked = Reminder(
        run_id=run_id,
        schedule_id=schedule_id,
        user_id="local",
        run_number=1,
        token=f"token of {run_id}",
        status=status,
        last_sent_at=START,
        created_at=START,
        updated_at=START,
    )
    await desk.store.reminders.begin(asked)


async def _read(desk: Desk, wanted: Ranked, limit: int) -> list[RankedId]:
    found: list[RankedId] = []
    while True:
        page = await desk.store.timeline.ranked(
            replace(wanted, limit=limit, after=found[-1].place if found else wanted.after)
        )
        found += page
        if len(page) < limit:
            return found


@seated
@pytest.mark.parametrize("few", [0, 2000])
async def test_indexes_give_the_same_lists_as_ranks(desk: Desk, few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether little or much is switched on."""
    monkeypatch.setattr(ranking, "_FEW", few)
    rows = await _filled(desk)
    all_of_them = Visible(tuple(row.id for row in rows))
    found_in_state = set[str | None]()
    for order, state, handlers, enabled, namespace in product(
        listing.SORTS,
        (None, *listing.RANKED),
        ((), ("prompt:",), ("job:", "executor:")),
        (None, True, False),
        (None, "user:ada"),
    ):
        wanted = Ranked(order=order, state=state, handlers=handlers, enabled=enabled, namespace=namespace)
        ranked = await _read(desk, replace(wanted, visible=all_of_them), 1000)
        listed = await _read(desk, wanted, 4)
        if order == "next":  # those of the same time are in the order of their ids, or of their names
            assert [each.place[0] for each in listed] == [each.place[0] for each in ranked], wanted
            assert {each.schedule_id for each in listed} == {each.schedule_id for each in ranked}, wanted
        else:
            assert listed == ranked, wanted
        assert len({each.schedule_id for each in listed}) == len(listed)
        if listed:
            found_in_state.add(state)
    assert found_in_state == {None, *listing.RANKED}


@seated
async def test_a_text_and_a_project_narrow_a_list_in_any_order(desk: Desk) -> None:
    await desk.add("bread", targets=["shop"])
    await desk.add("butter", targets=["blog"])
    narrowed: list[tuple[dict[str, Any], list[str]]] = [
        ({"text": "BRE"}, ["bread"]),
        ({"project": "blog"}, ["butter"]),
        ({"project": "blog", "text": "bread"}, []),
        ({"project": "nowhere"}, []),
    ]
    for sort in listing.SORTS:
        for filters, names in narrowed:
            views, cursor = await desk.runtime.services.schedules.schedule_list(ADMIN, sort=sort, state="ok", **filters)
            assert ([view.name for view in views], cursor) == (names, None)


@seated
async def test_a_place_that_no_list_has_is_refused(desk: Desk) -> None:
    await desk.add("bread")
    for sort in ("attention", "next"):
        with pytest.raises(InvalidInputError, match="not one of ours"):
            await desk.runtime.services.schedules.schedule_list(
                ADMIN, sort=sort, cursor=cursor_of(str(LAST_RANK + 1), "z", "z")
            )
        for rank in (10**18, LAST_RANK):  # no time, but in order
            views, _ = await desk.runtime.services.schedules.schedule_list(
                ADMIN, sort=sort, cursor=cursor_of(str(rank), "z", "z")
            )
            assert views == []
