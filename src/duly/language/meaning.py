"""The meaning of clauses, as a plan: what recurs becomes rules, what does not becomes a moment, and never the other."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, time, timedelta

from duly.language.atoms import ANY_WORKDAY, DayPart, Unit
from duly.language.grammar.clauses import Clause, PhraseReading, Slot
from duly.language.grammar.clocks import ClockTime, settle
from duly.language.grammar.cursor import ImpossibleError, UnsaidError
from duly.language.moments import (
    Present,
    date_or_none,
    default_clock,
    is_of_night,
    meant,
    night_clock,
    of_clock,
    resolve,
)
from duly.language.paces import check_how_often, counts_hours_from_clock, fill_in, from_clock
from duly.language.plan import (
    EVERY_DAY,
    EveryDaysRule,
    IntervalPlan,
    MomentPlan,
    MonthlyRule,
    Plan,
    Rule,
    RulesPlan,
    TimesOfDay,
    WeeklyRule,
    WindowedRule,
    merged,
)
from duly.language.series import bounded, start_day

_WHOLE_DAY = (time(0), time(23, 59))
_DAYS_IN = {Unit.DAY: 1, Unit.WEEK: 7}
_MONTHS_IN = {Unit.MONTH: 1, Unit.YEAR: 12}
_LONGEST_MONTH = 31
_MOST_WEEKDAYS = 5
_MOST_MONTHS = 9999 * 12
_LEAP_YEAR = 2024


def plan_of(said: PhraseReading, here: Present) -> Plan:
    """Make the plan of a phrase, seen from now."""
    again = None if said.bounds is None else said.bounds.again
    if again is not None and _is_silent(said):
        return MomentPlan(here.now + again)  # it begins like "in 3 days"
    if said.bounds is not None and said.bounds.leads and _is_silent(said):
        raise ImpossibleError("it names no time for something to be before")
    if here.usual:
        fill_in(said, here)
    check_how_often(said)
    plan = bounded(_unbounded(said, here), said, here)
    if again is not None and not isinstance(plan, MomentPlan):
        raise ImpossibleError("it recurs by itself, and cannot wait until it is done as well")
    return plan


def _is_silent(said: PhraseReading) -> bool:
    """Tell whether nothing was said beside what stands beside a time."""
    return len(said.clauses) == 1 and said.clauses[0].last is Slot.NONE


def _unbounded(said: PhraseReading, here: Present) -> Plan:
    """Make the plan of the times and rhythms alone."""
    clauses = said.clauses
    if not (said.recurring or len(clauses) > 1 or clauses[0].recurs):
        return MomentPlan(resolve(clauses[0], here))
    _inherit(clauses)
    _share_hour(clauses)
    monthly = any(clause.each_month or (clause.every and clause.every[1] is Unit.MONTH) for clause in clauses)
    if not monthly and any(clause.monthdays or clause.nth for clause in clauses):
        raise ImpossibleError("it does not say every month")
    for clause in clauses:
        _check_recurs(clause, alone=len(clauses) == 1)
    only = clauses[0]
    if len(clauses) == 1 and counts_hours_from_clock(only):
        return from_clock(only, here)
    if len(clauses) == 1 and only.pace is not None and not _is_confined(only):
        _check_bare_pace(only)
        return IntervalPlan(only.pace.seconds)
    return RulesPlan(merged([rule for clause in clauses for rule in _rules(clause, here)]))


def _inherit(clauses: list[Clause]) -> None:
    """Give each clause its days: in "in the morning at 8 and in the evening at 9, every day" they are said once."""
    days = [clause for clause in clauses if clause.has_day]
    for clause in clauses:
        if not clause.has_day and clause.pace is None and clause.part is not None and len(days) == 1:
            clause.every = days[0].every
            clause.weekdays = days[0].weekdays
            clause.habit = days[0].habit
            clause.without = days[0].without


def _share_hour(clauses: list[Clause]) -> None:
    """Give "mornings and evenings at 8" its hour in each of them: it is said once, and is one of both."""
    *before, last = clauses
    parts = {clause.part for clause in before if not clause.times and clause.pace is None}
    spoken = [clock for clock in last.times if clock.spoken]
    if last.part not in (DayPart.EVENING, DayPart.NIGHT) or DayPart.MORNING not in parts or not spoken:
        return
    if len(spoken) > 1:
        raise ImpossibleError("each of the hours may be in the morning or in the evening: say which", "doubtful")
    for clause in before:
        if clause.part is DayPart.MORNING and not clause.times:
            clause.times = spoken


def _check_recurs(clause: Clause, *, alone: bool) -> None:
    """Refuse a clause that happens once beside one that recurs, and one that leaves its days or times open."""
    yearly = clause.every is not None and clause.every[1] is Unit.YEAR
    once = clause.relative_day is not None or clause.which or clause.week or clause.month or clause.offset is not None
    if once or (clause.date is not None and not yearly):
        raise ImpossibleError("it mixes what recurs with what happens once")
    if not clause.has_day and clause.pace is None:
        raise UnsaidError("it does not say on which days")
    if not alone and clause.pace is None and not clause.times and clause.part is None:
        raise ImpossibleError("it does not say at what time on each of the days")


def _is_confined(clause: Clause) -> bool:
    return bool(clause.weekdays or clause.without or clause.every) or clause.window is not None


def _check_bare_pace(clause: Clause) -> None:
    if clause.times or clause.part is not None or (clause.start is not None and clause.window is None):
        raise ImpossibleError("a length of time from one to the next leaves no choice of a time of day")


def _rules(clause: Clause, here: Present) -> list[Rule]:
    if clause.pace is not None:
        return [_windowed(clause, clause.pace.seconds, here)]
    if clause.window is not None:
        raise ImpossibleError("a range of hours needs a rhythm such as every 15 minutes")
    count, unit = clause.every or (1, Unit.DAY)
    if unit is Unit.YEAR and (clause.date is not None or _names_days(clause)):
        return [_yearly(clause, count, here)]
    if clause.monthdays or clause.nth:
        return _monthly(clause, here)
    if unit in _MONTHS_IN:
        if _names_days(clause):
            raise ImpossibleError("every month needs a day of the month")
        return [_from_its_beginning(clause, count * _MONTHS_IN[unit], here)]
    if clause.every == (1, Unit.DAY) and len(clause.weekdays) == 1:
        raise ImpossibleError("it names every day and one day of the week", "doubtful")
    if clause.weekdays or (unit is Unit.DAY and count == 1):
        return [_weekly(clause, here)]
    return [_every_days(clause, count, unit, here)]


def _times(clause: Clause, here: Present) -> TimesOfDay:
    """Return the times of a rule; 24:00 only if it fires every day, because it belongs to the day after."""
    clocks = [night_clock(clause, each) for each in clause.times] or [default_clock(clause.part, here)]
    if any(clock.ends_day for clock in clocks) and not _is_daily(clause):
        raise ImpossibleError("24:00 is 00:00 of the day after: name that day")
    return tuple(sorted({of_clock(meant(settle(clock, clause.part), here)) for clock in clocks}))


def _is_daily(clause: Clause) -> bool:
    by_number = clause.monthdays or clause.nth or clause.date is not None
    return not by_number and clause.every in (None, (1, Unit.DAY), (1, Unit.WEEK)) and _days(clause) == EVERY_DAY


def _days(clause: Clause) -> tuple[int, ...]:
    days = tuple(sorted(set(clause.weekdays or EVERY_DAY) - set(clause.without)))
    if not days:
        raise ImpossibleError("no day is left")
    return days


def _windowed(clause: Clause, seconds: int, here: Present) -> WindowedRule:
    _check_bare_pace(clause)
    if clause.monthdays or clause.nth or clause.date or clause.every not in (None, (1, Unit.DAY), (1, Unit.WEEK)):
        raise ImpossibleError("a length of time can be confined to hours and weekdays only")
    start, end = _WHOLE_DAY
    if clause.window is not None:
        first, last = clause.window
        if here.twelve_hours and first.open and last.open and _face(last) <= _face(first):
            raise ImpossibleError(f"{first.hour} to {last.hour} may cross noon or midnight: say am or pm", "doubtful")
        start = of_clock(first)
        end = of_clock(last)
        if start == end:
            start, end = _whole_day(first, last)
    return WindowedRule(days=_days(clause), seconds=seconds, start=start, end=end)


def _whole_day(first: ClockTime, last: ClockTime) -> tuple[time, time]:
    """Return the whole day for "from 0 to 24"; refuse any other range that ends where it begins."""
    if first.hour or first.minute or not last.midnight:
        raise ImpossibleError("a range of hours has to end at another hour than it begins")
    return _WHOLE_DAY


def _face(clock: ClockTime) -> tuple[int, int]:
    return clock.hour, clock.minute


def _weekly(clause: Clause, here: Present) -> WeeklyRule:
    count, unit = clause.every or (1, Unit.WEEK)
    # "Every 14 days on Monday" is every 2 weeks.
    if unit is Unit.DAY and count % _DAYS_IN[Unit.WEEK] == 0:
        count //= _DAYS_IN[Unit.WEEK]
        unit = Unit.WEEK
    days = _days(clause)
    if days != EVERY_DAY and _is_small_hours(clause):
        days = tuple(sorted((each + 1) % len(EVERY_DAY) for each in days))
    weekly = WeeklyRule(days, _times(clause, here), count if unit is Unit.WEEK else 1)
    if unit is Unit.DAY and count > 1:
        raise ImpossibleError("every so many days and weekdays do not go together")
    if weekly.weeks == 1:
        return weekly
    return replace(weekly, anchor=_anchor(weekly, clause, here))


def _is_small_hours(clause: Clause) -> bool:
    """Tell whether the hours of a clause belong to the nights that begin on its days: "every Saturday night at one"."""
    of_night = [is_of_night(clause, settle(night_clock(clause, each), clause.part)) for each in clause.times]
    if any(of_night) and not all(of_night):
        raise ImpossibleError("some of these hours are of the day after: say them apart", "doubtful")
    return any(of_night)


def _every_days(clause: Clause, count: int, unit: Unit, here: Present) -> EveryDaysRule:
    count *= _DAYS_IN[unit]
    if clause.without:
        raise ImpossibleError("every so many days and weekdays do not go together")
    if clause.times or clause.part is not None:
        if unit is Unit.WEEK:
            raise ImpossibleError("every week needs a weekday")
        every = EveryDaysRule(count, _times(clause, here), None)
        return replace(every, anchor=_anchor(every, clause, here))
    if clause.start is not None:
        raise ImpossibleError("a first day needs a time of day here")
    moment = here.local.time()
    first = here.instant(here.today + timedelta(count), moment)
    return EveryDaysRule(count, (moment,), first, floating=True)


def _anchor(rule: WeeklyRule | EveryDaysRule | MonthlyRule, clause: Clause, here: Present) -> datetime:
    """Return the first occurrence, from which the series counts: after now, or from the day that was named."""
    # Without an anchor a series counts from the instant asked: its first day that fits, or, where that instant is an
    # occurrence itself, the one a full turn later.
    trigger = replace(rule, anchor=None).trigger(here.zone)
    after = here.now
    clause.anchored = True
    if clause.start is not None:
        after = here.instant(start_day(clause.start, here), time()) - timedelta(seconds=1)
    first = trigger.get_next_occurrence(after)
    if first is None:
        raise ImpossibleError("that is beyond the calendar")
    # A trigger counts in both directions from its anchor. A first day two turns ahead would therefore fire before it.
    anchored = replace(rule, anchor=first).trigger(here.zone)
    if first > here.now and anchored.get_next_occurrence(here.now) != first:
        raise ImpossibleError("the first day lies more than one turn ahead")
    return first


def _monthly(clause: Clause, here: Present) -> list[Rule]:
    count, unit = clause.every or (1, Unit.MONTH)
    if unit is not Unit.MONTH or clause.without or clause.weekdays:
        raise ImpossibleError("days of the month and weekdays do not go together")
    times = _times(clause, here)
    found = [MonthlyRule(times, day=_valid_day(day), months=count) for day in clause.monthdays]
    found += [
        MonthlyRule(times, nth=_valid_nth(nth, weekday), weekday=weekday, months=count) for nth, weekday in clause.nth
    ]
    if count == 1:
        return list(found)
    if any(each.needs_cron for each in found):
        raise ImpossibleError("every so many months needs a day of the month, or its first or last weekday")
    return [replace(each, anchor=_anchor(each, clause, here)) for each in found]


def _names_days(clause: Clause) -> bool:
    return bool(clause.weekdays or clause.without or clause.monthdays or clause.nth)


def _from_its_beginning(clause: Clause, months: int, here: Present) -> MonthlyRule:
    """Make the rule of "every 2 months" and "every year": on the day of the month on which the series begins.

    That is today, or the first day that was named. Without a time it is the time of now, as in "every 3 days".
    """
    if months > _MOST_MONTHS:
        raise ImpossibleError("that is beyond the calendar")
    named = clause.times or clause.part is not None
    times = _times(clause, here) if named else (here.local.time().replace(second=0),)
    yearly = clause.every == (1, Unit.YEAR)
    if yearly or months == 1:
        return MonthlyRule(times, day=here.today.day, month=here.today.month if yearly else None)
    if clause.start is not None:
        monthly = MonthlyRule(times, day=start_day(clause.start, here).day, months=months)
        return replace(monthly, anchor=_anchor(monthly, clause, here))
    monthly = MonthlyRule(times, day=here.today.day, months=months, anchor=here.now)
    first = monthly.trigger(here.zone).get_next_occurrence(here.now)
    if first is None:
        raise ImpossibleError("that is beyond the calendar")
    return replace(monthly, anchor=first)


def _valid_day(day: int) -> int:
    if not 1 <= day <= _LONGEST_MONTH and day != -1:
        raise ImpossibleError(f"no month has a day {day}")
    return day


def _valid_nth(nth: int, weekday: int) -> int:
    if not 1 <= nth <= _MOST_WEEKDAYS and nth != -1:
        raise ImpossibleError(f"no month has {nth} weeks")
    if weekday == ANY_WORKDAY and nth not in (1, -1):
        raise ImpossibleError("of the working days of a month only the first and the last are understood")
    return nth


def _yearly(clause: Clause, count: int, here: Present) -> MonthlyRule:
    said = clause.date
    if said is None or said.month is None or clause.weekdays or count != 1:
        raise ImpossibleError("every year needs a date")
    if said.year is not None or date_or_none(_LEAP_YEAR, said.month, said.day) is None:
        raise ImpossibleError("there is no such date every year")
    return MonthlyRule(_times(clause, here), day=said.day, month=said.month)
