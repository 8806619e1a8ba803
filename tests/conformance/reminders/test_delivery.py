"""Delivery: channels in order, retries by priority, escalation."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import pytest

from duly.errors import ChannelPermanentError, ChannelTemporaryError, ChannelUnknownError
from duly.model.run import Status
from duly.ports.channels import Receipt, ReceiptStatus
from duly.ports.people import LOCAL_USER
from tests.conformance.reminders.harness import IN_FIVE, START, ReminderHarness, harness_at, with_harness

DOWN = ChannelTemporaryError("503")
BLOCKED = ChannelPermanentError("blocked by the person")
LOST = ChannelUnknownError("no answer")
DUE = START + timedelta(minutes=5)


@with_harness
async def test_the_primary_channel_is_enough(harness: ReminderHarness) -> None:
    made = await harness.remind()
    await harness.clock.travel(minutes=4, seconds=59)
    assert harness.chat.texts == []
    await harness.clock.travel(seconds=1)
    assert harness.chat.texts == ["Take it"]
    assert harness.mail.texts == []
    [attempt] = await harness.attempts(made)
    assert (attempt.channel, attempt.kind, attempt.status) == ("chat", "reminder", "sent")
    assert (attempt.address, attempt.message_id, attempt.sent_at) == ("17", "chat-1", DUE)
    assert await harness.status(made) == "delivered"
    [run] = await harness.runs(made)
    assert (run.status, run.result) == (Status.SUCCEEDED, {"status": "sent", "channel": "chat", "run_number": 1})


@with_harness
async def test_a_failing_channel_hands_over_to_the_next(harness: ReminderHarness) -> None:
    harness.chat.script.append(DOWN)
    made = await harness.remind()
    await harness.clock.travel(minutes=5)
    assert harness.mail.texts == ["Take it"]
    assert await harness.tried(made) == [("chat", "reminder", "failed"), ("mail", "reminder", "sent")]
    assert (await harness.reminder(made)).channel == "mail"
    assert await harness.inbox() == []


@with_harness
async def test_the_channel_that_was_named_comes_first(harness: ReminderHarness) -> None:
    harness.mail.script.append(DOWN)
    made = await harness.remind(channel="mail")
    await harness.clock.travel(minutes=5)
    other = await harness.remind(via="mail")
    await harness.clock.travel(minutes=5)
    assert await harness.tried(made) == [("mail", "reminder", "failed"), ("chat", "reminder", "sent")]
    assert await harness.tried(other) == [("mail", "reminder", "sent")]


@with_harness
async def test_a_channel_the_person_does_not_have_is_passed_over(harness: ReminderHarness) -> None:
    made = await harness.remind(channel="pigeon")
    await harness.clock.travel(minutes=5)
    assert await harness.tried(made) == [("chat", "reminder", "sent")]


@with_harness
async def test_a_receipt_may_say_delivered(harness: ReminderHarness) -> None:
    harness.chat.script.append(Receipt(ReceiptStatus.DELIVERED, "m-77"))
    made = await harness.remind()
    await harness.clock.travel(minutes=5)
    [attempt] = await harness.attempts(made)
    assert (attempt.status, attempt.message_id, attempt.delivered_at) == ("delivered", "m-77", DUE)


@pytest.mark.parametrize(
    ("priority", "waits"),
    [
        ("critical", [10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600]),
        ("high", [30, 60, 120, 240, 480, 960, 1920, 3600, 3600]),
        ("normal", [60, 120, 240, 480, 960, 1920, 3600, 3600]),
        ("low", [300, 600, 1200, 2400, 3600, 3600]),
    ],
)
def test_waits_between_rounds_by_priority(tmp_path: Path, priority: str, waits: list[int]) -> None:
    async def scene() -> None:
        async with harness_at(str(tmp_path / "duly.db")) as harness:
            harness.chat.otherwise = harness.mail.otherwise = DOWN
            made = await harness.remind(priority=priority, max_retries=len(waits))
            await harness.clock.travel(days=1)
            tried = [each for each in await harness.attempts(made) if each.channel == "chat"]
            times = [each.created_at for each in tried]
            assert times[0] == DUE
            steps = [(later - before).total_seconds() for before, later in pairwise(times)]
            assert steps == waits
            assert [each.attempt_number for each in await harness.attempts(made)] == list(
                range(1, len(await harness.attempts(made)) + 1)
            )

    asyncio.run(scene())


@with_harness
async def test_jitter_adds_up_to_a_tenth(harness: ReminderHarness) -> None:
    harness.chance = lambda: 0.999
    harness.chat.script.append(DOWN)
    harness.mail.script.append(DOWN)
    made = await harness.remind(priority="normal")
    await harness.clock.travel(hours=1)
    tried = await harness.attempts(made)
    wait = (tried[-1].created_at - DUE).total_seconds()
    assert 60 < wait <= 66


@with_harness
async def test_the_last_retry_is_the_end_and_the_inbox_has_it(harness: ReminderHarness) -> None:
    harness.chat.otherwise = harness.mail.otherwise = DOWN
    made = await harness.remind(max_retries=2)
    await harness.clock.travel(days=1)
    assert (harness.chat.tries, harness.mail.tries) == (3, 3)
    assert await harness.status(made) == "failed"
    [run] = await harness.runs(made)
    assert run.status is Status.FAILED
    assert str(run.error).startswith("RunFailedError: no channel took it")
    assert await harness.inbox() == ["Take it"]
    assert [each[:2] for each in await harness.tried(made)].count(("inbox", "copy")) == 1
    assert harness.pager.texts == []
    view = await harness.service.get(harness.ana, made.id)
    assert (view.last_status, view.consecutive_errors, view.total_runs) == ("failed", 1, 1)


@with_harness
async def test_no_retries_means_one_round(harness: ReminderHarness) -> None:
    harness.chat.otherwise = harness.mail.otherwise = DOWN
    made = await harness.remind(max_retries=0)
    await harness.clock.travel(minutes=5)
    assert await harness.status(made) == "failed"
    assert harness.chat.tries == 1


@with_harness
async def test_a_vendor_that_says_when_is_not_asked_earlier(harness: ReminderHarness) -> None:
    harness.chat.script.append(ChannelTemporaryError("429", retry_after=300))
    harness.mail.script += [DOWN, DOWN]
    made = await harness.remind(priority="high")
    await harness.clock.travel(hours=1)
    tried = [(each.channel, (each.created_at - DUE).total_seconds()) for each in await harness.attempts(made)]
    # 30 s and 90 s later only the mail may be asked, and the second time it works.
    assert tried == [("chat", 0), ("mail", 0), ("inbox", 0), ("mail", 30), ("mail", 90)]


@with_harness
async def test_when_all_say_when_the_earliest_counts(harness: ReminderHarness) -> None:
    harness.chat.script.append(ChannelTemporaryError("429", retry_after=300))
    harness.mail.script.append(ChannelTemporaryError("429", retry_after=200))
    made = await harness.remind(priority="high")
    await harness.clock.travel(hours=1)
    tried = [(each.channel, (each.created_at - DUE).total_seconds()) for each in await harness.attempts(made)]
    assert tried == [("chat", 0), ("mail", 0), ("inbox", 0), ("mail", 200)]


@with_harness
async def test_what_is_blocked_for_good_is_not_tried_again(harness: ReminderHarness) -> None:
    harness.chat.otherwise = BLOCKED
    harness.mail.script += [DOWN, DOWN]
    made = await harness.remind()
    await harness.clock.travel(hours=1)
    assert (harness.chat.tries, harness.mail.tries) == (1, 3)
    assert await harness.status(made) == "delivered"


@with_harness
async def test_when_every_channel_is_blocked_the_reminder_fails_at_once(harness: ReminderHarness) -> None:
    harness.chat.otherwise = harness.mail.otherwise = BLOCKED
    made = await harness.remind()
    await harness.clock.travel(minutes=5)
    assert await harness.status(made) == "failed"
    assert (harness.chat.tries, harness.mail.tries) == (1, 1)
    assert await harness.inbox() == ["Take it"]


@with_harness
async def test_an_unknown_outcome_is_recorded_and_others_are_tried(harness: ReminderHarness) -> None:
    harness.chat.script.append(LOST)
    made = await harness.remind()
    await harness.clock.travel(minutes=5)
    assert await harness.tried(made) == [("chat", "reminder", "unknown"), ("mail", "reminder", "sent")]


@with_harness
async def test_sending_again_has_the_same_key(harness: ReminderHarness) -> None:
    harness.chat.script.append(LOST)
    harness.mail.script.append(DOWN)
    made = await harness.remind()
    await harness.clock.travel(hours=1)
    keys = [each.outgoing.key for each in harness.chat.arrived]
    run_id = (await harness.reminder(made)).run_id
    assert keys == [f"{run_id}/reminder/0"]


@with_harness
async def test_a_channel_with_a_bug_is_a_channel_that_failed(harness: ReminderHarness) -> None:
    harness.chat.script.append(ZeroDivisionError("oh"))
    made = await harness.remind()
    await harness.clock.travel(minutes=5)
    assert await harness.tried(made) == [("chat", "reminder", "failed"), ("mail", "reminder", "sent")]
    assert (await harness.attempts(made))[0].error_message == "ZeroDivisionError: oh"


@with_harness
async def test_a_channel_that_is_not_set_up_here_may_be_later(harness: ReminderHarness) -> None:
    await harness.service.people.set_channels(harness.ana, [("pigeon", "roof")])
    made = await harness.remind(max_retries=1)
    await harness.clock.travel(hours=1)
    errors = [each.error_message for each in await harness.attempts(made) if each.channel == "pigeon"]
    assert errors == ["channel 'pigeon' is not set up in this process"] * 2


# who has nothing set up


@with_harness
async def test_the_first_reminder_works_with_no_set_up(harness: ReminderHarness) -> None:
    made = await harness.service.create(LOCAL_USER, IN_FIVE, "Hello")
    await harness.clock.travel(minutes=5)
    assert await harness.inbox(LOCAL_USER) == ["Hello"]
    assert await harness.status(made) == "delivered"


@with_harness
async def test_who_wished_for_the_inbox_is_reached_there(harness: ReminderHarness) -> None:
    made = await harness.remind(channel="inbox")
    await harness.clock.travel(minutes=5)
    assert await harness.tried(made) == [("inbox", "reminder", "delivered")]
    assert harness.chat.tries == 0


# escalation


@with_harness
async def test_critical_tells_the_admin_at_the_first_failure_and_goes_on(harness: ReminderHarness) -> None:
    harness.chat.script += [DOWN, DOWN]
    harness.mail.script += [DOWN, DOWN]
    made = await harness.remind(priority="critical")
    await harness.clock.travel(minutes=5)
    [told] = harness.pager.texts
    assert "A reminder for Ana could not be delivered: Take it" in told
    assert "chat: 503" in told
    await harness.clock.travel(hours=1)
    assert len(harness.pager.texts) == 1
    assert harness.chat.texts == ["Take it"]
    assert await harness.status(made) == "delivered"


@pytest.mark.parametrize(("priority", "told"), [("low", 0), ("normal", 0), ("high", 1), ("critical", 1)])
def test_who_is_told_after_the_last_retry(tmp_path: Path, priority: str, told: int) -> None:
    async def scene() -> None:
        async with harness_at(str(tmp_path / "duly.db")) as harness:
            harness.chat.otherwise = harness.mail.otherwise = DOWN
            made = await harness.remind(priority=priority)
            await harness.clock.travel(days=1)
            assert (await harness.status(made), len(harness.pager.texts)) == ("failed", told)
            assert await harness.run_status(made) is Status.FAILED

    asyncio.run(scene())


@with_harness
async def test_the_admin_is_told_once_even_if_the_person_puts_it_off_meanwhile(harness: ReminderHarness) -> None:
    async def meanwhile() -> None:
        await harness.service.answer(harness.ana, "snooze", made.id, minutes=5)

    harness.chat.otherwise = harness.mail.otherwise = DOWN
    harness.pager.script.append(meanwhile)
    made = await harness.remind(priority="critical", max_retries=1)
    await harness.clock.travel(minutes=5)
    assert await harness.status(made) == "snoozed"
    await harness.clock.travel(hours=1)
    assert (await harness.status(made), len(harness.pager.texts)) == ("failed", 1)


@with_harness
async def test_an_admin_who_cannot_be_reached_finds_it_in_the_inbox(harness: ReminderHarness) -> None:
    harness.chat.otherwise = harness.mail.otherwise = harness.pager.otherwise = DOWN
    await harness.remind(priority="critical", max_retries=0)
    await harness.clock.travel(minutes=5)
    assert len(await harness.inbox(harness.root)) == 1


@with_harness
async def test_without_an_admin_the_local_user_finds_it_in_the_inbox(harness: ReminderHarness) -> None:
    await harness.service.people.update(harness.root, is_admin=False)
    harness.chat.otherwise = harness.mail.otherwise = ChannelPermanentError("blocked")
    await harness.remind(priority="critical")
    await harness.clock.travel(minutes=5)
    [told] = await harness.inbox(LOCAL_USER)
    assert told.startswith("A reminder for Ana could not be delivered: Take it")


@with_harness
async def test_without_an_admin_retries_go_on(harness: ReminderHarness) -> None:
    await harness.service.people.update(harness.root, is_admin=False)
    harness.chat.script.append(DOWN)
    harness.mail.script.append(DOWN)
    made = await harness.remind(priority="critical")
    await harness.clock.travel(minutes=6)
    assert (harness.pager.tries, await harness.status(made)) == (0, "delivered")
