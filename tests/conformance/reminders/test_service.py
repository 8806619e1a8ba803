"""Use cases on reminders: making, showing, changing, and each person's own."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from datetime import UTC, datetime, timedelta
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
from tests.conformance.reminders.lab import ASKED, IN_FIVE, START, Lab, in_lab


@in_lab
async def test_every_column_is_shown(lab: Lab) -> None:
    made = await lab.service.create(
        lab.ana,
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
    view = await lab.service.get(lab.ana, made.id)
    assert view == made
    shown = {name: getattr(view, name) for name in view.__dataclass_fields__}
    assert shown == {
        "id": made.id,
        "user_id": lab.ana,
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
        "enabled": True,
        "next_run_at": datetime(2026, 11, 20, 6, 30, tzinfo=UTC),
        "next_run_local": "2026-11-20T07:30:00+01:00",
        "last_run_at": None,
        "last_status": None,
        "run_id": None,
        "consecutive_errors": 0,
        "total_runs": 0,
        "created_at": START,
        "created_via": "chat",
        "original_text": "wake me at half past seven on mondays and fridays",
        "warning": None,
        "truncated": None,
    }


@in_lab
async def test_the_state_follows_the_runs(lab: Lab) -> None:
    made = await lab.remind({"type": "interval", "every": "1h"}, require_ack=True)
    await lab.clock.travel(hours=1)
    view = await lab.service.get(lab.ana, made.id)
    assert (view.last_status, view.last_run_at, view.total_runs) == ("awaiting_ack", START + timedelta(hours=1), 0)
    await lab.service.answer(lab.ana, "ack")
    await lab.clock.travel(seconds=1)
    view = await lab.service.get(lab.ana, made.id)
    assert (view.last_status, view.total_runs, view.consecutive_errors) == ("acked", 1, 0)
    assert view.next_run_at == START + timedelta(hours=2)


@in_lab
async def test_what_waits_at_night_is_replaced_and_is_no_error(lab: Lab) -> None:
    await lab.service.people.update(lab.ana, quiet="12:00-18:00")
    made = await lab.remind({"type": "interval", "every": "1h"})
    await lab.clock.travel_to(datetime(2026, 11, 16, 17, 0, tzinfo=UTC))
    assert lab.chat.texts == ["Take it"]
    view = await lab.service.get(lab.ana, made.id)
    assert (view.last_status, view.consecutive_errors) == ("delivered", 0)
    statuses = [each.status for each in await lab.store.reminders.of_schedule(made.id, 10)]
    assert statuses == ["delivered", "missed", "missed", "missed", "missed"]
    assert [run.status for run in await lab.runs(made)] == [Status.SUCCEEDED, *[Status.CANCELLED] * 4]


# each person's own


@in_lab
async def test_a_foreign_reminder_answers_like_an_unknown_one(lab: Lab) -> None:
    ben = (await lab.service.people.add("Ben")).user.id
    made = await lab.remind(require_ack=True, name="pills")
    await lab.clock.travel(minutes=5)
    run_id = (await lab.reminder(made)).run_id
    attempts: list[Callable[[str], Coroutine[Any, Any, Any]]] = [
        lambda target: lab.service.get(ben, target),
        lambda target: lab.service.remove(ben, target),
        lambda target: lab.service.update(ben, target, message="mine now"),
        lambda target: lab.service.skip_next(ben, target),
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
            await lab.service.answer(ben, "ack", target)
    with pytest.raises(NotFoundError):
        await lab.service.attempts(ben, run_id)
    press = lab.chat.arrived[0].outgoing.buttons[0].token
    assert not (await lab.service.handle_message(ben, "chat", button=press)).consumed
    assert not (await lab.service.handle_message(ben, "chat", "done", quoted="chat-1")).consumed
    assert (await lab.service.lists.page(ben))[0] == []
    assert await lab.service.pending(ben) == []
    assert await lab.status(made) == "awaiting_ack"


@in_lab
async def test_a_person_can_use_a_name_once(lab: Lab) -> None:
    await lab.remind(name="pills")
    await lab.service.create(lab.root, IN_FIVE, "Mine", name="pills")
    with pytest.raises(InvalidInputError, match="exists already"):
        await lab.remind(name="pills")
    assert [view.name for view in (await lab.service.lists.page(lab.ana))[0]] == ["pills"]


@in_lab
async def test_listing_goes_page_by_page(lab: Lab) -> None:
    for number in range(5):
        await lab.remind(name=f"r{number}")
    await lab.service.update(lab.ana, "r1", enabled=False)
    first, cursor = await lab.service.lists.page(lab.ana, limit=3)
    rest, end = await lab.service.lists.page(lab.ana, limit=3, cursor=cursor)
    assert end is None
    assert [view.name for view in first + rest] == ["r0", "r1", "r2", "r3", "r4"]
    assert [view.name for view in (await lab.service.lists.page(lab.ana, enabled=False))[0]] == ["r1"]


@in_lab
async def test_a_reminder_for_an_unknown_person_is_refused(lab: Lab) -> None:
    with pytest.raises(NotFoundError, match="no user 'user_x'"):
        await lab.service.create("user_x", IN_FIVE, "Hello")


# changing


@in_lab
async def test_changing_words_leaves_the_time(lab: Lab) -> None:
    made = await lab.remind({"type": "daily", "time": "08:00"}, name="pills")
    changed = await lab.service.update(lab.ana, "pills", message="Two pills", priority="high", name="morning")
    assert (changed.id, changed.name, changed.message, changed.priority) == (made.id, "morning", "Two pills", "high")
    assert changed.next_run_at == made.next_run_at


@in_lab
async def test_changing_the_time_starts_from_now(lab: Lab) -> None:
    made = await lab.remind(name="pills")
    await lab.clock.travel(minutes=5)
    assert not (await lab.service.get(lab.ana, made.id)).enabled
    changed = await lab.service.update(lab.ana, made.id, schedule={"type": "once", "at": "1h"})
    assert (changed.enabled, changed.next_run_at) == (True, START + timedelta(minutes=65))
    await lab.clock.travel(hours=1)
    assert lab.chat.texts == ["Take it", "Take it"]


@in_lab
async def test_a_paused_reminder_is_silent(lab: Lab) -> None:
    made = await lab.remind({"type": "interval", "every": "1h"})
    assert not (await lab.service.update(lab.ana, made.id, enabled=False)).enabled
    await lab.clock.travel(hours=3)
    assert lab.chat.texts == []
    assert (await lab.service.update(lab.ana, made.id, enabled=True)).next_run_at == START + timedelta(hours=4)


@in_lab
async def test_one_occurrence_may_be_left_out(lab: Lab) -> None:
    made = await lab.remind({"type": "daily", "time": "08:00"})
    skipped = await lab.service.skip_next(lab.ana, made.id)
    assert skipped.next_run_at == datetime(2026, 11, 18, 7, tzinfo=UTC)
    assert [run.status for run in await lab.runs(made)] == [Status.SKIPPED]


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        ({"colour": "red"}, "a reminder has no 'colour'; it has ack_prompt, channel, max_ack_reminders"),
        ({"priority": "urgent"}, "priority must be one of 'low', 'normal', 'high', 'critical', got 'urgent'"),
        ({"max_retries": -1}, "max_retries must be a whole number of at least 0, got -1"),
        ({"message": " "}, "message must not be empty"),
        ({"ack_prompt": 7}, "ack_prompt must be text, got 7"),
    ],
)
def test_what_cannot_be(tmp_path: Any, options: dict[str, Any], fault: str) -> None:
    @in_lab
    async def scene(lab: Lab) -> None:
        with pytest.raises(InvalidInputError) as error:
            await lab.remind(**options)
        assert fault in str(error.value)
        assert (await lab.service.lists.page(lab.ana))[0] == []

    scene(tmp_path)


# remind


@in_lab
async def test_remind_in_some_minutes(lab: Lab) -> None:
    lab.clock.advance(0.25)
    answer = await lab.service.remind(lab.ana, "Call mum", "chat", delay_minutes=60)
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
    row = await lab.store.get(answer["id"])
    assert row is not None
    assert row.name.startswith("remind-20261116T130000-")
    assert (row.next_run_at, row.until_at) == (target, target + timedelta(minutes=1))
    assert (await lab.service.get(lab.ana, answer["id"])).cron_expr == "0 13 16 11 *"
    await lab.clock.travel(hours=1)
    assert lab.chat.texts == ["Call mum"]


@in_lab
async def test_remind_at_a_time(lab: Lab) -> None:
    naive = await lab.service.remind(lab.ana, "Call", remind_at="2026-11-16T18:00")  # in Zagreb
    zoned = await lab.service.remind(lab.ana, "Call", remind_at="2026-11-16T18:00-05:00")
    assert naive["remind_at"] == "2026-11-16T17:00:00Z"
    assert zoned["remind_at"] == "2026-11-16T23:00:00Z"


@in_lab
async def test_remind_says_what_is_wrong(lab: Lab) -> None:
    both = await lab.service.remind(lab.ana, "x", delay_minutes=5, remind_at="2026-11-17T09:00")
    neither = await lab.service.remind(lab.ana, "x")
    zero = await lab.service.remind(lab.ana, "x", delay_minutes=0)
    past = await lab.service.remind(lab.ana, "x", remind_at="2026-11-16T09:00")
    odd = await lab.service.remind(lab.ana, "x", remind_at="soon")
    answers = (both, neither, zero, past, odd)
    assert all(answer["status"] == "error" and set(answer) == {"status", "error"} for answer in answers)
    assert both["error"].startswith("exactly one of delay_minutes and remind_at")
    assert neither["error"].startswith("exactly one of delay_minutes and remind_at")
    assert zero["error"].startswith("delay_minutes must be at least 1")
    assert "is in the past" in past["error"]
    assert "ISO 8601" in odd["error"]
    assert (await lab.service.lists.page(lab.ana))[0] == []


@in_lab
async def test_a_missed_remind_is_made_up_after_its_end(lab: Lab) -> None:
    await lab.service.remind(lab.ana, "Call", delay_minutes=5)
    await lab.engine.stop()
    lab.clock.advance(timedelta(hours=30))
    await lab.start()
    await lab.clock.travel(seconds=0)
    assert lab.chat.texts == ["[Late 1795m] Call"]


# people


@in_lab
async def test_who_sits_at_the_machine_is_always_there(lab: Lab) -> None:
    made = await lab.service.create(LOCAL_USER, Once(START + timedelta(hours=1)), "Stretch")
    person = await lab.service.people.get(LOCAL_USER)
    assert (made.user_id, person.user.is_admin, person.channels) == (LOCAL_USER, True, ())
    assert (await lab.service.people.get("Ana")).user.id == lab.ana


@in_lab
async def test_people_are_changed_field_by_field(lab: Lab) -> None:
    people = lab.service.people
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


@in_lab
async def test_reminders_travel_with_the_person(lab: Lab) -> None:
    daily = await lab.remind({"type": "daily", "time": "08:00"})
    once = await lab.remind({"type": "once", "at": "2026-11-17T08:00"})
    pace = await lab.remind({"type": "interval", "every": "5h"})
    cron = await lab.remind({"type": "cron", "expr": "0 8 * * *"})
    smart = await lab.remind({"type": "smart", "text": "workdays at 8, weekends at 10"})
    window = await lab.remind({"type": "smart", "text": "every 25 minutes between 9 and 17"})
    fixed = await lab.remind({"type": "daily", "time": "08:00", "timezone": "Asia/Tokyo"})
    paused = await lab.remind({"type": "daily", "time": "08:00"})
    await lab.service.update(lab.ana, paused.id, enabled=False)
    await lab.clock.travel(hours=1)
    await lab.service.people.update(lab.ana, timezone="America/New_York")
    there = datetime(2026, 11, 17, 13, tzinfo=UTC)
    for made in (daily, cron, smart):
        view = await lab.service.get(lab.ana, made.id)
        assert (view.timezone, view.next_run_at) == ("America/New_York", there), view.when
    opens = datetime(2026, 11, 16, 14, tzinfo=UTC)
    assert (await lab.service.get(lab.ana, window.id)).next_run_at == opens
    for made in (once, fixed, pace):
        assert (await lab.service.get(lab.ana, made.id)).next_run_at == made.next_run_at
    assert (await lab.service.get(lab.ana, paused.id)).next_run_at is None
    assert (await lab.service.update(lab.ana, paused.id, enabled=True)).next_run_at == there


@in_lab
async def test_channels_have_an_order(lab: Lab) -> None:
    people = lab.service.people
    person = await people.add_channel(lab.ana, "pager", "9")
    assert [each.channel for each in person.channels] == ["chat", "mail", "pager"]
    person = await people.add_channel(lab.ana, "pager", "9", first=True)
    assert [each.channel for each in person.channels] == ["pager", "chat", "mail"]
    person = await people.set_channels(lab.ana, [("mail", "ana@example.org"), ("pager", "9")])
    assert [each.channel for each in person.channels] == ["mail", "pager"]
    person = await people.remove_channel(lab.ana, "pager", "9")
    assert [each.channel for each in person.channels] == ["mail"]
    with pytest.raises(NotFoundError, match="has no pager"):
        await people.remove_channel(lab.ana, "pager", "9")
    with pytest.raises(InvalidInputError, match="belongs to another person"):
        await people.add_channel(lab.ana, "pager", "1")
    await people.remove("Ana")
    assert [each.user.name for each in (await people.page())[0]] == ["Root"]


@in_lab
async def test_who_is_removed_is_reminded_of_nothing_any_more(lab: Lab) -> None:
    waiting = await lab.remind(require_ack=True, priority="critical")
    for number in range(3):
        await lab.remind({"type": "daily", "time": "14:00"}, name=f"daily-{number}")
    others = await lab.service.create(lab.root, {"type": "daily", "time": "14:00"}, "Look")
    await lab.clock.travel(minutes=6)
    await lab.service.people.remove("Ana")
    await lab.clock.travel(days=2)
    assert (lab.chat.texts, lab.mail.texts) == ([ASKED], [])
    assert await lab.inbox(lab.ana) == []
    assert await lab.run_status(waiting) is Status.CANCELLED
    assert lab.pager.texts == ["Look"] * 2
    assert (await lab.service.get(lab.root, others.id)).enabled
    left = await lab.store.schedules(ScheduleFilter(namespace=f"user:{lab.ana}"))
    assert left == []
    mine = await lab.service.create(LOCAL_USER, IN_FIVE, "Mine")
    await lab.service.people.remove(LOCAL_USER)
    assert (await lab.service.get(LOCAL_USER, mine.id)).enabled


@in_lab
async def test_a_message_without_a_person_fails_instead_of_vanishing(lab: Lab) -> None:
    draft = Draft(name="lost", trigger=Once(START + timedelta(minutes=5)), action=Message(text="Hi", user_id="user_x"))
    [made] = await ScheduleService(lab.store, lab.clock, no_job, lab.random_bits).save([draft])
    await lab.clock.travel(minutes=6)
    [failed] = await lab.store.runs(RunFilter(schedule_id=made))
    assert failed.status is Status.FAILED
    assert "there is no user 'user_x' to tell: 'Hi'" in str(failed.error)


# pairing


@in_lab
async def test_a_code_binds_the_chat_it_is_sent_from(lab: Lab) -> None:
    people = lab.service.people
    code = await people.make_code("Ana", "telegram")
    assert await people.pair("telegram", "4711", "hello") is None
    assert await people.pair("slack", "4711", code) is None
    paired = await people.pair("telegram", "4711", f"/start {code.lower()} ")
    assert paired is not None
    assert (paired.user.id, paired.reply) == (lab.ana, "Hello Ana! Your reminders come here from now on.")
    bound = await people.by_address("telegram", "4711")
    assert bound is not None
    assert (bound.user_id, bound.sender) == (lab.ana, None)
    assert await people.pair("telegram", "4712", code) is None
    late = await people.make_code("Ana", "telegram")
    await lab.clock.travel(minutes=30)
    assert await people.pair("telegram", "4712", late.replace("-", "")) is None
