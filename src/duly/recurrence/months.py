"""Months: a day of the month or a weekday in it, in every n-th month or in the months listed."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from datetime import date, datetime, time, timedelta
from typing import ClassVar, Self

from duly.errors import InvalidRecurrenceError
from duly.model.calendar import Month, Weekday
from duly.recurrence import words
from duly.recurrence.clockface import in_utc, local_day
from duly.recurrence.dated import Dated
from duly.recurrence.fields import OPEN, CountOrNone, MonthDay, Start
from duly.zones import to_seconds

_SELECTORS = ("on_day", "on_days_of_month", "on_first", "on_last", "on_days")


@dataclass(frozen=True, slots=True)
class MonthInterval(Dated):
    """Every n months, on the days one selector names, at the listed times.

    Without a selector the day is that of the month on which the series begins: `start` fixes it when the series is
    made. Asked before that, the interval takes each moment from which it is asked as the beginning.

    A day that a month does not have becomes its last one, and the month after is not affected: the 31st is the 28th
    in February and the 31st again in March.
    """

    KIND: ClassVar[str] = "month_interval"
    UNIT: ClassVar[str] = "month"
    LISTS: ClassVar[tuple[str, ...]] = ("on_days", "on_months")
    PERIODS: ClassVar[int] = 10_000 * 12

    interval: CountOrNone = 1
    on_day: MonthDay | None = None
    on_days_of_month: tuple[MonthDay, ...] = ()
    on_first: Weekday | None = None
    on_last: Weekday | None = None
    on_days: tuple[Weekday, ...] = ()
    on_times: tuple[time, ...] = ()
    on_months: tuple[Month, ...] = ()
    _: KW_ONLY
    start: Start = OPEN
    """Where no selector names the day: the date on which the series began, which gives the day and the phase.

    None with a selector, and in series that were stored before duly kept this: those run on the 1st.
    """

    def _agree(self) -> None:
        named = [name for name in _SELECTORS if getattr(self, name) not in (None, ())]
        if named and self.start == OPEN:
            self._put("start", None)
        elif self.start is not None and self.start != OPEN:
            named.append("start")
        if len(named) > 1:
            raise InvalidRecurrenceError(
                f"a month interval takes one of {', '.join(_SELECTORS)}, got {words.listed(named)}"
            )
        if self.on_months and self.anchor is not None and not self._reached() & set(self.on_months):
            raise InvalidRecurrenceError(
                f"every {self.interval} months from {words.moment(self.anchor)} never falls "
                f"in {words.names(self.on_months)}"
            )

    def _reached(self) -> set[int]:
        """Give the months of the year that an anchored series comes to: they repeat after at most twelve turns."""
        phase = self._period(self._anchor_day() or 1)
        return {(phase + turn * self.interval) % 12 + 1 for turn in range(12)}

    def begun(self, at: datetime) -> Self:
        """The interval of a series that begins at `at`: without a selector it takes the day from there, for good."""
        return replace(self, start=self._date(in_utc(at, "at"))) if self.start == OPEN else self

    def unbegun(self) -> Self:
        """The interval without its beginning; what was stored before beginnings were kept is open as well."""
        named = any(getattr(self, name) not in (None, ()) for name in _SELECTORS)
        return self if named else replace(self, start=OPEN)

    def _date(self, at: datetime) -> date:
        return date.fromordinal(local_day(self.zone, to_seconds(at)))

    @property
    def fixed_slots(self) -> bool:
        return self.start != OPEN and (self.interval == 1 or self.anchor is not None or self.start is not None)

    @property
    def cycle(self) -> timedelta | None:
        return None  # months differ in length

    def _counts_from(self) -> int | None:
        anchored = self._anchor_day()
        if anchored is not None:
            return self._period(anchored)
        if not isinstance(self.start, date):
            return None
        began = self._period(self.start.toordinal())
        # The first listed month from the beginning on: within a year there is one.
        return next(period for period in range(began, began + 12) if self._in_listed_month(period))

    def _times(self) -> tuple[time, ...]:
        return self.on_times

    def _weekdays(self) -> Sequence[Weekday]:
        one = self.on_first if self.on_first is not None else self.on_last
        if one is not None:
            return (one,)
        return self.on_days or tuple(Weekday)

    def _period(self, day: int) -> int:
        when = date.fromordinal(day)
        return when.year * 12 + when.month - 1

    def _days(self, period: int) -> Sequence[int]:
        if not self._in_listed_month(period):
            return ()
        year, month = divmod(period, 12)
        weekday, length = monthrange(year, month + 1)
        first = date(year, month + 1, 1).toordinal()
        if self.on_first is not None:
            return (first + (self.on_first - weekday) % 7,)  # 0 to 6 days after the 1st
        if self.on_last is not None:
            return (first + length - 1 - (weekday + length - 1 - self.on_last) % 7,)  # 0 to 6 days before the last
        if self.on_days:  # all days here; `_weekdays` leaves slots only on the listed weekdays
            return range(first, first + length)
        return sorted({first + min(day, length) - 1 for day in self._days_of_month()})

    def _in_listed_month(self, period: int) -> bool:
        return not self.on_months or period % 12 + 1 in self.on_months

    def _days_of_month(self) -> tuple[int, ...]:
        return self.on_days_of_month or (self.on_day or (self.start.day if isinstance(self.start, date) else 1),)

    def _calendar_words(self) -> str:
        if self.interval > 1:
            only = f", only in {words.names(self.on_months)}," if self.on_months else ""
            return f"{words.every(self.interval, self.UNIT)} on {self._which()}{only}"
        if self.on_months:
            return f"on {self._which()} of {words.names(self.on_months)}"
        if self.on_first is not None or self.on_last is not None:
            return f"on {self._which()} of every month"
        return f"every month on {self._which()}"

    def _which(self) -> str:
        for position, weekday in (("first", self.on_first), ("last", self.on_last)):
            if weekday is not None:
                return f"the {position} {words.name(weekday)}"
        if self.on_days:
            return f"every {words.names(self.on_days)}"
        if self.start == OPEN:
            return "its starting day"
        return f"the {words.listed([words.ordinal(day) for day in self._days_of_month()])}"

    def _counting_words(self) -> str | None:
        if self.anchor is None and isinstance(self.start, date):
            return self.start.isoformat()
        return None if self.anchor is None else words.moment(self.anchor)
