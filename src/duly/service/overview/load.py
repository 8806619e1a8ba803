"""Coming fires over all schedules: in a span for a calendar, by minute for the load of a day. Spreading a minute."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Collection
from dataclasses import replace
from datetime import date, datetime, time, timedelta

from duly.clock import Clock, Turns
from duly.errors import AccessDeniedError, InvalidInputError
from duly.planning.fire import dispatch_at
from duly.ports.store import FullStore
from duly.ports.timeline import Planned, Visible
from duly.service.access.scopes import Caller, check_writes, may_change
from duly.service.overview.coming import RHYTHM, Outlook, OutlookFire, Series, count_between, noted
from duly.service.overview.day import check_ahead, check_span, check_year
from duly.service.overview.figures import run_mark, typical
from duly.service.overview.sight import handlers_of, visible_to
from duly.service.overview.views import FireRhythm, FiresPage, LoadView, MinuteLoad, ScheduledFire, SpreadView
from duly.service.schedules.fields import spreading
from duly.service.schedules.finding import Finder, owned
from duly.service.schedules.times import ZoneRule
from duly.service.schedules.use_cases import UseCases
from duly.zones import Zone

BUSIEST = 20
MOST_FIRES = 10_000
_MINUTE = timedelta(minutes=1)
_QUARTER = 15
"""Minutes of a quarter of an hour."""
_DAY = timedelta(days=1)
_WEEK = 7
_CHUNK = 500
_SAMPLE = 10
_NAMED = 6
_KNOWN_FOR = timedelta(hours=1)
_LONGEST_SPREAD = timedelta(hours=6)


class Forecast:
    """Answers what comes when, and how much of it at once."""

    def __init__(
        self,
        store: FullStore,
        clock: Clock,
        coming: Outlook,
        use_cases: UseCases,
        max_concurrency: Callable[[], int],
    ) -> None:
        self._store = store
        self._clock = clock
        self._coming = coming
        self._use_cases = use_cases
        self._find: Finder = use_cases.reads.find
        self._zones: ZoneRule = use_cases.reads.zones
        self._max_concurrency = max_concurrency
        self._durations: dict[str, tuple[datetime, float | None]] = {}

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
        rhythms: bool = True,
    ) -> FiresPage:
        """Give the coming fires of a span, the first ones first; a schedule that fires often becomes a rhythm."""
        check_span(start, end, self._clock.now())
        if not 1 <= limit <= MOST_FIRES:
            raise InvalidInputError(f"limit must lie between 1 and {MOST_FIRES}, got {limit}")
        visible = await self._asked(caller, project, schedule)
        handlers_of(kind)
        zone = Zone.of(await self._zones.person(caller))
        begin = max(start, self._clock.now())
        days = local_days(begin, end, zone)
        found: list[tuple[OutlookFire, Planned, Series]] = []
        folded: list[FireRhythm] = []
        horizon = end
        truncated = False
        turns = Turns(self._clock)
        for planned, series in await self._coming.planned(visible, end) if begin < end else []:
            await turns.pause()
            if planned.next_run_at >= horizon and not series.has_rhythm(planned.next_fire_at):
                continue
            if kind is not None and series.kind != kind:
                continue
            if rhythms and (rhythm := await _rhythm(planned, series, days, turns)) is not None:
                folded.append(rhythm)
                continue
            found += [(fire, planned, series) for fire in await series.between(planned, begin, horizon, turns)]
            if len(found) > 2 * limit:
                found = sorted(found, key=_by_time)[: limit + 1]
                horizon = found[-1][0].run_at + timedelta.resolution
        found.sort(key=_by_time)
        truncated = len(found) > limit
        return FiresPage(fires=await self._shown(found[:limit]), truncated=truncated, rhythms=folded)

    async def _asked(self, caller: Caller, project: str | None, schedule: str | None) -> Visible:
        if schedule is not None:
            return Visible(((await self._find.row(caller, schedule)).id,))
        visible = await visible_to(self._store, caller)
        if project is None:
            return visible
        if not caller.scope.reaches(project):
            raise AccessDeniedError(f"cannot list fires of project {project}: access denied")
        there = await self._store.timeline.within(project)
        return Visible(tuple(each for each in there if visible.ids is None or each in visible.ids))

    async def _shown(self, found: list[tuple[OutlookFire, Planned, Series]]) -> list[ScheduledFire]:
        typical_of = await self.durations({planned.schedule_id for _, planned, _ in found})
        by_schedule: defaultdict[str, list[OutlookFire]] = defaultdict(list)
        triggers = {planned.schedule_id: series.trigger for _, planned, series in found}
        for fire, planned, _ in found:
            by_schedule[planned.schedule_id].append(fire)
        notes: dict[tuple[str, datetime], str | None] = {}
        turns = Turns(self._clock)
        for schedule_id, fires in by_schedule.items():
            await turns.pause()
            notes |= {(schedule_id, mark.fire_at): mark.note for mark in noted(triggers[schedule_id], fires)}
        return [
            ScheduledFire(
                schedule_id=planned.schedule_id,
                name=series.name,
                namespace=series.namespace,
                display_title=series.display_title,
                kind=series.kind,
                fire_at=fire.fire_at,
                run_at=fire.run_at,
                note=notes.get((planned.schedule_id, fire.fire_at)),
                duration_seconds=typical_of.get(planned.schedule_id),
            )
            for fire, planned, series in found
        ]

    async def durations(self, ids: Collection[str]) -> dict[str, float | None]:
        """Give how long the runs of schedules typically take; an answer holds for an hour."""
        now = self._clock.now()
        old = [each for each in ids if each not in self._durations or now - self._durations[each][0] > _KNOWN_FOR]
        turns = Turns(self._clock)
        for begin in range(0, len(old), _CHUNK):
            chunk = old[begin : begin + _CHUNK]
            marks = defaultdict(list)
            for mark in await self._store.timeline.last_marks(chunk, _SAMPLE):
                await turns.pause()
                marks[mark.schedule_id].append(run_mark(mark))
            self._durations |= {each: (now, typical(marks[each])) for each in chunk}
        return {each: self._durations[each][1] for each in ids}

    async def load(self, caller: Caller, day: date, zone: str, *, past: bool = False) -> LoadView:
        """Count what is dispatched in each minute of a day, or (`past`) was on average in the seven days before it."""
        start, end = day_bounds(day, zone)
        check_ahead(end, self._clock.now())
        visible = await visible_to(self._store, caller)
        minutes = [0] * int((end - start) / _MINUTE)
        who: defaultdict[int, dict[str, str]] = defaultdict(dict)
        ends: Counter[int] = Counter()
        if past:
            minutes = await self._past(visible, start, len(minutes))
        else:
            found = await self._coming.planned(visible, end)
            lasting = await self.durations([planned.schedule_id for planned, _ in found])
            turns = Turns(self._clock)
            for planned, series in found:
                await turns.pause()
                lasts = int((lasting.get(planned.schedule_id) or 0.0) // 60) + 1
                for fire in await series.between(planned, start, end, turns):
                    minute = int((fire.run_at - start) / _MINUTE)
                    minutes[minute] += 1
                    who[minute][planned.schedule_id] = series.name
                    ends[minute + lasts] += 1
        busiest = sorted((each for each in range(len(minutes)) if minutes[each]), key=lambda each: -minutes[each])
        running = [] if past else _running(minutes, ends)
        peak = max(running, default=0)
        return LoadView(
            day=day,
            zone=Zone.of(zone).name,
            minutes=minutes,
            total=sum(minutes),
            busiest=[
                MinuteLoad(
                    at=start + each * _MINUTE,
                    fires=minutes[each],
                    schedule_ids=list(who[each]),
                    names=list(who[each].values())[:_NAMED],
                )
                for each in busiest[:BUSIEST]
            ],
            concurrency_peak=peak,
            max_concurrency=self._max_concurrency(),
            at_once=[max(running[begin : begin + _QUARTER]) for begin in range(0, len(running), _QUARTER)],
            peak_at=start + running.index(peak) * _MINUTE if peak else None,
        )

    async def _past(self, visible: Visible, start: datetime, length: int) -> list[int]:
        sums = [0] * length
        for back in range(1, _WEEK + 1):
            begin = start - back * _DAY
            for each in await self._store.timeline.tally(visible, begin, begin + _DAY, width=60):
                if 0 <= each.stretch < length and each.status not in ("missed", "skipped"):
                    sums[each.stretch] += each.runs
        return [round(each / _WEEK) for each in sums]

    async def minute(self, caller: Caller, at: datetime) -> list[ScheduledFire]:
        """List what is dispatched in a minute to come."""
        check_year(at)
        start = at.replace(second=0, microsecond=0)
        page = await self.fires(caller, start, start + _MINUTE, rhythms=False, limit=MOST_FIRES)
        return page.fires

    async def spread(self, caller: Caller, at: datetime, over: timedelta, *, dry_run: bool = True) -> SpreadView:
        """Spread the agents and jobs of a minute over a longer time, or show how that would be.

        Reminders keep their time. What comes from the file is changed there: its lines are given.
        """
        check_writes(caller.scope, "spread")
        if not _MINUTE <= over <= _LONGEST_SPREAD:
            raise InvalidInputError(f"over must lie between 1 minute and 6 hours, got {over.total_seconds():g} seconds")
        check_year(at)
        check_ahead(at, self._clock.now())
        start = at.replace(second=0, microsecond=0)
        visible = await visible_to(self._store, caller)
        seconds = int(over.total_seconds())
        length = -(-seconds // 60) + 1
        before = [0] * length
        after = [0] * length
        changed: list[str] = []
        lines: list[str] = []
        turns = Turns(self._clock)
        for planned, series in await self._coming.planned(visible, start + length * _MINUTE):
            await turns.pause()
            for fire in await series.between(planned, start, start + length * _MINUTE, turns):
                before[int((fire.run_at - start) / _MINUTE)] += 1
                moved = fire.run_at
                if fire.run_at < start + _MINUTE and series.kind != "person":
                    if series.source == "toml":
                        lines += _lines(series.name, planned.schedule_id, seconds)
                    elif await self._may_change(caller, planned.schedule_id):
                        changed.append(planned.schedule_id)
                        moved = _moved(series, planned.schedule_id, fire, seconds)
                minute = int((moved - start) / _MINUTE)
                if 0 <= minute < length:
                    after[minute] += 1
        ids = list(dict.fromkeys(changed))
        if not dry_run:
            for each in ids:
                await self._use_cases.update(caller, each, spreading(each, seconds))
        return SpreadView(before=before, after=after, changed=ids, from_file=lines)

    async def _may_change(self, caller: Caller, schedule_id: str) -> bool:
        row = await self._store.get(schedule_id)
        return row is not None and (caller.scope.is_admin or may_change(caller.scope, owned(row)))


def _lines(name: str, key: str, seconds: int) -> list[str]:
    return [f"# {name}", *(f"{each} = {json.dumps(value)}" for each, value in spreading(key, seconds).items())]


def _moved(series: Series, key: str, fire: OutlookFire, seconds: int) -> datetime:
    policy = replace(series.policy, **spreading(key, seconds))
    return dispatch_at(series.trigger, policy, fire.fire_at) or fire.run_at


def _by_time(found: tuple[OutlookFire, Planned, Series]) -> tuple[datetime, str]:
    return found[0].run_at, found[1].schedule_id


def local_days(start: datetime, end: datetime, zone: Zone) -> list[tuple[str, datetime, datetime]]:
    """Cut a span into its local days, each with its date."""
    found = []
    day = zone.localize(start).date()
    at = start
    while at < end:
        following = min(end, day_bounds(day, zone.name)[1])
        found.append((day.isoformat(), at, following))
        day += _DAY
        at = following
    return found


async def _rhythm(
    planned: Planned, series: Series, days: list[tuple[str, datetime, datetime]], turns: Turns
) -> FireRhythm | None:
    """Count the fires of each local day if on one of them there are more than four."""
    if not series.has_rhythm(planned.next_fire_at):
        return None
    counted = [(day, await count_between(series, planned, start, end, turns)) for day, start, end in days]
    per_day = {day: number for day, number in counted if number}
    if max(per_day.values(), default=0) <= RHYTHM:
        return None
    return FireRhythm(schedule_id=planned.schedule_id, name=series.name, kind=series.kind, per_day=per_day)


def _running(starts: list[int], ends: Counter[int]) -> list[int]:
    """Give how many are under way in each minute, by the minutes in which runs start and end."""
    under_way = 0
    found: list[int] = []
    for minute, started in enumerate(starts):
        under_way += started - ends[minute]
        found.append(under_way)
    return found


def day_bounds(day: date, zone: str) -> tuple[datetime, datetime]:
    """Give the first instant of a local day, and that of the next one."""
    check_year(day)
    where = Zone.of(zone)
    return (
        where.first_instant(datetime.combine(day, time())),
        where.first_instant(datetime.combine(day + _DAY, time())),
    )
