"""What the face needs from the house: the use cases, and who is asking."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from duly.mcp.watching import Watchers
from duly.service.access import Caller
from duly.service.use_cases import UseCases

if TYPE_CHECKING:
    from duly.service.reminders import ReminderService


@dataclass(frozen=True, slots=True)
class Desk:
    """Where tools turn to. `caller_of` is given the request, or None over stdio."""

    use_cases: UseCases
    caller_of: Callable[[Any], Caller]
    reminders: ReminderService | None = None
    watchers: Watchers = field(default_factory=Watchers)
