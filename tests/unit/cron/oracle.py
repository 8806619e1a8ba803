"""Cron by brute force: walks real time step by step, asks zoneinfo what the wall clock shows, and compares.

Written from the meaning of the language alone: sets and calendars, no arithmetic shared with the engine.
"""

from __future__ import annotations

import calendar
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property, lru_cache
from zoneinfo import ZoneInfo

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
MONTHS = {name: number for number, name in enumerate(_MONTHS, 1)}
WEEKDAYS = {"sun": 0, "mon": 1, "tue": 2, "wed": 3, "thu": 4, "fri": 5, "sat": 6}
SECOND = timedelta(seconds=1)
MINUTE = timedelta(minutes=1)
LOOKBACK = timedelta(hours=26)  # clocks have been put back by a whole day


@dataclass(frozen=True)
class Oracle:
    """One expression, and the slow answer to every question about it."""

    expression: str
    zone: str = "UTC"
    policy: str = "once"
    day_match: str = "or"

    @cached_property
    def words(self) -> list[str]:
        words = self.expression.lower().split()
        return words if len(words) == 6 else ["0", *words]

    @cached_property
    def grain(self) -> timedelta:
        return SECOND if len(self.expression.split()) == 6 else MINUTE

    @cached_property
    def once(self) -> bool:
        return self.policy == "once" and not self.words[1].startswith("*") and not self.words[2].startswith("*")

    @cached_property
    def times(self) -> tuple[set[int], set[int], set[int]]:
        second, minute, hour = self.words[:3]
        return named_values(second, 0, 59), named_values(minute, 0, 59), named_values(hour, 0, 23)

    def days(self, year: int, month: int) -> frozenset[int]:
        """The days of a month on which this fires."""
        day, months, weekday = self.words[3:]
        if month not in named_values(months, 1, 12, MONTHS):
            return frozenset()
        return named_days(day, weekday, self.day_match, year, month)

    def shows(self, face: datetime) -> bool:
        """Whether a wall clock with this face (naive) shows a named time."""
        seconds, minutes, hours = self.times
        return (
            face.second in seconds
            and face.minute in minutes
            and face.hour in hours
            and face.day in _days(self, face.year, face.month)
        )

    def fires(
        self,
        start: datetime,
        end: datetime,
        *,
        grain: timedelta | None = None,
        lookback: timedelta = LOOKBACK,
    ) -> list[datetime]:
        """Every fire in (start, end], in UTC. A finer grain than the expression's own is for odd offsets."""
        step = grain or self.grain
        begin = _floor(start.astimezone(UTC) - lookback, step)
        (_, furthest), *steps = faces(self.zone, begin, end, step)
        found = []
        for at, face in steps:
            if at > start and self._fires(face, furthest, step):
                found.append(at)
            furthest = max(furthest, face)
        return found

    def _fires(self, face: datetime, furthest: datetime, step: timedelta) -> bool:
        """Policy `once`: was a named time reached with this step? Else: is one on the clock?"""
        if not self.once:
            return self.shows(face)
        while (furthest := furthest + step) <= face:
            if self.shows(furthest):
                return True
        return False


@lru_cache(maxsize=4096)
def _days(oracle: Oracle, year: int, month: int) -> frozenset[int]:
    return oracle.days(year, month)


@lru_cache(maxsize=4)
def faces(zone: str, begin: datetime, end: datetime, step: timedelta) -> list[tuple[datetime, datetime]]:
    """What the wall clock shows (naive) at every step of [begin, end]."""
    tz = ZoneInfo(zone)
    number = (end - begin) // step + 1
    return [(at, at.astimezone(tz).replace(tzinfo=None, fold=0)) for at in (begin + n * step for n in range(number))]


def _floor(at: datetime, step: timedelta) -> datetime:
    whole = at.replace(microsecond=0)
    return whole if step == SECOND else whole.replace(second=0)


def named_values(text: str, low: int, high: int, names: dict[str, int] | None = None) -> set[int]:
    """The values that a list of numbers, ranges and steps names."""
    found: set[int] = set()
    for item in text.split(","):
        span, _, step = item.partition("/")
        found.update(_walk(span, bool(step), low, high, names or {})[:: int(step or 1)])
    return found


def _walk(span: str, stepped: bool, low: int, high: int, names: dict[str, int]) -> list[int]:
    if span == "*":
        return list(range(low, high + 1))
    ends = [names[word] if word in names else int(word) for word in span.split("-")]
    if len(ends) == 1:
        ends.append(high if stepped else ends[0])
    first, last = ends
    if first <= last:
        return list(range(first, last + 1))
    return [*range(first, high + 1), *range(low, last + 1)]


def named_days(day: str, weekday: str, day_match: str, year: int, month: int) -> frozenset[int]:
    """The days of one month, by date, by weekday, or by both."""
    everyday = frozenset(range(1, calendar.monthrange(year, month)[1] + 1))
    by_date = everyday if day in "*?" else _by_date(day, year, month)
    by_weekday = everyday if weekday in "*?" else _by_weekday(weekday, year, month)
    if day in "*?" or weekday in "*?" or day_match == "and":
        return by_date & by_weekday & everyday
    return (by_date | by_weekday) & everyday


def _by_date(text: str, year: int, month: int) -> frozenset[int]:
    last = calendar.monthrange(year, month)[1]
    found: set[int] = set()
    for item in text.split(","):
        if item.endswith("w") and item.startswith("l"):
            found |= _nearest_working_day(last - int(item[2:-1] or 0), year, month)
        elif "w" in item:
            found |= _nearest_working_day(min(int(item.strip("w")), last), year, month)
        elif item.startswith("l"):
            found.add(last - int(item[2:] or 0))
        else:
            found |= named_values(item.replace("-l", "-31"), 1, 31)
    return frozenset(found)


def _nearest_working_day(wanted: int, year: int, month: int) -> set[int]:
    working = [
        day for day in range(1, calendar.monthrange(year, month)[1] + 1) if _weekday(year, month, day) in range(1, 6)
    ]
    return {min(working, key=lambda day: abs(day - wanted))} if wanted >= 1 else set()


def _by_weekday(text: str, year: int, month: int) -> frozenset[int]:
    found: set[int] = set()
    for item in text.split(","):
        if "#" in item:
            span, which = item.split("#")
            for value in named_values(span, 0, 6, WEEKDAYS):
                found.update(_all_of(value, year, month)[int(which) - 1 : int(which)])
        elif "l" in item:
            (value,) = named_values(item.strip("l"), 0, 6, WEEKDAYS)
            found.add(_all_of(value, year, month)[-1])
        else:
            for value in named_values(item, 0, 6, WEEKDAYS):
                found.update(_all_of(value, year, month))
    return frozenset(found)


def _all_of(weekday: int, year: int, month: int) -> list[int]:
    days = range(1, calendar.monthrange(year, month)[1] + 1)
    return [day for day in days if _weekday(year, month, day) == weekday % 7]


def _weekday(year: int, month: int, day: int) -> int:
    return (calendar.weekday(year, month, day) + 1) % 7  # Sunday is 0


@lru_cache(maxsize=1024)
def transitions(zone: str, first_year: int, last_year: int) -> tuple[datetime, ...]:
    """The instants (UTC) at which a zone changes its offset, found by asking about every day."""
    tz = ZoneInfo(zone)
    at = datetime(first_year, 1, 1, tzinfo=UTC)
    found = []
    while at.year <= last_year:
        before = at
        at = at + timedelta(days=1)
        if at.astimezone(tz).utcoffset() != before.astimezone(tz).utcoffset():
            found.append(_change(tz, before, at))
    return tuple(found)


def _change(tz: ZoneInfo, before: datetime, after: datetime) -> datetime:
    """The first instant in (before, after] with the offset of `after`."""
    while after - before > SECOND:
        middle = before + timedelta(seconds=(after - before) // SECOND // 2)
        if middle.astimezone(tz).utcoffset() == after.astimezone(tz).utcoffset():
            after = middle
        else:
            before = middle
    return after
