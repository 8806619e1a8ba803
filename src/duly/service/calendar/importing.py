"""Import a calendar file: its reminders are made, or changed if they were imported before.

An entry is known again by its UID, which the reminder keeps as `calendar_event_id`.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from duly.errors import DecodeError, InvalidInputError
from duly.expansion import bounded
from duly.model.action import Message
from duly.planning import lifecycle
from duly.ports.codec import decode_action, decode_trigger, encode_action
from duly.ports.people import User, namespace_of
from duly.ports.records import StoredSchedule
from duly.service.access.scopes import Caller
from duly.service.calendar.calendar import ImportItem, ImportReport
from duly.service.calendar.entries import ImportedReminder, RefusedEntry
from duly.service.calendar.reading import read_entries
from duly.service.reminders.requests import no_job, reminder_policy
from duly.service.schedules.drafts import Draft, to_row

if TYPE_CHECKING:
    from duly.service.services import Services

_VIA = "ics"


class CalendarImport:
    """Imports calendar files for persons."""

    def __init__(self, services: Services) -> None:
        self._clock = services.clock
        self._random_bits = services.process.random_bits
        self._reminders = services.reminder_service
        self._quotas = services.quotas
        self._default_zone = services.process.zone
        self._find = services.schedules.find
        self._changes = self._reminders.changes

    async def run(self, caller: Caller, person: User, data: bytes, *, dry_run: bool) -> ImportReport:
        """Import a file for a person."""
        now = self._clock.now()
        known = await self._known(person)
        items: list[ImportItem] = []
        seen: set[str] = set()
        async for entry in read_entries(data, person.timezone or self._default_zone, now, self._clock):
            if isinstance(entry, RefusedEntry):
                items.append(ImportItem(uid=entry.uid, title=entry.title, action="refused", reason=entry.reason))
            elif entry.uid in seen:
                reason = "the file has this UID twice"
                items.append(ImportItem(uid=entry.uid, title=entry.title, action="refused", reason=reason))
            else:
                with bounded(entry.uid):
                    item = await self._apply(caller, person, entry, known.get(entry.uid), now, dry_run=dry_run)
                items.append(item)
                seen.add(entry.uid)
        return ImportReport(items=items, dry_run=dry_run)

    async def _known(self, person: User) -> dict[str, StoredSchedule]:
        """Give the reminders of a person that came from calendars, by their UID."""
        return {
            row.calendar_event_id: row
            async for rows in self._reminders.lists.rows(person)
            for row in rows
            if row.calendar_event_id is not None and row.handler == "message" and row.quarantine is None
        }

    async def _apply(
        self,
        caller: Caller,
        person: User,
        entry: ImportedReminder,
        row: StoredSchedule | None,
        now: datetime,
        *,
        dry_run: bool,
    ) -> ImportItem:
        item = ImportItem(uid=entry.uid, title=entry.title, action="created", when=entry.trigger.describe())
        try:
            fresh = self._row(caller, person, entry, "import" if row is None else row.name, now)
            item = replace(item, next_run_at=fresh.next_run_at)
            if row is not None and _is_same(row, fresh):
                return replace(item, action="unchanged", schedule_id=row.id, next_run_at=row.next_run_at)
            if row is not None:
                item = replace(item, action="updated", schedule_id=row.id)
            if dry_run:
                return item
            if row is not None:
                await self._change(caller, row, fresh)
                return item
            return replace(item, schedule_id=await self._create(caller, person, entry, now))
        except InvalidInputError as error:
            return replace(item, action="refused", reason=str(error))

    def _row(self, caller: Caller, person: User, entry: ImportedReminder, name: str, now: datetime) -> StoredSchedule:
        draft = Draft(
            name=name,
            namespace=namespace_of(person.id),
            trigger=entry.trigger,
            action=Message(text=entry.text, user_id=person.id),
            policy=reminder_policy(entry.trigger),
            description=entry.description,
            until_at=entry.until_at,
            timezone=entry.zone,
            display_title=entry.title,
            calendar_event_id=entry.uid,
            start_at=entry.start_at,
            end_at=entry.end_at,
            created_by=person.id,
            token_scope=str(caller.scope),
            created_via=_VIA,
        )
        return to_row(draft, now, no_job, self._random_bits)

    async def _create(self, caller: Caller, person: User, entry: ImportedReminder, now: datetime) -> str:
        async def create(name: str) -> str:
            row = self._row(caller, person, entry, name, now)
            await self._quotas.check(caller.scope, row)
            room = await self._quotas.room(caller.scope)
            await self._changes.make(row, caller, room=room)
            return row.id

        return await self._find.create_under_free_name(namespace_of(person.id), entry.title, create)

    async def _change(self, caller: Caller, row: StoredSchedule, fresh: StoredSchedule) -> None:
        def change(before: StoredSchedule) -> StoredSchedule:
            action = decode_action(before.action)
            said = decode_action(fresh.action)
            if isinstance(action, Message) and isinstance(said, Message):
                action = replace(action, text=said.text)  # what was chosen since, such as a channel, stays
            after = replace(
                before,
                action=encode_action(action),
                description=fresh.description,
                display_title=fresh.display_title,
                start_at=fresh.start_at,
                end_at=fresh.end_at,
            )
            return after if _when(before) == _when(fresh) else lifecycle.reschedule(after, fresh)

        await self._quotas.check(caller.scope, fresh)
        await self._changes.edit([row.id], change, caller)


def _is_same(row: StoredSchedule, fresh: StoredSchedule) -> bool:
    same = ("description", "display_title", "start_at", "end_at")
    if any(getattr(row, name) != getattr(fresh, name) for name in same) or _when(row) != _when(fresh):
        return False
    stored = decode_action(row.action)
    wanted = decode_action(fresh.action)
    return isinstance(stored, Message) and isinstance(wanted, Message) and stored.text == wanted.text


def _when(row: StoredSchedule) -> object:
    try:
        return decode_trigger(row.trigger), row.until_at, row.timezone
    except DecodeError:
        return None
