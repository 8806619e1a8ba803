"""The reminders as faces change them: each change is kept, so that undo takes it back, and not an older one.

A use case that keeps its own steps, under words of its own, asks for a change with `undoable=False`.
"""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any

from duly.planning import lifecycle
from duly.ports.records import StoredSchedule
from duly.service.access.audit import acting, is_anybody_acting
from duly.service.reminders.reminders import ReminderService, When
from duly.service.reminders.sharing import own_row
from duly.service.reminders.views import ReminderView
from duly.service.undo import keep_change


class KeptReminders(ReminderService):
    """The reminders of people, with a way back from each change for an hour."""

    async def create(
        self, user_id: str, schedule: When, message: str, *, undoable: bool = True, **fields: Any
    ) -> ReminderView:
        """Create a reminder; taken back, it is deleted."""
        view = await super().create(user_id, schedule, message, **fields)
        row = await self._store.get(view.id) if undoable and is_anybody_acting() else None
        if row is not None:
            now = self._clock.now()
            before = lifecycle.delete(row, now)
            await keep_change(self._store, acting()["by"], "create", f"{view.name} made", before, now)
        return view

    async def update(self, user_id: str, target: str, *, undoable: bool = True, **changes: Any) -> ReminderView:
        """Change the fields that are given, and whether it fires."""
        change = super().update
        if not undoable or not is_anybody_acting():
            return await change(user_id, target, **changes)
        row = await self._before(user_id, target)
        kind = "update"
        if changes.keys() - {"scope", "version"} == {"enabled"}:
            kind = "resume" if changes["enabled"] else "pause"
        sentence = f"{row.name} {_DONE[kind]}"
        return await self._kept(kind, sentence, row, change(user_id, target, **changes))

    async def remove(self, user_id: str, target: str, *, undoable: bool = True) -> ReminderView:
        """Delete a reminder; a run of it that waits for an answer ends, and stays so when this is taken back."""
        change = super().remove
        if not undoable or not is_anybody_acting():
            return await change(user_id, target)
        row = await self._before(user_id, target)
        return await self._kept("delete", f"{row.name} deleted", row, change(user_id, target))

    async def skip_next(self, user_id: str, target: str, *, undoable: bool = True) -> ReminderView:
        """Record the next fire as skipped."""
        change = super().skip_next
        if not undoable or not is_anybody_acting():
            return await change(user_id, target)
        row = await self._before(user_id, target)
        return await self._kept("skip_next", f"next fire of {row.name} skipped", row, change(user_id, target))

    async def _before(self, user_id: str, target: str) -> StoredSchedule:
        return await own_row(self._store, await self._user(user_id), target)

    async def _kept(
        self, kind: str, sentence: str, before: StoredSchedule, change: Awaitable[ReminderView]
    ) -> ReminderView:
        owner = acting()["by"]
        view = await change
        await keep_change(self._store, owner, kind, sentence, before, self._clock.now())
        return view


_DONE = {"update": "changed", "pause": "paused", "resume": "resumed"}
