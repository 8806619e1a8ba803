"""The journal of events, for callers with a scope, and what the audit shares with it.

Admins read all of it. A project's or a person's token reads the events of schedules it may read, and of these only the
fields that the catalogue lists: neither what others wrote into a definition nor the errors of foreign targets.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from fnmatch import fnmatchcase
from typing import Any

from duly.errors import InvalidInputError
from duly.model.checks import suggestion
from duly.model.events import CATALOGUE, Event
from duly.ports.records import EventFilter
from duly.ports.store import FullStore
from duly.service.access.scopes import Caller, Owned, Scope, may_read
from duly.service.pages import MOST_CHARACTERS, check_limit, excerpt, foreign, newest
from duly.service.schedules import values
from duly.service.schedules.finding import Finder, owned

LEVELS = ("debug", "info", "warning", "error")
_LONGEST_DATA = 4000
"""Characters that the data of one entry may have: most hold an error and its traceback."""
_INTERNAL = {"by", "owner", "pid", "scope", "token", "traceback"}
_OUTPUT = {"error", "reason"}
_KEPT = {name: kind for name, kind in CATALOGUE.items() if kind.durable}


@dataclass(frozen=True, slots=True, kw_only=True)
class EventView:
    """An entry of the journal."""

    seq: int
    """Later entries have larger numbers."""
    at: datetime
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
class EntrySchedule:
    """The part of a schedule that its entries need; the rest of a row may be large."""

    name: str
    owned: Owned


class EntrySchedules:
    """The schedules of the entries on a page, each read once."""

    def __init__(self, store: FullStore) -> None:
        self._store = store
        self._known: dict[str, EntrySchedule | None] = {}

    async def get(self, schedule_id: str | None) -> EntrySchedule | None:
        """Give the schedule of an entry; None when the entry is about none, or the schedule was pruned."""
        if schedule_id is None:
            return None
        if schedule_id not in self._known:
            row = await self._store.get(schedule_id)
            self._known[schedule_id] = None if row is None else EntrySchedule(row.name, owned(row))
        return self._known[schedule_id]


def may_read_entry(caller: Caller, schedule: EntrySchedule | None) -> bool:
    """Whether a caller may read an entry about a schedule; entries about none are for admins."""
    return caller.scope.is_admin or (schedule is not None and may_read(caller.scope, schedule.owned))


def entry_bounds(
    caller: Caller, *, since: datetime | None, until: datetime | None, after: int, limit: int
) -> dict[str, Any]:
    """Give the fields that `EventFilter` and `AuditFilter` share: the caller's part of the entries, and a range."""
    return {
        "namespace": None if caller.scope.kind in ("admin", "project") else caller.scope.namespace,
        "project": caller.scope.subject if caller.scope.kind == "project" else None,
        "since": None if since is None else values.instant(since, "since"),
        "until": None if until is None else values.instant(until, "until"),
        "after": values.whole(after, "after"),
        "limit": limit + 1,  # one more than fits tells whether there is another page
    }


def matching_kinds(pattern: str, names: Collection[str]) -> list[str]:
    """Give the names that match a pattern such as `run.*`, in any case."""
    return [name for name in names if fnmatchcase(name.lower(), pattern.lower())]


def unknown_kind(pattern: str, names: Collection[str], noun: str, example: str) -> InvalidInputError:
    """Make the error for a pattern that matches nothing: it names the nearest name, or all of them."""
    hint = suggestion(pattern.lower(), names) or f"use one of {', '.join(names)}, or a pattern such as {example}"
    return InvalidInputError(f"no {noun} is called {pattern!r}: {hint}")


class Journal:
    """Reads the journal, from the newest entries back."""

    def __init__(self, store: FullStore) -> None:
        self._store = store
        self._find = Finder(store)

    def on_change(self, callback: Callable[[], None]) -> None:
        """Call back when another process changed the store: a hint that may get lost."""
        self._store.on_change(callback)

    async def page(
        self,
        caller: Caller,
        *,
        schedule: str | None = None,
        run_id: str | None = None,
        kinds: Sequence[str] = (),
        level: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        after: int = 0,
        cursor: str | None = None,
        limit: int = 100,
    ) -> tuple[list[EventView], str | None]:
        """Give the newest entries, in the order they were written, and the cursor of the page of older ones.

        There are at most `limit`, fewer if they are large; long data are cut. `schedule` is an id or a name, `kinds`
        are names such as run.failed or patterns such as run.*, `level` is the least one wanted, `after` the number of
        the last entry seen.
        """
        check_limit(limit)
        names = _names(kinds, level)
        if names is None:
            return [], None
        row = None if schedule is None else await self._find.row(caller, schedule, deleted=None)
        wanted = EventFilter(
            schedule_id=None if row is None else row.id,
            run_id=None if run_id is None else values.text(run_id, "run_id"),
            names=names,
            **entry_bounds(caller, since=since, until=until, after=after, limit=limit),
        )
        if cursor is not None:
            wanted = replace(wanted, before=_number(cursor))
        schedules = EntrySchedules(self._store)

        async def show(entry: tuple[int, Event]) -> EventView | None:
            seq, event = entry
            row = await schedules.get(event.schedule_id)
            return _view(caller, seq, event, row) if may_read_entry(caller, row) else None

        found, older = await newest(
            self._store.events, show, lambda entry: entry[0], wanted, most=limit, most_characters=MOST_CHARACTERS
        )
        return found, None if older is None else str(older)


def _view(caller: Caller, seq: int, event: Event, row: EntrySchedule | None) -> EventView:
    """Show a caller an entry about a schedule that they may read."""
    admin = caller.scope.is_admin
    data = event.data if admin or row is None else shared_data(event, caller.scope, row)
    name = event.data.get("name") or (None if row is None else row.name)
    view = EventView(
        seq=seq,
        at=event.at,
        event=event.kind.name,
        level=event.kind.level,
        schedule_id=event.schedule_id,
        schedule=None if name is None else str(name),
        run_id=event.run_id,
        node_id=event.node_id if admin else None,
        data={key: value for key, value in data.items() if key != "name"},
    )
    return excerpt(view, _LONGEST_DATA)


def _number(cursor: str) -> int:
    if not (cursor.isascii() and cursor.isdecimal() and len(cursor) < 20):
        raise foreign(cursor)
    return values.whole(int(cursor), "cursor")


def shared_data(event: Event, scope: Scope, row: EntrySchedule) -> dict[str, Any]:
    """Give the data that other callers than admins see: catalogue fields, and no output of foreign targets."""
    hidden = set(_INTERNAL)
    if not all(scope.reaches(target.project_id) for target in row.owned.targets):
        hidden |= _OUTPUT
    return {name: event.data[name] for name in event.kind.fields if name in event.data and name not in hidden}


def _names(kinds: Sequence[str], level: str | None) -> tuple[str, ...] | None:
    """Give the kinds of events that were asked for: an empty tuple for all kinds, None when no kind fits."""
    if level is not None and level not in LEVELS:
        raise InvalidInputError(f"level {level!r} is unknown: use {', '.join(LEVELS)}")
    if not kinds and level in (None, "debug"):
        return ()
    chosen = {name for pattern in kinds for name in _matching(pattern)} if kinds else set(_KEPT)
    least = LEVELS.index(level or "debug")
    return tuple(sorted(name for name in chosen if LEVELS.index(_KEPT[name].level) >= least)) or None


def _matching(pattern: str) -> list[str]:
    if found := matching_kinds(pattern, _KEPT):
        return found
    if logged := matching_kinds(pattern, CATALOGUE):
        raise InvalidInputError(
            f"{', '.join(logged)} is not kept in the journal: it goes to the log and to on_event only; "
            "the history of a schedule shows its runs"
        )
    raise unknown_kind(pattern, _KEPT, "event", "run.*")
