"""Discord, out: buttons, a nonce that makes repeating harmless, edits, direct messages, final refusals."""

from __future__ import annotations

from dataclasses import replace

import pytest

from duly.channels.discord import DiscordChannel
from duly.errors import ChannelNotConfiguredError, ChannelPermanentError, ChannelTemporaryError, ChannelUnknownError
from tests.channels.fakes.discord import FakeDiscord, too_many
from tests.channels.fakes.secrets import DISCORD_TOKEN
from tests.channels.fakes.server import Hang, Reply
from tests.channels.samples import ASKING, PLAIN, QUICK


def channel_of(fake: FakeDiscord, wait: float = 10.0) -> DiscordChannel:
    return DiscordChannel(DISCORD_TOKEN, application_id="42", base_url=fake.api, timeout=wait)


async def test_a_message_with_buttons_is_edited_after_the_answer() -> None:
    async with FakeDiscord() as fake:
        channel = channel_of(fake)
        receipt = await channel.send("500", replace(ASKING, reply_to="6999"))
        message = fake.messages[receipt.message_id or ""]
        (row,) = message["components"]
        assert [(button["label"], button["custom_id"], button["style"]) for button in row["components"]] == [
            ("Done", "tok-done", 3),
            ("Later", "tok-snooze", 1),
            ("Skip", "tok-dismiss", 2),
        ]
        sent = fake.seen[-1].json
        assert sent["allowed_mentions"] == {"parse": []}
        assert sent["message_reference"] == {"message_id": "6999", "fail_if_not_exists": False}
        assert await channel.edit("500", receipt.message_id or "", "Done ✓")
        assert (message["content"], message["components"]) == ("Done ✓", [])
        assert not await channel.edit("500", "404", "Done ✓")
        await channel.close()


async def test_sending_again_after_a_lost_response_does_not_repeat_the_message() -> None:
    async with FakeDiscord() as fake:
        hasty, channel = channel_of(fake, QUICK), channel_of(fake)
        fake.fail(Hang)
        with pytest.raises(ChannelUnknownError):
            await hasty.send("500", PLAIN)
        await hasty.close()
        receipt = await channel.send("500", PLAIN)
        assert list(fake.messages) == [receipt.message_id]
        await channel.send("500", replace(PLAIN, key="another"))
        assert len(fake.messages) == 2
        await channel.close()


async def test_a_person_is_written_to_in_a_channel_of_their_own() -> None:
    async with FakeDiscord() as fake:
        channel = channel_of(fake)
        for text in ("one", "two"):
            receipt = await channel.send("user:7", replace(PLAIN, text=text, key=text))
            assert fake.messages[receipt.message_id or ""]["channel_id"] == "501"
        opened = [seen for seen in fake.seen if seen.path.endswith("/users/@me/channels")]
        assert len(opened) == 1
        await channel.close()


async def test_blocked_and_unknown_addresses_are_permanent_errors() -> None:
    async with FakeDiscord() as fake:
        channel = channel_of(fake)
        fake.closed = {"501"}
        with pytest.raises(ChannelPermanentError, match="50007"):
            await channel.send("user:7", PLAIN)
        with pytest.raises(ChannelPermanentError, match="10003"):
            await channel.send("999", PLAIN)
        with pytest.raises(ChannelPermanentError):
            await channel.send("../users/@me", PLAIN)
        assert fake.seen[-1].target == "/api/v10/channels/..%2Fusers%2F%40me/messages", "an address is no path"
        fake.fail(too_many(2.5))
        with pytest.raises(ChannelTemporaryError) as limited:
            await channel.send("500", PLAIN)
        assert limited.value.retry_after == 2.5
        fake.fail(Reply(429, "error code: 1015", {"Retry-After": "600"}))  # the guard at the gate knows no JSON
        with pytest.raises(ChannelTemporaryError) as banned:
            await channel.send("500", PLAIN)
        assert banned.value.retry_after == 600
        await channel.close()


async def test_check_tells_who_we_are_and_registers_the_command() -> None:
    async with FakeDiscord() as fake:
        channel = channel_of(fake)
        assert await channel.check() == "bot duly"
        (command,) = fake.commands
        assert (command["name"], command["options"][0]["name"]) == ("duly", "text")
        wrong = DiscordChannel("wrong", base_url=fake.api)
        with pytest.raises(ChannelNotConfiguredError, match="check the token"):
            await wrong.check()
        await channel.close()
        await wrong.close()
