"""Tools for runs: skip the next one, backfill, cancel."""

from __future__ import annotations

from typing import Annotated, Any

from mcp.server.mcpserver import Context
from pydantic import Field

from duly.mcp import schemas as f
from duly.mcp.schedule_tools import RunPage
from duly.mcp.server import DulyServer, McpServices, add_tool
from duly.service.schedules.fields import ScheduleView
from duly.service.schedules.run_views import RunView

_Moment = Annotated[str, Field(description="ISO 8601 with offset")]
_RunRef = Annotated[str, Field(description="Id (run_…)")]


def register(server: DulyServer, services: McpServices) -> None:
    """Register the tools."""

    async def schedule_skip_next(ctx: Context[Any, Any], schedule_id: f.ScheduleRef) -> ScheduleView:
        """Leave out the next run, on the record."""
        after = await services.use_cases.schedule_skip_next(services.caller(ctx), schedule_id)
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
