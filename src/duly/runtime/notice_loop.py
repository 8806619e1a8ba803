"""The loop that tells people how runs ended: see `duly.service.notices`."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from duly.clock import Clock
from duly.delivery.sending import InboxChannel, Sender
from duly.engine.waker import Waker
from duly.errors import StoreError
from duly.model.events import NODE_LOST, RUN_ANSWERED, RUN_DEAD, RUN_FAILED, Event
from duly.ports.notices import Notice, Notices
from duly.ports.reading import DELIVERIES, working_for
from duly.ports.reminders import Reminder
from duly.runtime.links import link_to
from duly.service.notices.digests import DigestWriter
from duly.service.notices.finding import NoticeFinder
from duly.service.notices.recipients import Recipients
from duly.service.notices.sending import NoticeParts, NoticeSender

if TYPE_CHECKING:
    from duly.runtime.runtime import Runtime

T = TypeVar("T")
LOOK_EVERY = 30.0
"""Seconds between two looks for schedules that work again, while one has failed: no event says so."""
_AFTER_NEWS = 1.0  # seconds: one look serves many runs that end at once
_LONGEST_SLEEP = 600.0
"""Another process may have kept a reminder for a digest, and be gone when that is due."""
_GRACE = 10.0
"""Seconds for which a stop waits for a message on its way."""
_LAST_WRITES = 5.0
"""Seconds for which it then waits until the store knows that the message has to leave again."""
_log = logging.getLogger("duly")


class NoticeLoop:
    """Finds and sends notices while the engine of a process runs."""

    def __init__(self, clock: Clock, finder: NoticeFinder, sender: NoticeSender, notices: Notices) -> None:
        self._clock = clock
        self._notices = notices
        self._finder = finder
        self._sender = sender
        self._waker = Waker(clock)
        self._task: asyncio.Task[None] | None = None
        self._stopping = False
        self._is_looking = False
        self._has_news = False

    async def begin(self) -> None:
        """Start the loop."""
        await self._finder.begin()
        with working_for(DELIVERIES):
            self._task = asyncio.get_running_loop().create_task(self._for_ever(), name="duly-notices")

    async def stop(self) -> None:
        """End the loop. A message on its way may arrive first; one that is cut off is sent again after the restart."""
        task = self._task
        self._task = None
        if task is None:
            return
        self._stopping = True
        if self._is_looking:
            await asyncio.wait({task}, timeout=_GRACE)
        if not task.done() and self._is_looking:
            self._sender.cut_off()
            await asyncio.wait({task}, timeout=_LAST_WRITES)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        self._stopping = False

    def hear(self, event: Event) -> None:
        """Look soon: a run ended that may need a notice, or a node was lost that may have been sending one."""
        if event.kind is NODE_LOST:
            self._waker.wake()
        elif event.kind in (RUN_ANSWERED, RUN_FAILED, RUN_DEAD):
            self._has_news = True
            self._waker.wake()

    async def keep(self, reminder: Reminder, notice: Notice) -> Reminder | None:
        """Keep a reminder for a digest, and look when that is due."""
        written = await self._notices.gather(reminder, notice)
        self._waker.wake()
        return written

    async def look(self) -> float:
        """Find and send what there is; returns how many seconds to wait for the next."""
        await self._finder.find()
        due = await self._sender.send_due(lambda: not self._stopping)
        longest = LOOK_EVERY if await self._finder.has_open() else _LONGEST_SLEEP
        left = longest if due is None else (due - self._clock.now()).total_seconds()
        return min(max(left, 0.0), longest)

    async def after(self, work: Callable[[], Awaitable[T]]) -> T:
        """Do some work, and then find and send once: for a process that does not stay."""
        await self._finder.begin()
        done = await work()
        await self.look()
        return done

    async def _for_ever(self) -> None:
        while not self._stopping:
            wait = LOOK_EVERY
            self._is_looking = True
            try:
                wait = await self.look()
            except StoreError:
                pass  # the engine meets the same error and logs it
            except Exception:
                _log.exception("telling people how runs ended failed; it is tried again")
            self._is_looking = False
            if not self._stopping:
                await self._waker.sleep(wait)
            if self._has_news:
                await self._clock.sleep(_AFTER_NEWS)
                self._has_news = False


def make_notice_loop(runtime: Runtime) -> NoticeLoop:
    """Make the loop of a runtime."""
    store = runtime.store
    clock = runtime.clock
    sender = NoticeSender(
        store,
        clock,
        Sender(
            reminders=store.reminders,
            inbox=InboxChannel(store.reminders, clock),
            channels=runtime.channels,
            clock=clock,
            emit=runtime.tell,
        ),
        NoticeParts(
            settings=lambda: runtime.settings.notify,
            default_zone=runtime.zone,
            link=lambda run_id: _link(runtime.settings.public_url, run_id),
            digests=DigestWriter(store, link_to(runtime), runtime.settings.digest_at, runtime.settings.snoozes),
            emit=runtime.tell,
            node_id=lambda: runtime.engine.node_id or None,
        ),
    )
    recipients = Recipients(store.people, runtime.channel_names)
    return NoticeLoop(
        clock, NoticeFinder(store, clock, recipients, lambda: runtime.settings.notify), sender, store.notices
    )


def _link(public_url: str | None, run_id: str) -> str | None:
    return None if public_url is None else f"{public_url.rstrip('/')}/runs/{run_id}"
