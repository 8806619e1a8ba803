"""Compare registrations with the stored tasks: each task is new, preserved, overridden, orphaned or removed.

A `Resolution` decides inside the transaction that writes, so that either all its decisions are stored or none is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from functools import partial
from operator import attrgetter
from typing import Any

from duly.declarative.history import History, answered_until, due_at, read_history
from duly.declarative.persisted import Configuration, configured, namespace_of, read_configuration
from duly.declarative.state import Task
from duly.errors import CronCalculationError
from duly.model.events import SCHEDULE_CREATED, SCHEDULE_DELETED, TASK_ORPHANED, TASK_OVERRIDDEN, Event
from duly.model.run import Run, Status
from duly.planning import lifecycle
from duly.ports.records import Standing, StoredSchedule
from duly.ports.store import Glimpse, Reconciliation
from duly.service.access.audit import LIBRARY

_configured = attrgetter("trigger", "action", "policy", "handler")
"""The columns of a row that a registration decides."""
_REGISTERED = tuple(lifecycle.REGISTERED.values())  # in the order of a `Glimpse`


class Classification(StrEnum):
    """How a registration compares with the stored task of its name."""

    NEW = "new"
    PRESERVED = "preserved"
    OVERRIDDEN = "overridden"
    ORPHANED = "orphaned"
    REMOVED = "removed"
    """Stored, and not registered any more."""


class Resolution:
    """Decides about every task of a scheduler. The store calls `merge` inside its transaction."""

    def __init__(
        self,
        scheduler: str,
        tasks: Mapping[str, Task],
        standings: Sequence[Standing],
        living: Collection[str],
        now: datetime,
    ) -> None:
        self._scheduler = scheduler
        self._asked = {**LIBRARY, "by": namespace_of(scheduler)}
        self._tasks = tasks
        self._standings = {each.name: each for each in standings}
        self._living = living
        self._now = now
        self._classified: dict[str, Classification] = {}
        self._glanced: set[str] = set()
        """Tasks that were preserved after a glance at their rows."""
        self._configurations: dict[tuple[str, timedelta], tuple[str, str, str, str]] = {}
        self._histories: dict[str, History] = {}
        self._occurrences: dict[tuple[str, datetime], datetime | None] = {}
        self.events: list[Event] = []
        """Events that the store writes in the same transaction."""

    def decided(self, to_row: Callable[[Task], StoredSchedule]) -> Reconciliation:
        """Tell the store what to do: ask about every registration, and about every stored task without one."""
        return Reconciliation(
            rows=_AskedRows(self, to_row),
            merge=self.merge,
            glance=self.glance,
            events=self.events,
            call_off=self._runs_to_call_off(),
            at=self._now,
            reason="its scheduler was initialized again, and worked out anew what is due",
        )

    def rows(self, to_row: Callable[[Task], StoredSchedule]) -> Iterator[StoredSchedule]:
        """Make the rows to ask about, except those for which a glance was enough."""
        for task in self._tasks.values():
            if task.name not in self._glanced:
                yield to_row(task)
        for name, each in self._standings.items():
            if name not in self._tasks:
                yield _placeholder(each, self._scheduler, self._now)

    def glance(self, stored: Glimpse, watermark: datetime | None) -> datetime | None:
        """Give the next fire of a preserved task without a history that needs care; None when `merge` has to decide.

        It says the same as `merge`, for very many tasks in a fraction of the time and without rows in memory.
        """
        task = self._tasks.get(stored.name)
        standing = self._standings.get(stored.name)
        if task is None or standing is None or standing.unfinished or stored[1:5] != self._configured_as(task):
            return None
        if stored[5:10] != _REGISTERED:
            return None
        if standing.last_attempt_at is None:
            if stored.last_status is not None:
                return None  # its runs were pruned: the row knows more
        elif standing.last_success_at is None and stored.last_status == Status.SUCCEEDED:
            return None
        at = self._next_after(task, answered_until(self._last_attempt(standing), self._now))
        if at is None or (watermark is not None and at <= min(self._now, watermark)):
            return None
        self._glanced.add(stored.name)
        return at

    def _configured_as(self, task: Task) -> tuple[str, str, str, str]:
        key = (task.cron.expression, task.retry_delay)
        if key not in self._configurations:
            self._configurations[key] = configured(task, self._scheduler)
        return self._configurations[key]

    def _last_attempt(self, standing: Standing) -> datetime | None:
        """Give the last attempt; one in the future was made while the clock was wrong."""
        return standing.last_attempt_at and min(standing.last_attempt_at, self._now)

    def _runs_to_call_off(self) -> list[str]:
        """List runs that no scheduler has begun: `due_at` computes anew what is owed."""
        return [
            run.id
            for standing in self._standings.values()
            if not any(run.owner in self._living for run in standing.unfinished)
            for run in standing.unfinished
            if run.started_at is None
        ]

    def merge(self, before: StoredSchedule | None, incoming: StoredSchedule) -> StoredSchedule | None:
        """Give the row to store under a name; None when nothing changes. Asked again, it gives the same."""
        task = self._tasks.get(incoming.name)
        if task is None:
            return self._remove(before)
        if before is None:
            return self._create(task, incoming)
        if before.damage is not None:
            raise before.damage.error
        return self._take_over(task, before, incoming)

    def _create(self, task: Task, row: StoredSchedule) -> StoredSchedule:
        self._classified[task.name] = Classification.NEW
        self.events.append(Event(SCHEDULE_CREATED, self._now, row.id, data={**self._asked, "name": row.name}))
        fire_at = self._checked(task, self._next_after(task, answered_until(None, self._now)))
        row.next_fire_at = fire_at
        row.next_run_at = fire_at
        return row

    def _take_over(self, task: Task, before: StoredSchedule, incoming: StoredSchedule) -> StoredSchedule | None:
        """Change the stored row in place where it differs: copies of very many rows would cost more than the rest."""
        wanted = Configuration(task.cron.expression, task.retry_delay)
        persisted = wanted if _configured(before) == _configured(incoming) else read_configuration(before)
        standing = self._standings.get(task.name)
        history = self._histories[task.name] = read_history(standing, before, self._living, self._now)
        self._classify(task, before, persisted, history)
        at = self._checked(task, due_at(partial(self._next_after, task), history, before, self._now))
        changes = lifecycle.redeclare(before, incoming, at)
        if not changes:
            return None
        for name, value in changes.items():
            setattr(before, name, value)
        before.updated_at = self._now
        before.version += persisted != wanted
        return before

    def _classify(self, task: Task, before: StoredSchedule, persisted: Configuration, history: History) -> None:
        self._classified[task.name] = Classification.PRESERVED
        if persisted != (task.cron.expression, task.retry_delay):
            self._classified[task.name] = Classification.OVERRIDDEN
            self._tell_overridden(task, before, persisted)
        if history.interrupted is not None:
            self._classified[task.name] = Classification.ORPHANED
            self._tell_orphaned(task, before, history.interrupted)

    def _next_after(self, task: Task, moment: datetime) -> datetime | None:
        """Give the next occurrence, computed once for tasks of the same expression and the same last attempt."""
        key = (task.cron.expression, moment)
        if key not in self._occurrences:
            self._occurrences[key] = task.cron.get_next_occurrence(moment)
        return self._occurrences[key]

    def _checked(self, task: Task, at: datetime | None) -> datetime:
        if at is None:
            cause = f'"{task.cron.expression}" has no occurrence before the year 10000'
            raise CronCalculationError(task.cron.expression, self._now, cause)
        return at

    def _remove(self, before: StoredSchedule | None) -> StoredSchedule | None:
        if before is None:
            return None
        self._classified[before.name] = Classification.REMOVED
        data = {**self._asked, "name": before.name}
        self.events.append(Event(SCHEDULE_DELETED, self._now, before.id, data=data))
        return lifecycle.delete(before, self._now, by="file")

    def _tell_overridden(self, task: Task, row: StoredSchedule, persisted: Configuration) -> None:
        data: dict[str, Any] = {
            "scheduler": self._scheduler,
            "task": task.name,
            "cron": task.cron.expression,
            "previous_cron": persisted.cron,
            "retry_delay": task.retry_delay.total_seconds(),
            "previous_retry_delay": persisted.retry_delay.total_seconds(),
        }
        self.events.append(Event(TASK_OVERRIDDEN, self._now, row.id, data=data))

    def _tell_orphaned(self, task: Task, row: StoredSchedule, run: Run) -> None:
        data = {"scheduler": self._scheduler, "task": task.name, "previous_scheduler": run.owner}
        self.events.append(Event(TASK_ORPHANED, self._now, row.id, run.id, data=data))

    @property
    def counts(self) -> dict[str, int]:
        """Count the tasks by classification."""
        counted = Counter(self._classified.values())
        counted[Classification.PRESERVED] += len(self._glanced)
        return {str(kind): counted[kind] for kind in Classification}

    def remember(self) -> None:
        """Give the tasks their history."""
        for name in self._glanced:
            task = self._tasks[name]
            task.last_attempt_at = self._last_attempt(self._standings[name])
            task.last_success_at = self._standings[name].last_success_at
        for name, history in self._histories.items():
            task = self._tasks[name]
            task.last_attempt_at = history.last_attempt_at
            task.last_success_at = history.last_success_at
            task.pending_retry_until = None if history.retry is None else history.retry.due_at
            task.interrupted = None if history.interrupted is None else history.interrupted.id


class _AskedRows:
    """The rows to ask about, made anew by each iteration."""

    def __init__(self, resolution: Resolution, to_row: Callable[[Task], StoredSchedule]) -> None:
        self._resolution = resolution
        self._to_row = to_row

    def __iter__(self) -> Iterator[StoredSchedule]:
        return self._resolution.rows(self._to_row)


def _placeholder(standing: Standing, scheduler: str, now: datetime) -> StoredSchedule:
    """Make a row under which the store asks about a task that is not registered; it is never stored."""
    return StoredSchedule(
        id=standing.schedule_id,
        namespace=namespace_of(scheduler),
        name=standing.name,
        trigger="",
        action="",
        policy="",
        handler="",
        created_at=now,
        updated_at=now,
    )
