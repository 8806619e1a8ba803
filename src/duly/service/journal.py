"""The journal of events, for callers with a scope.

Admins read all of it. A project's or a person's token reads what happened to schedules it may read; of these it is
told no more than the catalogue lists, so neither what others wrote into a definition nor where foreign targets failed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import Any

from duly.errors import InvalidInputError
from duly.model.events import CATALOGUE, Event
from duly.ports.records import EventFilter
from duly.ports.store import FullStore
from duly.service.access.access import Caller, Owned, Scope, may_read
from duly.service.pages import MOST_CHARACTERS, check_limit, excerpt, foreign, size_of
from duly.service.schedules import values
from duly.service.schedules.finding import Finder, owned
from duly.zones import iso

LEVELS = ("debug", "info", "warning", "error")
_LONGEST_DATA = 4000
"""Characters that the data of one entry have: most say an error and where it was raised."""
_INTERNAL = {"by", "owner", "pid", "scope", "token", "traceback"}
_OUTPUT = {"error", "reason"}
_KEPT = {name: kind for name, kind in CATALOGUE.items() if kind.durable}


@dataclass(frozen=True, slots=True, kw_only=True)
class EventView:
    """An entry of the journal."""

    seq: int
    """Later entries have larger numbers."""
    at: str
    event: str
    """Its kind, such as run.failed."""
    level: str
    schedule_id: str | None = None
    schedule: str | None = None
    """The name of the schedule it is about."""
    run_id: str | None = None
    node_id: str | None = None
    data: dict[str, Any] = field(default_factory=dict)
    truncated: dict[str, int] | None = None
    """Which fields are cut, and how many characters each has in full."""


@dataclass(frozen=True, slots=True)
class _Known:
    """What a page of the journal has to know of a schedule; the rest of it may be large."""

    name: str
    owned: Owned


class Journal:
    """What happened, from the newest entries back."""

    def __init__(self, store: FullStore) -> None:
        self._store = store
        self._find = Finder(store)

    def on_change(self, callback: Callable[[], None]) -> None:
        """Call back when another process changed the store: a hint that may get lost."""
        self._store.on_change(callback)

    async def events(
        self,
        caller: Caller,
        *,
        schedule: str | None = None,
        run_id: str | None = None,
        kinds: Sequence[str] = (),
        level: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        after: int | None = None,
        before: int | None = None,
        limit: int = 100,
    ) -> list[EventView]:
        """At most `limit` entries, the newest ones, in the order they were written; fewer if they are large.

        `schedule` is an id or a name, `kinds` are names such as run.failed or patterns such as run.*, `level` is the
        least one wanted. `before` is the number of the first entry of a page: the page before that one is given. With
        `after`, the number of the last entry seen, all that came since are given. Long data are cut.
        """
        check_limit(limit)
        names = _names(kinds, level)
        if names is None:
            return []
        row = None if schedule is None else await self._find.row(caller, schedule, deleted=None)
        wanted = EventFilter(
            schedule_id=None if row is None else row.id,
            run_id=None if run_id is None else values.text(run_id, "run_id"),
            names=names,
            namespace=None if caller.scope.kind in ("admin", "project") else caller.scope.namespace,
            project=caller.scope.subject if caller.scope.kind == "project" else None,
            since=None if since is None else values.instant(since, "since"),
            until=None if until is None else values.instant(until, "until"),
            after=after or 0,
            limit=limit,
        )
        if before is not None:
            wanted = replace(wanted, before=values.whole(before, "before"))
        return await self._read(caller, wanted, most=None if after is not None else limit)

    async def page(
        self, caller: Caller, *, cursor: str | None = None, limit: int = 100, **filters: Any
    ) -> tuple[list[EventView], str | None]:
        """The same with the cursor of the page of older entries; None when there are none that old."""
        before = None if cursor is None else _number(cursor)
        found = await self.events(caller, before=before, limit=limit, **filters)
        if not found:
            return found, None
        older = await self.events(caller, before=found[0].seq, limit=1, **filters)
        return found, str(found[0].seq) if older else None

    async def last(self) -> int:
        """The number of the newest entry, whatever it tells; 0 when there is none."""
        newest = await self._store.events(EventFilter(limit=1))
        return newest[0][0] if newest else 0

    async def _read(self, caller: Caller, wanted: EventFilter, most: int | None) -> list[EventView]:
        """Page by page, for what a caller may not see is left out afterwards."""
        schedules: dict[str, _Known | None] = {}
        found: list[EventView] = []
        characters = 0
        while most is None or len(found) < most:
            page = await self._store.events(wanted)
            for seq, event in page:
                if (view := await self._view(caller, seq, event, schedules)) is not None:
                    short = excerpt(view, _LONGEST_DATA)
                    characters += size_of(short)
                    if most is not None and found and characters > MOST_CHARACTERS:
                        return found[:most][::-1]
                    found.append(short)
            if len(page) < wanted.limit:
                break
            wanted = replace(wanted, before=page[-1][0])
        return found[:most][::-1]

    async def _view(
        self, caller: Caller, seq: int, event: Event, schedules: dict[str, _Known | None]
    ) -> EventView | None:
        """What a caller is shown of an entry; None when it is not for them."""
        if event.schedule_id is not None and event.schedule_id not in schedules:
            stored = await self._store.get(event.schedule_id)
            schedules[event.schedule_id] = None if stored is None else _Known(stored.name, owned(stored))
        row = None if event.schedule_id is None else schedules[event.schedule_id]
        admin = caller.scope.is_admin
        if not admin and (row is None or not may_read(caller.scope, row.owned)):
            return None
        data = event.data if admin or row is None else _shared(event, caller.scope, row)
        name = event.data.get("name") or (None if row is None else row.name)
        return EventView(
            seq=seq,
            at=str(iso(event.at)),
            event=event.kind.name,
            level=event.kind.level,
            schedule_id=event.schedule_id,
            schedule=None if name is None else str(name),
            run_id=event.run_id,
            node_id=event.node_id if admin else None,
            data={key: value for key, value in data.items() if key != "name"},
        )


def _number(cursor: str) -> int:
    if not (cursor.isascii() and cursor.isdecimal() and len(cursor) < 20):
        raise foreign(cursor)
    return int(cursor)


def _shared(event: Event, scope: Scope, row: _Known) -> dict[str, Any]:
    """What is told to those who are no admins: what the catalogue lists, and no output of targets they do not reach."""
    hidden = set(_INTERNAL)
    if not all(scope.reaches(target.project_id) for target in row.owned.targets):
        hidden |= _OUTPUT
    return {name: event.data[name] for name in event.kind.fields if name in event.data and name not in hidden}


def _names(kinds: Sequence[str], level: str | None) -> tuple[str, ...] | None:
    """The kinds of events that were asked for: an empty tuple when any will do, None when there is none."""
    if level is not None and level not in LEVELS:
        raise InvalidInputError(f"level {level!r} is unknown: use {', '.join(LEVELS)}")
    if not kinds and level in (None, "debug"):
        return ()
    chosen = {name for pattern in kinds for name in _matching(pattern)} if kinds else set(_KEPT)
    least = LEVELS.index(level or "debug")
    return tuple(sorted(name for name in chosen if LEVELS.index(_KEPT[name].level) >= least)) or None


def _matching(pattern: str) -> list[str]:
    if found := _like(pattern, _KEPT):
        return found
    if told := _like(pattern, CATALOGUE):
        raise InvalidInputError(
            f"{', '.join(told)} is not kept in the journal: it goes to the log and to on_event only; "
            "the history of a schedule shows its runs"
        )
    near = get_close_matches(pattern.lower(), _KEPT, n=1)
    hint = f"did you mean {near[0]}?" if near else f"use one of {', '.join(_KEPT)}, or a pattern such as run.*"
    raise InvalidInputError(f"no event is called {pattern!r}: {hint}")


def _like(pattern: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if fnmatchcase(name.lower(), pattern.lower())]
