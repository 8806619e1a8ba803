"""Acknowledgement: asking, answers in words and by button, silence, snoozing, several at once."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from duly.errors import ChannelTemporaryError, ChannelUnknownError, InvalidInputError, NotFoundError
from duly.language.replies import Reply, ReplyKind
from duly.model.run import Status
from duly.ports.channels import Incoming
from duly.service.reminders.chats import ChatInbound
from duly.service.reminders.reminders import ReminderService
from duly.service.reminders.replies import Handled
from duly.service.schedules.fields import ReminderView
from tests.conformance.reminders.harness import ASKED, IN_FIVE, START, ReminderHarness, harness_at, with_harness

DUE = START + timedelta(minutes=5)
DOWN = ChannelTemporaryError("503")
MEDICINE: dict[str, Any] = {"require_ack": True, "ack_prompt": "Did you take it?"}


async def asked(harness: ReminderHarness, **options: Any) -> ReminderView:
    """A reminder that has arrived and waits for its answer."""
    made = await harness.remind(**{"require_ack": True, **options})
    await harness.clock.travel(minutes=5)
    assert await harness.status(made) == "awaiting_ack"
    return made


async def say(harness: ReminderHarness, text: str, **more: Any) -> Handled:
    return await harness.service.handle_message(harness.ana, "chat", text, **more)


def button(harness: ReminderHarness, number: int = -1, place: int = 0) -> str:
    return harness.chat.arrived[number].outgoing.buttons[place].token


# asking


@with_harness
async def test_the_question_follows_the_reminder_and_has_the_buttons(harness: ReminderHarness) -> None:
    made = await harness.remind(**MEDICINE)
    await harness.clock.travel(minutes=5)
    reminder, question = harness.chat.arrived
    assert (reminder.outgoing.text, question.outgoing.text) == ("Take it", "Did you take it?")
    assert reminder.outgoing.buttons == ()
    labels = ["Done", "10 min later", "Dismiss", "In 1 hour", "This evening", "Tomorrow morning"]
    assert [each.label for each in question.outgoing.buttons] == labels
    assert question.outgoing.reply_to == reminder.message_id
    assert await harness.tried(made) == [("chat", "reminder", "sent"), ("chat", "ack_prompt", "sent")]
    assert await harness.run_status(made) is Status.PENDING


@with_harness
async def test_events_of_deliveries_say_to_whom_and_whether_again(harness: ReminderHarness) -> None:
    await asked(harness, nag_minutes=10, max_ack_reminders=1, priority="critical")
    await harness.clock.travel(hours=2)
    told = [(each.data["kind"], each.data["person"], each.data["again"]) for each in harness.emitted]
    assert told == [
        ("reminder", harness.ana, False),
        ("reminder", harness.ana, True),
        ("escalation", harness.root, True),
    ]


@with_harness
async def test_without_a_question_the_reminder_has_the_buttons(harness: ReminderHarness) -> None:
    await asked(harness)
    [reminder] = harness.chat.arrived
    assert [each.kind for each in reminder.outgoing.buttons] == ["done", "snooze", "dismiss", *["snooze"] * 3]


@with_harness
async def test_what_may_not_be_snoozed_has_no_such_button(harness: ReminderHarness) -> None:
    await asked(harness, snooze_allowed=False)
    assert [each.kind for each in harness.chat.arrived[0].outgoing.buttons] == ["done", "dismiss"]


@with_harness
async def test_buttons_speak_the_language_of_the_person(harness: ReminderHarness) -> None:
    await harness.service.people.update(harness.ana, language="hr")
    await asked(harness)
    labels = ["Gotovo", "Za 10 min", "Preskoči", "Za 1 sat", "Večeras", "Sutra ujutro"]
    assert [each.label for each in harness.chat.arrived[0].outgoing.buttons] == labels


@with_harness
async def test_the_question_goes_where_the_reminder_went(harness: ReminderHarness) -> None:
    harness.chat.script.append(DOWN)
    made = await harness.remind(**MEDICINE)
    await harness.clock.travel(minutes=5)
    assert harness.mail.texts == ["Take it", "Did you take it?"]
    assert harness.chat.texts == []
    assert await harness.status(made) == "awaiting_ack"


@with_harness
async def test_a_question_that_is_not_taken_is_asked_again_as_soon_as_the_priority_and_the_vendor_say(
    harness: ReminderHarness,
) -> None:
    harness.chat.script += [None, DOWN, ChannelTemporaryError("429", 150.0)]
    made = await harness.remind(**MEDICINE)
    await harness.clock.travel(minutes=6, seconds=-1)
    assert (harness.chat.texts, harness.chat.tries) == (["Take it"], 2)
    await harness.clock.travel(seconds=1)
    assert (harness.chat.texts, harness.chat.tries) == (["Take it"], 3)
    await harness.clock.travel(seconds=149)
    assert harness.chat.tries == 3
    await harness.clock.travel(seconds=1)
    assert harness.chat.texts == ["Take it", "Did you take it?"]
    assert (await say(harness, "yes")).consumed
    await harness.clock.travel(hours=1)
    assert (await harness.status(made), len(harness.chat.texts)) == ("acked", 2)


@with_harness
async def test_a_question_that_no_channel_takes_does_not_stop_the_nag(harness: ReminderHarness) -> None:
    harness.chat.script += [None, ChannelTemporaryError("429", 3600.0)]
    await harness.remind(**MEDICINE)
    await harness.clock.travel(minutes=15)
    assert harness.chat.texts == ["Take it"]
    assert harness.mail.texts == ["Take it", "Did you take it?"]  # the chat did not want to be asked for an hour


@with_harness
async def test_a_question_is_not_asked_more_often_than_a_reminder_is_tried(harness: ReminderHarness) -> None:
    harness.chat.script += [None, DOWN, DOWN, None]
    await harness.remind(**MEDICINE, max_retries=1, max_ack_reminders=0)
    await harness.clock.travel(hours=1)
    assert (harness.chat.texts, harness.chat.tries) == (["Take it"], 3)


@with_harness
async def test_a_question_that_may_have_arrived_is_asked_once_more(harness: ReminderHarness) -> None:
    harness.chat.script += [None, ChannelUnknownError("no answer"), ChannelUnknownError("no answer")]
    made = await harness.remind(**MEDICINE)
    await harness.clock.travel(minutes=5)
    kinds = [each[1:] for each in await harness.tried(made)]
    assert kinds == [("reminder", "sent"), ("ack_prompt", "unknown"), ("ack_prompt", "unknown")]


# the table of replies


@pytest.mark.parametrize("text", ["yes", "done", "ok", "popio sam"])
def test_ack_marks_the_run_complete(tmp_path: Path, text: str) -> None:
    async def scene() -> None:
        async with harness_at(str(tmp_path / "duly.db")) as harness:
            await harness.service.people.update(harness.ana, language="hr" if text == "popio sam" else "en")
            made = await asked(harness)
            handled = await say(harness, text)
            await harness.clock.travel(seconds=1)
            assert handled.consumed
            assert "Take it" in str(handled.reply)
            assert (await harness.status(made), await harness.run_status(made)) == ("acked", Status.SUCCEEDED)
            assert [each.status for each in await harness.attempts(made)] == ["acked"]
            [answer] = await harness.store.reminders.answers((await harness.reminder(made)).run_id)
            assert (answer.response, answer.response_text, answer.channel) == ("ack", text, "chat")

    asyncio.run(scene())


@pytest.mark.parametrize(("text", "minutes"), [("5 more minutes", 5), ("later", 10)])
def test_snooze_delivers_again(tmp_path: Path, text: str, minutes: int) -> None:
    async def scene() -> None:
        async with harness_at(str(tmp_path / "duly.db")) as harness:
            made = await asked(harness)
            handled = await say(harness, text)
            assert handled.answered is not None
            assert handled.answered.until == harness.clock.now() + timedelta(minutes=minutes)
            assert await harness.status(made) == "snoozed"
            await harness.clock.travel(minutes=minutes, seconds=-1)
            assert harness.chat.texts == [ASKED]
            await harness.clock.travel(seconds=1)
            assert harness.chat.texts == [ASKED, ASKED]
            assert (await harness.status(made), (await harness.reminder(made)).run_number) == ("awaiting_ack", 1)
            assert len(await harness.runs(made)) == 1

    asyncio.run(scene())


@pytest.mark.parametrize(("text", "language"), [("cancel", "en"), ("stop", "en"), ("ne treba", "hr")])
def test_dismiss_ends_this_run_only(tmp_path: Path, text: str, language: str) -> None:
    async def scene() -> None:
        async with harness_at(str(tmp_path / "duly.db")) as harness:
            await harness.service.people.update(harness.ana, language=language)
            made = await harness.remind({"type": "interval", "every": "1h"}, require_ack=True)
            await harness.clock.travel(hours=1)
            assert (await say(harness, text)).consumed
            await harness.clock.travel(minutes=59)
            assert await harness.status(made) == "dismissed"
            assert len(harness.chat.texts) == 1
            await harness.clock.travel(minutes=1)
            assert len(harness.chat.texts) == 2
            assert (await harness.reminder(made)).run_number == 2

    asyncio.run(scene())


@with_harness
async def test_silence_delivers_again_up_to_the_limit(harness: ReminderHarness) -> None:
    made = await asked(harness, max_ack_reminders=3)
    times = []
    for _ in range(6):
        times.append(len(harness.chat.texts))
        await harness.clock.travel(minutes=10)
    assert times == [1, 2, 3, 4, 4, 4]
    assert (await harness.status(made), await harness.run_status(made)) == ("unacked", Status.SUCCEEDED)
    assert harness.pager.texts == []
    assert (await harness.service.get(harness.ana, made.id)).last_status == "unacked"


@with_harness
async def test_an_unanswered_critical_reminder_tells_the_admin(harness: ReminderHarness) -> None:
    made = await asked(harness, priority="critical", max_ack_reminders=1)
    await harness.clock.travel(minutes=20)
    [told] = harness.pager.texts
    assert told == "Ana did not answer a reminder: Take it"
    assert await harness.status(made) == "unacked"


@with_harness
async def test_no_nagging_when_none_is_wanted(harness: ReminderHarness) -> None:
    made = await asked(harness, max_ack_reminders=0)
    await harness.clock.travel(minutes=10)
    assert (harness.chat.texts, await harness.status(made)) == ([ASKED], "unacked")


@with_harness
async def test_silence_counts_from_the_last_send(harness: ReminderHarness) -> None:
    async def slow() -> None:
        await harness.clock.sleep(120)

    harness.chat.script += [None, slow]
    await harness.remind(**MEDICINE)
    await harness.clock.travel(minutes=5 + 2 + 9, seconds=59)
    assert harness.chat.texts == ["Take it", "Did you take it?"]
    await harness.clock.travel(seconds=1)
    assert harness.chat.texts[2:] == ["Take it", "Did you take it?"]


# an answer stops everything


@with_harness
async def test_an_answer_stops_every_later_step(harness: ReminderHarness) -> None:
    made = await asked(harness, priority="critical")
    await harness.clock.travel(minutes=10)
    assert len(harness.chat.texts) == 2
    await say(harness, "done")
    await harness.clock.travel(days=1)
    assert (len(harness.chat.texts), harness.pager.texts) == (2, [])
    assert await harness.status(made) == "acked"


@with_harness
async def test_an_answer_after_the_admin_was_told_stops_what_is_left(harness: ReminderHarness) -> None:
    harness.chat.script += [DOWN, None]
    harness.mail.script += [DOWN]
    made = await harness.remind(priority="critical", require_ack=True)
    await harness.clock.travel(minutes=6)
    assert len(harness.pager.texts) == 1
    await say(harness, "done")
    await harness.clock.travel(days=1)
    assert (await harness.status(made), harness.chat.texts, len(harness.pager.texts)) == ("acked", [ASKED], 1)


@with_harness
async def test_an_answer_while_it_is_being_sent_again_stops_the_round(harness: ReminderHarness) -> None:
    made = await asked(harness)

    async def answered_meanwhile() -> None:
        await say(harness, "done")
        raise DOWN

    harness.chat.script.append(answered_meanwhile)
    await harness.clock.travel(minutes=10)
    await harness.clock.travel(hours=2)
    assert (await harness.status(made), harness.mail.texts) == ("acked", [])
    assert await harness.run_status(made) is Status.SUCCEEDED


@with_harness
async def test_an_answer_during_the_last_try_leaves_no_copy_and_no_alarm(harness: ReminderHarness) -> None:
    made = await asked(harness, priority="critical")

    async def answered_meanwhile() -> None:
        await say(harness, "done")
        raise DOWN

    harness.chat.script.append(DOWN)
    harness.mail.script.append(answered_meanwhile)
    await harness.clock.travel(minutes=10)
    assert (await harness.status(made), await harness.inbox(), harness.pager.texts) == ("acked", [], [])


@with_harness
async def test_an_answer_while_the_admin_is_told_still_counts(harness: ReminderHarness) -> None:
    made = await asked(harness, priority="critical", max_ack_reminders=0)

    async def answered_meanwhile() -> None:
        await say(harness, "done")
        raise DOWN

    harness.pager.script.append(answered_meanwhile)
    await harness.clock.travel(minutes=10)
    assert (await harness.status(made), await harness.inbox(harness.root)) == ("acked", [])


@with_harness
async def test_a_snooze_while_it_is_being_sent_again_is_kept_to_the_minute(harness: ReminderHarness) -> None:
    made = await asked(harness)

    async def snoozed_meanwhile() -> None:
        await harness.service.answer(harness.ana, "snooze", minutes=3)

    harness.chat.script.append(snoozed_meanwhile)
    await harness.clock.travel(minutes=10)
    assert await harness.status(made) == "snoozed"
    await harness.clock.travel(minutes=3)
    assert len(harness.chat.texts) == 3


@with_harness
async def test_the_message_says_what_was_answered(harness: ReminderHarness) -> None:
    await asked(harness)
    await say(harness, "later")
    await harness.clock.travel(seconds=1)
    assert harness.chat.edits == [("chat-1", "⏰ I will remind you at 13:15: Take it")]
    await harness.clock.travel(minutes=10)
    await say(harness, "done")
    await harness.clock.travel(seconds=1)
    assert harness.chat.edits[1:] == [("chat-2", "✓ Done: Take it")]


# buttons and quotes


@with_harness
async def test_buttons_say_which_and_what(harness: ReminderHarness) -> None:
    first = await asked(harness, message="First")
    second = await asked(harness, message="Second")
    handled = await harness.service.handle_message(harness.ana, "chat", button=button(harness, 0))
    assert handled.reply == "✓ Done: First"
    assert (await harness.status(first), await harness.status(second)) == ("acked", "awaiting_ack")
    await harness.service.handle_message(harness.ana, "chat", button=button(harness, 1, place=1))
    assert await harness.status(second) == "snoozed"
    await harness.service.handle_message(harness.ana, "chat", button=button(harness, 1, place=2))
    assert await harness.status(second) == "dismissed"


@with_harness
async def test_a_quoted_message_says_which(harness: ReminderHarness) -> None:
    first = await asked(harness, message="First")
    second = await asked(harness, message="Second", ack_prompt="Done with it?")
    assert (await say(harness, "done", quoted="chat-1")).reply == "✓ Done: First"
    assert (await harness.status(first), await harness.status(second)) == ("acked", "awaiting_ack")
    assert (await say(harness, "done", quoted="chat-3")).reply == "✓ Done: Second"


@with_harness
async def test_words_that_name_none_of_several_answer_none(harness: ReminderHarness) -> None:
    first = await asked(harness, message="First")
    second = await asked(harness, message="Second")
    for text in ("done", "yes", "later", "in an hour", "no", "skip it", "I don't want to"):
        handled = await say(harness, text)
        assert not handled.consumed
        assert handled.asks is not None
        assert {each.text for each in handled.asks.options} == {"First", "Second"}
    assert (await harness.status(first), await harness.status(second)) == ("awaiting_ack", "awaiting_ack")


@with_harness
async def test_words_mean_the_reminder_that_they_name(harness: ReminderHarness) -> None:
    pill = await asked(harness, message="Take your pill")
    vitamins = await asked(harness, message="Vitamins")
    assert (await say(harness, "took the pill")).reply == "✓ Done: Take your pill"
    assert (await harness.status(pill), await harness.status(vitamins)) == ("acked", "awaiting_ack")
    assert (await say(harness, "took them")).reply == "✓ Done: Vitamins"
    assert not (await say(harness, "done")).consumed


@with_harness
async def test_an_answer_without_a_name_is_refused_where_several_wait(harness: ReminderHarness) -> None:
    first = await asked(harness, message="First")
    await asked(harness, message="Second")
    with pytest.raises(InvalidInputError, match="2 reminders wait for an answer: name the one that is meant"):
        await harness.service.answer(harness.ana, "ack")
    await harness.service.answer(harness.ana, "ack", first.id)
    assert (await harness.service.answer(harness.ana, "ack")).text == "✓ Done: Second"


@with_harness
async def test_a_claim_that_does_not_fit_is_asked_and_the_reminder_stays_open(harness: ReminderHarness) -> None:
    made = await asked(harness, message="Take your medicine")
    for text in ("took it 3 weeks ago", "mum took it", "I've eaten", "took my vitamins", "I think I took it"):
        handled = await say(harness, text)
        assert not handled.consumed
        assert handled.asks is not None
        [option] = handled.asks.options
        assert (option.doubt, option.given.response) == ("done", "ack")
    assert await harness.status(made) == "awaiting_ack"
    assert (await say(harness, "took it")).reply == "✓ Done: Take your medicine"


@with_harness
async def test_unwillingness_drops_nothing_and_admins_hear_of_it_if_it_is_critical(harness: ReminderHarness) -> None:
    made = await asked(harness, message="Take your medicine", priority="critical")
    handled = await say(harness, "doctor told me to stop")
    assert handled.asks is not None
    assert [(each.doubt, each.given.response) for each in handled.asks.options] == [("skip", "dismiss")]
    assert await harness.status(made) == "awaiting_ack"
    await harness.clock.travel(minutes=1)
    assert harness.pager.texts == [
        "Ana answered “doctor told me to stop” to a reminder, which stays open: Take your medicine"
    ]
    await harness.clock.travel(minutes=10)
    assert harness.chat.texts[-1].startswith("Take your medicine")  # it is asked again, as before


# answers to a reminder that was given up


async def given_up(harness: ReminderHarness, **options: Any) -> ReminderView:
    made = await asked(harness, **{"max_ack_reminders": 0, **options})
    await harness.clock.travel(minutes=11)
    assert await harness.status(made) == "unacked"
    return made


@with_harness
async def test_a_reminder_that_was_given_up_is_answered_late_in_words(harness: ReminderHarness) -> None:
    made = await given_up(harness, message="Take your medicine", priority="critical")
    await harness.clock.travel(hours=3)
    assert harness.pager.texts == ["Ana did not answer a reminder: Take your medicine"]
    assert (await say(harness, "took it")).reply == "✓ Done: Take your medicine"
    assert await harness.status(made) == "acked"
    await harness.clock.travel(minutes=1)
    assert harness.pager.texts[1:] == ["Ana has answered after all, it is done: Take your medicine"]
    assert not (await say(harness, "took it")).consumed


@with_harness
async def test_its_buttons_work_as_well(harness: ReminderHarness) -> None:
    made = await given_up(harness, message="Take your medicine")
    token = button(harness)  # of the snooze of tomorrow
    done = harness.chat.arrived[-1].outgoing.buttons[0].token
    assert (
        await harness.service.handle_message(harness.ana, "chat", button=done)
    ).reply == "✓ Done: Take your medicine"
    assert await harness.status(made) == "acked"
    assert (await harness.service.handle_message(harness.ana, "chat", button=token)).reply is not None


@with_harness
async def test_a_snooze_of_it_brings_it_once_more(harness: ReminderHarness) -> None:
    await given_up(harness, message="Take your medicine", max_ack_reminders=0)
    snooze = harness.chat.arrived[-1].outgoing.buttons[1].token
    assert (await harness.service.handle_message(harness.ana, "chat", button=snooze)).answered is not None
    sent = len(harness.chat.texts)
    await harness.clock.travel(minutes=11)
    assert harness.chat.texts[sent:][0].startswith("Take your medicine")


@with_harness
async def test_consent_to_it_is_asked_and_nothing_else_is_about_it(harness: ReminderHarness) -> None:
    made = await given_up(harness, message="Take your medicine")
    handled = await say(harness, "ok")
    assert handled.asks is not None
    assert [each.doubt for each in handled.asks.options] == ["done"]
    for text in ("later", "no", "skip it", "in 10 minutes"):
        assert await say(harness, text) == Handled(consumed=False)
    assert await harness.status(made) == "unacked"


@with_harness
async def test_it_is_answered_for_a_day_and_until_the_next_one_comes(harness: ReminderHarness) -> None:
    made = await given_up(harness, message="Take your medicine")
    await harness.clock.travel(hours=24)
    assert await say(harness, "took it") == Handled(consumed=False)
    assert await harness.status(made) == "unacked"
    daily = {"type": "interval", "every": "6h"}
    series = await harness.remind(daily, message="Drops", require_ack=True, max_ack_reminders=0)
    await harness.clock.travel(hours=6, minutes=11)
    assert await harness.status(series) == "unacked"
    old = harness.chat.arrived[-1].outgoing.buttons[0].token
    await harness.clock.travel(hours=6, minutes=-10)
    assert await harness.status(series) == "awaiting_ack"
    over = await harness.service.handle_message(harness.ana, "chat", button=old)
    assert over.reply == "This reminder is over already: Drops"


@with_harness
async def test_nothing_waits_any_more(harness: ReminderHarness) -> None:
    await asked(harness, message="First")
    assert (await say(harness, "done")).reply == "✓ Done: First"
    assert not (await say(harness, "done")).consumed


@with_harness
async def test_what_was_put_off_is_not_meant_while_another_waits(harness: ReminderHarness) -> None:
    first = await asked(harness, message="First")
    second = await asked(harness, message="Second")
    assert (await say(harness, "in an hour", quoted="chat-2")).reply == "⏰ I will remind you at 14:10: Second"
    assert (await say(harness, "done")).reply == "✓ Done: First"
    assert (await harness.status(first), await harness.status(second)) == ("acked", "snoozed")
    assert (await say(harness, "done")).reply == "✓ Done: Second"


@with_harness
async def test_quoting_what_is_over_answers_nothing_else(harness: ReminderHarness) -> None:
    await asked(harness, message="First")
    second = await asked(harness, message="Second")
    await say(harness, "done", quoted="chat-1")
    handled = await say(harness, "done", quoted="chat-1")
    assert handled.consumed
    assert handled.answered is None
    assert handled.reply == "This reminder is over already: First"
    assert await harness.status(second) == "awaiting_ack"


@with_harness
async def test_words_about_another_message_answer_no_reminder(harness: ReminderHarness) -> None:
    first = await asked(harness, message="First")
    second = await asked(harness, message="Second")
    assert not (await say(harness, "done", quoted="a reply of ours, or of another bot")).consumed
    assert (await harness.status(first), await harness.status(second)) == ("awaiting_ack", "awaiting_ack")
    await say(harness, "done", quoted="chat-1")
    assert not (await say(harness, "done", quoted="of another person in the group")).consumed  # though only one waits
    assert await harness.status(second) == "awaiting_ack"


@with_harness
async def test_a_button_pressed_twice_counts_once(harness: ReminderHarness) -> None:
    made = await asked(harness)
    for _ in range(2):
        handled = await harness.service.handle_message(harness.ana, "chat", button=button(harness))
        assert handled.consumed
    assert len(await harness.store.reminders.answers((await harness.reminder(made)).run_id)) == 1


@with_harness
async def test_a_message_told_twice_counts_once(harness: ReminderHarness) -> None:
    first = await asked(harness, message="First")
    second = await asked(harness, message="Second")
    assert (await say(harness, "done", message_id="7", quoted="chat-2")).answered is not None
    again = await say(harness, "done", message_id="7")
    assert (again.consumed, again.answered, again.reply) == (True, None, None)
    assert (await harness.status(first), await harness.status(second)) == ("awaiting_ack", "acked")


@with_harness
async def test_what_is_not_understood_goes_on_and_changes_nothing(harness: ReminderHarness) -> None:
    made = await asked(harness)
    for text in ("what is the weather like?", "done?", "stopwatch", "done with you, tell me a joke", ""):
        assert not (await say(harness, text)).consumed
    assert await harness.status(made) == "awaiting_ack"
    assert not (await harness.service.handle_message(harness.ana, "chat", button="vote:42")).consumed
    assert (await say(harness, "hello there", message_id="9")).consumed is False
    assert (await say(harness, "hello there", message_id="9")).consumed is True


@with_harness
async def test_what_is_not_understood_may_be_asked_elsewhere_first(harness: ReminderHarness) -> None:
    questions = []

    async def model(text: str, language: str | None) -> Reply | None:
        questions.append((text, language))
        return Reply(ReplyKind.ACK) if "swallowed" in text else None

    harness.service = ReminderService(harness.services, classifier=model)
    made = await asked(harness)
    assert not (await say(harness, "the weather is swell")).consumed
    assert (await say(harness, "the thing has been swallowed by yours truly")).reply == "✓ Done: Take it"
    assert await harness.status(made) == "acked"
    assert len(questions) == 2
    assert questions[0] == ("the weather is swell", "en")


@with_harness
async def test_nothing_pending_nothing_consumed(harness: ReminderHarness) -> None:
    assert not (await say(harness, "done")).consumed
    await harness.remind()
    await harness.clock.travel(minutes=5)
    assert not (await say(harness, "done")).consumed


# snoozing


@with_harness
async def test_snooze_until_a_time(harness: ReminderHarness) -> None:
    made = await asked(harness)
    handled = await say(harness, "remind me at 6pm")
    assert handled.answered is not None
    assert handled.answered.until == datetime(2026, 11, 16, 17, 0, tzinfo=UTC)  # 18:00 in Zagreb
    assert handled.reply == "⏰ I will remind you at 18:00: Take it"
    await harness.clock.travel_to(datetime(2026, 11, 16, 17, 0, tzinfo=UTC))
    assert (len(harness.chat.texts), await harness.status(made)) == (2, "awaiting_ack")


@with_harness
async def test_snooze_has_limits(harness: ReminderHarness) -> None:
    made = await asked(harness)
    for minutes in (0, 1441, -5):
        with pytest.raises(InvalidInputError, match="minutes"):
            await harness.service.answer(harness.ana, "snooze", minutes=minutes)
    for until in (START, START + timedelta(days=8)):
        with pytest.raises(InvalidInputError, match="until must lie ahead and within 7 days"):
            await harness.service.answer(harness.ana, "snooze", until=until)
    assert await harness.status(made) == "awaiting_ack"
    answered = await harness.service.answer(harness.ana, "snooze", minutes=1440)
    assert answered.until == DUE + timedelta(days=1)
    with pytest.raises(InvalidInputError, match="until must be timezone-aware"):
        await harness.service.answer(harness.ana, "snooze", until=datetime(2026, 11, 16, 18))  # noqa: DTZ001  that is the point


@with_harness
async def test_what_may_not_be_snoozed_is_not(harness: ReminderHarness) -> None:
    made = await asked(harness, snooze_allowed=False)
    handled = await say(harness, "later")
    assert handled.consumed
    assert handled.reply == "This reminder cannot be put off, so it stays open: Take it"
    assert await harness.status(made) == "awaiting_ack"


NEGATIONS = [
    ("no", "en", "⏰ I will ask again at 13:15: Take it"),
    ("👎", "en", "⏰ I will ask again at 13:15: Take it"),
    ("nein", "de", "⏰ Ich frage um 13:15 noch einmal nach: Take it"),
    ("ne", "hr", "⏰ Pitat ću opet u 13:15: Take it"),
    ("не", "sr", "⏰ Питаћу опет у 13:15: Take it"),
    ("no", "es", "⏰ Volveré a preguntar a las 13:15: Take it"),
    ("non", "fr", "⏰ Je redemanderai à 13:15 : Take it"),
    ("no", "it", "⏰ Te lo chiederò di nuovo alle 13:15: Take it"),
]


@pytest.mark.parametrize(("text", "language", "reply"), NEGATIONS)
def test_a_bare_no_is_asked_again_and_says_so(tmp_path: Path, text: str, language: str, reply: str) -> None:
    async def scene() -> None:
        async with harness_at(str(tmp_path / "duly.db")) as harness:
            await harness.service.people.update(harness.ana, language=language)
            made = await asked(harness, priority="critical", **MEDICINE)
            handled = await say(harness, text)
            assert (handled.consumed, handled.reply) == (True, reply)
            assert await harness.status(made) == "snoozed"
            await harness.clock.travel(minutes=10)
            assert harness.chat.texts == ["Take it", "Did you take it?"] * 2
            await harness.clock.travel(minutes=40)  # silence from here on: the no was an answer, and nothing more
            assert (await harness.status(made), len(harness.pager.texts)) == ("unacked", 1)

    asyncio.run(scene())


@with_harness
async def test_a_bare_no_leaves_open_what_may_not_be_put_off(harness: ReminderHarness) -> None:
    made = await asked(harness, snooze_allowed=False)
    handled = await say(harness, "no")
    assert handled.reply == "This reminder cannot be put off, so it stays open: Take it"
    assert await harness.status(made) == "awaiting_ack"
    await harness.clock.travel(minutes=10)
    assert harness.chat.texts == [ASKED, ASKED]


@with_harness
async def test_a_second_no_changes_nothing(harness: ReminderHarness) -> None:
    made = await asked(harness)
    await say(harness, "in an hour")
    await harness.clock.travel(minutes=1)
    handled = await say(harness, "no")
    assert (handled.consumed, handled.reply) == (True, "⏰ I will ask again at 14:05: Take it")
    assert (await harness.reminder(made)).wake_at == DUE + timedelta(hours=1)


@with_harness
async def test_a_bare_no_to_what_asked_nothing_is_not_ours(harness: ReminderHarness) -> None:
    made = await harness.remind()
    await harness.clock.travel(minutes=5)
    assert not (await say(harness, "no", quoted="chat-1")).consumed
    await harness.clock.travel(hours=1)
    assert (harness.chat.texts, await harness.status(made)) == (["Take it"], "delivered")


@pytest.mark.parametrize("text", ["noted", "understood", "sounds good", "great", "got it, thanks"])
def test_words_that_claim_nothing_leave_the_question_open(tmp_path: Path, text: str) -> None:
    async def scene() -> None:
        async with harness_at(str(tmp_path / "duly.db")) as harness:
            made = await asked(harness, **MEDICINE)
            assert not (await say(harness, text)).consumed
            assert await harness.status(made) == "awaiting_ack"

    asyncio.run(scene())


QUESTIONS = {
    "en": "Is it done?",
    "de": "Ist es erledigt?",
    "hr": "Je li gotovo?",
    "sr": "Da li je gotovo?",
    "es": "¿Está hecho?",
    "fr": "C'est fait ?",
    "it": "È fatto?",
}


@pytest.mark.parametrize("language", QUESTIONS)
def test_every_reminder_that_wants_an_answer_asks_whether_it_is_done(tmp_path: Path, language: str) -> None:
    async def scene() -> None:
        async with harness_at(str(tmp_path / "duly.db")) as harness:
            await harness.service.people.update(harness.ana, language=language)
            await asked(harness, max_ack_reminders=0)
            assert harness.chat.texts == [f"Take it\n{QUESTIONS[language]}"]
            await asked(
                harness, ack_prompt="Ready?", max_ack_reminders=0
            )  # a question of the person's own stays as it is
            assert harness.chat.texts[1:] == ["Take it", "Ready?"]
            await harness.remind()
            await harness.clock.travel(minutes=5)
            assert harness.chat.texts[3:] == ["Take it"]  # and what wants no answer asks nothing

    asyncio.run(scene())


@with_harness
async def test_a_snooze_starts_the_nagging_anew(harness: ReminderHarness) -> None:
    made = await asked(harness, max_ack_reminders=1)
    await harness.clock.travel(minutes=10)
    await harness.service.answer(harness.ana, "snooze", minutes=5)
    await harness.clock.travel(minutes=5)
    await harness.clock.travel(minutes=10)
    assert len(harness.chat.texts) == 4
    await harness.clock.travel(minutes=10)
    assert await harness.status(made) == "unacked"


@with_harness
async def test_the_next_regular_run_replaces_a_snoozed_one(harness: ReminderHarness) -> None:
    made = await harness.remind({"type": "interval", "every": "1h"}, require_ack=True)
    await harness.clock.travel(hours=1)
    await harness.service.answer(harness.ana, "snooze", minutes=90)
    await harness.clock.travel(hours=1)
    assert len(harness.chat.texts) == 2
    await harness.service.answer(harness.ana, "ack")
    await harness.clock.travel(minutes=45)
    assert len(harness.chat.texts) == 2
    newest, oldest = await harness.store.reminders.of_schedule(made.id, 10)
    assert (newest.status, newest.run_number) == ("acked", 2)
    assert (oldest.status, oldest.run_number) == ("unacked", 1)


@with_harness
async def test_a_snoozed_reminder_may_be_done_early(harness: ReminderHarness) -> None:
    made = await asked(harness)
    await say(harness, "later")
    assert (await say(harness, "done")).reply == "✓ Done: Take it"
    await harness.clock.travel(hours=1)
    assert (harness.chat.texts, await harness.status(made)) == ([ASKED], "acked")


@with_harness
async def test_a_delivery_after_a_snooze_may_fail_and_is_retried(harness: ReminderHarness) -> None:
    made = await asked(harness)
    await say(harness, "later")
    harness.chat.script.append(DOWN)
    harness.mail.script.append(DOWN)
    await harness.clock.travel(minutes=10)
    assert await harness.status(made) == "sending"
    assert (await say(harness, "done")).consumed
    await harness.clock.travel(hours=1)
    assert (await harness.status(made), len(harness.chat.texts)) == ("acked", 1)


@with_harness
async def test_what_wanted_no_answer_can_be_put_off_all_the_same(harness: ReminderHarness) -> None:
    made = await harness.remind(name="tea")
    await harness.clock.travel(minutes=5)
    await harness.service.answer(harness.ana, "snooze")
    answered = await harness.service.answer(harness.ana, "snooze", minutes=20)  # of two, the later one counts
    assert answered.text == "⏰ I will remind you at 13:25: Take it"
    assert await harness.status(made) == "delivered"
    await harness.clock.travel(minutes=20)
    assert harness.chat.texts == ["Take it", "Take it"]
    assert (await say(harness, "in 5 minutes", quoted="chat-2")).consumed
    await harness.clock.travel(minutes=5)
    assert len(harness.chat.texts) == 3
    names = [view.name for view in (await harness.service.lists.page(harness.ana))[0]]
    assert [name.partition("-")[0] for name in names] == ["snoozed", "snoozed", "tea"]
    for response in ("ack", "dismiss"):
        with pytest.raises(NotFoundError, match="no reminder waits"):
            await harness.service.answer(harness.ana, response)
    await harness.service.update(harness.ana, "tea", snooze_allowed=False)
    with pytest.raises(InvalidInputError, match="cannot be put off"):
        await harness.service.answer(harness.ana, "snooze", "tea")


@with_harness
async def test_nothing_that_ever_came_cannot_be_put_off(harness: ReminderHarness) -> None:
    with pytest.raises(NotFoundError, match="no reminder waits"):
        await harness.service.answer(harness.ana, "snooze")


# by id


@with_harness
async def test_answers_by_schedule_run_and_name(harness: ReminderHarness) -> None:
    one, two, three = [await harness.remind(require_ack=True, name=f"r{number}") for number in range(3)]
    await harness.clock.travel(minutes=5)
    await harness.service.answer(harness.ana, "ack", one.id)
    await harness.service.answer(harness.ana, "dismiss", (await harness.reminder(two)).run_id)
    await harness.service.answer(harness.ana, "snooze", "r2")
    assert [await harness.status(each) for each in (one, two, three)] == ["acked", "dismissed", "snoozed"]
    with pytest.raises(InvalidInputError, match="over already"):
        await harness.service.answer(harness.ana, "ack", one.id)
    with pytest.raises(InvalidInputError, match="response must be one of"):
        await harness.service.answer(harness.ana, "maybe", "r2")
    for unknown in ("run_x", "sched_x", "x"):
        with pytest.raises(NotFoundError):
            await harness.service.answer(harness.ana, "ack", unknown)


@with_harness
async def test_deleting_a_reminder_ends_its_waiting(harness: ReminderHarness) -> None:
    made = await asked(harness)
    await harness.service.remove(harness.ana, made.id)
    await harness.clock.travel(hours=1)
    assert harness.chat.texts == [ASKED]
    assert await harness.service.pending(harness.ana) == []
    assert not (await say(harness, "done")).consumed
    with pytest.raises(NotFoundError):
        await harness.service.get(harness.ana, made.id)


@with_harness
async def test_in_a_room_that_another_person_paired_people_answer_for_themselves(harness: ReminderHarness) -> None:
    people = harness.service.people
    ben = (await people.add("Ben")).user.id
    await people.add_channel(harness.ana, "chat", "room", sender="A", first=True)
    await people.add_channel(ben, "chat", "B")
    hers = await harness.remind(require_ack=True)
    his = await harness.service.create(ben, IN_FIVE, "Take it", require_ack=True)
    await harness.clock.travel(minutes=5)
    intake = ChatInbound(harness.service, harness.store.reminders, {}, harness.clock)
    said = Incoming(channel="chat", address="room", sender="B", message_id="1", text="done")
    assert not (await intake.handle(said)).consumed  # to the others in the room, not to us
    [button, *_] = next(each.outgoing.buttons for each in harness.chat.arrived if each.address == "room")
    taken = await intake.handle(replace(said, person="B", text=None, token=button.token, message_id="2"))
    assert (taken.consumed, taken.closes) == (False, False)
    assert (await intake.handle(replace(said, person="B", message_id="3"))).consumed
    assert (await harness.status(hers), await harness.status(his)) == ("awaiting_ack", "acked")
    assert (await intake.handle(replace(said, sender="A", text=None, token=button.token, message_id="4"))).consumed


@with_harness
async def test_the_inbox_takes_answers_too(harness: ReminderHarness) -> None:
    await harness.service.people.set_channels(harness.ana, [])
    made = await harness.service.create(harness.ana, IN_FIVE, "Take it", require_ack=True)
    await harness.clock.travel(minutes=5)
    [item], _ = await harness.service.lists.inbox(harness.ana, read=True)
    assert (item.text, item.run_id) == (ASKED, (await harness.reminder(made)).run_id)
    assert await harness.service.lists.inbox(harness.ana) == ([], None)
    assert (await harness.service.answer(harness.ana, "ack")).text == "✓ Done: Take it"
