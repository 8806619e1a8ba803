"""What cannot be kept, found or meant is refused in words, and nothing of it is stored."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from duly.errors import InvalidInputError, NotFoundError
from duly.recurrence import every
from duly.service.reminders.reminders import ReminderService
from tests.conformance.reminders.harness import IN_FIVE, ReminderHarness, with_harness

HALF = "x\ud800"
Call = Callable[[ReminderService, str], Awaitable[Any]]
CALLS: dict[str, Call] = {
    "get": lambda service, ana: service.get(ana, HALF),
    "get of whom": lambda service, _: service.get(HALF, "x"),
    "cursor": lambda service, ana: service.lists.page(ana, cursor=HALF),
    "update": lambda service, ana: service.update(ana, HALF, message="y"),
    "remove": lambda service, ana: service.remove(ana, HALF),
    "skip": lambda service, ana: service.skip_next(ana, HALF),
    "deliveries": lambda service, ana: service.deliveries(ana, f"run_{HALF}"),
    "inbox": lambda service, _: service.lists.inbox(HALF),
    "answer": lambda service, ana: service.answer(ana, "ack", HALF),
    "answer on": lambda service, ana: service.answer(ana, "ack", channel=HALF),
    "message quoting": lambda service, ana: service.handle_message(ana, "chat", "done", quoted=HALF),
    "message on": lambda service, ana: service.handle_message(ana, HALF, "done"),
    "message known as": lambda service, ana: service.handle_message(ana, "chat", "done", message_id=HALF),
    "text": lambda service, ana: service.create(ana, IN_FIVE, HALF),
    "text with NUL": lambda service, ana: service.create(ana, IN_FIVE, "a\0b"),
    "question": lambda service, ana: service.create(ana, IN_FIVE, "a", ack_prompt="a\0b"),
    "channel": lambda service, ana: service.create(ana, IN_FIVE, "a", channel=HALF),
    "words": lambda service, ana: service.create(ana, IN_FIVE, "a", original_text=HALF),
    "made by": lambda service, ana: service.create(ana, IN_FIVE, "a", created_via=HALF),
    "person": lambda service, _: service.people.get(HALF),
    "person gone": lambda service, _: service.people.remove(HALF),
    "language": lambda service, _: service.people.add("Bo", language=HALF),
    "zone": lambda service, _: service.people.add("Bo", timezone=HALF),
    "address": lambda service, ana: service.people.add_channel(ana, "chat", HALF),
    "address gone": lambda service, ana: service.people.remove_channel(ana, "chat", HALF),
    "addresses": lambda service, ana: service.people.set_channels(ana, [("chat", "a\0b")]),
    "whose": lambda service, _: service.people.by_address("chat", HALF),
    "code": lambda service, ana: service.people.make_code(ana, HALF),
}


@with_harness
async def test_half_characters_and_nul_are_refused_wherever_they_come_in(harness: ReminderHarness) -> None:
    await harness.remind(require_ack=True)
    await harness.clock.travel(minutes=5)
    for name, call in CALLS.items():
        with pytest.raises(InvalidInputError) as refused:
            await call(harness.service, harness.ana)
        assert not isinstance(refused.value, UnicodeError), name
    assert len((await harness.service.lists.page(harness.ana))[0]) == 1


@with_harness
async def test_flags_are_yes_or_no_and_nothing_is_stored_when_they_are_not(harness: ReminderHarness) -> None:
    wrong: list[tuple[str, Any]] = [("require_ack", "false"), ("require_ack", 1), ("snooze_allowed", None)]
    for field, value in wrong:
        with pytest.raises(InvalidInputError, match=f"{field} must be true or false, got {value!r}"):
            await harness.remind(**{field: value})
    assert (await harness.service.lists.page(harness.ana))[0] == []


@with_harness
async def test_minutes_are_whole(harness: ReminderHarness) -> None:
    wrong: list[Any] = ["5", 2.5, True, float("nan")]
    for minutes in wrong:
        answer = await harness.service.remind(harness.ana, "x", delay_minutes=minutes)
        assert answer["status"] == "error"
        assert "delay_minutes must be a whole number" in answer["error"]


@with_harness
async def test_people_are_described_in_words_that_mean_something(harness: ReminderHarness) -> None:
    people = harness.service.people
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"is_admin": "no"}, "is_admin must be true or false, got 'no'"),
        ({"quiet": 5}, "quiet must be two different times"),
        ({"language": 5}, "language must be a text"),
        ({"colour": "red"}, "colour"),
    ]
    for fields, message in wrong:
        with pytest.raises(InvalidInputError, match=message):
            await people.add("Bo", **fields)
    with pytest.raises(InvalidInputError, match="channel of an address must be a text that is not empty, got 5"):
        await people.add_channel(harness.ana, 5, "1")  # type: ignore[arg-type]
    assert [each.user.name for each in (await people.page())[0]] == ["Ana", "Root"]


@with_harness
async def test_a_new_name_is_as_good_as_the_first(harness: ReminderHarness) -> None:
    made = await harness.remind(name="pills")
    with pytest.raises(InvalidInputError, match="name has 201 characters, at most 200 are taken"):
        await harness.service.update(harness.ana, made.id, name="y" * 201)
    for name in ("", "  ", "a\nb", HALF):
        with pytest.raises(InvalidInputError, match="name must be 1 to 200 printable characters"):
            await harness.service.update(harness.ana, made.id, name=name)
    assert (await harness.service.get(harness.ana, made.id)).name == "pills"


@with_harness
async def test_names_may_look_like_ids(harness: ReminderHarness) -> None:
    for name in ("run_errands", "sched_review"):
        await harness.remind(name=name, message=name, require_ack=True)
    await harness.clock.travel(minutes=5)
    for name in ("run_errands", "sched_review"):
        assert (await harness.service.get(harness.ana, name)).last_status == "awaiting_ack"
        assert name in (await harness.service.answer(harness.ana, "ack", name)).text
        with pytest.raises(NotFoundError):
            await harness.service.get(harness.root, name)


@with_harness
async def test_schedules_that_say_nothing(harness: ReminderHarness) -> None:
    for schedule, message in [
        ({"type": "daily", "time": []}, r"schedule\.time must be HH:MM"),
        ({"type": "once", "at": "9" * 5000 + "m"}, r"schedule\.at has 5001 characters, at most 2000 are taken"),
        (
            {"type": "interval", "every": "9" * 5000 + "m"},
            r"schedule\.every has 5001 characters, at most 2000 are taken",
        ),
        ({"type": "weekly", "time": "08:00", "days": []}, r"schedule\.days must be days"),
    ]:
        with pytest.raises(InvalidInputError, match=message):
            await harness.remind(schedule)


@with_harness
async def test_a_new_when_brings_its_own_limits(harness: ReminderHarness) -> None:
    made = await harness.remind(every(1).minutes().max_runs(2))
    await harness.clock.travel(hours=1)
    assert len(harness.chat.texts) == 2
    await harness.service.update(harness.ana, made.id, schedule={"type": "interval", "every": "1m"})
    await harness.clock.travel(minutes=5)
    assert len(harness.chat.texts) == 7
    await harness.service.update(harness.ana, made.id, schedule=every(1).minutes().max_runs(3))
    await harness.clock.travel(hours=1)
    assert len(harness.chat.texts) == 10
