"""The history of a task, read from the store, and the time at which the task is due because of it. Pure."""

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
    """The past of a task: its last attempts, and its unfinished run by what is to be done about it."""

    last_attempt_at: datetime | None = None
    last_success_at: datetime | None = None
    interrupted: Run | None = None
    """Started by a scheduler that is gone: it starts again."""
    under_way: Run | None = None
    """Another scheduler, which is alive, carries it out."""
    retry: Run | None = None
    """Failed, and to be tried again at its `due_at`."""


def is_owed(cron: Cron, since: datetime, now: datetime) -> bool:
    """Say whether a cron time has come since the last attempt, so that a run is owed."""
    following = cron.get_next_occurrence(since)
    return following is not None and following <= now


def read_history(standing: Standing | None, row: StoredSchedule, living: Collection[str], now: datetime) -> History:
    """Read the history of a task; `living` are the schedulers known to be alive.

    Old runs are pruned; then the row's own columns about the last run stand in for them. An attempt in the future was
    made while the clock was wrong: it is taken as one of now, or the task would not run until then.
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
        history.interrupted = run  # another node has rescued it from its scheduler, which is gone


NextAfter = Callable[[datetime], datetime | None]
"""The next occurrence of an expression, strictly after a moment."""


def due_at(next_after: NextAfter, history: History, before: StoredSchedule, now: datetime) -> datetime | None:
    """Give the next nominal time of a task: in the past when it missed one and owes a run.

    One run makes up for any number of missed times; an interrupted run that starts again is that run.
    """
    if history.under_way is not None:
        return before.next_fire_at or next_after(now)
    if history.interrupted is not None:
        return next_after(now)
    following = next_after(answered_until(history.last_attempt_at, now))
    if following is None or before.watermark is None or not following <= min(now, before.watermark):
        return following
    # That time has a run already, perhaps a skipped one, and a fire has one run: the owed run takes a later time, or
    # the present.
    later = next_after(before.watermark)
    return now if later is None or later > now else later


def answered_until(last_attempt_at: datetime | None, now: datetime) -> datetime:
    """Give the time after which cron times are owed. A task that has never run owes the current minute and no more."""
    return now - MINUTE if last_attempt_at is None else last_attempt_at
