"""The interface of a trigger."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from datetime import datetime


class Trigger(Protocol):
    """The rule that says when: a pure value. Cron expressions, intervals and their combinations are triggers."""

    def get_next_occurrence(self, current: datetime) -> datetime | None:
        """Give the first occurrence strictly after `current`, in UTC; None when there is none any more."""
        ...

    def describe(self) -> str:
        """Describe the trigger in words for people."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """Give the trigger as JSON data, which `duly.recurrence.trigger_from_dict` reads back."""
        ...
