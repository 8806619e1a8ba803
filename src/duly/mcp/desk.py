"""What the face needs from the runtime: the use cases, and who is asking."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from mcp.server.mcpserver import Context

from duly.mcp.watching import Watchers
from duly.service.access.access import Caller
from duly.service.access.audit import act_as
from duly.service.access.audit_trail import AuditTrail
from duly.service.journal import Journal
from duly.service.reminders.reminders import ReminderService
from duly.service.schedules.use_cases import UseCases


@dataclass(frozen=True, slots=True)
class Desk:
    """Where tools turn to. `caller_of` is given the request, or None over stdio."""

    use_cases: UseCases
    reminders: ReminderService
    caller_of: Callable[[Any], Caller]
    journal: Journal
    audit: AuditTrail
    watchers: Watchers = field(default_factory=Watchers)

    def caller(self, asked: Context[Any, Any]) -> Caller:
        """Who calls a tool or reads a resource; what the call changes is written down as theirs."""
        caller = self.caller_of(asked.request_context.request)
        act_as(caller)
        return caller
