"""The links to calendar feeds. Only the hashes of their secrets are stored."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from duly.model.events import Event
from duly.ports.calendar import CalendarLink
from duly.stores.crud.database import Database, Transaction


class StoredCalendarLinks:
    """Implements `duly.ports.calendar.CalendarLinks`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def put(self, link: CalendarLink, events: Sequence[Event] = ()) -> None:
        async def write(tx: Transaction) -> None:
            await tx.rows("put_calendar_link", **tx.values(link))
            await tx.write_events(events)

        await self._database.write(write)

    async def get(self, link_id: str) -> CalendarLink | None:
        return await self._database.read(lambda tx: tx.record(CalendarLink, "get_calendar_link", id=link_id))

    async def by_hash(self, digest: str) -> CalendarLink | None:
        return await self._database.read(lambda tx: tx.record(CalendarLink, "calendar_link_by_hash", hash=digest))

    async def of_token(self, token_id: str | None) -> list[CalendarLink]:
        return [each for each in await self.all() if each.token_id == token_id]

    async def all(self) -> list[CalendarLink]:
        return await self._database.read(lambda tx: tx.records(CalendarLink, "list_calendar_links"))

    async def remove(self, link_id: str, events: Sequence[Event] = ()) -> bool:
        async def write(tx: Transaction) -> bool:
            if await tx.value("remove_calendar_link", id=link_id) is None:
                return False
            await tx.write_events(events)
            return True

        return await self._database.write(write)

    async def note_use(self, link_id: str, now: datetime) -> None:
        await self._database.write(lambda tx: tx.rows("note_calendar_use", id=link_id, now=now))
