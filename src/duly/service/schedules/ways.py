"""Three ways of saying when, over one value: words, a cron expression, and a few choices. Pure.

A way that cannot say a trigger says why. A cron expression is given only where its fires are the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, time
from itertools import pairwise

from duly.cron import Cron
from duly.errors import DulyError
from duly.language.decompile import plan_of_trigger
from duly.language.plan import EVERY_DAY, IntervalPlan, MomentPlan, MonthlyRule, RulesPlan, WeeklyRule, WindowedRule
from duly.model.trigger import Trigger
from duly.recurrence import CronInterval
from duly.service.schedules.times import preview
from duly.zones import Zone

UNITS = ("minutes", "hours", "days", "weeks", "months")
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_COMPARED = 60
_HOUR = 3600
_LAST = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """When, as a few choices: the builder of the editor."""

    unit: str = "days"
    number: int = 1
    times: tuple[str, ...] = ("09:00",)
    """Of days, weeks and months: 24 hours, HH:MM."""
    days: tuple[int, ...] = ()
    """Weekdays, 0 is Monday; none means all of them."""
    month_day: int = 1
    """Of months: -1 is the last day."""
    begin: str = ""
    end: str = ""
    """Of minutes and hours: only between these times of day."""

    @classmethod
    def of(cls, given: Mapping[str, object]) -> Choices:
        """Read choices from a form; what is missing or unknown stays as it is by itself."""
        unit = str(given.get("unit") or "days")
        number = str(given.get("number") or "1")
        month_day = str(given.get("month_day") or "1")
        days = given.get("days")
        listed = [str(each) for each in days] if isinstance(days, Sequence) and not isinstance(days, str) else []
        return cls(
            unit=unit if unit in UNITS else "days",
            number=int(number) if number.isdecimal() and int(number[:6]) > 0 else 1,
            times=tuple(str(given.get("times") or "").replace(",", " ").split()),
            days=tuple(sorted({int(each) for each in listed if each in ("0", "1", "2", "3", "4", "5", "6")})),
            month_day=int(month_day) if month_day.lstrip("-").isdecimal() else 1,
            begin=str(given.get("begin") or ""),
            end=str(given.get("end") or ""),
        )

    def words(self) -> str:
        """Say the choices in words that duly reads."""
        every = f"every {self.number} {self.unit}" if self.number > 1 else f"every {self.unit[:-1]}"
        named = _joined([WEEKDAYS[day] for day in self.days])
        if self.unit in ("minutes", "hours"):
            window = f" from {self.begin or '00:00'} to {self.end or '23:59'}" if self.begin or self.end else ""
            if self.days and not window:
                window = " from 00:00 to 23:59"
            return f"{every}{window}, {named}" if self.days else f"{every}{window}"
        at = f" at {_joined(self.times)}" if self.times else ""
        if self.unit == "weeks":
            return f"{every} on {named or 'Monday'}{at}" if self.number > 1 else f"every {named or 'Monday'}{at}"
        if self.unit == "months":
            day = "last day" if self.month_day == _LAST else _ordinal(self.month_day)
            months = "every month" if self.number == 1 else every
            return f"on the {day} of every month{at}" if self.number == 1 else f"{months} on the {day}{at}"
        return f"{every}{at}"


def _joined(parts: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(parts[:-1]), parts[-1]))) if parts else ""


def _ordinal(number: int) -> str:
    ending = "th" if 10 < number % 100 < 14 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def choices_of(trigger: Trigger) -> Choices | None:
    """Give the choices that say a trigger, if a few can."""
    plan = plan_of_trigger(trigger)
    if isinstance(plan, IntervalPlan):
        return _paced(plan.seconds)
    if not isinstance(plan, RulesPlan) or len(plan.rules) != 1:
        return None
    rule = plan.rules[0]
    if isinstance(rule, WindowedRule):
        paced = _paced(rule.seconds)
        days = () if rule.days == EVERY_DAY else tuple(rule.days)
        return paced and Choices(
            unit=paced.unit,
            number=paced.number,
            times=(),
            days=days,
            begin=f"{rule.start:%H:%M}",
            end=f"{rule.end:%H:%M}",
        )
    times = _clocks(rule.times)
    if isinstance(rule, WeeklyRule):
        if rule.weeks == 1 and rule.days == EVERY_DAY:
            return Choices(unit="days", times=times)
        return Choices(unit="weeks", number=rule.weeks, times=times, days=tuple(rule.days))
    if isinstance(rule, MonthlyRule):
        if rule.weekday is not None or rule.month is not None or rule.day is None:
            return None
        return Choices(unit="months", number=rule.months, times=times, month_day=rule.day)
    return None if rule.floating else Choices(unit="days", number=rule.count, times=times)


def _paced(seconds: int) -> Choices | None:
    if seconds % _HOUR == 0:
        return Choices(unit="hours", number=seconds // _HOUR, times=())
    return Choices(unit="minutes", number=seconds // 60, times=()) if seconds % 60 == 0 else None


def _clocks(times: Sequence[time]) -> tuple[str, ...]:
    return tuple(f"{each:%H:%M}" for each in sorted(times))


def cron_of(trigger: Trigger, now: datetime) -> str | None:
    """Give the cron expression that says the same as a trigger, if one does."""
    if isinstance(trigger, Cron):
        return trigger.expression
    if isinstance(trigger, CronInterval):
        return trigger.cron.expression
    found = _cron_of_plan(trigger)
    zone = getattr(trigger, "tz", "UTC")
    return found if found is not None and _is_same(trigger, found, zone, now) else None


def _cron_of_plan(trigger: Trigger) -> str | None:
    plan = plan_of_trigger(trigger)
    if isinstance(plan, IntervalPlan):
        return _stepped(plan.seconds, "*", "*")
    if not isinstance(plan, RulesPlan) or len(plan.rules) != 1:
        return None
    rule = plan.rules[0]
    if isinstance(rule, WindowedRule):
        hours = f"{rule.start.hour}-{rule.end.hour}" if rule.start.hour != rule.end.hour else str(rule.start.hour)
        if rule.seconds == _HOUR:
            return f"{rule.start.minute} {hours} * * {_weekdays(rule.days)}"
        return _stepped(rule.seconds, hours, _weekdays(rule.days))
    minutes = {each.minute for each in rule.times}
    if len(minutes) != 1 or any(each.second for each in rule.times):
        return None
    clock = f"{minutes.pop()} {','.join(str(each.hour) for each in sorted(rule.times))}"
    if isinstance(rule, WeeklyRule):
        return f"{clock} * * {_weekdays(rule.days)}" if rule.weeks == 1 else None
    if not isinstance(rule, MonthlyRule) or rule.months != 1:
        return None
    month = "*" if rule.month is None else str(rule.month)
    if rule.weekday is not None:
        which = "L" if rule.nth == _LAST else f"#{rule.nth}"
        return f"{clock} * {month} {(rule.weekday + 1) % 7}{which}"
    return None if rule.day is None else f"{clock} {'L' if rule.day == _LAST else rule.day} {month} *"


def _stepped(seconds: int, hours: str, days: str) -> str | None:
    if seconds % 60 == 0 and _HOUR % seconds == 0:
        minutes = "*" if seconds == 60 else "0" if seconds == _HOUR else f"*/{seconds // 60}"
        return f"{minutes} {hours} * * {days}"
    return None


def _weekdays(days: Sequence[int]) -> str:
    """Write weekdays as cron does, where Sunday is 0: "1-5", "1,5", "*"."""
    if tuple(days) == EVERY_DAY:
        return "*"
    in_cron = sorted((day + 1) % 7 for day in days)
    follow = len(in_cron) > 2 and all(after - before == 1 for before, after in pairwise(in_cron))
    return f"{in_cron[0]}-{in_cron[-1]}" if follow else ",".join(map(str, in_cron))


def _is_same(trigger: Trigger, expression: str, zone: str, now: datetime) -> bool:
    try:
        return preview(Cron(expression, tz=zone), now, _COMPARED) == preview(trigger, now, _COMPARED)
    except DulyError:
        return False


def why_no_cron(trigger: Trigger) -> str:
    """Say why no cron expression says a trigger."""
    plan = plan_of_trigger(trigger)
    if isinstance(plan, MomentPlan):
        return "Cron has no single moments: it repeats."
    if isinstance(plan, IntervalPlan):
        return "Cron counts from the full hour or day, and this counts from when it is saved."
    return "No single cron expression says this."


def why_no_choices() -> str:
    """Say why the builder does not have a trigger."""
    return "The builder has no choices for this. Here it is in words; they stay as they are."


def bare_words(trigger: Trigger, zone: Zone) -> str:
    """Give words that duly reads again, without the zone, which has a field of its own."""
    if isinstance(plan := plan_of_trigger(trigger), MomentPlan):
        return f"{zone.localize(plan.at):%Y-%m-%d %H:%M}"
    said = trigger.describe().replace(f" ({getattr(trigger, 'tz', '')})", "").removesuffix(" UTC")
    return said.partition(", counted from ")[0]  # a series keeps its anchor as long as its words stay
