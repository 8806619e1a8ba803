"""Telling those who watch a schedule or a run that it changed, in both eras of the protocol."""

from __future__ import annotations

import contextlib
from typing import Any
from weakref import WeakKeyDictionary

from mcp.server.subscriptions import InMemorySubscriptionBus, ResourceUpdated
from mcp.types import EmptyResult, SubscribeRequestParams, UnsubscribeRequestParams


class Watchers:
    """Who wants to know about what."""

    def __init__(self) -> None:
        self.bus = InMemorySubscriptionBus()
        self._sessions: WeakKeyDictionary[Any, set[str]] = WeakKeyDictionary()

    async def subscribe(self, ctx: Any, params: SubscribeRequestParams) -> EmptyResult:
        """`resources/subscribe` of the older protocol."""
        self._sessions.setdefault(ctx.session, set()).add(str(params.uri))
        return EmptyResult()

    async def unsubscribe(self, ctx: Any, params: UnsubscribeRequestParams) -> EmptyResult:
        self._sessions.get(ctx.session, set()).discard(str(params.uri))
        return EmptyResult()

    async def changed(self, schedule_id: str, run_id: str | None = None) -> None:
        """Tell everyone who watches one of these."""
        for uri in (f"schedule://{schedule_id}", *([f"run://{run_id}"] if run_id else [])):
            await self.bus.publish(ResourceUpdated(uri=uri))
            for session, wanted in list(self._sessions.items()):
                if uri in wanted:
                    with contextlib.suppress(Exception):  # whoever has gone away misses nothing
                        await session.send_resource_updated(uri)
