"""What the store remembers of a task, and when the task is due because of it. Pure: `now` is an argument."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
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


def is_owed(cron: Cron, since: datetime, now: datetime) -> bool:
    """Whether a time of this expression has come after the last attempt, and waits for its answer."""
    following = cron.get_next_occurrence(since)
    return following is not None and following <= now


def read_history(standing: Standing | None, row: StoredSchedule, living: Collection[str], now: datetime) -> History:
    """What happened so far; `living` are the schedulers known to be alive.

    Runs are forgotten after a while; what the row itself remembers of the last one stands in for them. An attempt in
    the future was made when the clock was wrong: it must not silence the task until then.
    """
    history = History()
    if row.last_status not in _NOT_CARRIED_OUT:
        history.last_attempt_at = row.last_run_at
    if row.last_status == Status.SUCCEEDED:
        history.last_success_at = row.last_run_at
    if standing is not None:
        history.last_attempt_at = standing.last_attempt_at or history.last_attempt_at
        history.last_success_at = standing.last_success_at or history.last_success_at
        for run in standing.unfinished:
            _sort_in(history, run, living)
    if history.last_attempt_at is not None:
        history.last_attempt_at = min(history.last_attempt_at, now)
    return history


def _sort_in(history: History, run: Run, living: Collection[str]) -> None:
    if run.status is Status.RUNNING:
        if run.owner in living:
            history.under_way = run
        else:
            history.interrupted = run
    elif run.started_at is not None and run.attempt > 0 and run.error is not None:
        history.retry = run
    elif run.started_at is not None:
        history.interrupted = run  # somebody has noticed before us that its scheduler is gone


NextAfter = Callable[[datetime], datetime | None]
"""The next occurrence of an expression, strictly after a moment."""


def due_at(next_after: NextAfter, history: History, before: StoredSchedule, now: datetime) -> datetime | None:
    """The next nominal time of a task: in the past when something was missed that is to be made up.

    However much was missed, one run answers it, and a run that starts again is that one.
    """
    if history.under_way is not None:
        return before.next_fire_at or next_after(now)
    if history.interrupted is not None:
        return next_after(now)
    following = next_after(answered_until(history.last_attempt_at, now))
    if following is None or before.watermark is None or not following <= min(now, before.watermark):
        return following
    # It is on record already, as skipped perhaps, and cannot be recorded again: it is made up under a later time, or
    # under the present one.
    later = next_after(before.watermark)
    return now if later is None or later > now else later


def answered_until(last_attempt_at: datetime | None, now: datetime) -> datetime:
    """What came after this is owed. Of a task that has never run that is the current minute, all of it, and no more."""
    return now - MINUTE if last_attempt_at is None else last_attempt_at
