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
from duly.service.reminders.answers import Handled
from duly.service.reminders.chats import ChatInbound
from duly.service.reminders.reminders import ReminderService
from duly.service.reminders.views import ReminderView
from tests.conformance.reminders.lab import ASKED, IN_FIVE, START, Lab, in_lab, lab_at

DUE = START + timedelta(minutes=5)
DOWN = ChannelTemporaryError("503")
MEDICINE: dict[str, Any] = {"require_ack": True, "ack_prompt": "Did you take it?"}


async def asked(lab: Lab, **options: Any) -> ReminderView:
    """A reminder that has arrived and waits for its answer."""
    made = await lab.remind(**{"require_ack": True, **options})
    await lab.clock.travel(minutes=5)
    assert await lab.status(made) == "awaiting_ack"
    return made


async def say(lab: Lab, text: str, **more: Any) -> Handled:
    return await lab.service.handle_message(lab.ana, "chat", text, **more)


def button(lab: Lab, number: int = -1, place: int = 0) -> str:
    return lab.chat.arrived[number].outgoing.buttons[place].token


# asking


@in_lab
async def test_the_question_follows_the_reminder_and_has_the_buttons(lab: Lab) -> None:
    made = await lab.remind(**MEDICINE)
    await lab.clock.travel(minutes=5)
    reminder, question = lab.chat.arrived
    assert (reminder.outgoing.text, question.outgoing.text) == ("Take it", "Did you take it?")
    assert reminder.outgoing.buttons == ()
    assert [each.label for each in question.outgoing.buttons] == ["Done", "10 min later", "Dismiss"]
    assert question.outgoing.reply_to == reminder.message_id
    assert await lab.tried(made) == [("chat", "reminder", "sent"), ("chat", "ack_prompt", "sent")]
    assert await lab.run_status(made) is Status.PENDING


@in_lab
async def test_without_a_question_the_reminder_has_the_buttons(lab: Lab) -> None:
    await asked(lab)
    [reminder] = lab.chat.arrived
    assert [each.kind for each in reminder.outgoing.buttons] == ["done", "snooze", "dismiss"]


@in_lab
async def test_what_may_not_be_snoozed_has_no_such_button(lab: Lab) -> None:
    await asked(lab, snooze_allowed=False)
    assert [each.kind for each in lab.chat.arrived[0].outgoing.buttons] == ["done", "dismiss"]


@in_lab
async def test_buttons_speak_the_language_of_the_person(lab: Lab) -> None:
    await lab.service.people.update(lab.ana, language="hr")
    await asked(lab)
    assert [each.label for each in lab.chat.arrived[0].outgoing.buttons] == ["Gotovo", "Za 10 min", "Odbaci"]


@in_lab
async def test_the_question_goes_where_the_reminder_went(lab: Lab) -> None:
    lab.chat.script.append(DOWN)
    made = await lab.remind(**MEDICINE)
    await lab.clock.travel(minutes=5)
    assert lab.mail.texts == ["Take it", "Did you take it?"]
    assert lab.chat.texts == []
    assert await lab.status(made) == "awaiting_ack"


@in_lab
async def test_a_question_that_is_not_taken_is_asked_again_as_soon_as_the_priority_and_the_vendor_say(lab: Lab) -> None:
    lab.chat.script += [None, DOWN, ChannelTemporaryError("429", 150.0)]
    made = await lab.remind(**MEDICINE)
    await lab.clock.travel(minutes=6, seconds=-1)
    assert (lab.chat.texts, lab.chat.tries) == (["Take it"], 2)
    await lab.clock.travel(seconds=1)
    assert (lab.chat.texts, lab.chat.tries) == (["Take it"], 3)
    await lab.clock.travel(seconds=149)
    assert lab.chat.tries == 3
    await lab.clock.travel(seconds=1)
    assert lab.chat.texts == ["Take it", "Did you take it?"]
    assert (await say(lab, "yes")).consumed
    await lab.clock.travel(hours=1)
    assert (await lab.status(made), len(lab.chat.texts)) == ("acked", 2)


@in_lab
async def test_a_question_that_no_channel_takes_does_not_stop_the_nag(lab: Lab) -> None:
    lab.chat.script += [None, ChannelTemporaryError("429", 3600.0)]
    await lab.remind(**MEDICINE)
    await lab.clock.travel(minutes=15)
    assert lab.chat.texts == ["Take it"]
    assert lab.mail.texts == ["Take it", "Did you take it?"]  # the chat did not want to be asked for an hour


@in_lab
async def test_a_question_is_not_asked_more_often_than_a_reminder_is_tried(lab: Lab) -> None:
    lab.chat.script += [None, DOWN, DOWN, None]
    await lab.remind(**MEDICINE, max_retries=1, max_ack_reminders=0)
    await lab.clock.travel(hours=1)
    assert (lab.chat.texts, lab.chat.tries) == (["Take it"], 3)


@in_lab
async def test_a_question_that_may_have_arrived_is_asked_once_more(lab: Lab) -> None:
    lab.chat.script += [None, ChannelUnknownError("no answer"), ChannelUnknownError("no answer")]
    made = await lab.remind(**MEDICINE)
    await lab.clock.travel(minutes=5)
    kinds = [each[1:] for each in await lab.tried(made)]
    assert kinds == [("reminder", "sent"), ("ack_prompt", "unknown"), ("ack_prompt", "unknown")]


# the table of replies


@pytest.mark.parametrize("text", ["yes", "done", "ok", "popio sam"])
def test_ack_marks_the_run_complete(tmp_path: Path, text: str) -> None:
    async def scene() -> None:
        async with lab_at(str(tmp_path / "duly.db")) as lab:
            await lab.service.people.update(lab.ana, language="hr" if text == "popio sam" else "en")
            made = await asked(lab)
            handled = await say(lab, text)
            await lab.clock.travel(seconds=1)
            assert handled.consumed
            assert "Take it" in str(handled.reply)
            assert (await lab.status(made), await lab.run_status(made)) == ("acked", Status.SUCCEEDED)
            assert [each.status for each in await lab.attempts(made)] == ["acked"]
            [answer] = await lab.store.reminders.answers((await lab.reminder(made)).run_id)
            assert (answer.response, answer.response_text, answer.channel) == ("ack", text, "chat")

    asyncio.run(scene())


@pytest.mark.parametrize(("text", "minutes"), [("5 more minutes", 5), ("later", 10)])
def test_snooze_delivers_again(tmp_path: Path, text: str, minutes: int) -> None:
    async def scene() -> None:
        async with lab_at(str(tmp_path / "duly.db")) as lab:
            made = await asked(lab)
            handled = await say(lab, text)
            assert handled.answered is not None
            assert handled.answered.until == lab.clock.now() + timedelta(minutes=minutes)
            assert await lab.status(made) == "snoozed"
            await lab.clock.travel(minutes=minutes, seconds=-1)
            assert lab.chat.texts == [ASKED]
            await lab.clock.travel(seconds=1)
            assert lab.chat.texts == [ASKED, ASKED]
            assert (await lab.status(made), (await lab.reminder(made)).run_number) == ("awaiting_ack", 1)
            assert len(await lab.runs(made)) == 1

    asyncio.run(scene())


@pytest.mark.parametrize(("text", "language"), [("cancel", "en"), ("stop", "en"), ("ne treba", "hr")])
def test_dismiss_ends_this_run_only(tmp_path: Path, text: str, language: str) -> None:
    async def scene() -> None:
        async with lab_at(str(tmp_path / "duly.db")) as lab:
            await lab.service.people.update(lab.ana, language=language)
            made = await lab.remind({"type": "interval", "every": "1h"}, require_ack=True)
            await lab.clock.travel(hours=1)
            assert (await say(lab, text)).consumed
            await lab.clock.travel(minutes=59)
            assert await lab.status(made) == "dismissed"
            assert len(lab.chat.texts) == 1
            await lab.clock.travel(minutes=1)
            assert len(lab.chat.texts) == 2
            assert (await lab.reminder(made)).run_number == 2

    asyncio.run(scene())


@in_lab
async def test_silence_delivers_again_up_to_the_limit(lab: Lab) -> None:
    made = await asked(lab, max_ack_reminders=3)
    times = []
    for _ in range(6):
        times.append(len(lab.chat.texts))
        await lab.clock.travel(minutes=10)
    assert times == [1, 2, 3, 4, 4, 4]
    assert (await lab.status(made), await lab.run_status(made)) == ("unacked", Status.SUCCEEDED)
    assert lab.pager.texts == []
    assert (await lab.service.get(lab.ana, made.id)).last_status == "unacked"


@in_lab
async def test_an_unanswered_critical_reminder_tells_the_admin(lab: Lab) -> None:
    made = await asked(lab, priority="critical", max_ack_reminders=1)
    await lab.clock.travel(minutes=20)
    [told] = lab.pager.texts
    assert told == "Ana did not answer a reminder: Take it"
    assert await lab.status(made) == "unacked"


@in_lab
async def test_no_nagging_when_none_is_wanted(lab: Lab) -> None:
    made = await asked(lab, max_ack_reminders=0)
    await lab.clock.travel(minutes=10)
    assert (lab.chat.texts, await lab.status(made)) == ([ASKED], "unacked")


@in_lab
async def test_silence_counts_from_the_last_send(lab: Lab) -> None:
    async def slow() -> None:
        await lab.clock.sleep(120)

    lab.chat.script += [None, slow]
    await lab.remind(**MEDICINE)
    await lab.clock.travel(minutes=5 + 2 + 9, seconds=59)
    assert lab.chat.texts == ["Take it", "Did you take it?"]
    await lab.clock.travel(seconds=1)
    assert lab.chat.texts[2:] == ["Take it", "Did you take it?"]


# an answer stops everything


@in_lab
async def test_an_answer_stops_every_later_step(lab: Lab) -> None:
    made = await asked(lab, priority="critical")
    await lab.clock.travel(minutes=10)
    assert len(lab.chat.texts) == 2
    await say(lab, "done")
    await lab.clock.travel(days=1)
    assert (len(lab.chat.texts), lab.pager.texts) == (2, [])
    assert await lab.status(made) == "acked"


@in_lab
async def test_an_answer_after_the_admin_was_told_stops_what_is_left(lab: Lab) -> None:
    lab.chat.script += [DOWN, None]
    lab.mail.script += [DOWN]
    made = await lab.remind(priority="critical", require_ack=True)
    await lab.clock.travel(minutes=6)
    assert len(lab.pager.texts) == 1
    await say(lab, "done")
    await lab.clock.travel(days=1)
    assert (await lab.status(made), lab.chat.texts, len(lab.pager.texts)) == ("acked", [ASKED], 1)


@in_lab
async def test_an_answer_while_it_is_being_sent_again_stops_the_round(lab: Lab) -> None:
    made = await asked(lab)

    async def answered_meanwhile() -> None:
        await say(lab, "done")
        raise DOWN

    lab.chat.script.append(answered_meanwhile)
    await lab.clock.travel(minutes=10)
    await lab.clock.travel(hours=2)
    assert (await lab.status(made), lab.mail.texts) == ("acked", [])
    assert await lab.run_status(made) is Status.SUCCEEDED


@in_lab
async def test_an_answer_during_the_last_try_leaves_no_copy_and_no_alarm(lab: Lab) -> None:
    made = await asked(lab, priority="critical")

    async def answered_meanwhile() -> None:
        await say(lab, "done")
        raise DOWN

    lab.chat.script.append(DOWN)
    lab.mail.script.append(answered_meanwhile)
    await lab.clock.travel(minutes=10)
    assert (await lab.status(made), await lab.inbox(), lab.pager.texts) == ("acked", [], [])


@in_lab
async def test_an_answer_while_the_admin_is_told_still_counts(lab: Lab) -> None:
    made = await asked(lab, priority="critical", max_ack_reminders=0)

    async def answered_meanwhile() -> None:
        await say(lab, "done")
        raise DOWN

    lab.pager.script.append(answered_meanwhile)
    await lab.clock.travel(minutes=10)
    assert (await lab.status(made), await lab.inbox(lab.root)) == ("acked", [])


@in_lab
async def test_a_snooze_while_it_is_being_sent_again_is_kept_to_the_minute(lab: Lab) -> None:
    made = await asked(lab)

    async def snoozed_meanwhile() -> None:
        await lab.service.answer(lab.ana, "snooze", minutes=3)

    lab.chat.script.append(snoozed_meanwhile)
    await lab.clock.travel(minutes=10)
    assert await lab.status(made) == "snoozed"
    await lab.clock.travel(minutes=3)
    assert len(lab.chat.texts) == 3


@in_lab
async def test_the_message_says_what_was_answered(lab: Lab) -> None:
    await asked(lab)
    await say(lab, "later")
    await lab.clock.travel(seconds=1)
    assert lab.chat.edits == [("chat-1", "⏰ Until 13:15: Take it")]
    await lab.clock.travel(minutes=10)
    await say(lab, "done")
    await lab.clock.travel(seconds=1)
    assert lab.chat.edits[1:] == [("chat-2", "✓ Done: Take it")]


# buttons and quotes


@in_lab
async def test_buttons_say_which_and_what(lab: Lab) -> None:
    first = await asked(lab, message="First")
    second = await asked(lab, message="Second")
    handled = await lab.service.handle_message(lab.ana, "chat", button=button(lab, 0))
    assert handled.reply == "✓ Done: First"
    assert (await lab.status(first), await lab.status(second)) == ("acked", "awaiting_ack")
    await lab.service.handle_message(lab.ana, "chat", button=button(lab, 1, place=1))
    assert await lab.status(second) == "snoozed"
    await lab.service.handle_message(lab.ana, "chat", button=button(lab, 1, place=2))
    assert await lab.status(second) == "dismissed"


@in_lab
async def test_a_quoted_message_says_which(lab: Lab) -> None:
    first = await asked(lab, message="First")
    second = await asked(lab, message="Second", ack_prompt="Done with it?")
    assert (await say(lab, "done", quoted="chat-1")).reply == "✓ Done: First"
    assert (await lab.status(first), await lab.status(second)) == ("acked", "awaiting_ack")
    assert (await say(lab, "done", quoted="chat-3")).reply == "✓ Done: Second"


@in_lab
async def test_otherwise_the_newest_is_meant_and_named(lab: Lab) -> None:
    first = await asked(lab, message="First")
    second = await asked(lab, message="Second")
    assert (await say(lab, "done")).reply == "✓ Done: Second"
    assert (await lab.status(first), await lab.status(second)) == ("awaiting_ack", "acked")
    assert (await say(lab, "done")).reply == "✓ Done: First"
    assert not (await say(lab, "done")).consumed


@in_lab
async def test_what_was_put_off_is_not_meant_while_another_waits(lab: Lab) -> None:
    first = await asked(lab, message="First")
    second = await asked(lab, message="Second")
    assert (await say(lab, "in an hour")).reply == "⏰ Until 14:10: Second"
    assert (await say(lab, "done")).reply == "✓ Done: First"
    assert (await lab.status(first), await lab.status(second)) == ("acked", "snoozed")
    assert (await say(lab, "done")).reply == "✓ Done: Second"


@in_lab
async def test_quoting_what_is_over_answers_nothing_else(lab: Lab) -> None:
    await asked(lab, message="First")
    second = await asked(lab, message="Second")
    await say(lab, "done", quoted="chat-1")
    handled = await say(lab, "done", quoted="chat-1")
    assert handled.consumed
    assert handled.answered is None
    assert handled.reply == "This reminder is over already: First"
    assert await lab.status(second) == "awaiting_ack"


@in_lab
async def test_quoting_something_else_does_not_mean_the_newest_of_several(lab: Lab) -> None:
    first = await asked(lab, message="First")
    second = await asked(lab, message="Second")
    assert not (await say(lab, "done", quoted="a reply of ours, or of another bot")).consumed
    assert (await lab.status(first), await lab.status(second)) == ("awaiting_ack", "awaiting_ack")
    await say(lab, "done", quoted="chat-1")
    assert (await say(lab, "done", quoted="one whose receipt got lost")).reply == "✓ Done: Second"


@in_lab
async def test_a_button_pressed_twice_counts_once(lab: Lab) -> None:
    made = await asked(lab)
    for _ in range(2):
        handled = await lab.service.handle_message(lab.ana, "chat", button=button(lab))
        assert handled.consumed
    assert len(await lab.store.reminders.answers((await lab.reminder(made)).run_id)) == 1


@in_lab
async def test_a_message_told_twice_counts_once(lab: Lab) -> None:
    first = await asked(lab, message="First")
    second = await asked(lab, message="Second")
    assert (await say(lab, "done", message_id="7")).answered is not None
    again = await say(lab, "done", message_id="7")
    assert (again.consumed, again.answered, again.reply) == (True, None, None)
    assert (await lab.status(first), await lab.status(second)) == ("awaiting_ack", "acked")


@in_lab
async def test_what_is_not_understood_goes_on_and_changes_nothing(lab: Lab) -> None:
    made = await asked(lab)
    for text in ("what is the weather like?", "not done", "stopwatch", "done with you, tell me a joke", ""):
        assert not (await say(lab, text)).consumed
    assert await lab.status(made) == "awaiting_ack"
    assert not (await lab.service.handle_message(lab.ana, "chat", button="vote:42")).consumed
    assert (await say(lab, "hello there", message_id="9")).consumed is False
    assert (await say(lab, "hello there", message_id="9")).consumed is True


@in_lab
async def test_what_is_not_understood_may_be_asked_elsewhere_first(lab: Lab) -> None:
    questions = []

    async def model(text: str, language: str | None) -> Reply | None:
        questions.append((text, language))
        return Reply(ReplyKind.ACK) if "swallowed" in text else None

    lab.service = ReminderService(lab.store, lab.process.clock, lab.random_bits, wake=lab.engine.wake, classifier=model)
    made = await asked(lab)
    assert not (await say(lab, "the weather is swell")).consumed
    assert (await say(lab, "the thing has been swallowed by yours truly")).reply == "✓ Done: Take it"
    assert await lab.status(made) == "acked"
    assert len(questions) == 2
    assert questions[0] == ("the weather is swell", "en")


@in_lab
async def test_nothing_pending_nothing_consumed(lab: Lab) -> None:
    assert not (await say(lab, "done")).consumed
    await lab.remind()
    await lab.clock.travel(minutes=5)
    assert not (await say(lab, "done")).consumed


# snoozing


@in_lab
async def test_snooze_until_a_time(lab: Lab) -> None:
    made = await asked(lab)
    handled = await say(lab, "remind me at 6pm")
    assert handled.answered is not None
    assert handled.answered.until == datetime(2026, 11, 16, 17, 0, tzinfo=UTC)  # 18:00 in Zagreb
    assert handled.reply == "⏰ Until 18:00: Take it"
    await lab.clock.travel_to(datetime(2026, 11, 16, 17, 0, tzinfo=UTC))
    assert (len(lab.chat.texts), await lab.status(made)) == (2, "awaiting_ack")


@in_lab
async def test_snooze_has_limits(lab: Lab) -> None:
    made = await asked(lab)
    for minutes in (0, 1441, -5):
        with pytest.raises(InvalidInputError, match="minutes"):
            await lab.service.answer(lab.ana, "snooze", minutes=minutes)
    for until in (START, START + timedelta(days=8)):
        with pytest.raises(InvalidInputError, match="until must lie ahead and within 7 days"):
            await lab.service.answer(lab.ana, "snooze", until=until)
    assert await lab.status(made) == "awaiting_ack"
    answered = await lab.service.answer(lab.ana, "snooze", minutes=1440)
    assert answered.until == DUE + timedelta(days=1)
    with pytest.raises(InvalidInputError, match="until must be timezone-aware"):
        await lab.service.answer(lab.ana, "snooze", until=datetime(2026, 11, 16, 18))  # noqa: DTZ001  that is the point


@in_lab
async def test_what_may_not_be_snoozed_is_not(lab: Lab) -> None:
    made = await asked(lab, snooze_allowed=False)
    handled = await say(lab, "later")
    assert handled.consumed
    assert handled.reply == "This reminder cannot be put off, so it stays open: Take it"
    assert await lab.status(made) == "awaiting_ack"


NEGATIONS = [
    ("no", "en", "⏰ I will ask again at 13:15: Take it"),
    ("👎", "en", "⏰ I will ask again at 13:15: Take it"),
    ("nein", "de", "⏰ Ich frage um 13:15 wieder: Take it"),
    ("ne", "hr", "⏰ Pitam opet u 13:15: Take it"),
    ("не", "sr", "⏰ Pitam opet u 13:15: Take it"),
    ("no", "es", "⏰ Volveré a preguntar a las 13:15: Take it"),
    ("non", "fr", "⏰ Je redemanderai à 13:15 : Take it"),
    ("no", "it", "⏰ Lo richiedo alle 13:15: Take it"),
]


@pytest.mark.parametrize(("text", "language", "reply"), NEGATIONS)
def test_a_bare_no_is_asked_again_and_says_so(tmp_path: Path, text: str, language: str, reply: str) -> None:
    async def scene() -> None:
        async with lab_at(str(tmp_path / "duly.db")) as lab:
            await lab.service.people.update(lab.ana, language=language)
            made = await asked(lab, priority="critical", **MEDICINE)
            handled = await say(lab, text)
            assert (handled.consumed, handled.reply) == (True, reply)
            assert await lab.status(made) == "snoozed"
            await lab.clock.travel(minutes=10)
            assert lab.chat.texts == ["Take it", "Did you take it?"] * 2
            await lab.clock.travel(minutes=40)  # silence from here on: the no was an answer, and nothing more
            assert (await lab.status(made), len(lab.pager.texts)) == ("unacked", 1)

    asyncio.run(scene())


@in_lab
async def test_a_bare_no_leaves_open_what_may_not_be_put_off(lab: Lab) -> None:
    made = await asked(lab, snooze_allowed=False)
    handled = await say(lab, "no")
    assert handled.reply == "This reminder cannot be put off, so it stays open: Take it"
    assert await lab.status(made) == "awaiting_ack"
    await lab.clock.travel(minutes=10)
    assert lab.chat.texts == [ASKED, ASKED]


@in_lab
async def test_a_second_no_changes_nothing(lab: Lab) -> None:
    made = await asked(lab)
    await say(lab, "in an hour")
    await lab.clock.travel(minutes=1)
    handled = await say(lab, "no")
    assert (handled.consumed, handled.reply) == (True, "⏰ I will ask again at 14:05: Take it")
    assert (await lab.reminder(made)).wake_at == DUE + timedelta(hours=1)


@in_lab
async def test_a_bare_no_to_what_asked_nothing_is_not_ours(lab: Lab) -> None:
    made = await lab.remind()
    await lab.clock.travel(minutes=5)
    assert not (await say(lab, "no", quoted="chat-1")).consumed
    await lab.clock.travel(hours=1)
    assert (lab.chat.texts, await lab.status(made)) == (["Take it"], "delivered")


@pytest.mark.parametrize("text", ["noted", "understood", "sounds good", "great", "got it, thanks"])
def test_words_that_claim_nothing_leave_the_question_open(tmp_path: Path, text: str) -> None:
    async def scene() -> None:
        async with lab_at(str(tmp_path / "duly.db")) as lab:
            made = await asked(lab, **MEDICINE)
            assert not (await say(lab, text)).consumed
            assert await lab.status(made) == "awaiting_ack"

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
        async with lab_at(str(tmp_path / "duly.db")) as lab:
            await lab.service.people.update(lab.ana, language=language)
            await asked(lab, max_ack_reminders=0)
            assert lab.chat.texts == [f"Take it\n{QUESTIONS[language]}"]
            await asked(lab, ack_prompt="Ready?", max_ack_reminders=0)  # a question of the person's own stays as it is
            assert lab.chat.texts[1:] == ["Take it", "Ready?"]
            await lab.remind()
            await lab.clock.travel(minutes=5)
            assert lab.chat.texts[3:] == ["Take it"]  # and what wants no answer asks nothing

    asyncio.run(scene())


@in_lab
async def test_a_snooze_starts_the_nagging_anew(lab: Lab) -> None:
    made = await asked(lab, max_ack_reminders=1)
    await lab.clock.travel(minutes=10)
    await lab.service.answer(lab.ana, "snooze", minutes=5)
    await lab.clock.travel(minutes=5)
    await lab.clock.travel(minutes=10)
    assert len(lab.chat.texts) == 4
    await lab.clock.travel(minutes=10)
    assert await lab.status(made) == "unacked"


@in_lab
async def test_the_next_regular_run_replaces_a_snoozed_one(lab: Lab) -> None:
    made = await lab.remind({"type": "interval", "every": "1h"}, require_ack=True)
    await lab.clock.travel(hours=1)
    await lab.service.answer(lab.ana, "snooze", minutes=90)
    await lab.clock.travel(hours=1)
    assert len(lab.chat.texts) == 2
    await lab.service.answer(lab.ana, "ack")
    await lab.clock.travel(minutes=45)
    assert len(lab.chat.texts) == 2
    newest, oldest = await lab.store.reminders.of_schedule(made.id, 10)
    assert (newest.status, newest.run_number) == ("acked", 2)
    assert (oldest.status, oldest.run_number) == ("unacked", 1)


@in_lab
async def test_a_snoozed_reminder_may_be_done_early(lab: Lab) -> None:
    made = await asked(lab)
    await say(lab, "later")
    assert (await say(lab, "done")).reply == "✓ Done: Take it"
    await lab.clock.travel(hours=1)
    assert (lab.chat.texts, await lab.status(made)) == ([ASKED], "acked")


@in_lab
async def test_a_delivery_after_a_snooze_may_fail_and_is_retried(lab: Lab) -> None:
    made = await asked(lab)
    await say(lab, "later")
    lab.chat.script.append(DOWN)
    lab.mail.script.append(DOWN)
    await lab.clock.travel(minutes=10)
    assert await lab.status(made) == "sending"
    assert (await say(lab, "done")).consumed
    await lab.clock.travel(hours=1)
    assert (await lab.status(made), len(lab.chat.texts)) == ("acked", 1)


@in_lab
async def test_what_wanted_no_answer_can_be_put_off_all_the_same(lab: Lab) -> None:
    made = await lab.remind(name="tea")
    await lab.clock.travel(minutes=5)
    await lab.service.answer(lab.ana, "snooze")
    answered = await lab.service.answer(lab.ana, "snooze", minutes=20)  # of two, the later one counts
    assert answered.text == "⏰ Until 13:25: Take it"
    assert await lab.status(made) == "delivered"
    await lab.clock.travel(minutes=20)
    assert lab.chat.texts == ["Take it", "Take it"]
    assert (await say(lab, "in 5 minutes", quoted="chat-2")).consumed
    await lab.clock.travel(minutes=5)
    assert len(lab.chat.texts) == 3
    names = [view.name for view in (await lab.service.lists.page(lab.ana))[0]]
    assert [name.partition("-")[0] for name in names] == ["snoozed", "snoozed", "tea"]
    for response in ("ack", "dismiss"):
        with pytest.raises(NotFoundError, match="no reminder waits"):
            await lab.service.answer(lab.ana, response)
    await lab.service.update(lab.ana, "tea", snooze_allowed=False)
    with pytest.raises(InvalidInputError, match="cannot be put off"):
        await lab.service.answer(lab.ana, "snooze", "tea")


@in_lab
async def test_nothing_that_ever_came_cannot_be_put_off(lab: Lab) -> None:
    with pytest.raises(NotFoundError, match="no reminder waits"):
        await lab.service.answer(lab.ana, "snooze")


# by id


@in_lab
async def test_answers_by_schedule_run_and_name(lab: Lab) -> None:
    one, two, three = [await lab.remind(require_ack=True, name=f"r{number}") for number in range(3)]
    await lab.clock.travel(minutes=5)
    await lab.service.answer(lab.ana, "ack", one.id)
    await lab.service.answer(lab.ana, "dismiss", (await lab.reminder(two)).run_id)
    await lab.service.answer(lab.ana, "snooze", "r2")
    assert [await lab.status(each) for each in (one, two, three)] == ["acked", "dismissed", "snoozed"]
    with pytest.raises(InvalidInputError, match="over already"):
        await lab.service.answer(lab.ana, "ack", one.id)
    with pytest.raises(InvalidInputError, match="response must be one of"):
        await lab.service.answer(lab.ana, "maybe", "r2")
    for unknown in ("run_x", "sched_x", "x"):
        with pytest.raises(NotFoundError):
            await lab.service.answer(lab.ana, "ack", unknown)


@in_lab
async def test_deleting_a_reminder_ends_its_waiting(lab: Lab) -> None:
    made = await asked(lab)
    await lab.service.remove(lab.ana, made.id)
    await lab.clock.travel(hours=1)
    assert lab.chat.texts == [ASKED]
    assert await lab.service.pending(lab.ana) == []
    assert not (await say(lab, "done")).consumed
    with pytest.raises(NotFoundError):
        await lab.service.get(lab.ana, made.id)


@in_lab
async def test_in_a_room_that_another_person_paired_people_answer_for_themselves(lab: Lab) -> None:
    people = lab.service.people
    ben = (await people.add("Ben")).user.id
    await people.add_channel(lab.ana, "chat", "room", sender="A", first=True)
    await people.add_channel(ben, "chat", "B")
    hers = await lab.remind(require_ack=True)
    his = await lab.service.create(ben, IN_FIVE, "Take it", require_ack=True)
    await lab.clock.travel(minutes=5)
    intake = ChatInbound(lab.service, lab.store.reminders, {}, lab.clock)
    said = Incoming(channel="chat", address="room", sender="B", message_id="1", text="done")
    assert not (await intake.handle(said)).consumed  # to the others in the room, not to us
    [button, *_] = next(each.outgoing.buttons for each in lab.chat.arrived if each.address == "room")
    taken = await intake.handle(replace(said, person="B", text=None, token=button.token, message_id="2"))
    assert (taken.consumed, taken.closes) == (False, False)
    assert (await intake.handle(replace(said, person="B", message_id="3"))).consumed
    assert (await lab.status(hers), await lab.status(his)) == ("awaiting_ack", "acked")
    assert (await intake.handle(replace(said, sender="A", text=None, token=button.token, message_id="4"))).consumed


@in_lab
async def test_the_inbox_takes_answers_too(lab: Lab) -> None:
    await lab.service.people.set_channels(lab.ana, [])
    made = await lab.service.create(lab.ana, IN_FIVE, "Take it", require_ack=True)
    await lab.clock.travel(minutes=5)
    [item], _ = await lab.service.lists.inbox(lab.ana, read=True)
    assert (item.text, item.run_id) == (ASKED, (await lab.reminder(made)).run_id)
    assert await lab.service.lists.inbox(lab.ana) == ([], None)
    assert (await lab.service.answer(lab.ana, "ack")).text == "✓ Done: Take it"
