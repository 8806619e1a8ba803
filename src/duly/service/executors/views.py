"""Executors and handovers as every face shows them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from duly.model.handover import Handover, HandoverState

_MINUTE = 60
_HOUR = 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class HandoverView:
    """The latest handover of a run: how far its work elsewhere has got."""

    state: str
    """`intended`, `handed_over`, `begun`, `succeeded`, `failed`, `lost`, `expired` or `cancelled`."""
    executor: str
    task: str
    queue: str | None = None
    number: int
    """How often the run was handed over."""
    sent: int = 0
    """How often the message of this handover was sent."""
    worker: str | None = None
    handed_over_at: datetime
    begun_at: datetime | None = None
    heard_at: datetime | None = None
    """The last sign of life of its worker."""
    ended_at: datetime | None = None
    queue_seconds: float | None = None
    """From the handover until a worker began it."""
    run_seconds: float | None = None
    """From its beginning at the worker to its end."""
    error: str | None = None

    @classmethod
    def of(cls, handover: Handover, *, hide_output: bool = False) -> HandoverView:
        """Show a handover."""
        return cls(
            state=str(handover.state),
            executor=handover.executor,
            task=handover.task,
            queue=handover.queue,
            number=handover.number,
            sent=handover.sent,
            worker=handover.worker,
            handed_over_at=handover.intended_at,
            begun_at=handover.begun_at,
            heard_at=handover.heard_at,
            ended_at=handover.ended_at,
            queue_seconds=seconds_between(handover.intended_at, handover.begun_at),
            run_seconds=seconds_between(handover.begun_at, handover.ended_at),
            error=None if hide_output else handover.error,
        )


def doing(view: HandoverView | None, now: datetime, clock: Callable[[datetime], str]) -> str | None:
    """Say what happens to a run elsewhere; None once that has ended. `clock` writes a time as people read it."""
    if view is None:
        return None
    waited = length((now - view.handed_over_at).total_seconds())
    if view.state == HandoverState.INTENDED:
        return f"being handed over to {view.executor} for {waited}"
    if view.state == HandoverState.HANDED_OVER:
        return f"handed over to {view.executor}, not begun for {waited}"
    if view.state == HandoverState.BEGUN and view.begun_at is not None:
        return f"carried out by {view.worker or view.executor} since {clock(view.begun_at)}"
    return None


def state_word(view: HandoverView | None) -> str | None:
    """Name the state of a run elsewhere; None once that has ended."""
    words = {"intended": "handed over", "handed_over": "handed over", "begun": "begun"}
    return None if view is None else words.get(view.state)


def length(seconds: float) -> str:
    """Write a length of time as a reason has it: "40 s", "6 min", "2 h"."""
    for size, unit in ((_HOUR, "h"), (_MINUTE, "min")):
        if seconds >= size:
            return f"{int(seconds // size)} {unit}"
    return f"{int(max(seconds, 0))} s"


def seconds_between(begin: datetime | None, end: datetime | None) -> float | None:
    """Give the seconds from one time to another; None where one of them is not known."""
    return None if begin is None or end is None else max(0.0, (end - begin).total_seconds())


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueView:
    """A queue of an executor."""

    name: str
    depth: int | None = None
    """How many messages wait in it; None where that cannot be known."""
    workers: int | None = None
    """How many workers take from it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckView:
    """One thing that was looked at, and whether it is well."""

    name: str
    """`reachable`, `begun`, `workers`, `tasks`, `reports` or `setup`."""
    ok: bool
    said: str
    cure: str | None = None
    """What to do; given where it is not well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutorView:
    """An executor, and how it is now."""

    name: str
    kind: str
    """`celery` or `http`."""
    tasks: list[str]
    """Names and patterns of the tasks that it takes."""
    reachable: bool
    error: str | None = None
    reports: bool = True
    """Whether its workers ask for leave and report."""
    queues: list[QueueView] = field(default_factory=list)
    workers: list[str] = field(default_factory=list)
    waiting: int = 0
    """Runs handed over to it that no worker has begun."""
    begun: int = 0
    """Runs that its workers carry out now."""
    oldest_waiting_at: datetime | None = None
    checks: list[CheckView] = field(default_factory=list)
    looked_at: datetime

    @property
    def faults(self) -> list[CheckView]:
        """What is not well."""
        return [each for each in self.checks if not each.ok]
