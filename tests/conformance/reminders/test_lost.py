"""Messages that a vendor takes and, a while later, says it could not bring."""

from __future__ import annotations

import pytest

from duly.errors import ChannelTemporaryError
from duly.ports.channels import DeliveryStatus, StatusKind
from duly.service.reminders.chats import ChatInbound
from tests.conformance.reminders.harness import ASKED, ReminderHarness, with_harness


async def failed(harness: ReminderHarness, message_id: str, key: str | None = None) -> None:
    """The vendor of `chat` tells that a message did not arrive."""
    status = DeliveryStatus(
        channel="chat", address="17", message_id=message_id, status=StatusKind.FAILED, reason="blocked", key=key
    )
    await ChatInbound(harness.service, harness.store.reminders, {}, harness.clock).note_status(status)


@with_harness
async def test_what_waits_for_an_answer_goes_to_the_next_channel_at_once(harness: ReminderHarness) -> None:
    made = await harness.remind(require_ack=True, ack_prompt="Did you?")
    await harness.clock.travel(minutes=6)
    await failed(harness, "chat-1")
    await failed(harness, "chat-1")  # told twice
    await harness.clock.travel(seconds=1)
    assert harness.mail.texts == ["Take it", "Did you?"]
    await failed(harness, "chat-2")  # the question, too: it has been asked elsewhere since
    await harness.clock.travel(minutes=1)
    assert (len(harness.mail.texts), harness.chat.tries) == (2, 2)
    assert (await harness.status(made), (await harness.reminder(made)).nags) == ("awaiting_ack", 0)
    assert (await harness.service.handle_message(harness.ana, "mail", "done")).consumed


@with_harness
async def test_it_is_told_while_the_question_is_on_its_way(harness: ReminderHarness) -> None:
    async def meanwhile() -> None:
        await failed(harness, "chat-1")

    harness.chat.script += [None, meanwhile]
    made = await harness.remind(require_ack=True, ack_prompt="Did you?")
    await harness.clock.travel(minutes=5, seconds=1)
    assert harness.mail.texts == ["Take it", "Did you?"]
    assert harness.chat.tries == 2
    assert await harness.status(made) == "awaiting_ack"


@with_harness
async def test_what_has_arrived_since_or_was_answered_is_left_alone(harness: ReminderHarness) -> None:
    made = await harness.remind(require_ack=True)
    await harness.clock.travel(minutes=15)
    assert harness.chat.texts == [ASKED, ASKED]
    await failed(harness, "chat-1")
    await harness.clock.travel(minutes=1)
    assert (len(harness.chat.texts), harness.mail.texts) == (2, [])
    await harness.service.answer(harness.ana, "ack")
    await failed(harness, "chat-2")
    await harness.clock.travel(hours=1)
    assert (len(harness.chat.texts), harness.mail.texts, await harness.status(made)) == (2, [], "acked")


@with_harness
async def test_what_was_given_up_as_unanswered_and_never_arrived_fires_anew(harness: ReminderHarness) -> None:
    made = await harness.remind(require_ack=True, max_ack_reminders=1)
    await harness.clock.travel(minutes=30)
    assert (await harness.status(made), harness.chat.texts) == ("unacked", [ASKED, ASKED])
    await failed(harness, "chat-2")
    await harness.clock.travel(minutes=1)
    assert (harness.mail.texts, await harness.status(made)) == ([], "unacked")  # it arrived once
    await failed(harness, "chat-1")
    await failed(harness, "chat-1")
    await harness.clock.travel(minutes=1)
    assert (harness.mail.texts, await harness.status(made)) == ([ASKED], "awaiting_ack")
    assert len(harness.chat.texts) == 2


@with_harness
async def test_what_was_removed_since_is_let_go_or_the_vendor_would_tell_it_forever(harness: ReminderHarness) -> None:
    for message_id, require_ack in (("chat-1", False), ("chat-2", True)):
        made = await harness.remind(require_ack=require_ack)
        await harness.clock.travel(minutes=5)
        await harness.service.remove(harness.ana, made.id)
        await failed(harness, message_id)
    await harness.clock.travel(minutes=1)
    assert (harness.chat.texts, harness.mail.texts) == (["Take it", ASKED], [])


@with_harness
async def test_no_two_deliveries_share_a_key_or_the_second_would_be_taken_for_a_repetition(
    harness: ReminderHarness,
) -> None:
    await harness.remind(require_ack=True)
    await harness.clock.travel(minutes=15)
    await failed(harness, "chat-1")
    await harness.clock.travel(minutes=20)
    keys = [each.outgoing.key for each in (*harness.chat.arrived, *harness.mail.arrived)]
    assert len(keys) == len(set(keys)) == 4


@with_harness
async def test_where_nothing_is_left_the_admin_hears_of_it_at_once(harness: ReminderHarness) -> None:
    await harness.service.people.set_channels(harness.ana, [("chat", "17")])
    made = await harness.remind(require_ack=True, priority="high")
    await harness.clock.travel(minutes=6)
    await failed(harness, "chat-1")
    await harness.clock.travel(seconds=1)
    assert await harness.status(made) == "failed"
    assert harness.pager.texts == ["A reminder for Ana could not be delivered: Take it\nchat: blocked"]
    assert await harness.inbox() == [ASKED]


@with_harness
async def test_bad_news_that_overtake_the_answer_to_the_request_are_to_be_told_again(harness: ReminderHarness) -> None:
    async def meanwhile() -> None:
        with pytest.raises(ChannelTemporaryError, match="chat-1 is still being sent"):
            await failed(harness, "chat-1", key=f"{(await harness.reminder(made)).run_id}/reminder/0")

    harness.chat.script += [meanwhile]
    made = await harness.remind()
    await harness.clock.travel(minutes=5)
    assert harness.chat.texts == ["Take it"]
    await failed(harness, "chat-1", key=f"{(await harness.reminder(made)).run_id}/reminder/0")
    await harness.clock.travel(seconds=1)
    assert harness.mail.texts == ["Take it"]
    await failed(harness, "of another program", key="order/17")
