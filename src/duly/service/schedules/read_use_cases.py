"""The use cases of schedules that change nothing, with authorization; every face calls these.

Those in `use_cases.py`, which make and change schedules, ask these for what they look up and show. A command that only
shows something does not load what a change needs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Unpack

from duly.model.checks import choice
from duly.planning.attention import ConcernKind
from duly.ports.timeline import Doing
from duly.service.heavy_reads import HeavyReads
from duly.service.limits import check_given
from duly.service.schedules import forms, values, views
from duly.service.schedules.finding import Finder
from duly.service.schedules.listing import ScheduleListing, ScheduleLists
from duly.service.schedules.times import ZoneRule, Zones, read_words
from duly.service.schedules.views import HealthView, PreviewView, concern_view, schedule_view, state_word

if TYPE_CHECKING:
    from duly.clock import Clock
    from duly.model.run import Run
    from duly.model.trigger import Trigger
    from duly.planning.attention import Concern
    from duly.ports.records import StoredSchedule
    from duly.ports.store import FullStore
    from duly.service.access.scopes import Caller
    from duly.service.overview.figures import FiguresOfSchedules
    from duly.service.overview.runs import MoreFilters, RunLists
    from duly.service.runs.details import RunDetails
    from duly.service.schedules.attention import Attention
    from duly.service.schedules.fields import ScheduleView
    from duly.service.schedules.run_views import RunView


class ReadUseCases:
    """Schedules and runs as callers with a scope may see them. A method has the name of its MCP tool."""

    def __init__(
        self,
        store: FullStore,
        clock: Clock,
        attention: Attention,
        *,
        default_zone: str = "UTC",
        cron_zone: str | None = None,
    ) -> None:
        """`default_zone` is for people who have set none, `cron_zone` the zone configured for cron in the tools."""
        self.store = store
        self.clock = clock
        self.zones = ZoneRule(store.people, default_zone, cron_zone)
        self.find = Finder(store)
        self.attention = attention
        self.heavy_reads = HeavyReads(clock)
        self._lists = ScheduleLists(self)

    @cached_property
    def run_lists(self) -> RunLists:
        from duly.service.overview.runs import RunLists  # late: a list of schedules shows no runs

        return RunLists(self.store, self.clock, self.find, self.zones, self.heavy_reads)

    @cached_property
    def figures(self) -> FiguresOfSchedules:
        from duly.service.overview.figures import FiguresOfSchedules  # late: as above

        return FiguresOfSchedules(self.store, self.clock)

    @cached_property
    def runs(self) -> RunDetails:
        from duly.service.runs.details import RunDetails  # late: few commands are about one run

        return RunDetails(self.store, self.clock, self.find, self.zones)

    async def schedule_get(self, caller: Caller, schedule: str) -> ScheduleView:
        """Show a schedule, by id or name."""
        return await self.shown(caller, await self.find.row(caller, schedule))

    async def shown(self, caller: Caller, row: StoredSchedule) -> ScheduleView:
        """Show a schedule that the caller may see, with what its runs are doing."""
        concerns, warning = await self.attention.about(row)
        doing = await self.store.timeline.doing([row.id])
        view = await self.defined(caller, row, concerns)
        return replace(view, state=state_word(row, doing.get(row.id, Doing())), warning=warning)

    async def defined(self, caller: Caller, row: StoredSchedule, concerns: Sequence[Concern] = ()) -> ScheduleView:
        """Show a schedule that the caller may see, as it is defined."""
        zone = await self.zones.person(caller)
        return schedule_view(row, caller.scope, self.clock.now(), default_zone=zone, concerns=concerns)

    async def checked(self, caller: Caller, row: StoredSchedule) -> ScheduleView:
        """Show a schedule as it is defined, with a warning if no engine would carry it out at present."""
        return await self.warned(row, await self.defined(caller, row))

    async def warned(self, row: StoredSchedule, view: ScheduleView) -> ScheduleView:
        """Add a warning to the view of an enabled schedule that no engine would carry out at present."""
        return replace(view, warning=await self.attention.warning(row.handler)) if row.enabled else view

    async def schedule_list(
        self,
        caller: Caller,
        *,
        cursor: str | None = None,
        limit: int = 50,
        text: str | None = None,
        kind: str | None = None,
        **filters: Unpack[ScheduleListing],
    ) -> tuple[list[ScheduleView], str | None]:
        """Show a page of schedules, long texts cut, and the cursor of the next page.

        Filters: see `Finder.wanted`; besides `state`, `kind` (agent, job, person) and `sort` (name, attention, next).
        """
        return await self._lists.page(caller, cursor=cursor, limit=limit, text=text, kind=kind, **filters)

    async def health(self, caller: Caller, kind: str | None = None) -> HealthView:
        """Show the health, its reasons, and the concerns (of one kind) about schedules that the caller may see."""
        if kind is not None:
            choice(ConcernKind, kind, "kind")
        from duly.service.schedules.run_views import hides_output  # late: as above

        health = await self.attention.health()
        listed = health.attention if caller.scope.is_admin else health.concerns
        ids = list({each.schedule_id: None for each in listed})
        found = await self.store.timeline.schedules(ids) if ids else []
        rows = {row.id: row for row in found if self.find.sees(caller, row)}
        if not caller.scope.is_admin:
            health = health.about([each for each in listed if each.schedule_id in rows])
        shown = [
            concern_view(each, hide_output=hides_output(row, caller.scope), says_whose=True)
            for each in health.attention
            if kind in (None, each.kind) and (row := rows.get(each.schedule_id)) is not None
        ]
        return HealthView(
            state=str(health.state),
            reasons=health.reasons,
            lag_seconds=round(health.lag_seconds, 3),
            attention=shown,
            attention_total=health.attention_total,
        )

    async def schedule_history(
        self,
        caller: Caller,
        schedule: str | None = None,
        *,
        statuses: Sequence[str] = (),
        limit: int = 20,
        cursor: str | None = None,
        **filters: Unpack[MoreFilters],
    ) -> tuple[list[RunView], str | None]:
        """Show a page of runs, newest first, and the cursor of the next page; without a schedule of all one may see.

        The schedule may be deleted. Long results are cut: `run_get` has the whole. Filters: see `RunLists.query`.
        """
        return await self.run_lists.page(
            caller, schedule=schedule, statuses=statuses, limit=limit, cursor=cursor, **filters
        )

    async def run_get(self, caller: Caller, run_id: str) -> RunView:
        """Show a run."""
        return await self.shown_run(caller, *await self.find.run(caller, run_id))

    async def shown_run(self, caller: Caller, run: Run, row: StoredSchedule) -> RunView:
        """Show a run that the caller may see."""
        from duly.service.schedules.run_views import shown_run  # late: as above

        return await shown_run(self.store, run, row, caller.scope, await self.zones.person(caller))

    async def schedule_preview(
        self,
        caller: Caller,
        cron: str | None = None,
        when: str | None = None,
        *,
        cron_timezone: str | None = None,
        timezone: str | None = None,
        count: int = 5,
    ) -> PreviewView:
        """Show the next fires of a cron expression or words, and how clock changes move them; store nothing."""
        given = {"cron": cron, "when": when, "cron_timezone": cron_timezone}
        check_given({**given, "timezone": timezone})
        form = {name: value for name, value in given.items() if value is not None}
        shown = None if timezone is None else values.zone(timezone, "timezone")
        trigger = forms.read_trigger(form, self.words, await self.zones.at(caller))
        zone = views.shown_in(trigger, shown, await self.zones.person(caller))
        return views.preview_view(trigger, zone, self.clock.now(), count)

    def words(self, phrase: str, zones: Zones) -> Trigger:
        """Read a time in words."""
        return read_words(phrase, self.clock.now(), zones)
