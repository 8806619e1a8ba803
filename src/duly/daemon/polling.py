"""Chats that are asked for news, because nobody can reach us: Telegram, unless it has a webhook."""

from __future__ import annotations

import asyncio

from duly.daemon.house import House
from duly.delivery.channels.telegram import TelegramChannel
from duly.delivery.channels.telegram_poller import TelegramPoller
from duly.ports.channels import Incoming


def start_polling(house: House) -> list[asyncio.Task[None]]:
    """Begin; cancel the tasks to end."""
    table = house.settings.channels.get("telegram")
    channel = house.channels.get("telegram")
    if table is None or "webhook_secret" in table or not isinstance(channel, TelegramChannel):
        return []
    token = house.resolver("channels.telegram")(table["token"])
    return [asyncio.get_running_loop().create_task(_poll_telegram(house, channel, token.partition(":")[0]))]


async def _poll_telegram(house: House, channel: TelegramChannel, bot: str) -> None:
    """Where to go on is kept for each bot: another one counts its updates differently."""
    cursor = f"telegram.offset.{bot}"
    known = await house.store.reminders.cursor(cursor)

    async def save(offset: int) -> None:
        await house.store.reminders.set_cursor(cursor, str(offset))

    async def take(incoming: Incoming) -> None:
        await house.intake.take_and_reply(incoming)

    poller = TelegramPoller(channel, take, house.clock, offset=None if known is None else int(known), save_offset=save)
    await poller.run()
