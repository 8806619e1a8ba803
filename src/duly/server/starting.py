"""How a daemon begins to carry out, although its database server may be away just then."""

from __future__ import annotations

import asyncio
import logging

from duly.errors import DulyError, StoreUnavailableError
from duly.planning.lease import pause_after
from duly.runtime.runtime import Runtime
from duly.stores import is_server

_log = logging.getLogger("duly")


class Starting:
    """Starts the engine of a daemon, if need be later; called off when the daemon is asked to stop before that."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._task: asyncio.Task[None] | None = None
        self._called_off = False

    async def begin(self) -> None:
        """Start the engine.

        A database server that went away since the store was opened does not end the daemon: the engine starts when the
        server answers again, and until then health is red. What is wrong with a file does not pass by waiting.
        """
        if self._called_off:
            return
        self._task = asyncio.create_task(self._runtime.start_engine(), name="duly-start")
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
        """Begin nothing any more: a start that waits for the server's answer would hold up the stop."""
        self._called_off = True
        if self._task is not None:
            self._task.cancel()

    async def end(self) -> None:
        """Idempotent; nothing is begun after this."""
        self.call_off()
        if self._task is not None:
            await asyncio.gather(self._task, return_exceptions=True)

    async def _try_again(self) -> None:
        failures = 1
        while not self._runtime.engine.running:
            await self._runtime.clock.sleep(pause_after(failures))
            failures += 1
            try:
                await self._runtime.start_engine()
            except StoreUnavailableError:
                pass  # as before
            except DulyError as error:
                _log.error("the engine cannot start, and tries again: %s", error)
