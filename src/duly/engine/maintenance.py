"""The maintenance of an engine, beside its loop: rescue, cancellations, progress, uncertain claims, pruning."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime

from duly.clock import Clock
from duly.engine.membership import Membership
from duly.engine.settings import EngineSettings
from duly.engine.timekeeping import PruningGuard
from duly.engine.waker import Waker
from duly.engine.work import Work
from duly.errors import InvalidInputError, StoreError
from duly.planning.poison import is_poison
from duly.ports.codec import decode_policy
from duly.ports.dispatch import Dispatcher, Tending
from duly.ports.store import Store
from duly.ports.upkeep import Pruned, PrunePlace

_AUDIT_LINKS = 1000  # pruned at most at a time
_HINT_WAITS = 1.0  # seconds at most between a hint and looking for cancelled runs
_SHORTEST_WAIT = 0.05  # seconds between two checks of a node that is doubted
LONGEST_HOLD = 0.05
"""Seconds for which a batch of pruning may keep others from writing."""
_AIM = 0.006  # as short as a turn at a busy processor: a longer batch may be interrupted while it holds the lock
_FIRST_ROWS = 100
_LEAST_ROWS = 10
_MOST_ROWS = 2000
_GROWTH = 2.0
_SHORTEST_PAUSE = 0.02
_PAUSE_PER_SECOND_HELD = 4.0
_log = logging.getLogger("duly")


class Maintenance:
    """The work of an engine that comes now and then rather than every turn."""

    def __init__(
        self,
        store: Store,
        dispatcher: Dispatcher,
        clock: Clock,
        settings: Callable[[], EngineSettings],
        membership: Membership,
        work: Work,
        waker: Waker,
    ) -> None:
        """`settings` is called each time: they may change while the engine runs."""
        self._store = store
        self._dispatcher = dispatcher
        self._clock = clock
        self._settings = settings
        self._membership = membership
        self._work = work
        self._waker = waker
        self._tasks: list[asyncio.Task[None]] = []
        self._between_rescues = Waker(clock)
        self._next_rescue: float | None = None
        self._hinted = False
        self._looked_at = clock.monotonic()
        self.is_uncertain = False
        """Whether this node may own runs that it does not know of, or not own runs that it claimed."""
        self._given_up = asyncio.Event()

    def is_due(self, *, more_to_plan: bool) -> bool:
        """Say whether there is something to look after. While turns follow each other at once, a hint may wait: when
        very many runs begin, an answer of the store takes as long as all of them.
        """
        if self.is_uncertain or self._work.has_notes:
            return True
        return self._hinted and not (more_to_plan and self._clock.monotonic() - self._looked_at < _HINT_WAITS)

    def start(self) -> None:
        loop = asyncio.get_running_loop()
        self._tasks = [
            loop.create_task(self._rescue_forever()),
            loop.create_task(self._prune_forever(PruningGuard(self._clock))),
        ]
        if isinstance(self._dispatcher, Tending):
            self._tasks.append(loop.create_task(self._tend_forever(self._dispatcher)))

    async def stop(self) -> None:
        tasks = self._tasks
        self._tasks = []
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def hint(self) -> None:
        """Look for cancellations at the next turn: another process changed the store."""
        self._hinted = True
        self._waker.wake()

    def mark_uncertain(self) -> None:
        """Ask the store at the next turn which runs this node owns: a failed transaction may have been committed."""
        self.is_uncertain = True

    async def work_off(self, *, adopt: bool = True) -> None:
        """Adopt runs that this node owns without knowing, stop runs that a caller cancelled, record progress."""
        if self.is_uncertain and adopt:
            await self._adopt()
        hinted = self._hinted
        self._hinted = False  # before the call: another hint may come meanwhile
        self._looked_at = self._clock.monotonic()
        if hinted and len(self._work):
            for run_id in await self._store.cancellations(self._membership.node_id):
                self._work.stop(run_id)
        for run_id, (fence, data) in self._work.take_notes().items():
            await self._store.progress(run_id, fence, data)

    async def _adopt(self) -> None:
        node_id = self._membership.node_id
        asked_at = self._clock.boottime()
        adopted = await self._store.adopt(node_id, self._work.known())
        if self._membership.may_act_as(node_id, asked_at):
            self.is_uncertain = False
            self._work.start(adopted)

    async def rescue(self) -> None:
        """Take over the runs of nodes whose lease has expired; after a sleep of the machine, of this one, too."""
        found = await self._store.rescue(self._clock.now(), _is_poison)
        doubted = [each.look_again_in for each in found if each.look_again_in is not None]
        self._next_rescue = min([self._settings().lease / 2, *(max(each, _SHORTEST_WAIT) for each in doubted)])
        rescued = [each for each in found if each.look_again_in is None]
        if any(each.node_id == self._membership.node_id for each in rescued):
            self._membership.lose("was taken for dead")
        if rescued:
            self._waker.wake()
        if any(each.dead for each in rescued):
            self._given_up.set()

    def rescue_now(self) -> None:
        """Look for expired leases at once."""
        if self._tasks:
            self._between_rescues.wake()

    async def _rescue_forever(self) -> None:
        while True:
            wait = self._next_rescue
            self._next_rescue = None
            await self._between_rescues.sleep(self._settings().lease / 2 if wait is None else wait)
            with _trying("rescue"):
                await self.rescue()
            self.hint()

    async def _prune_forever(self, guard: PruningGuard) -> None:
        while True:
            await self._clock.sleep(self._settings().prune_every)
            if not guard.is_believable():
                _log.info("the clock was set far ahead: nothing is pruned until the next time")
                continue
            with _trying("pruning"):
                await self.prune()
            self._given_up.set()

    async def prune(self) -> None:
        """Prune what is old, in batches so small that other writers wait for a moment at most."""
        now = self._clock.now()
        await self._store.audit.prune(now - self._settings().audit_retention, now, _AUDIT_LINKS)
        async for _batch in prune_round(self._store, self._clock, now - self._settings().retention):
            pass

    async def _tend_forever(self, dispatcher: Tending) -> None:
        """Let the dispatcher finish runs that were given up.

        In its own task: the dispatcher may have to tell people over a slow network.
        """
        self._given_up.set()  # an engine that ran before this one may have died before it did so
        while True:
            await self._given_up.wait()
            self._given_up.clear()
            with _trying("finishing runs that were given up"):
                await dispatcher.tend()


@dataclass(frozen=True, slots=True)
class PrunePace:
    """How many rows the next batch of pruning may delete, and how many seconds to pause before it.

    A store may have one write lock for all processes. So each batch is measured, and the next one is made as large as
    fits the time for which others may wait; the pause lets them write.
    """

    rows: int = _FIRST_ROWS
    pause: float = _SHORTEST_PAUSE

    def after(self, seconds: float, deleted: int) -> PrunePace:
        """Give the pace after a batch that kept others waiting for so long and deleted so many rows.

        Only a full batch shows how many rows fit: rows that were passed over cost next to nothing.
        """
        pause = max(_SHORTEST_PAUSE, _PAUSE_PER_SECOND_HELD * seconds)
        fits = min(_GROWTH, _AIM / seconds) if seconds > 0 else _GROWTH
        if fits > 1 and deleted < self.rows:
            return replace(self, pause=pause)
        return PrunePace(min(_MOST_ROWS, max(_LEAST_ROWS, round(self.rows * fits))), pause)


async def prune_round(store: Store, clock: Clock, before: datetime) -> AsyncIterator[Pruned]:
    """Prune what is from before a time, to the end; gives each batch, after its pause."""
    place: PrunePlace | None = PrunePlace()
    pace = PrunePace()
    while place is not None:
        pruned = await store.prune(before, pace.rows, place)
        another_kind = pruned.go_on_at is not None and pruned.go_on_at.kind != place.kind
        pace = PrunePace() if another_kind else pace.after(pruned.seconds, pruned.rows)
        place = pruned.go_on_at
        if place is not None:
            await clock.sleep(pace.pause)
        yield pruned


@contextmanager
def _trying(what: str) -> Iterator[None]:
    """Log a failure: the work is tried again the next time."""
    try:
        yield
    except StoreError:
        pass  # the engine's loop meets the same fault, and tells it
    except Exception:
        _log.exception("%s failed", what)


def _is_poison(policy: str, lost: int) -> bool:
    try:
        return is_poison(decode_policy(policy).retry, lost)
    except InvalidInputError:
        return True  # no engine could carry it out anyway
