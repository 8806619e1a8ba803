"""What clock changes of the coming year do to a trigger, told in words before anybody is surprised."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, time, timedelta

from duly.cron import Cron
from duly.model.trigger import Trigger
from duly.recurrence import AnyOf, CronInterval, DayInterval, MonthInterval, RecurringTask, WeekInterval
from duly.zones import DstPolicy, Zone

_YEAR = timedelta(days=366)
_SECOND = timedelta(seconds=1)
_MOST_NOTES = 4
_Dated = DayInterval | WeekInterval | MonthInterval


def clock_notes(trigger: Trigger, now: datetime) -> list[str]:
    """The first few; none in a zone whose clocks do not change."""
    found = sorted(note for part in dated_parts(trigger) for note in _notes(part, now))
    return [text for _, text in dict.fromkeys(found)][:_MOST_NOTES]


def dated_parts(trigger: Trigger) -> list[Cron | _Dated]:
    """What names times of day; a rhythm of hours or minutes goes on whatever the clocks say."""
    if isinstance(trigger, CronInterval):
        return [trigger.cron]
    if isinstance(trigger, AnyOf):
        return [part for each in trigger.triggers for part in dated_parts(each)]
    if isinstance(trigger, RecurringTask):
        return dated_parts(trigger.intervals[0]) if len(trigger.intervals) == 1 else []
    return [trigger] if isinstance(trigger, Cron | _Dated) else []


def _notes(part: Cron | _Dated, now: datetime) -> Iterator[tuple[datetime, str]]:
    from duly.cron.surprises import surprises  # late: most schedules are in zones without changes

    zone = Zone.of(part.tz)
    if zone.fixed:
        return
    if isinstance(part, Cron):
        yield from ((each.at, each.text) for each in surprises(part, now, now + _YEAR))
        return
    for moment in part.on_times or (time(),):
        every_day = Cron(_at(moment), tz=part.tz, dialect="seconds", dst=DstPolicy(part.dst))
        for each in surprises(every_day, now, now + _YEAR):
            instant = zone.first_instant(each.local)
            if part.get_next_occurrence(instant - _SECOND) == instant:  # this day is one of its days
                yield each.at, each.text


def _at(moment: time) -> str:
    return f"{moment.second} {moment.minute} {moment.hour} * * *"
