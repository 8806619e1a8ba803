"""Schedules, runs and the journal as resources."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ResourceNotFoundError

from duly.errors import DulyError
from duly.mcp.desk import Desk
from duly.service.access.audit_trail import AuditView
from duly.service.access.quotas import QuotaView
from duly.service.journal import EventView
from duly.service.schedules.views import plain

RECENT = "recent"
CHECK = "check"
_MOST_EVENTS = 100


def register(server: Any, desk: Desk) -> None:
    """Offer `schedule://{id}`, `run://{id}`, `events://{id}`, `audit://{id}`, `quotas://duly` and `health://duly`."""

    @server.resource("schedule://{id}", title="A schedule", mime_type="application/json")  # type: ignore[untyped-decorator]
    async def schedule(id: str, ctx: Context[Any, Any]) -> str:  # noqa: A002  the name in the address
        """A schedule with its next runs and last result."""
        return await _read(desk.use_cases.schedule_get(desk.caller(ctx), id))

    @server.resource("run://{id}", title="A run", mime_type="application/json")  # type: ignore[untyped-decorator]
    async def run(id: str, ctx: Context[Any, Any]) -> str:  # noqa: A002
        """A run and what became of it."""
        return await _read(desk.use_cases.run_get(desk.caller(ctx), id))

    # The SDK says who asks only where an address has a place to fill in.
    @server.resource("health://duly{?kind}", title="Health", mime_type="application/json")  # type: ignore[untyped-decorator]
    async def health(ctx: Context[Any, Any], kind: str | None = None) -> str:
        """The light, its reasons, and the schedules that need attention: all, or those of a kind such as failing."""
        return await _read(desk.use_cases.health(desk.caller(ctx), kind))

    @server.resource("quotas://duly{?cursor}", title="Quotas", mime_type="application/json")  # type: ignore[untyped-decorator]
    async def quotas(ctx: Context[Any, Any], cursor: str | None = None) -> str:
        """What you use of your quotas: schedules, runs and dollars in 24 hours. Admins see every owner."""
        return await _read(desk.use_cases.quotas.page(desk.caller(ctx), cursor), _owners)

    @server.resource("events://{id}{?cursor}", title="What happened lately", mime_type="application/json")  # type: ignore[untyped-decorator]
    async def events(id: str, ctx: Context[Any, Any], cursor: str | None = None) -> str:  # noqa: A002
        """The newest 100 events: failures, misses, skips, changes. events://recent is all you may read, an id one
        schedule's; cursor is next_cursor of the page before."""
        schedule = None if id == RECENT else id
        asked = desk.journal.page(desk.caller(ctx), schedule=schedule, cursor=cursor, limit=_MOST_EVENTS)
        return await _read(asked, _listed)

    @server.resource("audit://{id}{?kind,actor,cursor}", title="Who changed what", mime_type="application/json")  # type: ignore[untyped-decorator]
    async def audit(
        id: str,  # noqa: A002
        ctx: Context[Any, Any],
        kind: str | None = None,
        actor: str | None = None,
        cursor: str | None = None,
    ) -> str:
        """The newest 100 changes and who asked for them. audit://recent is all you may read, an id one schedule's;
        for admins audit://check says whether the record is whole."""
        caller = desk.caller(ctx)
        if id == CHECK:
            return await _read(desk.audit.verify(caller))
        asked = desk.audit.entries(
            caller,
            schedule=None if id == RECENT else id,
            kinds=() if kind is None else (kind,),
            actor=actor,
            cursor=None if cursor is None else _number(cursor),
            limit=_MOST_EVENTS,
        )
        return await _read(asked, _page)


async def may_watch(desk: Desk, request: Any, uri: str) -> bool:
    """Whether the sender of a request may read an address, and will be told of it: news come by id, not by name."""
    kind, _, name = uri.partition("://")
    look_up = {"schedule": desk.use_cases.schedule_get, "run": desk.use_cases.run_get}.get(kind)
    if look_up is None:
        return False
    try:
        found: Any = await look_up(desk.caller_of(request), name)
    except DulyError:
        return False
    return bool(found.id == name)


def _number(cursor: str) -> int:
    return int(cursor) if cursor.isascii() and cursor.isdigit() and len(cursor) < 19 else 0  # which is refused


def _page(found: tuple[list[AuditView], int | None]) -> dict[str, Any]:
    entries, cursor = found
    return {"entries": [plain(each) for each in entries], **({} if cursor is None else {"next_cursor": str(cursor)})}


def _listed(page: tuple[list[EventView], str | None]) -> dict[str, Any]:
    events, older = page
    return {"events": [plain(each) for each in events], **({} if older is None else {"next_cursor": older})}


def _owners(page: tuple[list[QuotaView], str | None]) -> dict[str, Any]:
    owners, following = page
    return {"owners": [plain(each) for each in owners], **({} if following is None else {"next_cursor": following})}


async def _read(asked: Awaitable[Any], show: Callable[[Any], dict[str, Any]] = plain) -> str:
    try:
        return json.dumps(show(await asked), ensure_ascii=False)
    except DulyError as error:
        raise ResourceNotFoundError(str(error)) from error
