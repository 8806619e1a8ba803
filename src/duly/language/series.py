"""Series: a plan with its beginning, its end and its count, seen from now."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, time, timedelta

from duly.errors import InvalidInputError
from duly.language.grammar.bounds import Bounds
from duly.language.grammar.clauses import Clause, PhraseReading
from duly.language.grammar.cursor import ImpossibleError
from duly.language.grammar.lengths import TimeLength
from duly.language.moments import Present, date_or_none, moved, of_clock, resolve
from duly.language.periods import last_day
from duly.language.plan import IntervalPlan, MomentPlan, Plan, SeriesPlan

_SECOND = timedelta(seconds=1)
_WEEK = 7
_HALF_DAY = 12


def bounded(plan: Plan, reading: PhraseReading, here: Present) -> Plan:
    """Return the plan within the bounds that were named, or as it is if there are none."""
    starts = [clause.start for clause in reading.clauses if clause.start is not None and not clause.anchored]
    bounds = reading.bounds
    if not starts and (bounds is None or not (bounds.end or bounds.period or bounds.lasting or bounds.count)):
        return plan
    if isinstance(plan, MomentPlan):
        raise ImpossibleError("a beginning, an end and a count belong to what recurs")
    if len(starts) > 1:
        raise ImpossibleError("two beginnings are named")
    try:
        trigger = plan.trigger(here.zone)
    except InvalidInputError as error:  # every 25 hours within hours
        raise ImpossibleError(str(error)) from error
    begun = plan if isinstance(plan, SeriesPlan) else None
    natural = trigger.get_next_occurrence(here.now)
    first = natural
    opens = start_day(starts[0], here) if starts else here.today
    if starts:
        opening = here.instant(opens, time()) - _SECOND
        first = trigger.get_next_occurrence(max(opening, here.now))
    if first is None:
        raise ImpossibleError("that is beyond the calendar")
    paces = [clause.pace.seconds for clause in reading.clauses if clause.pace is not None and clause.times]
    pace = timedelta(seconds=paces[0]) if len(paces) == 1 else None
    kind = plan if begun is None else begun.plan
    ends = None if bounds is None else _end(bounds, kind, first, opens, here, pace)
    if ends is not None and ends < first:
        raise ImpossibleError("it ends before it begins")
    count = _count(reading)
    if first == natural and ends is None and count is None:
        return plan
    if begun is not None:
        return replace(begun, ends_at=ends, count=count)
    return SeriesPlan(plan, starts_at=None if first == natural else first, ends_at=ends, count=count)


def _count(reading: PhraseReading) -> int | None:
    """Return how many runs there are in all."""
    count = None if reading.bounds is None else reading.bounds.count
    if count is not None and any(count == len(clause.times) > 1 for clause in reading.clauses):
        raise ImpossibleError(f"{count} times may be on each day or in all: say which", "doubtful")
    return count


def start_day(start: Clause, here: Present) -> date:
    """Return the day that begins or ends a series."""
    if start.date is not None and start.date.year is not None and start.date.month is not None:
        day = date_or_none(start.date.year, start.date.month, start.date.day)
        if day is None:
            raise ImpossibleError("there is no such date")
        return day
    if start.relative_day is not None:
        return here.today + timedelta(start.relative_day)
    return here.zone.localize(resolve(start, here)).date()


def _end(
    bounds: Bounds, plan: Plan, first: datetime, opens: date, here: Present, pace: timedelta | None
) -> datetime | None:
    """Return the last instant of a series: the end of its last day, or the instant that was named.

    `opens` is the beginning that was named, or today. `pace` is that of hours that count from a clock.
    """
    began = here.zone.localize(first).replace(tzinfo=None, fold=0)
    if bounds.lasting is not None:
        return _after(bounds.lasting, plan, began, here, pace)
    if bounds.period is not None:
        day = last_day(bounds.period, opens, here)
    elif bounds.end is not None:
        day = start_day(bounds.end, here)
    else:
        return None
    if bounds.end is not None and bounds.end.weekdays and bounds.end.date is None:
        day += timedelta(max(0, -(-(began.date() - day).days // _WEEK)) * _WEEK)  # the first such weekday after it
    if bounds.end_clock is None:
        return _end_of(day, here)
    ends = here.instant(day + timedelta(bounds.end_clock.ends_day), of_clock(bounds.end_clock))
    # "Every hour until 5", said at ten: this afternoon.
    is_late = bounds.end_clock.spoken and ends <= here.now
    return ends + timedelta(hours=_HALF_DAY) if is_late else ends


def _after(length: TimeLength, plan: Plan, began: datetime, here: Present, pace: timedelta | None) -> datetime:
    """Return the end of a length: days count from the first occurrence, hours and what has no days from now.

    Of hours that count from a clock it is the last of them.
    """
    if length.seconds and not isinstance(plan, IntervalPlan):
        raise ImpossibleError("such a series lasts days, weeks or months")
    after = moved(began, length)
    if pace is not None and not length.seconds:
        last = began + (after - began - _SECOND) // pace * pace  # every 6 hours for 3 days are 12 times
        return here.instant(last.date(), last.time())
    if isinstance(plan, IntervalPlan):
        return here.zone.shifted(moved(here.local, length)) + timedelta(seconds=length.seconds)
    return _end_of(after.date() - timedelta(1), here)


def _end_of(day: date, here: Present) -> datetime:
    return here.instant(day + timedelta(1), time()) - _SECOND
