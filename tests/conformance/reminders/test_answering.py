"""Answers through every face: what is meant without a name, old buttons, copies, and taking an answer back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from duly.errors import ChannelTemporaryError
from duly.ports.reminders import Reminder
from duly.service.access.audit import acting_as
from duly.service.access.scopes import ADMIN, Caller, Face, Scope
from duly.service.undo import Undo
from tests.conformance.reminders.harness import ASKED, START, ReminderHarness, harness_at, with_harness
from tests.conformance.reminders.test_acks import asked, button, say

# buttons of old messages


@with_harness
async def test_a_message_that_asked_in_vain_loses_its_buttons_when_it_is_asked_again(harness: ReminderHarness) -> None:
    await asked(harness)
    await harness.clock.travel(minutes=10, seconds=1)
    assert harness.chat.texts == [ASKED, ASKED]
    assert harness.chat.edits == [("chat-1", "Take it")]
    await say(harness, "done")
    await harness.clock.travel(seconds=1)
    assert harness.chat.edits[1:] == [("chat-2", "✓ Done: Take it")]


@with_harness
async def test_a_question_that_was_given_up_keeps_its_buttons(harness: ReminderHarness) -> None:
    made = await asked(harness, ack_prompt="Did you?", max_ack_reminders=1)
    await harness.clock.travel(minutes=30)
    assert await harness.status(made) == "unacked"
    assert harness.chat.edits == [("chat-2", "Did you?")]  # of the first one; the answer to the second still counts


# what was shown, and copies


@with_harness
async def test_a_reminder_is_snoozed_that_was_shown_before_it_was_sent(harness: ReminderHarness) -> None:
    """A face shows a reminder when its run begins; an answer without a name may come before the first send."""
    older = await asked(harness, message="Older")
    newer = await harness.remind(message="Newer", require_ack=True)

    async def snooze() -> None:
        [run] = await harness.runs(newer)
        await harness.service.answer(harness.ana, "snooze", shown=run.id)

    harness.chat.script.extend([snooze])
    await harness.clock.travel(minutes=5, seconds=1)
    assert (await harness.status(older), await harness.status(newer)) == ("awaiting_ack", "snoozed")
    await harness.service.answer(harness.ana, "ack")
    assert await harness.status(older) == "acked"


@with_harness
async def test_a_reminder_is_answered_that_was_shown_before_it_was_recorded(harness: ReminderHarness) -> None:
    older = await asked(harness, message="Older")
    newer = await harness.remind(message="Newer", require_ack=True)

    begin = harness.store.reminders.begin_shared

    async def begin_late(reminders: Sequence[Reminder]) -> list[Reminder]:
        if not answers and reminders[0].schedule_id == newer.id:
            answers.append("ack")
            await harness.service.answer(harness.ana, "ack", shown=reminders[0].run_id)
        return await begin(reminders)

    answers: list[str] = []
    harness.store.reminders.begin_shared = begin_late  # type: ignore[method-assign]
    await harness.clock.travel(minutes=5, seconds=1)
    assert (await harness.status(older), await harness.status(newer)) == ("awaiting_ack", "acked")
    assert "Newer" not in "".join(harness.chat.texts)


@with_harness
async def test_a_copy_in_the_inbox_can_be_answered_without_its_name(harness: ReminderHarness) -> None:
    harness.chat.otherwise = harness.mail.otherwise = ChannelTemporaryError("down")
    made = await harness.remind(require_ack=True)
    await harness.clock.travel(minutes=5)
    assert await harness.inbox() == [ASKED]
    assert [each.run_id for each in await harness.service.pending(harness.ana)] == [
        (await harness.reminder(made)).run_id
    ]
    handled = await say(harness, "done")
    assert not handled.consumed  # no chat has seen it: these words are about another message
    answered = await harness.service.answer(harness.ana, "ack")
    assert answered.text == "✓ Done: Take it"
    tries = harness.chat.tries
    await harness.clock.travel(hours=3)
    assert (harness.chat.tries, await harness.status(made)) == (tries, "acked")


# taking back


LOCAL = Caller(ADMIN, None, Face.CLI)


def undo_of(harness: ReminderHarness) -> Undo:
    return harness.services.undo


def in_chat_of(harness: ReminderHarness) -> Caller:
    return Caller(Scope("user", harness.ana), None, Face.CHAT, user_id=harness.ana)


@pytest.mark.parametrize("way", ["words", "button", "command", "tool"])
async def test_an_answer_is_taken_back_whichever_way_it_came(tmp_path: Path, way: str) -> None:
    async with harness_at(str(tmp_path / "duly.db")) as harness:
        made = await asked(harness)
        caller = in_chat_of(harness)
        if way == "words":
            await say(harness, "done")
        elif way == "button":
            await harness.service.handle_message(harness.ana, "chat", button=button(harness))
        else:
            caller = LOCAL if way == "command" else Caller(ADMIN, "tok_agent", Face.MCP)
            with acting_as(caller):
                await harness.service.answer(harness.ana, "ack")
        await harness.clock.travel(seconds=2)
        assert await harness.status(made) == "acked"
        assert await undo_of(harness).undo_last(caller) == "undone: ✓ Done: Take it"
        harness.engine.wake()
        await harness.clock.travel(seconds=2)
        assert await harness.status(made) == "awaiting_ack"
        [sent] = harness.chat.arrived
        assert harness.chat.edits == [(sent.message_id, "✓ Done: Take it"), (sent.message_id, ASKED)]
        assert harness.chat.edited_buttons == [(), sent.outgoing.buttons]  # it asks again, with its buttons
        await harness.clock.travel(minutes=10)
        assert harness.chat.texts == [ASKED, ASKED]
        await say(harness, "done")
        await harness.clock.travel(minutes=1)
        assert await harness.status(made) == "acked"


@with_harness
async def test_a_person_takes_back_in_one_place_what_they_said_in_another(harness: ReminderHarness) -> None:
    made = await asked(harness)
    with acting_as(Caller(Scope("user", harness.ana), "tok_ana", Face.GUI)):
        await harness.service.answer(harness.ana, "dismiss")
    await undo_of(harness).undo_last(in_chat_of(harness))
    assert await harness.status(made) == "awaiting_ack"


@with_harness
async def test_an_answer_can_be_taken_back_for_five_minutes(harness: ReminderHarness) -> None:
    await asked(harness)
    await say(harness, "done")
    await harness.clock.travel(minutes=5)
    assert await undo_of(harness).last(in_chat_of(harness)) is None


@with_harness
async def test_a_second_delivery_of_what_wanted_no_answer_is_taken_back(harness: ReminderHarness) -> None:
    await harness.remind()
    await harness.clock.travel(minutes=6)
    answered = await harness.service.answer(harness.ana, "snooze")
    assert answered.undo is not None
    await undo_of(harness).undo(LOCAL, answered.undo)
    await harness.clock.travel(hours=1)
    assert harness.chat.texts == ["Take it"]


@with_harness
async def test_a_moved_second_delivery_comes_again_at_its_first_time(harness: ReminderHarness) -> None:
    await harness.remind()
    await harness.clock.travel(minutes=6)
    await harness.service.answer(harness.ana, "snooze", minutes=10)
    moved = await harness.service.answer(harness.ana, "snooze", minutes=60)
    assert moved.undo is not None
    await undo_of(harness).undo(LOCAL, moved.undo)
    await harness.clock.travel(minutes=11)
    assert harness.chat.texts == ["Take it", "Take it"]


# buttons, presets and reactions


@with_harness
async def test_a_plain_reminder_has_buttons_and_waits_for_no_answer(harness: ReminderHarness) -> None:
    made = await harness.remind()
    await harness.clock.travel(minutes=6)
    [sent] = harness.chat.arrived
    assert sent.outgoing.text == "Take it"
    assert [each.kind for each in sent.outgoing.buttons] == ["done", *["snooze"] * 4]
    assert (await harness.status(made), await harness.run_status(made)) == ("delivered", "succeeded")
    handled = await harness.service.handle_message(harness.ana, "chat", button=button(harness))
    assert handled.reply == "✓ Done: Take it"
    assert await harness.status(made) == "acked"
    again = await harness.service.handle_message(harness.ana, "chat", button=button(harness))
    assert again.reply == "This reminder is over already: Take it"
    await undo_of(harness).undo_last(in_chat_of(harness))
    await harness.clock.travel(minutes=30)
    assert (await harness.status(made), await harness.run_status(made)) == ("delivered", "succeeded")
    assert len(harness.chat.arrived) == 1


@with_harness
async def test_a_button_puts_it_off_until_the_evening_of_the_person(harness: ReminderHarness) -> None:
    await harness.service.people.update(harness.ana, day_parts="evening=17:30", snoozes="evening, 2h")
    made = await asked(harness)
    assert [each.label for each in harness.chat.arrived[0].outgoing.buttons] == [
        *("Done", "This evening", "Dismiss", "In 2 hours")
    ]
    handled = await harness.service.handle_message(harness.ana, "chat", button=button(harness, place=1))
    assert handled.reply == "⏰ I will remind you at 17:30: Take it"
    assert (await harness.reminder(made)).wake_at == START.replace(hour=16, minute=30)


@with_harness
async def test_the_time_until_it_is_asked_again_is_the_reminders_own(harness: ReminderHarness) -> None:
    await asked(harness, nag_minutes=3)
    await harness.clock.travel(minutes=3, seconds=1)
    assert harness.chat.texts == [ASKED, ASKED]
    await harness.clock.travel(minutes=9)
    assert len(harness.chat.texts) == 4


@pytest.mark.parametrize(
    ("sign", "counts"), [("👍", True), ("👍🏽", True), ("✅", True), ("✔️", True), ("👎", False), ("❤️", False)]
)
async def test_a_reaction_answers_the_message_it_was_given_to(tmp_path: Path, sign: str, counts: bool) -> None:
    async with harness_at(str(tmp_path / "duly.db")) as harness:
        first = await asked(harness, message="First")
        second = await asked(harness, message="Second")
        handled = await harness.service.handle_message(
            harness.ana, "chat", quoted="chat-1", reaction=sign, message_id="r1"
        )
        assert handled.consumed is counts
        assert await harness.status(first) == ("acked" if counts else "awaiting_ack")
        assert await harness.status(second) == "awaiting_ack"


@with_harness
async def test_a_reaction_to_another_message_or_of_another_person_answers_nothing(harness: ReminderHarness) -> None:
    made = await asked(harness)
    service = harness.service
    assert not (await service.handle_message(harness.ana, "chat", quoted="chat-77", reaction="👍")).consumed
    assert not (await service.handle_message(harness.ana, "chat", reaction="👍")).consumed
    assert not (await service.handle_message(harness.root, "chat", quoted="chat-1", reaction="👍")).consumed
    assert await harness.status(made) == "awaiting_ack"
