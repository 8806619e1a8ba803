"""How executors are called: they block on the network, so each call is in a thread."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol, TypeVar

T = TypeVar("T")
_MOST_AT_ONCE = 32


class Calling(Protocol):
    """Carries out one call of an executor."""

    async def __call__(self, work: Callable[[], T]) -> T: ...


class Threads:
    """Calls in threads of their own: a broker that does not answer keeps nothing else from getting one."""

    def __init__(self) -> None:
        self._threads: ThreadPoolExecutor | None = None

    async def __call__(self, work: Callable[[], T]) -> T:
        if self._threads is None:
            self._threads = ThreadPoolExecutor(_MOST_AT_ONCE, thread_name_prefix="duly-executor")
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    def close(self) -> None:
        """Give the threads up; a call that still blocks ends by itself."""
        if self._threads is not None:
            self._threads.shutdown(wait=False, cancel_futures=True)
            self._threads = None


async def at_once(work: Callable[[], T]) -> T:
    """Call in the event loop: on virtual time, which no thread may wait for."""
    return work()
