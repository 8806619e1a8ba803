"""The node of an engine: it joins, renews its lease, joins again under a new id after a lost lease, and leaves."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress

from duly._version import __version__
from duly.clock import Clock
from duly.engine.heartbeat import Heartbeat, HeartbeatThread
from duly.engine.settings import EngineSettings
from duly.engine.waker import Waker, answered
from duly.errors import StoreError
from duly.model.ids import NODE, RandomBits, make_id
from duly.planning.lease import Lease
from duly.ports.records import NodeRecord
from duly.ports.store import Store
from duly.processes import pid_space, pid_started

Deregister = Callable[[float | None], Awaitable[None]]
"""Removes the node from the store, which has so many seconds to answer; None sets no limit."""


class Membership:
    """One node at a time, with a new id each time it joins: settlements of an old owner are never taken for its own."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        settings: EngineSettings,
        random_bits: RandomBits,
        on_lost: Callable[[str], None],
        watch: Callable[[], None],
    ) -> None:
        self._store = store
        self._clock = clock
        self._settings = settings
        self._random_bits = random_bits
        self._on_lost = on_lost
        self._watch = watch
        self._node: NodeRecord | None = None
        self._thread: HeartbeatThread | None = None
        self._task: asyncio.Task[None] | None = None
        self._between_beats: Waker | None = None
        self._heartbeat: Heartbeat | None = None
        self._beating = False
        self.stale = False
        """The store has to learn which node this is and which handlers it serves."""

    @property
    def node_id(self) -> str:
        return self._node.id if self._node is not None else ""

    async def join(self, handlers: Collection[str]) -> None:
        """Register under a new id and start the heartbeat."""
        pid = os.getpid()
        self._node = NodeRecord(
            id=make_id(NODE, self._clock.now(), self._random_bits),
            host=socket.gethostname(),
            pid=pid,
            pid_started=pid_started(pid) or "unknown",
            boot_id=pid_space(),
            lease_seconds=self._settings.lease,
            handlers=tuple(sorted(handlers)),
            started_at=self._clock.now(),
            version=__version__,
        )
        node = self._node
        asked_at = self._clock.boottime()
        await self._register(node)
        self._start_beating(node.id, asked_at)

    async def renew(self, handlers: Collection[str]) -> None:
        """Register again: the same node with other handlers, or a new one after the lease was lost."""
        if self._node is None or not self._beating:
            self._stop_beating()
            await self.join(handlers)
            return
        self._node.handlers = tuple(sorted(handlers))
        await self._register(self._node)

    async def _register(self, node: NodeRecord) -> None:
        self.stale = False  # before the call: a change during the call makes it stale again
        try:
            await self._store.register(node)
        except BaseException:
            self.stale = True
            raise

    async def leave(self, keep: Collection[str] = (), within: float | None = None) -> Deregister:
        """Hand back the runs of the node and deregister it. A new node may join after that.

        A node with runs to `keep`, which cannot be stopped, stays and goes on beating until the caller calls the
        function that this gives. If the store does not answer `within` so many seconds, the node is left in it: other
        engines notice when its lease has expired.
        """
        node = self._node
        stop_beating = self._release_heartbeat()
        self._node = None

        async def deregister(within: float | None) -> None:
            try:
                if node is not None:
                    await answered(self._clock, lambda: self._store.deregister(node.id, self._clock.now()), within)
            finally:
                stop_beating()

        if not keep:
            await deregister(within)
        elif node is not None:
            with suppress(StoreError):  # then all its runs are handed back at the end
                await answered(self._clock, lambda: self._store.deregister(node.id, self._clock.now(), keep), within)
        return deregister

    def may_act_as(self, node_id: str, asked_at: float) -> bool:
        """Say whether this is still that node, and an answer of the store about it since `asked_at` still holds.

        After a machine slept, the leases of its nodes may have expired: until the next beat it is unknown whether other
        nodes took over.
        """
        return node_id == self.node_id and self._heartbeat is not None and self._heartbeat.may_act(asked_at)

    @property
    def is_leased(self) -> bool:
        """Whether the lease was renewed in time."""
        return self._node is not None and self._heartbeat is not None and self._heartbeat.may_act()

    def lose(self, why: str) -> None:
        """Give up everything under way: other nodes took this one for dead, or it may not write to the store."""
        if self._beating:
            self._lose(self.node_id, f"{self.node_id} {why}")

    def beat_now(self) -> None:
        """Beat at once. A heartbeat in a thread goes by real time and comes soon by itself."""
        if self._between_beats is not None:
            self._between_beats.wake()

    def beat_closely(self) -> None:
        """Beat often for a while: a run begins that is suspected of ending its process."""
        if self._heartbeat is not None:
            self._heartbeat.beat_closely()
        if self._thread is not None:
            self._thread.wake()
        self.beat_now()

    def _start_beating(self, node_id: str, joined_at: float) -> None:
        self._beating = True
        loop = asyncio.get_running_loop()

        def lost(why: str) -> None:
            if self._settings.threads:
                with suppress(RuntimeError):  # the event loop was closed, and with it everything under way
                    loop.call_soon_threadsafe(self._lose, node_id, why)
            else:
                self._lose(node_id, why)

        lease = Lease(self._settings.lease)
        heartbeat = Heartbeat(
            pulse=self._store.pulse(),
            node_id=node_id,
            lease=lease,
            clock=self._clock,
            on_lost=lost,
            joined_at=joined_at,
        )
        self._heartbeat = heartbeat
        if self._settings.threads:
            self._thread = HeartbeatThread(heartbeat, self._watch)
            self._thread.start()
        else:
            self._between_beats = Waker(self._clock)
            self._task = loop.create_task(self._beat(heartbeat, self._between_beats))

    async def _beat(self, heartbeat: Heartbeat, between_beats: Waker) -> None:
        try:
            while True:
                await between_beats.sleep(heartbeat.every)
                heartbeat.step()
                self._watch()
        finally:
            heartbeat.close()

    def _lose(self, node_id: str, why: str) -> None:
        if node_id == self.node_id:
            self._beating = False
            self.stale = True
            self._on_lost(why)
            self._node = None

    def _stop_beating(self) -> None:
        self._release_heartbeat()()

    def _release_heartbeat(self) -> Callable[[], None]:
        """Let a new node have its own heartbeat; gives a function that stops the present one."""
        thread = self._thread
        task = self._task
        self._thread = None
        self._task = None
        self._beating = False

        def stop() -> None:
            if thread is not None:
                thread.stop()
            if task is not None:
                task.cancel()

        return stop
