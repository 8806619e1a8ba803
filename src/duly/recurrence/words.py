"""Triggers in English: the small pieces that `describe()` puts together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, time, timedelta

from duly.model.calendar import Month, Weekday

_WORKING_DAYS = tuple(Weekday)[:5]


def listed(items: Sequence[str]) -> str:
    """One, two and three."""
    return " and ".join([", ".join(items[:-1]), items[-1]]) if len(items) > 1 else items[0]


def every(count: int, unit: str) -> str:
    """Every day, every 2 days."""
    return f"every {unit}" if count == 1 else f"every {count} {unit}s"


def ordinal(number: int) -> str:
    """1st, 2nd, 3rd, 11th."""
    suffix = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{suffix}"


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
    """What follows "every": day, weekday, or the days by name."""
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
