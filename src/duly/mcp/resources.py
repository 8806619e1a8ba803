"""The resources (schedules, runs, journal, audit, quotas, health) and the prompt that teaches agents to schedule."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from datetime import date
from typing import Any

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ResourceNotFoundError

from duly.errors import DulyError
from duly.expansion import REQUEST, bounded
from duly.mcp.server import McpServices
from duly.service.access.scopes import Caller
from duly.service.overview.load import day_bounds
from duly.service.schedules.views import plain
from duly.zones import Zone

RECENT = "recent"
TODAY = "today"
CHECK = "check"
_MOST_EVENTS = 100
_TEACHING = """\
You schedule work with duly. Before you create anything:
1. Say back what you understood: what runs, when, in which time zone, and where the result goes.
2. Call schedule_preview and show the person the next runs in their local time. Words in `when` mean the person's zone.
   Cron means UTC unless cron_timezone is set: people mean their own zone, so set it whenever they name a time of day.
3. Choose on purpose: overlap_behavior (skip unless every run matters), catch_up (once makes up the latest missed run),
   retry for work that may fail for a while, until_at or max_runs for anything that should end, a timeout always.
4. Write prompts that stand alone: the agent that runs them sees nothing of this conversation. Name files, criteria,
   and what to do when there is nothing to do.
5. For people use remind or scheduler, with require_ack when it matters that the person acted.
Afterwards show the answer's next_runs. When asked what happened, look at schedule_history before you guess: skipped and
missed runs are recorded there with their reason.
"""


def register(server: Any, services: McpServices) -> None:
    """Register the resources and the prompt."""
    _register_views(server, services)
    _register_days(server, services)
    _register_records(server, services)

    @server.prompt(title="Schedule well")  # type: ignore[untyped-decorator]
    def schedule_well(request: str = "") -> str:
        """How to turn a wish into a schedule that does what the person meant."""
        return f"{_TEACHING}\nThe request: {request}" if request else _TEACHING


def _register_views(server: Any, services: McpServices) -> None:
    """Register schedules, runs with details and output, and what concerns duly as a whole."""

    @server.resource("schedule://{id}", title="A schedule", mime_type="application/json")  # type: ignore[untyped-decorator]
    async def schedule(id: str, ctx: Context[Any, Any]) -> str:  # noqa: A002  the name in the address
        """A schedule with its next runs and last result."""
        return await _read(services.use_cases.reads.schedule_get(services.caller(ctx), id))

    @server.resource("run://{id}", title="A run", mime_type="application/json")  # type: ignore[untyped-decorator]
    async def run(id: str, ctx: Context[Any, Any]) -> str:  # noqa: A002
        """A run and what became of it."""
        return await _read(services.use_cases.reads.run_get(services.caller(ctx), id))

    @server.resource("details://{id}", title="A run in detail", mime_type="application/json")  # type: ignore[untyped-decorator]
    async def details(id: str, ctx: Context[Any, Any]) -> str:  # noqa: A002
        """A run with every attempt, target and delivery, the prompt as it was sent, and how much output there is."""
        return await _read(services.use_cases.reads.runs.get(services.caller(ctx), id))

    @server.resource("output://{id}{?attempt,target,offset}", title="What a run printed", mime_type="application/json")  # type: ignore[untyped-decorator]
    async def output(
        id: str,  # noqa: A002
        ctx: Context[Any, Any],
        attempt: str | None = None,
        target: str | None = None,
        offset: str = "0",
    ) -> str:
        """What an attempt printed at a target, also while it prints it; the next part begins at next_offset."""
        number = None if attempt is None else _number(attempt)
        asked = services.use_cases.reads.runs.output(
            services.caller(ctx), id, attempt=number, target=target, offset=_number(offset)
        )
        return await _read(asked)

    # `{?kind}` and `{?cursor}`: the SDK hands over the context only for addresses with a placeholder.
    @server.resource("health://duly{?kind}", title="Health", mime_type="application/json")  # type: ignore[untyped-decorator]
    async def health(ctx: Context[Any, Any], kind: str | None = None) -> str:
        """The light, its reasons, and the schedules that need attention: all, or those of a kind such as failing."""
        return await _read(services.use_cases.reads.health(services.caller(ctx), kind))

    @server.resource("needs://duly{?limit}", title="What needs a person", mime_type="application/json")  # type: ignore[untyped-decorator]
    async def needs(ctx: Context[Any, Any], limit: str | None = None) -> str:
        """What waits for a person: unanswered reminders, failures, misses … each with its cause; at most 50 items."""
        asked = services.all.needs.items(services.caller(ctx), limit=50 if limit is None else _number(limit))
        return await _read(asked)

    @server.resource("quotas://duly{?cursor}", title="Quotas", mime_type="application/json")  # type: ignore[untyped-decorator]
    async def quotas(ctx: Context[Any, Any], cursor: str | None = None) -> str:
        """What you use of your quotas: schedules, runs and dollars in 24 hours. Admins see every owner."""
        asked = services.use_cases.quotas.page(services.caller(ctx), cursor)
        return await _read(asked, lambda page: _page("owners", page))


def _register_days(server: Any, services: McpServices) -> None:
    """Register `day://{day}`, `load://{day}`, `nodes://duly` and `executors://duly`."""

    async def bounds(caller: Caller, named: str) -> tuple[date, str]:
        zone = await services.use_cases.reads.zones.person(caller)
        if named == TODAY:
            return Zone.of(zone).localize(services.all.clock.now()).date(), zone
        try:
            return date.fromisoformat(named), zone
        except ValueError:
            raise ResourceNotFoundError(f"there is no day {named!r:.100}: today, or one such as 2026-11-16") from None

    @server.resource("day://{day}", title="A day", mime_type="application/json")  # type: ignore[untyped-decorator]
    async def day(day: str, ctx: Context[Any, Any]) -> str:
        """What happened, what runs and what comes on a day: day://today, or a date in your zone."""
        caller = services.caller(ctx)
        return await _read(services.all.overview.day(caller, *day_bounds(*await bounds(caller, day))))

    @server.resource("load://{day}", title="The load of a day", mime_type="application/json")  # type: ignore[untyped-decorator]
    async def load(day: str, ctx: Context[Any, Any]) -> str:
        """How many runs each minute of a day has: load://today, or a date in your zone."""
        caller = services.caller(ctx)
        return await _read(services.all.overview.load(caller, *await bounds(caller, day)))

    @server.resource("nodes://duly{?id}", title="Nodes", mime_type="application/json")  # type: ignore[untyped-decorator]
    async def nodes(ctx: Context[Any, Any], id: str | None = None) -> str:  # noqa: A002
        """The engines that carry out runs: all, or the one with an id. For admins."""
        asked = services.all.overview.nodes(services.caller(ctx))
        return await _read(
            asked, lambda found: _page("nodes", ([each for each in found if id in (None, each.id)], None))
        )

    @server.resource("executors://duly{?name}", title="Executors", mime_type="application/json")  # type: ignore[untyped-decorator]
    async def executors(ctx: Context[Any, Any], name: str | None = None) -> str:
        """Who carries out jobs elsewhere, and how they are: all, or the one with a name. For admins."""
        caller = services.caller(ctx)
        known = services.all.executors
        if name is not None:
            return await _read(known.get(caller, name), lambda found: _page("executors", ([found], None)))
        return await _read(known.all(caller), lambda found: _page("executors", (found, None)))


def _register_records(server: Any, services: McpServices) -> None:
    """Register `events://{id}` and `audit://{id}`."""

    @server.resource("events://{id}{?cursor}", title="What happened lately", mime_type="application/json")  # type: ignore[untyped-decorator]
    async def events(id: str, ctx: Context[Any, Any], cursor: str | None = None) -> str:  # noqa: A002
        """The newest 100 events: failures, misses, skips, changes. events://recent is all you may read, an id one
        schedule's; cursor is next_cursor of the page before."""
        schedule = None if id == RECENT else id
        asked = services.journal.page(services.caller(ctx), schedule=schedule, cursor=cursor, limit=_MOST_EVENTS)
        return await _read(asked, lambda page: _page("events", page))

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
        caller = services.caller(ctx)
        if id == CHECK:
            return await _read(services.audit.verify(caller))
        asked = services.audit.entries(
            caller,
            schedule=None if id == RECENT else id,
            kinds=() if kind is None else (kind,),
            actor=actor,
            cursor=None if cursor is None else _number(cursor),
            limit=_MOST_EVENTS,
        )
        return await _read(asked, lambda page: _page("entries", page))


async def may_watch(services: McpServices, request: Any, uri: str) -> bool:
    """Whether the sender of a request may watch an address: a schedule or run that they may read, named by its id."""
    kind, _, name = uri.partition("://")
    look_up = {"schedule": services.use_cases.reads.schedule_get, "run": services.use_cases.reads.run_get}.get(kind)
    if look_up is None:
        return False
    try:
        found: Any = await look_up(services.caller_of(request), name)
    except DulyError:
        return False
    return bool(found.id == name)


def _number(cursor: str) -> int:
    return (
        int(cursor) if cursor.isascii() and cursor.isdigit() and len(cursor) < 19 else 0
    )  # 0 is no cursor: `entries` refuses it


def _page(name: str, page: tuple[Sequence[Any], str | int | None]) -> dict[str, Any]:
    """Show a page of views under a name, with the cursor of the next page if there is one."""
    views, cursor = page
    return {name: [plain(each) for each in views], **({} if cursor is None else {"next_cursor": str(cursor)})}


async def _read(asked: Awaitable[Any], show: Callable[[Any], dict[str, Any]] = plain) -> str:
    try:
        with bounded(REQUEST):
            return json.dumps(show(await asked), ensure_ascii=False, default=date.isoformat)
    except DulyError as error:
        raise ResourceNotFoundError(str(error)) from error
