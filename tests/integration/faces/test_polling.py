"""Telegram without a public URL: long polling against the Bot API, across restarts."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path

from tests.channels.fakes.secrets import TELEGRAM_TOKEN
from tests.channels.fakes.server import Reply
from tests.channels.fakes.telegram import FakeTelegram
from tests.world import START, World, until, world


@asynccontextmanager
async def polling(folder: Path, vendor: FakeTelegram, start: datetime = START) -> AsyncIterator[World]:
    table = {"telegram": {"token": "env:T", "base_url": vendor.url}}
    async with world(folder, table, {"T": TELEGRAM_TOKEN}, start=start) as here:
        yield here


def asked(vendor: FakeTelegram) -> list[int | None]:
    """The offsets of every question for updates."""
    return [each.fields.get("offset") for each in vendor.seen if each.path.endswith("/getUpdates")]


async def test_from_the_pairing_code_to_the_answer(tmp_path: Path) -> None:
    async with FakeTelegram() as vendor:
        vendor.webhook = {"url": "https://old.example"}
        async with polling(tmp_path, vendor) as here:
            ana = await here.person("Ana")
            vendor.say(17, await here.runtime.services.reminder_service.people.make_code("Ana", "telegram"))
            await until(lambda: vendor.messages, "the welcome")
            view = await here.remind(ana, require_ack=True, ack_prompt="Did you?")
            await here.clock.travel(minutes=5)
            await until(lambda: len(vendor.messages) == 3, "the reminder and the question")
            question = vendor.messages[102]
            assert question["text"] == "Did you?"
            vendor.press(102, question["reply_markup"]["inline_keyboard"][0][0]["callback_data"])
            await until(lambda: vendor.answered, "the answer to the press")
            await until(lambda: vendor.messages[102]["text"] == "✓ Done: Take it", "the edit")
            assert await here.status(view) == "acked"


async def test_a_restart_goes_on_where_it_stopped(tmp_path: Path) -> None:
    async with FakeTelegram() as vendor:
        async with polling(tmp_path, vendor) as here:
            ana = await here.person("Ana", ("telegram", "17"))
            view = await here.remind(ana, require_ack=True)
            vendor.say(17, "good morning", message_id=1)
            await here.clock.travel(minutes=5)
            await until(lambda: vendor.messages, "the reminder")
            await until(lambda: asked(vendor)[-1] == 1001, "the update to be over")
        vendor.say(17, "done", message_id=2)  # while no daemon ran
        before = len(asked(vendor))
        async with polling(tmp_path, vendor, here.clock.now()) as here:
            await until(lambda: list(vendor.messages.values())[-1]["text"] == "✓ Done: Take it", "the reply")
            assert await here.status(view) == "acked"
            assert asked(vendor)[before] == 1001


async def test_polling_goes_on_after_errors_and_loses_no_update(tmp_path: Path) -> None:
    async with FakeTelegram() as vendor:
        vendor.fail(Reply(502, "bad gateway"), Reply(500, {"ok": False, "description": "Internal"}))
        async with polling(tmp_path, vendor) as here:
            await here.person("Ana")
            vendor.say(17, await here.runtime.services.reminder_service.people.make_code("Ana", "telegram"))
            for _ in range(2):
                await until(lambda: here.clock.next_wake_up is not None, "the pause")
                await here.clock.travel(seconds=60)
            await until(lambda: vendor.messages, "the welcome")


async def test_with_a_webhook_there_is_no_polling(tmp_path: Path) -> None:
    async with FakeTelegram() as vendor:
        table = {"telegram": {"token": "env:T", "webhook_secret": "env:T", "base_url": vendor.url}}
        async with world(tmp_path, table, {"T": TELEGRAM_TOKEN}) as here:
            await here.clock.travel(minutes=1)
            assert vendor.seen == []


async def test_each_bot_has_its_own_offset(tmp_path: Path) -> None:
    async with FakeTelegram() as vendor, polling(tmp_path, vendor) as here:
        vendor.say(17, "hello")
        await until(lambda: asked(vendor)[-1:] == [1001], "the update to be over")
        reminders = here.runtime.store.reminders
        bot = TELEGRAM_TOKEN.partition(":")[0]
        assert await reminders.cursor(f"telegram.offset.{bot}") == "1001"
        assert await reminders.cursor("telegram.offset.999") is None


async def test_with_a_public_url_the_webhook_is_set(tmp_path: Path) -> None:
    async with FakeTelegram() as vendor:
        vendor.fail(Reply(502, "bad gateway"))
        table = {"telegram": {"token": "env:T", "webhook_secret": "env:S", "base_url": vendor.url}}
        environment = {"T": TELEGRAM_TOKEN, "S": "hush"}
        async with world(tmp_path, table, environment, public_url="https://duly.example/") as here:
            await until(lambda: here.clock.next_wake_up is not None and vendor.seen, "the first try")
            await here.clock.travel(seconds=5)
            await until(lambda: vendor.webhook, "the second")
            assert vendor.webhook is not None
            assert vendor.webhook["url"] == "https://duly.example/inbound/telegram"
            assert vendor.webhook["secret_token"] == environment["S"]
            assert not asked(vendor)
