"""The loop that puts schedules to rest and wakes them: see `duly.service.schedules.resting`."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from duly.engine.waker import Waker
from duly.errors import StoreError
from duly.model.events import RUN_FAILED, RUN_RETRYING, Event
from duly.service.schedules.resting import Review

if TYPE_CHECKING:
    from duly.runtime.runtime import Runtime

LOOK_EVERY = 30.0
_AFTER_FAILURE = 1.0  # seconds: one look serves many failures that come at once
_log = logging.getLogger("duly")


class ReviewLoop:
    """Checks whether the folders, programs and jobs that schedules need are here.

    It checks every schedule before the engine begins, and again whenever one of them went missing; in between only
    schedules that rest and those whose runs failed.
    """

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._waker = Waker(runtime.clock)
        self._failed: set[str] = set()
        self._look_at_all = False
        self._task: asyncio.Task[None] | None = None
        self._review = Review(
            runtime.store,
            runtime.clock,
            lambda action: runtime.capabilities.missing(action),
            lambda action: runtime.capabilities.needs(action),
            own_node=lambda: runtime.engine.node_id,
        )

    async def begin(self) -> None:
        """Check every schedule, and start the loop."""
        await self.look_at_all()
        self._task = asyncio.get_running_loop().create_task(self._for_ever(), name="duly-review")

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None

    def hear(self, event: Event) -> None:
        """Check the schedule of a failed run soon: a folder or program may have gone missing."""
        if event.kind in (RUN_FAILED, RUN_RETRYING) and event.schedule_id is not None:
            self._failed.add(event.schedule_id)
            self._waker.wake()

    def look_at_all_soon(self) -> None:
        """Check every schedule soon: the settings have changed."""
        self._look_at_all = True
        self._waker.wake()

    async def look_at_all(self) -> None:
        """Check every schedule now."""
        self._look_at_all = True
        await self.look()

    async def look(self) -> None:
        """Check schedules that rest or failed; every schedule if something went missing since the last look."""
        failed = self._failed
        self._failed = set()  # before the first await: later failures count for the next look
        self._look_at_all |= self._see_what_is_here()
        if self._look_at_all:
            changed = await self._review.look_at_all()
            self._look_at_all = False
        else:
            changed = await self._review.look_at_resting() + await self._review.look_at(failed)
        if changed:
            self._runtime.wake()

    def _see_what_is_here(self) -> bool:
        """Whether a folder, program or job went missing. Tells other nodes of every change."""
        changed, lost = self._runtime.capabilities.look_again()
        if changed and self._runtime.engine.running:
            self._runtime.engine.serves_more()
        return lost

    async def _for_ever(self) -> None:
        while True:
            await self._waker.sleep(LOOK_EVERY)
            if self._failed:
                await self._runtime.clock.sleep(_AFTER_FAILURE)
            try:
                await self.look()
            except StoreError:
                pass  # the engine meets the same error and logs it
            except Exception:
                _log.exception("the check of resting schedules failed")
