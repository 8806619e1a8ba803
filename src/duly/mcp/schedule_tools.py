"""The MCP tools for schedules of prompts and jobs, and for their runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from mcp.server.mcpserver import Context
from pydantic import Field

from duly.mcp import schemas as f
from duly.mcp.server import DulyServer, add_tool
from duly.mcp.table import REQUIRED, ToolLine, offer
from duly.model.run import StatusName
from duly.operations import listing, overview, runs, schedules
from duly.operations.ask import Page
from duly.operations.views import BackfillView, DoneView
from duly.service.schedules.fields import ScheduleView
from duly.service.schedules.forms import changes_of
from duly.service.schedules.listing import StateName
from duly.service.schedules.run_views import RunView
from duly.service.searching import progress_of

SortName = Literal["name", "attention", "next"]
_Moment = Annotated[str, Field(description="ISO 8601 with offset")]
_NextRun = Annotated[str | None, Field(description="the next_run_at that is meant: no other run is skipped")]


@dataclass(frozen=True, slots=True)
class SchedulePage:
    """A page of schedules, and the cursor of the next page."""

    items: list[ScheduleView]
    next_cursor: str | None = None
    search: str | None = None
    """How far a search for a text has come that takes long: the next page goes on."""


@dataclass(frozen=True, slots=True)
class RunPage:
    """A page of runs, newest first, and the cursor of the next page."""

    items: list[RunView]
    next_cursor: str | None = None
    search: str | None = None
    """How far a search for a text has come that takes long: the next page goes on."""
    total: int | None = None
    """Of a backfill: how many runs it made. Those not listed are in the history."""


@dataclass(frozen=True, slots=True)
class Deleted:
    """The schedule that was deleted; its history stays."""

    id: str
    name: str
    deleted: bool = True


def _schedules(page: Page[ScheduleView]) -> SchedulePage:
    items, following = page
    return SchedulePage(items, following, _progress(following))


def _runs(page: Page[RunView]) -> RunPage:
    items, following = page
    return RunPage(items, following, _progress(following))


def _progress(cursor: str | None) -> str | None:
    progress = progress_of(cursor)
    return None if progress is None else f"{progress}: go on with next_cursor"


def _deleted(done: DoneView) -> Deleted:
    gone = schedules.schedule_of(done)
    return Deleted(gone.id, gone.name)


def _made(backfill: BackfillView) -> RunPage:
    return RunPage(backfill.items, total=backfill.total)


_MAKING = ToolLine(
    "schedule_create",
    schedules.CreateSchedule,
    "Create a schedule",
    "Make a schedule that runs a prompt (or a job) at the times of cron. The name must be free.",
    {"name": Annotated[str, Field(description="Unique name")], **f.ARGUMENTS},
    defaults={"name": REQUIRED},
)
_TOOLS: tuple[ToolLine[Any], ...] = (
    ToolLine(
        "schedule_delete",
        schedules.DeleteSchedule,
        "Delete a schedule",
        "Remove a schedule; its history stays. One that comes from a file cannot be deleted: disable it.",
        {"schedule_id": f.ScheduleRef},
        _deleted,
        hints="destroys, again",
    ),
    ToolLine(
        "schedule_restore",
        schedules.RestoreSchedule,
        "Restore a schedule",
        "Undo schedule_delete; it comes back disabled.",
        {
            "schedule_id": f.DeletedRef,
            "name": Annotated[str | None, Field(description="New name, if the old one is taken")],
        },
        hints="again",
    ),
    ToolLine(
        "schedule_trigger",
        schedules.TriggerSchedule,
        "Run a schedule now",
        "Run a schedule now, even if disabled; its next time stays. Follow the run with schedule_history.",
        {"schedule_id": f.ScheduleRef},
        hints="reaches out",
    ),
    ToolLine(
        "schedule_list",
        listing.ListSchedules,
        "List schedules",
        "List schedules you may see, with their next run and last result. Long texts are cut: schedule_get has all.",
        {
            "project_id": str | None,
            "enabled": bool | None,
            "owner": Annotated[str | None, Field(description="A person's id, or a namespace such as butler:home")],
            "text": Annotated[str | None, Field(description="In name, description or prompt")],
            "state": Annotated[StateName | None, Field(description="Only these")],
            "kind": f.Kind,
            "sort": Annotated[SortName, Field(description="attention: what needs a person first")],
            "cursor": f.Cursor,
            "limit": f.PageSize,
        },
        _schedules,
    ),
    ToolLine(
        "schedule_get",
        schedules.GetSchedule,
        "Show a schedule",
        "One schedule with its next runs.",
        {"schedule_id": f.ScheduleRef},
    ),
    ToolLine(
        "schedule_history",
        overview.ListRuns,
        "Past runs",
        "Runs of one schedule or of all you may see, newest first: status, result or error. Skips and misses too.",
        {
            "schedule_id": f.AnyScheduleRef,
            "status": Annotated[list[StatusName] | None, Field(description="Only these")],
            "since": Annotated[str | None, Field(description="Recorded from then on, ISO 8601 with offset")],
            "until": Annotated[str | None, Field(description="Recorded before then")],
            "project_id": str | None,
            "kind": f.Kind,
            "text": Annotated[str | None, Field(description="In name, error or reason")],
            "cursor": f.Cursor,
            "limit": f.PageSize,
        },
        _runs,
        defaults={"status": None, "limit": 20},
    ),
    ToolLine(
        "schedule_preview",
        schedules.PreviewTimes,
        "Preview a time",
        "When would it fire? Stores nothing; notes tell what clock changes do.",
        {"count": f.PreviewCount, **f.TIMES},
    ),
    ToolLine(
        "schedule_skip_next",
        schedules.SkipNextRun,
        "Leave out the next run",
        "Leave out the next run, on the record.",
        {"schedule_id": f.ScheduleRef, "at": _NextRun},
        schedules.schedule_of,
        hints="destroys",
    ),
    ToolLine(
        "schedule_backfill",
        schedules.BackfillSchedule,
        "Run for past times",
        "Run a schedule for each of its times in a past range.",
        {"schedule_id": f.ScheduleRef, "start": _Moment, "end": _Moment},
        _made,
        hints="reaches out, again",
    ),
    ToolLine(
        "run_cancel",
        runs.CancelRun,
        "Cancel a run",
        "Call off a run that waits, or stop one under way; read run://{id} to see it end.",
        {"run_id": f.RunRef},
        hints="destroys, again",
    ),
)


def register(server: DulyServer) -> None:
    """Register the tools."""

    async def schedule_update(
        ctx: Context[Any, Any],
        schedule_id: f.ScheduleRef,
        clear: Annotated[list[str] | None, Field(description="Fields to leave empty")] = None,
        **changes: Any,
    ) -> ScheduleView:
        """Change fields of a schedule, all or none. enabled=false pauses it, enabled=true resumes it."""
        form = changes_of(changes, clear or ())
        return schedules.schedule_of(await server.ask(ctx, schedules.UpdateSchedule(schedule_id, form)))

    offer(server, _MAKING)
    add_tool(server, schedule_update, "Change a schedule", schedules.UpdateSchedule, "destroys, again", f.CHANGES)
    for tool in _TOOLS:
        offer(server, tool)
