"""One moment, and then never again."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from duly.recurrence.clockface import in_utc
from duly.recurrence.record import TriggerRecord
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
