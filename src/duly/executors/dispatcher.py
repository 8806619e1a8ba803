"""The dispatcher of runs that executors carry out: it hands them over, waits, and takes their outcomes.

Everything it needs between two calls is in the record of the handover, so that any node can go on with the run.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import replace
from datetime import timedelta
from random import random
from typing import Any

from duly.clock import Clock
from duly.errors import (
    DulyError,
    InvalidInputError,
    NotFoundError,
    RunFailedError,
    RunMissedError,
    StoreError,
)
from duly.executors.batches import Batches
from duly.executors.calling import Calling
from duly.executors.sending import NotSent, Outbox, Parcel, hash_token, new_token
from duly.executors.terms import Executors, Terms
from duly.model.action import Job
from duly.model.handover import Handover, HandoverKey, HandoverState
from duly.planning.handovers import (
    Accept,
    MakeHandover,
    SendAgain,
    Step,
    WaitFor,
    is_refused_for_good,
    is_taken,
    next_step,
    waiting_for,
)
from duly.ports.codec import decode_job
from duly.ports.dispatch import Later, RunContext
from duly.ports.executors import Executor, Handovers, WorkOrder
from duly.ports.observers import EventListener
from duly.ports.records import Claimed
from duly.ports.run_history import RunHistory

HANDLER = "executor:"
"""How the handlers of executors begin."""
_SOON = timedelta(seconds=1)
_AFTER_STORE_ERROR = timedelta(seconds=2)
Admit = Callable[[Claimed], Awaitable[None]]
OrderOf = Callable[[bool], Awaitable[Job]]
"""Gives the job of a run, for a new handover (True) or for one that was written down before."""


async def _admit_all(_run: Claimed) -> None:
    pass


def _ignore(_event: object) -> None:
    pass


class ExecutionFailedError(DulyError):
    """What an executor, or the watch over handovers, says about an attempt that failed."""


class ExecutorDispatcher:
    """The `duly.ports.dispatch.Dispatcher` of executors."""

    def __init__(
        self,
        handovers: Handovers,
        history: RunHistory,
        clock: Clock,
        executors: Callable[[], Executors],
        calling: Calling,
        *,
        emit: EventListener = _ignore,
        admit: Admit = _admit_all,
        token: Callable[[], str] = new_token,
        chance: Callable[[], float] = random,
    ) -> None:
        """`executors` gives those of the present settings; `admit` raises for an attempt beyond the owner's quota."""
        self._handovers = handovers
        self._history = history
        self._clock = clock
        self._executors = executors
        self._calling = calling
        self._emit = emit
        self._admit = admit
        self._token = token
        self._chance = chance
        self._outboxes: dict[str, Outbox] = {}
        self._lookups: Batches[str, Handover | None] = Batches(self._look_up)

    def serves(self) -> Collection[str]:
        return [f"{HANDLER}{name}" for name in self._executors().settings]

    async def dispatch(self, run: Claimed, context: RunContext) -> Any:
        job = decode_job(run.action)
        self.check(job)

        async def order_of(_is_new: bool) -> Job:
            return job

        ended = await self.carry_out(run, context, order_of)
        return ended if isinstance(ended, Later) else outcome_of(ended)

    def check(self, job: Job) -> None:
        """Refuse a job that may not be handed over. Trying again is of no use."""
        try:
            self._executors().check(job)
        except (InvalidInputError, NotFoundError) as error:
            raise RunFailedError(str(error)) from error

    async def carry_out(self, run: Claimed, context: RunContext, order_of: OrderOf) -> Handover | Later:
        """Go on with a run: give its handover once that has an outcome.

        `order_of` is asked only when there is something to send; what it raises ends the attempt, and nothing is
        written down.
        """
        try:
            latest = None if run.fence == 1 else await self._lookups.ask(run.run_id)  # its first claim has no handover
            step = next_step(latest, taken=await self._is_taken(latest), now=self._clock.now())
            return await self._take(step, run, context, order_of)
        except StoreError as error:  # whether it was handed over is not known: the record will say
            at = self._clock.now() + _AFTER_STORE_ERROR
            return Later(at, f"the store did not answer: {error}", waits=True, quiet=True)

    async def _take(self, step: Step, run: Claimed, context: RunContext, order_of: OrderOf) -> Handover | Later:
        match step:
            case Accept(handover):
                return handover
            case WaitFor(until, reason):
                return Later(until, reason, waits=True, quiet=True)
            case SendAgain(handover):
                token = self._token()
                renewed = replace(handover, token_hash=hash_token(token))
                job = await order_of(False)
                return await self._send(Parcel(renewed, _order(renewed, token, run, context, job), before=handover))
            case MakeHandover(number):
                await self._admit(run)
                job = await order_of(True)
                token = self._token()
                handover = self._new(number, token, run, context, job)
                return await self._send(Parcel(handover, _order(handover, token, run, context, job)))

    async def _send(self, parcel: Parcel) -> Handover | Later:
        key = parcel.handover.key
        sent = await self._outbox(parcel.handover.executor).send(parcel)
        now = self._clock.now()
        if isinstance(sent, NotSent):
            at = now + timedelta(seconds=sent.again_in)
            if parcel.handover.begin_by is not None:
                at = min(at, max(now + _SOON, parcel.handover.begin_by))
            return Later(at, sent.reason, waits=True, quiet=parcel.before is not None)
        if sent is None or (sent.state is HandoverState.INTENDED and sent.key == key):
            # Another process had written it down, and may be sending it: the record will say how far that got.
            return Later(now + _SOON, f"being handed over to {parcel.handover.executor}", waits=True, quiet=True)
        step = next_step(sent, taken=False, now=now)
        if isinstance(step, Accept):
            return step.handover
        until = step.until if isinstance(step, WaitFor) else now + _SOON
        return Later(until, waiting_for(sent), waits=True, quiet=True)

    async def _look_up(self, run_ids: list[str]) -> Sequence[Handover | None]:
        found = await self._handovers.latest_of(run_ids)
        return [found.get(each) for each in run_ids]

    async def _is_taken(self, latest: Handover | None) -> bool:
        """Whether an attempt of the run has failed with the outcome of this handover."""
        if latest is None or latest.state not in (HandoverState.FAILED, HandoverState.LOST):
            return False
        attempts = await self._history.attempts(latest.run_id)
        return is_taken(latest, (each.fence for each in attempts if each.status == "failed"))

    def _new(self, number: int, token: str, run: Claimed, context: RunContext, job: Job) -> Handover:
        now = self._clock.now()
        executor, terms = self._found(job.executor or "")
        limits = [context.timeout, None if terms.time_limit is None else terms.time_limit.total_seconds()]
        return Handover(
            run_id=run.run_id,
            number=number,
            schedule_id=run.schedule_id,
            executor=job.executor or "",
            task=job.name,
            queue=job.queue,
            token_hash=hash_token(token),
            reports=executor.reports,
            lease_seconds=terms.lease.total_seconds(),
            run_seconds=min((each for each in limits if each is not None), default=None),
            intended_at=now,
            begin_by=None if terms.expires is None else now + terms.expires,
        )

    def _found(self, name: str) -> tuple[Executor, Terms]:
        executors = self._executors()
        return executors.get(name), executors.settings[name]

    def _outbox(self, name: str) -> Outbox:
        if name not in self._outboxes:
            self._outboxes[name] = Outbox(
                name,
                self._handovers,
                self._clock,
                self._calling,
                self._emit,
                lambda: self._found(name),
                chance=self._chance,
            )
        return self._outboxes[name]


def outcome_of(handover: Handover) -> Any:
    """Return the result of a handover that has ended, or raise its error."""
    if handover.state is HandoverState.SUCCEEDED:
        return None if handover.result is None else json.loads(handover.result)
    error = handover.error or f"{handover.task} {handover.state}"
    if handover.state is HandoverState.EXPIRED:
        raise RunMissedError(error)
    raise RunFailedError(error) if is_refused_for_good(handover) else ExecutionFailedError(error)


def _order(handover: Handover, token: str, run: Claimed, context: RunContext, job: Job) -> WorkOrder:
    return WorkOrder(
        key=HandoverKey(handover.run_id, handover.number),
        token=token,
        run_key=context.key,
        schedule=run.name,
        task=job.name,
        args=job.args,
        positional=job.positional,
        queue=job.queue,
        priority=job.task_priority,
        attempt=run.attempt,
        fire_at=run.fire_at,
        begin_by=handover.begin_by,
        run_seconds=handover.run_seconds,
        lease_seconds=handover.lease_seconds,
        traceparent=context.traceparent,
    )
