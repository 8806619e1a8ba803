"""A cron expression as one interval among others."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from datetime import datetime
from typing import ClassVar

from duly.cron import Cron, DayMatch, Dialect
from duly.recurrence.fields import DstChoice, TimeZone, Words
from duly.recurrence.record import Leap, TriggerRecord
from duly.recurrence.skip import leap


@dataclass(frozen=True, slots=True)
class CronInterval(TriggerRecord):
    """A cron expression of five fields, or of six with the seconds first."""

    KIND: ClassVar[str] = "cron_interval"

    cron_expression: Words
    dialect: Words = str(Dialect.SECONDS)
    _: KW_ONLY
    tz: TimeZone = "UTC"
    dst: DstChoice | None = None
    """What a clock change does; None takes what is usual in the dialect."""
    day_match: Words = str(DayMatch.OR)
    _cron: Cron = field(init=False, repr=False, compare=False)

    def _settle(self) -> None:
        cron = Cron(self.cron_expression, dialect=self.dialect, tz=self.tz, dst=self.dst, day_match=self.day_match)
        self._put("dst", cron.dst)
        self._put("_cron", cron)

    @property
    def cron(self) -> Cron:
        """The expression by itself."""
        return self._cron

    def get_next_occurrence(self, current: datetime) -> datetime | None:
        """The next fire in UTC, or None at the end of the calendar."""
        return self._cron.get_next_occurrence(current)

    def leap(self, current: datetime, limit: datetime) -> Leap:
        return leap(self._cron, current, limit)

    def describe(self) -> str:
        """The expression in words."""
        return self._cron.describe()
