"""What happened, what runs and what comes, over all schedules; and the stream of changes."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Annotated, Any

from fastapi import Path, Query
from pydantic import BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError

from duly.model.run import Origin
from duly.rest.inputs import Cursor, Kind, Limit, Moment, RequestBody, Statuses, Words, Yes, whole
from duly.rest.operations import Asked, By, Operations, PageOf
from duly.rest.views import FiguresView
from duly.service.executors.views import ExecutorView
from duly.service.live.events import LiveEvent
from duly.service.overview.load import day_bounds
from duly.service.overview.views import (
    DayView,
    FiresPage,
    LoadView,
    NodeView,
    OutcomeCounts,
    ScheduleCounts,
    ScheduledFire,
    SpreadView,
)
from duly.service.schedules.run_views import RunView
from duly.service.schedules.values import duration, moment
from duly.zones import Zone

overview = Operations("overview", "A day, coming fires, the load of a day, figures, nodes and executors.")
events = Operations("events", "What changes, as it happens.")

_ORIGINS: dict[str, Any] = {"enum": [*map(str, Origin), None]}
RunOrigin = Annotated[str | None, Query(description="Why it ran", json_schema_extra=_ORIGINS)]
Span = Annotated[str, Query(description="ISO 8601 with offset", json_schema_extra={"format": "date-time"})]
Rows = Annotated[
    int, Field(ge=1, le=200), BeforeValidator(whole), Query(description="Schedules with a row of their own")
]
MostFires = Annotated[int, Field(ge=1, le=2000), BeforeValidator(whole), Query(description="At most so many fires")]
ExecutorPath = Annotated[str, Path(description="Its name in duly.toml")]
Ids = Annotated[list[str], Query(description="Ids of schedules", min_length=1, max_length=200)]


def _read_day(value: Any) -> Any:
    try:
        return value if value is None else date.fromisoformat(value)
    except ValueError:
        raise PydanticCustomError("day", "must be a day such as 2026-11-16") from None


_DAY: dict[str, Any] = {"type": "string", "format": "date"}
Day = Annotated[Any, BeforeValidator(_read_day), Query(description="A day; default: today", json_schema_extra=_DAY)]


class SpreadBody(RequestBody):
    """A minute whose agents and jobs are spread over a longer time."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={"examples": [{"at": "2026-11-17T07:00:00Z", "over": "10m", "dry_run": True}]},
    )
    at: str = Field(max_length=100, json_schema_extra={"format": "date-time"})
    over: float | str = Field(description='How long: seconds or text such as "10m"')
    dry_run: bool = Field(True, description="Only show what would change")


async def _zone(by: Asked, named: str | None) -> str:
    return Zone.of(named).name if named is not None else await by.services.schedules.zones.person(by.caller)


async def _today(by: Asked, zone: str) -> date:
    return Zone.of(zone).localize(by.services.clock.now()).date()


@overview.get("/day", DayView)
async def get_day(
    by: By,
    start: Moment = None,
    end: Moment = None,
    timezone: Words = None,
    rows: Rows = 14,
    unfold_after: Words = None,
) -> object:
    """Show a day: what happened, what runs and what comes; default: today.

    `unfold_after` of the others gives the next rows. The span has 32 days at most.
    """
    zone = await _zone(by, timezone)
    first, last = day_bounds(await _today(by, zone), zone)
    return await by.services.overview.day(
        by.caller,
        first if start is None else moment(start, "start"),
        last if end is None else moment(end, "end"),
        rows=rows,
        unfold_after=unfold_after,
    )


@overview.get("/fires", FiresPage)
async def list_fires(
    by: By,
    start: Span,
    end: Span,
    project: Words = None,
    kind: Kind = None,
    schedule: Words = None,
    limit: MostFires = 2000,
) -> object:
    """List the coming fires of a span; a schedule that fires often is given as numbers by day."""
    return await by.services.overview.fires(
        by.caller,
        moment(start, "start"),
        moment(end, "end"),
        project=project,
        kind=kind,
        schedule=schedule,
        limit=limit,
    )


@overview.get("/load", LoadView)
async def get_load(by: By, day: Day = None, timezone: Words = None, past: Yes = False) -> object:
    """Show how many runs each minute of a day has: those to come, or with `past` the mean of the seven days before."""
    zone = await _zone(by, timezone)
    return await by.services.overview.load(by.caller, day or await _today(by, zone), zone, past=past)


@overview.get("/load/minute", PageOf(ScheduledFire))
async def get_minute(by: By, at: Span) -> object:
    """List what is dispatched in a minute to come."""
    return await by.services.overview.minute(by.caller, moment(at, "at"))


@overview.post("/load/spread", SpreadView)
async def spread_minute(by: By, body: SpreadBody) -> object:
    """Spread the agents and jobs of a minute over a longer time; a dry run shows what would change."""
    over: timedelta = duration(body.over, "over")
    return await by.services.overview.spread(by.caller, moment(body.at, "at"), over, dry_run=body.dry_run)


@overview.get("/runs", PageOf(RunView))
async def list_runs(
    by: By,
    schedule: Words = None,
    status: Statuses = None,
    since: Moment = None,
    until: Moment = None,
    project: Words = None,
    kind: Kind = None,
    origin: RunOrigin = None,
    text: Words = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> object:
    """List runs of all schedules that you may see, newest first.

    `text` is looked for in the name, the error and the reason. Long results are cut; one run by itself has all of it.
    """
    return await by.services.overview.runs(
        by.caller,
        schedule=schedule,
        statuses=status or (),
        cursor=cursor,
        limit=limit,
        **_filters(since=since, until=until, project=project, kind=kind, origin=origin, text=text),
    )


@overview.get("/counts/runs", OutcomeCounts)
async def count_runs(
    by: By,
    schedule: Words = None,
    status: Statuses = None,
    since: Moment = None,
    until: Moment = None,
    project: Words = None,
    kind: Kind = None,
    origin: RunOrigin = None,
    text: Words = None,
) -> object:
    """Count runs by outcome, with the filters of the list."""
    return await by.services.overview.run_counts(
        by.caller,
        schedule=schedule,
        statuses=status or (),
        **_filters(since=since, until=until, project=project, kind=kind, origin=origin, text=text),
    )


def _filters(*, since: str | None, until: str | None, **others: str | None) -> dict[str, Any]:
    bounds: dict[str, datetime | None] = {
        "since": None if since is None else moment(since, "since"),
        "until": None if until is None else moment(until, "until"),
    }
    return {**bounds, **others}


@overview.get("/counts/schedules", ScheduleCounts)
async def count_schedules(by: By) -> object:
    """Count schedules by state and by kind."""
    return await by.services.overview.schedule_counts(by.caller)


@overview.get("/figures", FiguresView)
async def get_figures(by: By, schedule: Ids) -> object:
    """Show the last outcomes, durations and the spend of schedules, by id; ids that you may not see are left out."""
    return FiguresView(figures=await by.services.overview.figures(by.caller, schedule))


@overview.get("/nodes", PageOf(NodeView))
async def list_nodes(by: By) -> object:
    """List the engines that carry out runs. For admins."""
    return await by.services.overview.nodes(by.caller)


@overview.get("/executors", PageOf(ExecutorView))
async def list_executors(by: By) -> object:
    """Look at every executor, and list how it is: reachable, queues, workers, what waits, what is wrong. For admins."""
    return await by.services.executors.all(by.caller)


@overview.get("/executors/{executor}", ExecutorView)
async def check_executor(by: By, executor: ExecutorPath) -> object:
    """Check one executor: each thing that was looked at, and what to do about what is not well. For admins."""
    return await by.services.executors.get(by.caller, executor)


@events.get("/events", LiveEvent, media="text/event-stream", takes=("Last-Event-ID",))
async def follow_events(by: By, topics: Words = None, last_id: Words = None) -> object:
    """Follow what changes, as server-sent events: what the caller may see, until the client leaves or its token ends.

    `topics` are names with commas between them: attention, config, health, node, output, reminder, run, schedule. After
    `Last-Event-ID` (or `last_id`) comes everything since, or one event `reset` when that is too long ago: read again
    what is shown. An event `beat` comes every ten seconds. Each `data` is a `LiveEvent`.
    """
    del topics, last_id  # the stream reads them from the request: it serves the dashboard as well
    return await by.request.app.state.stream(by.caller, by.request)
