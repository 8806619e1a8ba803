"""Messages that a vendor takes and, a while later, says it could not bring."""

from __future__ import annotations

import pytest

from duly.errors import ChannelTemporaryError
from duly.ports.channels import DeliveryStatus, StatusKind
from duly.service.reminders.chats import ChatInbound
from tests.conformance.reminders.lab import ASKED, Lab, in_lab


async def failed(lab: Lab, message_id: str, key: str | None = None) -> None:
    """The vendor of `chat` tells that a message did not arrive."""
    status = DeliveryStatus(
        channel="chat", address="17", message_id=message_id, status=StatusKind.FAILED, reason="blocked", key=key
    )
    await ChatInbound(lab.service, lab.store.reminders, {}, lab.clock).note_status(status)


@in_lab
async def test_what_waits_for_an_answer_goes_to_the_next_channel_at_once(lab: Lab) -> None:
    made = await lab.remind(require_ack=True, ack_prompt="Did you?")
    await lab.clock.travel(minutes=6)
    await failed(lab, "chat-1")
    await failed(lab, "chat-1")  # told twice
    await lab.clock.travel(seconds=1)
    assert lab.mail.texts == ["Take it", "Did you?"]
    await failed(lab, "chat-2")  # the question, too: it has been asked elsewhere since
    await lab.clock.travel(minutes=1)
    assert (len(lab.mail.texts), lab.chat.tries) == (2, 2)
    assert (await lab.status(made), (await lab.reminder(made)).nags) == ("awaiting_ack", 0)
    assert (await lab.service.handle_message(lab.ana, "mail", "done")).consumed


@in_lab
async def test_it_is_told_while_the_question_is_on_its_way(lab: Lab) -> None:
    async def meanwhile() -> None:
        await failed(lab, "chat-1")

    lab.chat.script += [None, meanwhile]
    made = await lab.remind(require_ack=True, ack_prompt="Did you?")
    await lab.clock.travel(minutes=5, seconds=1)
    assert lab.mail.texts == ["Take it", "Did you?"]
    assert lab.chat.tries == 2
    assert await lab.status(made) == "awaiting_ack"


@in_lab
async def test_what_has_arrived_since_or_was_answered_is_left_alone(lab: Lab) -> None:
    made = await lab.remind(require_ack=True)
    await lab.clock.travel(minutes=15)
    assert lab.chat.texts == [ASKED, ASKED]
    await failed(lab, "chat-1")
    await lab.clock.travel(minutes=1)
    assert (len(lab.chat.texts), lab.mail.texts) == (2, [])
    await lab.service.answer(lab.ana, "ack")
    await failed(lab, "chat-2")
    await lab.clock.travel(hours=1)
    assert (len(lab.chat.texts), lab.mail.texts, await lab.status(made)) == (2, [], "acked")


@in_lab
async def test_what_was_given_up_as_unanswered_and_never_arrived_fires_anew(lab: Lab) -> None:
    made = await lab.remind(require_ack=True, max_ack_reminders=1)
    await lab.clock.travel(minutes=30)
    assert (await lab.status(made), lab.chat.texts) == ("unacked", [ASKED, ASKED])
    await failed(lab, "chat-2")
    await lab.clock.travel(minutes=1)
    assert (lab.mail.texts, await lab.status(made)) == ([], "unacked")  # it arrived once
    await failed(lab, "chat-1")
    await failed(lab, "chat-1")
    await lab.clock.travel(minutes=1)
    assert (lab.mail.texts, await lab.status(made)) == ([ASKED], "awaiting_ack")
    assert len(lab.chat.texts) == 2


@in_lab
async def test_what_was_removed_since_is_let_go_or_the_vendor_would_tell_it_forever(lab: Lab) -> None:
    for message_id, require_ack in (("chat-1", False), ("chat-2", True)):
        made = await lab.remind(require_ack=require_ack)
        await lab.clock.travel(minutes=5)
        await lab.service.remove(lab.ana, made.id)
        await failed(lab, message_id)
    await lab.clock.travel(minutes=1)
    assert (lab.chat.texts, lab.mail.texts) == (["Take it", ASKED], [])


@in_lab
async def test_no_two_deliveries_share_a_key_or_the_second_would_be_taken_for_a_repetition(lab: Lab) -> None:
    await lab.remind(require_ack=True)
    await lab.clock.travel(minutes=15)
    await failed(lab, "chat-1")
    await lab.clock.travel(minutes=20)
    keys = [each.outgoing.key for each in (*lab.chat.arrived, *lab.mail.arrived)]
    assert len(keys) == len(set(keys)) == 4


@in_lab
async def test_where_nothing_is_left_the_admin_hears_of_it_at_once(lab: Lab) -> None:
    await lab.service.people.set_channels(lab.ana, [("chat", "17")])
    made = await lab.remind(require_ack=True, priority="high")
    await lab.clock.travel(minutes=6)
    await failed(lab, "chat-1")
    await lab.clock.travel(seconds=1)
    assert await lab.status(made) == "failed"
    assert lab.pager.texts == ["A reminder for Ana could not be delivered: Take it\nchat: blocked"]
    assert await lab.inbox() == [ASKED]


@in_lab
async def test_bad_news_that_overtake_the_answer_to_the_request_are_to_be_told_again(lab: Lab) -> None:
    async def meanwhile() -> None:
        with pytest.raises(ChannelTemporaryError, match="chat-1 is still being sent"):
            await failed(lab, "chat-1", key=f"{(await lab.reminder(made)).run_id}/reminder/0")

    lab.chat.script += [meanwhile]
    made = await lab.remind()
    await lab.clock.travel(minutes=5)
    assert lab.chat.texts == ["Take it"]
    await failed(lab, "chat-1", key=f"{(await lab.reminder(made)).run_id}/reminder/0")
    await lab.clock.travel(seconds=1)
    assert lab.mail.texts == ["Take it"]
    await failed(lab, "of another program", key="order/17")
