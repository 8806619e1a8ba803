"""What a scheduler, its polling and its tasks can be doing, and what is known about a task."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from duly.cron import Cron

Callback = Callable[[], Awaitable[object]]


class SchedulerState(StrEnum):
    """Where a scheduler stands."""

    UNINITIALIZED = "uninitialized"
    INITIALIZING = "initializing"
    RUNNING = "running"
    STOPPING = "stopping"
    STOPPED = "stopped"


class PollingState(StrEnum):
    """Whether somebody looks for due tasks."""

    INACTIVE = "inactive"
    ACTIVE = "active"
    STOPPING = "stopping"


class TaskState(StrEnum):
    """Where a task stands."""

    AWAITING_RUN = "awaiting_run"
    RUNNING = "running"
    AWAITING_RETRY = "awaiting_retry"


@dataclass(frozen=True, slots=True)
class TaskStatus:
    """A task as `Scheduler.tasks` shows it."""

    state: TaskState
    last_attempt_at: datetime | None
    """When its callback was last called, whatever came of it."""
    last_success_at: datetime | None
    """When its callback last ended well."""
    pending_retry_until: datetime | None
    """When it is called again after a failure; None unless it awaits its retry."""


class Failure(NamedTuple):
    """What a callback raised."""

    error: str
    traceback: str | None = None


@dataclass(slots=True, eq=False)
class Task:
    """A registered task and what is known about it in this process."""

    name: str
    cron: Cron
    callback: Callback
    retry_delay: timedelta
    last_attempt_at: datetime | None = None
    last_success_at: datetime | None = None
    pending_retry_until: datetime | None = None
    interrupted: str | None = None
    """The run that a scheduler which is gone has left behind, to be started again."""
    running: bool = False
    failure: Failure | None = None
    """The one that is being settled."""

    @property
    def status(self) -> TaskStatus:
        state = TaskState.AWAITING_RUN
        if self.running:
            state = TaskState.RUNNING
        elif self.pending_retry_until is not None:
            state = TaskState.AWAITING_RETRY
        return TaskStatus(state, self.last_attempt_at, self.last_success_at, self.pending_retry_until)


class TaskView(Mapping[str, TaskStatus]):
    """Names to what is known now: looked up when asked, not copied."""

    def __init__(self, tasks: Mapping[str, Task]) -> None:
        self._tasks = tasks

    def __getitem__(self, name: str) -> TaskStatus:
        return self._tasks[name].status

    def __iter__(self) -> Iterator[str]:
        return iter(self._tasks)

    def __len__(self) -> int:
        return len(self._tasks)

    def __repr__(self) -> str:
        return repr(dict(self))
