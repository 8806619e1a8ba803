"""The watch over handovers: it ends what is over or lasts too long, and finds out what no worker reported.

Every node watches. Each decision is made again within the transaction that writes it, so that several nodes that see
the same do it once.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from duly.clock import Clock
from duly.errors import ExecutorUnreachableError, InvalidInputError, NotFoundError, StoreError
from duly.executors.calling import Calling
from duly.executors.terms import Executors
from duly.model.events import ENGINE_RESUMED, RUN_NOT_BEGUN, STORE_RECOVERED, STORE_UNAVAILABLE, Event
from duly.model.handover import Handover, HandoverKey, HandoverState
from duly.planning import handovers as planning
from duly.planning.handovers import Refusal, Revised, RunStanding
from duly.ports.executors import Executor, Handovers, Sighting, Watched

LOOK_EVERY = 5.0
_WITHOUT_EXECUTORS = 30.0
"""Seconds until a process without executors looks whether its settings have some."""
_BATCH = 500
_MOST_BATCHES = 20
"""In one look: what is left waits for the next one, which comes at once."""
_LOST_QUEUES_EVERY = 15.0
_DEAF_AFTER = timedelta(seconds=3 * LOOK_EVERY)
"""A process that has not looked for so long may not have listened either."""
_JUMP = timedelta(seconds=2)
"""The wall clock and the monotonic clock part by more than this when one was set, or the machine slept."""
_DEAF = frozenset({STORE_UNAVAILABLE, STORE_RECOVERED, ENGINE_RESUMED})
_log = logging.getLogger("duly")


@dataclass(slots=True)
class Hearing:
    """Since when signs of life would have been heard and written down."""

    since: datetime
    last_wall: datetime
    last_monotonic: float
    was_deaf: bool = False
    """Something went wrong since it was looked at last."""

    def note(self, wall: datetime, monotonic: float) -> None:
        """Note that it can hear now; leases begin anew after a fault, after a gap and after a jump of the clock."""
        passed = timedelta(seconds=monotonic - self.last_monotonic)
        if self.was_deaf or passed > _DEAF_AFTER or abs(wall - self.last_wall - passed) > _JUMP:
            self.since = wall
        self.was_deaf = False
        self.last_wall = wall
        self.last_monotonic = monotonic


@dataclass(slots=True)
class Listened:
    """What the watch remembers about one executor between two looks."""

    hearing: Hearing
    looked_for_losses: float
    """When it last looked for messages that were lost with their queue, by the monotonic clock."""
    after: dict[bool, HandoverKey | None] = field(default_factory=dict)
    """How far it has come with what has begun, and with what has not."""


class HandoverWatch:
    """Looks at the open handovers of the executors of this process."""

    def __init__(
        self,
        handovers: Handovers,
        clock: Clock,
        executors: Callable[[], Executors],
        calling: Calling,
        wake: Callable[[], None] = lambda: None,
    ) -> None:
        """`wake` makes the engine of this process look at once, because runs have become due."""
        self._handovers = handovers
        self._clock = clock
        self._executors = executors
        self._calling = calling
        self._wake = wake
        self._known: dict[str, Listened] = {}

    @property
    def names(self) -> list[str]:
        """The executors of this process."""
        return list(self._executors().settings)

    async def look(self) -> None:
        """Look at everything once."""
        await asyncio.gather(*map(self.look_at, self.names))

    async def look_at(self, name: str) -> None:
        """Look at all handovers of one executor once."""
        try:
            while await self._look_at(name):
                pass
        except StoreError:  # the engine meets the same error and logs it
            self._listened(name).hearing.was_deaf = True
        except Exception:
            self._listened(name).hearing.was_deaf = True
            _log.exception("watching over what %s carries out failed; it is tried again", name)

    def hear(self, event: Event) -> None:
        """Begin all leases anew: while the store could not be written, no sign of life was."""
        if event.kind in _DEAF:
            for each in self._known.values():
                each.hearing.was_deaf = True

    async def _look_at(self, name: str) -> bool:
        """Look at the handovers of one executor; whether there is more to do at once."""
        try:
            executor = self._executors().get(name)
        except (InvalidInputError, NotFoundError):
            return False  # its runs fail with the reason
        listened = self._listened(name)
        if executor.reports:
            listened.hearing.note(self._clock.now(), self._clock.monotonic())
        else:
            await self._poll(executor, listened)
        for _ in range(_MOST_BATCHES):
            now = self._clock.now()
            watched = await self._handovers.watch([name], now, listened.hearing.since, _BATCH)
            did = await self._end_what_is_over(executor, watched)
            did += await self._judge_late(executor, watched, listened)
            did += await self._tell(watched)
            if not did or max(map(len, (watched.over, watched.late, watched.to_tell))) < _BATCH:
                break
        else:
            return True
        await self._find_lost(executor, listened)
        return False

    def _listened(self, name: str) -> Listened:
        if name not in self._known:
            now = self._clock.now()
            monotonic = self._clock.monotonic()
            self._known[name] = Listened(Hearing(now, now, monotonic), monotonic)
        return self._known[name]

    # what is over or late

    async def _end_what_is_over(self, executor: Executor, watched: Watched) -> int:
        """Close handovers whose run has ended or goes on elsewhere, and ask for their end."""
        return await self._give_up(executor, watched.over, None)

    async def _judge_late(self, executor: Executor, watched: Watched, listened: Listened) -> int:
        """Ask the executor about those that fell silent, take what it knows, and give up the rest."""
        if not watched.late:
            return 0
        seen = await self._read(watched.late)
        to_ask = [each for each in seen if each.state is HandoverState.BEGUN or not executor.reports]
        if to_ask:
            try:
                await self._take(await self._observe(executor, to_ask))
            except ExecutorUnreachableError:
                if not executor.reports:
                    return 0  # its workers say nothing themselves: that it cannot be asked is not silence
        return await self._give_up(executor, watched.late, listened.hearing.since)

    async def _give_up(self, executor: Executor, keys: Sequence[HandoverKey], hearing_since: datetime | None) -> int:
        if not keys:
            return 0
        now = self._clock.now()
        ended = dict[HandoverKey, Handover]()
        dues = list[HandoverKey]()

        def decide(handover: Handover, standing: RunStanding) -> Revised | None:
            change = planning.give_up(handover, standing, hearing_since=hearing_since or now, now=now)
            ended.pop(handover.key, None)
            if change is not None:
                ended[handover.key] = change.handover
                if change.wakes:
                    dues.append(handover.key)
            return change

        await self._handovers.change(keys, decide, now)
        if dues:
            self._wake()
        if ended:
            await self._ask_for_the_end(executor, list(ended.values()))
        return len(ended)

    async def _ask_for_the_end(self, executor: Executor, handovers: Sequence[Handover]) -> None:
        """Tell an executor what is not wanted any more. The record refuses it in any case."""
        try:
            await self._calling(lambda: executor.cancel(handovers, terminate=False))
        except ExecutorUnreachableError:
            pass
        except Exception:
            _log.exception("asking %s to give up runs failed", executor.name)

    # what people hear

    async def _tell(self, watched: Watched) -> int:
        if not watched.to_tell:
            return 0
        now = self._clock.now()

        def events(change: Revised) -> list[Event]:
            of = change.handover
            since = now - (of.sent_at or of.intended_at)
            data = {"executor": of.executor, "queue": of.queue, "task": of.task, "number": of.number}
            data["seconds"] = round(since.total_seconds())
            return [Event(RUN_NOT_BEGUN, now, of.schedule_id, of.run_id, data=data)]

        judged = await self._handovers.change(
            watched.to_tell, lambda handover, _standing: planning.say_not_begun(handover, now), now, events
        )
        return len(judged)

    # what an executor knows

    async def _poll(self, executor: Executor, listened: Listened) -> None:
        """Ask an executor whose workers do not report about everything that is open, a batch of each at a time."""
        try:
            for begun in (True, False):
                open_now = await self._next_open(executor, listened, begun=begun)
                await self._take(await self._observe(executor, open_now))
            listened.hearing.note(self._clock.now(), self._clock.monotonic())
        except ExecutorUnreachableError:
            pass

    async def _next_open(self, executor: Executor, listened: Listened, *, begun: bool) -> list[Handover]:
        after = listened.after.get(begun)
        found = await self._handovers.open_of(executor.name, begun=begun, after=after, limit=_BATCH)
        listened.after[begun] = found[-1].key if len(found) == _BATCH else None
        return found

    async def _observe(self, executor: Executor, handovers: Sequence[Handover]) -> list[Sighting]:
        if not handovers:
            return []
        return await self._calling(lambda: executor.observe(handovers))

    async def _take(self, sightings: Iterable[Sighting]) -> None:
        """Write down what an executor knows."""
        known = {each.key: each for each in sightings if each.is_at_work or each.outcome is not None}
        if not known:
            return
        now = self._clock.now()

        def decide(handover: Handover, standing: RunStanding) -> Revised | Refusal | None:
            sighting = known[handover.key]
            if sighting.outcome is not None:
                return planning.end(handover, standing, sighting.outcome, start=None, now=now)
            return planning.seen_at_work(handover, standing, worker=sighting.worker, now=now)

        await self._handovers.change(list(known), decide, now)
        if any(each.outcome is not None for each in known.values()):
            self._wake()

    async def _read(self, keys: Sequence[HandoverKey]) -> list[Handover]:
        judged = await self._handovers.change(keys, lambda _handover, _standing: None, self._clock.now())
        return [each.handover for each in judged.values() if each.handover is not None]

    # what was lost with its queue

    async def _find_lost(self, executor: Executor, listened: Listened) -> None:
        """Send again what no worker has begun for a while, and is in no queue."""
        monotonic = self._clock.monotonic()
        if not executor.reports or monotonic - listened.looked_for_losses < _LOST_QUEUES_EVERY:
            return
        listened.looked_for_losses = monotonic
        waiting = await self._next_open(executor, listened, begun=False)
        now = self._clock.now()
        suspects = {each.key: each for each in waiting if planning.may_be_lost(each, now)}
        if not suspects:
            return
        try:
            standing = await self._calling(executor.standing)
        except ExecutorUnreachableError:
            return
        depths = {each.name: each.depth for each in standing.queues}
        lost = {key: each for key, each in suspects.items() if _is_in_no_queue(each, depths)}
        if not standing.reachable or not lost:
            return
        await self._handovers.change(
            list(lost), lambda each, run: planning.lost_with_queue(each, run, seen=lost[each.key]), now
        )
        self._wake()


def _is_in_no_queue(handover: Handover, depths: dict[str, int | None]) -> bool:
    """Whether the queues that may have it are known to be empty."""
    mine = [depths.get(handover.queue)] if handover.queue is not None else list(depths.values())
    return bool(mine) and all(depth == 0 for depth in mine)


class WatchLoop:
    """Watches while the engine of a process runs; an executor that does not answer holds up the watch of no other."""

    def __init__(self, watch: HandoverWatch, clock: Clock) -> None:
        self._watch = watch
        self._clock = clock
        self._task: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """Start the loop."""
        self._task = asyncio.get_running_loop().create_task(self._for_ever(), name="duly-handovers")

    async def stop(self) -> None:
        """End the loop. What it was about to decide, another process decides, or this one after a restart."""
        task = self._task
        self._task = None
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _for_ever(self) -> None:
        looks: dict[str, asyncio.Task[None]] = {}
        async with asyncio.TaskGroup() as watching:
            while True:
                names = self._watch.names
                for name in names:
                    if name not in looks or looks[name].done():
                        looks[name] = watching.create_task(self._watch.look_at(name))
                await self._clock.sleep(LOOK_EVERY if names else _WITHOUT_EXECUTORS)
