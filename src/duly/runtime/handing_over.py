"""What a process does about executors while its engine runs: it hands runs over, and watches over them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duly.clock import SystemClock
from duly.executors.calling import Calling, Threads, at_once
from duly.executors.dispatcher import ExecutorDispatcher
from duly.executors.watching import HandoverWatch, WatchLoop

if TYPE_CHECKING:
    from duly.runtime.runtime import Runtime


class HandingOver:
    """The dispatcher of executors and the watch over handovers, with the threads that both call executors in."""

    def __init__(self, runtime: Runtime) -> None:
        store = runtime.store
        self._threads = Threads()
        calling: Calling = self._threads if isinstance(runtime.clock, SystemClock) else at_once
        self.dispatcher = ExecutorDispatcher(
            store.handovers,
            store.history,
            runtime.clock,
            lambda: runtime.capabilities.executors,
            calling,
            emit=lambda event: runtime.engine.emit(event),
            admit=runtime.services.quotas.admit,
        )
        self.watch = HandoverWatch(
            store.handovers, runtime.clock, lambda: runtime.capabilities.executors, calling, wake=runtime.wake
        )
        self._loop = WatchLoop(self.watch, runtime.clock)

    def begin(self) -> None:
        """Start to watch."""
        self._loop.begin()

    async def stop(self) -> None:
        """End the watch; a call of an executor that still blocks ends by itself."""
        await self._loop.stop()
        self._threads.close()
