"""Chats in which "it" is the reminder that was spoken of last, and is never guessed."""

from __future__ import annotations

from pathlib import Path

from tests.integration.chat.room import room

BANK = "remind me to call the bank tomorrow at 10:00"
MOM = "remind me to call mom tomorrow at 17:00"


async def test_what_was_just_made_is_cancelled_and_comes_back(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        await here.hears(BANK)
        await here.hears(MOM)
        assert await here.hears("cancel it") == "✗ Removed: call mom\n“undo” takes it back."
        assert await here.texts() == ["call the bank"]
        assert (await here.hears("undo")).startswith("↩ Taken back")
        assert await here.texts() == ["call mom", "call the bank"]


async def test_what_was_just_moved_or_listed_alone_is_it(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        await here.hears(BANK)
        await here.hears("remind me to call mom on Friday at 17:00")
        await here.hears("move the bank to tomorrow at 11:00")
        assert "12:00" in await here.hears("move it to 12:00")
        await here.hears("what's on friday?")
        assert (await here.hears("delete that")).startswith("✗ Removed: call mom")


async def test_of_several_that_were_listed_duly_asks_which(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        await here.hears(BANK)
        await here.hears(MOM)
        await here.hears("remind me to read on Friday at 9:00")
        await here.hears("what's on tomorrow?")
        assert "read" not in await here.hears("cancel it")
        assert [button.label.partition(" (")[0] for button in here.buttons] == ["call the bank", "call mom"]
        assert (await here.hears("2")).startswith("✗ Removed: call mom")


async def test_after_ten_minutes_in_another_chat_or_after_a_cancel_duly_asks(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        await here.hears(BANK)
        await here.hears(MOM)
        other = await here.services.chat.handle(here.user, "matrix", "cancel it", chat="!room")
        assert "1. call the bank" in (other.reply or "")
        await here.clock.travel(minutes=11)
        assert "1. call the bank" in await here.hears("cancel it")
        assert (await here.hears("1")).startswith("✗ Removed: call the bank")
        assert "1. call mom" in await here.hears("cancel it")  # the only one that is left may not be meant
        assert await here.texts() == ["call mom"]


async def test_after_a_question_it_is_what_was_asked(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        await here.hears(BANK)
        assert (await here.hears("i will call mom tomorrow at 5pm")).startswith("Should I remind you")
        assert await here.hears("cancel it") == "OK, nothing was changed."
        assert "1. call the bank" in await here.hears("cancel it")
        assert await here.texts() == ["call the bank"]


async def test_a_quoted_message_is_not_what_was_said_last(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        await here.hears(BANK)
        await here.hears(MOM)
        assert "1. call the bank" in await here.hears("cancel it", quoted="phone-1")
        assert len(await here.texts()) == 2


async def test_it_with_a_quoted_message_ends_no_question_about_something_else(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        await here.hears(BANK)
        assert (await here.hears("i will call mom tomorrow at 5pm")).startswith("Should I remind you")
        for text in ("cancel it", "move it to 5pm", "skip it tomorrow"):
            await here.hears(text, quoted="phone-1")
        await here.hears("yes")
        assert sorted(await here.texts()) == ["call the bank", "i will call mom"]


async def test_without_reminders_there_is_nothing_to_cancel(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        assert "no reminders" in (await here.hears("cancel it")).lower()


async def test_it_is_what_was_just_made_and_not_the_pill_that_waits(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        pill = await here.ask("Take the pill")
        await here.hears(MOM)
        assert (await here.hears("cancel it")).startswith("✗ Removed: call mom")
        assert await here.status(pill) == "awaiting_ack"


async def test_a_reminder_that_came_since_is_it(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        await here.hears(MOM)
        pill = await here.ask("Take the pill")
        await here.hears("cancel it")
        assert await here.status(pill) == "dismissed"
        assert "call mom" in await here.texts()


async def test_an_agent_behind_the_chat_gets_it_unless_duly_spoke_of_a_reminder(tmp_path: Path) -> None:
    async with room(tmp_path) as here:
        await here.hears(BANK)
        await here.clock.travel(minutes=11)
        handled = await here.services.chat.handle(here.user, "phone", "cancel it", is_last=False)
        assert not handled.consumed
        assert await here.texts() == ["call the bank"]


async def test_a_no_to_nothing_is_no_courtesy_of_another_language(tmp_path: Path) -> None:
    async with room(tmp_path, language=None) as here:
        assert (await here.hears("no")).startswith("Sorry, I did not understand that.")
