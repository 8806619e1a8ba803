"""Polling Telegram: no update is lost, and the saved offset says where to continue."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress

import pytest

from duly.channels.telegram import TelegramChannel, TelegramPoller
from duly.ports.channels import Incoming
from duly.testing import VirtualClock
from tests.channels.fakes.secrets import TELEGRAM_TOKEN
from tests.channels.fakes.server import HangUp, Reply
from tests.channels.fakes.telegram import FakeTelegram, too_many
from tests.channels.samples import ASKING


class PollingWorld:
    """A poller against a fake Telegram, and the updates it handed on."""

    def __init__(self, fake: FakeTelegram) -> None:
        self.fake = fake
        self.clock = VirtualClock()
        self.channel = TelegramChannel(TELEGRAM_TOKEN, base_url=fake.url)
        self.taken: list[Incoming] = []
        self.saved: list[int] = []
        self.broken = 0
        self.news = asyncio.Event()

    def poller(self, offset: int | None = None) -> TelegramPoller:
        return TelegramPoller(self.channel, self.take, self.clock, offset=offset, save_offset=self.save, wait=1)

    async def take(self, incoming: Incoming) -> None:
        if self.broken:
            self.broken -= 1
            raise OSError("the store is away")
        self.taken.append(incoming)
        self.news.set()

    async def save(self, offset: int) -> None:
        self.saved.append(offset)


async def test_a_press_and_a_reply_are_handed_on_in_order() -> None:
    async with FakeTelegram() as fake:
        desk = PollingWorld(fake)
        receipt = await desk.channel.send("7", ASKING)
        fake.press(100, "tok-done", query="q9")
        fake.say(7, "took it", reply_to=100)
        poller = desk.poller()
        assert await poller.poll_once() == 2
        press, said = desk.taken
        assert (press.token, press.quoted, press.callback, press.text) == ("tok-done", receipt.message_id, "q9", None)
        assert (said.text, said.quoted, said.token, said.address) == ("took it", receipt.message_id, None, "7")
        assert desk.saved == [1001, 1002]
        fake.say(7, "hello")
        again = desk.poller(offset=desk.saved[-1])
        assert await again.poll_once() == 1
        assert desk.taken[-1].text == "hello"
        await desk.channel.close()


async def test_an_update_that_failed_is_handled_again() -> None:
    async with FakeTelegram() as fake:
        desk = PollingWorld(fake)
        fake.say(7, "first")
        fake.say(7, "second")
        desk.broken = 1
        poller = desk.poller()
        with pytest.raises(OSError, match="store is away"):
            await poller.poll_once()
        assert desk.saved == []
        await poller.poll_once()
        assert [incoming.text for incoming in desk.taken] == ["first", "second"]
        await desk.channel.close()


async def test_an_update_that_always_fails_is_given_up_with_an_error(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR)

    async with FakeTelegram() as fake:
        desk = PollingWorld(fake)
        fake.say(7, "poison")
        fake.say(7, "food")
        desk.broken = 5
        poller = desk.poller()
        for _ in range(4):
            with pytest.raises(OSError, match="store is away"):
                await poller.poll_once()
        await poller.poll_once()
        assert [incoming.text for incoming in desk.taken] == ["food"]
        await desk.channel.close()
    assert "given up" in caplog.text


async def test_polling_removes_a_webhook_and_survives_errors() -> None:
    async with FakeTelegram() as fake:
        desk = PollingWorld(fake)
        await desk.channel.set_webhook("https://duly.example/telegram", "s")
        fake.fail(Reply(502, "Bad Gateway"), HangUp, too_many(30))
        running = asyncio.create_task(desk.poller().run())
        pauses: list[float] = []
        async with asyncio.timeout(60):
            while len(pauses) < 3:
                await asyncio.sleep(0.005)
                if (wait := desk.clock.next_wake_up) is not None:
                    pauses.append(wait)
                    desk.clock.advance(wait)
            fake.say(7, "at last")
            await desk.news.wait()
        assert pauses == [1, 2, 30], "growing, and never less than Telegram asked for"
        assert fake.webhook is None
        assert [incoming.text for incoming in desk.taken] == ["at last"]
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running
        await desk.channel.close()
