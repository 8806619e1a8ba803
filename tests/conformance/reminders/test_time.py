"""Quiet hours, lateness, recovery after a stop, and every type of schedule."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import apsw
import pytest

from duly.errors import ChannelTemporaryError
from duly.model.run import Status
from tests.conformance.reminders.harness import START, ReminderHarness, harness_at, with_harness

EVENING = datetime(2026, 11, 16, 21, 30, tzinfo=UTC)  # 22:30 in Zagreb
MORNING = datetime(2026, 11, 17, 6, 0, tzinfo=UTC)  # 07:00 there
DOWN = ChannelTemporaryError("503")


async def at_night(harness: ReminderHarness) -> None:
    await harness.service.people.update(harness.ana, quiet="22:00-07:00")
    await harness.clock.travel_to(EVENING)


# quiet hours


@with_harness
async def test_quiet_hours_keep_a_reminder_until_they_end(harness: ReminderHarness) -> None:
    await at_night(harness)
    made = await harness.remind()
    await harness.clock.travel_to(MORNING - timedelta(seconds=1))
    assert (harness.chat.tries, await harness.status(made)) == (0, "sending")
    await harness.clock.travel(seconds=1)
    assert harness.chat.texts == ["Take it"]  # late on purpose is not late


@with_harness
async def test_critical_passes(harness: ReminderHarness) -> None:
    await at_night(harness)
    await harness.remind(priority="critical")
    await harness.clock.travel(minutes=5)
    assert harness.chat.texts == ["Take it"]


@with_harness
async def test_nagging_pauses_at_night(harness: ReminderHarness) -> None:
    await harness.service.people.update(harness.ana, quiet="22:00-07:00")
    await harness.clock.travel_to(datetime(2026, 11, 16, 20, 50, tzinfo=UTC))
    made = await harness.remind(require_ack=True)
    await harness.clock.travel(minutes=5)
    assert len(harness.chat.texts) == 1
    await harness.clock.travel_to(MORNING - timedelta(seconds=1))
    assert len(harness.chat.texts) == 1
    assert await harness.service.pending(harness.ana) == [await harness.reminder(made)]
    await harness.clock.travel(seconds=1)
    assert len(harness.chat.texts) == 2


@with_harness
async def test_an_answer_at_night_counts(harness: ReminderHarness) -> None:
    await harness.service.people.update(harness.ana, quiet="22:00-07:00")
    await harness.clock.travel_to(datetime(2026, 11, 16, 20, 50, tzinfo=UTC))
    made = await harness.remind(require_ack=True)
    await harness.clock.travel(hours=3)
    assert (await harness.service.handle_message(harness.ana, "chat", "done")).consumed
    await harness.clock.travel(days=1)
    assert (await harness.status(made), len(harness.chat.texts)) == ("acked", 1)


@with_harness
async def test_snoozing_into_quiet_hours_says_so(harness: ReminderHarness) -> None:
    await harness.service.people.update(harness.ana, quiet="22:00-07:00")
    await harness.clock.travel_to(datetime(2026, 11, 16, 20, 40, tzinfo=UTC))
    await harness.remind(require_ack=True)
    await harness.clock.travel(minutes=5)
    answered = await harness.service.answer(harness.ana, "snooze", minutes=60)
    assert answered.text == (
        "⏰ I will remind you at 22:45: Take it\nThat is in your quiet hours, so it comes tomorrow at 07:00."
    )
    await harness.clock.travel_to(MORNING)
    assert len(harness.chat.texts) == 2


@with_harness
async def test_quiet_hours_are_those_of_the_person_not_of_the_machine(harness: ReminderHarness) -> None:
    await harness.service.people.update(harness.ana, quiet="12:00-14:00", timezone="Asia/Tokyo")
    await harness.remind()
    await harness.clock.travel(minutes=5)
    assert harness.chat.texts == ["Take it"]  # 21:05 in Tokyo


# recovery


async def stopped_for(harness: ReminderHarness, **length: float) -> None:
    """Nothing runs for a while."""
    await harness.engine.stop()
    harness.clock.advance(timedelta(**length))
    await harness.store.close()
    await harness.open()


@pytest.mark.parametrize(
    ("minutes", "text"), [(20, "Take it"), (65, "Take it"), (66, "[Late 61m] Take it"), (4325, "[Late 3 days] Take it")]
)
def test_a_missed_one_shot_is_delivered_at_once(tmp_path: Path, minutes: int, text: str) -> None:
    async def scene() -> None:
        async with harness_at(str(tmp_path / "duly.db")) as harness:
            made = await harness.remind()
            await stopped_for(harness, minutes=minutes)
            [overdue] = await harness.service.recover_missed_jobs()
            assert (overdue.id, overdue.user_id, overdue.late_minutes) == (made.id, harness.ana, minutes - 5)
            assert (overdue.delivers, overdue.missed) == (START + timedelta(minutes=5), 0)
            await harness.start()
            await harness.clock.travel(seconds=0)
            assert harness.chat.texts == [text]

    asyncio.run(scene())


@with_harness
async def test_damaged_rows_do_not_stop_starting_reading_or_moving(harness: ReminderHarness) -> None:
    damaged = {
        column: await harness.remind({"type": "daily", "time": "14:00"}) for column in ("trigger", "action", "policy")
    }
    made = await harness.remind({"type": "daily", "time": "14:00"})
    await stopped_for(harness, hours=2)
    with apsw.Connection(harness.url) as connection:
        for column, view in damaged.items():
            damage = f"UPDATE schedules SET {column} = '{{' WHERE id = ?"  # noqa: S608  the columns above
            connection.execute(damage, (view.id,))
    assert [each.id for each in await harness.service.recover_missed_jobs()] == [made.id]
    assert made.id in {each.id for each in (await harness.service.lists.page(harness.ana))[0]}
    await harness.start()
    await harness.clock.travel(seconds=0)
    assert harness.chat.texts == ["Take it"]
    await harness.service.people.update(harness.ana, timezone="Asia/Tokyo")
    assert (await harness.service.get(harness.ana, made.id)).timezone == "Asia/Tokyo"


@with_harness
async def test_a_page_of_damaged_rows_does_not_hide_what_comes_after_it(harness: ReminderHarness) -> None:
    views = [await harness.remind({"type": "daily", "time": "14:00"}, name=name) for name in ("a", "b", "c")]
    with apsw.Connection(harness.url) as connection:
        for view in views[:2]:
            connection.execute("UPDATE schedules SET trigger = '{' WHERE id = ?", (view.id,))
    found, cursor = await harness.service.lists.page(harness.ana, limit=1)
    assert [each.name for each in found] == ["c"]
    assert cursor is None or (await harness.service.lists.page(harness.ana, cursor=cursor, limit=1)) == ([], None)


@with_harness
async def test_of_missed_recurring_runs_the_latest_is_delivered(harness: ReminderHarness) -> None:
    made = await harness.remind({"type": "interval", "every": "6h"}, name="pills")
    await stopped_for(harness, hours=45)
    [overdue] = await harness.service.recover_missed_jobs()
    assert (overdue.delivers, overdue.missed, overdue.late_minutes) == (START + timedelta(hours=42), 6, 180)
    await harness.start()
    await harness.clock.travel(seconds=0)
    assert harness.chat.texts == ["[Late 180m] Take it"]
    view = await harness.service.get(harness.ana, made.id)
    assert view.next_run_at == START + timedelta(hours=48)
    missed = [run for run in await harness.runs(made) if run.status is Status.MISSED]
    assert sum(run.skipped for run in missed) == 6


@with_harness
async def test_a_recurring_run_older_than_a_day_is_recorded_as_missed(harness: ReminderHarness) -> None:
    weekly = {"type": "weekly", "days": ["tue"], "time": "08:00"}
    made = await harness.remind(weekly)
    await stopped_for(harness, days=3)
    [overdue] = await harness.service.recover_missed_jobs()
    assert (overdue.delivers, overdue.missed) == (None, 1)
    await harness.start()
    await harness.clock.travel(seconds=0)
    assert harness.chat.texts == []
    assert [run.status for run in await harness.runs(made)] == [Status.MISSED]
    assert (await harness.service.get(harness.ana, made.id)).next_run_at == datetime(2026, 11, 24, 7, tzinfo=UTC)


@with_harness
async def test_what_is_recovered_does_not_depend_on_the_last_status(harness: ReminderHarness) -> None:
    harness.chat.otherwise = harness.mail.otherwise = DOWN
    made = await harness.remind({"type": "interval", "every": "6h"}, max_retries=0)
    await harness.clock.travel(hours=6)
    assert await harness.status(made) == "failed"
    harness.chat.otherwise = harness.mail.otherwise = None
    await stopped_for(harness, hours=7)
    await harness.start()
    await harness.clock.travel(seconds=0)
    assert harness.chat.texts == ["Take it"]


@with_harness
async def test_waiting_for_an_answer_survives_a_restart(harness: ReminderHarness) -> None:
    made = await harness.remind(require_ack=True)
    await harness.clock.travel(minutes=5)
    await stopped_for(harness, minutes=4)
    assert await harness.service.recover_missed_jobs() == []
    await harness.start()
    await harness.clock.travel(minutes=5, seconds=59)
    assert len(harness.chat.texts) == 1
    await harness.clock.travel(seconds=1)
    assert len(harness.chat.texts) == 2
    await stopped_for(harness, hours=3)
    await harness.service.answer(harness.ana, "ack")  # while nothing runs
    await harness.start()
    await harness.clock.travel(hours=1)
    assert (len(harness.chat.texts), await harness.status(made)) == (2, "acked")


# the table of schedule types


@pytest.mark.parametrize(
    ("schedule", "fires", "columns"),
    [
        (
            {"type": "once", "at": "5m"},
            ["2026-11-16T12:05"],
            {"run_at": START + timedelta(minutes=5), "cron_expr": "5 12 16 11 *"},
        ),
        (
            {"type": "interval", "every": "2h"},
            [f"2026-11-16T{hour}:00" for hour in (14, 16, 18, 20, 22)],
            {"interval_ms": 7_200_000},
        ),
        ({"type": "daily", "time": "08:00"}, ["2026-11-17T07:00"], {"time_of_day": "08:00"}),
        (
            {"type": "weekly", "time": "07:30", "days": ["weekdays"]},
            ["2026-11-17T06:30"],
            {"time_of_day": "07:30", "days_of_week": "1,2,3,4,5"},
        ),
        ({"type": "cron", "expr": "0 8 * * 1-5"}, ["2026-11-17T07:00"], {"cron_expr": "0 8 * * 1-5"}),
        ({"type": "smart", "text": "workdays at 8, weekends at 10"}, ["2026-11-17T07:00"], {}),
    ],
)
def test_schedule_types(tmp_path: Path, schedule: dict[str, Any], fires: list[str], columns: dict[str, Any]) -> None:
    async def scene() -> None:
        async with harness_at(str(tmp_path / "duly.db")) as harness:
            made = await harness.remind(schedule)
            assert made.schedule_type == schedule["type"]
            assert {name: getattr(made, name) for name in columns} == columns
            await harness.clock.travel(hours=22)
            expected = [datetime.fromisoformat(text).replace(tzinfo=UTC) for text in fires]
            runs = [run.fire.fire_at for run in reversed(await harness.runs(made))]
            assert runs[: len(expected)] == expected
            assert len(harness.chat.texts) == len(runs)

    asyncio.run(scene())


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("every day at 8 from Wednesday for 2 days", [18, 19]),
        ("every day at 8, 3 times", [17, 18, 19]),
        ("every day at 8 until Friday", [17, 18, 19, 20]),
        ("weekdays at 8 from 19 November until 23 November", [19, 20, 23]),
    ],
)
def test_a_series_begins_and_ends_as_it_was_said(tmp_path: Path, text: str, days: list[int]) -> None:
    async def scene() -> None:
        async with harness_at(str(tmp_path / "duly.db")) as harness:
            made = await harness.remind({"type": "smart", "text": text})
            expected = [datetime(2026, 11, day, 7, tzinfo=UTC) for day in days]
            assert made.next_run_at == expected[0]
            for _ in range(9):
                await harness.clock.travel(days=1)
            assert [run.fire.fire_at for run in reversed(await harness.runs(made))] == expected
            assert (await harness.service.get(harness.ana, made.id)).next_run_at is None

    asyncio.run(scene())


@with_harness
async def test_a_series_travels_with_the_person(harness: ReminderHarness) -> None:
    made = await harness.remind({"type": "smart", "text": "every day at 8 from Wednesday for 2 days"})
    await harness.service.people.update(harness.ana, timezone="America/New_York")
    view = await harness.service.get(harness.ana, made.id)
    assert (view.timezone, view.next_run_at) == ("America/New_York", datetime(2026, 11, 18, 13, tzinfo=UTC))


@with_harness
async def test_a_pause_does_not_make_a_series_begin_early(harness: ReminderHarness) -> None:
    made = await harness.remind({"type": "smart", "text": "every day at 8 from Friday"})
    begins = datetime(2026, 11, 20, 7, tzinfo=UTC)
    assert made.next_run_at == begins
    await harness.service.update(harness.ana, made.id, enabled=False)
    assert (await harness.service.update(harness.ana, made.id, enabled=True)).next_run_at == begins
