"""The two triggers that are no intervals: one instant, and a cron expression among intervals."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from datetime import datetime
from typing import ClassVar

from duly.cron import Cron, DayMatch, Dialect
from duly.recurrence.clockface import in_utc
from duly.recurrence.fields import AText, DstChoice, TimeZone
from duly.recurrence.occurrences import leap
from duly.recurrence.record import Leap, TriggerRecord
from duly.recurrence.words import moment


@dataclass(frozen=True, slots=True)
class Once(TriggerRecord):
    """At one instant. `Zone.shifted` finds the instant of a wall-clock time that a clock change may have hit."""

    KIND: ClassVar[str] = "once"

    at: datetime

    def get_next_occurrence(self, current: datetime) -> datetime | None:
        """The instant, as long as it is still to come."""
        return self.at if in_utc(current) < self.at else None

    def describe(self) -> str:
        """The instant, in UTC."""
        return f"once at {moment(self.at)}"


@dataclass(frozen=True, slots=True)
class CronInterval(TriggerRecord):
    """A cron expression of five fields, or of six with the seconds first."""

    KIND: ClassVar[str] = "cron_interval"

    cron_expression: AText
    dialect: AText = str(Dialect.SECONDS)
    _: KW_ONLY
    tz: TimeZone = "UTC"
    dst: DstChoice | None = None
    """What a clock change does; None takes the usual policy of the dialect."""
    day_match: AText = str(DayMatch.OR)
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
