"""The fires that come, of many schedules: triggers are decoded once for each version of a schedule.

What is walked is kept until the schedule fires or changes, so that a page which is asked for again and again costs what
has changed since. All this gives way to other tasks every few milliseconds, also within one schedule (`Turns`).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import NamedTuple

from duly.clock import Clock, Turns
from duly.cron.surprises import SurpriseKind
from duly.errors import DulyError, ExpansionError
from duly.expansion import bounded, step
from duly.model.policy import Policy
from duly.model.trigger import Trigger
from duly.planning.fire import dispatch_at
from duly.ports.codec import decode_policy, decode_trigger
from duly.ports.records import StoredSchedule
from duly.ports.timeline import Planned, Timeline, Visible
from duly.recurrence import SkipForward, skip_forward
from duly.recurrence.clockface import END, later
from duly.service.overview.sight import kind_of
from duly.service.overview.views import FireMark
from duly.service.schedules.times import clock_surprises, dated_parts
from duly.zones import Zone

MOST_SCHEDULES = 100_000
"""So many schedules at most are looked at for one answer."""
OFTEN = timedelta(minutes=10)
RHYTHM = 4
"""A schedule that fires oftener in a day is shown by numbers."""
_KEPT = 20_000
_CHUNK = 500
_TICK = timedelta(microseconds=1)
_DAY = timedelta(days=1)
_GAPS = 6
_MOST_WALKED = 5000
_MOST_COUNTED = 400
_PIECE_STEPS = 250
_LONGEST_PIECE = timedelta(days=400)
_SHORTEST_PIECE = timedelta(seconds=1)


class OutlookFire(NamedTuple):
    """A coming fire: its nominal time, and when it is dispatched."""

    fire_at: datetime
    run_at: datetime


class Counted:
    """Numbers of fires before the times that were asked for, and where counting goes on from each of them."""

    def __init__(self) -> None:
        self.numbers: dict[datetime, int] = {}
        self._places: list[tuple[datetime, int, datetime]] = []

    def nearest(self, stop: datetime) -> tuple[datetime, int, datetime] | None:
        """Give the last time up to a time at which counting stopped: with the number, and the last fire before it."""
        found = bisect_right(self._places, stop, key=_stop)
        return self._places[found - 1] if found else None

    def add(self, stop: datetime, number: int, last: datetime) -> None:
        insort(self._places, (stop, number, last))


def _stop(place: tuple[datetime, int, datetime]) -> datetime:
    return place[0]


@dataclass(slots=True)
class Series:
    """The definition of a schedule as far as its fires depend on it, and the fires walked so far."""

    version: int
    name: str
    namespace: str
    display_title: str | None
    kind: str
    source: str
    trigger: Trigger
    policy: Policy
    planned: Planned | None = None
    walked: list[OutlookFire] = field(default_factory=list)
    moments: list[float] = field(default_factory=list)
    """When those that were walked are dispatched, in seconds since 1970."""
    walked_until: datetime | None = None
    counted_from: Planned | None = None
    counted: Counted = field(default_factory=Counted)
    """How many fires come from `counted_from` on before a time."""
    counted_at: Planned | None = None
    passed: int = 0
    """How many of them lie between `counted_from` and `counted_at`, where the schedule has got to since."""
    is_dense: bool | None = None
    is_often: bool | None = None
    is_rhythm: bool | None = None

    async def between(self, planned: Planned, start: datetime, end: datetime, turns: Turns) -> list[OutlookFire]:
        """Give the fires that are dispatched from `start` until before `end`, at most five thousand."""
        if start > planned.next_run_at + _DAY:
            return await self._walked(planned, start, end, turns)
        await self._walk(planned, end, turns)
        first = bisect_left(self.moments, start.timestamp())
        return self.walked[first : bisect_left(self.moments, end.timestamp(), first)]

    async def moments_between(self, planned: Planned, start: datetime, end: datetime, turns: Turns) -> list[float]:
        """Give the same fires by when they are dispatched, in seconds since 1970."""
        if start > planned.next_run_at + _DAY:
            return [each.run_at.timestamp() for each in await self._walked(planned, start, end, turns)]
        await self._walk(planned, end, turns)
        first = bisect_left(self.moments, start.timestamp())
        return self.moments[first : bisect_left(self.moments, end.timestamp(), first)]

    async def count_before(self, planned: Planned, at: datetime, turns: Turns) -> int:
        """Count the fires with a nominal time before `at`.

        Numbers are kept: days and columns begin at the same times again. They stay right while the schedule goes from
        fire to fire, less those that it has passed.
        """
        if self.counted_at != planned or len(self.counted.numbers) > _MOST_COUNTED:
            passed = self._passed_until(planned)
            if passed is None or len(self.counted.numbers) > _MOST_COUNTED:
                self.counted = Counted()
                self.counted_from = planned
            self.passed = passed if passed is not None and self.counted_from is not planned else 0
            self.counted_at = planned
        counted = self.counted  # of this schedule as it is now: another task may begin anew meanwhile
        passed = self.passed
        number = counted.numbers.get(at)
        if number is None:
            number = counted.numbers[at] = await self._count_before(counted, self.counted_from or planned, at, turns)
        return max(0, number - passed)

    async def _walked(self, planned: Planned, start: datetime, end: datetime, turns: Turns) -> list[OutlookFire]:
        """Walk fires within a budget of their own; beyond it they are left out, and other schedules are shown."""
        found: list[OutlookFire] = []
        with suppress(ExpansionError), bounded(self.name):
            async for fire in walk(self, planned, start, end, turns):
                found.append(fire)
                if len(found) == _MOST_WALKED:
                    break
            return found
        return []

    async def _count_before(self, counted: Counted, planned: Planned, at: datetime, turns: Turns) -> int:
        """Count on from the nearest time before, up to which fires were counted."""
        stop = at if planned.until_at is None else min(at, planned.until_at + _TICK)
        if stop <= planned.next_fire_at:
            return 0
        _, number, last = counted.nearest(stop) or (planned.next_fire_at, 1, planned.next_fire_at)
        with suppress(ExpansionError), bounded(self.name):
            jump = await skip_in_turns(self.trigger, last, stop - _TICK, turns)
            number += jump.skipped
            counted.add(stop, number, jump.last_missed or last)
            return number if planned.max_runs is None else min(number, max(0, planned.max_runs - planned.fires))
        return 0

    def _passed_until(self, planned: Planned) -> int | None:
        """Count the fires from `counted_from` to where a schedule is now; None when it did not come there by firing."""
        begun = self.counted_from
        if begun is None or planned.max_runs is not None or begun.max_runs is not None:
            return None
        if begun.until_at != planned.until_at or planned.next_fire_at <= begun.next_fire_at:
            return None
        with suppress(ExpansionError), bounded(self.name, most=_PIECE_STEPS):
            jump = skip_forward(self.trigger, begun.next_fire_at, planned.next_fire_at - _TICK)
            return jump.skipped + 1 if jump.next_run == planned.next_fire_at else None
        return None

    def is_countable(self, planned: Planned) -> bool:
        """Tell whether its fires are better counted than visited: they come often, and run at their nominal times."""
        if self.policy.is_staggered or planned.next_run_at != planned.next_fire_at:
            return False
        if self.is_dense is None:
            second = self.trigger.get_next_occurrence(planned.next_fire_at)
            self.is_dense = second is not None and second - planned.next_fire_at < OFTEN
        return self.is_dense

    async def _walk(self, planned: Planned, end: datetime, turns: Turns) -> None:
        if self.planned != planned or self.walked_until is None or self.walked_until < end:
            walked = await self._walked(planned, planned.next_run_at, end, turns)
            self.walked = walked  # with no turn of others up to where the caller looks at it
            self.moments = [each.run_at.timestamp() for each in walked]
            self.walked_until = end
            self.planned = planned

    def fires_often(self, at: datetime) -> bool:
        """Tell whether it fires oftener than every ten minutes."""
        if self.is_often is None:
            last: datetime | None = at
            for _ in range(_GAPS):
                last = None if last is None else self.trigger.get_next_occurrence(last)
            self.is_often = last is not None and last - at < OFTEN * _GAPS
        return self.is_often

    def has_rhythm(self, at: datetime) -> bool:
        """Tell whether it fires more than four times within a day, beginning with the fire at a time."""
        if self.is_rhythm is None:
            last: datetime | None = at
            for _ in range(RHYTHM):
                last = None if last is None else self.trigger.get_next_occurrence(last)
            self.is_rhythm = last is not None and last - at < _DAY
        return self.is_rhythm


async def walk(
    series: Series, planned: Planned, start: datetime, end: datetime, turns: Turns
) -> AsyncIterator[OutlookFire]:
    """Walk the fires that are dispatched from `start` until before `end`, within the limits of the series."""
    trigger = series.trigger
    at: datetime | None = planned.next_fire_at
    number = planned.fires
    lead = timedelta(seconds=series.policy.max_stagger_seconds) if series.policy.is_staggered else timedelta(0)
    if planned.next_fire_at < start - lead - _DAY:
        jump = await skip_in_turns(trigger, planned.next_fire_at, start - lead - _TICK, turns)
        number += 1 + jump.skipped
        at = jump.next_run
    while at is not None and at < end and not _is_over(planned, at, number):
        step()
        await turns.pause()
        first = at == planned.next_fire_at
        run_at = planned.next_run_at if first else dispatch_at(trigger, series.policy, at) or at
        if start <= run_at < end:
            yield OutlookFire(at, run_at)
        number += 1
        at = trigger.get_next_occurrence(at)


async def skip_in_turns(trigger: Trigger, scheduled: datetime, now: datetime, turns: Turns) -> SkipForward:
    """Do what `skip_forward` does, a piece at a time: no piece takes more than a few hundred steps."""
    piece = _LONGEST_PIECE
    reached = current = scheduled
    skipped = 0
    last: datetime | None = None
    following: datetime | None = scheduled
    while True:
        until = min(now, later(reached, piece) or now)
        try:
            with bounded("", most=_PIECE_STEPS) as budget:
                jump = skip_forward(trigger, current, until)
        except ExpansionError:
            step(budget.taken)
            if piece <= _SHORTEST_PIECE:
                raise
            piece = max(_SHORTEST_PIECE, piece / 8)
            await turns.pause()
            continue
        step(budget.taken)
        await turns.pause()
        skipped += jump.skipped
        current = last = jump.last_missed or current
        following = jump.next_run
        if following is None or until >= now or following > now:
            return SkipForward(next_run=following, skipped=skipped, last_missed=last if skipped else None)
        reached = max(until, following - _TICK)
        piece = min(_LONGEST_PIECE, piece * 2)


def _is_over(planned: Planned, at: datetime, number: int) -> bool:
    return (planned.until_at is not None and at > planned.until_at) or (
        planned.max_runs is not None and number >= planned.max_runs
    )


async def count_by_day(
    series: Series, planned: Planned, days: Sequence[tuple[str, datetime, datetime]], turns: Turns
) -> dict[str, int]:
    """Count the fires that are dispatched on each of the days, which follow each other; days without one are left out.

    What fires often is counted without visiting each fire, unless its fires are spread.
    """
    if not days:
        return {}
    is_plain = not series.policy.is_staggered and planned.next_run_at == planned.next_fire_at
    if is_plain and series.has_rhythm(planned.next_fire_at):
        counted = [(day, await count_between(series, planned, start, end, turns)) for day, start, end in days]
        return {day: number for day, number in counted if number}
    ends = [end.timestamp() for _, _, end in days]
    moments = await series.moments_between(planned, days[0][1], days[-1][2], turns)
    return dict(Counter(days[bisect_right(ends, at)][0] for at in moments))


async def count_between(series: Series, planned: Planned, start: datetime, end: datetime, turns: Turns) -> int:
    """Count the fires with a nominal time from `start` until before `end`, without visiting each of them."""
    before = await series.count_before(planned, start, turns)
    return max(0, await series.count_before(planned, end, turns) - before)


class Outlook:
    """The coming fires of all schedules; one object per process."""

    def __init__(self, timeline: Timeline, clock: Clock) -> None:
        self._timeline = timeline
        self._clock = clock
        self._series: dict[str, Series] = {}

    async def planned(
        self, visible: Visible, until: datetime, limit: int = MOST_SCHEDULES
    ) -> list[tuple[Planned, Series]]:
        """Give the schedules that fire before a time, the next one first; those that cannot be decoded are left out."""
        found = await self._timeline.planned(visible, until, limit)
        kept = self._series
        known = {
            each.schedule_id: series
            for each in found
            if (series := kept.get(each.schedule_id)) is not None and series.version == each.version
        }
        if len(known) < len(found):
            unknown = [each.schedule_id for each in found if each.schedule_id not in known]
            known |= await self._learn(unknown, max(_KEPT, len(found)))
        return [(each, known[each.schedule_id]) for each in found if each.schedule_id in known]

    async def _learn(self, unknown: list[str], most: int) -> dict[str, Series]:
        """Read and decode schedules; what is kept for others may be cleared meanwhile by another task."""
        learnt: dict[str, Series] = {}
        turns = Turns(self._clock)
        for begin in range(0, len(unknown), _CHUNK):
            for row in await self._timeline.schedules(unknown[begin : begin + _CHUNK]):
                if (series := series_of(row)) is not None:
                    learnt[row.id] = series
                await turns.pause()
        if len(self._series) + len(learnt) > most:
            self._series.clear()
        self._series |= learnt
        return learnt


def series_of(row: StoredSchedule) -> Series | None:
    """Decode the part of a schedule on which its fires depend; None when that cannot be done."""
    try:
        trigger = decode_trigger(row.trigger)
        policy = decode_policy(row.policy)
    except (ValueError, DulyError):
        return None
    return Series(
        version=row.version,
        name=row.name,
        namespace=row.namespace,
        display_title=row.display_title,
        kind=kind_of(row.handler),
        source=row.source,
        trigger=trigger,
        policy=policy,
    )


def noted(trigger: Trigger, fires: list[OutlookFire]) -> list[FireMark]:
    """Give fires with what a clock change does to each of them."""
    notes = _notes(trigger, fires) if fires else {}
    return [FireMark(fire_at=each.fire_at, run_at=each.run_at, note=notes.get(each.fire_at)) for each in fires]


def _notes(trigger: Trigger, fires: list[OutlookFire]) -> dict[datetime, str]:
    """Find the fires that a clock change moves, leaves out before, or lets come twice; by their nominal times."""
    start = fires[0].fire_at - _DAY
    end = later(fires[-1].fire_at, _DAY) or END
    zones = [Zone.of(part.tz) for part in dated_parts(trigger)]
    if all(zone.fixed or not list(zone.transitions(start, end)) for zone in zones):
        return {}
    found: dict[datetime, str] = {}
    for each in clock_surprises(trigger, start, end):
        if each.kind in (SurpriseKind.MOVED, SurpriseKind.SKIPPED):
            hit = [fire.fire_at for fire in fires if fire.fire_at >= each.at][:1]
        else:
            hour = timedelta(hours=1)
            hit = [fire.fire_at for fire in fires if each.at - hour <= fire.fire_at < each.at + hour]
        found |= dict.fromkeys(hit, each.text)
    return found
