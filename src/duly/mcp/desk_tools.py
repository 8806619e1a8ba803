"""The MCP tools that take back, repeat, mark as seen, change many schedules at once, and share calendars."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from mcp.server.mcpserver import Context
from pydantic import Field

from duly.errors import InvalidInputError, NotFoundError
from duly.mcp import schemas as f
from duly.mcp.server import DulyServer, McpServices, add_tool
from duly.service.calendar.calendar import CalendarLinkView, ImportItem, NewCalendarLink
from duly.service.schedules.fields import ScheduleView
from duly.service.schedules.run_views import RunView
from duly.service.schedules.waking import WakeWish, inside_run
from duly.zones import iso


@dataclass(frozen=True, slots=True)
class Undone:
    """What was taken back, or what would be."""

    text: str
    token: str | None = None
    """Give it to undo, and that is taken back."""
    made_at: str | None = None


@dataclass(frozen=True, slots=True)
class SeenItem:
    """The item that was marked as seen."""

    id: str
    title: str
    seen: bool = True


@dataclass(frozen=True, slots=True)
class LeftAlone:
    """A schedule that was left as it is, and why."""

    id: str
    reason: str


@dataclass(frozen=True, slots=True)
class BulkResult:
    """What was done to many schedules."""

    text: str
    total: int
    failed: list[LeftAlone] = field(default_factory=list)
    undo: str | None = None
    """The token that takes it back within an hour."""


@dataclass(frozen=True, slots=True)
class CalendarAnswer:
    """Calendar links, or what an import did."""

    text: str
    links: list[CalendarLinkView] = field(default_factory=list)
    url: str | None = None
    """The secret address for a calendar program, in the answer that made it and never again."""
    items: list[ImportItem] = field(default_factory=list)


def register(server: DulyServer, services: McpServices) -> None:
    """Register the tools."""
    _taking_back(server, services)
    _waking(server, services)
    _doing_to_many(server, services)
    _sharing_calendars(server, services)


def _taking_back(server: DulyServer, services: McpServices) -> None:
    async def undo(
        ctx: Context[Any, Any],
        token: Annotated[str | None, Field(description="Of a change; without it you are shown your last one")] = None,
    ) -> Undone:
        """Take back a change, deletion, skip or bulk of yours within an hour. Without a token nothing is done yet."""
        caller = services.caller(ctx)
        steps = services.all.undo
        if token is not None:
            return Undone(await steps.undo(caller, token))
        # Another session, or the person, may have changed something since: what the agent means may not be the last.
        last = await steps.last(caller)
        if last is None:
            raise NotFoundError("there is nothing to undo: steps are kept for an hour")
        made_at = iso(last.made_at)
        return Undone(f"your last change, at {made_at}: {last.sentence}; undo it with this token", last.token, made_at)

    async def run_again(ctx: Context[Any, Any], run_id: Annotated[str, Field(description="Id (run_…)")]) -> RunView:
        """Run the schedule of a run that has ended once more, now."""
        done = await services.all.actions.run_again(services.caller(ctx), run_id)
        assert isinstance(done.view, RunView)  # noqa: S101  the run that it made
        await services.watchers.changed(done.view.schedule_id, done.view.id)
        return done.view

    async def attention_seen(
        ctx: Context[Any, Any], item_id: Annotated[str, Field(description="Id of an item of needs://duly")]
    ) -> SeenItem:
        """Mark an item as seen, for everyone; it comes back if it happens again."""
        item = await services.all.needs.mark_seen(services.caller(ctx), item_id)
        return SeenItem(item.id, item.title)

    add_tool(server, undo, "Undo", destroys=True)
    add_tool(server, run_again, "Run again", reaches_out=True)
    add_tool(server, attention_seen, "Mark as seen", again=True)


def _waking(server: DulyServer, services: McpServices) -> None:
    async def wake_me(
        ctx: Context[Any, Any],
        note: Annotated[str | None, Field(description="What you want to hear then")] = None,
        minutes: f.Whole = None,
        when: Annotated[str | None, Field(description='Instead: "tomorrow at 9"')] = None,
        session: Annotated[str | None, Field(description="Your session, outside of a scheduled run")] = None,
        target: Annotated[str | None, Field(description="Its project, or project/workspace")] = None,
        spawner: str | None = None,
        run_id: Annotated[str | None, Field(description="Default: your DULY_RUN_ID")] = None,
    ) -> ScheduleView:
        """Continue your session later. Inside a scheduled run only the time is needed."""
        wish = WakeWish(
            note=note, minutes=minutes, when=when, run_id=run_id, session=session, target=target, spawner=spawner
        )
        # Over standard input and output this process is a child of the agent, and has its environment.
        around = inside_run(os.environ) if ctx.request_context.request is None else None
        made = await services.all.wake_ups.wake_me(services.caller(ctx), wish, around)
        await services.watchers.changed(made.id)
        return made

    add_tool(server, wake_me, "Wake me", reaches_out=True)


def _doing_to_many(server: DulyServer, services: McpServices) -> None:
    async def schedule_bulk(
        ctx: Context[Any, Any],
        action: Literal["pause", "resume", "skip_next", "delete", "trigger"],
        ids: Annotated[list[str] | None, Field(description="Ids or names; or choose by the filters")] = None,
        project_id: str | None = None,
        owner: str | None = None,
        text: str | None = None,
        enabled: bool | None = None,
    ) -> BulkResult:
        """Do the same to many schedules: those of ids, or all that the filters of schedule_list find."""
        given = {"project": project_id, "owner": owner, "text": text, "enabled": enabled}
        filters = {name: value for name, value in given.items() if value is not None}
        done = await services.all.actions.bulk(services.caller(ctx), action, ids, filters or None)
        return BulkResult(
            text=done.sentence,
            total=done.total or 0,
            failed=[LeftAlone(each, reason) for each, reason in done.failed],
            undo=done.undo,
        )

    add_tool(server, schedule_bulk, "Change many schedules", destroys=True, reaches_out=True)


def _sharing_calendars(server: DulyServer, services: McpServices) -> None:
    async def calendar(
        ctx: Context[Any, Any],
        action: Literal["link", "list", "rotate", "revoke", "import"],
        name: Annotated[str | None, Field(description="link: a name for it")] = None,
        link_id: Annotated[str | None, Field(description="rotate, revoke: id (cal_…)")] = None,
        ics: Annotated[str | None, Field(description="import: the text of a calendar file")] = None,
        dry_run: Annotated[bool, Field(description="import: only say what it would do")] = False,
    ) -> CalendarAnswer:
        """Share what you may see as a secret calendar address, or make reminders of a calendar file."""
        caller = services.caller(ctx)
        calendars = services.all.calendar
        if action == "list":
            links = await calendars.links(caller)
            return CalendarAnswer(text=f"{len(links)} calendar links", links=links)
        if action == "link":
            return _made(services, await calendars.link(caller, name or "calendar"))
        if action == "import":
            report = await calendars.import_ics(caller, (ics or "").encode(), dry_run=dry_run)
            said = "would be" if dry_run else "were"
            return CalendarAnswer(text=f"{len(report.items)} entries {said} read", items=report.items)
        if not link_id:
            raise InvalidInputError(f"calendar {action} needs link_id: action list shows the ids")
        if action == "rotate":
            return _made(services, await calendars.rotate(caller, link_id))
        gone = await calendars.revoke(caller, link_id)
        return CalendarAnswer(text=f"{gone.name} shows nothing any more", links=[gone])

    add_tool(server, calendar, "Calendars", destroys=True)


def _made(services: McpServices, made: NewCalendarLink) -> CalendarAnswer:
    base = services.all.parts.settings.public_url or ""
    text = "subscribe to url in a calendar program; it is shown this once"
    return CalendarAnswer(text=text, links=[made.link], url=f"{base.rstrip('/')}{made.path}")
