"""The resources (schedules, runs, journal, audit, quotas, health) and the prompt that teaches agents to schedule."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import date
from typing import Any, TypeVar

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ResourceNotFoundError

from duly.errors import DulyError
from duly.mcp.server import DulyServer
from duly.operations.access import ListQuotas
from duly.operations.actions import ListAttention
from duly.operations.ask import Ask
from duly.operations.caller import GetCaller
from duly.operations.overview import CheckExecutor, GetDay, GetLoad, ListExecutors, ListNodes
from duly.operations.records import GetHealth, ListAudit, ListJournal, VerifyAudit
from duly.operations.runs import GetOutput, GetRun
from duly.operations.schedules import GetSchedule
from duly.service.overview.load import day_bounds
from duly.service.schedules.views import plain

R = TypeVar("R")
RECENT = "recent"
TODAY = "today"
CHECK = "check"
_MOST = 100
"""Items of a page."""
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


def register(server: DulyServer) -> None:
    """Register the resources and the prompt."""
    _register_views(server)
    _register_days(server)
    _register_records(server)

    @server.prompt(title="Schedule well")
    def schedule_well(request: str = "") -> str:
        """How to turn a wish into a schedule that does what the person meant."""
        return f"{_TEACHING}\nThe request: {request}" if request else _TEACHING


def _register_views(server: DulyServer) -> None:
    """Register schedules, runs with details and output, and what concerns duly as a whole."""

    @server.resource("schedule://{id}", title="A schedule", mime_type="application/json")
    async def schedule(id: str, ctx: Context[Any, Any]) -> str:  # noqa: A002  the name in the address
        """A schedule with its next runs and last result."""
        return await _read(server, ctx, GetSchedule(id))

    @server.resource("run://{id}", title="A run", mime_type="application/json")
    async def run(id: str, ctx: Context[Any, Any]) -> str:  # noqa: A002
        """A run and what became of it."""
        return await _read(server, ctx, GetRun(id), lambda detail: plain(detail.run))

    @server.resource("details://{id}", title="A run in detail", mime_type="application/json")
    async def details(id: str, ctx: Context[Any, Any]) -> str:  # noqa: A002
        """A run with every attempt, target and delivery, the prompt as it was sent, and how much output there is."""
        return await _read(server, ctx, GetRun(id))

    @server.resource("output://{id}{?attempt,target,offset}", title="What a run printed", mime_type="application/json")
    async def output(
        id: str,  # noqa: A002
        ctx: Context[Any, Any],
        attempt: str | None = None,
        target: str | None = None,
        offset: str = "0",
    ) -> str:
        """What an attempt printed at a target, also while it prints it; the next part begins at next_offset."""
        number = None if attempt is None else _number(attempt)
        return await _read(server, ctx, GetOutput(id, attempt=number, target=target, offset=_number(offset)))

    # `{?kind}` and `{?cursor}`: the SDK hands over the context only for addresses with a placeholder.
    @server.resource("health://duly{?kind}", title="Health", mime_type="application/json")
    async def health(ctx: Context[Any, Any], kind: str | None = None) -> str:
        """The light, its reasons, and the schedules that need attention: all, or those of a kind such as failing."""
        return await _read(server, ctx, GetHealth(kind))

    @server.resource("needs://duly{?limit}", title="What needs a person", mime_type="application/json")
    async def needs(ctx: Context[Any, Any], limit: str | None = None) -> str:
        """What waits for a person: unanswered reminders, failures, misses … each with its cause; at most 50 items."""
        return await _read(server, ctx, ListAttention(limit=50 if limit is None else _number(limit)))

    @server.resource("quotas://duly{?cursor}", title="Quotas", mime_type="application/json")
    async def quotas(ctx: Context[Any, Any], cursor: str | None = None) -> str:
        """What you use of your quotas: schedules, runs and dollars in 24 hours. Admins see every owner."""
        asked = ListQuotas(cursor=cursor, limit=_MOST)
        return await _read(server, ctx, asked, lambda page: _page("owners", *page))


def _register_days(server: DulyServer) -> None:
    """Register `day://{day}`, `load://{day}`, `nodes://duly` and `executors://duly`."""

    @server.resource("day://{day}", title="A day", mime_type="application/json")
    async def day(day: str, ctx: Context[Any, Any]) -> str:
        """What happened, what runs and what comes on a day: day://today, or a date in your zone."""
        named = _day(day)
        if named is None:
            return await _read(server, ctx, GetDay())
        start, end = day_bounds(named, (await server.ask(ctx, GetCaller())).timezone)
        return await _read(server, ctx, GetDay(start=start, end=end))

    @server.resource("load://{day}", title="The load of a day", mime_type="application/json")
    async def load(day: str, ctx: Context[Any, Any]) -> str:
        """How many runs each minute of a day has: load://today, or a date in your zone."""
        return await _read(server, ctx, GetLoad(_day(day)))

    @server.resource("nodes://duly{?id}", title="Nodes", mime_type="application/json")
    async def nodes(ctx: Context[Any, Any], id: str | None = None) -> str:  # noqa: A002
        """The engines that carry out runs: all, or the one with an id. For admins."""
        return await _read(
            server, ctx, ListNodes(), lambda found: _page("nodes", [each for each in found if id in (None, each.id)])
        )

    @server.resource("executors://duly{?name}", title="Executors", mime_type="application/json")
    async def executors(ctx: Context[Any, Any], name: str | None = None) -> str:
        """Who carries out jobs elsewhere, and how they are: all, or the one with a name. For admins."""
        if name is not None:
            return await _read(server, ctx, CheckExecutor(name), lambda found: _page("executors", [found]))
        return await _read(server, ctx, ListExecutors(), lambda found: _page("executors", found))


def _register_records(server: DulyServer) -> None:
    """Register `events://{id}` and `audit://{id}`."""

    @server.resource("events://{id}{?cursor}", title="What happened lately", mime_type="application/json")
    async def events(id: str, ctx: Context[Any, Any], cursor: str | None = None) -> str:  # noqa: A002
        """The newest 100 events: failures, misses, skips, changes. events://recent is all you may read, an id one
        schedule's; cursor is next_cursor of the page before."""
        asked = ListJournal(schedule=None if id == RECENT else id, cursor=cursor, limit=_MOST)
        return await _read(server, ctx, asked, lambda page: _page("events", *page))

    @server.resource("audit://{id}{?kind,actor,cursor}", title="Who changed what", mime_type="application/json")
    async def audit(
        id: str,  # noqa: A002
        ctx: Context[Any, Any],
        kind: str | None = None,
        actor: str | None = None,
        cursor: str | None = None,
    ) -> str:
        """The newest 100 changes and who asked for them. audit://recent is all you may read, an id one schedule's;
        for admins audit://check says whether the record is whole."""
        if id == CHECK:
            return await _read(server, ctx, VerifyAudit())
        asked = ListAudit(
            schedule=None if id == RECENT else id,
            kind=() if kind is None else (kind,),
            actor=actor,
            cursor=cursor,
            limit=_MOST,
        )
        return await _read(server, ctx, asked, lambda page: _page("entries", *page))


async def may_watch(server: DulyServer, request: Any, uri: str) -> bool:
    """Whether the sender of a request may watch an address: a schedule or run that they may read, named by its id."""
    kind, _, name = uri.partition("://")
    caller = server.caller_of(request)
    try:
        if kind == "schedule":
            return (await server.services.ask(caller, GetSchedule(name))).id == name
        return kind == "run" and (await server.services.ask(caller, GetRun(name))).run.id == name
    except DulyError:
        return False


def _day(named: str) -> date | None:
    """Read a day; None for today, wherever the person is."""
    if named == TODAY:
        return None
    try:
        return date.fromisoformat(named)
    except ValueError:
        raise ResourceNotFoundError(f"there is no day {named!r:.100}: today, or one such as 2026-11-16") from None


def _number(text: str) -> int:
    return (
        int(text) if text.isascii() and text.isdigit() and len(text) < 19 else 0
    )  # 0 is refused where it is no number


def _page(name: str, views: Sequence[Any], cursor: str | None = None) -> dict[str, Any]:
    """Show a page of views under a name, with the cursor of the next page if there is one."""
    return {name: [plain(each) for each in views], **({} if cursor is None else {"next_cursor": cursor})}


async def _read(
    server: DulyServer, ctx: Context[Any, Any], ask: Ask[R], show: Callable[[R], dict[str, Any]] = plain
) -> str:
    try:
        return json.dumps(show(await server.ask(ctx, ask)), ensure_ascii=False, default=date.isoformat)
    except DulyError as error:
        raise ResourceNotFoundError(str(error)) from error
