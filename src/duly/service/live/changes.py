"""Finds what has changed in the store since the last look, by any process: in the journal and in the audit."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from duly.model.audit import AuditEntry
from duly.model.events import CATALOGUE, Event
from duly.ports.audit import AuditFilter
from duly.ports.records import EventFilter
from duly.ports.store import FullStore
from duly.service.live.events import topic_of

_ONLY_AUDITED = tuple(
    sorted(name for name, kind in CATALOGUE.items() if kind.audited and not kind.durable and topic_of(name) is not None)
)
_MOST_AT_ONCE = 500
_MOST_ENTRIES = 5_000
"""Entries that one look tells one by one: after a longer silence it is quicker to read everything again."""


@dataclass(frozen=True, slots=True)
class ReadUpTo:
    """How far the journal and the audit were read."""

    journal: int
    audit: int


@dataclass(frozen=True, slots=True)
class Found:
    """An event that another look has not found before."""

    event: Event
    seq: int | None = None
    user_id: str | None = None


class TooManyChangesError(Exception):
    """So much has changed that listeners do better to read everything again."""


class StoreChanges:
    """Reads the journal and the audit from where it last was."""

    def __init__(self, store: FullStore) -> None:
        self._store = store

    async def newest(self) -> ReadUpTo:
        """Give the place after everything that is there now."""
        newest = await self._store.events(EventFilter(limit=1))
        return ReadUpTo(newest[0][0] if newest else 0, (await self._store.audit.head()).seq)

    async def after(self, place: ReadUpTo) -> tuple[list[Found], ReadUpTo]:
        """Give what came after a place, oldest first, and the new place."""
        entries = await self._journal(place.journal)
        audited = await self._audit(place.audit)
        found = [Found(event, seq, person_of(event)) for seq, event in entries]
        found += [Found(event, None, person_of(event)) for event in map(_event, audited)]
        found.sort(key=lambda each: each.event.at)
        return found, ReadUpTo(
            journal=entries[-1][0] if entries else place.journal,
            audit=audited[-1].seq if audited else place.audit,
        )

    async def _journal(self, after: int) -> list[tuple[int, Event]]:
        found: list[tuple[int, Event]] = []
        while more := await self._store.journal(found[-1][0] if found else after, _MOST_AT_ONCE):
            found += more
            if len(found) >= _MOST_ENTRIES:
                raise TooManyChangesError
            if len(more) < _MOST_AT_ONCE:
                break
        return found

    async def _audit(self, after: int) -> Sequence[AuditEntry]:
        """Read the entries that the journal does not have, oldest first."""
        wanted = AuditFilter(kinds=_ONLY_AUDITED, after=after, limit=_MOST_AT_ONCE)
        found = list(await self._store.audit.entries(wanted))
        while found and len(found) % _MOST_AT_ONCE == 0:
            if len(found) >= _MOST_ENTRIES:
                raise TooManyChangesError
            older = await self._store.audit.entries(replace(wanted, before=found[-1].seq))
            if not older:
                break
            found += older
        return found[::-1]


def _event(entry: AuditEntry) -> Event:
    return Event(CATALOGUE[entry.kind], entry.at, entry.schedule_id, entry.run_id, data=json.loads(entry.data))


def person_of(event: Event) -> str | None:
    """Give the person an event names, if it names one."""
    user = event.data.get("user")
    return user if isinstance(user, str) else None
