"""Telling those who watch a schedule or a run that it changed, in both eras of the protocol.

Whoever may not read something may not watch it either, and what is not named by its id would never be heard of: in
the older protocol the wish is refused, in the newer one the acknowledgement leaves it out.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import anyio
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ResourceUpdated
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INVALID_PARAMS,
    EmptyResult,
    SubscribeRequestParams,
    SubscriptionsListenRequestParams,
    SubscriptionsListenResult,
    UnsubscribeRequestParams,
)

MayWatch = Callable[[Any, str], Awaitable[bool]]
"""Whether the sender of a request may be told of an address."""

StateOf = Callable[[str], Awaitable[object]]
"""How what lies at an address stands: equal as long as nothing changed."""

_UPDATED = "notifications/resources/updated"
_PATIENCE = 2.0


async def _unknown(_uri: str) -> object:
    return None


class Watchers:
    """Who wants to know about what."""

    def __init__(self) -> None:
        self.bus = InMemorySubscriptionBus()
        self._listen = ListenHandler(self.bus)
        self._watching: dict[Any, set[str]] = {}
        """By connection in the older protocol, by open stream in the newer one."""
        self._seen: dict[str, object] = {}
        self.state_of: StateOf = _unknown
        """Looks at what is watched: needed only where other processes may change it."""

    def serve(self, lowlevel: Any, may_watch: MayWatch) -> None:
        """Answer the wishes of a server's clients."""

        async def subscribe(ctx: Any, params: SubscribeRequestParams) -> EmptyResult:
            if not await may_watch(ctx.request, str(params.uri)):
                raise MCPError(INVALID_PARAMS, f"there is no {params.uri}: schedules and runs are watched by id")
            self._seen[str(params.uri)] = await self.state_of(str(params.uri))
            self._of(ctx).add(str(params.uri))
            return EmptyResult()

        async def unsubscribe(ctx: Any, params: UnsubscribeRequestParams) -> EmptyResult:
            self._of(ctx).discard(str(params.uri))
            return EmptyResult()

        async def listen(ctx: Any, params: SubscriptionsListenRequestParams) -> SubscriptionsListenResult:
            wanted = params.notifications.resource_subscriptions or []
            allowed = [uri for uri in wanted if await may_watch(ctx.request, str(uri))]
            filtered = params.notifications.model_copy(update={"resource_subscriptions": allowed})
            for uri in allowed:
                self._seen[str(uri)] = await self.state_of(str(uri))
            stream = _Stream()
            self._watching[stream] = {str(uri) for uri in allowed}
            try:
                return await self._listen(ctx, params.model_copy(update={"notifications": filtered}))
            finally:
                del self._watching[stream]

        lowlevel.add_request_handler("resources/subscribe", SubscribeRequestParams, subscribe)
        lowlevel.add_request_handler("resources/unsubscribe", UnsubscribeRequestParams, unsubscribe)
        lowlevel.add_request_handler("subscriptions/listen", SubscriptionsListenRequestParams, listen)

    def _of(self, ctx: Any) -> set[str]:
        """What the client behind a request watches. Its session object lives no longer than the request."""
        connection = ctx.session._connection  # noqa: SLF001  the SDK offers no other way to what outlives a request
        if connection not in self._watching:
            self._watching[connection] = set()
            connection.exit_stack.callback(self._watching.pop, connection, None)
        return self._watching[connection]

    async def changed(self, schedule_id: str, run_id: str | None = None) -> None:
        """Tell everyone who watches one of these."""
        for uri in (f"schedule://{schedule_id}", *([f"run://{run_id}"] if run_id else [])):
            if uri in self._seen:
                self._seen[uri] = await self.state_of(uri)
            await self._tell(uri)

    async def _tell(self, uri: str) -> None:
        await self.bus.publish(ResourceUpdated(uri=uri))
        for watcher in [each for each, wanted in self._watching.items() if uri in wanted]:
            with anyio.move_on_after(_PATIENCE):  # whoever does not listen does not hold up the others
                await watcher.notify(_UPDATED, {"uri": uri})

    def close(self) -> None:
        """End the streams of the newer protocol, which would otherwise stay open as long as their clients like."""
        self._listen.close()

    async def look(self) -> None:
        """Tell of what others changed: called now and then, it compares what is watched with what was told of."""
        watched = set[str]().union(*self._watching.values())
        self._seen = {uri: state for uri, state in self._seen.items() if uri in watched}
        for uri in watched:
            state = await self.state_of(uri)
            before, self._seen[uri] = self._seen.get(uri), state
            if before != state:
                await self._tell(uri)


class _Stream:
    """A stream of the newer protocol; the bus serves it."""

    async def notify(self, _method: str, _params: object) -> None:
        pass
