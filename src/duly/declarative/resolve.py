"""Registrations against what is persisted: new, preserved, overridden, orphaned, or no longer there.

One object decides inside the transaction that writes, so that either everything counts or nothing does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from enum import StrEnum
from functools import partial
from operator import attrgetter
from typing import Any

from duly.declarative.history import History, answered_until, due_at, read_history
from duly.declarative.persisted import CONFIGURED, Configuration, namespace_of, read_configuration
from duly.declarative.state import Task
from duly.errors import CronCalculationError
from duly.model.events import SCHEDULE_CREATED, SCHEDULE_DELETED, TASK_ORPHANED, TASK_OVERRIDDEN, Event
from duly.model.run import Run
from duly.ports.records import Standing, StoredSchedule
from duly.ports.store import Reconciliation
from duly.service.access.audit import LIBRARY

_AS_REGISTERED = {"enabled": True, "disabled_by": None, "quarantine": None, "until_at": None, "max_runs": None}
"""What others may have done to a task does not outlive its next registration."""
_DECIDED_NAMES = (*CONFIGURED, *_AS_REGISTERED, "next_fire_at", "next_run_at")
_CONFIGURED, _DECIDED = attrgetter(*CONFIGURED), attrgetter(*_DECIDED_NAMES)


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
        self._asked = {**LIBRARY, "by": namespace_of(scheduler)}
        self._tasks = tasks
        self._standings = {each.name: each for each in standings}
        self._living = living
        self._now = now
        self._classified: dict[str, Classification] = {}
        self._histories: dict[str, History] = {}
        self._occurrences: dict[tuple[str, datetime], datetime | None] = {}
        self.events: list[Event] = []
        """Written together with what they tell about."""

    def decided(self, registered: Sequence[StoredSchedule]) -> Reconciliation:
        """What the store is to do: ask about every registration, and about whatever is persisted without one."""
        gone = [each for name, each in self._standings.items() if name not in self._tasks]
        return Reconciliation(
            rows=[*registered, *(_placeholder(each, self._scheduler, self._now) for each in gone)],
            merge=self.merge,
            events=self.events,
            call_off=self._superfluous(),
            at=self._now,
            reason="its scheduler was initialized again, and worked out anew what is due",
        )

    def _superfluous(self) -> list[str]:
        """Runs that nobody has begun: what is owed is worked out anew."""
        found: list[str] = []
        for standing in self._standings.values():
            if not any(run.owner in self._living for run in standing.unfinished):
                found += [run.id for run in standing.unfinished if run.started_at is None]
        return found

    def merge(self, before: StoredSchedule | None, incoming: StoredSchedule) -> StoredSchedule | None:
        """What to store under a name. Asked again, it says the same."""
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
        row.next_fire_at = row.next_run_at = self._checked(
            task, self._next_after(task, answered_until(None, self._now))
        )
        return row

    def _take_over(self, task: Task, before: StoredSchedule, incoming: StoredSchedule) -> StoredSchedule | None:
        """What was there, changed in place where it has to be: of very many, copies would cost more than the rest."""
        configured = _CONFIGURED(incoming)
        wanted = Configuration(task.cron.expression, task.retry_delay)
        persisted = wanted if _CONFIGURED(before) == configured else read_configuration(before)
        standing = self._standings.get(task.name)
        history = self._histories[task.name] = read_history(standing, before, self._living, self._now)
        self._classify(task, before, persisted, history)
        at = self._checked(task, due_at(partial(self._next_after, task), history, before, self._now))
        after = (*configured, *_AS_REGISTERED.values(), at, at)
        there = _DECIDED(before)
        if there == after:
            return None
        for name, was, value in zip(_DECIDED_NAMES, there, after, strict=True):
            if was != value:
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
        """Many tasks have the same expression, and were last attempted at the same time."""
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
    def counts(self) -> dict[str, int]:
        """How many tasks are what."""
        counted = Counter(self._classified.values())
        return {str(kind): counted[kind] for kind in Classification}

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
