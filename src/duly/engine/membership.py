"""A process among others: joining, beating, losing the lease, joining again under a fresh name, leaving."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress

from duly.clock import Clock
from duly.engine.heartbeat import Heart, HeartThread
from duly.engine.settings import EngineSettings
from duly.engine.waker import Waker, answered
from duly.errors import StoreError
from duly.model.ids import NODE, RandomBits, make_id
from duly.planning.lease import Lease
from duly.ports.records import NodeRecord
from duly.ports.store import Store
from duly.processes import pid_space, pid_started

Farewell = Callable[[float | None], Awaitable[None]]
"""Leaves for good; the store has so many seconds to answer, or as long as it takes."""


class Membership:
    """One node at a time: its id is fresh each time it joins, so that an old owner can never be mistaken for it."""

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
        self._thread: HeartThread | None = None
        self._task: asyncio.Task[None] | None = None
        self._between_beats: Waker | None = None
        self._heart: Heart | None = None
        self._beating = False
        self.stale = False
        """The store has to be told anew who we are and what we serve."""

    @property
    def node_id(self) -> str:
        return self._node.id if self._node is not None else ""

    async def join(self, handlers: Collection[str]) -> None:
        """Register under a fresh id and begin to beat."""
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
        )
        node, asked_at = self._node, self._clock.boottime()
        await self._register(node)
        self._start_beating(node.id, asked_at)

    async def renew(self, handlers: Collection[str]) -> None:
        """Tell the store who we are: the same node serving more, or a fresh one after the lease was lost."""
        if self._node is None or not self._beating:
            self._stop_beating()
            await self.join(handlers)
            return
        self._node.handlers = tuple(sorted(handlers))
        await self._register(self._node)

    async def _register(self, node: NodeRecord) -> None:
        self.stale = False  # before the call: whatever makes it stale meanwhile must not be overlooked
        try:
            await self._store.register(node)
        except BaseException:
            self.stale = True
            raise

    async def leave(self, keep: Collection[str] = (), within: float | None = None) -> Farewell:
        """Hand back what is left and go. A fresh node may join after that.

        With runs that cannot be stopped the old one stays and goes on beating; what is given sees it off. A store that
        does not answer `within` so many seconds is left without a word: others notice when the lease is over.
        """
        node, hush = self._node, self._let_go_of_the_heart()
        self._node = None

        async def go(within: float | None) -> None:
            try:
                if node is not None:
                    await answered(self._clock, lambda: self._store.deregister(node.id, self._clock.now()), within)
            finally:
                hush()

        if not keep:
            await go(within)
        elif node is not None:
            with suppress(StoreError):  # then all of it goes back at the end
                await answered(self._clock, lambda: self._store.deregister(node.id, self._clock.now(), keep), within)
        return go

    def may_act_as(self, node_id: str, asked_at: float) -> bool:
        """Whether we are still this node, and what the store said about it since `asked_at` can still be true.

        A machine that slept wakes up with leases that ran out meanwhile: until the heart has beaten again, nobody
        knows whether others took over.
        """
        return node_id == self.node_id and self._heart is not None and self._heart.may_act(asked_at)

    @property
    def is_leased(self) -> bool:
        """Whether the lease was renewed in time."""
        return bool(self.node_id) and self.may_act_as(self.node_id, self._clock.boottime())

    def lose(self, why: str) -> None:
        """Nothing that is under way is ours any more: others took us for dead, or the store is not ours to write."""
        if self._beating:
            self._lose(self.node_id, f"{self.node_id} {why}")

    def beat_now(self) -> None:
        """Do not wait for the next beat. One from a thread goes by real time, and is never far away."""
        if self._between_beats is not None:
            self._between_beats.wake()

    def _start_beating(self, node_id: str, joined_at: float) -> None:
        self._beating = True
        loop = asyncio.get_running_loop()

        def lost(why: str) -> None:
            if self._settings.threads:
                with suppress(RuntimeError):  # the loop was closed, and with it all that was under way
                    loop.call_soon_threadsafe(self._lose, node_id, why)
            else:
                self._lose(node_id, why)

        lease = Lease(self._settings.lease)
        heart = self._heart = Heart(self._store.pulse(), node_id, lease, self._clock, lost, joined_at)
        if self._settings.threads:
            self._thread = HeartThread(heart, self._watch)
            self._thread.start()
        else:
            self._between_beats = Waker(self._clock)
            self._task = loop.create_task(self._beat(heart, self._between_beats))

    async def _beat(self, heart: Heart, between_beats: Waker) -> None:
        try:
            while True:
                await between_beats.sleep(heart.every)
                heart.step()
                self._watch()
        finally:
            heart.close()

    def _lose(self, node_id: str, why: str) -> None:
        if node_id == self.node_id:
            self._beating = False
            self.stale = True
            self._on_lost(why)
            self._node = None

    def _stop_beating(self) -> None:
        self._let_go_of_the_heart()()

    def _let_go_of_the_heart(self) -> Callable[[], None]:
        """What is given stops it."""
        thread, task = self._thread, self._task
        self._beating, self._thread, self._task = False, None, None

        def hush() -> None:
            if thread is not None:
                thread.stop()
            if task is not None:
                task.cancel()

        return hush
