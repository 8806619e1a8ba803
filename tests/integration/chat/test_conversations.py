"""What a person writes in a chat is done, repeated with its time and zone, and can be taken back."""

from __future__ import annotations

import re
from pathlib import Path
from unittest.mock import AsyncMock

import pytest

from duly.errors import QuotaError, StoreError
from duly.ports.audit import AuditFilter
from duly.ports.channels import ButtonKind
from duly.service.access.scopes import Face
from tests.integration.chat.room import room

TOMORROW = "tomorrow at 10:00 (Europe/Zagreb)"


async def test_a_reminder_is_made_and_comes_to_the_chat_where_it_was_asked_for(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        asked = "hey, remind me to call the bank tomorrow at 10 pls"
        assert await here.hears(asked) == f"⏰ I will remind you {TOMORROW}: call the bank"
        [made] = await here.reminders()
        assert (made.name, made.created_via, made.original_text, made.channel) == (
            "call-the-bank",
            "chat",
            asked,
            "phone",
        )
        [entry] = await here.runtime.store.audit.entries(AuditFilter(limit=1))
        assert entry.actor == f"user:{here.user}"


async def test_a_series_says_its_rule_and_its_next_time(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        said = await here.hears("remind me every day at 8am to take vitamins")
        assert said == "⏰ I will remind you every day at 08:00, next tomorrow at 08:00 (Europe/Zagreb): take vitamins"


async def test_a_time_in_quiet_hours_says_when_it_comes_wherever_it_is_made_or_moved(tmp_path: Path) -> None:
    async with room(tmp_path, quiet="22:00-07:00") as here:
        note = "That is in your quiet hours, so it comes tomorrow at 07:00."
        made = await here.hears("remind me to call the bank today at 23:00")
        assert made.splitlines()[1:] == [note]
        moved = await here.hears("move call the bank to tomorrow at 23:00")
        assert moved.splitlines()[1:] == [note.replace("tomorrow", "on Wednesday")]
        assert "quiet" not in await here.hears("move call the bank to tomorrow at 10")
        services = here.services
        caller = here.runtime.local(Face.GUI)
        [view] = await here.reminders()
        schedule = {"type": "smart", "text": "today at 23:00"}
        done = await services.actions.update_reminder(caller, view.id, {"schedule": schedule})
        assert done.sentence.endswith("changed. That is in Ana's quiet hours, so it comes tomorrow at 07:00.")
        said = await services.reminder_service.remind(here.user, "Read", remind_at="2026-11-16T23:30")
        assert said["note"] == note


async def test_the_same_message_twice_makes_one_reminder(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        for _ in range(2):
            await here.say("remind me to call the bank tomorrow at 10", message_id="same")
        assert await here.texts() == ["call the bank"]


async def test_a_request_that_failed_is_carried_out_when_its_message_comes_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with room(tmp_path) as here:
        asked = "remind me to call the bank tomorrow at 10"
        with monkeypatch.context() as broken:
            broken.setattr(here.runtime.store, "save", _fails)
            with pytest.raises(StoreError):
                await here.say(asked, message_id="same")
        assert await here.reminders() == []
        await here.say(asked, message_id="same")
        assert await here.texts() == ["call the bank"]


async def _fails(*_: object) -> None:
    raise StoreError("the disk is full")


async def test_what_people_write_to_each_other_in_a_group_is_left_alone(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        for text in ("remind me to call the bank tomorrow at 10", "see you tomorrow", "what's on today?"):
            handled = await here.say(text, to_us=False)
            assert (handled.consumed, handled.reply) == (False, None)
        assert await here.reminders() == []


ANSWERS = """
    de | erinner mich morgen um 10 an den Zahnarzt | ⏰ Ich erinnere dich morgen um 10:00 (*): Zahnarzt
    de | remind me in 10 minutes to stretch | ⏰ Ich erinnere dich heute um 13:10 (*): stretch
    hr | podsjeti me sutra u 10 da nazovem banku | ⏰ Podsjetit ću te sutra u 10:00 (*): „nazovem banku“
    sr | подсети ме сутра у 10 да позовем банку | ⏰ Подсетићу те сутра у 10:00 (*): „позовем банку“
    es | recuérdame llamar al banco mañana a las 10 | ⏰ Te lo recordaré mañana a las 10:00 (*): llamar al banco
    fr | rappelle-moi d'appeler la banque demain à 10h | ⏰ Je te le rappellerai demain à 10:00 (*) : appeler la banque
    it | ricordami di chiamare la banca domani alle 10 | ⏰ Te lo ricorderò domani alle 10:00 (*): chiamare la banca
    ? | ricordami di chiamare la banca domani alle 10 | ⏰ Te lo ricorderò domani alle 10:00 (*): chiamare la banca
"""


@pytest.mark.parametrize(
    ("language", "text", "answer"), [[side.strip() for side in row.split("|")] for row in ANSWERS.strip().splitlines()]
)
async def test_the_answer_is_in_the_persons_language(tmp_path: Path, language: str, text: str, answer: str) -> None:
    async with room(tmp_path, None if language == "?" else language) as here:
        assert await here.hears(text) == answer.replace("*", "Europe/Zagreb")


async def test_what_is_not_understood_is_answered_with_what_was_understood_and_an_example(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        handled = await here.say("how are you doing")
        assert not handled.consumed
        assert handled.reply is not None
        assert handled.reply.startswith("Sorry, I did not understand that.\nSay for example: “remind me to")
        assert await here.hears("tomorrow at 9") == (
            "I understood the time (tomorrow at 09:00), but not what to do then.\n"
            "Say for example: “remind me to call the bank tomorrow at 10”. “help” shows what else I understand."
        )
        assert (await here.hears("")).startswith("I can only read text.")  # a picture
        assert await here.texts() == []


@pytest.mark.parametrize("language", ["en", "de", "hr", "sr", "es", "fr", "it"])
async def test_every_example_of_the_help_is_understood(tmp_path: Path, language: str) -> None:
    async with room(tmp_path, language) as here:
        asks = {"en": "help", "de": "Hilfe", "es": "ayuda", "fr": "aide", "it": "aiuto"}.get(language, "pomoć")
        lines = [line for line in (await here.hears(asks)).splitlines() if line.startswith("•")]
        quoted = [each.strip() for line in lines for each in re.findall(r"[“„«]([^”“»]+)[”“»]", line)]
        assert len(quoted) == 9
        for example in quoted:
            handled = await here.say(example)
            assert handled.consumed, example
            assert "?" not in (handled.reply or "").partition("\n")[0], (example, handled.reply)


async def test_a_list_says_what_is_on(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        assert await here.hears("what's on today?") == "Today: nothing."
        assert (await here.hears("my reminders")).startswith("You have no reminders yet.")
        await here.hears("remind me to call the bank tomorrow at 10")
        await here.hears("remind me every day at 20:00 to take vitamins")
        await here.hears("remind me every 45 minutes to stretch")
        assert await here.hears("what's on today?") == (
            "Today (Europe/Zagreb):\n• every 45 minutes: stretch\n• 20:00: take vitamins"
        )
        assert (await here.hears("what do I have tomorrow")).splitlines()[1:] == [
            "• every 45 minutes: stretch",
            "• 10:00: call the bank",
            "• 20:00: take vitamins",
        ]
        assert (await here.hears("what's on friday?")).startswith("On Friday, 20th November (Europe/Zagreb):\n")
        everything = await here.hears("show me all my reminders")
        assert "• call the bank: tomorrow at 10:00" in everything
        assert "• take vitamins: every day at 20:00" in everything


async def test_a_reminder_is_moved_found_by_words_of_its_text(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        await here.hears("remind me about the dentist on thursday at 2pm")
        said = await here.hears("move the dentist to friday 9")
        assert said == "✓ Moved, it now comes on Friday at 09:00 (Europe/Zagreb): the dentist"
        assert await here.hears("move dentist to 10am") == (
            "✓ Moved, it now comes on Friday at 10:00 (Europe/Zagreb): the dentist"
        )
        [view] = await here.reminders()
        assert view.next_run_local == "2026-11-20T10:00:00+01:00"
        assert (await here.hears("undo")).startswith("↩ Taken back: ✓ Moved, it now comes on Friday at 10:00")
        [view] = await here.reminders()
        assert view.next_run_local == "2026-11-20T09:00:00+01:00"


async def test_a_reminder_is_moved_by_a_length_of_time(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        await here.hears("remind me about the dentist on thursday at 2pm")
        said = await here.hears("push the dentist back an hour")
        assert said == "✓ Moved, it now comes on Thursday at 15:00 (Europe/Zagreb): the dentist"
        assert (await here.hears("bring the dentist forward by 2 weeks")).startswith("That time has passed.")
        await here.hears("remind me every day at 8am to take vitamins")
        assert (await here.hears("postpone the vitamins by 2 hours")).startswith("“take vitamins” comes again and")


async def test_a_verb_that_means_other_things_moves_only_what_there_is(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        await here.hears("remind me about the dentist on thursday at 2pm")
        assert (await here.hears("set the dentist to friday at 9am")).startswith("✓ Moved")
        assert (await here.hears("make the cake for friday at 7pm")).startswith("Should I remind you")


async def test_next_week_and_the_weekend_are_listed(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        for text in ("saturday at 11am gym", "monday at 9am dentist", "next monday at 8am bins"):
            await here.hears(text)
        assert "gym" in await here.hears("what's on this weekend?")
        said = await here.hears("next week?")
        assert said.startswith("Next week (Europe/Zagreb):")
        assert "bins" in said
        assert "gym" not in said


async def test_a_series_is_moved_only_to_another_rule(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        await here.hears("remind me every day at 8am to take vitamins")
        said = await here.hears("move the vitamins to tomorrow at 9")
        assert said.startswith("“take vitamins” comes again and again (every day at 08:00).")
        assert (await here.hears("move the vitamins to every day at 9")).startswith("✓ Moved")
        [view] = await here.reminders()
        assert view.words == "every day at 09:00"


async def test_a_reminder_made_with_an_end_can_be_moved_and_put_off(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        await here.runtime.services.reminder_service.remind(here.user, "call the vet", delay_minutes=30)
        assert (await here.hears("move the vet to tomorrow at 9am")).startswith("✓ Moved")
        [view] = await here.reminders()
        assert view.next_run_local == "2026-11-17T09:00:00+01:00"
        await here.hears("pause everything until friday 8am")
        [view] = await here.reminders()
        assert (view.enabled, view.next_run_local) == (True, "2026-11-20T08:00:00+01:00")


async def test_cancel_removes_one_and_undo_brings_it_back(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        await here.hears("remind me every day at 8am to take vitamins")
        assert await here.hears("cancel the vitamins pls") == "✗ Removed: take vitamins\n“undo” takes it back."
        assert await here.texts() == []
        assert await here.hears("undo") == "↩ Taken back: ✗ Removed: take vitamins"
        assert await here.texts() == ["take vitamins"]
        assert (await here.hears("undo")).startswith("↩ Taken back: ⏰ I will remind you")
        assert await here.texts() == []
        assert await here.hears("undo") == "There is nothing to take back: I keep steps for an hour."
        assert (await here.hears("cancel everything")).startswith("I remove one reminder at a time")


async def test_a_request_over_a_limit_says_which(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with room(tmp_path) as here:
        too_often = "That is too often. The shortest interval is 1 minute."
        assert await here.hears("remind me every second to breathe") == too_often
        await here.runtime.services.reminder_service.people.update(here.user, language="de")
        too_often = "Das ist zu oft. Der kürzeste Abstand beträgt 1 Minute."
        assert await here.hears("erinnere mich alle 10 Sekunden ans Atmen") == too_often
        too_long = QuotaError("user:ana", "size", "64 bytes", "it has 65 bytes")
        monkeypatch.setattr(here.runtime.services.reminder_service, "create", AsyncMock(side_effect=too_long))
        assert (await here.hears("erinnere mich morgen um 9:00 ans Atmen")).startswith("Das ist zu lang")
        assert await here.texts() == []


async def test_a_name_that_means_none_is_said_with_the_nearest(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        assert await here.hears("cancel the dentist") == (
            "I found no reminder about “dentist”. You have no reminders yet."
        )
        await here.hears("remind me to take vitamins tomorrow at 8am")
        assert await here.hears("cancel vitmans") == (
            "I found no reminder about “vitmans”. The nearest one is: take vitamins"
        )
        assert await here.texts() == ["take vitamins"]


async def test_a_name_that_means_several_is_asked_back(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        await here.hears("remind me to call the bank tomorrow at 10")
        await here.hears("remind me to call the vet tomorrow at 11")
        assert await here.hears("cancel call") == (
            "Which one do you mean?\n"
            "1. call the bank (tomorrow at 10:00)\n"
            "2. call the vet (tomorrow at 11:00)\n"
            "Answer with the number."
        )
        assert [each.kind for each in here.buttons] == [ButtonKind.CHOICE, ButtonKind.CHOICE]
        token = here.buttons[1].token
        assert (await here.say(token=token)).reply == "✗ Removed: call the vet\n“undo” takes it back."
        assert await here.texts() == ["call the bank"]
        assert (await here.say(token=token)).reply == "This question is closed. Just ask again."
        assert await here.texts() == ["call the bank"]


async def test_a_number_or_a_word_answers_what_was_asked_back(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        await here.hears("remind me to call the bank tomorrow at 10")
        await here.hears("remind me to call the vet tomorrow at 11")
        await here.hears("cancel call")
        assert await here.hears("never mind") == "OK, nothing was changed."
        assert not (await here.say("1")).consumed
        await here.hears("cancel call")
        assert (await here.hears("1")).startswith("✗ Removed: call the bank")


async def test_a_reminder_without_a_time_asks_when(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        assert (await here.hears("remind me to call mom")).startswith("When should I remind you of “call mom”?")
        assert await here.hears("tomorrow at 10") == f"⏰ I will remind you {TOMORROW}: call mom"
        assert (await here.hears("remind me tomorrow at 10")).startswith(
            "What should I remind you of tomorrow at 10:00?"
        )


async def test_a_note_is_made_and_a_sentence_with_a_time_is_offered_as_a_reminder(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        assert await here.hears("call mom tomorrow at 10") == f"⏰ I will remind you {TOMORROW}: call mom"
        assert (await here.hears("undo")).startswith("↩ Taken back")
        behind = await here.services.chat.handle(here.user, "irc", "call mom tomorrow at 10", is_last=False)
        assert not behind.consumed  # it may be meant for the agent
        said = await here.hears("i will call mom tomorrow at 10")
        assert said.startswith(f"Should I remind you {TOMORROW}: i will call mom?")
        assert await here.texts() == []
        assert await here.hears("yes") == f"⏰ I will remind you {TOMORROW}: i will call mom"
        await here.hears("see you tomorrow at 9am")
        assert await here.hears("no") == "OK, nothing was changed."
        behind = await here.services.chat.handle(here.user, "irc", "see you tomorrow at 9am", is_last=False)
        assert not behind.consumed  # an agent reads it, and nothing was asked
        assert not (await here.services.chat.handle(here.user, "irc", "yes", is_last=False)).consumed


async def test_a_question_is_forgotten_after_an_hour(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        await here.hears("i will call mom tomorrow at 10")
        await here.clock.travel(minutes=61)
        assert not (await here.say("yes")).consumed
        assert await here.texts() == []


async def test_pause_and_resume_of_one_and_of_all(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        await here.hears("remind me every day at 8am to take vitamins")
        await here.hears("remind me to call the bank tomorrow at 10")
        assert await here.hears("pause the vitamins") == "⏸ Paused: take vitamins\n“undo” takes it back."
        assert {view.message: view.enabled for view in await here.reminders()} == {
            "take vitamins": False,
            "call the bank": True,
        }
        assert await here.hears("resume everything") == (
            "▶ On again, next tomorrow at 08:00 (Europe/Zagreb): take vitamins"
        )
        assert await here.hears("resume everything") == "Nothing is paused."
        said = await here.hears("pause everything until friday 9am")
        assert said.startswith("⏸ 2 reminders are paused.\nIt continues on Friday at 09:00 (Europe/Zagreb).")
        assert {view.message: view.next_run_local for view in await here.reminders()} == {
            "take vitamins": "2026-11-21T08:00:00+01:00",
            "call the bank": "2026-11-20T09:00:00+01:00",
        }
        assert await here.hears("resume everything") == "▶ 2 reminders are on again."
        assert {view.message: view.next_run_local for view in await here.reminders()} == {
            "take vitamins": "2026-11-17T08:00:00+01:00",
            "call the bank": "2026-11-17T10:00:00+01:00",
        }


async def test_a_pause_with_an_end_leaves_the_times_ahead_and_the_time_itself_as_they_were(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        await here.runtime.engine.start()
        await here.hears("remind me to see the dentist on Friday at 9:00 and an hour before")
        await here.hears("remind me to buy milk on Friday at 10:00")
        await here.hears("remind me to fly on Tuesday next week at 10:00 and 2 days before")
        before = {view.message: view.next_run_local for view in await here.reminders()}
        assert (await here.hears("pause everything until Monday")).startswith("⏸ 3 reminders are paused.")
        assert "dentist: paused, next on Monday, 23rd November at 09:00" in await here.hears("my reminders")
        assert "fly: paused, next on Tuesday, 24th November at 10:00" in await here.hears("my reminders")
        assert await here.hears("resume everything") == "▶ 3 reminders are on again."
        assert {view.message: view.next_run_local for view in await here.reminders()} == before
        assert await here.hears("pause the dentist until Monday") == (
            "⏸ Paused: see the dentist\n"
            "It continues on Monday, 23rd November at 09:00 (Europe/Zagreb).\n“undo” takes it back."
        )
        assert await here.hears("resume the dentist") == (
            "▶ On again, next on Friday at 09:00 (Europe/Zagreb): see the dentist"
        )
        await here.hears("pause the dentist until Monday")
        assert await here.hears("undo") == "↩ Taken back: ⏸ Paused: see the dentist"
        assert {view.message: view.next_run_local for view in await here.reminders()} == before
        await here.hears("pause the dentist until Saturday 9am")
        count = len(here.phone.arrived)  # type: ignore[attr-defined]
        await here.clock.travel(days=5)
        texts = [each.outgoing.text for each in here.phone.arrived[count:]]  # type: ignore[attr-defined]
        assert texts == ["buy milk", "see the dentist"]


async def test_a_pause_until_a_day_ends_with_the_day_and_names_the_real_next_time(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        await here.hears("remind me every day at 8am to take the pill")
        said = await here.hears("pause the pill until Monday")
        assert "It continues on Monday, 23rd November at 08:00 (Europe/Zagreb)." in said
        [view] = await here.reminders()
        assert view.next_run_local == "2026-11-23T08:00:00+01:00"
        assert await here.hears("show me all my reminders") == (
            "Your reminders (Europe/Zagreb):\n"
            "• take the pill: every day at 08:00, paused, next on Monday, 23rd November at 08:00"
        )
        await here.hears("resume the pill")
        assert "continues on Monday, 23rd November at 08:00" in await here.hears("pause the pill until Monday 8am")
        await here.hears("resume the pill")
        assert "continues on Tuesday, 24th November at 08:00" in await here.hears("pause the pill until Monday 9am")
        await here.hears("resume the pill")
        assert "• take the pill: every day at 08:00" in (await here.hears("my reminders")).splitlines()


async def test_only_what_comes_within_a_pause_is_paused_and_counted(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        await here.hears("remind me to call the bank tomorrow at 10")
        await here.hears("remind me to call the vet on 3 december at 10:00")
        assert (await here.hears("pause everything until Friday")).startswith("⏸ Paused: call the bank\n")
        assert await here.hears("pause the vet until Friday") == "Nothing is due before then, so nothing was paused."
        assert (await here.hears("resume everything")).startswith("▶ On again, next tomorrow at 10:00")
        await here.hears("pause the bank")
        await here.clock.travel(days=2)
        assert (await here.hears("resume the bank")).startswith("▶ On again, next today at 13:00")  # late, not never


async def test_what_was_put_off_comes_when_the_pause_ends_and_goes_on_from_there(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        await here.runtime.engine.start()
        await here.hears("remind me every day at 8am to take vitamins")
        await here.hears("remind me to call the bank tomorrow at 10")
        await here.hears("pause everything until friday 9am")
        before = len(here.phone.arrived)  # type: ignore[attr-defined]
        await here.clock.travel(days=4)  # Friday, 13:00
        assert [each.outgoing.text for each in here.phone.arrived[before:]] == ["call the bank"]  # type: ignore[attr-defined]
        await here.clock.travel(days=1)
        assert [each.outgoing.text for each in here.phone.arrived[before:]][1:] == ["take vitamins"]  # type: ignore[attr-defined]


async def test_an_answer_to_a_reminder_goes_before_requests(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        made = await here.ask("Take it")
        assert (await here.hears("remind me to call mom tomorrow at 10")).startswith("⏰ I will remind you")
        too_far = await here.hears("remind me next friday at 9")
        assert too_far == "I can put it off for at most 7 days. Say an earlier time."
        assert (await here.hears("in 2 days")).startswith("⏰ I will remind you on Wednesday at 13:05")
        assert await here.hears("done") == "✓ Done: Take it"
        assert (await here.hears("undo")).startswith("↩ Taken back: ✓ Done: Take it")
        assert await here.status(made) == "snoozed"


async def test_a_reminder_that_waits_or_is_snoozed_is_listed_moved_and_cancelled(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        made = await here.ask("qpill")
        assert await here.hears("what's on today?") == "Today (Europe/Zagreb):\n• waits for your answer: qpill"
        assert await here.hears("what's on tomorrow?") == "Tomorrow: nothing."
        assert await here.hears("pause everything") == "Nothing is paused.\n• qpill: waits for your answer"
        await here.hears("in 10 minutes")
        assert await here.hears("what's on today?") == "Today (Europe/Zagreb):\n• 13:15, put off: qpill"
        assert await here.hears("my reminders") == "Your reminders (Europe/Zagreb):\n• qpill: today at 13:15, put off"
        moved = await here.hears("move qpill to 3pm")
        assert moved == "⏰ I will remind you at 15:00: qpill\n“undo” takes it back."
        assert (await here.hears("push qpill back an hour")).startswith("⏰ I will remind you at 16:00: qpill")
        assert await here.hears("move qpill to 3 december at 9am") == (
            "I can put it off for at most 7 days. Say an earlier time."
        )
        assert (await here.hears("pause qpill until tomorrow 8am")).startswith("⏰ I will remind you tomorrow at 08:00")
        assert await here.hears("cancel qpill") == "✗ Dismissed: qpill\n“undo” takes it back."
        assert (await here.hears("my reminders")).startswith("You have no reminders yet.")
        assert await here.status(made) == "dismissed"
        assert await here.hears("undo") == "↩ Taken back: ✗ Dismissed: qpill"
        assert await here.status(made) == "snoozed"


async def test_a_series_that_waits_for_its_answer_is_put_off_and_stays_a_series(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        await here.runtime.engine.start()
        daily = {"type": "daily", "time": "13:30"}
        await here.runtime.services.reminder_service.create(here.user, daily, "take the pill", require_ack=True)
        await here.clock.travel(minutes=30)
        assert "take the pill: every day at 13:30 (waits for your answer)" in await here.hears("my reminders")
        assert (await here.hears("move the pill to 3pm")).startswith("⏰ I will remind you at 15:00: take the pill")
        assert "• 15:00, put off: take the pill" in await here.hears("what's on today?")
        assert "• 13:30: take the pill" in await here.hears("what's on tomorrow?")


async def test_words_answer_what_was_asked_last(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        made = await here.ask("Take it")
        assert (await here.hears("I will call mom tomorrow at 5pm")).startswith("Should I remind you tomorrow at 17:00")
        assert await here.hears("yes") == "⏰ I will remind you tomorrow at 17:00 (Europe/Zagreb): I will call mom"
        asked = await here.hears("remind me to pay the rent")
        assert asked.startswith("When should I remind you of")
        assert await here.hears("yes") == asked  # no answer to when, and none to the reminder either
        assert (
            await here.hears("tomorrow at 9") == "⏰ I will remind you tomorrow at 09:00 (Europe/Zagreb): pay the rent"
        )
        await here.hears("remind me to call mom tomorrow at 5")
        assert await here.hears("yes") == "Answer with the number."
        assert await here.status(made) == "awaiting_ack"

        await here.clock.travel(minutes=10)  # the reminder comes once more: now it is what was asked last
        assert await here.hears("yes") == "✓ Done: Take it"


async def test_what_is_carried_out_closes_the_question_before_it(tmp_path: Path) -> None:
    async with room(tmp_path, "it") as here:
        await here.hears("ricordami domani alle 9:00 di chiamare la banca")
        await here.hears("ricordami di pagare")  # asks when
        assert "Eliminato" in await here.hears("cancella la banca")
        await here.hears("annulla")  # the word for undo is also one for no
        assert await here.texts() == ["chiamare la banca"]


async def test_a_time_that_can_be_read_in_two_ways_is_asked_back(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        assert await here.hears("remind me to call mom tomorrow at 5") == (
            "Which time do you mean for “call mom”?\n"
            "1. tomorrow at 05:00\n2. tomorrow at 17:00\nAnswer with the number."
        )
        assert await here.texts() == []
        said = await here.hears("2")
        assert said == "⏰ I will remind you tomorrow at 17:00 (Europe/Zagreb): call mom"
        await here.hears("move mom to friday at 5")
        assert [each.label for each in here.buttons] == ["on Friday at 05:00", "on Friday at 17:00"]
        moved = await here.say(token=here.buttons[0].token)
        assert moved.reply == "✓ Moved, it now comes on Friday at 05:00 (Europe/Zagreb): call mom"


async def test_without_buttons_the_first_reading_counts_and_the_answer_names_the_other(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        said = (await here.services.chat.handle(here.user, "irc", "remind me to call mom tomorrow at 5")).reply
        assert said == (
            "⏰ I will remind you tomorrow at 05:00 (Europe/Zagreb): call mom\n"
            "If you meant tomorrow at 17:00, say: “move call mom to …”."
        )


async def test_a_person_answers_in_another_language_than_their_own(tmp_path: Path) -> None:
    async with room(tmp_path, "de") as here:
        await here.ask("Take it")
        assert await here.hears("in 10 minutes") == "⏰ Ich erinnere dich um 13:15: Take it"


async def test_times_ahead_and_times_after_it_is_done_are_taken_up(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        said = await here.hears("remind me to catch the train tomorrow at 9am and an hour before")
        assert said == "⏰ I will remind you tomorrow at 09:00 (Europe/Zagreb): catch the train\nAlso 1 hour before."
        [view] = await here.reminders()
        assert view.lead_minutes == (60,)
        assert "• 09:00: catch the train" in await here.hears("what's on tomorrow?")
        await here.hears("pause everything until friday 9am")
        assert "catch the train: paused, next on Friday at 09:00" in await here.hears("my reminders")


async def test_what_was_understood_beside_the_time_is_repeated(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        said = await here.hears("remind me to see the dentist friday at 9am and a day before and an hour before")
        assert said.endswith("on Friday at 09:00 (Europe/Zagreb): see the dentist\nAlso 1 day, 1 hour before.")
        assert await here.hears("move the dentist to Thursday at 9:00") == (
            "✓ Moved, it now comes on Thursday at 09:00 (Europe/Zagreb): see the dentist\nAlso 1 day, 1 hour before."
        )
        said = await here.hears("remind me to water the plants 3 days after it is done")
        assert said.endswith("(Europe/Zagreb): water the plants\nAnd again 3 days after it is done.")
        await here.hears("remind me every day at 8am to take the pill")
        assert await here.hears("move the pill to every day at 9am until 30 november") == (
            "✓ Moved, it now comes every day at 09:00, until 30 November 2026, "
            "next tomorrow at 09:00 (Europe/Zagreb): take the pill"
        )
