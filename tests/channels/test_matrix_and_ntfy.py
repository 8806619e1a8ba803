"""Matrix, where repeating is harmless, and ntfy, whose buttons are links."""

from __future__ import annotations

import asyncio
import importlib
from dataclasses import replace
from typing import Any

import pytest

from duly.channels.matrix import MatrixChannel
from duly.channels.ntfy import NtfyChannel
from duly.errors import ChannelNotConfiguredError, ChannelPermanentError, ChannelTemporaryError, ChannelUnknownError
from tests.channels.fakes.matrix import ROOM, TOO_MANY, FakeMatrix
from tests.channels.fakes.ntfy import FakeNtfy
from tests.channels.fakes.secrets import MATRIX_TOKEN, NTFY_TOKEN
from tests.channels.fakes.server import Hang, Reply
from tests.channels.samples import ASKING, PLAIN, QUICK


async def test_matrix_takes_the_same_key_once() -> None:
    async with FakeMatrix() as fake:
        hasty, channel = MatrixChannel(fake.url, MATRIX_TOKEN, timeout=QUICK), MatrixChannel(fake.url, MATRIX_TOKEN)
        fake.fail(Hang)
        with pytest.raises(ChannelUnknownError):
            await hasty.send(ROOM, replace(PLAIN, key="run/1:ü"))
        await hasty.close()
        receipt = await channel.send(ROOM, replace(PLAIN, key="run/1:ü"))
        assert list(fake.events) == [receipt.message_id]
        await channel.close()


async def test_matrix_shows_links_replies_and_edits() -> None:
    async with FakeMatrix() as fake:
        channel = MatrixChannel(fake.url, MATRIX_TOKEN)
        receipt = await channel.send(ROOM, replace(ASKING, reply_to="$before"))
        event = fake.events[receipt.message_id or ""]
        assert event["body"].startswith("Medicine\n\nDid you take it?\n\nDone: https://duly.example/a/done\n")
        assert event["m.relates_to"] == {"m.in_reply_to": {"event_id": "$before"}}
        assert event["m.mentions"] == {}
        shown = ("Done ✓", "Did you take it?", "Done ✓")  # done, taken back, and done again
        for text in shown:
            assert await channel.edit(ROOM, receipt.message_id or "", text)
        edits = [event for event in fake.events.values() if "m.new_content" in event]
        assert [edit["m.new_content"]["body"] for edit in edits] == list(shown)
        for edit in edits:
            assert edit["m.relates_to"] == {"rel_type": "m.replace", "event_id": receipt.message_id}
        await channel.close()


async def test_matrix_errors() -> None:
    async with FakeMatrix() as fake:
        channel = MatrixChannel(fake.url, MATRIX_TOKEN)
        fake.fail(TOO_MANY)
        with pytest.raises(ChannelTemporaryError) as limited:
            await channel.send(ROOM, PLAIN)
        assert limited.value.retry_after == 4.9
        with pytest.raises(ChannelPermanentError, match="M_FORBIDDEN"):
            await channel.send("!other:example.org", PLAIN)
        with pytest.raises(ChannelPermanentError, match="no room id"):
            await channel.send("#alias:example.org", PLAIN)
        assert await channel.check() == "@duly:example.org"
        wrong = MatrixChannel(fake.url, "wrong")
        with pytest.raises(ChannelNotConfiguredError, match="M_UNKNOWN_TOKEN"):
            await wrong.check()
        await channel.close()
        await wrong.close()


async def test_ntfy_turns_buttons_into_requests() -> None:
    async with FakeNtfy() as fake:
        channel = NtfyChannel(NTFY_TOKEN, base_url=fake.url)
        receipt = await channel.send("private", ASKING)
        assert receipt.message_id == "n1"
        (message,) = fake.messages
        assert (message["title"], message["message"]) == ("Medicine", "Did you take it?")
        assert message["actions"][0] == {
            "action": "http",
            "label": "Done",
            "url": "https://duly.example/a/done",
            "method": "POST",
            "clear": True,
        }
        assert not await channel.edit("private", "n1", "Done ✓")
        assert await channel.check() == f"{fake.url} is healthy"
        await channel.close()


async def test_ntfy_errors() -> None:
    async with FakeNtfy() as fake:
        channel = NtfyChannel(None, base_url=fake.url)
        with pytest.raises(ChannelPermanentError, match="forbidden"):
            await channel.send("private", PLAIN)
        with pytest.raises(ChannelPermanentError, match="no topic"):
            await channel.send("two words", PLAIN)
        fake.fail(Reply(429, {"code": 42901, "http": 429, "error": "limit reached: too many requests"}))
        with pytest.raises(ChannelTemporaryError, match="limit reached"):
            await channel.send("topic", PLAIN)
        await channel.send("topic", replace(PLAIN, text="ü" * 5000))
        assert len(fake.messages[-1]["message"].encode()) <= 4096, "more would arrive as a file"
        await channel.close()


@pytest.mark.usefixtures("apprise_threads")
async def test_the_ntfy_fake_by_another_client() -> None:
    """Apprise's plugin speaks to it as it does to a server."""
    apprise: Any = importlib.import_module("apprise")
    async with FakeNtfy() as fake:
        service = apprise.Apprise()
        assert service.add(f"ntfy://127.0.0.1:{fake.port}/topic?retry=0")
        assert await asyncio.to_thread(service.notify, body="hello", title="Title")
        assert fake.messages == [{"topic": "topic", "message": "hello", "title": "Title"}]
