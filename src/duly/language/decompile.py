"""Triggers back to plans. A trigger that no phrase can say has no plan, but its restrictions can be taken off."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, datetime, time

from duly.cron import Cron
from duly.language.atoms import ANY_WORKDAY
from duly.language.plan import (
    EVERY_DAY,
    LAST,
    Days,
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
    joined_months,
)
from duly.model.trigger import Trigger
from duly.recurrence import (
    AnyOf,
    CronInterval,
    DayInterval,
    HourInterval,
    MinuteInterval,
    MonthInterval,
    Once,
    RecurringTask,
    SecondInterval,
    WeekInterval,
    Window,
)
from duly.recurrence.fields import OPEN, WEEKDAY_NAMES

_FIELDS = 5
_WORKDAYS = {"1w": 1, "lw": LAST}
_MIDNIGHT = (time(0),)


def as_days(trigger: Trigger) -> Trigger:
    """Turn an interval of listed hours, of which every one counts, into days with times; leave any other trigger."""
    if not isinstance(trigger, HourInterval) or trigger.interval > 0:
        return trigger
    return DayInterval(on_times=trigger.times_of_day, tz=trigger.tz, dst=trigger.dst, window=trigger.window)


def plan_of_trigger(trigger: Trigger) -> Plan | None:
    """Return the plan of a trigger, if a phrase can say it."""
    trigger = as_days(trigger)
    if isinstance(trigger, Once):
        return MomentPlan(trigger.at)
    if isinstance(trigger, RecurringTask):
        bare = not (trigger.has_first_run or trigger.max_runs or trigger.run_until) and len(trigger.intervals) == 1
        return plan_of_trigger(trigger.intervals[0]) if bare else None
    if isinstance(trigger, SecondInterval | MinuteInterval | HourInterval):
        return _pace(trigger)
    rules = _rules(trigger)
    return None if rules is None else RulesPlan(joined_months(rules))


def _pace(trigger: SecondInterval | MinuteInterval | HourInterval) -> Plan | None:
    if isinstance(trigger, HourInterval) and (trigger.on_hours or trigger.on_minute is not None):
        return None
    if not isinstance(trigger, SecondInterval) and trigger.on_second is not None:
        return None
    seconds = trigger.interval * trigger.SECONDS
    if trigger.window is None:
        return IntervalPlan(seconds)
    window = trigger.window
    days = _days(tuple(window.days))
    return RulesPlan((WindowedRule(days=days, seconds=seconds, start=window.start, end=window.end),))


def _days(days: tuple[int, ...]) -> Days:
    return tuple(sorted(int(day) for day in days)) or EVERY_DAY


def _rules(trigger: Trigger) -> list[Rule] | None:
    if isinstance(trigger, AnyOf):
        return _rules_of_all(trigger)
    if isinstance(trigger, Cron):
        return _cron_rules(trigger.expression)
    if isinstance(trigger, CronInterval):
        return _cron_rules(trigger.cron_expression)
    if isinstance(trigger, DayInterval | WeekInterval | MonthInterval) and trigger.window is None:
        times: TimesOfDay = trigger.on_times or _MIDNIGHT
        if isinstance(trigger, DayInterval):
            return _day_rules(trigger, times)
        if isinstance(trigger, WeekInterval):
            days = _days(trigger.on_days or (0,))  # without days it is Monday
            return [WeeklyRule(days=days, times=times, weeks=trigger.interval, anchor=trigger.anchor)]
        return _month_rules(trigger, times)
    return None


def _rules_of_all(union: AnyOf) -> list[Rule] | None:
    found: list[Rule] = []
    for trigger in union.triggers:
        plan = plan_of_trigger(trigger)
        if not isinstance(plan, RulesPlan):
            return None
        found += plan.rules
    return found


def _day_rules(trigger: DayInterval, times: TimesOfDay) -> list[Rule] | None:
    if trigger.interval == 1:
        return [WeeklyRule(_days(trigger.on_days), times)]
    return None if trigger.on_days else [EveryDaysRule(trigger.interval, times, trigger.anchor)]


def _month_rules(trigger: MonthInterval, times: TimesOfDay) -> list[Rule] | None:
    if trigger.on_days or len(trigger.on_months) > 1 or (trigger.on_months and trigger.interval > 1):
        return None
    month = int(trigger.on_months[0]) if trigger.on_months else None
    shared = MonthlyRule(times, months=trigger.interval, month=month, anchor=_counts_from(trigger))
    if trigger.on_first is not None or trigger.on_last is not None:
        nth = LAST if trigger.on_first is None else 1
        weekday = trigger.on_last if trigger.on_first is None else trigger.on_first
        return None if month else [replace(shared, nth=nth, weekday=int(weekday or 0))]
    if trigger.start == OPEN:
        return None if month else [shared]
    began = trigger.start.day if isinstance(trigger.start, date) else 1
    days = trigger.on_days_of_month or (trigger.on_day or began,)
    return None if month and len(days) > 1 else [replace(shared, day=day) for day in days]


def _counts_from(trigger: MonthInterval) -> datetime | None:
    """Return an instant in the month from which an interval above one counts."""
    if trigger.anchor is None and trigger.interval > 1 and isinstance(trigger.start, date):
        return trigger.zone.shifted(datetime.combine(trigger.start, time()))
    return trigger.anchor


def _cron_rules(expression: str) -> list[Rule] | None:
    """Return the rules of the few cron expressions that a phrase has words for."""
    fields = expression.lower().split()
    if len(fields) != _FIELDS or not (fields[0].isdecimal() and fields[1].isdecimal()) or fields[3] != "*":
        return None
    minute, hour, day, _, weekday = fields
    times = (time(int(hour), int(minute)),)
    if weekday == "*":
        return _cron_day(day, times)
    if day != "*":
        return None
    name, mark, nth = weekday.partition("#")
    if mark:
        number = _cron_weekday(name)
        return [MonthlyRule(times, nth=int(nth), weekday=number)] if nth.isdecimal() and number is not None else None
    days = _cron_weekdays(weekday)
    return None if days is None else [WeeklyRule(days, times)]


def _cron_day(day: str, times: TimesOfDay) -> list[Rule] | None:
    if day == "*":
        return [WeeklyRule(EVERY_DAY, times)]
    if day in _WORKDAYS:
        return [MonthlyRule(times, nth=_WORKDAYS[day], weekday=ANY_WORKDAY)]
    if day == "l":
        return [MonthlyRule(times, day=LAST)]
    # A cron's 29th to 31st leaves short months out; a phrase's falls on their last day.
    return [MonthlyRule(times, day=int(day))] if day.isdecimal() and int(day) <= 28 else None


def _cron_weekday(text: str) -> int | None:
    if text in WEEKDAY_NAMES:
        return WEEKDAY_NAMES.index(text)
    return (int(text) - 1) % 7 if text.isdecimal() else None


def _cron_weekdays(text: str) -> Days | None:
    found: set[int] = set()
    for piece in text.split(","):
        first, dash, last = piece.partition("-")
        start = _cron_weekday(first)
        end = _cron_weekday(last or first)
        if start is None or end is None or (dash and not last):
            return None
        found.update(day % 7 for day in range(start, start + (end - start) % 7 + 1))
    return tuple(sorted(found))


@dataclass(frozen=True, slots=True)
class Restriction:
    """One restriction that builders can say and phrases cannot; `describe` says it behind the trigger."""

    minute: int | None = None
    second: int | None = None
    times: TimesOfDay = ()
    window: tuple[time, time] | None = None
    days: Days = EVERY_DAY
    months: tuple[int, ...] = ()


def peeled(trigger: Trigger) -> tuple[Trigger, Restriction] | None:
    """Return a simpler trigger and its restriction; None if there is nothing to take off."""
    if isinstance(trigger, HourInterval) and trigger.on_hours:
        return _hours(trigger)
    if isinstance(trigger, HourInterval) and (trigger.on_minute, trigger.on_second) != (None, None):
        limit = Restriction(minute=trigger.on_minute, second=trigger.on_second)
        return replace(trigger, on_minute=None, on_second=None), limit
    if isinstance(trigger, MinuteInterval) and trigger.on_second is not None:
        return replace(trigger, on_second=None), Restriction(second=trigger.on_second)
    if isinstance(trigger, MonthInterval) and trigger.on_months:
        return replace(trigger, on_months=()), Restriction(months=tuple(int(month) for month in trigger.on_months))
    if isinstance(trigger, DayInterval | WeekInterval | MonthInterval) and trigger.window is not None:
        return replace(trigger, window=None), _window(trigger.window)
    if isinstance(trigger, DayInterval) and trigger.interval > 1 and trigger.on_days:
        return replace(trigger, on_days=()), Restriction(days=tuple(int(day) for day in trigger.on_days))
    return None


def _hours(trigger: HourInterval) -> tuple[Trigger, Restriction]:
    return replace(trigger, on_hours=(), on_minute=None, on_second=None), Restriction(times=trigger.times_of_day)


def _window(window: Window) -> Restriction:
    return Restriction(window=(window.start, window.end), days=tuple(sorted(int(day) for day in window.days)))
