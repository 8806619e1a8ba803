"""An executor that follows the script of a test, and a worker and a door as simple as they can be.

The executor keeps what it is given in queues. A worker takes a message, asks for leave, and reports, all through the
`Door`, which judges as the real one does.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from duly.clock import Clock
from duly.errors import ExecutorUnreachableError, InvalidInputError, NotFoundError
from duly.executors.sending import hash_token
from duly.model.action import Job
from duly.model.handover import Handover, HandoverKey, HandoverState
from duly.planning import handovers as planning
from duly.planning.handovers import Outcome, Refusal, Revised, RunStanding
from duly.ports.executors import (
    ExecutorStanding,
    Handovers,
    Judged,
    QueueStanding,
    SendResult,
    Sighting,
    WorkOrder,
)

USUAL_QUEUE = "default"


@dataclass(frozen=True, slots=True, kw_only=True)
class FixedTerms:
    """Implements `duly.executors.terms.Terms`."""

    lease: timedelta = timedelta(seconds=60)
    expires: timedelta | None = None
    not_begun_after: timedelta | None = timedelta(minutes=5)
    time_limit: timedelta | None = None


class ScriptedExecutor:
    """Implements `duly.ports.executors.Executor`: everything works unless the script says otherwise."""

    def __init__(self, name: str = "heavy", *, reports: bool = True, refused: Mapping[str, str] | None = None) -> None:
        self.name = name
        self.reports = reports
        self.reachable = True
        self.refused = dict(refused or {})
        """Tasks that it does not take, and why."""
        self.busy: str | None = None
        """Why it takes nothing just now, although it can be reached."""
        self.answers: dict[str, Outcome] = {}
        """Tasks that it carries out at once."""
        self.begins_at_once = False
        self.queues: dict[str, list[WorkOrder]] = {USUAL_QUEUE: []}
        self.batches: list[list[WorkOrder]] = []
        self.cancelled: list[HandoverKey] = []
        self.sightings: dict[HandoverKey, Sighting] = {}
        """What it knows: results that were kept, tasks that workers say they are at."""
        self.before_sending: Callable[[], None] = lambda: None
        self.closed = False

    @property
    def waiting(self) -> list[WorkOrder]:
        """The messages in all queues."""
        return [order for queue in self.queues.values() for order in queue]

    def lose_queues(self) -> None:
        """Forget every message, as a broker that was started again without its data."""
        for queue in self.queues.values():
            queue.clear()

    def take(self, key: HandoverKey | None = None) -> WorkOrder:
        """Take the first message, or that of a handover, out of its queue."""
        for queue in self.queues.values():
            for order in queue:
                if key is None or order.key == key:
                    queue.remove(order)
                    return order
        raise AssertionError(f"no message of {key or 'any handover'} waits")

    def check(
        self,
        task: str,
        _args: Mapping[str, Any],
        _positional: Sequence[Any],
        _queue: str | None,
        *,
        retries: bool = False,  # noqa: ARG002  the name is part of the interface
    ) -> None:
        if task in self.refused:
            raise InvalidInputError(self.refused[task])

    def hand_over(self, orders: Sequence[WorkOrder]) -> list[SendResult]:
        self.before_sending()
        self._reach()
        self.batches.append(list(orders))
        return [self._send(each) for each in orders]

    def _send(self, order: WorkOrder) -> SendResult:
        if order.task in self.refused:
            return SendResult(error=self.refused[order.task], final=True)
        if self.busy is not None:
            return SendResult(error=self.busy)
        if order.task in self.answers:
            return SendResult(outcome=self.answers[order.task])
        self.queues.setdefault(order.queue or USUAL_QUEUE, []).append(order)
        return SendResult(is_begun=self.begins_at_once)

    def observe(self, handovers: Sequence[Handover]) -> list[Sighting]:
        self._reach()
        return [self.sightings[each.key] for each in handovers if each.key in self.sightings]

    def cancel(self, handovers: Sequence[Handover], *, terminate: bool) -> None:  # noqa: ARG002  only a hint
        self._reach()
        self.cancelled += [each.key for each in handovers]

    def standing(self) -> ExecutorStanding:
        if not self.reachable:
            return ExecutorStanding(reachable=False, error="connection refused")
        queues = [QueueStanding(name=name, depth=len(orders)) for name, orders in self.queues.items()]
        return ExecutorStanding(reachable=True, queues=tuple(queues))

    def secrets(self) -> Collection[str]:
        return ()

    def close(self) -> None:
        self.closed = True

    def _reach(self) -> None:
        if not self.reachable:
            raise ExecutorUnreachableError("connection refused")


@dataclass
class FixedExecutors:
    """Implements `duly.executors.terms.Executors`."""

    made: dict[str, ScriptedExecutor] = field(default_factory=dict)
    settings: dict[str, FixedTerms] = field(default_factory=dict)

    @classmethod
    def of(cls, executors: Iterable[ScriptedExecutor], terms: FixedTerms | None = None) -> FixedExecutors:
        made = {each.name: each for each in executors}
        return cls(made, dict.fromkeys(made, terms or FixedTerms()))

    def check(self, job: Job) -> None:
        self.get(job.executor or "").check(job.name, job.args, job.positional, job.queue)

    def get(self, name: str) -> ScriptedExecutor:
        if name not in self.made:
            raise NotFoundError(f"unknown executor {name!r}")
        return self.made[name]


class Door:
    """What workers call: it judges reports by the record."""

    def __init__(self, handovers: Handovers, clock: Clock, wake: Callable[[], None] = lambda: None) -> None:
        self._handovers = handovers
        self._clock = clock
        self._wake = wake

    async def begin(self, order: WorkOrder, start: str, worker: str = "worker-1") -> Judged:
        return await self._judge(
            order, lambda each, run, now: planning.begin(each, run, start=start, worker=worker, now=now)
        )

    async def beat(self, order: WorkOrder, start: str) -> Judged:
        return await self._judge(order, lambda each, run, now: planning.beat(each, run, start=start, now=now))

    async def end(self, order: WorkOrder, start: str | None, outcome: Outcome) -> Judged:
        judged = await self._judge(order, lambda each, run, now: planning.end(each, run, outcome, start=start, now=now))
        self._wake()
        return judged

    async def _judge(
        self, order: WorkOrder, decide: Callable[[Handover, RunStanding, datetime], Revised | Refusal]
    ) -> Judged:
        now = self._clock.now()

        def judged(handover: Handover, standing: RunStanding) -> Revised | Refusal:
            if handover.token_hash != hash_token(order.token):
                return Refusal.UNKNOWN
            return decide(handover, standing, now)

        return (await self._handovers.change([order.key], judged, now))[order.key]


def succeeded(result: Any = None) -> Outcome:
    return Outcome(HandoverState.SUCCEEDED, None if result is None else json.dumps(result))


def failed(error: str) -> Outcome:
    return Outcome(HandoverState.FAILED, error=error)
