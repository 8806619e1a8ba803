"""Registrations against what is persisted: new, preserved, overridden, orphaned, or no longer there.

One object decides inside the transaction that writes, so that either everything counts or nothing does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from duly.declarative.history import History, due_at, first_due_at, read_history
from duly.declarative.persisted import Configuration, namespace_of, parts_of, read_configuration, to_row
from duly.declarative.state import Task
from duly.errors import CronCalculationError
from duly.model.events import SCHEDULE_CREATED, SCHEDULE_DELETED, TASK_ORPHANED, TASK_OVERRIDDEN, Event
from duly.model.ids import RandomBits
from duly.model.run import Run, Status
from duly.ports.records import Standing, StoredSchedule

_AS_REGISTERED = {"enabled": True, "disabled_by": None, "quarantine": None, "until_at": None, "max_runs": None}
"""What others may have done to a task does not outlive its next registration."""


class Classification(StrEnum):
    """What a registration is to the store."""

    NEW = "new"
    PRESERVED = "preserved"
    OVERRIDDEN = "overridden"
    ORPHANED = "orphaned"
    REMOVED = "removed"
    """Persisted, and not registered any more."""


class Resolution:
    """Decides about every task of a scheduler; `merge` is asked by the store, inside its transaction."""

    def __init__(
        self,
        scheduler: str,
        tasks: Mapping[str, Task],
        standings: Sequence[Standing],
        living: Collection[str],
        now: datetime,
    ) -> None:
        self._scheduler = scheduler
        self._tasks = tasks
        self._standings = {each.name: each for each in standings}
        self._living = living
        self._now = now
        self._classified: dict[str, Classification] = {}
        self._histories: dict[str, History] = {}
        self.events: list[Event] = []
        """Written together with what they tell about."""

    def rows(self, random_bits: RandomBits) -> list[StoredSchedule]:
        """What to hand in: every registration, and whatever is persisted without one."""
        now, gone = self._now, [each for name, each in self._standings.items() if name not in self._tasks]
        return [
            *(to_row(task, self._scheduler, now, random_bits) for task in self._tasks.values()),
            *(_placeholder(each, self._scheduler, now) for each in gone),
        ]

    def merge(self, before: StoredSchedule | None, incoming: StoredSchedule) -> StoredSchedule | None:
        """What to store under a name. Asked again, it says the same."""
        task = self._tasks.get(incoming.name)
        if task is None:
            return self._remove(before)
        if before is None:
            return self._create(task, incoming)
        return self._take_over(task, before)

    def _create(self, task: Task, row: StoredSchedule) -> StoredSchedule:
        self._classified[task.name] = Classification.NEW
        self.events.append(Event(SCHEDULE_CREATED, self._now, row.id, data={"name": row.name}))
        at = self._checked(task, first_due_at(task.cron, self._now))
        return replace(row, next_fire_at=at, next_run_at=at)

    def _take_over(self, task: Task, before: StoredSchedule) -> StoredSchedule | None:
        persisted, wanted = read_configuration(before), Configuration(task.cron.expression, task.retry_delay)
        history = read_history(self._standings.get(task.name), before, self._living)
        self._histories[task.name] = history
        self._classified[task.name] = Classification.PRESERVED
        if persisted != wanted:
            self._classified[task.name] = Classification.OVERRIDDEN
            self._tell_overridden(task, before, persisted)
        if history.interrupted is not None:
            self._classified[task.name] = Classification.ORPHANED
            self._tell_orphaned(task, before, history.interrupted)
        at = self._checked(task, due_at(task.cron, history, before, self._now))
        after = {**parts_of(task, self._scheduler)._asdict(), **_AS_REGISTERED, "next_fire_at": at, "next_run_at": at}
        if all(getattr(before, name) == value for name, value in after.items()):
            return None
        return replace(before, **after, updated_at=self._now, version=before.version + (persisted != wanted))

    def _checked(self, task: Task, at: datetime | None) -> datetime:
        if at is None:
            cause = f'"{task.cron.expression}" has no occurrence before the year 10000'
            raise CronCalculationError(task.cron.expression, self._now, cause)
        return at

    def _remove(self, before: StoredSchedule | None) -> StoredSchedule | None:
        if before is None:
            return None
        self._classified[before.name] = Classification.REMOVED
        self.events.append(Event(SCHEDULE_DELETED, self._now, before.id, data={"name": before.name}))
        gone = replace(before, enabled=False, disabled_by="file", next_fire_at=None, next_run_at=None)
        return replace(gone, deleted_at=self._now, updated_at=self._now)

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

    # afterwards

    @property
    def news(self) -> list[Event]:
        """Of the events, those that are the scheduler's own."""
        return [event for event in self.events if event.kind in (TASK_ORPHANED, TASK_OVERRIDDEN)]

    @property
    def counts(self) -> dict[str, int]:
        """How many tasks are what."""
        counted = Counter(self._classified.values())
        return {str(kind): counted[kind] for kind in Classification}

    def superfluous(self) -> list[str]:
        """Runs that nobody has begun; those that wait in line first, so that none of them comes forward."""
        idle = [each for each in self._histories.values() if each.under_way is None]
        found = [run for each in idle for run in each.unstarted]
        return [run.id for run in sorted(found, key=lambda run: run.status is not Status.WAITING)]

    def remember(self) -> None:
        """Tell the tasks what was found out about them."""
        for name, history in self._histories.items():
            task = self._tasks[name]
            task.last_attempt_at, task.last_success_at = history.last_attempt_at, history.last_success_at
            task.pending_retry_until = None if history.retry is None else history.retry.due_at
            task.interrupted = None if history.interrupted is None else history.interrupted.id


def _placeholder(standing: Standing, scheduler: str, now: datetime) -> StoredSchedule:
    """Something to ask about a task by its name; it is never stored."""
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
