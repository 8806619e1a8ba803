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
from tests.conformance.reminders.lab import IN_FIVE, START, Lab, in_lab, lab_at

DOWN = ChannelTemporaryError("503")
BLOCKED = ChannelPermanentError("blocked by the person")
LOST = ChannelUnknownError("no answer")
DUE = START + timedelta(minutes=5)


@in_lab
async def test_the_primary_channel_is_enough(lab: Lab) -> None:
    made = await lab.remind()
    await lab.clock.travel(minutes=4, seconds=59)
    assert lab.chat.texts == []
    await lab.clock.travel(seconds=1)
    assert lab.chat.texts == ["Take it"]
    assert lab.mail.texts == []
    [attempt] = await lab.attempts(made)
    assert (attempt.channel, attempt.kind, attempt.status) == ("chat", "reminder", "sent")
    assert (attempt.address, attempt.message_id, attempt.sent_at) == ("17", "chat-1", DUE)
    assert await lab.status(made) == "delivered"
    [run] = await lab.runs(made)
    assert (run.status, run.result) == (Status.SUCCEEDED, {"status": "delivered", "channel": "chat", "run_number": 1})


@in_lab
async def test_a_failing_channel_hands_over_to_the_next(lab: Lab) -> None:
    lab.chat.script.append(DOWN)
    made = await lab.remind()
    await lab.clock.travel(minutes=5)
    assert lab.mail.texts == ["Take it"]
    assert await lab.tried(made) == [("chat", "reminder", "failed"), ("mail", "reminder", "sent")]
    assert (await lab.reminder(made)).channel == "mail"
    assert await lab.inbox() == []


@in_lab
async def test_the_channel_that_was_named_comes_first(lab: Lab) -> None:
    lab.mail.script.append(DOWN)
    made = await lab.remind(channel="mail")
    await lab.clock.travel(minutes=5)
    other = await lab.remind(via="mail")
    await lab.clock.travel(minutes=5)
    assert await lab.tried(made) == [("mail", "reminder", "failed"), ("chat", "reminder", "sent")]
    assert await lab.tried(other) == [("mail", "reminder", "sent")]


@in_lab
async def test_a_channel_the_person_does_not_have_is_passed_over(lab: Lab) -> None:
    made = await lab.remind(channel="pigeon")
    await lab.clock.travel(minutes=5)
    assert await lab.tried(made) == [("chat", "reminder", "sent")]


@in_lab
async def test_a_receipt_may_say_delivered(lab: Lab) -> None:
    lab.chat.script.append(Receipt(ReceiptStatus.DELIVERED, "m-77"))
    made = await lab.remind()
    await lab.clock.travel(minutes=5)
    [attempt] = await lab.attempts(made)
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
        async with lab_at(str(tmp_path / "duly.db")) as lab:
            lab.chat.otherwise = lab.mail.otherwise = DOWN
            made = await lab.remind(priority=priority, max_retries=len(waits))
            await lab.clock.travel(days=1)
            tried = [each for each in await lab.attempts(made) if each.channel == "chat"]
            times = [each.created_at for each in tried]
            assert times[0] == DUE
            steps = [(later - before).total_seconds() for before, later in pairwise(times)]
            assert steps == waits
            assert [each.attempt_number for each in await lab.attempts(made)] == list(
                range(1, len(await lab.attempts(made)) + 1)
            )

    asyncio.run(scene())


@in_lab
async def test_jitter_adds_up_to_a_tenth(lab: Lab) -> None:
    lab.chance = lambda: 0.999
    lab.chat.script.append(DOWN)
    lab.mail.script.append(DOWN)
    made = await lab.remind(priority="normal")
    await lab.clock.travel(hours=1)
    tried = await lab.attempts(made)
    wait = (tried[-1].created_at - DUE).total_seconds()
    assert 60 < wait <= 66


@in_lab
async def test_the_last_retry_is_the_end_and_the_inbox_has_it(lab: Lab) -> None:
    lab.chat.otherwise = lab.mail.otherwise = DOWN
    made = await lab.remind(max_retries=2)
    await lab.clock.travel(days=1)
    assert (lab.chat.tries, lab.mail.tries) == (3, 3)
    assert await lab.status(made) == "failed"
    [run] = await lab.runs(made)
    assert run.status is Status.FAILED
    assert str(run.error).startswith("RunFailedError: no channel took it")
    assert await lab.inbox() == ["Take it"]
    assert [each[:2] for each in await lab.tried(made)].count(("inbox", "copy")) == 1
    assert lab.pager.texts == []
    view = await lab.service.get(lab.ana, made.id)
    assert (view.last_status, view.consecutive_errors, view.total_runs) == ("failed", 1, 1)


@in_lab
async def test_no_retries_means_one_round(lab: Lab) -> None:
    lab.chat.otherwise = lab.mail.otherwise = DOWN
    made = await lab.remind(max_retries=0)
    await lab.clock.travel(minutes=5)
    assert await lab.status(made) == "failed"
    assert lab.chat.tries == 1


@in_lab
async def test_a_vendor_that_says_when_is_not_asked_earlier(lab: Lab) -> None:
    lab.chat.script.append(ChannelTemporaryError("429", retry_after=300))
    lab.mail.script += [DOWN, DOWN]
    made = await lab.remind(priority="high")
    await lab.clock.travel(hours=1)
    tried = [(each.channel, (each.created_at - DUE).total_seconds()) for each in await lab.attempts(made)]
    # 30 s and 90 s later only the mail may be asked, and the second time it works.
    assert tried == [("chat", 0), ("mail", 0), ("inbox", 0), ("mail", 30), ("mail", 90)]


@in_lab
async def test_when_all_say_when_the_earliest_counts(lab: Lab) -> None:
    lab.chat.script.append(ChannelTemporaryError("429", retry_after=300))
    lab.mail.script.append(ChannelTemporaryError("429", retry_after=200))
    made = await lab.remind(priority="high")
    await lab.clock.travel(hours=1)
    tried = [(each.channel, (each.created_at - DUE).total_seconds()) for each in await lab.attempts(made)]
    assert tried == [("chat", 0), ("mail", 0), ("inbox", 0), ("mail", 200)]


@in_lab
async def test_what_is_blocked_for_good_is_not_tried_again(lab: Lab) -> None:
    lab.chat.otherwise = BLOCKED
    lab.mail.script += [DOWN, DOWN]
    made = await lab.remind()
    await lab.clock.travel(hours=1)
    assert (lab.chat.tries, lab.mail.tries) == (1, 3)
    assert await lab.status(made) == "delivered"


@in_lab
async def test_when_every_channel_is_blocked_the_reminder_fails_at_once(lab: Lab) -> None:
    lab.chat.otherwise = lab.mail.otherwise = BLOCKED
    made = await lab.remind()
    await lab.clock.travel(minutes=5)
    assert await lab.status(made) == "failed"
    assert (lab.chat.tries, lab.mail.tries) == (1, 1)
    assert await lab.inbox() == ["Take it"]


@in_lab
async def test_an_unknown_outcome_is_recorded_and_others_are_tried(lab: Lab) -> None:
    lab.chat.script.append(LOST)
    made = await lab.remind()
    await lab.clock.travel(minutes=5)
    assert await lab.tried(made) == [("chat", "reminder", "unknown"), ("mail", "reminder", "sent")]


@in_lab
async def test_sending_again_has_the_same_key(lab: Lab) -> None:
    lab.chat.script.append(LOST)
    lab.mail.script.append(DOWN)
    made = await lab.remind()
    await lab.clock.travel(hours=1)
    keys = [each.outgoing.key for each in lab.chat.arrived]
    run_id = (await lab.reminder(made)).run_id
    assert keys == [f"{run_id}/reminder/0"]


@in_lab
async def test_a_channel_with_a_bug_is_a_channel_that_failed(lab: Lab) -> None:
    lab.chat.script.append(ZeroDivisionError("oh"))
    made = await lab.remind()
    await lab.clock.travel(minutes=5)
    assert await lab.tried(made) == [("chat", "reminder", "failed"), ("mail", "reminder", "sent")]
    assert (await lab.attempts(made))[0].error_message == "ZeroDivisionError: oh"


@in_lab
async def test_a_channel_that_is_not_set_up_here_may_be_later(lab: Lab) -> None:
    await lab.service.people.set_channels(lab.ana, [("pigeon", "roof")])
    made = await lab.remind(max_retries=1)
    await lab.clock.travel(hours=1)
    errors = [each.error_message for each in await lab.attempts(made) if each.channel == "pigeon"]
    assert errors == ["channel 'pigeon' is not set up in this process"] * 2


# who has nothing set up


@in_lab
async def test_the_first_reminder_works_with_no_set_up(lab: Lab) -> None:
    made = await lab.service.create(LOCAL_USER, IN_FIVE, "Hello")
    await lab.clock.travel(minutes=5)
    assert await lab.inbox(LOCAL_USER) == ["Hello"]
    assert await lab.status(made) == "delivered"


@in_lab
async def test_who_wished_for_the_inbox_is_reached_there(lab: Lab) -> None:
    made = await lab.remind(channel="inbox")
    await lab.clock.travel(minutes=5)
    assert await lab.tried(made) == [("inbox", "reminder", "delivered")]
    assert lab.chat.tries == 0


# escalation


@in_lab
async def test_critical_tells_the_admin_at_the_first_failure_and_goes_on(lab: Lab) -> None:
    lab.chat.script += [DOWN, DOWN]
    lab.mail.script += [DOWN, DOWN]
    made = await lab.remind(priority="critical")
    await lab.clock.travel(minutes=5)
    [told] = lab.pager.texts
    assert "A reminder for Ana could not be delivered: Take it" in told
    assert "chat: 503" in told
    await lab.clock.travel(hours=1)
    assert len(lab.pager.texts) == 1
    assert lab.chat.texts == ["Take it"]
    assert await lab.status(made) == "delivered"


@pytest.mark.parametrize(("priority", "told"), [("low", 0), ("normal", 0), ("high", 1), ("critical", 1)])
def test_who_is_told_after_the_last_retry(tmp_path: Path, priority: str, told: int) -> None:
    async def scene() -> None:
        async with lab_at(str(tmp_path / "duly.db")) as lab:
            lab.chat.otherwise = lab.mail.otherwise = DOWN
            made = await lab.remind(priority=priority)
            await lab.clock.travel(days=1)
            assert (await lab.status(made), len(lab.pager.texts)) == ("failed", told)
            assert await lab.run_status(made) is Status.FAILED

    asyncio.run(scene())


@in_lab
async def test_the_admin_is_told_once_even_if_the_person_puts_it_off_meanwhile(lab: Lab) -> None:
    async def meanwhile() -> None:
        await lab.service.answer(lab.ana, "snooze", made.id, minutes=5)

    lab.chat.otherwise = lab.mail.otherwise = DOWN
    lab.pager.script.append(meanwhile)
    made = await lab.remind(priority="critical", max_retries=1)
    await lab.clock.travel(minutes=5)
    assert await lab.status(made) == "snoozed"
    await lab.clock.travel(hours=1)
    assert (await lab.status(made), len(lab.pager.texts)) == ("failed", 1)


@in_lab
async def test_an_admin_who_cannot_be_reached_finds_it_in_the_inbox(lab: Lab) -> None:
    lab.chat.otherwise = lab.mail.otherwise = lab.pager.otherwise = DOWN
    await lab.remind(priority="critical", max_retries=0)
    await lab.clock.travel(minutes=5)
    assert len(await lab.inbox(lab.root)) == 1


@in_lab
async def test_without_an_admin_the_local_user_finds_it_in_the_inbox(lab: Lab) -> None:
    await lab.service.people.update(lab.root, is_admin=False)
    lab.chat.otherwise = lab.mail.otherwise = ChannelPermanentError("blocked")
    await lab.remind(priority="critical")
    await lab.clock.travel(minutes=5)
    [told] = await lab.inbox(LOCAL_USER)
    assert told.startswith("A reminder for Ana could not be delivered: Take it")


@in_lab
async def test_without_an_admin_retries_go_on(lab: Lab) -> None:
    await lab.service.people.update(lab.root, is_admin=False)
    lab.chat.script.append(DOWN)
    lab.mail.script.append(DOWN)
    made = await lab.remind(priority="critical")
    await lab.clock.travel(minutes=6)
    assert (lab.pager.tries, await lab.status(made)) == (0, "delivered")
