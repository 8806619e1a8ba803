"""Call the callbacks of tasks for the engine's runs, and turn the outcomes into the events and timestamps of tasks."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Awaitable, Callable, Collection, Mapping
from datetime import datetime, timedelta
from typing import Any, NoReturn

from duly.clock import Clock
from duly.declarative.history import is_owed
from duly.declarative.persisted import action_of
from duly.declarative.state import Failure, Task
from duly.errors import DulyError, RunCancelledError, RunFailedError, RunSkippedError, StoreError
from duly.model.events import (
    RUN_FAILED,
    RUN_RETRYING,
    RUN_STARTED,
    RUN_SUCCEEDED,
    TASK_ORPHANED,
    TASK_RETRY_PREEMPTED,
    TASK_RETRY_STARTED,
    TASK_RUN_COMPLETED,
    TASK_RUN_FAILED,
    TASK_RUN_STARTED,
    TASK_START_DELAYED,
    Event,
    EventKind,
)
from duly.model.run import SUPERSEDED, Origin
from duly.planning.retry import SHORTEST
from duly.ports.dispatch import Later, RunContext
from duly.ports.records import Claimed
from duly.zones import iso

Emit = Callable[[Event], None]
Keep = Callable[[Event], Awaitable[None]]
_FIRST_BOUND = 60.0
_SHORTEST_BOUND = 1.0
_PER_TASK = 0.006
_LONGEST_TRACEBACK = 8000
_LEFT_TO_OTHERS = timedelta(seconds=5)


def allowed_lateness(tasks: int) -> float:
    """Give the seconds by which a callback may start late: a second for a few tasks, a minute for 10,000."""
    return max(_SHORTEST_BOUND, tasks * _PER_TASK)


class Callbacks:
    """The dispatcher of a scheduler's tasks, and the listener to the engine's events about them."""

    def __init__(self, scheduler: str, tasks: Mapping[str, Task], clock: Clock, emit: Emit, keep: Keep) -> None:
        """`emit` tells an event at once; `keep` writes a durable one to the store, which tells it."""
        self._scheduler = scheduler
        self._tasks = tasks
        self._clock = clock
        self._emit = emit
        self._keep = keep
        self._handlers = [action_of(scheduler).handler]
        self._allowed = allowed_lateness(len(tasks))
        self.since = clock.now()
        """The start of polling: lateness counts from then for tasks that fell due earlier."""
        self.under_way: set[asyncio.Task[Any] | None] = set()
        """The asyncio tasks in which callbacks run."""
        self.stopping = False
        """Whether the scheduler is stopping, so that nothing more starts."""

    def serves(self) -> Collection[str]:
        return self._handlers

    async def dispatch(self, run: Claimed, context: RunContext) -> Later | None:
        task = self._tasks.get(run.name)
        if task is None:
            return self._leave(run)
        if reason := self._why_not(task, run):
            raise RunSkippedError(reason)
        if self._is_orphan(task, run):
            await self._tell_orphaned(task, run)
        self._begin(task, run)
        self.under_way.add(here := asyncio.current_task())
        try:
            await task.callback()
        except (GeneratorExit, KeyboardInterrupt):
            raise
        except BaseException as error:
            if isinstance(error, asyncio.CancelledError) and context.cancelled:
                # A caller cancelled the run; the engine settles that and tells no event.
                self._tell(TASK_RUN_FAILED, task, run, error="called off", pending_retry_until=None)
                raise
            self._fail(task, error)
        finally:
            task.running = False
            self.under_way.discard(here)
        return None

    def _leave(self, run: Claimed) -> Later:
        """Leave a task that this process has not registered to a newer scheduler of this name; nothing has failed."""
        reason = f"task {run.name!r} is not registered with scheduler {self._scheduler!r} of this process"
        return Later(self._clock.now() + _LEFT_TO_OTHERS, reason)

    def _why_not(self, task: Task, run: Claimed) -> str | None:
        """Give the reason why a run is no longer owed, because it waited too long; a run that was begun always is."""
        if run.attempt > 1 or run.origin is not Origin.SCHEDULE or run.run_id == task.interrupted:
            return None
        if task.last_attempt_at is None:
            late = self._late(run.fire_at)
            return "missed, and a task that has never run makes nothing up" if late > self._first_bound else None
        owed = is_owed(task.cron, task.last_attempt_at, self._begins(run))
        return None if owed else f"the attempt of {iso(task.last_attempt_at)} stands for it"

    def _is_orphan(self, task: Task, run: Claimed) -> bool:
        """Say whether another scheduler had started the run, and no event has said so yet."""
        return run.attempt > 1 and task.pending_retry_until is None and task.interrupted != run.run_id

    async def _tell_orphaned(self, task: Task, run: Claimed) -> None:
        event = self._event(TASK_ORPHANED, task, run, previous_scheduler=None)
        try:
            await self._keep(event)
        except StoreError:  # perhaps it was written, perhaps not: tell it in either case
            self._emit(event)

    def _begins(self, run: Claimed) -> datetime:
        """Give the start of an attempt: now, but not before the fire, even if the wall clock was set back since."""
        return max(self._clock.now(), run.fire_at)

    @property
    def _first_bound(self) -> float:
        return max(_FIRST_BOUND, self._allowed)

    def _late(self, due_at: datetime) -> float:
        return (self._clock.now() - max(due_at, self.since)).total_seconds()

    def _begin(self, task: Task, run: Claimed) -> None:
        late = self._late(run.due_at)
        until = task.pending_retry_until
        task.pending_retry_until = None
        task.interrupted = None
        task.last_attempt_at = self._begins(run)
        task.running = True
        if until is not None and run.attempt > 1:
            self._tell(TASK_RETRY_STARTED, task, run, attempt=run.attempt, late_seconds=late)
        else:
            if until is not None:
                self._tell(TASK_RETRY_PREEMPTED, task, run, pending_retry_until=iso(until))
            self._tell(TASK_RUN_STARTED, task, run, scheduled_at=iso(run.fire_at), late_seconds=late)
        if late > self._allowed:
            self._tell(TASK_START_DELAYED, task, run, late_seconds=late, allowed_seconds=self._allowed)

    def _fail(self, task: Task, error: BaseException) -> NoReturn:
        """Fail the attempt: anything that a callback raises is retried, unless the next cron time has come already.

        Then that fire replaces the retry, and the engine makes this the last attempt. Not while the scheduler stops:
        the next registration may have other cron times.
        """
        text = _describe(error)
        task.failure = Failure(text, "".join(traceback.format_exception(error))[-_LONGEST_TRACEBACK:])
        attempt = task.last_attempt_at
        if attempt is not None and is_owed(task.cron, attempt, self._clock.now()) and not self.stopping:
            raise RunFailedError(text) from error
        if isinstance(error, RunCancelledError | RunFailedError | RunSkippedError):
            raise DulyError(text) from error  # to the engine these three are no failures to retry
        raise error

    def wants(self, kind: EventKind) -> bool:
        """Say whether the engine should tell events of a kind: not starts of runs, which this class tells."""
        return kind is not RUN_STARTED

    def hear(self, event: Event) -> None:
        """Turn the engine's outcomes into events of tasks; pass every other event on."""
        task = self._tasks.get(str(event.data.get("name")))
        if task is not None and event.data.get("reason") == SUPERSEDED:
            return  # an event said that its attempt failed, and the fire that replaces its retry has one of its own
        if task is None or event.kind not in (RUN_SUCCEEDED, RUN_RETRYING, RUN_FAILED):
            self._emit(event)
        elif event.kind is RUN_SUCCEEDED:
            task.last_success_at = event.at
            self._retell(TASK_RUN_COMPLETED, task, event, seconds=event.data["seconds"])
        else:
            retry_at = event.data.get("retry_at")
            later = event.at + max(task.retry_delay, SHORTEST)
            task.pending_retry_until = later if retry_at is None else datetime.fromisoformat(retry_at)
            failure = task.failure or Failure(event.data["error"])
            task.failure = None
            until = iso(task.pending_retry_until)
            self._retell(TASK_RUN_FAILED, task, event, pending_retry_until=until, **failure._asdict())

    def _tell(self, kind: EventKind, task: Task, run: Claimed, **data: Any) -> None:
        self._emit(self._event(kind, task, run, **data))

    def _event(self, kind: EventKind, task: Task, run: Claimed, **data: Any) -> Event:
        about = {"scheduler": self._scheduler, "task": task.name}
        return Event(kind, self._clock.now(), run.schedule_id, run.run_id, data={**about, **data})

    def _retell(self, kind: EventKind, task: Task, heard: Event, **data: Any) -> None:
        about = {"scheduler": self._scheduler, "task": task.name}
        self._emit(Event(kind, heard.at, heard.schedule_id, heard.run_id, data={**about, **data}))


def _describe(error: BaseException) -> str:
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:  # its own __str__ fails
        return type(error).__name__
