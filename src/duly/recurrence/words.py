"""English for times, days and lengths, from which `describe()` is put together."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, time, timedelta

from duly.cron.words import counted as every
from duly.cron.words import joined as listed
from duly.cron.words import ordinal
from duly.model.calendar import Month, Weekday

__all__ = [
    "clock",
    "clocks",
    "days_of_week",
    "each_day",
    "every",
    "length",
    "listed",
    "moment",
    "name",
    "names",
    "ordinal",
]

_WORKING_DAYS = tuple(Weekday)[:5]


def clock(moment: time) -> str:
    """A time of day, with its seconds only where there are some."""
    return moment.isoformat("seconds" if moment.second else "minutes")


def clocks(moments: Iterable[time]) -> str:
    """Several times of day; midnight when none is given."""
    return listed([clock(moment) for moment in moments] or ["00:00"])


def name(value: Weekday | Month) -> str:
    """Monday, January."""
    return value.name.capitalize()


def names(values: Iterable[Weekday] | Iterable[Month]) -> str:
    """Monday and Friday."""
    return listed([name(value) for value in values])


def days_of_week(days: Iterable[Weekday]) -> str:
    """Weekdays, a run of three or more of them as a range."""
    ordered = sorted(days)
    in_a_row = ordered[-1] - ordered[0] == len(ordered) - 1
    return f"{name(ordered[0])} to {name(ordered[-1])}" if in_a_row and len(ordered) > 2 else names(ordered)


def each_day(days: Iterable[Weekday]) -> str:
    """Name the days after "every": day, weekday, or the days by name."""
    ordered = tuple(sorted(days))
    if len(ordered) in (0, 7):
        return "day"
    return "weekday" if ordered == _WORKING_DAYS else names(ordered)


def moment(at: datetime) -> str:
    """An instant in UTC."""
    face = at.replace(tzinfo=None, microsecond=0).isoformat(" ", "seconds" if at.second else "minutes")
    return f"{face} UTC"


def length(span: timedelta) -> str:
    """A length of time in its natural units."""
    minutes, seconds = divmod(span.seconds, 60)
    hours, minutes = divmod(minutes, 60)
    rest = f"{seconds + span.microseconds / 1_000_000:.6f}".rstrip("0").rstrip(".")
    counts = ((str(span.days), "day"), (str(hours), "hour"), (str(minutes), "minute"), (rest, "second"))
    spoken = [f"{count} {unit}" + ("" if count == "1" else "s") for count, unit in counts if count != "0"]
    return listed(spoken or ["0 seconds"])
