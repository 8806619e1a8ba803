"""The interface of an executor, which carries out runs elsewhere, and what a store keeps about them.

Hand over, observe, cancel; the run is settled from the record. What holds for all executors is decided by
`planning.handovers`; an executor only speaks the language of those who do the work.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple, Protocol

from duly.model.events import Event
from duly.model.handover import Handover, HandoverKey
from duly.planning.handovers import Outcome, Refusal, Revised, RunStanding
from duly.ports.run_history import LineKind


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkOrder:
    """One handover as its executor gets it."""

    key: HandoverKey
    token: str
    """The worker's token for this handover. It is in no log."""
    run_key: str
    """The idempotency key of the run: the same in every attempt."""
    schedule: str
    """The name of the schedule."""
    task: str
    args: Mapping[str, Any]
    positional: tuple[Any, ...] = ()
    queue: str | None = None
    priority: int | None = None
    attempt: int
    fire_at: datetime
    begin_by: datetime | None = None
    run_seconds: float | None = None
    lease_seconds: float
    traceparent: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SendResult:
    """What came of handing over one order."""

    error: str | None = None
    """Why the executor does not take it; None when it has it."""
    final: bool = False
    """Trying again is of no use."""
    is_begun: bool = False
    """Whether it is carried out from now on, without asking for leave."""
    worker: str | None = None
    """Where it is carried out then: kept with the handover, seen by people, and known to `observe` again."""
    outcome: Outcome | None = None
    """How it ended, where it was carried out at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """What an executor knows about a handover. It says nothing about one that it does not know of."""

    key: HandoverKey
    is_at_work: bool = False
    """A worker that can be reached says that it is at it. A state that was written down once is no such word."""
    worker: str | None = None
    outcome: Outcome | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueStanding:
    """A queue of an executor."""

    name: str
    depth: int | None
    """How many messages wait in it; None where that cannot be known."""
    workers: int | None = None
    """How many workers consume it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutorStanding:
    """How an executor answers now."""

    reachable: bool
    error: str | None = None
    queues: tuple[QueueStanding, ...] = ()
    workers: tuple[str, ...] = ()
    tasks: frozenset[str] | None = None
    """The tasks that its workers know; None where they did not say."""
    warnings: tuple[str, ...] = ()
    """What is set up so that work can be lost or doubled, each with its cure."""


class Executor(Protocol):
    """One executor. Its calls may block on the network: they run in threads, one batch at a time."""

    @property
    def name(self) -> str: ...

    @property
    def reports(self) -> bool:
        """Whether its workers ask for leave and report."""
        ...

    def check(
        self,
        task: str,
        args: Mapping[str, Any],
        positional: Sequence[Any],
        queue: str | None,
        *,
        retries: bool = False,
    ) -> None:
        """Refuse what it could not carry out, as far as that can be known without asking the workers.

        `retries` says that duly tries the run again; then those who carry it out must not do so, too.
        """
        ...

    def hand_over(self, orders: Sequence[WorkOrder]) -> list[SendResult]:
        """Send a batch; the answer has one entry for each, in order.

        Raises `ExecutorUnreachableError` when nothing at all could be sent.
        """
        ...

    def observe(self, handovers: Sequence[Handover]) -> list[Sighting]:
        """Tell what it knows of some handovers; those it knows nothing of are left out."""
        ...

    def cancel(self, handovers: Sequence[Handover], *, terminate: bool) -> None:
        """Ask for the end of some handovers. A hint: the record refuses them in any case."""
        ...

    def standing(self) -> ExecutorStanding:
        """Look how it is."""
        ...

    def secrets(self) -> Collection[str]:
        """Give what must be in nothing that its workers report. Quick, and never an error."""
        ...

    def close(self) -> None: ...


# what a store keeps


class Judged(NamedTuple):
    """What came of one report: the record as it is now, and why nothing changed, if nothing did."""

    handover: Handover | None
    refusal: Refusal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedLine:
    """A line of output that a worker sends."""

    kind: LineKind = LineKind.TEXT
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HandoverCounts:
    """How many handovers of an executor are open."""

    executor: str
    waiting: int
    """Intended or handed over, and not begun."""
    begun: int
    oldest_waiting_at: datetime | None = None
    """When the oldest of those that wait was intended."""


Decide = Callable[[Handover, RunStanding], Revised | Refusal | None]
"""Decides about one handover within the transaction; may be called more than once. None changes nothing."""
EventsOf = Callable[[Revised], Sequence[Event]]


def no_events(_change: Revised) -> Sequence[Event]:
    """Write nothing to the journal."""
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """The handovers that a watch has to look at now, at most a batch of each."""

    over: list[HandoverKey] = field(default_factory=list)
    """Open, although the run is over or has a later handover."""
    late: list[HandoverKey] = field(default_factory=list)
    """Past a time: to begin by, of the run, or of the lease."""
    to_tell: list[HandoverKey] = field(default_factory=list)
    """Not begun for so long that people should hear of it."""


class Handovers(Protocol):
    """The handovers of a store. Every call is one transaction and safe to repeat."""

    async def latest(self, run_id: str) -> Handover | None:
        """Return the handover of a run with the highest number."""
        ...

    async def latest_of(self, run_ids: Collection[str]) -> dict[str, Handover]:
        """Return the latest handover of each of these runs that has one."""
        ...

    async def of_run(self, run_id: str) -> list[Handover]:
        """Return the handovers of a run, in order of their numbers."""
        ...

    async def intend(self, handovers: Sequence[Handover]) -> set[HandoverKey]:
        """Write down handovers before they are sent; returns those that are written down.

        One whose number its run has already, or whose run is over, is left out.
        """
        ...

    async def change(
        self, keys: Sequence[HandoverKey], decide: Decide, now: datetime, events: EventsOf = no_events
    ) -> dict[HandoverKey, Judged]:
        """Judge handovers, write what changes, make runs due that wake, and write events, in one transaction.

        One that is not there is judged as `Refusal.UNKNOWN`.
        """
        ...

    async def progress(self, key: HandoverKey, data: str) -> bool:
        """Record the progress of a run whose latest handover this is, and has begun."""
        ...

    async def watch(self, executors: Collection[str], now: datetime, hearing_since: datetime, limit: int) -> Watched:
        """Find the open handovers of some executors that have to be looked at; by index, not by what waits."""
        ...

    async def open_of(self, executor: str, *, begun: bool, after: HandoverKey | None, limit: int) -> list[Handover]:
        """Return open handovers of an executor in order of their keys: those that have begun, or the others."""
        ...

    async def counts(self) -> list[HandoverCounts]:
        """Count the open handovers of each executor that has some."""
        ...
