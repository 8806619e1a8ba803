"""Telegram, out: messages, buttons, edits, and which errors are permanent."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from duly.channels.telegram import TelegramChannel, from_update
from duly.errors import ChannelNotConfiguredError, ChannelPermanentError, ChannelTemporaryError
from duly.ports.channels import Answering, Incoming
from tests.channels.fakes.secrets import TELEGRAM_TOKEN
from tests.channels.fakes.telegram import FakeTelegram, too_many
from tests.channels.samples import ASKING, BUTTONS, PLAIN


def channel_of(fake: FakeTelegram) -> TelegramChannel:
    return TelegramChannel(TELEGRAM_TOKEN, base_url=fake.url)


async def test_a_message_with_buttons_is_edited_after_the_answer() -> None:
    async with FakeTelegram() as fake:
        channel = channel_of(fake)
        receipt = await channel.send("7", ASKING)
        assert receipt.message_id == "7:100"
        message = fake.messages[100]
        assert message["text"] == "Medicine\n\nDid you take it?"
        (row,) = message["reply_markup"]["inline_keyboard"]
        assert [(button["text"], button["callback_data"]) for button in row] == [
            ("Done", "tok-done"),
            ("Later", "tok-snooze"),
            ("Skip", "tok-dismiss"),
        ]
        assert await channel.edit("7", receipt.message_id, "Done ✓")
        assert (message["text"], "reply_markup" in message) == ("Done ✓", False)
        assert await channel.edit("7", receipt.message_id, "Done ✓"), "not modified is as good as modified"
        assert await channel.edit("7", receipt.message_id, "Did you take it?", BUTTONS)
        assert [button["text"] for button in message["reply_markup"]["inline_keyboard"][0]] == ["Done", "Later", "Skip"]
        assert not await channel.edit("7", "7:404", "Done ✓")
        assert not await channel.edit("7", "not a number", "Done ✓")
        fake.blocked = {"7"}
        with pytest.raises(ChannelPermanentError):
            await channel.edit("7", receipt.message_id, "Never seen")
        await channel.close()


async def test_long_labels_get_a_line_each() -> None:
    async with FakeTelegram() as fake:
        channel = channel_of(fake)
        buttons = tuple(replace(button, label=f"{button.label} and something more") for button in BUTTONS)
        await channel.send("7", replace(ASKING, buttons=buttons))
        rows = fake.messages[100]["reply_markup"]["inline_keyboard"]
        assert [len(row) for row in rows] == [1, 1, 1]
        await channel.send("7", replace(ASKING, buttons=(*BUTTONS, *BUTTONS[:2])))
        rows = fake.messages[101]["reply_markup"]["inline_keyboard"]
        assert [len(row) for row in rows] == [3, 2], "a telephone shows no more side by side"
        await channel.close()


async def test_a_reply_and_markup_are_sent_as_plain_text() -> None:
    async with FakeTelegram() as fake:
        channel = channel_of(fake)
        await channel.send("7", replace(PLAIN, text="<b>*take* _it_</b>", reply_to="7:100"))
        sent = fake.seen[-1].json
        assert sent["text"] == "<b>*take* _it_</b>"
        assert "parse_mode" not in sent
        assert sent["reply_parameters"] == {"message_id": 100, "allow_sending_without_reply": True}
        await channel.close()


async def test_long_texts_are_cut_in_utf16_units() -> None:
    async with FakeTelegram() as fake:
        channel = channel_of(fake)
        await channel.send("7", replace(PLAIN, text="💊" * 3000))
        text = fake.seen[-1].json["text"]
        assert len(text.encode("utf-16-le")) // 2 <= 4096
        assert text.startswith("💊" * 2047)
        assert text.endswith("…")
        await channel.close()


async def test_blocked_bots_and_unknown_chats_are_permanent_errors() -> None:
    async with FakeTelegram() as fake:
        channel = channel_of(fake)
        fake.blocked, fake.unknown = {"1"}, {"2"}
        with pytest.raises(ChannelPermanentError, match="blocked by the user"):
            await channel.send("1", PLAIN)
        with pytest.raises(ChannelPermanentError, match="chat not found"):
            await channel.send("2", PLAIN)
        assert len(fake.seen) == 2
        await channel.close()


async def test_a_group_that_moved_is_followed() -> None:
    async with FakeTelegram() as fake:
        channel = channel_of(fake)
        fake.moved = {"-5": -1005}
        receipt = await channel.send("-5", PLAIN)
        assert (receipt.message_id, fake.messages[100]["chat"]["id"]) == ("-1005:100", -1005)
        assert await channel.edit("-5", "-1005:100", "Done ✓")
        await channel.close()


async def test_the_wait_that_the_vendor_names_is_passed_on() -> None:
    async with FakeTelegram() as fake:
        channel = channel_of(fake)
        fake.fail(too_many(37))
        with pytest.raises(ChannelTemporaryError, match="retry after 37") as limited:
            await channel.send("7", PLAIN)
        assert limited.value.retry_after == 37
        await channel.close()


async def test_check_tells_who_we_are_or_that_the_token_is_wrong() -> None:
    async with FakeTelegram() as fake:
        channel = channel_of(fake)
        assert await channel.check() == "bot @duly_test_bot (Duly)"
        wrong = TelegramChannel("1:wrong", base_url=fake.url)
        with pytest.raises(ChannelNotConfiguredError, match="BotFather"):
            await wrong.check()
        await channel.close()
        await wrong.close()


async def test_a_press_is_answered_unless_it_is_too_old() -> None:
    async with FakeTelegram() as fake:
        channel = channel_of(fake)
        assert isinstance(channel, Answering)
        press = Incoming(
            channel="telegram", address="7", sender="7", message_id="1", token=BUTTONS[0].token, callback="q1"
        )
        await channel.answer(press, "Well done")
        assert fake.answered == [{"callback_query_id": "q1", "text": "Well done"}]
        await channel.answer(replace(press, callback="old"), "Well done")
        await channel.answer(replace(press, callback=None), "Well done")
        assert len(fake.answered) == 1
        await channel.close()


def _reacted(old: list[str], new: list[str]) -> dict[str, Any]:
    def signs(names: list[str]) -> list[dict[str, str]]:
        return [{"type": "emoji", "emoji": name} for name in names]

    about = {"chat": {"id": 7, "type": "private"}, "message_id": 100, "user": {"id": 7, "is_bot": False}, "date": 1}
    return {"update_id": 1, "message_reaction": {**about, "old_reaction": signs(old), "new_reaction": signs(new)}}


def test_a_reaction_is_the_sign_that_was_added() -> None:
    added = from_update(_reacted(["🔥"], ["🔥", "👍"]))
    assert added is not None
    assert (added.reaction, added.quoted, added.text, added.sender) == ("👍", "7:100", None, "7")
    assert from_update(_reacted(["👍"], [])) is None


@pytest.mark.parametrize(
    ("kind", "text", "reply", "to_us"),
    [
        ("private", "hello", False, True),
        ("group", "hello", False, False),
        ("supergroup", "hello", True, True),
        ("group", "/start code", False, True),
        ("group", "@duly_bot what's on?", False, True),
    ],
)
def test_in_a_group_only_replies_and_what_names_the_bot_is_for_us(
    kind: str, text: str, reply: bool, to_us: bool
) -> None:
    message: dict[str, Any] = {"message_id": 5, "chat": {"id": -7, "type": kind}, "from": {"id": 7}, "text": text}
    message |= {"reply_to_message": {"message_id": 4}} if reply else {}
    incoming = from_update({"update_id": 1, "message": message})
    assert incoming is not None
    assert incoming.to_us is to_us
