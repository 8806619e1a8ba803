"""Text in SQLite that is not UTF-8, as a damaged disk leaves it: its row is quarantined, and no other row is affected.

PostgreSQL refuses to store such text, and memory cannot hold it.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import apsw
import pytest

from duly import Cron, Duly
from duly.engine.planner import TickPlanner
from duly.entropy import random_bits
from duly.model.events import NODE_LOST, Event
from duly.model.policy import Policy
from duly.model.reminder import ReminderStatus
from duly.model.run import Status
from duly.planning.places import Pool
from duly.ports.codec import encode_policy, encode_trigger
from duly.ports.people import User, UserChannel
from duly.ports.records import Plan, RunFilter, ScheduleFilter, StoredSchedule
from duly.ports.reminders import Reminder
from duly.stores import queries
from duly.stores.sqlite.file import StoreFile
from duly.stores.sqlite.repair import repair
from duly.testing import VirtualClock
from tests.conformance.stores.builders import JOB, START, Script, at, due_schedule, ended, new_run, schedule
from tests.conformance.stores.harness import SqliteHarness, StoreHarness, conformant, full, make_harness

WRITTEN_ANEW = ("quarantine", "disabled_by")
"""What planning writes without reading it."""
READABLE: dict[str, Any] = {"trigger": encode_trigger(Cron("0 9 * * *")), "policy": encode_policy(Policy())}
FILLED: dict[str, Any] = dict.fromkeys(
    ("description", "created_by", "display_title", "calendar_event_id", "token_scope"), "text"
)
MORE: dict[str, Any] = {
    "timezone": "UTC",
    "last_status": "failed",
    "last_result": '{"error": "boom"}',
    "original_text": "daily",
}


@pytest.fixture(params=("sqlite", "sqlite-inline"))
def sqlite_world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StoreHarness]:
    with make_harness(request.param, tmp_path) as made:
        yield made


def texts_of(table: str) -> list[str]:
    """The columns of a table that hold text, as the newest schema has them."""
    connection = apsw.Connection(":memory:")
    for _, script in queries.migrations("sqlite"):
        connection.execute(script)
    columns = list(connection.execute("SELECT name, type FROM pragma_table_info(?)", (table,)))
    connection.close()
    return [name for name, kind in columns if kind == "TEXT"]


def spoil(harness: StoreHarness, table: str, column: str, where: str = "TRUE") -> None:
    """Put a byte that is no UTF-8 into the middle of what a column holds."""
    assert isinstance(harness, SqliteHarness)
    halves = f"substr(coalesce({column}, 'text'), 1, 3) AS BLOB) || x'ff' || CAST(substr(coalesce({column}, ''), 4)"
    spoilt = f"CAST(CAST({halves} AS BLOB) AS TEXT)"
    with apsw.Connection(str(harness.path)) as connection:
        connection.execute(f"UPDATE {table} SET {column} = {spoilt} WHERE {where}")  # noqa: S608
        assert connection.changes() > 0
    connection.close()


@pytest.mark.parametrize("column", WRITTEN_ANEW)
@conformant
async def test_what_planning_writes_anew_is_readable_again(sqlite_world: StoreHarness, column: str) -> None:
    harness = sqlite_world
    bad, good = await add(harness)
    spoil(harness, "schedules", column, "name = 'bad'")
    result = await harness.turn(planner=planner(harness), plan_limit=5, claim_limit=5)
    assert sorted(claimed.name for claimed in result.claimed) == ["bad", "good"]
    assert [(await harness.saved(row.id)).quarantine for row in (bad, good)] == [None, None]


async def add(harness: StoreHarness) -> tuple[StoredSchedule, StoredSchedule]:
    """One to be spoilt, and one beside it; both are due."""
    bad, good = due_schedule("bad", **READABLE, **FILLED, **MORE), due_schedule("good", **READABLE)
    await harness.add(bad, good)
    return bad, good


def planner(harness: StoreHarness) -> TickPlanner:
    return TickPlanner(harness.now, [Pool(handlers={JOB}, size=5)], random_bits)


@pytest.mark.parametrize("column", [each for each in texts_of("schedules") if each not in WRITTEN_ANEW])
@conformant
async def test_a_schedule_is_quarantined_and_the_others_are_planned(sqlite_world: StoreHarness, column: str) -> None:
    harness = sqlite_world
    bad, good = await add(harness)
    spoil(harness, "schedules", column, "name = 'bad'")
    result = await harness.turn(planner=planner(harness), plan_limit=5, claim_limit=5)
    assert "good" in [claimed.name for claimed in result.claimed]
    listed = {row.id: row for row in await harness.store.schedules(ScheduleFilter())}
    aside = next(row for row in listed.values() if row.id != good.id)
    assert f"not UTF-8 text: schedules.{column} (" in str(aside.quarantine)
    assert "save the schedule again under its name, or delete it" in str(aside.quarantine)
    assert (aside.enabled, aside.disabled_by, aside.next_run_at) == (False, "quarantine", None)
    assert (await harness.saved(good.id)).quarantine is None
    assert (await harness.store.overview(harness.now)).quarantined == 1
    [told] = [event for event in await harness.journal() if event.kind.name == "schedule.quarantined"]
    assert (told.schedule_id, told.data["reason"]) == (aside.id, aside.quarantine)
    if column not in ("id", "namespace", "name"):
        assert (await harness.store.find("default", "bad")) == await harness.saved(bad.id) == aside


LOOKS = {
    "schedules": lambda harness, _good: harness.store.schedules(ScheduleFilter()),
    "found by a word": lambda harness, _good: harness.store.schedules(ScheduleFilter(text="good")),
    "saved": lambda harness, good: harness.store.save([good], lambda _before, row: row),
    "overview": lambda harness, _good: harness.store.overview(harness.now),
    "standings": lambda harness, _good: harness.standings("default"),
}


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("column", texts_of("schedules"))
@conformant
async def test_the_first_call_that_meets_damaged_text_gets_an_answer(
    sqlite_world: StoreHarness, look: str, column: str
) -> None:
    harness = sqlite_world
    _, good = await add(harness)
    spoil(harness, "schedules", column, "name = 'bad'")
    assert await LOOKS[look](harness, good)  # type: ignore[no-untyped-call]
    assert (await harness.saved(good.id)).name == "good"


@pytest.mark.parametrize("column", texts_of("runs"))
@conformant
async def test_a_run_is_given_up_or_shown_and_the_others_are_carried_out(
    sqlite_world: StoreHarness, column: str
) -> None:
    harness = sqlite_world
    bad, good = await add(harness)
    await harness.put(broken := new_run(bad, -9), fine := new_run(good, -5))
    spoil(harness, "runs", column, f"id = '{broken.id}'")
    assert fine.id in [claimed.run_id for claimed in await harness.claim()]
    await harness.claim()
    assert (await harness.turn()).next_wake == START  # nothing is due for ever
    runs = await harness.store.runs(RunFilter())
    assert fine.id in [each.id for each in runs]
    assert (await harness.seen(fine.id)).status is Status.RUNNING
    dead = [event for event in await harness.journal() if event.kind.name == "run.dead"]
    if column in ("id", "schedule_id", "origin", "handler", "status"):
        [told] = dead
        assert told.data["attempt"] == 0
        assert f"not UTF-8 text: runs.{column} (" in told.data["reason"]
    else:
        assert dead == []
        assert broken.id in [each.id for each in runs]


@pytest.mark.parametrize("column", ["result", "error", "reason", "progress", "owner", "origin", "handler"])
@conformant
async def test_a_run_that_is_over_stays_in_the_history(sqlite_world: StoreHarness, column: str) -> None:
    harness = sqlite_world
    bad, good = await add(harness)
    first, second = await harness.started(new_run(bad, -9), new_run(good, -5))
    await harness.turn(ended(first, 1, result='"x"', reason="done"), ended(second, 1, result='"y"'))
    spoil(harness, "runs", column, f"id = '{first.run_id}'")
    runs = {each.name: each for each in await harness.store.runs(RunFilter())}
    assert runs["bad"].status is Status.SUCCEEDED
    assert (runs["good"].status, runs["good"].result) == (Status.SUCCEEDED, "y")
    if column in ("result", "progress", "origin"):
        assert f"run.{column} cannot be read" in str(runs["bad"].reason)
    assert await harness.seen(first.run_id) == runs["bad"]


@conformant
async def test_a_run_under_way_is_taken_from_its_owner(sqlite_world: StoreHarness) -> None:
    harness = sqlite_world
    bad, good = await add(harness)
    await harness.join("node_a")
    first, second = await harness.started(new_run(bad, -9), new_run(good, -5))
    spoil(harness, "runs", "handler", f"id = '{first.run_id}'")
    assert len(await harness.store.runs(RunFilter())) == 2
    assert (await harness.turn(ended(first, 1), ended(second, 1))).refused == [first.run_id]
    assert (await harness.seen(first.run_id)).status is Status.DEAD
    assert (await harness.seen(second.run_id)).status is Status.SUCCEEDED


@conformant
async def test_the_runs_of_a_schedule_whose_id_is_spoilt_are_given_up(sqlite_world: StoreHarness) -> None:
    harness = sqlite_world
    bad, _ = await add(harness)
    await harness.put(new_run(bad, -9))
    spoil(harness, "schedules", "id", "name = 'bad'")
    await harness.turn(planner=planner(harness), plan_limit=5, claim_limit=5)
    assert (await harness.turn()).next_wake == at(9 * 3600)
    assert "run.dead" in await harness.told()


@conformant
async def test_a_node_of_which_nothing_can_be_read_is_lost(sqlite_world: StoreHarness) -> None:
    harness = sqlite_world
    await harness.join("node_a", "node_b")
    await harness.add(row := schedule())
    await harness.started(begun := new_run(row))
    for column in ("boot_id", "handlers", "pid_started"):
        spoil(harness, "nodes", column, "id = 'node_a'")
    assert (await harness.store.overview(harness.now)).nodes == ["node_b"]
    await harness.store.rescue(harness.now, lambda _policy, _lost: False)
    assert (await harness.seen(begun.id)).status is Status.PENDING


@pytest.mark.parametrize("column", [each for each in texts_of("events") if each != "name"])
@conformant
async def test_the_journal_goes_on(sqlite_world: StoreHarness, column: str) -> None:
    harness = sqlite_world
    events = [Event(NODE_LOST, START, "sched_1", "run_1", "node_1", {"n": number}) for number in range(3)]
    await harness.store.record(events)
    spoil(harness, "events", column, "seq = 2")
    first, second, third = await harness.journal()
    assert [first, third] == [events[0], events[2]]
    assert "\\xff" in f"{second.schedule_id}{second.run_id}{second.node_id}{second.data}"


@pytest.mark.parametrize("column", texts_of("users"))
@conformant
async def test_people_are_found(sqlite_world: StoreHarness, column: str) -> None:
    harness = sqlite_world
    people = full(harness.store).people
    for name in ("ana", "ben"):
        user = User(id=name, name=name.title(), timezone="UTC", language="en", created_at=START, quiet_from="22:00")
        await people.save(user)
        await people.add_channel(UserChannel(user_id=name, channel="telegram", address=name))
    spoil(harness, "users", column, "id = 'ana'")
    assert len(await people.all()) == 2
    assert (await people.find("Ben")) == User(
        id="ben", name="Ben", timezone="UTC", language="en", created_at=START, quiet_from="22:00"
    )
    spoil(harness, "user_channels", "address", "user_id = 'ana'")
    assert [each.address for each in await people.channels("ben")] == ["ben"]


@pytest.mark.parametrize("column", texts_of("reminders"))
@conformant
async def test_reminders_go_on(sqlite_world: StoreHarness, column: str) -> None:
    harness = sqlite_world
    reminders = full(harness.store).reminders
    await harness.add(row := schedule())
    await harness.put(first := new_run(row, -9), second := new_run(row, -8))
    for number, each in enumerate((first, second)):
        await reminders.begin(
            Reminder(
                run_id=each.id,
                schedule_id=row.id,
                user_id="ana",
                run_number=number,
                token=f"token{number}",
                status=ReminderStatus.AWAITING_ACK,
                channel="inbox",
                last_sent_at=START,
                created_at=START,
                updated_at=START,
            )
        )
    spoil(harness, "reminders", column, f"run_id = '{first.id}'")
    assert second.id in [each.run_id for each in await reminders.open_for("ana")]
    assert (await reminders.by_token("token1")) is not None
    assert len(await reminders.of_schedule(row.id, 10)) in (1, 2)


@conformant
async def test_two_names_that_cannot_be_told_apart_are_both_kept(sqlite_world: StoreHarness) -> None:
    harness = sqlite_world
    await harness.add(schedule("nam\\xffe"), bad := schedule("name"))
    spoil(harness, "schedules", "name", f"id = '{bad.id}'")
    names = [row.name for row in await harness.store.schedules(ScheduleFilter())]
    assert names[0] == "nam\\xffe"
    assert names[1].startswith("nam\\xffe (damaged ")


@conformant
async def test_nothing_is_touched_where_nothing_is_wrong(sqlite_world: StoreHarness) -> None:
    harness = sqlite_world
    assert isinstance(harness, SqliteHarness)
    await harness.add(row := schedule("Ünïcödé ☃ 🌍", description="naïve"))
    await harness.put(new_run(row))
    file = StoreFile(harness.path)
    assert repair(file, harness.now) == []
    file.close()
    assert await harness.saved(row.id) == row


@conformant
async def test_saving_it_again_under_its_name_puts_it_right(sqlite_world: StoreHarness) -> None:
    harness = sqlite_world
    bad, _ = await add(harness)
    spoil(harness, "schedules", "action", "name = 'bad'")
    assert (await harness.saved(bad.id)).action.startswith('{"k\\xffind"')
    await harness.add(bad)
    assert (await harness.saved(bad.id)).quarantine is None
    planned = Script(Plan())
    await harness.turn(planner=planned, plan_limit=5)
    assert [entry.name for entry in planned.asked] == ["bad", "good"]


async def test_an_engine_goes_on(duly_store: str) -> None:
    """Today it stops planning for everyone."""
    clock = VirtualClock(START)
    app = Duly(duly_store, clock=clock)

    @app.job
    async def ring() -> None: ...

    async with app:
        for name in ("bad", "good"):
            await app.schedule(name, Cron("0 * * * *"), job=ring)
        with apsw.Connection(duly_store) as connection:
            connection.execute("UPDATE schedules SET policy = CAST(x'7bff7d' AS TEXT) WHERE name = 'bad'")
        connection.close()
        await clock.travel(timedelta(hours=3, minutes=1))
        assert (app.runs("good"), app.runs("bad")) == (3, 0)
        infos = {info.name: info for info in await app.schedules()}
        health = await app.health()
    assert "not UTF-8 text: schedules.policy ('{\\\\xff}')" in str(infos["bad"].state.quarantine)
    assert health.light == "yellow"
