"""Days on a calendar: runs that were, fires that come, and what fires often as numbers by day."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from duly.clock import Clock, Turns
from duly.ports.records import RunFilter
from duly.ports.store import FullStore
from duly.ports.timeline import Mark, RunQuery, Visible
from duly.service.access.scopes import Caller
from duly.service.overview.coming import RHYTHM, Outlook, OutlookFire, Series, count_by_day, noted
from duly.service.overview.day import DayOverview, check_span, far_ahead
from duly.service.overview.load import local_days
from duly.service.overview.sight import handlers_of, kind_of, visible_to
from duly.service.overview.views import SilentSpan
from duly.zones import Zone

_MOST_SCHEDULES = 2000
_MOST_ENTRIES = 3000
_PAST_RUNS = 500
"""So many of the latest runs tell of schedules that have ended, such as reminders that fired once."""
_HOUR = timedelta(hours=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class CalendarEntry:
    """A run or a coming fire."""

    schedule_id: str
    name: str
    title: str
    """`display_title`, or the name."""
    kind: str
    at: datetime
    """When it ran, or is dispatched."""
    fire_at: datetime
    status: str | None = None
    """None for a fire that is to come."""
    reminder_status: str | None = None
    run_id: str | None = None
    skipped: int = 0
    note: str | None = None
    """How a clock change moves it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CalendarRhythm:
    """A schedule that fires more than four times on a day, as numbers by local day."""

    schedule_id: str
    name: str
    kind: str
    days: dict[str, dict[str, int]]
    """By local date: how many of each status; `coming` counts the fires to come."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CalendarView:
    """The days of a span."""

    start: datetime
    end: datetime
    now: datetime
    zone: str
    entries: list[CalendarEntry]
    rhythms: list[CalendarRhythm]
    silent: list[SilentSpan] = field(default_factory=list)
    truncated: bool = False
    """There are more schedules or entries than are shown."""


@dataclass(frozen=True, slots=True)
class _Known:
    """A schedule as far as a calendar shows it."""

    name: str
    title: str
    kind: str


class CalendarDays:
    """Makes the view of the days of a span."""

    def __init__(self, store: FullStore, clock: Clock, coming: Outlook, days: DayOverview) -> None:
        self._store = store
        self._clock = clock
        self._coming = coming
        self._days = days

    async def view(
        self, caller: Caller, start: datetime, end: datetime, zone: str, *, kind: str | None = None
    ) -> CalendarView:
        """Show the days of a span on the clocks of a zone; `kind` keeps agents, jobs or people only."""
        now = self._clock.now()
        check_span(start, end, now)
        handlers_of(kind)
        visible = await visible_to(self._store, caller)
        planned = await self._coming.planned(visible, far_ahead(now), _MOST_SCHEDULES)
        known = {each.schedule_id: _known(series) for each, series in planned}
        known |= await self._ended(visible, start, min(end, now), known)
        if kind is not None:
            known = {each: about for each, about in known.items() if about.kind == kind}
        where = Zone.of(zone)
        begin = max(start, now)
        coming = [each for each in planned if each[0].schedule_id in known] if begin < end else []
        numbers = await self._past_numbers(list(known), start, end, where)
        turns = Turns(self._clock)
        days = local_days(begin, end, where)
        for each, series in coming:
            await turns.pause()
            for day, number in (await count_by_day(series, each, days, turns)).items():
                numbers[each.schedule_id][day]["coming"] += number
        often = {each for each, days in numbers.items() if any(sum(day.values()) > RHYTHM for day in days.values())}
        marks = await self._marks([each for each in known if each not in often], start, end)
        entries = [_past(mark, known[mark.schedule_id]) for mark in marks]
        for each, series in coming:
            if each.schedule_id not in often:
                await turns.pause()
                entries += _future(each.schedule_id, series, await series.between(each, begin, end, turns))
        entries.sort(key=lambda entry: (entry.at, entry.name))
        return CalendarView(
            start=start,
            end=end,
            now=now,
            zone=where.name,
            entries=entries[:_MOST_ENTRIES],
            rhythms=[
                CalendarRhythm(
                    schedule_id=each, name=known[each].name, kind=known[each].kind, days=_as_dicts(numbers[each])
                )
                for each in sorted(often, key=lambda each: -_total(numbers[each]))
            ],
            silent=await self._days.silent(start, min(end, now)),
            truncated=len(entries) > _MOST_ENTRIES or len(planned) == _MOST_SCHEDULES,
        )

    async def _ended(
        self, visible: Visible, start: datetime, end: datetime, known: dict[str, _Known]
    ) -> dict[str, _Known]:
        """Find schedules that fire no more but have runs in the span."""
        if start >= end:
            return {}
        query = RunQuery(visible=visible, since=start, until=end, limit=_PAST_RUNS)
        ids = await self._store.timeline.find_runs(query)
        runs = await self._store.runs(RunFilter(ids=tuple(ids), limit=_PAST_RUNS)) if ids else []
        missing = sorted({run.fire.schedule_id for run in runs} - known.keys())
        rows = await self._store.timeline.schedules(missing) if missing else []
        return {row.id: _Known(row.name, row.display_title or row.name, kind_of(row.handler)) for row in rows}

    async def _past_numbers(
        self, ids: list[str], start: datetime, end: datetime, zone: Zone
    ) -> dict[str, dict[str, Counter[str]]]:
        """Count runs by schedule and local day, an hour at a time: days may have 23 or 25 hours."""
        found: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
        width = _HOUR.total_seconds()
        days: dict[int, str] = {}
        turns = Turns(self._clock)
        for each in await self._store.timeline.stretches(ids, start, end, width=width) if ids else []:
            await turns.pause()
            if each.stretch not in days:
                days[each.stretch] = zone.localize(start + max(0, each.stretch) * _HOUR).date().isoformat()
            found[each.schedule_id][days[each.stretch]][each.status] += each.fires
        return found

    async def _marks(self, ids: list[str], start: datetime, end: datetime) -> list[Mark]:
        marks = await self._store.timeline.marks(ids, start, end, _MOST_ENTRIES) if ids else []
        return [mark for mark in marks if start <= _shown_at(mark) < end]


def _known(series: Series) -> _Known:
    return _Known(series.name, series.display_title or series.name, series.kind)


def _as_dicts(days: dict[str, Counter[str]]) -> dict[str, dict[str, int]]:
    return {day: dict(counts) for day, counts in sorted(days.items())}


def _total(days: dict[str, Counter[str]]) -> int:
    return sum(sum(counts.values()) for counts in days.values())


def _shown_at(mark: Mark) -> datetime:
    """Give the time at which a run stands: when it began, or its fire when it never did."""
    return mark.started_at or mark.fire_at


def _past(mark: Mark, known: _Known) -> CalendarEntry:
    return CalendarEntry(
        schedule_id=mark.schedule_id,
        name=known.name,
        title=known.title,
        kind=known.kind,
        at=_shown_at(mark),
        fire_at=mark.fire_at,
        status=mark.status,
        reminder_status=mark.reminder_status,
        run_id=mark.run_id,
        skipped=mark.skipped,
    )


def _future(schedule_id: str, series: Series, fires: list[OutlookFire]) -> list[CalendarEntry]:
    return [
        CalendarEntry(
            schedule_id=schedule_id,
            name=series.name,
            title=series.display_title or series.name,
            kind=series.kind,
            at=fire.run_at,
            fire_at=fire.fire_at,
            note=fire.note,
        )
        for fire in noted(series.trigger, fires)
    ]
