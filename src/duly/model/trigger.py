"""When: what every trigger can be asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from datetime import datetime


class Trigger(Protocol):
    """When something happens: a pure value. Cron expressions, intervals and their combinations are triggers."""

    def get_next_occurrence(self, current: datetime) -> datetime | None:
        """The first occurrence strictly after `current`, in UTC; None when there is none any more."""
        ...

    def describe(self) -> str:
        """The trigger in words a person would use."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready form that `duly.recurrence.trigger_from_dict` reads back."""
        ...
