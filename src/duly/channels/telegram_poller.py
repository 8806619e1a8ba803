"""Telegram without a public URL: ask for updates, wait, hand them on, remember how far we got."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Any

from duly.channels.telegram import TelegramChannel
from duly.channels.telegram_inbound import from_update
from duly.clock import Clock
from duly.errors import ChannelError, ChannelTemporaryError
from duly.ports.channels import Incoming

_log = logging.getLogger(__name__)

WAIT = 50
"""Seconds that Telegram holds a question open when there is nothing to tell."""
_FIRST_PAUSE = 1.0
_LONGEST_PAUSE = 60.0
_TRIES = 5


class TelegramPoller:
    """Hands on every update at least once, in order.

    `offset` is where to go on, from `save_offset` of the last time; it is saved after an update was handled, so
    that a crash in between repeats the update and loses none. Asking with an offset is what makes Telegram forget.
    """

    def __init__(
        self,
        client: TelegramChannel,
        on_incoming: Callable[[Incoming], Awaitable[None]],
        clock: Clock,
        *,
        offset: int | None = None,
        save_offset: Callable[[int], Awaitable[None]] | None = None,
        wait: int = WAIT,
    ) -> None:
        self._client = client
        self._on_incoming = on_incoming
        self._clock = clock
        self._save_offset = save_offset
        self._wait = wait
        self._tries = 0
        self.offset = offset

    async def run(self) -> None:
        """Poll until cancelled. What fails is tried again after a pause that grows."""
        pause = _FIRST_PAUSE
        switched = False
        while True:
            try:
                if not switched:
                    await self._client.delete_webhook()  # with one set, Telegram refuses to be polled
                    switched = True
                await self.poll_once()
                pause = _FIRST_PAUSE
            except Exception as error:
                asked = error.retry_after if isinstance(error, ChannelTemporaryError) else None
                _log.warning("polling Telegram failed, going on in a while: %s", _shown(error))
                await self._clock.sleep(max(pause, asked or 0.0))
                pause = min(2 * pause, _LONGEST_PAUSE)

    async def poll_once(self) -> int:
        """One question; gives the number of updates it brought."""
        updates = await self._client.updates(self.offset, self._wait)
        for update in updates:
            await self._handle(update)
        return len(updates)

    async def _handle(self, update: dict[str, Any]) -> None:
        number = update.get("update_id")
        if not isinstance(number, int):
            return
        incoming = from_update(update)
        if incoming is not None:
            await self._hand_on(incoming, number)
        self._tries = 0
        self.offset = number + 1
        if self._save_offset is not None:
            await self._save_offset(self.offset)

    async def _hand_on(self, incoming: Incoming, number: int) -> None:
        """Let a failure stop the round, so that the update comes again; but not for ever, for the sake of the rest."""
        try:
            await self._on_incoming(incoming)
        except Exception:
            self._tries += 1
            if self._tries < _TRIES:
                raise
            _log.exception("Telegram update %d could not be handled %d times and is given up", number, _TRIES)


def _shown(error: Exception) -> str:
    return str(error) if isinstance(error, ChannelError) else f"{type(error).__name__}: {error}"
