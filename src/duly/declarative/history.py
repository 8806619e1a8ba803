"""What the store remembers of a task, and when the task is due because of it. Pure: `now` is an argument."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from duly.cron import Cron
from duly.model.run import Run, Status
from duly.ports.records import Standing, StoredSchedule

MINUTE = timedelta(minutes=1)
_NOT_CARRIED_OUT = (None, Status.SKIPPED, Status.CANCELLED, Status.MISSED)


@dataclass(slots=True)
class History:
    """A task's past, sorted by what it means for its future."""

    last_attempt_at: datetime | None = None
    last_success_at: datetime | None = None
    interrupted: Run | None = None
    """Started by a scheduler that is gone."""
    under_way: Run | None = None
    """Being carried out by another scheduler that is alive."""
    retry: Run | None = None
    """Failed, and to be tried again at its `due_at`."""
    unstarted: list[Run] = field(default_factory=list)
    """Recorded, and not begun by anybody: what is owed is worked out anew instead."""


def is_owed(cron: Cron, since: datetime, now: datetime) -> bool:
    """Whether a time of this expression has come after the last attempt, and waits for its answer."""
    following = cron.get_next_occurrence(since)
    return following is not None and following <= now


def read_history(standing: Standing | None, row: StoredSchedule, living: Collection[str]) -> History:
    """What happened so far; `living` are the schedulers known to be alive.

    Runs are forgotten after a while; what the row itself remembers of the last one stands in for them.
    """
    history = History()
    if row.last_status not in _NOT_CARRIED_OUT:
        history.last_attempt_at = row.last_run_at
    if row.last_status == Status.SUCCEEDED:
        history.last_success_at = row.last_run_at
    if standing is None:
        return history
    history.last_attempt_at = standing.last_attempt_at or history.last_attempt_at
    history.last_success_at = standing.last_success_at or history.last_success_at
    for run in standing.unfinished:
        _sort_in(history, run, living)
    return history


def _sort_in(history: History, run: Run, living: Collection[str]) -> None:
    if run.status is Status.RUNNING:
        if run.owner in living:
            history.under_way = run
        else:
            history.interrupted = run
    elif run.started_at is None:
        history.unstarted.append(run)
    elif run.attempt > 0 and run.error is not None:
        history.retry = run
    else:
        history.interrupted = run  # somebody has noticed before us that its scheduler is gone


def due_at(cron: Cron, history: History, before: StoredSchedule, now: datetime) -> datetime | None:
    """The next nominal time of a task: in the past when something was missed that is to be made up.

    However much was missed, one run answers it, and a run that starts again is that one.
    """
    if history.under_way is not None:
        return before.next_fire_at or cron.get_next_occurrence(now)
    if history.interrupted is not None:
        return cron.get_next_occurrence(now)
    since = now - MINUTE if history.last_attempt_at is None else history.last_attempt_at
    if before.watermark is None or not is_owed(cron, since, now):
        return cron.get_next_occurrence(since)
    # A time that is on record already, as one that was skipped perhaps, cannot be recorded again: then it is made up
    # under the present one.
    following = cron.get_next_occurrence(max(since, before.watermark))
    return now if following is None or following > now else following


def first_due_at(cron: Cron, now: datetime) -> datetime | None:
    """Of a task that has never run: the current minute if it matches, all of it, or else a time to come."""
    return cron.get_next_occurrence(now - MINUTE)
