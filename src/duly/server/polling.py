"""Telegram: asked for news, because nobody can reach us, or told where to bring them."""

from __future__ import annotations

import asyncio
import logging

from duly.channels.telegram import TelegramChannel, TelegramPoller
from duly.errors import ChannelError, ChannelPermanentError
from duly.ports.channels import Incoming
from duly.runtime.runtime import Runtime

_FIRST_PAUSE = 1.0
_LONGEST_PAUSE = 60.0
_log = logging.getLogger("duly")


def start_polling(runtime: Runtime) -> list[asyncio.Task[None]]:
    """Begin; cancel the tasks to end."""
    table = runtime.settings.channels.get("telegram")
    channel = runtime.channels.get("telegram")
    if table is None or not isinstance(channel, TelegramChannel):
        return []
    resolve = runtime.resolver("channels.telegram")
    if "webhook_secret" not in table:
        going = _poll_telegram(runtime, channel, resolve(table["token"]).partition(":")[0])
    elif runtime.settings.public_url is not None:
        url = f"{runtime.settings.public_url.rstrip('/')}/inbound/telegram"
        going = _announce(runtime, channel, url, resolve(table["webhook_secret"]))
    else:
        return []  # whoever stands in front of us sets the webhook
    return [asyncio.get_running_loop().create_task(going)]


async def _announce(runtime: Runtime, channel: TelegramChannel, url: str, secret: str) -> None:
    """Tell Telegram where to bring updates; until it has heard it, it keeps them."""
    pause = _FIRST_PAUSE
    while True:
        try:
            await channel.set_webhook(url, secret)
        except ChannelPermanentError as error:
            _log.error("Telegram does not take %s as its webhook: %s", url, error)
            return
        except ChannelError as error:
            _log.warning("Telegram did not hear of its webhook, going on in a while: %s", error)
            await runtime.clock.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)
        else:
            return


async def _poll_telegram(runtime: Runtime, channel: TelegramChannel, bot: str) -> None:
    """Where to go on is kept for each bot: another one counts its updates differently."""
    cursor = f"telegram.offset.{bot}"
    known = await runtime.store.reminders.cursor(cursor)

    async def save(offset: int) -> None:
        await runtime.store.reminders.set_cursor(cursor, str(offset))

    async def take(incoming: Incoming) -> None:
        await runtime.intake.handle_and_reply(incoming)

    poller = TelegramPoller(
        channel, take, runtime.clock, offset=None if known is None else int(known), save_offset=save
    )
    await poller.run()
