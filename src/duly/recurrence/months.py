"""Months: a day of the month or a weekday in it, in every n-th month or in the months listed."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, time, timedelta
from typing import ClassVar

from duly.errors import InvalidRecurrenceError
from duly.model.calendar import Month, Weekday
from duly.recurrence import words
from duly.recurrence.dated import Dated
from duly.recurrence.fields import MonthDay

_SELECTORS = ("on_day", "on_days_of_month", "on_first", "on_last", "on_days")


@dataclass(frozen=True, slots=True)
class MonthInterval(Dated):
    """Every n months, on the days one selector names (the 1st if none does), at the listed times.

    A day that a month does not have becomes its last one, and the month after is not affected: the 31st is the 28th
    in February and the 31st again in March.
    """

    KIND: ClassVar[str] = "month_interval"
    UNIT: ClassVar[str] = "month"
    PERIODS: ClassVar[int] = 10_000 * 12

    on_day: MonthDay | None = None
    on_days_of_month: tuple[MonthDay, ...] = ()
    on_first: Weekday | None = None
    on_last: Weekday | None = None
    on_days: tuple[Weekday, ...] = ()
    on_times: tuple[time, ...] = ()
    on_months: tuple[Month, ...] = ()

    def _agree(self) -> None:
        named = [name for name in _SELECTORS if getattr(self, name) not in (None, ())]
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
        """The months that an anchored series comes to."""
        phase = self._period(self._anchor_day() or 1)
        return {(phase + turn * self.interval) % 12 + 1 for turn in range(12)}

    @property
    def cycle(self) -> timedelta | None:
        return None  # months differ in length

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
        year, month = divmod(period, 12)
        if self.on_months and month + 1 not in self.on_months:
            return ()
        weekday, length = monthrange(year, month + 1)
        first = date(year, month + 1, 1).toordinal()
        if self.on_first is not None:
            return (first + (self.on_first - weekday) % 7,)
        if self.on_last is not None:
            return (first + length - 1 - (weekday + length - 1 - self.on_last) % 7,)
        if self.on_days:  # which of them is said by their weekday
            return range(first, first + length)
        wanted = self.on_days_of_month or (self.on_day or 1,)
        return sorted({first + min(day, length) - 1 for day in wanted})

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
        days = self.on_days_of_month or (self.on_day or 1,)
        return f"the {words.listed([words.ordinal(day) for day in days])}"
