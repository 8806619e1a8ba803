"""Notifications to MCP clients that watch a schedule or a run, in both versions of the protocol.

A client may watch what it may read, named by its id. The older protocol (`resources/subscribe`) refuses anything else;
the newer one (`subscriptions/listen`) leaves it out of the acknowledgement.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterator
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

from duly.clock import Clock
from duly.errors import StoreError
from duly.mcp.schemas import Reminded
from duly.model.events import Event
from duly.operations.views import AnsweredView, BackfillView, DoneView
from duly.ports.store import Store
from duly.service.asking import AskEnded
from duly.service.schedules.fields import ReminderView, ScheduleView
from duly.service.schedules.run_views import RunView

MayWatch = Callable[[Any, str], Awaitable[bool]]
"""Whether the sender of a request may watch an address."""

StateOf = Callable[[str], Awaitable[object]]
"""Gives a value for an address that stays equal as long as the schedule or run does not change."""

_UPDATED = "notifications/resources/updated"
_PATIENCE = 2.0
_LOOK_EVERY = 1.0


async def _unknown(_uri: str) -> object:
    return None


class Watchers:
    """The clients that watch schedules and runs."""

    def __init__(self) -> None:
        self.bus = InMemorySubscriptionBus()
        self._listen = ListenHandler(self.bus)
        self._watching: dict[Any, set[str]] = {}
        """Watched addresses, by connection in the older protocol, by open stream in the newer one."""
        self._watched = asyncio.Event()
        """Set as soon as a client watches; `follow` clears it when none does."""
        self._notifying: set[asyncio.Task[None]] = set()
        self._seen: dict[str, object] = {}
        self.state_of: StateOf = _unknown
        """Needed only where other processes may change what is watched."""

    def serve(self, lowlevel: Any, may_watch: MayWatch) -> None:
        """Handle the subscription requests of a server's clients."""

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
            self._watched.set()
            try:
                return await self._listen(ctx, params.model_copy(update={"notifications": filtered}))
            finally:
                del self._watching[stream]

        lowlevel.add_request_handler("resources/subscribe", SubscribeRequestParams, subscribe)
        lowlevel.add_request_handler("resources/unsubscribe", UnsubscribeRequestParams, unsubscribe)
        lowlevel.add_request_handler("subscriptions/listen", SubscriptionsListenRequestParams, listen)

    def _of(self, ctx: Any) -> set[str]:
        """Give the addresses that the client of a request watches.

        They are kept by connection, because the session object lives no longer than the request.
        """
        connection = ctx.session._connection  # noqa: SLF001  the SDK has no public name for it
        if connection not in self._watching:
            self._watching[connection] = set()
            self._watched.set()
            connection.exit_stack.callback(self._watching.pop, connection, None)
        return self._watching[connection]

    async def changed(self, schedule_id: str, run_id: str | None = None) -> None:
        """Notify the clients that watch this schedule or this run."""
        for uri in (f"schedule://{schedule_id}", *([f"run://{run_id}"] if run_id else [])):
            if uri in self._seen:
                self._seen[uri] = await self.state_of(uri)
            await self._tell(uri)

    async def _tell(self, uri: str) -> None:
        await self.bus.publish(ResourceUpdated(uri=uri))
        for watcher in [each for each, wanted in self._watching.items() if uri in wanted]:
            with anyio.move_on_after(_PATIENCE):  # a client that does not read does not delay the others
                await watcher.notify(_UPDATED, {"uri": uri})

    def close(self) -> None:
        """End the streams of the newer protocol: they would stay open as long as their clients want."""
        self._listen.close()

    async def look(self) -> None:
        """Compare what is watched with what the clients know, and notify them of changes by other processes."""
        watched = set[str]().union(*self._watching.values())
        self._seen = {uri: state for uri, state in self._seen.items() if uri in watched}
        for uri in watched:
            state = await self.state_of(uri)
            before = self._seen.get(uri)
            self._seen[uri] = state
            if before != state:
                await self._tell(uri)

    async def follow(self, store: Store, clock: Clock) -> None:
        """Look every second for changes by other processes, until cancelled; without clients it rests."""
        self.state_of = lambda uri: _state_in(store, uri)
        while True:
            if not self._watching:
                self._watched.clear()
            await self._watched.wait()
            await clock.sleep(_LOOK_EVERY)
            try:
                await self.look()
            except StoreError:
                continue  # the engine meets the same error and logs it

    def hear(self, event: Event) -> None:
        """Notify the clients that watch the schedule or the run of an event."""
        if event.schedule_id is None:
            return
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:  # called in a thread: `follow` finds the change
            return
        self._begin(loop, self.changed(event.schedule_id, event.run_id))

    def heard(self, answered: AskEnded) -> None:
        """Notify the clients that watch what was changed through any face; who changed it does not wait for them."""
        if answered.operation.changes and self._watching:
            for schedule_id, run_id in dict.fromkeys(touched(answered.result)):
                self._begin(asyncio.get_running_loop(), self.changed(schedule_id, run_id))

    def _begin(self, loop: asyncio.AbstractEventLoop, notifying: Coroutine[Any, Any, None]) -> None:
        task = loop.create_task(notifying)
        self._notifying.add(task)  # the loop itself keeps only a weak reference
        task.add_done_callback(self._notifying.discard)


def touched(result: object) -> Iterator[tuple[str, str | None]]:
    """Give the schedules that the answer to a change shows, each with its run if that was changed."""
    match result:
        case ScheduleView() | ReminderView() | Reminded(id=str()):
            yield str(result.id), None
        case RunView():
            yield result.schedule_id, result.id
        case AnsweredView():
            yield result.job_id, result.run_id
        case DoneView():
            yield from (*touched(result.schedule), *touched(result.run))
        case BackfillView():
            yield from ((each.schedule_id, None) for each in result.items)


async def _state_in(store: Store, uri: str) -> object:
    kind, _, name = uri.partition("://")
    if kind == "schedule":
        row = await store.get(name)
        return None if row is None else (row.version, row.enabled, row.next_run_at, row.total_runs, row.deleted_at)
    run = await store.get_run(name)
    return None if run is None else (run.status, run.attempt, run.progress)


class _Stream:
    """An open stream of the newer protocol. The bus notifies it, so `notify` has nothing to do."""

    async def notify(self, _method: str, _params: object) -> None:
        pass
