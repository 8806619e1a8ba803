"""Use cases on reminders: making, showing, changing, and each person's own."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from duly.errors import InvalidInputError, NotFoundError
from duly.model.action import Message
from duly.model.run import Status
from duly.ports.people import LOCAL_USER
from duly.ports.records import RunFilter, ScheduleFilter
from duly.recurrence import Once
from duly.service.reminders.requests import no_job
from duly.service.schedules.drafts import Draft
from duly.service.schedules.schedules import ScheduleService
from tests.conformance.reminders.harness import ASKED, IN_FIVE, START, ReminderHarness, harness_at, with_harness


@with_harness
async def test_every_column_is_shown(harness: ReminderHarness) -> None:
    made = await harness.service.create(
        harness.ana,
        {"type": "weekly", "time": "07:30", "days": ["mon", "fri"], "timezone": "Europe/Berlin"},
        "Wake up",
        name="wake",
        priority="high",
        require_ack=True,
        ack_prompt="Up?",
        channel="mail",
        snooze_allowed=False,
        max_retries=1,
        created_via="chat",
        original_text="wake me at half past seven on mondays and fridays",
    )
    view = await harness.service.get(harness.ana, made.id)
    assert view == made
    shown = {name: getattr(view, name) for name in view.__dataclass_fields__}
    assert shown == {
        "id": made.id,
        "user_id": harness.ana,
        "name": "wake",
        "schedule_type": "weekly",
        "run_at": None,
        "interval_ms": None,
        "time_of_day": "07:30",
        "days_of_week": "1,5",
        "timezone": "Europe/Berlin",
        "cron_expr": None,
        "when": "every Monday and Friday at 07:30 (Europe/Berlin)",
        "words": "on Mondays and Fridays at 07:30 (Europe/Berlin)",
        "message": "Wake up",
        "channel": "mail",
        "priority": "high",
        "require_ack": True,
        "ack_prompt": "Up?",
        "snooze_allowed": False,
        "max_retries": 1,
        "max_ack_reminders": 3,
        "nag_minutes": 10,
        "lead_minutes": (),
        "shared_with": (),
        "answered_by": None,
        "again_after_minutes": None,
        "enabled": True,
        "next_run_at": datetime(2026, 11, 20, 6, 30, tzinfo=UTC),
        "next_run_local": "2026-11-20T07:30:00+01:00",
        "snoozed_until": None,
        "last_run_at": None,
        "last_status": None,
        "run_id": None,
        "consecutive_errors": 0,
        "total_runs": 0,
        "created_at": START,
        "created_via": "chat",
        "original_text": "wake me at half past seven on mondays and fridays",
        "warning": None,
        "note": None,
        "truncated": None,
    }


@with_harness
async def test_the_state_follows_the_runs(harness: ReminderHarness) -> None:
    made = await harness.remind({"type": "interval", "every": "1h"}, require_ack=True)
    await harness.clock.travel(hours=1)
    view = await harness.service.get(harness.ana, made.id)
    assert (view.last_status, view.last_run_at, view.total_runs) == ("awaiting_ack", START + timedelta(hours=1), 0)
    await harness.service.answer(harness.ana, "ack")
    await harness.clock.travel(seconds=1)
    view = await harness.service.get(harness.ana, made.id)
    assert (view.last_status, view.total_runs, view.consecutive_errors) == ("acked", 1, 0)
    assert view.next_run_at == START + timedelta(hours=2)


@with_harness
async def test_what_waits_at_night_is_replaced_and_is_no_error(harness: ReminderHarness) -> None:
    await harness.service.people.update(harness.ana, quiet="12:00-18:00")
    made = await harness.remind({"type": "interval", "every": "1h"})
    await harness.clock.travel_to(datetime(2026, 11, 16, 17, 0, tzinfo=UTC))
    assert harness.chat.texts == ["Take it"]
    view = await harness.service.get(harness.ana, made.id)
    assert (view.last_status, view.consecutive_errors) == ("delivered", 0)
    statuses = [each.status for each in await harness.store.reminders.of_schedule(made.id, 10)]
    assert statuses == ["delivered", "missed", "missed", "missed", "missed"]
    assert [run.status for run in await harness.runs(made)] == [Status.SUCCEEDED, *[Status.CANCELLED] * 4]


# each person's own


@with_harness
async def test_a_foreign_reminder_answers_like_an_unknown_one(harness: ReminderHarness) -> None:
    ben = (await harness.service.people.add("Ben")).user.id
    made = await harness.remind(require_ack=True, name="pills")
    await harness.clock.travel(minutes=5)
    run_id = (await harness.reminder(made)).run_id
    attempts: list[Callable[[str], Coroutine[Any, Any, Any]]] = [
        lambda target: harness.service.get(ben, target),
        lambda target: harness.service.remove(ben, target),
        lambda target: harness.service.update(ben, target, message="mine now"),
        lambda target: harness.service.skip_next(ben, target),
    ]
    for attempt in attempts:
        said = []
        for target in (made.id, "sched_0000"):
            with pytest.raises(NotFoundError) as error:
                await attempt(target)
            said.append(str(error.value).replace(target, "…"))
        assert said[0] == said[1] == "there is no reminder '…'"
    for target in (made.id, run_id, "pills"):
        with pytest.raises(NotFoundError):
            await harness.service.answer(ben, "ack", target)
    with pytest.raises(NotFoundError):
        await harness.service.deliveries(ben, run_id)
    press = harness.chat.arrived[0].outgoing.buttons[0].token
    assert not (await harness.service.handle_message(ben, "chat", button=press)).consumed
    assert not (await harness.service.handle_message(ben, "chat", "done", quoted="chat-1")).consumed
    assert (await harness.service.lists.page(ben))[0] == []
    assert await harness.service.pending(ben) == []
    assert await harness.status(made) == "awaiting_ack"


@with_harness
async def test_a_person_can_use_a_name_once(harness: ReminderHarness) -> None:
    await harness.remind(name="pills")
    await harness.service.create(harness.root, IN_FIVE, "Mine", name="pills")
    with pytest.raises(InvalidInputError, match="exists already"):
        await harness.remind(name="pills")
    assert [view.name for view in (await harness.service.lists.page(harness.ana))[0]] == ["pills"]


@with_harness
async def test_listing_goes_page_by_page(harness: ReminderHarness) -> None:
    for number in range(5):
        await harness.remind(name=f"r{number}")
    await harness.service.update(harness.ana, "r1", enabled=False)
    first, cursor = await harness.service.lists.page(harness.ana, limit=3)
    rest, end = await harness.service.lists.page(harness.ana, limit=3, cursor=cursor)
    assert end is None
    assert [view.name for view in first + rest] == ["r0", "r1", "r2", "r3", "r4"]
    assert [view.name for view in (await harness.service.lists.page(harness.ana, enabled=False))[0]] == ["r1"]


@with_harness
async def test_a_reminder_for_an_unknown_person_is_refused(harness: ReminderHarness) -> None:
    with pytest.raises(NotFoundError, match="no user 'user_x'"):
        await harness.service.create("user_x", IN_FIVE, "Hello")


# changing


@with_harness
async def test_changing_words_leaves_the_time(harness: ReminderHarness) -> None:
    made = await harness.remind({"type": "daily", "time": "08:00"}, name="pills")
    changed = await harness.service.update(harness.ana, "pills", message="Two pills", priority="high", name="morning")
    assert (changed.id, changed.name, changed.message, changed.priority) == (made.id, "morning", "Two pills", "high")
    assert changed.next_run_at == made.next_run_at


@with_harness
async def test_changing_the_time_starts_from_now(harness: ReminderHarness) -> None:
    made = await harness.remind(name="pills")
    await harness.clock.travel(minutes=5)
    assert not (await harness.service.get(harness.ana, made.id)).enabled
    changed = await harness.service.update(harness.ana, made.id, schedule={"type": "once", "at": "1h"})
    assert (changed.enabled, changed.next_run_at) == (True, START + timedelta(minutes=65))
    await harness.clock.travel(hours=1)
    assert harness.chat.texts == ["Take it", "Take it"]


@with_harness
async def test_a_paused_reminder_is_silent(harness: ReminderHarness) -> None:
    made = await harness.remind({"type": "interval", "every": "1h"})
    assert not (await harness.service.update(harness.ana, made.id, enabled=False)).enabled
    await harness.clock.travel(hours=3)
    assert harness.chat.texts == []
    assert (await harness.service.update(harness.ana, made.id, enabled=True)).next_run_at == START + timedelta(hours=4)


@with_harness
async def test_one_occurrence_may_be_left_out(harness: ReminderHarness) -> None:
    made = await harness.remind({"type": "daily", "time": "08:00"})
    skipped = await harness.service.skip_next(harness.ana, made.id)
    assert skipped.next_run_at == datetime(2026, 11, 18, 7, tzinfo=UTC)
    assert [run.status for run in await harness.runs(made)] == [Status.SKIPPED]


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        ({"colour": "red"}, "a reminder has no 'colour'; it has ack_prompt, again_after_minutes, answered_by, channel"),
        ({"priority": "urgent"}, "priority must be one of 'low', 'normal', 'high', 'critical', got 'urgent'"),
        ({"max_retries": -1}, "max_retries must be a whole number of at least 0, got -1"),
        ({"message": " "}, "message must not be empty"),
        ({"ack_prompt": 7}, "ack_prompt must be text, got 7"),
    ],
)
async def test_a_reminder_with_a_wrong_field_is_refused(tmp_path: Path, options: dict[str, Any], fault: str) -> None:
    async with harness_at(str(tmp_path / "duly.db")) as harness:
        with pytest.raises(InvalidInputError) as error:
            await harness.remind(**options)
        assert fault in str(error.value)
        assert (await harness.service.lists.page(harness.ana))[0] == []


# remind


@with_harness
async def test_remind_in_some_minutes(harness: ReminderHarness) -> None:
    harness.clock.advance(0.25)
    answer = await harness.service.remind(harness.ana, "Call mum", "chat", delay_minutes=60)
    target = START + timedelta(hours=1)
    assert answer == {
        "id": answer["id"],
        "status": "scheduled",
        "remind_at": "2026-11-16T13:00:00Z",
        "remind_at_local": "2026-11-16T14:00:00+01:00",
        "timezone": "Europe/Zagreb",
        "channel": "chat",
        "message": "Call mum",
    }
    row = await harness.store.get(answer["id"])
    assert row is not None
    assert row.name.startswith("remind-20261116T130000-")
    assert (row.next_run_at, row.until_at) == (target, target + timedelta(minutes=1))
    assert (await harness.service.get(harness.ana, answer["id"])).cron_expr == "0 13 16 11 *"
    await harness.clock.travel(hours=1)
    assert harness.chat.texts == ["Call mum"]


@with_harness
async def test_remind_at_a_time(harness: ReminderHarness) -> None:
    naive = await harness.service.remind(harness.ana, "Call", remind_at="2026-11-16T18:00")  # in Zagreb
    zoned = await harness.service.remind(harness.ana, "Call", remind_at="2026-11-16T18:00-05:00")
    assert naive["remind_at"] == "2026-11-16T17:00:00Z"
    assert zoned["remind_at"] == "2026-11-16T23:00:00Z"


@with_harness
async def test_remind_says_what_is_wrong(harness: ReminderHarness) -> None:
    both = await harness.service.remind(harness.ana, "x", delay_minutes=5, remind_at="2026-11-17T09:00")
    neither = await harness.service.remind(harness.ana, "x")
    zero = await harness.service.remind(harness.ana, "x", delay_minutes=0)
    past = await harness.service.remind(harness.ana, "x", remind_at="2026-11-16T09:00")
    odd = await harness.service.remind(harness.ana, "x", remind_at="soon")
    answers = (both, neither, zero, past, odd)
    assert all(answer["status"] == "error" and set(answer) == {"status", "error"} for answer in answers)
    assert both["error"].startswith("exactly one of delay_minutes and remind_at")
    assert neither["error"].startswith("exactly one of delay_minutes and remind_at")
    assert zero["error"].startswith("delay_minutes must be at least 1")
    assert "is in the past" in past["error"]
    assert "ISO 8601" in odd["error"]
    assert (await harness.service.lists.page(harness.ana))[0] == []


@with_harness
async def test_a_missed_remind_is_made_up_after_its_end(harness: ReminderHarness) -> None:
    await harness.service.remind(harness.ana, "Call", delay_minutes=5)
    await harness.engine.stop()
    harness.clock.advance(timedelta(hours=30))
    await harness.start()
    await harness.clock.travel(seconds=0)
    assert harness.chat.texts == ["[Late 1 day 5 hours] Call"]


# people


@with_harness
async def test_who_sits_at_the_machine_is_always_there(harness: ReminderHarness) -> None:
    made = await harness.service.create(LOCAL_USER, Once(START + timedelta(hours=1)), "Stretch")
    person = await harness.service.people.get(LOCAL_USER)
    assert (made.user_id, person.user.is_admin, person.channels) == (LOCAL_USER, True, ())
    assert (await harness.service.people.get("Ana")).user.id == harness.ana


@with_harness
async def test_people_are_changed_field_by_field(harness: ReminderHarness) -> None:
    people = harness.service.people
    changed = await people.update("Ana", quiet="9:00 - 17:30", language="de", name="Anna")
    assert (changed.user.quiet_from, changed.user.quiet_to, changed.user.timezone) == (
        "09:00",
        "17:30",
        "Europe/Zagreb",
    )
    assert (await people.update("Anna", quiet=None)).user.quiet_from is None
    faults: list[tuple[dict[str, Any], str]] = [
        ({"quiet": "22-7"}, "two different times"),
        ({"quiet": "22:00-22:00"}, "two different times"),
        ({"quiet": "25:00-07:00"}, "two different times"),
        ({"timezone": "Mars/Base"}, "unknown time zone"),
        ({"name": ""}, "name must be"),
        ({"shoe_size": 43}, "shoe_size"),
        ({"id": "x"}, "stay as they are"),
        ({"name": "Root"}, "is taken"),
    ]
    for fields, fault in faults:
        with pytest.raises(InvalidInputError, match=fault):
            await people.update("Anna", **fields)
    with pytest.raises(NotFoundError):
        await people.update("Ana", language="en")


@with_harness
async def test_reminders_travel_with_the_person(harness: ReminderHarness) -> None:
    daily = await harness.remind({"type": "daily", "time": "08:00"})
    once = await harness.remind({"type": "once", "at": "2026-11-17T08:00"})
    pace = await harness.remind({"type": "interval", "every": "5h"})
    cron = await harness.remind({"type": "cron", "expr": "0 8 * * *"})
    smart = await harness.remind({"type": "smart", "text": "workdays at 8, weekends at 10"})
    window = await harness.remind({"type": "smart", "text": "every 25 minutes between 9 and 17"})
    fixed = await harness.remind({"type": "daily", "time": "08:00", "timezone": "Asia/Tokyo"})
    paused = await harness.remind({"type": "daily", "time": "08:00"})
    await harness.service.update(harness.ana, paused.id, enabled=False)
    await harness.clock.travel(hours=1)
    await harness.service.people.update(harness.ana, timezone="America/New_York")
    there = datetime(2026, 11, 17, 13, tzinfo=UTC)
    for made in (daily, cron, smart):
        view = await harness.service.get(harness.ana, made.id)
        assert (view.timezone, view.next_run_at) == ("America/New_York", there), view.when
    opens = datetime(2026, 11, 16, 14, tzinfo=UTC)
    assert (await harness.service.get(harness.ana, window.id)).next_run_at == opens
    for made in (once, fixed, pace):
        assert (await harness.service.get(harness.ana, made.id)).next_run_at == made.next_run_at
    assert (await harness.service.get(harness.ana, paused.id)).next_run_at is None
    assert (await harness.service.update(harness.ana, paused.id, enabled=True)).next_run_at == there


@with_harness
async def test_channels_have_an_order(harness: ReminderHarness) -> None:
    people = harness.service.people
    person = await people.add_channel(harness.ana, "pager", "9")
    assert [each.channel for each in person.channels] == ["chat", "mail", "pager"]
    person = await people.add_channel(harness.ana, "pager", "9", first=True)
    assert [each.channel for each in person.channels] == ["pager", "chat", "mail"]
    person = await people.set_channels(harness.ana, [("mail", "ana@example.org"), ("pager", "9")])
    assert [each.channel for each in person.channels] == ["mail", "pager"]
    person = await people.remove_channel(harness.ana, "pager", "9")
    assert [each.channel for each in person.channels] == ["mail"]
    with pytest.raises(NotFoundError, match="has no pager"):
        await people.remove_channel(harness.ana, "pager", "9")
    with pytest.raises(InvalidInputError, match="belongs to another person"):
        await people.add_channel(harness.ana, "pager", "1")
    await people.remove("Ana")
    assert [each.user.name for each in (await people.page())[0]] == ["Root"]


@with_harness
async def test_who_is_removed_is_reminded_of_nothing_any_more(harness: ReminderHarness) -> None:
    waiting = await harness.remind(require_ack=True, priority="critical")
    for number in range(3):
        await harness.remind({"type": "daily", "time": "14:00"}, name=f"daily-{number}")
    others = await harness.service.create(harness.root, {"type": "daily", "time": "14:00"}, "Look")
    await harness.clock.travel(minutes=6)
    await harness.service.people.remove("Ana")
    await harness.clock.travel(days=2)
    assert (harness.chat.texts, harness.mail.texts) == ([ASKED], [])
    assert await harness.inbox(harness.ana) == []
    assert await harness.run_status(waiting) is Status.CANCELLED
    assert harness.pager.texts == ["Look"] * 2
    assert (await harness.service.get(harness.root, others.id)).enabled
    left = await harness.store.schedules(ScheduleFilter(namespace=f"user:{harness.ana}"))
    assert left == []
    mine = await harness.service.create(LOCAL_USER, IN_FIVE, "Mine")
    await harness.service.people.remove(LOCAL_USER)
    assert (await harness.service.get(LOCAL_USER, mine.id)).enabled


@with_harness
async def test_a_message_without_a_person_fails_instead_of_vanishing(harness: ReminderHarness) -> None:
    draft = Draft(name="lost", trigger=Once(START + timedelta(minutes=5)), action=Message(text="Hi", user_id="user_x"))
    [made] = await ScheduleService(harness.store, harness.clock, no_job, harness.random_bits).save([draft])
    await harness.clock.travel(minutes=6)
    [failed] = await harness.store.runs(RunFilter(schedule_id=made))
    assert failed.status is Status.FAILED
    assert "there is no user 'user_x' to tell: 'Hi'" in str(failed.error)


# pairing


@with_harness
async def test_a_code_binds_the_chat_it_is_sent_from(harness: ReminderHarness) -> None:
    people = harness.service.people
    code = await people.make_code("Ana", "telegram")
    assert await people.pair("telegram", "4711", "hello") is None
    assert await people.pair("slack", "4711", code) is None
    paired = await people.pair("telegram", "4711", f"/start {code.lower()} ")
    assert paired is not None
    assert (paired.user.id, paired.reply) == (harness.ana, "Hello Ana! Your reminders come here from now on.")
    bound = await people.by_address("telegram", "4711")
    assert bound is not None
    assert (bound.user_id, bound.sender) == (harness.ana, None)
    assert await people.pair("telegram", "4712", code) is None
    late = await people.make_code("Ana", "telegram")
    await harness.clock.travel(minutes=30)
    assert await people.pair("telegram", "4712", late.replace("-", "")) is None
