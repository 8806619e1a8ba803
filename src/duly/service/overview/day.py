"""A day on one page: its rows, the other schedules folded into one, the spans without a node, and what comes next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import MAXYEAR, MINYEAR, date, datetime, timedelta

from duly.clock import Clock, Turns
from duly.errors import InvalidInputError
from duly.ports.records import StoredSchedule
from duly.ports.store import FullStore
from duly.ports.timeline import Doing, Planned, Tally, Visible
from duly.service.access.quotas import QuotaKeeper
from duly.service.access.scopes import Caller
from duly.service.overview.coming import Outlook, OutlookFire, Series, noted, series_of
from duly.service.overview.figures import run_mark
from duly.service.overview.runs import outcome_counts
from duly.service.overview.sight import detail_of, kind_of, people_of, visible_to
from duly.service.overview.views import Band, DayRow, DayView, NextUp, OthersColumn, OthersRow, SilentSpan, SpendView
from duly.service.pages import MAX_PAGE
from duly.service.schedules.read_use_cases import ReadUseCases
from duly.service.schedules.views import state_word, zone_of
from duly.zones import iso

LONGEST = timedelta(days=32)
FARTHEST = timedelta(days=3660)
NEXT_UP = 7
_COLUMNS = 96
_MOST_MARKS = 5000
_BUSY = 200
_RESTART = timedelta(minutes=1)
_HOUR = timedelta(hours=1)
_KEPT_SPANS = 32
MOST_COUNTED = 20_000
"""So many schedules are counted; beyond that a number is said to be a lower bound."""


_SpanKey = tuple[tuple[str, ...] | None, datetime, datetime, datetime]


@dataclass(frozen=True, slots=True)
class _Span:
    start: datetime
    end: datetime
    now: datetime

    @property
    def width(self) -> float:
        """Seconds of one column."""
        return (self.end - self.start).total_seconds() / _COLUMNS

    def stretch(self, at: datetime) -> int:
        return min(_COLUMNS - 1, max(0, int((at - self.start).total_seconds() / self.width)))

    def ends(self) -> list[datetime]:
        """Give where each stretch ends: the same objects for all schedules, whose hashes are then made once."""
        return [self.bounds(stretch)[1] for stretch in range(_COLUMNS)]

    async def count(
        self, found: Sequence[tuple[Planned, Series]], stretches: list[int], ends: Sequence[datetime], turns: Turns
    ) -> None:
        """Add the coming fires of schedules to the numbers of the stretches."""
        first = max(self.start, self.now)
        begin = self.start.timestamp()
        width = self.width
        for planned, series in found:
            await turns.pause()
            if series.is_countable(planned):
                await self._count_often(planned, series, stretches, ends, turns)
                continue
            for at in await series.moments_between(planned, first, self.end, turns):
                stretches[min(_COLUMNS - 1, int((at - begin) / width))] += 1

    async def _count_often(
        self, planned: Planned, series: Series, stretches: list[int], ends: Sequence[datetime], turns: Turns
    ) -> None:
        """Count what fires often without visiting each fire: a schedule that fires every second has 86,400 a day."""
        first = max(self.start, self.now)
        before = 0 if planned.next_fire_at >= first else await series.count_before(planned, first, turns)
        for stretch in range(self.stretch(max(first, planned.next_fire_at)), _COLUMNS):
            number = await series.count_before(planned, ends[stretch], turns)
            stretches[stretch] += max(0, number - before)
            before = max(before, number)

    def bounds(self, stretch: int) -> tuple[datetime, datetime]:
        begin = self.start + timedelta(seconds=stretch * self.width)
        return begin, self.start + timedelta(seconds=(stretch + 1) * self.width)


@dataclass(frozen=True, slots=True)
class _Rows:
    """The schedules that have rows of their own."""

    rows: list[StoredSchedule]
    planned: dict[str, Planned]
    series: dict[str, Series]
    doing: dict[str, Doing]

    @property
    def often(self) -> list[str]:
        return [each.id for each in self.rows if self._is_often(each)]

    def _is_often(self, row: StoredSchedule) -> bool:
        series = self.series.get(row.id)
        return series is not None and series.fires_often(row.next_fire_at or row.updated_at)


class DayOverview:
    """Makes the view of a day."""

    def __init__(
        self, store: FullStore, clock: Clock, coming: Outlook, reads: ReadUseCases, quotas: QuotaKeeper
    ) -> None:
        self._store = store
        self._clock = clock
        self._coming = coming
        self._attention = reads.attention
        self._find = reads.find
        self._zones = reads.zones
        self._quotas = quotas
        self._closed: dict[_SpanKey, tuple[frozenset[tuple[str, str, str | None]], list[Tally]]] = {}

    async def view(
        self, caller: Caller, start: datetime, end: datetime, rows: int, unfold_after: str | None
    ) -> DayView:
        """Show a span: what happened in it, what runs, and what comes."""
        span = _Span(start, end, self._clock.now())
        check_span(start, end, self._clock.now())
        if not 0 <= rows <= MAX_PAGE:
            raise InvalidInputError(f"rows must lie between 0 and {MAX_PAGE}, got {rows}")
        after = _place(unfold_after)
        visible = await visible_to(self._store, caller)
        zone = await self._zones.person(caller)
        timeline = self._store.timeline
        shown, is_last = await self._rows(caller, visible, after, rows)
        ids = [each.id for each in shown.rows]
        tallies = await self._tallies(visible, span)
        counts: Counter[str] = Counter()
        for each in tallies:
            counts[each.status] += each.fires
        return DayView(
            start=start,
            end=end,
            now=span.now,
            zone=zone,
            sentence_counts=outcome_counts(counts),
            running=await timeline.count_running(visible),
            groups=await self._groups(caller, span, shown, visible.hidden, zone),
            others=None if is_last else await self._others(visible, span, tallies, ids, after + len(ids)),
            silent=await self.silent(span.start, min(span.end, span.now)),
            spend=await self._spend(caller, visible, span),
            next_up=await self._next_up(visible, span.now),
        )

    async def _tallies(self, visible: Visible, span: _Span) -> list[Tally]:
        """Count the runs of a span. What was recorded over an hour ago is counted again only if a run of it went on."""
        timeline = self._store.timeline
        cut = (span.now - _HOUR).replace(minute=0, second=0, microsecond=0)
        if not span.start < cut < span.end:
            return await timeline.tally(visible, span.start, span.end, width=span.width)
        unfinished = await timeline.still_open(visible, span.start, cut)
        key = (visible.ids, span.start, span.end, cut)
        known = self._closed.get(key)
        if known is None or known[0] != unfinished:
            counted = await timeline.tally(visible, span.start, cut, width=span.width)
            if len(self._closed) >= _KEPT_SPANS:
                self._closed.clear()
            known = self._closed[key] = (unfinished, counted)
        recent = await timeline.tally(visible, cut, span.end, width=span.width, origin=span.start)
        return [*known[1], *recent]

    async def _rows(self, caller: Caller, visible: Visible, after: int, count: int) -> tuple[_Rows, bool]:
        """Choose the rows: what needs a person, what is under way, then what comes, by its next time."""
        timeline = self._store.timeline
        doing = await timeline.busy(visible, _BUSY)
        needing = [row.id for row in await self._attention.needing() if self._find.sees(caller, row)]
        awaiting = [each for each, known in doing.items() if known.awaiting]
        first = list(dict.fromkeys([*needing, *awaiting, *doing]))
        wanted = after + count + 1
        following = await self._coming.planned(visible, far_ahead(self._clock.now()), wanted + len(first))
        order = list(dict.fromkeys([*first, *(planned.schedule_id for planned, _ in following)]))
        rows = [row for row in await timeline.schedules(order[:wanted]) if row.deleted_at is None][after:]
        ids = {row.id for row in rows[:count]}
        planned = {each.schedule_id: each for each, _ in following if each.schedule_id in ids}
        missing = tuple(ids - planned.keys())
        late = await self._coming.planned(Visible(missing), far_ahead(self._clock.now())) if missing else []
        series = {each.schedule_id: known for each, known in [*following, *late] if each.schedule_id in ids}
        planned |= {each.schedule_id: each for each, _ in late}
        for row in rows[:count]:
            if row.id not in series and (known := series_of(row)) is not None:
                series[row.id] = known
        return _Rows(rows[:count], planned, series, {**doing, **await timeline.doing(ids)}), len(rows) <= count

    async def _groups(
        self, caller: Caller, span: _Span, shown: _Rows, hidden: Collection[str], zone: str
    ) -> list[DayRow]:
        often = shown.often
        plain = [row.id for row in shown.rows if row.id not in often]
        marks = await self._store.timeline.marks(plain, span.start, span.end, _MOST_MARKS) if plain else []
        bands = await self._bands(often, span, shown)
        names = await people_of(self._store, shown.rows)
        groups = []
        turns = Turns(self._clock)
        for row in shown.rows:
            series = shown.series.get(row.id)
            fires = [] if row.id in often else await _coming_in(shown.planned.get(row.id), series, span, turns)
            groups.append(
                DayRow(
                    schedule_id=row.id,
                    name=row.name,
                    namespace=row.namespace,
                    kind=kind_of(row.handler),
                    detail=detail_of(row, caller, names),
                    state=state_word(row, shown.doing.get(row.id, Doing())),
                    zone=zone_of(row, zone).name,
                    next_run_at=row.next_run_at,
                    runs=[run_mark(each, hides=row.id in hidden) for each in marks if each.schedule_id == row.id],
                    coming=[] if series is None else noted(series.trigger, fires),
                    often=row.id in often,
                    bands=bands.get(row.id, []),
                )
            )
        return groups

    async def _bands(self, ids: Sequence[str], span: _Span, shown: _Rows) -> dict[str, list[Band]]:
        found: dict[str, list[Band]] = {each: [] for each in ids}
        if not ids:
            return found
        for each in await self._store.timeline.stretches(ids, span.start, span.end, width=span.width):
            begin, end = span.bounds(each.stretch)
            found[each.schedule_id].append(Band(start=begin, end=end, status=each.status, count=each.fires))
        ends = span.ends()
        turns = Turns(self._clock)
        for schedule_id in ids:
            planned = shown.planned.get(schedule_id)
            series = shown.series.get(schedule_id)
            coming = [0] * _COLUMNS
            if planned is not None and series is not None and span.end > span.now:
                await span.count([(planned, series)], coming, ends, turns)
            for stretch, count in enumerate(coming):
                if not count:
                    continue
                begin, end = span.bounds(stretch)
                found[schedule_id].append(Band(start=begin, end=end, status=None, count=count))
        return found

    async def _others(
        self, visible: Visible, span: _Span, tallies: Sequence[Tally], shown: Sequence[str], place: int
    ) -> OthersRow:
        counted = await self._store.timeline.count_schedules(visible, MOST_COUNTED + 1)
        columns: Counter[tuple[int, str | None]] = Counter()
        for each in tallies:
            columns[min(_COLUMNS - 1, max(0, each.stretch)), each.status] += each.fires
        if shown:
            for own in await self._store.timeline.stretches(shown, span.start, span.end, width=span.width):
                columns[min(_COLUMNS - 1, max(0, own.stretch)), own.status] -= own.fires
        by_status: Counter[str] = Counter()
        for (_, status), count in columns.items():
            by_status[status or ""] += max(0, count)
        apart = set(shown)
        following = await self._coming.planned(visible, span.end) if span.end > span.now else []
        others = [each for each in following if each[0].schedule_id not in apart]
        coming = [0] * _COLUMNS
        ends = span.ends()
        turns = Turns(self._clock)
        await span.count(others, coming, ends, turns)
        columns.update({(stretch, None): count for stretch, count in enumerate(coming)})
        ordered = sorted(columns.items(), key=lambda each: (each[0][0], each[0][1] or "~"))
        bounds = [(span.bounds(stretch), status, count) for (stretch, status), count in ordered if count > 0]
        return OthersRow(
            schedules=max(0, min(counted.all, MOST_COUNTED) - place),
            counts=outcome_counts(by_status),
            columns=[
                OthersColumn(start=begin, end=end, status=status, count=count) for (begin, end), status, count in bounds
            ],
            unfold_after=str(place),
            is_exact=counted.all <= MOST_COUNTED,
        )

    async def silent(self, start: datetime, end: datetime) -> list[SilentSpan]:
        """Find the spans in which no node lived."""
        timeline = self._store.timeline
        first = await timeline.first_life()
        if first is None or start >= end:
            return []  # nothing was ever to run here
        living = await self._store.serving()
        lives = await timeline.lives(start)
        known = [(each.started_at, self._clock.now() if each.id in living else each.seen_at) for each in lives]
        return gaps(known, max(start, first), end)

    async def _spend(self, caller: Caller, visible: Visible, span: _Span) -> SpendView:
        quota = await self._quotas.of(None if caller.scope.is_admin else caller.scope)
        spent = await self._store.timeline.spent(visible, span.start, span.end)
        return SpendView(spent_usd=round(spent, 6), limit_usd=None if quota is None else quota.cost_per_day)

    async def _next_up(self, visible: Visible, now: datetime) -> list[NextUp]:
        following = await self._coming.planned(visible, far_ahead(now), NEXT_UP)
        return [
            NextUp(schedule_id=each.schedule_id, name=series.name, kind=series.kind, run_at=each.next_run_at)
            for each, series in following
        ]


async def _coming_in(planned: Planned | None, series: Series | None, span: _Span, turns: Turns) -> list[OutlookFire]:
    if planned is None or series is None or span.end <= span.now:
        return []
    return await series.between(planned, max(span.start, span.now), span.end, turns)


def gaps(lives: Sequence[tuple[datetime, datetime]], start: datetime, end: datetime) -> list[SilentSpan]:
    """Find the spans that no life covers; a restart within a minute is none."""
    found = []
    reached = start
    for begin, last in [*sorted(lives), (end, end)]:
        if min(begin, end) - reached > _RESTART:
            found.append(SilentSpan(start=reached, end=min(begin, end)))
        reached = max(reached, last)
    return found


def far_ahead(now: datetime) -> datetime:
    """Give a time after every fire that people look at."""
    return now.replace(year=min(9999, now.year + 1000), month=1, day=1)


def check_year(day: date) -> None:
    """Refuse the first and the last year of the calendar: the days around them, or the clocks of a zone, leave it."""
    if not MINYEAR < day.year < MAXYEAR:
        raise InvalidInputError(
            f"{day.isoformat()} cannot be shown: name a time whose year lies between {MINYEAR + 1} and {MAXYEAR - 1}"
        )


def check_ahead(end: datetime, now: datetime) -> None:
    """Refuse to work out fires that are too far ahead: each schedule would be followed all the way there."""
    if end - now > FARTHEST:
        raise InvalidInputError(
            f"the fires up to {iso(end)} are not worked out: name a time up to {iso(now + FARTHEST)}, ten years ahead"
        )


def check_span(start: datetime, end: datetime, now: datetime) -> None:
    """Refuse a span that is empty, too long to be shown, too far ahead, or at the end of the calendar."""
    check_year(start)
    check_year(end)
    check_ahead(end, now)
    if not timedelta(0) < end - start <= LONGEST:
        raise InvalidInputError(
            f"the span from {iso(start)} to {iso(end)} cannot be shown: end must lie after start, by 32 days at most"
        )


def _place(unfold_after: str | None) -> int:
    if unfold_after is None:
        return 0
    if not unfold_after.isdecimal() or len(unfold_after) > 9:
        raise InvalidInputError(f"unfold_after {unfold_after!r:.100} is not one of ours: use others.unfold_after")
    return int(unfold_after)
