"""What happened, what runs and what comes, over all schedules."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from datetime import date
from typing import TYPE_CHECKING, Annotated, Any

from duly.operations.ask import Ask, Group, ListAsk, Page, PagedAsk, get, post
from duly.operations.listing import FIGURES
from duly.operations.parameters import (
    Bound,
    Cursor,
    Day,
    Kind,
    Limit,
    Moment,
    Param,
    RunOrigin,
    Statuses,
    Text,
    When,
)
from duly.service.executors.views import ExecutorView
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
from duly.service.schedules.values import duration, moment, optional_moment
from duly.zones import Zone

if TYPE_CHECKING:
    from duly.service.access.scopes import Caller
    from duly.service.services import Services

ExecutorPath = Annotated[str, Param(words="Its name in duly.toml")]
Rows = Annotated[int, Param(words="Schedules with a row of their own", least=1, most=200)]
MostFires = Annotated[int, Param(words="At most so many fires", least=1, most=2000)]
Spread = Annotated[float | str, Param(words='How long: seconds or text such as "10m"')]


async def _zone(services: Services, caller: Caller, named: str | None) -> str:
    return Zone.of(named).name if named is not None else await services.schedules.zones.person(caller)


def _today(services: Services, zone: str) -> date:
    return Zone.of(zone).localize(services.clock.now()).date()


@dataclass(frozen=True, slots=True)
class GetDay(Ask[DayView]):
    """Show a day: what happened, what runs and what comes; default: today.

    `unfold_after` of the others gives the next rows. The span has 32 days at most.
    """

    _: KW_ONLY
    start: Moment = None
    end: Moment = None
    timezone: Text = None
    rows: Rows = 14
    unfold_after: Text = None

    async def carry_out(self, services: Services, caller: Caller) -> DayView:
        from duly.service.overview.load import day_bounds

        zone = await _zone(services, caller, self.timezone)
        first, last = day_bounds(_today(services, zone), zone)
        start = optional_moment(self.start, "start") or first
        end = optional_moment(self.end, "end") or last
        return await services.overview.day(caller, start, end, rows=self.rows, unfold_after=self.unfold_after)


@dataclass(frozen=True, slots=True)
class ListFires(Ask[FiresPage]):
    """List the coming fires of a span; a schedule that fires often is given as numbers by day."""

    start: Bound
    end: Bound
    _: KW_ONLY
    project: Text = None
    kind: Kind = None
    schedule: Text = None
    limit: MostFires = 2000

    async def carry_out(self, services: Services, caller: Caller) -> FiresPage:
        return await services.overview.fires(
            caller,
            moment(self.start, "start"),
            moment(self.end, "end"),
            project=self.project,
            kind=self.kind,
            schedule=self.schedule,
            limit=self.limit,
        )


@dataclass(frozen=True, slots=True)
class GetLoad(Ask[LoadView]):
    """Show how many runs each minute of a day has: those to come, or with `past` the mean of the seven days before."""

    day: Day = None
    _: KW_ONLY
    timezone: Text = None
    past: bool = False

    async def carry_out(self, services: Services, caller: Caller) -> LoadView:
        zone = await _zone(services, caller, self.timezone)
        return await services.overview.load(caller, self.day or _today(services, zone), zone, past=self.past)


@dataclass(frozen=True, slots=True)
class GetMinute(ListAsk[ScheduledFire]):
    """List what is dispatched in a minute to come."""

    at: Bound

    async def carry_out(self, services: Services, caller: Caller) -> list[ScheduledFire]:
        return await services.overview.minute(caller, moment(self.at, "at"))


@dataclass(frozen=True, slots=True)
class SpreadMinute(Ask[SpreadView]):
    """Spread the agents and jobs of a minute over a longer time; a dry run shows what would change."""

    at: Annotated[When, Param(longest=100, format="date-time")]
    over: Spread
    _: KW_ONLY
    dry_run: Annotated[bool, Param(words="Only show what would change")] = True

    async def carry_out(self, services: Services, caller: Caller) -> SpreadView:
        over = duration(self.over, "over")
        return await services.overview.spread(caller, moment(self.at, "at"), over, dry_run=self.dry_run)


@dataclass(frozen=True, slots=True)
class ListRuns(PagedAsk[RunView]):
    """List runs of all schedules that you may see, newest first.

    `text` is looked for in the name, the error and the reason. Long results are cut; one run by itself has all of it.
    """

    _: KW_ONLY
    schedule: Text = None
    status: Statuses = ()
    since: Moment = None
    until: Moment = None
    project: Text = None
    kind: Kind = None
    origin: RunOrigin = None
    text: Text = None
    cursor: Cursor = None
    limit: Limit = 50

    async def carry_out(self, services: Services, caller: Caller) -> Page[RunView]:
        return await services.schedules.run_lists.page(caller, cursor=self.cursor, limit=self.limit, **_filters(self))


@dataclass(frozen=True, slots=True)
class CountRuns(Ask[OutcomeCounts]):
    """Count runs by outcome, with the filters of the list."""

    _: KW_ONLY
    schedule: Text = None
    status: Statuses = ()
    since: Moment = None
    until: Moment = None
    project: Text = None
    kind: Kind = None
    origin: RunOrigin = None
    text: Text = None

    async def carry_out(self, services: Services, caller: Caller) -> OutcomeCounts:
        return await services.schedules.run_lists.counts(caller, **_filters(self))


def _filters(ask: ListRuns | CountRuns) -> dict[str, Any]:
    return {
        "schedule": ask.schedule,
        "statuses": ask.status,
        "since": optional_moment(ask.since, "since"),
        "until": optional_moment(ask.until, "until"),
        "project": ask.project,
        "kind": ask.kind,
        "origin": ask.origin,
        "text": ask.text,
    }


@dataclass(frozen=True, slots=True)
class CountSchedules(Ask[ScheduleCounts]):
    """Count schedules by state and by kind."""

    async def carry_out(self, services: Services, caller: Caller) -> ScheduleCounts:
        return await services.overview.schedule_counts(caller)


@dataclass(frozen=True, slots=True)
class ListNodes(ListAsk[NodeView]):
    """List the engines that carry out runs. For admins."""

    async def carry_out(self, services: Services, caller: Caller) -> list[NodeView]:
        return await services.overview.nodes(caller)


@dataclass(frozen=True, slots=True)
class ListExecutors(ListAsk[ExecutorView]):
    """Look at every executor, and list how it is: reachable, queues, workers, what waits, what is wrong. For admins."""

    async def carry_out(self, services: Services, caller: Caller) -> list[ExecutorView]:
        return await services.executors.all(caller)


@dataclass(frozen=True, slots=True)
class CheckExecutor(Ask[ExecutorView]):
    """Check one executor: each thing that was looked at, and what to do about what is not well. For admins."""

    executor: ExecutorPath

    async def carry_out(self, services: Services, caller: Caller) -> ExecutorView:
        return await services.executors.get(caller, self.executor)


OVERVIEW = Group(
    "overview",
    "A day, coming fires, the load of a day, figures, nodes and executors.",
    (
        get(GetDay, "/day"),
        get(ListFires, "/fires"),
        get(GetLoad, "/load"),
        get(GetMinute, "/load/minute"),
        post(
            SpreadMinute,
            "/load/spread",
            body="SpreadBody",
            about_body="A minute whose agents and jobs are spread over a longer time.",
            examples=({"at": "2026-11-17T07:00:00Z", "over": "10m", "dry_run": True},),
        ),
        get(ListRuns, "/runs"),
        get(CountRuns, "/counts/runs"),
        get(CountSchedules, "/counts/schedules"),
        FIGURES,
        get(ListNodes, "/nodes"),
        get(ListExecutors, "/executors"),
        get(CheckExecutor, "/executors/{executor}"),
    ),
)
