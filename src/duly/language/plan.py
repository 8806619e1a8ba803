"""Plans: what a phrase means. One moment, an interval, or rules; each knows its canonical form and its trigger."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, time
from typing import Any

from duly.language.atoms import ANY_WORKDAY
from duly.model.calendar import Month, Weekday
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
from duly.recurrence.fields import WEEKDAY_NAMES
from duly.zones import Zone

Json = dict[str, Any]
TimesOfDay = tuple[time, ...]
Days = tuple[int, ...]

EVERY_DAY: Days = (0, 1, 2, 3, 4, 5, 6)
LAST = -1
_DAY_SECONDS = 86_400


def clock_text(moment: time) -> str:
    """Write a time as 09:00, with seconds only where there are some."""
    return moment.isoformat("seconds" if moment.second else "minutes")


def _times(times: TimesOfDay) -> list[str]:
    return [clock_text(moment) for moment in sorted(times)]


def _names(days: Days) -> list[str]:
    return [WEEKDAY_NAMES[day] for day in sorted(days)]


@dataclass(frozen=True, slots=True)
class MomentPlan:
    """Once, at an instant."""

    at: datetime

    def canonical(self, zone: Zone) -> Json:
        return {"kind": "at", "at": zone.localize(self.at).isoformat()}

    def trigger(self, _zone: Zone) -> Trigger:
        return Once(self.at)


@dataclass(frozen=True, slots=True)
class IntervalPlan:
    """Every n seconds of elapsed time."""

    seconds: int

    def canonical(self, _zone: Zone) -> Json:
        return {"kind": "every", "seconds": self.seconds}

    def trigger(self, zone: Zone) -> Trigger:
        return paced(self.seconds, zone)


def paced(seconds: int, zone: Zone, window: Window | None = None) -> Trigger:
    """Make the interval of a number of seconds, in the largest unit that fits."""
    if seconds % 3600 == 0:
        return HourInterval(seconds // 3600, tz=zone.name, window=window)
    if seconds % 60 == 0:
        return MinuteInterval(seconds // 60, tz=zone.name, window=window)
    return SecondInterval(seconds, tz=zone.name, window=window)


@dataclass(frozen=True, slots=True)
class WeeklyRule:
    """Times on weekdays, in every week or every n-th, counted from an anchor."""

    days: Days
    times: TimesOfDay
    weeks: int = 1
    anchor: datetime | None = None

    def rule(self) -> Json:
        every = {"every_weeks": self.weeks} if self.weeks > 1 else {}
        return {**every, "days": _names(self.days), "times": _times(self.times)}

    def trigger(self, zone: Zone) -> Trigger:
        if self.weeks == 1 and self.days == EVERY_DAY:
            return DayInterval(on_times=self.times, tz=zone.name)
        days = tuple(Weekday(day) for day in self.days)
        return WeekInterval(self.weeks, on_days=days, on_times=self.times, tz=zone.name, anchor=self.anchor)


@dataclass(frozen=True, slots=True)
class EveryDaysRule:
    """Times on every n-th day, counted from an anchor."""

    count: int
    times: TimesOfDay
    anchor: datetime | None
    floating: bool = False
    """Whether no time was named ("every 3 days"): the time of day is that of now."""

    def rule(self) -> Json:
        if self.floating:
            return {"every_seconds": self.count * _DAY_SECONDS}
        return {"every_days": self.count, "times": _times(self.times)}

    def trigger(self, zone: Zone) -> Trigger:
        return DayInterval(self.count, on_times=self.times, tz=zone.name, anchor=self.anchor)


@dataclass(frozen=True, slots=True)
class MonthlyRule:
    """Times on a day of the month, or on its n-th weekday; -1 is the last.

    With neither it is the day on which the series begins. `parse` knows that day; a trigger whose series has not begun
    does not.
    """

    times: TimesOfDay
    day: int | None = None
    nth: int | None = None
    weekday: int | None = None
    months: int = 1
    month: int | None = None
    """The one month of the year, if it is not every one."""
    anchor: datetime | None = None

    def rule(self) -> Json:
        every = {"every_months": self.months} if self.months > 1 else {}
        month = {} if self.month is None else {"month": self.month}
        if self.weekday is not None:
            day = "workday" if self.weekday == ANY_WORKDAY else WEEKDAY_NAMES[self.weekday]
            which: Json = {"nth": self.nth, "day": day}
        else:
            which = {} if self.day is None else {"monthday": self.day}
        return {**every, **month, **which, "times": _times(self.times)}

    @property
    def needs_cron(self) -> bool:
        """Whether only a cron expression can say it."""
        return self.day == LAST or self.weekday == ANY_WORKDAY or (self.nth is not None and self.nth not in (1, LAST))

    def trigger(self, zone: Zone) -> Trigger:
        if self.needs_cron:
            crons = [self._cron(moment, zone) for moment in sorted(self.times)]
            return crons[0] if len(crons) == 1 else AnyOf(*crons)
        weekday = None if self.weekday is None else Weekday(self.weekday)
        return MonthInterval(
            self.months,
            on_day=self.day,
            on_first=weekday if self.nth == 1 else None,
            on_last=weekday if self.nth == LAST else None,
            on_times=self.times,
            on_months=() if self.month is None else (Month(self.month),),
            tz=zone.name,
            anchor=self.anchor,
        )

    def _cron(self, moment: time, zone: Zone) -> CronInterval:
        month = "*" if self.month is None else str(self.month)
        clock = f"{moment.minute} {moment.hour}"
        if self.weekday == ANY_WORKDAY:
            days = f"{'LW' if self.nth == LAST else '1W'} {month} *"
        elif self.weekday is None:
            days = f"L {month} *"
        else:
            days = f"* {month} {WEEKDAY_NAMES[self.weekday]}#{self.nth}"
        return CronInterval(f"{clock} {days}", "standard", tz=zone.name)


@dataclass(frozen=True, slots=True)
class WindowedRule:
    """An interval within some hours of some days."""

    days: Days
    seconds: int
    start: time
    end: time

    def rule(self) -> Json:
        return {
            "days": _names(self.days),
            "every_seconds": self.seconds,
            "from": clock_text(self.start),
            "to": clock_text(self.end),
        }

    def trigger(self, zone: Zone) -> Trigger:
        return paced(self.seconds, zone, Window(self.start, self.end, frozenset(Weekday(day) for day in self.days)))


Rule = WeeklyRule | EveryDaysRule | MonthlyRule | WindowedRule


@dataclass(frozen=True, slots=True)
class RulesPlan:
    """One or several rules of the calendar."""

    rules: tuple[Rule, ...]

    def canonical(self, _zone: Zone) -> Json:
        first = self.rules[0]
        if len(self.rules) == 1:
            if isinstance(first, EveryDaysRule) and first.floating:
                return {"kind": "every", "seconds": first.count * _DAY_SECONDS}
            if isinstance(first, WeeklyRule) and first.weeks == 1:
                if first.days == EVERY_DAY:
                    return {"kind": "daily", "times": _times(first.times)}
                return {"kind": "weekly", **first.rule()}
        return {"kind": "smart", "rules": [rule.rule() for rule in self.rules]}

    def trigger(self, zone: Zone) -> Trigger:
        if len(self.rules) == 1:
            return self.rules[0].trigger(zone)
        return AnyOf(*(rule.trigger(zone) for rule in self.rules))


@dataclass(frozen=True, slots=True)
class CronPlan:
    """A cron expression, written as such."""

    expression: str

    def canonical(self, _zone: Zone) -> Json:
        return {"kind": "cron", "expr": self.expression}

    def trigger(self, zone: Zone) -> Trigger:
        return CronInterval(self.expression, "standard", tz=zone.name)


@dataclass(frozen=True, slots=True)
class SeriesPlan:
    """What recurs, from its first occurrence on, to its end, or so often."""

    plan: IntervalPlan | RulesPlan | CronPlan | SeriesPlan
    starts_at: datetime | None = None
    ends_at: datetime | None = None
    count: int | None = None

    def canonical(self, zone: Zone) -> Json:
        found = self.plan.canonical(zone)
        for name, instant in (("starts", self.starts_at), ("ends", self.ends_at)):
            if instant is not None:
                found[name] = zone.localize(instant).isoformat()
        return found if self.count is None else {**found, "count": self.count}

    def trigger(self, zone: Zone) -> Trigger:
        inner = self.plan.trigger(zone)
        interval: dict[str, Any] = {_FIELD_OF[type(inner)]: inner}
        return RecurringTask(specific_run_time=self.starts_at, run_until=self.ends_at, max_runs=self.count, **interval)


_FIELD_OF: dict[type[Trigger], str] = {
    SecondInterval: "second_interval",
    MinuteInterval: "minute_interval",
    HourInterval: "hour_interval",
    DayInterval: "day_interval",
    WeekInterval: "week_interval",
    MonthInterval: "month_interval",
    CronInterval: "cron_interval",
    AnyOf: "any_of",
}
Plan = MomentPlan | IntervalPlan | RulesPlan | CronPlan | SeriesPlan


def merged(rules: Sequence[Rule]) -> tuple[Rule, ...]:
    """Merge rules: first the times of the same weekdays, then the weekdays with the same times."""
    by_days: dict[Days, set[time]] = {}
    others: list[Rule] = []
    for rule in rules:
        if isinstance(rule, WeeklyRule) and rule.weeks == 1:
            by_days.setdefault(rule.days, set()).update(rule.times)
        elif rule not in others:
            others.append(rule)
    by_times: dict[TimesOfDay, set[int]] = {}
    for days, times in by_days.items():
        by_times.setdefault(tuple(sorted(times)), set()).update(days)
    return (*(WeeklyRule(tuple(sorted(days)), times) for times, days in by_times.items()), *joined_months(others))


def joined_months(rules: Sequence[Rule]) -> tuple[Rule, ...]:
    """Merge rules for the month that differ only in their times."""
    found: dict[Rule, Rule] = {}
    for rule in rules:
        if isinstance(rule, MonthlyRule):
            key = replace(rule, times=())
            known = found.get(key)
            earlier = known.times if isinstance(known, MonthlyRule) else ()
            found[key] = replace(rule, times=tuple(sorted({*earlier, *rule.times})))
        else:
            found[rule] = rule
    return tuple(found.values())
