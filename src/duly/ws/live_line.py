"""Live events on a WebSocket: `subscribe` begins to push them, `unsubscribe` ends it.

`{"event": "live", "payload": {"events": […]}}` goes out at most four times a second, with everything that is new.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from duly.errors import DulyError
from duly.service.access.scopes import Caller
from duly.service.live.feed import LiveFeed, Subscription

Send = Callable[[dict[str, Any]], Awaitable[None]]


class LiveLine:
    """The live events of one connection: it has one subscription at most."""

    def __init__(self, feed: LiveFeed, send: Send) -> None:
        self._feed = feed
        self._send = send
        self._subscription: Subscription | None = None
        self._pushing: asyncio.Task[None] | None = None

    async def subscribe(self, caller: Caller, topics: Sequence[str] | None, last_id: str | None) -> dict[str, Any]:
        """Begin to push events, in the place of a subscription that was there before; give the topics."""
        subscription = await self._feed.open(caller, topics=topics, last_id=last_id)
        await self.close()
        self._subscription = subscription
        self._pushing = asyncio.create_task(self._push(subscription))
        return {"topics": sorted(subscription.topics)}

    async def unsubscribe(self) -> dict[str, Any]:
        """Push no more events. Without a subscription it does nothing."""
        await self.close()
        return {"ok": True}

    async def close(self) -> None:
        """End the subscription. Idempotent."""
        if self._subscription is not None:
            self._subscription.close()
            self._subscription = None
        if self._pushing is not None:
            self._pushing.cancel()
            await asyncio.gather(self._pushing, return_exceptions=True)
            self._pushing = None

    async def _push(self, subscription: Subscription) -> None:
        while (batch := await subscription.next()) is not None:
            await self._send({"event": "live", "payload": {"events": [event.to_json() for event in batch.events]}})


class NoLiveLine(LiveLine):
    """The line of a conversation without a connection: it has nowhere to push events to."""

    def __init__(self) -> None:
        """Make it without a feed."""

    async def subscribe(self, caller: Caller, topics: Sequence[str] | None, last_id: str | None) -> dict[str, Any]:  # noqa: ARG002
        raise DulyError("there are no live events here: connect to /ws")

    async def unsubscribe(self) -> dict[str, Any]:
        return {"ok": True}
