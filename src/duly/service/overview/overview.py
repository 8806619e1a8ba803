"""The use cases of the overview, with the rules of who sees what; every face calls these."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from datetime import date, datetime, timedelta
from typing import Unpack

from duly.agents.signin import is_announced, read_announced
from duly.clock import Clock
from duly.errors import AccessDeniedError
from duly.ports.store import FullStore
from duly.service.access.quotas import QuotaKeeper
from duly.service.access.scopes import Caller
from duly.service.overview.calendar import CalendarDays, CalendarView
from duly.service.overview.coming import Outlook
from duly.service.overview.day import MOST_COUNTED, DayOverview
from duly.service.overview.figure_views import ScheduleFigures
from duly.service.overview.load import Forecast
from duly.service.overview.runs import MoreFilters
from duly.service.overview.sight import visible_to
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
from duly.service.schedules.use_cases import UseCases


class OverviewUseCases:
    """What happened, what runs and what comes, over all schedules that a caller may see."""

    def __init__(
        self,
        store: FullStore,
        clock: Clock,
        use_cases: UseCases,
        quotas: QuotaKeeper,
        max_concurrency: Callable[[], int],
    ) -> None:
        """`max_concurrency` says how many runs an engine of this process carries out at once."""
        self._store = store
        self._clock = clock
        self._heavy_reads = use_cases.reads.heavy_reads
        coming = Outlook(store.timeline, clock)
        self._lists = use_cases.reads.run_lists
        self._figures = use_cases.reads.figures
        self._days = DayOverview(store, clock, coming, use_cases.reads, quotas)
        self._forecast = Forecast(store, clock, coming, use_cases, max_concurrency)
        self._calendar = CalendarDays(store, clock, coming, self._days)

    async def day(
        self, caller: Caller, start: datetime, end: datetime, *, rows: int = 14, unfold_after: str | None = None
    ) -> DayView:
        """Show a span, usually a day; `unfold_after` of its others gives the next rows."""
        async with self._heavy_reads.place(caller):
            return await self._days.view(caller, start, end, rows, unfold_after)

    async def fires(
        self,
        caller: Caller,
        start: datetime,
        end: datetime,
        *,
        project: str | None = None,
        kind: str | None = None,
        schedule: str | None = None,
        limit: int = 2000,
    ) -> FiresPage:
        """Show the coming fires of a span by the time they are dispatched; past times have runs instead."""
        async with self._heavy_reads.place(caller):
            return await self._forecast.fires(
                caller, start, end, project=project, kind=kind, schedule=schedule, limit=limit
            )

    async def calendar(
        self, caller: Caller, start: datetime, end: datetime, zone: str, *, kind: str | None = None
    ) -> CalendarView:
        """Show the days of a span, past and coming, on the clocks of a zone."""
        async with self._heavy_reads.place(caller):
            return await self._calendar.view(caller, start, end, zone, kind=kind)

    async def load(self, caller: Caller, day: date, zone: str, *, past: bool = False) -> LoadView:
        """Show how many runs each minute of a day has: those to come, or the mean of the seven days before."""
        async with self._heavy_reads.place(caller):
            return await self._forecast.load(caller, day, zone, past=past)

    async def minute(self, caller: Caller, at: datetime) -> list[ScheduledFire]:
        """List what is dispatched in a minute to come."""
        async with self._heavy_reads.place(caller):
            return await self._forecast.minute(caller, at)

    async def spread(self, caller: Caller, at: datetime, over: timedelta, *, dry_run: bool = True) -> SpreadView:
        """Spread the agents and jobs of a minute over a longer time; a dry run shows what would change."""
        async with self._heavy_reads.place(caller):
            return await self._forecast.spread(caller, at, over, dry_run=dry_run)

    async def runs(
        self,
        caller: Caller,
        *,
        schedule: str | None = None,
        statuses: Sequence[str] = (),
        cursor: str | None = None,
        limit: int = 50,
        **filters: Unpack[MoreFilters],
    ) -> tuple[list[RunView], str | None]:
        """Show a page of runs, newest first, and the cursor of the next page.

        Filters: `since` and `until` (when the run was recorded), `project`, `kind`, `origin`, and `text` in the name,
        the error or the reason.
        """
        return await self._lists.page(
            caller, schedule=schedule, statuses=statuses, cursor=cursor, limit=limit, **filters
        )

    async def run_counts(
        self,
        caller: Caller,
        *,
        schedule: str | None = None,
        statuses: Sequence[str] = (),
        **filters: Unpack[MoreFilters],
    ) -> OutcomeCounts:
        """Count the same runs by outcome."""
        return await self._lists.counts(caller, schedule=schedule, statuses=statuses, **filters)

    async def figures(self, caller: Caller, schedule_ids: Collection[str]) -> dict[str, ScheduleFigures]:
        """Show the last outcomes, durations and the spend of schedules, by id."""
        return await self._figures.of(caller, schedule_ids)

    async def schedule_counts(self, caller: Caller) -> ScheduleCounts:
        """Count schedules by state and kind; from twenty thousand on a number is a lower bound."""
        visible = await visible_to(self._store, caller)
        found = await self._store.timeline.count_schedules(visible, MOST_COUNTED + 1)
        return ScheduleCounts(
            all=found.all,
            failing=found.failing,
            awaiting=found.awaiting,
            running=found.running,
            paused=found.paused,
            agents=found.agents,
            jobs=found.jobs,
            people=found.people,
            is_exact=found.all <= MOST_COUNTED,
        )

    async def nodes(self, caller: Caller) -> list[NodeView]:
        """List the nodes that live, for admins."""
        if not caller.scope.is_admin:
            raise AccessDeniedError("cannot list nodes: access denied, they are for admins")
        now = self._clock.now()
        living = await self._store.serving()
        return [
            NodeView(
                id=each.id,
                host=each.host,
                pid=each.pid,
                started_at=each.started_at,
                last_beat_at=each.seen_at,
                lease_left_seconds=round(max(0.0, each.lease_seconds - (now - each.seen_at).total_seconds()), 1),
                handlers=[handler for handler in each.handlers if not is_announced(handler)],
                under_way=each.under_way,
                version=each.version,
                sign_ins=read_announced(each.handlers),
            )
            for each in await self._store.timeline.lives(now)
            if each.id in living
        ]
