"""Runs under way in this process: start them, cancel them, and turn their ends into settlements."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from datetime import datetime
from functools import partial
from itertools import islice
from typing import Any

from duly import failpoints
from duly.clock import Clock
from duly.engine.ahead import HOLD, ClaimedAhead
from duly.engine.beginning import Beginnings, is_in
from duly.engine.context import Context
from duly.engine.outcomes import describe_error, encode_result, printable, summary_of, trace_of
from duly.engine.settings import EngineSettings
from duly.engine.waker import Waker
from duly.errors import (
    DulyError,
    InvalidInputError,
    RunCancelledError,
    RunFailedError,
    RunMissedError,
    RunSkippedError,
)
from duly.model.events import (
    RUN_ANSWERED,
    RUN_FAILED,
    RUN_MISSED,
    RUN_RETRYING,
    RUN_SKIPPED,
    RUN_STARTED,
    RUN_STUCK,
    RUN_SUCCEEDED,
    RUN_WAITS,
    Event,
    EventKind,
)
from duly.model.policy import Policy
from duly.model.run import Status
from duly.planning.overlap import stands_in_line
from duly.planning.places import PoolKind
from duly.planning.retry import next_attempt
from duly.ports.codec import decode_policy
from duly.ports.dispatch import Dispatcher, Later, Remarked
from duly.ports.records import Claimed, Settlement
from duly.processes import is_ending
from duly.zones import iso

Emit = Callable[[Event], None]
_SUCCEEDED = Status.SUCCEEDED  # a member of an enumeration takes longer to look up than much that is done with it
_AT_ONCE = 60
"""Runs begun each time the event loop comes round: the next statement of a turn would wait behind all of them."""
_SOON = 0.01
"""Seconds that an outcome may wait for a turn that comes anyway, so that one transaction serves both."""
_PATIENCE = 0.05
"""The same for a success that no other run waits for."""


class Work:
    """The runs that this engine carries out, and the settlements that it has not written yet."""

    def __init__(
        self,
        dispatcher: Dispatcher,
        clock: Clock,
        emit: Emit,
        wants: Callable[[EventKind], bool],
        waker: Waker,
        chance: Callable[[], float],
        may_begin: Callable[[Claimed], bool],
        settings: Callable[[], EngineSettings],
    ) -> None:
        self._dispatcher = dispatcher
        self._clock = clock
        self._emit = emit
        self._wants = wants
        self._waker = waker
        self._chance = chance
        self._may_begin = may_begin
        self.ahead = ClaimedAhead(settings, clock.monotonic)
        self._begins_soon = False
        """Whether the event loop comes back to the runs that wait for a place."""
        self._contexts: dict[str, Context] = {}
        self._beginnings = Beginnings(self._attempt, lambda context: self._contexts.get(context.id) is context)
        self._tasks = self._beginnings.tasks
        self.held: dict[PoolKind, dict[str, int]] = {kind: {} for kind in PoolKind}
        """How many runs are under way or claimed ahead, by pool and lane."""
        self._finished: list[Settlement] = []
        self.patience = _PATIENCE
        """Seconds that the outcomes not written yet may wait for a turn that comes anyway."""
        self.places_wanted = False
        """Whether runs in the store wait for a place here."""
        self._notes: dict[str, tuple[int, Any]] = {}
        self.counts: Counter[str] = Counter()
        """Runs that succeeded in this process, by the name of their schedule."""

    def __len__(self) -> int:
        return len(self._contexts)

    @property
    def is_here(self) -> bool:
        """Whether the caller is a handler of a run that is under way here."""
        return any(context.is_here for context in self._contexts.values())

    def start(self, claimed: Iterable[Claimed], *, at_once: bool = False) -> None:
        """Carry out runs that this node has claimed: at their time and as soon as there is a place, or at once.

        Many begin a few at a time while the caller does other work: it can write meanwhile.
        """
        contexts: list[Context] = []
        for run in claimed:
            if run.run_id in self._contexts:
                self._replace(run.run_id)
            context = Context(run, self._note)
            self._contexts[run.run_id] = context
            self._count(context, 1)
            contexts.append(context)
        if at_once:
            for context in contexts:
                if self.ahead.enter(context):
                    self._beginnings.begin(context)
            return
        now = self._clock.now()
        for context in contexts:
            self._begin_when_due(context, now)

    def _replace(self, run_id: str) -> None:
        """Make room for the attempt of a newer claim of a run."""
        self._give_up(run_id)
        if (before := self._contexts.get(run_id)) is not None:
            self._count(before, -1)
            self.ahead.leave(before)

    def _begin_when_due(self, context: Context, now: datetime) -> None:
        if context.run.due_at > now and (wait := _seconds(now, context.run.due_at)) <= HOLD:
            self.ahead.wait_for_its_time(context, self._clock.call_later(wait, partial(self._time_has_come, context)))
        else:
            self.ahead.line_up(context)
            self._begin_soon()

    def _begin_soon(self) -> None:
        """Let runs begin that wait for a place, if there is one, when the event loop comes back to them."""
        if not self._begins_soon and self.ahead.can_go_on:
            self._begins_soon = True
            asyncio.get_running_loop().call_soon(self._begin_some)

    def _begin_some(self) -> None:
        self._begins_soon = False
        for kind in PoolKind:
            for context in islice(iter(partial(self.ahead.next, kind), None), _AT_ONCE):
                self._beginnings.begin(context)
        self._begin_soon()

    def _time_has_come(self, context: Context) -> None:
        if not self.ahead.come(context):
            return
        now = self._clock.now()
        if context.run.due_at > now or not self._beginnings.shares_a_task(context):
            self._begin_when_due(context, now)
        elif self.ahead.enter(context):  # a turn of the event loop sooner than after those that wait for a place
            self._beginnings.begin(context)
        else:
            self._begin_soon()

    def hand_back(self, *, all_of_them: bool = False) -> None:
        """Hand back runs that were claimed ahead and have waited too long for a place, or all of them."""
        for context in self.ahead.all() if all_of_them else self.ahead.overdue():
            now = self._clock.now()
            due_at = context.run.due_at if _seconds(now, context.run.due_at) <= HOLD else now
            self._forget(context.run, context, self._settlement(context.run, Status.PENDING, retry_at=due_at))

    @property
    def has_finished(self) -> bool:
        return bool(self._finished)

    @property
    def has_notes(self) -> bool:
        return bool(self._notes)

    def take_finished(self) -> list[Settlement]:
        """Take the settlements of attempts that have ended since the last call."""
        finished = self._finished
        self._finished = []
        self.patience = _PATIENCE
        return finished

    def put_back(self, settlements: Collection[Settlement]) -> None:
        """Give settlements back that could not be written."""
        self._finished = [*settlements, *self._finished]

    def take_notes(self) -> dict[str, tuple[int, Any]]:
        """Take the latest progress of each run, with its fence."""
        notes = self._notes
        self._notes = {}
        return notes

    def known(self) -> set[str]:
        """List runs that are under way or wait to be settled; not abandoned ones, which this node may claim again."""
        under_way = (run_id for run_id, context in self._contexts.items() if not context.abandoned)
        return {*under_way, *(each.run_id for each in self._finished)}

    def goes_on(self, run_ids: Collection[str]) -> bool:
        """Say whether some of these runs are still under way."""
        return any(run_id in self._tasks for run_id in run_ids)

    async def ended(self, run_ids: Collection[str]) -> None:
        """Wait for the end of some runs, as long as it takes."""
        if tasks := [self._tasks[run_id] for run_id in sorted(run_ids) if run_id in self._tasks]:
            await asyncio.wait(tasks)

    def unstoppable(self) -> set[str]:
        """List runs in threads that outlived their timeout."""
        return {run_id for run_id, context in self._contexts.items() if context.stuck and run_id in self._tasks}

    def stop(self, run_id: str) -> None:
        """Ask one run to stop."""
        if (context := self._contexts.get(run_id)) is not None and not context.cancelled:
            self._cancel(context)

    def abandon(self) -> None:
        """Drop everything: this node owns none of it any more, and no outcome may be recorded."""
        for run_id in list(self._contexts):
            self._give_up(run_id)
        self._finished = []
        self._notes = {}

    def _give_up(self, run_id: str) -> None:
        """Abandon the attempt of an older claim: it is asked to stop, and its outcome does not count."""
        if (context := self._contexts.get(run_id)) is not None:
            context.abandoned = True
            self._cancel(context)

    def _cancel(self, context: Context) -> None:
        context.ask_to_stop()
        if (task := self._tasks.get(context.id)) is not None:
            task.cancel()
        if context.begun_at is None:  # a task that is cancelled before its first step runs none of its code
            self._forget(context.run, context, self._stopped(context.run, context))

    async def wait(self, seconds: float | None) -> None:
        """Wait for all runs under way, at most so many seconds; None sets no limit."""
        await self._beginnings.all_begun()
        if self._tasks and seconds is None:
            await asyncio.wait(list(self._tasks.values()))
        elif self._tasks and seconds is not None:
            over = asyncio.ensure_future(self._clock.sleep(seconds))
            everything = asyncio.ensure_future(asyncio.wait(list(self._tasks.values())))
            await asyncio.wait({over, everything}, return_when=asyncio.FIRST_COMPLETED)
            over.cancel()
            everything.cancel()
            await asyncio.gather(over, everything, return_exceptions=True)

    async def cancel_all(self, seconds: float) -> None:
        """Cancel all runs and wait for them; those that cannot be stopped go on after this returns."""
        for context in list(self._contexts.values()):
            context.handed_back = True
            self._cancel(context)
        await self.wait(seconds)

    async def _attempt(self, context: Context) -> None:
        run = context.run
        if not self._may_begin(run):
            context.abandoned = True  # the node that owns the run carries it out; that may be this one again
            self._forget(run, context, None)
            return
        started = self._clock.monotonic()
        if self._wants(RUN_STARTED):
            late = (self._clock.now() - run.due_at).total_seconds()
            self._tell(RUN_STARTED, run, name=run.name, handler=run.handler, attempt=run.attempt, late_seconds=late)
        context.enter(started)
        settlement: Settlement | None
        try:
            policy = decode_policy(run.policy)
            context.timeout = None if policy.timeout is None else policy.timeout.total_seconds()
            result = await self._dispatcher.dispatch(run, context)
            failpoints.hit("work.done")
            if isinstance(result, Later):
                settlement = self._goes_on(run, result)
            else:
                settlement = self._succeeded(run, result, started, policy)
        except RunSkippedError as error:
            settlement = self._not_carried_out(run, Status.SKIPPED, RUN_SKIPPED, error)
        except RunMissedError as error:
            settlement = self._not_carried_out(run, Status.MISSED, RUN_MISSED, error)
        except (asyncio.CancelledError, RunCancelledError) as error:
            # A handler that stops without a request has failed: something inside it was cancelled.
            settlement = self._stopped(run, context) if context.cancelled else self._failed(run, error)
        except KeyboardInterrupt:
            self._forget(run, context, None)  # or a program that goes on and stops the engine would wait for it
            raise
        except BaseException as error:  # anything that a handler raises is an outcome, never a crash of the engine
            if isinstance(error, GeneratorExit) and not is_in(context.task):
                raise  # Python raised it: the event loop was closed, and with it this attempt
            # A program that ends without stopping the engine takes its threads away: the handler has not failed.
            settlement = None if is_ending() else self._failed(run, error)
        self._forget(run, context, settlement)

    def _count(self, context: Context, step: int) -> None:
        held = self.held[context.kind]
        held[context.lane] = left = held.get(context.lane, 0) + step
        if not left:
            del held[context.lane]

    def _forget(self, run: Claimed, context: Context, settlement: Settlement | None) -> None:
        context.task = None  # it leads back to this context: both would wait for the collector of garbage
        # After a lost claim this node may have claimed the same run again: then the table holds the newer attempt.
        if self._contexts.get(run.run_id) is context:
            del self._contexts[run.run_id]
            self._beginnings.forget(context)
            self._count(context, -1)
            self.ahead.leave(context, None if context.begun_at is None else self._clock.monotonic() - context.begun_at)
            if not self._begins_soon and (following := self.ahead.next(context.kind)) is not None:
                self._beginnings.begin(following)
        if settlement is not None and not context.abandoned:
            self._finished.append(settlement)
            if self.places_wanted or settlement.status is not _SUCCEEDED:
                self.patience = _SOON
            self._waker.wake_within(self.patience)
        else:
            self._waker.wake()  # a place is free

    def _succeeded(self, run: Claimed, result: Any, started: float, policy: Policy) -> Settlement:
        reason = None
        if isinstance(result, Remarked):
            reason = result.reason
            result = result.result
        encoded = None if result is None else encode_result(result)
        settlement = Settlement(
            run.run_id, run.schedule_id, run.fence, _SUCCEEDED, self._clock.now(), encoded, None, reason
        )
        if stands_in_line(policy):
            self.patience = _SOON  # the next run in the queue waits for it
        if policy.notify and policy.tells_answers:  # kept with the settlement: those who tell it read the journal
            settlement.events = [self._event(RUN_ANSWERED, run, name=run.name)]
        self.counts[run.name] = self.counts.get(run.name, 0) + 1
        if self._wants(RUN_SUCCEEDED):
            self._tell(RUN_SUCCEEDED, run, name=run.name, seconds=self._clock.monotonic() - started)
        return settlement

    def _goes_on(self, run: Claimed, later: Later) -> Settlement:
        facts = {"reason": later.reason, "error": later.error, "retry_at": later.at, "same_attempt": later.waits}
        data = {"name": run.name, "reason": later.reason, "until": iso(later.at.replace(microsecond=0))}
        events = [self._event(RUN_WAITS, run, **data)] if later.waits and not later.quiet else []
        return self._settlement(run, Status.PENDING, goes_on=True, events=events, **facts)

    def _not_carried_out(self, run: Claimed, status: Status, kind: EventKind, error: DulyError) -> Settlement:
        reason = str(error)
        more = {} if error.summary is None else {"summary": printable(error.summary)}
        event = self._event(kind, run, name=run.name, reason=reason, count=1, **more)
        return self._settlement(run, status, reason=reason, events=[event])

    def _stopped(self, run: Claimed, context: Context) -> Settlement | None:
        if context.handed_back or context.abandoned:
            return None
        return self._settlement(run, Status.CANCELLED)  # the store has the reason of the caller who cancelled it

    def _failed(self, run: Claimed, error: BaseException) -> Settlement:
        text = describe_error(error)
        now = self._clock.now()
        try:
            retry = decode_policy(run.policy).retry
            final = isinstance(error, RunFailedError)
            retry_at = None if final else next_attempt(retry, run.attempt, now, self._chance())
        except (InvalidInputError, OverflowError):
            retry_at = None
        if retry_at is not None:
            self._tell(RUN_RETRYING, run, name=run.name, error=text, retry_at=iso(retry_at), **summary_of(error))
            reason = f"attempt {run.attempt} failed, next at {iso(retry_at.replace(microsecond=0))}"
            return self._settlement(run, Status.FAILED, error=text, reason=reason, retry_at=retry_at)
        more = {**summary_of(error), **trace_of(error)}
        event = self._event(RUN_FAILED, run, name=run.name, error=text, attempt=run.attempt, **more)
        return self._settlement(run, Status.FAILED, error=text, events=[event])

    def _settlement(self, run: Claimed, status: Status, **more: Any) -> Settlement:
        return Settlement(run.run_id, run.schedule_id, run.fence, status, self._clock.now(), **more)

    def _note(self, context: Context, kind: str, data: Any) -> None:
        """Note what a handler reports: progress, which the next turn writes, or a thread that cannot be stopped."""
        run = context.run
        if kind == "stuck":
            self._tell(RUN_STUCK, run, name=run.name)
        else:
            self._notes[run.run_id] = (run.fence, data)
        self._waker.wake_from_thread()

    def _tell(self, kind: EventKind, run: Claimed, **data: Any) -> None:
        self._emit(self._event(kind, run, **data))

    def _event(self, kind: EventKind, run: Claimed, **data: Any) -> Event:
        return Event(kind, self._clock.now(), run.schedule_id, run.run_id, data=data)


def _seconds(now: datetime, due_at: datetime) -> float:
    """Give the seconds until a run is due; if they are many, the clock was set back after the run was claimed."""
    return (due_at - now).total_seconds()
