"""The start of a daemon whose database server is away.

Until the store answers for the first time, health is red (`Starting` answers), and it tries again: `wait_for_store`.
If the server goes away between that and the start of the engine, only the engine waits: `EngineStart`.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from duly.errors import DulyError, StoreUnavailableError
from duly.planning.lease import pause_after
from duly.processes import until_asked_to_stop
from duly.runtime.runtime import Runtime
from duly.server.starting import Starting
from duly.stores import is_server

_log = logging.getLogger("duly")


async def wait_for_store(
    runtime: Runtime,
    starting: Starting,
    *,
    fault: StoreUnavailableError,
    say: Callable[[str], None],
    make_ready: Callable[[], Awaitable[None]],
) -> bool:
    """Try to make the daemon ready until its store answers; false when the daemon was asked to stop before that.

    `fault` is the error of the first try.
    """
    say(f"waiting for the store: {fault}")
    say("health is red until it answers; with --no-wait duly up ends instead")
    starting.blame("the store is unavailable")  # no more: who asks cannot show a token yet
    failures = 1
    stop = asyncio.ensure_future(until_asked_to_stop())
    try:
        while not stop.done():
            await _ends_before(stop, runtime.clock.sleep(pause_after(failures)))
            try:
                if await _ends_before(stop, make_ready()):
                    starting.blame(None)
                    return True
            except StoreUnavailableError:
                failures += 1
    finally:
        stop.cancel()
        await asyncio.gather(stop, return_exceptions=True)
    return False


async def _ends_before(stop: asyncio.Future[None], going: Any) -> bool:
    """Whether something ended before the daemon was asked to stop; otherwise cancel it."""
    task = asyncio.ensure_future(going)
    await asyncio.wait({stop, task}, return_when=asyncio.FIRST_COMPLETED)
    if task.done():
        task.result()
        return True
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    return False


class EngineStart:
    """Starts the engine of a daemon, later if its server is away; `call_off` when the daemon is asked to stop."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._task: asyncio.Task[None] | None = None
        self._called_off = False
        self.is_open = False
        """Whether what callers without a token made may run: with `--no-auth`, once the store has noted that."""

    async def begin(self) -> None:
        """Start the engine.

        A database server that went away since the store was opened does not end the daemon: the engine starts when the
        server answers again, and until then health is red. Waiting does not repair a file: its errors are raised.
        """
        if self._called_off:
            return
        self._task = asyncio.create_task(self._start(), name="duly-start")
        try:
            await self._task
        except asyncio.CancelledError:
            if not self._called_off:
                raise
        except StoreUnavailableError as error:
            if not is_server(self._runtime.store.url):
                raise
            _log.warning("nothing is carried out here for now: %s", error)
            if not self._called_off:
                self._task = asyncio.create_task(self._try_again(), name="duly-start")

    def call_off(self) -> None:
        """Start nothing from now on: a start that waits for the server would delay the stop."""
        self._called_off = True
        if self._task is not None:
            self._task.cancel()

    async def end(self) -> None:
        """Call the start off, and wait until nothing of it runs. Idempotent."""
        self.call_off()
        if self._task is not None:
            await asyncio.gather(self._task, return_exceptions=True)

    async def _start(self) -> None:
        is_open = self._runtime.services.tokens.is_closed
        await self._runtime.services.tokens.note_mode(is_open=is_open)  # before anything runs
        self.is_open = is_open
        await self._runtime.start_engine()

    async def _try_again(self) -> None:
        failures = 1
        while not self._runtime.engine.running:
            await self._runtime.clock.sleep(pause_after(failures))
            failures += 1
            try:
                await self._start()
            except StoreUnavailableError:
                pass  # logged by `begin`
            except DulyError as error:
                _log.error("the engine cannot start, and tries again: %s", error)
