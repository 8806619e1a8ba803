"""Runs over all schedules that a caller may see: found by span, outcome, kind and text, counted, and as figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import fields, replace
from datetime import datetime
from typing import TypedDict, Unpack

from duly.clock import Clock
from duly.errors import AccessDeniedError, InvalidInputError
from duly.model.checks import choice
from duly.model.ids import RUN
from duly.model.run import Origin, Run
from duly.ports.records import RunFilter, StoredSchedule
from duly.ports.store import FullStore
from duly.ports.timeline import FoundRun, RunQuery, Visible
from duly.service.access.scopes import Caller
from duly.service.heavy_reads import HeavyReads
from duly.service.limits import check_given
from duly.service.overview.sight import handlers_of, visible_to
from duly.service.overview.views import OutcomeCounts
from duly.service.pages import MAX_PAGE, fill, foreign
from duly.service.schedules import values
from duly.service.schedules.finding import Finder, read_statuses
from duly.service.schedules.run_views import RunView, shown_run
from duly.service.schedules.times import ZoneRule
from duly.service.searching import (
    Begun,
    Search,
    SearchedRows,
    SearchSizes,
    SearchStretch,
    begun_at,
    search_cursor,
)

_WAITING = ("pending", "waiting")
_OUTCOMES = tuple(each.name for each in fields(OutcomeCounts) if each.default == 0)


class MoreFilters(TypedDict, total=False):
    """What a list of runs is narrowed down by, besides its schedule and its statuses; see `RunLists.query`."""

    since: datetime | str | None
    until: datetime | str | None
    project: str | None
    kind: str | None
    origin: str | None
    text: str | None


class RunFilters(MoreFilters, total=False):
    """All that a list of runs is narrowed down by."""

    schedule: str | None
    statuses: Sequence[str]


class RunLists:
    """Runs for callers with a scope."""

    def __init__(self, store: FullStore, clock: Clock, find: Finder, zones: ZoneRule, places: HeavyReads) -> None:
        self._store = store
        self._clock = clock
        self._find = find
        self._zones = zones
        self._places = places
        self._sizes = SearchSizes(clock)

    async def page(
        self, caller: Caller, *, cursor: str | None, limit: int, **filters: Unpack[RunFilters]
    ) -> tuple[list[RunView], str | None]:
        """Show a page of runs, newest first, and the cursor of the next page; filters as in `query`."""
        async with self._turn(caller, filters):
            return await self._page(caller, await self.query(caller, **filters), cursor, limit)

    def _turn(self, caller: Caller, filters: RunFilters) -> AbstractAsyncContextManager[None]:
        """Wait for a turn to search, if there is something to search for."""
        # without an index: what these filters leave may be few among very many
        searches = any(each is not None for each in (filters.get("text"), filters.get("kind"), filters.get("origin")))
        return self._places.place(caller) if searches else nullcontext()

    async def _page(
        self, caller: Caller, wanted: RunQuery, cursor: str | None, limit: int
    ) -> tuple[list[RunView], str | None]:
        begun = None if cursor is None else begun_at(values.text(cursor, "cursor"), 1)
        if cursor is not None and begun is None and not cursor.startswith(RUN):
            raise foreign(cursor)
        zone = await self._zones.person(caller)
        rows: dict[str, StoredSchedule | None] = {}

        async def read(before: str | None, count: int) -> list[Run]:
            if search is None:
                ids = await self._store.timeline.find_runs(replace(wanted, before=before, limit=count))
            else:
                ids = [each.run_id for each in await search.next(count)]
            return await self._store.runs(RunFilter(ids=tuple(ids))) if ids else []

        async def show(runs: Sequence[Run]) -> list[RunView | None]:
            for schedule_id in {run.fire.schedule_id for run in runs} - rows.keys():
                rows[schedule_id] = await self._store.get(schedule_id)
            return [await view(run, rows[run.fire.schedule_id]) for run in runs]

        async def view(run: Run, row: StoredSchedule | None) -> RunView | None:
            if row is None or not self._find.sees(caller, row):
                return None
            return await shown_run(self._store, run, row, caller.scope, zone)

        place = cursor if begun is None or begun.place is None else begun.place[0]
        search = self._search(wanted, Begun(place) if begun is None else Begun(place, begun.searched, begun.total))
        shown, last = await fill(read, show, lambda run: run.id, limit, after=place)
        if search is None:
            return shown, last
        following = await search.following(last)
        if following is None:
            return shown, None
        end, progress = following
        return shown, end if progress is None else search_cursor((end,), progress)

    async def counts(self, caller: Caller, **filters: Unpack[RunFilters]) -> OutcomeCounts:
        """Count the same runs by outcome; with a text those that were found in the time of a call."""
        async with self._turn(caller, filters):
            return await self._counts(await self.query(caller, **filters))

    async def _counts(self, wanted: RunQuery) -> OutcomeCounts:
        search = self._search(wanted, Begun())
        if search is None:
            return outcome_counts(await self._store.timeline.count_runs(wanted))
        found = Counter[str]()
        while some := await search.next(MAX_PAGE):
            found.update(each.outcome for each in some)
        following = await search.following(None)
        progress = None if following is None else following[1]
        if progress is None:
            return outcome_counts(found)
        return replace(outcome_counts(found), searched=progress.searched, searched_of=progress.total)

    def _search(self, wanted: RunQuery, begun: Begun[str]) -> Search[str, FoundRun] | None:
        """Search all runs for a text, a part at a time.

        The runs of some schedules are found by these, and searched at once.
        """
        if wanted.text is None or wanted.visible.ids is not None:
            return None
        timeline = self._store.timeline

        async def look(before: str | None, most: int) -> SearchStretch[str, FoundRun]:
            found = await timeline.search_runs(replace(wanted, before=before), most)
            return SearchStretch(found.found, found.searched, found.end)

        rows = SearchedRows(
            read=look,
            between=lambda before, last: timeline.size_of_runs(replace(wanted, before=before), last),
            size=lambda: self._sizes.of((wanted.since, wanted.until), lambda: timeline.size_of_runs(wanted)),
        )
        return Search(self._clock, rows, begun)

    async def query(
        self,
        caller: Caller,
        *,
        schedule: str | None = None,
        statuses: Sequence[str] = (),
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        project: str | None = None,
        kind: str | None = None,
        origin: str | None = None,
        text: str | None = None,
    ) -> RunQuery:
        """Read the filters of a list of runs; a span is of the times at which runs were recorded, `until` exclusive."""
        given = {"project_id": project, "kind": kind, "origin": origin, "text": text}
        check_given(given)
        for name, value in given.items():
            if value is not None:
                values.text(value, name)
        if project is not None and not caller.scope.reaches(project):
            raise AccessDeniedError(f"cannot list runs of project {project}: access denied")
        first = None if since is None else values.moment(since, "since")
        last = None if until is None else values.moment(until, "until")
        if first is not None and last is not None and last < first:
            raise InvalidInputError(f"until {last.isoformat()} lies before since {first.isoformat()}: exchange them")
        return RunQuery(
            visible=await self._visible(caller, schedule),
            statuses=read_statuses(statuses),
            since=first,
            until=last,
            project=project,
            handlers=handlers_of(kind),
            origin=None if origin is None else choice(Origin, origin, "origin"),
            text=text or None,
        )

    async def _visible(self, caller: Caller, schedule: str | None) -> Visible:
        everything = await visible_to(self._store, caller)
        if schedule is None:
            return everything
        row = await self._find.row(caller, schedule, deleted=None)
        return Visible((row.id,), tuple(each for each in everything.hidden if each == row.id))


def outcome_counts(found: Mapping[str, int]) -> OutcomeCounts:
    """Sort numbers of runs by status into outcomes."""
    known = {name: found.get(name, 0) for name in _OUTCOMES}
    known["waiting"] = sum(found.get(each, 0) for each in _WAITING)
    known["dead"] += sum(number for status, number in found.items() if status not in {*_OUTCOMES, *_WAITING})
    return OutcomeCounts(**known)
