"""The MCP tools that take back, repeat, mark as seen, change many schedules at once, and share calendars."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from mcp.server.mcpserver import Context
from pydantic import Field

from duly.errors import InvalidInputError
from duly.mcp import schemas as f
from duly.mcp.server import DulyServer, add_tool
from duly.mcp.table import ToolLine, offer
from duly.operations import actions, runs
from duly.operations import calendar as calendars
from duly.operations.views import DoneView
from duly.service.attention.items import NeedItem
from duly.service.calendar.calendar import CalendarLinkView, ImportItem, NewCalendarLink
from duly.service.schedules.fields import ScheduleView
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


def _seen(item: NeedItem) -> SeenItem:
    return SeenItem(item.id, item.title)


def _many(done: DoneView) -> BulkResult:
    failed = [LeftAlone(each.id, each.reason) for each in done.failed]
    return BulkResult(text=done.sentence, total=done.total or 0, failed=failed, undo=done.undo)


_AGAIN = ToolLine(
    "run_again",
    runs.RunAgain,
    "Run again",
    "Run the schedule of a run that has ended once more, now.",
    {"run_id": f.RunRef},
    hints="reaches out",
)
_SEEN = ToolLine(
    "attention_seen",
    actions.MarkSeen,
    "Mark as seen",
    "Mark an item as seen, for everyone; it comes back if it happens again.",
    {"item_id": Annotated[str, Field(description="Id of an item of needs://duly")]},
    _seen,
    hints="again",
)
_MANY = ToolLine(
    "schedule_bulk",
    actions.ChangeMany,
    "Change many schedules",
    "Do the same to many schedules: those of ids, or all that the filters of schedule_list find.",
    {
        "action": Literal["pause", "resume", "skip_next", "delete", "trigger"],
        "ids": Annotated[list[str] | None, Field(description="Ids or names; or choose by the filters")],
        "project_id": str | None,
        "owner": str | None,
        "text": str | None,
        "enabled": bool | None,
    },
    _many,
    hints="destroys, reaches out",
)
_CALENDAR = {
    "link": calendars.CreateCalendarLink,
    "list": calendars.ListCalendarLinks,
    "rotate": calendars.RotateCalendarLink,
    "revoke": calendars.RevokeCalendarLink,
    "import": calendars.ImportCalendar,
}
"""What each action of `calendar` asks."""


def register(server: DulyServer) -> None:
    """Register the tools."""
    _offer_undo(server)
    offer(server, _AGAIN)
    offer(server, _SEEN)
    _offer_waking(server)
    offer(server, _MANY)
    _offer_calendars(server)


def _offer_undo(server: DulyServer) -> None:
    async def undo(
        ctx: Context[Any, Any],
        token: Annotated[str | None, Field(description="Of a change; without it you are shown your last one")] = None,
    ) -> Undone:
        """Take back a change, deletion, skip or bulk of yours within an hour. Without a token nothing is done yet."""
        if token is not None:
            return Undone((await server.ask(ctx, actions.UndoStep(token))).sentence)
        # Another session, or the person, may have changed something since: what the agent means may not be the last.
        last = await server.ask(ctx, actions.GetLastStep())
        made_at = iso(last.made_at)
        return Undone(f"your last change, at {made_at}: {last.sentence}; undo it with this token", last.token, made_at)

    add_tool(server, undo, "Undo", actions.UndoStep, "destroys")


def _offer_waking(server: DulyServer) -> None:
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
        if run_id is None and session is None:
            # Over standard input and output this process is a child of the agent, and has its environment.
            around = inside_run(os.environ) if ctx.request_context.request is None else WakeWish()
            run_id = around.run_id
            target = target or around.target
        wish = runs.WakeMe(
            note=note, minutes=minutes, when=when, run_id=run_id, session=session, target=target, spawner=spawner
        )
        return await server.ask(ctx, wish)

    add_tool(server, wake_me, "Wake me", runs.WakeMe, "reaches out")


def _offer_calendars(server: DulyServer) -> None:
    async def calendar(
        ctx: Context[Any, Any],
        action: Literal["link", "list", "rotate", "revoke", "import"],
        name: Annotated[str | None, Field(description="link: a name for it")] = None,
        link_id: Annotated[str | None, Field(description="rotate, revoke: id (cal_…)")] = None,
        ics: Annotated[str | None, Field(description="import: the text of a calendar file")] = None,
        dry_run: Annotated[bool, Field(description="import: only say what it would do")] = False,
    ) -> CalendarAnswer:
        """Share what you may see as a secret calendar address, or make reminders of a calendar file."""
        if action == "list":
            links = await server.ask(ctx, calendars.ListCalendarLinks())
            return CalendarAnswer(text=f"{len(links)} calendar links", links=links)
        if action == "link":
            return _made(server, await server.ask(ctx, calendars.CreateCalendarLink(name or "calendar")))
        if action == "import":
            report = await server.ask(ctx, calendars.ImportCalendar((ics or "").encode(), dry_run=dry_run))
            said = "would be" if dry_run else "were"
            return CalendarAnswer(text=f"{len(report.items)} entries {said} read", items=report.items)
        if not link_id:
            raise InvalidInputError(f"calendar {action} needs link_id: action list shows the ids")
        if action == "rotate":
            return _made(server, await server.ask(ctx, calendars.RotateCalendarLink(link_id)))
        gone = await server.ask(ctx, calendars.RevokeCalendarLink(link_id))
        return CalendarAnswer(text=f"{gone.name} shows nothing any more", links=[gone])

    add_tool(server, calendar, "Calendars", _CALENDAR, "destroys")


def _made(server: DulyServer, made: NewCalendarLink) -> CalendarAnswer:
    base = server.services.process.settings.public_url or ""
    text = "subscribe to url in a calendar program; it is shown this once"
    return CalendarAnswer(text=text, links=[made.link], url=f"{base.rstrip('/')}{made.path}")
