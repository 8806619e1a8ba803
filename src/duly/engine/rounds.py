"""The rounds an engine makes beside its loop: rescue, cancellations, progress, claims in doubt, pruning."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from duly.clock import Clock
from duly.engine.membership import Membership
from duly.engine.settings import EngineSettings
from duly.engine.timekeeping import PruningGuard
from duly.engine.waker import Waker
from duly.engine.work import Work
from duly.errors import InvalidInputError, StoreError
from duly.planning.retry import is_poison
from duly.planning.upkeep import Pace
from duly.ports.codec import decode_policy
from duly.ports.dispatch import Dispatcher, Tending
from duly.ports.store import Store
from duly.ports.upkeep import PrunePlace

_AUDIT_LINKS = 1000  # at most, in a round
_SHORTEST_WAIT = 0.05  # seconds between two looks at a node that is doubted
_log = logging.getLogger("duly")


class Rounds:
    """What is looked after now and then rather than every turn."""

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
        """`settings` is asked each time: they may change while the engine runs."""
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
        self._in_doubt = False
        self._given_up = asyncio.Event()

    @property
    def due(self) -> bool:
        return self._hinted or self._in_doubt or self._work.has_notes

    @property
    def in_doubt(self) -> bool:
        """We may own runs that we know nothing of, or not own what we were given."""
        return self._in_doubt

    def start(self) -> None:
        loop = asyncio.get_running_loop()
        self._tasks = [
            loop.create_task(self._rescue_for_ever()),
            loop.create_task(self._prune_for_ever(PruningGuard(self._clock))),
        ]
        if isinstance(self._dispatcher, Tending):
            self._tasks.append(loop.create_task(self._tend_for_ever(self._dispatcher)))

    async def stop(self) -> None:
        tasks, self._tasks = self._tasks, []
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def hint(self) -> None:
        """Another process changed something."""
        self._hinted = True
        self._waker.wake()

    def doubt(self) -> None:
        """A transaction failed, and may have been committed all the same."""
        self._in_doubt = True

    async def look(self, *, adopt: bool = True) -> None:
        """Take up what we own without knowing, stop what somebody asked to stop, write progress down."""
        if self._in_doubt and adopt:
            await self._adopt()
        hinted, self._hinted = self._hinted, False  # before the call: another hint may come meanwhile
        if hinted and len(self._work):
            for run_id in await self._store.cancellations(self._membership.node_id):
                self._work.stop(run_id)
        for run_id, (fence, data) in self._work.take_notes().items():
            await self._store.progress(run_id, fence, data)

    async def _adopt(self) -> None:
        node_id, asked_at = self._membership.node_id, self._clock.boottime()
        adopted = await self._store.adopt(node_id, self._work.known())
        if self._membership.may_act_as(node_id, asked_at):
            self._in_doubt = False
            self._work.start(adopted)

    async def rescue(self) -> None:
        """Take back the runs of nodes that fell silent; after a long sleep of the machine that may be ourselves."""
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
        """Do not wait for the next look at who has fallen silent."""
        if self._tasks:
            self._between_rescues.wake()

    async def _rescue_for_ever(self) -> None:
        while True:
            wait, self._next_rescue = self._next_rescue, None
            await self._between_rescues.sleep(self._settings().lease / 2 if wait is None else wait)
            with _trying("rescue"):
                await self.rescue()
            self.hint()

    async def _prune_for_ever(self, guard: PruningGuard) -> None:
        while True:
            await self._clock.sleep(self._settings().prune_every)
            if not guard.is_believable():
                _log.info("the clock was set far ahead: nothing is forgotten for its age before the next round")
                continue
            with _trying("pruning"):
                await self.prune()
            self._given_up.set()

    async def prune(self) -> None:
        """Forget what is old, in batches small enough that nothing else has to wait for them."""
        now = self._clock.now()
        await self._store.audit.prune(now - self._settings().audit_retention, now, _AUDIT_LINKS)
        before = self._clock.now() - self._settings().retention
        place: PrunePlace | None = PrunePlace()
        pace = Pace()
        while place is not None:
            pruned = await self._store.prune(before, pace.rows, place)
            another_kind = pruned.go_on_at is not None and pruned.go_on_at.kind != place.kind
            pace = Pace() if another_kind else pace.after(pruned.seconds, pruned.rows)
            place = pruned.go_on_at
            if place is not None:
                await self._clock.sleep(pace.pause)

    async def _tend_for_ever(self, dispatcher: Tending) -> None:
        """In a task of its own: what is left behind may have to be told over a network that is slow."""
        self._given_up.set()  # whoever was here before us may not have got round to it
        while True:
            await self._given_up.wait()
            self._given_up.clear()
            with _trying("seeing to runs that were given up"):
                await dispatcher.tend()


@contextmanager
def _trying(what: str) -> Iterator[None]:
    """What fails now is tried again in the next round."""
    try:
        yield
    except StoreError:
        pass  # the loop meets the same fault, and says so
    except Exception:
        _log.exception("%s failed", what)


def _is_poison(policy: str, lost: int) -> bool:
    try:
        return is_poison(decode_policy(policy).retry, lost)
    except InvalidInputError:
        return True  # nobody could carry it out anyway
