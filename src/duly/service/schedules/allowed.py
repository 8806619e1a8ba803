"""What a caller may do with schedules, known before it is tried: a face offers no button that would be refused.

The rules are those of the use cases themselves; here they are asked without doing anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from duly.errors import DulyError
from duly.model.action import Message
from duly.ports.records import StoredSchedule
from duly.ports.store import FullStore
from duly.service.access.grants import Configured
from duly.service.access.scopes import Caller, check_action, may_change
from duly.service.schedules import forms
from duly.service.schedules.finding import owned


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowed:
    """What a caller may do with one schedule."""

    change: bool = False
    """Pause, resume, skip the next fire."""
    fire: bool = False
    """Run it now, or for past times."""
    edit: bool = False
    """Change its definition, and delete it; what comes from a file is changed there."""


NOTHING = Allowed()


class AllowedActions:
    """Tells what a caller may do with schedules."""

    def __init__(self, store: FullStore, configured: Callable[[], Configured]) -> None:
        """`configured` gives the rights that the configuration grants to the tokens of projects."""
        self._store = store
        self._configured = configured

    async def of(self, caller: Caller, schedule_ids: Iterable[str]) -> dict[str, Allowed]:
        """Tell it by id; a schedule that is gone or deleted allows nothing."""
        ids = list(dict.fromkeys(schedule_ids))
        if caller.scope.read_only:
            return dict.fromkeys(ids, NOTHING)
        rows = {row.id: row for row in await self._store.timeline.schedules(ids)}
        return {each: self._one(caller, rows.get(each)) for each in ids}

    def _one(self, caller: Caller, row: StoredSchedule | None) -> Allowed:
        if row is None or row.deleted_at is not None:
            return NOTHING
        if not (caller.scope.is_admin or may_change(caller.scope, owned(row))):
            return NOTHING
        may = self._may_have_carried_out(caller, row)
        is_own = row.source != "toml" and row.quarantine is None
        return Allowed(change=True, fire=may and row.resting is None, edit=is_own and (may or self._is_message(row)))

    def _may_have_carried_out(self, caller: Caller, row: StoredSchedule) -> bool:
        if row.quarantine is not None:
            return False
        try:
            check_action(caller.scope, forms.action_of(row), "trigger", self._configured(), caller.token_id)
        except (DulyError, ValueError):
            return False
        return True

    def _is_message(self, row: StoredSchedule) -> bool:
        return isinstance(forms.action_of(row), Message)
