"""Pauses with an end. Pure: each function takes a row as a store keeps it, and gives the row to store next.

A reminder that is paused until a time stays enabled and keeps its trigger; only its next fire lies later than usual.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import NamedTuple

from duly.errors import InvalidInputError
from duly.planning import lifecycle
from duly.planning.correction import next_from
from duly.ports.records import StoredSchedule
from duly.ports.row_reader import READER
from duly.recurrence import Once
from duly.service.reminders.timing import base_of

_TICK = timedelta(microseconds=1)
_SOON = timedelta(seconds=1)
"""By so much a next fire may differ from a newly computed one without being put off."""


class PauseEnd(NamedTuple):
    """The end of a pause."""

    at: datetime
    """What comes only once, and was held back, comes then."""
    day: datetime
    """What has its own time from here on keeps it: the beginning of the day, where only a day was said."""


def put_off(row: StoredSchedule, now: datetime, end: PauseEnd) -> StoredSchedule | None:
    """Give a row its first fire after a pause; None where nothing fires before its end, or it is paused already.

    One that comes only once, and within the pause, comes at its end: late rather than never.
    """
    if not row.enabled or row.next_fire_at is None or row.next_fire_at >= end.day:
        return None
    trigger = READER.trigger(row.trigger)
    base = base_of(trigger)
    goes_on = trigger.get_next_occurrence(end.day - _TICK)
    if isinstance(base, Once):
        at = end.at if base.at < end.day or goes_on is None else goes_on
        return _placed(row, at)
    paused = lifecycle.pause(row, now)
    with suppress(InvalidInputError):
        return lifecycle.resume(paused, end.day - _TICK if goes_on == end.day else end.day, READER)
    return paused  # the series ends before that time


def is_put_off(row: StoredSchedule, now: datetime) -> bool:
    """Tell whether a row that is enabled comes later than it would by its trigger."""
    if not row.enabled or row.next_fire_at is None or row.next_fire_at <= now:
        return False
    trigger = READER.trigger(row.trigger)
    base = base_of(trigger)
    usual = trigger.get_next_occurrence(now) if isinstance(base, Once) else next_from(trigger, now, row.fires)
    if usual is not None and row.watermark is not None and usual <= row.watermark:
        usual = trigger.get_next_occurrence(row.watermark)  # a fire that a person skipped
    if usual is None and isinstance(base, Once):
        usual = base.at  # its time passed while it was paused
    return usual is not None and row.next_fire_at - usual > _SOON


def is_paused(row: StoredSchedule, now: datetime) -> bool:
    """Tell whether a row is paused, with or without an end."""
    return is_put_off(row, now) if row.enabled else row.disabled_by != "finished"


def brought_back(row: StoredSchedule, now: datetime) -> StoredSchedule | None:
    """Let a paused row come again from now on; None where it is not paused, or its series has ended.

    One that comes only once, and whose time passed while it was paused, comes at once.
    """
    if not is_paused(row, now):
        return None
    paused = row if not row.enabled else lifecycle.pause(row, now)
    with suppress(InvalidInputError):
        return lifecycle.resume(paused, now, READER)
    if not isinstance(base_of(READER.trigger(row.trigger)), Once):
        return None
    return _placed(replace(row, enabled=True, disabled_by=None), now)


def own_time(row: StoredSchedule) -> datetime | None:
    """Give when a reminder itself comes next, not what comes ahead of it."""
    trigger = READER.trigger(row.trigger)
    base = base_of(trigger)
    comes = row.next_run_at
    if base is trigger or comes is None:
        return comes
    return max(base.at, comes) if isinstance(base, Once) else base.get_next_occurrence(comes - _TICK)


def _placed(row: StoredSchedule, at: datetime) -> StoredSchedule:
    """Give a row its next fire; one that ends a minute after its time ends later, too."""
    until = None if row.until_at is None else max(row.until_at, at)
    return replace(row, next_fire_at=at, next_run_at=at, until_at=until)
