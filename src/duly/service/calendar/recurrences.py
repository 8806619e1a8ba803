"""Recurrence rules of calendar files as triggers, where a trigger says exactly the same.

As in `rules`, what a rule is read into is compared with the rule itself: at its next occurrences, and around the clock
changes to come.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from itertools import islice
from typing import Any

from duly.cron import Cron, DayMatch, Dialect
from duly.errors import InvalidCronExpressionError, InvalidRecurrenceError
from duly.model.calendar import Weekday
from duly.model.trigger import Trigger
from duly.recurrence import DayInterval, MonthInterval, RecurringTask, WeekInterval
from duly.service.calendar.expanding import ENDLESS, WEEKDAYS, Expansion, RuleParts
from duly.service.calendar.rules import CHECKED_AHEAD, fires_from
from duly.zones import Zone

_READ = frozenset({"FREQ", "INTERVAL", "COUNT", "UNTIL", "BYDAY", "BYMONTHDAY", "BYMONTH", "BYSETPOS", "WKST"})
_FREQUENCIES = frozenset({"DAILY", "WEEKLY", "MONTHLY", "YEARLY"})
_COMPARED = 40
_AROUND = timedelta(days=2)
_LOOK_BACK = timedelta(days=40)
_DAY = timedelta(days=1)


class RuleTimes:
    """The times of a rule on the clock of a zone. What costs a walk is found once, for all alarms of an entry."""

    def __init__(self, zone: str, start: datetime, parts: RuleParts) -> None:
        """`start` is the first time: what the clock shows, without a zone."""
        self.zone = zone
        self.start = start
        self.parts = parts

    @property
    def is_readable(self) -> bool:
        return self.parts.get("FREQ") in _FREQUENCIES and not set(self.parts) - _READ

    @property
    def is_endless(self) -> bool:
        return "COUNT" not in self.parts and "UNTIL" not in self.parts

    @cached_property
    def expansion(self) -> Expansion:
        return Expansion(self.parts, self.start)

    @cached_property
    def last(self) -> datetime | None:
        """What the clock shows at the last time: the end of the calendar without an end, None without any time."""
        count = self.parts.get("COUNT")
        until = self._until()
        end = ENDLESS if until is None else self._last_up_to(until)
        if count is None or end is None:
            return end
        counted = deque(islice(self.expansion.between(self.start, end), count), maxlen=1)
        return counted[0] if counted else None

    def _last_up_to(self, until: datetime) -> datetime | None:
        """Find the last time up to an instant, in longer and longer spans before it."""
        zone = Zone.of(self.zone)
        shown = zone.localize(until).replace(tzinfo=None, fold=0)
        high = min(shown, ENDLESS - _DAY) + _DAY
        reach = _LOOK_BACK
        while True:
            low = self.start if shown - self.start <= reach else shown - reach
            found = [each for each in self.expansion.between(low, high) if zone.shifted(each) <= until]
            if found or low == self.start:
                return found[-1] if found else None
            reach *= 4

    def _until(self) -> datetime | None:
        until = self.parts.get("UNTIL")
        if until is None:
            return None
        zone = Zone.of(self.zone)
        if not isinstance(until, datetime):  # a date: the whole day counts
            until = datetime(until.year, until.month, until.day, 23, 59, 59)  # noqa: DTZ001
        try:
            return until.astimezone(UTC) if until.tzinfo is not None else zone.shifted(until)
        except OverflowError:  # the first or the last day of the calendar: only somewhere else it has begun or is over
            return until.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class RecurrenceSeries:
    """The times of a rule, moved by an offset such as that of an alarm."""

    times: RuleTimes
    offset: timedelta = timedelta(0)

    @property
    def zone(self) -> str:
        return self.times.zone

    @property
    def start(self) -> datetime:
        return self.times.start

    @property
    def parts(self) -> RuleParts:
        return self.times.parts

    def instants(self, after: datetime) -> Iterator[datetime]:
        """Give the instants of the series after one."""
        zone = Zone.of(self.zone)
        last = self.times.last
        if last is None:
            return
        low = zone.localize(after).replace(tzinfo=None, fold=0) - self.offset - _DAY
        for local in self.times.expansion.between(low, last):
            instant = zone.shifted(local + self.offset)
            if instant > after:
                yield instant

    @property
    def until(self) -> datetime | None:
        """The last instant; None when there is no end."""
        last = None if self.times.is_endless else self.times.last
        return None if last is None else Zone.of(self.zone).shifted(last + self.offset)


def trigger_of(series: RecurrenceSeries, now: datetime) -> Trigger | None:
    """Give the trigger that fires at the instants of a series after `now`; None when there is no such trigger."""
    if not series.times.is_readable:
        return None
    moved = series.start + series.offset
    shift = (moved.date() - series.start.date()).days
    for make in (_cron, _interval):
        with suppress(
            InvalidRecurrenceError, InvalidCronExpressionError
        ):  # the rule has values that the trigger does not take
            trigger = make(series, moved, shift)
            if trigger is not None and _says_the_same(series, trigger, now):
                return _beginning(series, trigger, now)
    return None


def _beginning(series: RecurrenceSeries, trigger: Trigger, now: datetime) -> Trigger:
    """Let a trigger begin with the first occurrence of a series that has not begun yet."""
    first = next(series.instants(now))
    if trigger.get_next_occurrence(now) == first:
        return trigger
    begin: dict[str, Any] = {"specific_run_time": first, "min_gap": timedelta(0)}
    if isinstance(trigger, Cron):
        return RecurringTask(cron_interval=trigger, **begin)
    assert isinstance(trigger, DayInterval | WeekInterval | MonthInterval)  # noqa: S101  `_interval` makes no other
    parts: dict[str, Any] = {f"{trigger.UNIT}_interval": trigger, **begin}
    return RecurringTask(**parts)


def _says_the_same(series: RecurrenceSeries, trigger: Trigger, now: datetime) -> bool:
    wanted = list(islice(series.instants(now), _COMPARED))
    if not wanted or list(islice(fires_from(trigger, wanted[0]), len(wanted))) != wanted:
        return False
    if trigger.get_next_occurrence(wanted[0] - timedelta(microseconds=1)) != wanted[0]:
        return False
    if not series.times.is_endless and len(wanted) < _COMPARED:
        return True
    for change, _, _ in Zone.of(series.zone).transitions(now, now + CHECKED_AHEAD):
        start = max(wanted[0], change - _AROUND)
        some = [each for each in islice(series.instants(start), _COMPARED) if each <= change + _AROUND]
        if some and not _agree(trigger, start, some):
            return False
        following = trigger.get_next_occurrence(some[-1] if some else start)
        ends = not series.times.is_endless and next(series.instants(change + _AROUND), None) is None
        if following is not None and following <= change + _AROUND and not ends:
            return False
    return True


def _agree(trigger: Trigger, after: datetime, wanted: list[datetime]) -> bool:
    first = trigger.get_next_occurrence(after)
    return first is not None and list(islice(fires_from(trigger, first), len(wanted))) == wanted


# candidates


def _cron(series: RecurrenceSeries, moved: datetime, shift: int) -> Trigger | None:
    """Say a rule that leaves no period out as a cron expression."""
    parts = series.parts
    if parts.get("INTERVAL", 1) != 1 or "BYSETPOS" in parts:
        return None
    freq = parts["FREQ"]
    months = list(parts.get("BYMONTH", ()))
    dates = list(parts.get("BYMONTHDAY", ()))
    days = list(parts.get("BYDAY", ()))
    if not days and not dates:
        if freq == "WEEKLY":
            days = [WEEKDAYS[series.start.weekday()]]
        elif freq in ("MONTHLY", "YEARLY"):
            dates = [series.start.day]
    if freq == "YEARLY" and not months:
        if days:
            return None  # the first Monday of a year is no cron expression
        months = [series.start.month]
    if shift and (dates or months or any(len(day) > 2 for day in days)):
        return None
    fields = [
        str(moved.minute),
        str(moved.hour),
        ",".join(_date(date) for date in dates) or "*",
        ",".join(map(str, months)) or "*",
        ",".join(_cron_day(day, shift) for day in days) or "*",
    ]
    text = " ".join([str(moved.second), *fields] if moved.second else fields)
    dialect = Dialect.SECONDS if moved.second else Dialect.STANDARD
    match = DayMatch.AND if dates and days else DayMatch.OR
    return Cron(text, dialect=dialect, tz=series.zone, day_match=match)


def _date(number: int) -> str:
    return str(number) if number > 0 else "L" if number == -1 else f"L-{-number - 1}"


def _cron_day(text: str, shift: int) -> str:
    """Write a weekday such as `MO`, `2TU` or `-1FR` as cron does."""
    day = (WEEKDAYS.index(text[-2:]) + shift) % 7
    number = (day + 1) % 7  # cron counts from Sunday
    which = text[:-2]
    if not which:
        return str(number)
    return f"{number}L" if int(which) == -1 else f"{number}#{int(which)}"


def _interval(series: RecurrenceSeries, moved: datetime, shift: int) -> Trigger | None:
    """Say a rule that leaves periods out as an interval that counts from the first occurrence."""
    parts = series.parts
    times = (moved.time(),)
    common: dict[str, Any] = {"tz": series.zone, "anchor": Zone.of(series.zone).shifted(moved)}
    count = parts.get("INTERVAL", 1)
    days = parts.get("BYDAY", ())
    makers: dict[str, Callable[[], Trigger | None]] = {
        "DAILY": lambda: DayInterval(count, times, _weekdays(days, shift), **common),
        "WEEKLY": lambda: WeekInterval(
            count, _weekdays(days or [WEEKDAYS[series.start.weekday()]], shift), times, **common
        ),
        "MONTHLY": lambda: _months(series, count, moved, shift, common),
        "YEARLY": lambda: _months(series, 12 * count, moved, shift, common),
    }
    if parts["FREQ"] in ("DAILY", "WEEKLY") and ("BYMONTH" in parts or "BYMONTHDAY" in parts):
        return None
    return makers[parts["FREQ"]]()


def _months(
    series: RecurrenceSeries, count: int, moved: datetime, shift: int, common: Mapping[str, Any]
) -> Trigger | None:
    parts = series.parts
    dates = list(parts.get("BYMONTHDAY", ()))
    days = list(parts.get("BYDAY", ()))
    if shift or "BYMONTH" in parts or (days and dates) or len(days) > 1:
        return None
    times = (moved.time(),)
    if days:
        day = Weekday(WEEKDAYS.index(days[0][-2:]))
        which = days[0][:-2]
        if which == "1":
            return MonthInterval(count, on_first=day, on_times=times, **common)
        return MonthInterval(count, on_last=day, on_times=times, **common) if which == "-1" else None
    if parts.get("BYSETPOS") == [-1] and dates == list(range(28, 28 + len(dates))):
        return MonthInterval(count, on_day=dates[-1], on_times=times, **common)
    if "BYSETPOS" in parts:
        return None
    return MonthInterval(count, on_days_of_month=tuple(dates or [series.start.day]), on_times=times, **common)


def _weekdays(days: Any, shift: int) -> tuple[Weekday, ...]:
    return tuple(sorted(Weekday((WEEKDAYS.index(day) + shift) % 7) for day in days))
