"""A tick by hand: carry out every run that is due, one after the other, in the order in which they fell due."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from datetime import datetime

from duly.clock import Clock
from duly.engine.membership import Membership
from duly.engine.planner import TickPlanner
from duly.engine.work import Work
from duly.errors import StoreUnavailableError
from duly.model.events import Event
from duly.model.ids import RandomBits
from duly.model.run import Status
from duly.planning.lease import pause_after
from duly.planning.places import Pool
from duly.ports.dispatch import Dispatcher
from duly.ports.observers import TickSpan
from duly.ports.records import Cycle, CycleResult, Settlement
from duly.ports.store import Store


def succeeded(settlements: Collection[Settlement], result: CycleResult) -> int:
    """Count the settled attempts that succeeded; not refused ones, since another node owns their runs."""
    return sum(each.status is Status.SUCCEEDED and each.run_id not in result.refused for each in settlements)


class ManualTick:
    """Joins as a node for the length of one tick, so that other engines rescue its runs if it crashes."""

    def __init__(
        self,
        store: Store,
        dispatcher: Dispatcher,
        clock: Clock,
        membership: Membership,
        work: Work,
        random_bits: RandomBits,
        take_events: Callable[[], list[Event]],
        put_back: Callable[[Collection[Settlement], list[Event]], None],
        finish: Callable[[], Awaitable[None]],
        correct: Callable[[datetime], Awaitable[None]],
    ) -> None:
        self._store = store
        self._dispatcher = dispatcher
        self._clock = clock
        self._membership = membership
        self._work = work
        self._random_bits = random_bits
        self._take_events = take_events
        self._put_back = put_back
        self._finish = finish
        self._correct = correct

    async def run(self, now: datetime, tick_span: TickSpan) -> int:
        """Carry out what is due; gives the number of runs that succeeded."""
        await self._membership.join(self._dispatcher.serves())
        try:
            with tick_span() as tell:
                due, ended_well = await self._one_by_one(now)
                tell(tasks_due=due, tasks_run=ended_well)
        except StoreUnavailableError:
            await self._write_outcomes()
            raise
        finally:
            await self._finish()  # also when the tick is cancelled while a run is under way
        return ended_well

    async def _one_by_one(self, now: datetime) -> tuple[int, int]:
        """Each turn settles the last run, plans the most overdue schedule and takes one run, in that order.

        Gives how many schedules were due, and how many runs succeeded.
        """
        handlers = sorted(self._dispatcher.serves())
        settlements: list[Settlement] = []
        due = 0
        ended_well = 0
        began = self._clock.now()
        while True:
            if not (node_id := self._membership.node_id):
                return due, ended_well  # the lease was lost: another node, or a later tick, does the rest
            asked_at = self._clock.boottime()
            wall = now + (self._clock.now() - began)
            if wall < now:  # the clock was set back meanwhile: it was ahead when the tick began
                now = wall
                began = self._clock.now()
            journal = self._take_events()
            turn = Cycle(
                node_id=node_id,
                now=now,
                settlements=settlements,
                planner=TickPlanner(now, [Pool(handlers=handlers, size=1)], self._random_bits),
                plan_limit=1,
                claim_limit=1,
                handlers=handlers,
                events=journal,
                asked_at=wall,
            )
            try:
                result = await self._store.cycle(turn)
            except BaseException:
                self._put_back(settlements, journal)
                raise
            due += result.planned
            ended_well += succeeded(settlements, result)
            if result.planned_ahead:  # then nothing was planned
                await self._correct(now + (self._clock.now() - began))
            elif not result.claimed and not result.planned:
                return due, ended_well
            if not self._membership.may_act_as(node_id, asked_at):
                return due, ended_well  # the answer is so old that another node may have taken over the claimed runs
            self._work.start(result.claimed, at_once=True)
            await self._work.wait(None)
            settlements = self._work.take_finished()

    async def _write_outcomes(self) -> None:
        """Record what has ended, once the store can be written again; give up when the lease is lost.

        The handler has done its work: if its outcome were lost, another engine would carry the run out again. Nothing
        new is claimed here; a claim whose answer got lost is handed back when the tick ends.
        """
        failures = 0
        while self._work.has_finished and (node_id := self._membership.node_id):
            settlements = self._work.take_finished()
            journal = self._take_events()
            try:
                await self._store.cycle(Cycle(node_id, self._clock.now(), settlements, events=journal))
            except BaseException as error:
                self._put_back(settlements, journal)
                if not isinstance(error, StoreUnavailableError):
                    raise
                failures += 1
                await self._clock.sleep(pause_after(failures))
