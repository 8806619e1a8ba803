"""A trigger that also occurs some time ahead of each of its instants, so that a person can get ready."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, ClassVar

from duly.cron import Cron
from duly.errors import InvalidRecurrenceError
from duly.model.trigger import Trigger
from duly.recurrence.clockface import in_utc
from duly.recurrence.fields import NestedTrigger
from duly.recurrence.interval import Interval
from duly.recurrence.plain_triggers import CronInterval, Once
from duly.recurrence.record import TriggerRecord
from duly.recurrence.union import AnyOf

_INSTANT = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Early(TriggerRecord):
    """Another trigger, and so long before each of its occurrences, too."""

    KIND: ClassVar[str] = "early"

    trigger: Annotated[Trigger, NestedTrigger(Interval, Cron, CronInterval, Once, AnyOf)]
    leads: tuple[timedelta, ...]

    def _settle(self) -> None:
        if not self.leads or min(self.leads) <= timedelta(0):
            raise InvalidRecurrenceError(f"leads must be lengths of time above zero, got {self.leads!r}")
        if isinstance(self.trigger, TriggerRecord) and not self.trigger.fixed_slots:
            raise InvalidRecurrenceError(
                f"{self.trigger.describe()} counts from its last occurrence, so nothing can come ahead of it: "
                "name its times"
            )

    def get_next_occurrence(self, current: datetime) -> datetime | None:
        """The next occurrence, or the next lead, whichever comes first."""
        instant = in_utc(current)
        found = [self.trigger.get_next_occurrence(instant)]
        for lead in self.leads:
            following = self.trigger.get_next_occurrence(instant + lead)
            found.append(None if following is None else following - lead)
        return min((each for each in found if each is not None), default=None)

    def lead_at(self, instant: datetime) -> timedelta | None:
        """How long an instant is ahead of an occurrence; None when it is an occurrence itself, or no lead."""
        if self._occurs(instant):
            return None
        return min((lead for lead in self.leads if self._occurs(instant + lead)), default=None)

    def _occurs(self, instant: datetime) -> bool:
        return self.trigger.get_next_occurrence(instant - _INSTANT) == instant

    def describe(self) -> str:
        """The trigger, and how long ahead."""
        said = [_length(lead) for lead in self.leads]
        return f"{self.trigger.describe()}, and {' and '.join(said)} before"


def _length(lead: timedelta) -> str:
    minutes = int(lead.total_seconds() // 60)
    for size, name in ((1440, "day"), (60, "hour")):
        if minutes and minutes % size == 0:
            return f"{minutes // size} {name}{'' if minutes == size else 's'}"
    return f"{minutes} minute{'' if minutes == 1 else 's'}"
