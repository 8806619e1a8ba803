"""The use cases of calendars: secret links to a feed, the feed itself, and the import of calendar files."""

from __future__ import annotations

import asyncio
import secrets
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Literal

from duly.clock import Turns
from duly.errors import AccessDeniedError, ConflictError, InvalidInputError, NotFoundError
from duly.model.events import CALENDAR_LINKED, CALENDAR_UNLINKED, Event, EventKind
from duly.model.ids import make_id
from duly.model.run import Fire, Origin, Run, Status
from duly.ports.calendar import CalendarLink
from duly.ports.reading import work_for
from duly.ports.records import StoredSchedule
from duly.ports.timeline import Mark
from duly.service.access.audit import asked_by
from duly.service.access.scopes import ADMIN, Caller, Face, check_proven
from duly.service.access.tokens import digest, rights_of
from duly.service.people.people import acts_for
from duly.service.schedules.values import storable

if TYPE_CHECKING:
    from duly.service.services import Services

ImportAction = Literal["created", "updated", "unchanged", "refused"]
LINK = "cal_"
PATH = "/calendar/{secret}.ics"
MOST_SCHEDULES = 1000
"""A feed shows at most so many schedules, in the order of their names."""
PAST = timedelta(days=14)
_MOST_RUNS = 50
"""So many runs of each schedule, the newest, are in the feed."""
_MOST_LINKS = 20
_NOTE_EVERY = timedelta(minutes=10)
_CHUNK = 100
_LONGEST_NAME = 100
_MOST_IMPORTS = 2
"""Files that are read at once, each in a process of its own; a person has one at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CalendarLinkView:
    """A link as people see it: without its secret."""

    id: str
    name: str
    token_id: str | None
    created_at: datetime
    last_used_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewCalendarLink:
    """A link that was just made; `secret` exists nowhere else, and `path` contains it."""

    link: CalendarLinkView
    secret: str
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportItem:
    """What became of one entry, or of one of its alarms."""

    uid: str
    title: str
    action: ImportAction
    when: str | None = None
    """The trigger in words."""
    next_run_at: datetime | None = None
    schedule_id: str | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """What an import did, or with `dry_run` would do, in the order of the file."""

    items: list[ImportItem]
    dry_run: bool

    def count(self, action: ImportAction) -> int:
        return sum(item.action == action for item in self.items)


class CalendarUseCases:
    """Calendars for callers with a scope. A link lets others read what its maker may see, and nothing else."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._store = services.store
        self._clock = services.clock
        self._reminders = services.reminder_service
        self._find = services.schedules.find
        self._heavy_reads = services.schedules.heavy_reads
        self._importing: dict[str, asyncio.Task[object] | None] = {}
        """The tasks of the imports under way, by person."""
        self._stops = False
        self._imports = asyncio.Semaphore(_MOST_IMPORTS)

    # links

    async def link(self, caller: Caller, name: str = "calendar") -> NewCalendarLink:
        """Make a link. It ends with the token that made it, and shows no more than that token may see."""
        _check_writes(caller)
        check_proven(caller, "make a calendar link")
        name = storable(name, "name").strip()
        if not name or len(name) > _LONGEST_NAME or not name.isprintable():
            raise InvalidInputError(f"name of a calendar link must be 1 to 100 printable characters, got {name!r}")
        if len(await self._store.calendar_links.of_token(caller.token_id)) >= _MOST_LINKS:
            raise InvalidInputError(f"you have {_MOST_LINKS} calendar links already: revoke one of them first")
        now = self._clock.now()
        made = CalendarLink(
            id=make_id(LINK, now, self._services.process.random_bits),
            name=name,
            hash="",
            token_id=caller.token_id,
            created_at=now,
        )
        return await self._renewed(caller, made)

    async def links(self, caller: Caller) -> list[CalendarLinkView]:
        """List the links of the caller; admins see all."""
        links = self._store.calendar_links
        found = await (links.all() if caller.scope.is_admin else links.of_token(caller.token_id))
        return [_view(each) for each in found]

    async def rotate(self, caller: Caller, link_id: str) -> NewCalendarLink:
        """Give a link a new secret; the address of before shows nothing any more."""
        check_proven(caller, "rotate a calendar link")
        found = await self._own(caller, link_id)
        return await self._renewed(caller, replace(found, created_at=self._clock.now(), last_used_at=None))

    async def revoke(self, caller: Caller, link_id: str) -> CalendarLinkView:
        """Remove a link; its address shows nothing any more."""
        found = await self._own(caller, link_id)
        await self._store.calendar_links.remove(found.id, [self._event(CALENDAR_UNLINKED, caller, found)])
        return _view(found)

    async def caller_of(self, secret: str, *, fetches: bool = True) -> tuple[Caller, CalendarLink] | None:
        """Give the caller of a link, who may only read; None when the secret, or the token behind it, is not valid.

        One who `fetches` uses the link, and the time of that is noted.
        """
        now = self._clock.now()
        link = await self._store.calendar_links.by_hash(digest(secret))
        if link is None:
            return None
        if link.token_id is None:
            scope = ADMIN
        else:
            token = await self._store.tokens.get(link.token_id)
            if token is None or token.ended_at(now) is not None:
                return None
            scope = rights_of(token)
        work_for(link.id)
        if fetches and (link.last_used_at is None or now - link.last_used_at > _NOTE_EVERY):
            await self._store.calendar_links.note_use(link.id, now)
        return Caller(scope=replace(scope, read_only=True), token_id=link.token_id, face=Face.API), link

    async def _own(self, caller: Caller, link_id: str) -> CalendarLink:
        found = await self._store.calendar_links.get(storable(link_id, "id"))
        mine = found is not None and (caller.scope.is_admin or found.token_id == caller.token_id)
        if found is None or not mine:
            raise NotFoundError(f"there is no calendar link {link_id!r}: `duly calendar list` shows their ids")
        _check_writes(caller)
        return found

    async def _renewed(self, caller: Caller, link: CalendarLink) -> NewCalendarLink:
        secret = secrets.token_urlsafe(32)
        link = replace(link, hash=digest(secret))
        await self._store.calendar_links.put(link, [self._event(CALENDAR_LINKED, caller, link)])
        return NewCalendarLink(link=_view(link), secret=secret, path=PATH.format(secret=secret))

    def _event(self, kind: EventKind, caller: Caller, link: CalendarLink) -> Event:
        return Event(kind, self._clock.now(), data={**asked_by(caller), "link": link.id, "name": link.name})

    # the feed

    async def export(self, caller: Caller, *, name: str = "duly", rhythms: bool = False) -> bytes:
        """Make the calendar of what the caller may see: coming fires, and runs of the last two weeks."""
        from duly.service.calendar.feed import CalendarSource, calendar_pieces  # late: it needs the calendar library

        async with self._heavy_reads.place(caller):
            now = self._clock.now()
            rows = await self._rows(caller)
            runs = await self._runs(rows, now)
            sources = [CalendarSource(row=row, runs=runs.get(row.id, ())) for row in rows]
            turns = Turns(self._clock)
            pieces: list[bytes] = []
            for piece in calendar_pieces(name, sources, now, rhythms=rhythms):
                pieces.append(piece)
                await turns.pause()
            return b"".join(pieces)

    async def _rows(self, caller: Caller) -> Sequence[StoredSchedule]:
        wanted = self._find.wanted(caller)
        found: list[StoredSchedule] = []
        while len(found) < MOST_SCHEDULES:
            page = await self._store.schedules(replace(wanted, limit=_CHUNK))
            found += [row for row in page if row.quarantine is None and self._find.sees(caller, row)]
            if len(page) < _CHUNK:
                break
            wanted = replace(wanted, after=(page[-1].namespace, page[-1].name))
        return found[:MOST_SCHEDULES]

    async def _runs(self, rows: Sequence[StoredSchedule], now: datetime) -> dict[str, list[Run]]:
        """Read the last runs of schedules, with one statement for many of them; those of each the newest first."""
        fired = {row.id: row for row in rows if row.last_run_at is not None or row.watermark is not None}
        found: dict[str, list[Run]] = defaultdict(list)
        ids = list(fired)
        for start in range(0, len(ids), _CHUNK):
            marks = await self._store.timeline.last_marks(ids[start : start + _CHUNK], _MOST_RUNS)
            for mark in sorted(marks, key=lambda mark: mark.run_id, reverse=True):
                if mark.fire_at >= now - PAST:
                    found[mark.schedule_id].append(_run(fired[mark.schedule_id], mark))
        return found

    # import

    async def import_ics(
        self, caller: Caller, data: bytes, *, user: str | None = None, dry_run: bool = False
    ) -> ImportReport:
        """Make reminders of the events and tasks of a calendar file; those imported before are updated."""
        from duly.service.calendar.importing import CalendarImport  # late: most commands import no file

        person = (await self._reminders.people.get(acts_for(caller, user))).user
        importing = CalendarImport(self._services)
        if person.id in self._importing:
            raise ConflictError(f"a file of {person.id} is being imported: wait for its answer, then send the next one")
        self._importing[person.id] = asyncio.current_task()
        try:
            async with self._imports:
                report = await importing.run(caller, person, data, dry_run=dry_run)
        except asyncio.CancelledError:
            if self._stops:
                raise ConflictError("duly stops: import the file again when it is back") from None
            raise
        finally:
            del self._importing[person.id]
        self._services.process.wake()
        return report

    def end_imports(self) -> None:
        """End the imports under way, because the process stops: it does not wait for a file."""
        self._stops = True
        for task in self._importing.values():
            if task is not None:
                task.cancel()


def _run(row: StoredSchedule, mark: Mark) -> Run:
    return Run(
        id=mark.run_id,
        fire=Fire(row.id, Origin(mark.origin), mark.fire_at),
        namespace=row.namespace,
        name=row.name,
        handler=row.handler,
        status=Status(mark.status),
        due_at=mark.due_at,
        attempt=mark.attempt,
        started_at=mark.started_at,
        finished_at=mark.finished_at,
        reason=mark.reason,
        skipped=mark.skipped,
        first_skipped_at=mark.first_skipped_at,
    )


def _check_writes(caller: Caller) -> None:
    """Refuse a caller who may only look: a link outlives the session in which it was made."""
    if caller.scope.read_only:
        raise AccessDeniedError(f"cannot make or change calendar links: scope {caller.scope} may only look")


def _view(link: CalendarLink) -> CalendarLinkView:
    return CalendarLinkView(
        id=link.id,
        name=link.name,
        token_id=link.token_id,
        created_at=link.created_at,
        last_used_at=link.last_used_at,
    )
