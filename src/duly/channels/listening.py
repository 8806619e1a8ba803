"""Listen to a vendor over a connection that duly opens, for daemons without a public URL.

A vendor's connection ends now and then, and its servers fail. `keep_listening` opens it again, after a pause that
grows while it fails, and says once what is wrong.
"""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidURI

from duly.channels.formats import load_object
from duly.clock import Clock
from duly.errors import ChannelError, ChannelPermanentError, ChannelTemporaryError
from duly.ports.channels import Incoming

FIRST_PAUSE = 1.0
LONGEST_PAUSE = 60.0
TRIES = 5
"""How often a message is handed on again after it could not be handled; then it is given up for the others."""
_MAX_FRAME = 4 * 1024 * 1024
_PATIENCE = 20.0
_log = logging.getLogger("duly")

Take = Callable[[Incoming], Awaitable[None]]
"""Handles a message; raises if it could not, so that the vendor is asked for it again."""


class Pauses:
    """The pauses between tries: they double while the vendor fails, and begin anew once it works."""

    def __init__(self, vendor: str = "") -> None:
        self._vendor = vendor
        self._next = FIRST_PAUSE
        self.said: str | None = None
        """The failure that was logged last."""

    def reset(self) -> None:
        """Begin anew: the connection works."""
        self._next = FIRST_PAUSE
        if self.said is not None:
            self.said = None
            _log.info("%s: listening again", self._vendor)

    def take(self, asked: float | None) -> float:
        """Give the next pause, which is at least what the vendor asked for."""
        pause = max(self._next, asked or 0.0)
        self._next = min(2 * self._next, LONGEST_PAUSE)
        return pause


async def keep_listening(vendor: str, listen: Callable[[Pauses], Awaitable[None]], clock: Clock) -> None:
    """Call `listen` again and again, until cancelled or until the vendor refuses for good.

    `listen` returns when its connection ended as it should, and resets the pauses when one stands.
    """
    pauses = Pauses(vendor)
    while True:
        try:
            await listen(pauses)
        except ChannelPermanentError as error:
            _log.error("%s: duly does not hear what people write there: %s", vendor, error)
            return
        except Exception as error:
            asked = error.retry_after if isinstance(error, ChannelTemporaryError) else None
            reason = str(error) if isinstance(error, ChannelError) else f"{type(error).__name__}: {error}"
            pause = pauses.take(asked)
            if reason != pauses.said:
                _log.warning("%s: listening failed, going on in %g seconds: %s", vendor, pause, reason)
                pauses.said = reason
            await clock.sleep(pause)
        else:
            pauses.reset()


class HandOver:
    """Hands messages on, and gives one up that fails again and again."""

    def __init__(self, vendor: str, take: Take) -> None:
        self._vendor = vendor
        self._take = take
        self._tries = 0

    async def __call__(self, incoming: Incoming) -> None:
        """Hand a message on; a failure is raised until it has failed too often."""
        try:
            await self._take(incoming)
        except Exception:
            self._tries += 1
            if self._tries < TRIES:
                raise
            _log.exception(
                "%s: message %s could not be handled %d times and is given up",
                self._vendor,
                incoming.message_id,
                TRIES,
            )
        self._tries = 0


@asynccontextmanager
async def open_socket(vendor: str, url: str) -> AsyncIterator[ClientConnection]:
    """Open a WebSocket to a vendor; one that cannot be reached is a `ChannelTemporaryError`."""
    try:
        socket = await connect(url, max_size=_MAX_FRAME, open_timeout=_PATIENCE, close_timeout=1)
    except InvalidURI:
        raise ChannelPermanentError(f"{vendor}: the vendor named no WebSocket address") from None
    except (OSError, TimeoutError, InvalidHandshake) as error:
        raise ChannelTemporaryError(f"{vendor}: no connection ({type(error).__name__})") from None
    try:
        yield socket
    finally:
        await socket.close()


async def frames(vendor: str, socket: ClientConnection) -> AsyncIterator[dict[str, Any]]:
    """Give the objects that come in, until the vendor closes the connection."""
    try:
        async for frame in socket:
            yield load_object(vendor, frame)
    except ConnectionClosed:
        return


async def send_object(socket: ClientConnection, data: dict[str, Any]) -> None:
    """Send an object as JSON; a connection that is closed already is noticed where it is read."""
    try:
        await socket.send(json.dumps(data, separators=(",", ":")))
    except ConnectionClosed:
        return
