"""Chats that are asked for news, because nobody can reach us: Telegram, unless it has a webhook."""

from __future__ import annotations

import asyncio

from duly.daemon.house import House
from duly.ports.channels import Incoming

_CURSOR = "telegram.offset"


def start_polling(house: House) -> list[asyncio.Task[None]]:
    """Begin; cancel the tasks to end."""
    table = house.settings.channels.get("telegram")
    if table is None or "webhook_secret" in table:
        return []
    return [asyncio.get_running_loop().create_task(_poll_telegram(house))]


async def _poll_telegram(house: House) -> None:
    from duly.delivery.channels.telegram import TelegramChannel
    from duly.delivery.channels.telegram_poller import TelegramPoller

    channel = house.channels["telegram"]
    if not isinstance(channel, TelegramChannel):
        return
    known = await house.store.reminders.cursor(_CURSOR)

    async def save(offset: int) -> None:
        await house.store.reminders.set_cursor(_CURSOR, str(offset))

    async def take(incoming: Incoming) -> None:
        await house.intake.take_and_reply(incoming)

    poller = TelegramPoller(channel, take, house.clock, offset=None if known is None else int(known), save_offset=save)
    await poller.run()
