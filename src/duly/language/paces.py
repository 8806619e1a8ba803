"""Every so many hours from an hour of the clock, and so many times a day or a week.

Every 8 hours, said with six o'clock, is 06:00, 14:00 and 22:00 of every day, because 8 divides the day. Every 5 hours
are elapsed hours from the next six o'clock on. "Three times a day" names no hours: they are asked for, and never a
count of all runs is made of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, time, timedelta

from duly.language.atoms import Unit
from duly.language.grammar.bounds import bounds_of
from duly.language.grammar.clauses import Clause, PhraseReading
from duly.language.grammar.clocks import ClockTime, settle
from duly.language.grammar.cursor import HowOftenError, ImpossibleError
from duly.language.moments import DayParts, Present, meant, night_clock, of_clock
from duly.language.plan import EVERY_DAY, IntervalPlan, Plan, RulesPlan, SeriesPlan, WeeklyRule
from duly.language.series import start_day

_HOUR = 3600
_DAY = 24 * _HOUR
_DAILY = (1, Unit.DAY)
_GRID = 30
"""Minutes."""
_USUAL_DAYS = {2: (0, 3), 3: (0, 2, 4), 4: (0, 1, 3, 4), 5: (0, 1, 2, 3, 4), 6: (0, 1, 2, 3, 4, 5)}


def counts_hours_from_clock(clause: Clause) -> bool:
    """Tell whether a clause says every so many hours, and an hour of the clock to count from."""
    if clause.pace is None or not clause.times or clause.window is not None or clause.pace.seconds % _HOUR:
        return False
    return clause.part is None and not clause.weekdays and not clause.without and clause.every in (None, _DAILY)


def from_clock(clause: Clause, here: Present) -> Plan:
    """Make the plan of every so many hours from an hour of the clock."""
    seconds = 0 if clause.pace is None else clause.pace.seconds
    clocks = [of_clock(meant(settle(night_clock(clause, each), clause.part), here)) for each in clause.times]
    if seconds == _HOUR:
        raise ImpossibleError("every hour leaves no choice of an hour", "doubtful")  # at 15: past each hour?
    if _DAY % seconds:
        return _elapsed(clause, clocks, seconds, here)
    first = clocks[0]
    steps = range(_DAY // seconds)
    times = {(datetime.combine(here.today, first) + timedelta(seconds=step * seconds)).time() for step in steps}
    if len(clocks) > 1 and times != set(clocks):
        raise ImpossibleError("it is not clear whether these hours are all of them: say one of them", "doubtful")
    plan = RulesPlan((WeeklyRule(EVERY_DAY, tuple(sorted(times))),))
    begins = _first_hour(clause, clocks, plan, here)
    return plan if begins is None else SeriesPlan(plan, starts_at=begins)


def _first_hour(clause: Clause, clocks: list[time], plan: Plan, here: Present) -> datetime | None:
    """Return the hour with which a series begins on its first day, "from tomorrow at 8"; None if it is not ahead."""
    if clause.start is None or len(clocks) > 1:
        return None
    first = here.instant(start_day(clause.start, here), clocks[0])
    if first <= here.now:
        return None
    clause.anchored = True
    return None if plan.trigger(here.zone).get_next_occurrence(here.now) == first else first


def _elapsed(clause: Clause, clocks: list[time], seconds: int, here: Present) -> Plan:
    """Count elapsed hours from the first such instant."""
    if len(clocks) > 1:
        raise ImpossibleError("several first hours are named, and only one can be meant", "doubtful")
    days = [here.today, here.today + timedelta(1)]
    if clause.start is not None:
        days = [start_day(clause.start, here)]
        clause.anchored = True
    first = next((at for day in days if (at := here.instant(day, clocks[0])) > here.now), None)
    if first is None:
        raise ImpossibleError("that is in the past", "past")
    return SeriesPlan(IntervalPlan(seconds), starts_at=first)


def check_how_often(said: PhraseReading) -> None:
    """Ask for the hours of "three times a day", for so many runs in all need a series that is complete."""
    for clause in said.clauses:
        if clause.per_day is not None and clause.per_day != max(1, len(clause.times)):
            raise HowOftenError(clause.per_day, Unit.DAY)
    bounds = said.bounds
    if bounds is None or bounds.count is None:
        return
    if bounds.is_of_each and (days := _days_named(said.clauses)):
        if bounds.count not in (days, _runs(said.clauses)):
            raise HowOftenError(bounds.count, Unit.WEEK)
        bounds.count = None
        return
    if len(said.clauses) != 1:
        return
    unit = _unit_of(said.clauses[0])
    if unit is not None and bounds.count > 1:
        raise HowOftenError(bounds.count, unit)
    if unit is not None or (bounds.count == 1 and said.clauses[0].every == _DAILY):
        bounds.count = None  # once a day
    elif bounds.count == 1 and said.clauses[0].recurs:
        raise ImpossibleError("it is said to repeat, and to come once: say which", "doubtful")


def _days_named(clauses: Sequence[Clause]) -> int:
    """Return how many weekdays a series names: "twice a week, on Tuesdays and Thursdays"."""
    return sum(len(clause.weekdays) for clause in clauses)


def _runs(clauses: Sequence[Clause]) -> int:
    return sum(len(clause.weekdays) * max(1, len(clause.times)) for clause in clauses)


def fill_in(said: PhraseReading, here: Present) -> None:
    """Fill in what people usually mean and did not say: hours, days, a rhythm."""
    try:
        check_how_often(said)
    except HowOftenError as error:
        _fill_in_how_often(said, error, here)
        return
    days = [clause for clause in said.clauses if clause.has_day or clause.pace is not None]
    parts = any(clause.part is not None for clause in said.clauses)
    if not days and parts and len(said.clauses) > 1:
        for clause in said.clauses:
            clause.every = _DAILY
        return
    clause = said.clauses[0]
    if not days and len(said.clauses) == 1 and len(clause.times) > 1 and clause.offset is None:
        clause.every = _DAILY
    if clause.loose_offset and clause.offset is not None and clause.offset.calendar:
        bounds_of(said).lasting = clause.offset
        clause.offset = None
        clause.every = _DAILY


def _fill_in_how_often(said: PhraseReading, error: HowOftenError, here: Present) -> None:
    """Fill in the hours of "three times a day", and the days of "twice a week"."""
    clause = said.clauses[0]
    if error.unit is Unit.DAY:
        clause.times = [ClockTime(each.hour, each.minute) for each in usual_hours(error.count, here.parts)]
        clause.part = None
    elif error.unit is Unit.WEEK and error.count in _USUAL_DAYS and not clause.weekdays:
        clause.weekdays = list(_USUAL_DAYS[error.count])
        clause.every = None
        clause.habit = True
    clause.per_day = None
    if said.bounds is not None:
        said.bounds.count = None


def usual_hours(count: int, parts: DayParts) -> list[time]:
    """Return the hours that a person usually means by so many times a day: theirs, or as many within them."""
    own = [time.fromisoformat(each) for each in parts.often.split()]
    if count == len(own) or count < 1:
        return own
    first, last = (each.hour * 60 + each.minute for each in (own[0], own[-1]))
    steps = max(1, count - 1)
    minutes = [first + round((last - first) * step / steps / _GRID) * _GRID for step in range(count)]
    return [time(*divmod(each, 60)) for each in minutes]


def _unit_of(clause: Clause) -> Unit | None:
    """Return the day, week or month of which "so many times" may be said; None for a series that is complete."""
    if clause.every in ((1, Unit.WEEK), (1, Unit.MONTH)) and not (clause.weekdays or clause.monthdays or clause.nth):
        return clause.every[1]
    if clause.pace is not None or clause.times or not clause.recurs:
        return None
    return Unit.DAY
