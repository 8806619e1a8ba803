"""Listen to the vendors that duly asks for what people write, instead of being called by them.

Telegram is polled, Matrix is synchronized with, Discord and Slack send over a connection that duly opened. None of them
needs a public URL. Where a webhook is configured, the vendor calls us, and duly does not listen.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any

from duly.channels.discord import DiscordChannel
from duly.channels.discord_gateway import DiscordGateway
from duly.channels.listening import Pauses, Take, keep_listening
from duly.channels.matrix import MatrixChannel
from duly.channels.matrix_sync import MatrixSync
from duly.channels.slack import SlackChannel
from duly.channels.slack_socket import SlackSocket
from duly.channels.telegram import TelegramChannel, TelegramPoller
from duly.errors import ChannelError, ChannelPermanentError
from duly.ports.channels import Incoming, ProactiveDelivery
from duly.runtime.runtime import Runtime

_log = logging.getLogger("duly")
_Listening = Coroutine[Any, Any, None]


def start_listening(runtime: Runtime) -> list[asyncio.Task[None]]:
    """Start to listen to every configured vendor; cancel the tasks to end that."""
    started = (_LISTENERS[name](runtime, channel) for name, channel in runtime.channels.items() if name in _LISTENERS)
    loop = asyncio.get_running_loop()
    return [loop.create_task(listening) for listening in started if listening is not None]


def _taker(runtime: Runtime) -> Take:
    async def take(incoming: Incoming) -> None:
        await runtime.services.intake.handle_and_reply(incoming)

    return take


def _slack(runtime: Runtime, channel: ProactiveDelivery) -> _Listening | None:
    if not isinstance(channel, SlackChannel) or not channel.listens:
        return None
    socket = SlackSocket(channel, runtime.services.intake.handle, runtime.services.intake.reply)
    return keep_listening("slack", socket.listen, runtime.clock)


def _discord(runtime: Runtime, channel: ProactiveDelivery) -> _Listening | None:
    if not isinstance(channel, DiscordChannel) or not channel.listens:
        return None
    if "public_key" in runtime.settings.channels["discord"]:
        return None  # presses come to the URL that is configured at Discord
    return keep_listening("discord", DiscordGateway(channel, _taker(runtime), runtime.clock).listen, runtime.clock)


def _matrix(runtime: Runtime, channel: ProactiveDelivery) -> _Listening | None:
    return _sync_matrix(runtime, channel) if isinstance(channel, MatrixChannel) and channel.listens else None


async def _sync_matrix(runtime: Runtime, channel: MatrixChannel) -> None:
    """Read the rooms. The place in the server's stream is kept for each account."""

    async def load(account: str) -> str | None:
        return await runtime.store.reminders.cursor(f"matrix.since.{account}")

    async def save(account: str, place: str) -> None:
        await runtime.store.reminders.set_cursor(f"matrix.since.{account}", place)

    sync = MatrixSync(channel, _taker(runtime), load=load, save=save)
    await keep_listening("matrix", sync.listen, runtime.clock)


def _telegram(runtime: Runtime, channel: ProactiveDelivery) -> _Listening | None:
    """Poll Telegram for updates, or tell it the address of our webhook."""
    table = runtime.settings.channels["telegram"]
    if not isinstance(channel, TelegramChannel):
        return None
    resolve = runtime.resolver("channels.telegram")
    if "webhook_secret" not in table:
        return _poll_telegram(runtime, channel, resolve(table["token"]).partition(":")[0])
    if runtime.settings.public_url is None:
        return None  # our address is unknown here: the operator of the proxy sets the webhook
    url = f"{runtime.settings.public_url.rstrip('/')}/inbound/telegram"
    return _set_webhook(runtime, channel, url, resolve(table["webhook_secret"]))


async def _set_webhook(runtime: Runtime, channel: TelegramChannel, url: str, secret: str) -> None:
    """Tell Telegram the address of our webhook, and try again until it takes it; it keeps updates until then."""
    pauses = Pauses("telegram")
    while True:
        try:
            await channel.set_webhook(url, secret)
        except ChannelPermanentError as error:
            _log.error("Telegram does not take %s as its webhook: %s", url, error)
            return
        except ChannelError as error:
            pause = pauses.take(None)
            _log.warning("Telegram did not take its webhook, trying again in %g seconds: %s", pause, error)
            await runtime.clock.sleep(pause)
        else:
            return


async def _poll_telegram(runtime: Runtime, channel: TelegramChannel, bot: str) -> None:
    """Poll for updates. The offset is kept for each bot: each counts its updates from another number."""
    cursor = f"telegram.offset.{bot}"
    known = await runtime.store.reminders.cursor(cursor)

    async def save(offset: int) -> None:
        await runtime.store.reminders.set_cursor(cursor, str(offset))

    offset = None if known is None else int(known)
    poller = TelegramPoller(channel, _taker(runtime), runtime.clock, offset=offset, save_offset=save)
    await poller.run()


_LISTENERS: dict[str, Callable[[Runtime, ProactiveDelivery], _Listening | None]] = {
    "discord": _discord,
    "matrix": _matrix,
    "slack": _slack,
    "telegram": _telegram,
}
