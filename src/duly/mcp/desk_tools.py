"""The MCP tools that take back, repeat, mark as seen, and change many schedules at once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from mcp.server.mcpserver import Context
from pydantic import Field

from duly.mcp.server import DulyServer, McpServices, add_tool
from duly.service.schedules.run_views import RunView


@dataclass(frozen=True, slots=True)
class Undone:
    """What was taken back."""

    text: str


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


def register(server: DulyServer, services: McpServices) -> None:
    """Register the tools."""
    _taking_back(server, services)
    _doing_to_many(server, services)


def _taking_back(server: DulyServer, services: McpServices) -> None:
    async def undo(
        ctx: Context[Any, Any], token: Annotated[str | None, Field(description="Default: your last change")] = None
    ) -> Undone:
        """Take back a change, deletion, skip or bulk of yours within an hour."""
        caller = services.caller(ctx)
        steps = services.all.undo
        return Undone(await (steps.undo_last(caller) if token is None else steps.undo(caller, token)))

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
