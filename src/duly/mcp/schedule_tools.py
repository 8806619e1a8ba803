"""The MCP tools for schedules of prompts and jobs, and for their runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from mcp.server.mcpserver import Context
from pydantic import Field

from duly.mcp import schemas as f
from duly.mcp.server import DulyServer, McpServices, add_tool
from duly.model.run import StatusName
from duly.service.actions import Done
from duly.service.schedules.fields import ScheduleView
from duly.service.schedules.listing import StateName
from duly.service.schedules.run_views import RunView
from duly.service.schedules.views import PreviewView
from duly.service.searching import progress_of

SortName = Literal["name", "attention", "next"]
_Moment = Annotated[str, Field(description="ISO 8601 with offset")]
_NextRun = Annotated[str | None, Field(description="the next_run_at that is meant: no other run is skipped")]
_RunRef = Annotated[str, Field(description="Id (run_…)")]


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


def register(server: DulyServer, services: McpServices) -> None:
    """Register the tools."""
    for offer in (_making, _changing, _looking, _running):
        offer(server, services)


def _of(done: Done) -> ScheduleView:
    """Give the schedule that an action was about."""
    assert isinstance(done.view, ScheduleView)  # noqa: S101  an action on one schedule shows it
    return done.view


def _making(server: DulyServer, services: McpServices) -> None:
    async def schedule_create(
        ctx: Context[Any, Any], name: Annotated[str, Field(description="Unique name")], **given: Any
    ) -> ScheduleView:
        """Make a schedule that runs a prompt (or a job) at the times of cron. The name must be free."""
        made = await services.use_cases.schedule_create(services.caller(ctx), {"name": name, **given})
        await services.watchers.changed(made.id)
        return made

    add_tool(server, schedule_create, "Create a schedule", fields=f.ARGUMENTS)


def _changing(server: DulyServer, services: McpServices) -> None:
    async def schedule_update(
        ctx: Context[Any, Any],
        schedule_id: f.ScheduleRef,
        clear: Annotated[list[str] | None, Field(description="Fields to leave empty")] = None,
        **changes: Any,
    ) -> ScheduleView:
        """Change fields of a schedule, all or none. enabled=false pauses it, enabled=true resumes it."""
        made = _of(await services.all.actions.update(services.caller(ctx), schedule_id, changes, clear or ()))
        await services.watchers.changed(made.id)
        return made

    async def schedule_delete(ctx: Context[Any, Any], schedule_id: f.ScheduleRef) -> Deleted:
        """Remove a schedule; its history stays. One that comes from a file cannot be deleted: disable it."""
        gone = _of(await services.all.actions.delete(services.caller(ctx), schedule_id))
        await services.watchers.changed(gone.id)
        return Deleted(gone.id, gone.name)

    async def schedule_restore(
        ctx: Context[Any, Any],
        schedule_id: f.DeletedRef,
        name: Annotated[str | None, Field(description="New name, if the old one is taken")] = None,
    ) -> ScheduleView:
        """Undo schedule_delete; it comes back disabled."""
        back = (await services.all.actions.restore(services.caller(ctx), schedule_id, name)).schedule
        await services.watchers.changed(back.id)
        return back

    async def schedule_trigger(ctx: Context[Any, Any], schedule_id: f.ScheduleRef) -> RunView:
        """Run a schedule now, even if disabled; its next time stays. Follow the run with schedule_history."""
        run = await services.use_cases.schedule_trigger(services.caller(ctx), schedule_id)
        await services.watchers.changed(run.schedule_id, run.id)
        return run

    add_tool(
        server,
        schedule_update,
        "Change a schedule",
        fields=f.CHANGES,
        destroys=True,
        again=True,
    )
    add_tool(server, schedule_delete, "Delete a schedule", destroys=True, again=True)
    add_tool(server, schedule_restore, "Restore a schedule", again=True)
    add_tool(server, schedule_trigger, "Run a schedule now", reaches_out=True)


def _looking(server: DulyServer, services: McpServices) -> None:
    async def schedule_list(
        ctx: Context[Any, Any],
        project_id: str | None = None,
        enabled: bool | None = None,
        owner: Annotated[str | None, Field(description="A person's id, or a namespace such as butler:home")] = None,
        text: Annotated[str | None, Field(description="In name, description or prompt")] = None,
        state: Annotated[StateName | None, Field(description="Only these")] = None,
        kind: f.Kind = None,
        sort: Annotated[SortName, Field(description="attention: what needs a person first")] = "name",
        cursor: f.Cursor = None,
        limit: f.PageSize = 50,
    ) -> SchedulePage:
        """List schedules you may see, with their next run and last result. Long texts are cut: schedule_get has all."""
        asked = {"project": project_id, "enabled": enabled, "owner": owner, "text": text, "state": state, "kind": kind}
        items, following = await services.use_cases.reads.schedule_list(
            services.caller(ctx), cursor=cursor, limit=limit, sort=sort, **asked
        )
        return SchedulePage(items, following, _progress(following))

    async def schedule_get(ctx: Context[Any, Any], schedule_id: f.ScheduleRef) -> ScheduleView:
        """One schedule with its next runs."""
        return await services.use_cases.reads.schedule_get(services.caller(ctx), schedule_id)

    async def schedule_history(
        ctx: Context[Any, Any],
        schedule_id: f.AnyScheduleRef = None,
        status: Annotated[list[StatusName] | None, Field(description="Only these")] = None,
        since: Annotated[str | None, Field(description="Recorded from then on, ISO 8601 with offset")] = None,
        until: Annotated[str | None, Field(description="Recorded before then")] = None,
        project_id: str | None = None,
        kind: f.Kind = None,
        text: Annotated[str | None, Field(description="In name, error or reason")] = None,
        cursor: f.Cursor = None,
        limit: f.PageSize = 20,
    ) -> RunPage:
        """Runs of one schedule or of all you may see, newest first: status, result or error. Skips and misses too."""
        asked = {"since": since, "until": until, "project": project_id, "kind": kind, "text": text}
        items, following = await services.use_cases.reads.schedule_history(
            services.caller(ctx), schedule_id, statuses=status or (), limit=limit, cursor=cursor, **asked
        )
        return RunPage(items, following, _progress(following))

    async def schedule_preview(ctx: Context[Any, Any], count: f.PreviewCount = 5, **given: Any) -> PreviewView:
        """When would it fire? Stores nothing; notes tell what clock changes do."""
        return await services.use_cases.reads.schedule_preview(services.caller(ctx), count=count, **given)

    add_tool(server, schedule_list, "List schedules", reads=True)
    add_tool(server, schedule_get, "Show a schedule", reads=True)
    add_tool(server, schedule_history, "Past runs", reads=True)
    add_tool(server, schedule_preview, "Preview a time", fields=f.TIMES, reads=True)


def _progress(cursor: str | None) -> str | None:
    progress = progress_of(cursor)
    return None if progress is None else f"{progress}: go on with next_cursor"


def _running(server: DulyServer, services: McpServices) -> None:
    async def schedule_skip_next(
        ctx: Context[Any, Any], schedule_id: f.ScheduleRef, at: _NextRun = None
    ) -> ScheduleView:
        """Leave out the next run, on the record."""
        after = _of(await services.all.actions.skip_next(services.caller(ctx), schedule_id, at))
        await services.watchers.changed(after.id)
        return after

    async def schedule_backfill(
        ctx: Context[Any, Any], schedule_id: f.ScheduleRef, start: _Moment, end: _Moment
    ) -> RunPage:
        """Run a schedule for each of its times in a past range."""
        runs, total = await services.use_cases.schedule_backfill(services.caller(ctx), schedule_id, start, end)
        for schedule in {run.schedule_id for run in runs}:
            await services.watchers.changed(schedule)
        return RunPage(runs, total=total)

    async def run_cancel(ctx: Context[Any, Any], run_id: _RunRef) -> RunView:
        """Call off a run that waits, or stop one under way; read run://{id} to see it end."""
        run = await services.use_cases.run_cancel(services.caller(ctx), run_id)
        await services.watchers.changed(run.schedule_id, run.id)
        return run

    add_tool(server, schedule_skip_next, "Leave out the next run", destroys=True)
    add_tool(server, schedule_backfill, "Run for past times", reaches_out=True, again=True)
    add_tool(server, run_cancel, "Cancel a run", destroys=True, again=True)
