"""The states of a scheduler, of its polling and of its tasks, and a task as this process knows it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from duly.cron import Cron

Callback = Callable[[], Awaitable[object]]


class SchedulerState(StrEnum):
    """The states of a scheduler."""

    UNINITIALIZED = "uninitialized"
    INITIALIZING = "initializing"
    RUNNING = "running"
    STOPPING = "stopping"
    STOPPED = "stopped"


class PollingState(StrEnum):
    """Whether the scheduler looks for due tasks."""

    INACTIVE = "inactive"
    ACTIVE = "active"
    STOPPING = "stopping"


class TaskState(StrEnum):
    """The states of a task."""

    AWAITING_RUN = "awaiting_run"
    RUNNING = "running"
    AWAITING_RETRY = "awaiting_retry"


@dataclass(frozen=True, slots=True)
class TaskStatus:
    """A task as `Scheduler.tasks` shows it."""

    state: TaskState
    last_attempt_at: datetime | None
    """When its callback was last called, with any outcome."""
    last_success_at: datetime | None
    """When its callback last succeeded."""
    pending_retry_until: datetime | None
    """When it is called again after a failure; None unless it awaits its retry."""


class Failure(NamedTuple):
    """The error of a callback."""

    error: str
    traceback: str | None = None


@dataclass(slots=True, eq=False)
class Task:
    """A registered task and its state in this process."""

    name: str
    cron: Cron
    callback: Callback
    retry_delay: timedelta
    last_attempt_at: datetime | None = None
    last_success_at: datetime | None = None
    pending_retry_until: datetime | None = None
    interrupted: str | None = None
    """The run that a scheduler which is gone has left unfinished, to be started again."""
    running: bool = False
    failure: Failure | None = None
    """The failure that the engine is about to settle."""

    @property
    def status(self) -> TaskStatus:
        state = TaskState.AWAITING_RUN
        if self.running:
            state = TaskState.RUNNING
        elif self.pending_retry_until is not None:
            state = TaskState.AWAITING_RETRY
        return TaskStatus(
            state=state,
            last_attempt_at=self.last_attempt_at,
            last_success_at=self.last_success_at,
            pending_retry_until=self.pending_retry_until,
        )


class TaskView(Mapping[str, TaskStatus]):
    """The status of each task by its name, looked up when asked and not copied."""

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
