"""Triggers as recurrence rules of RFC 5545, where a rule says exactly the same.

A rule is one time of the day on the clocks of a zone, on days that FREQ and the BY… parts name: calendar programs
understand such rules best, so a trigger with several times a day becomes several rules. Whether the rules say the same
is checked, not assumed: their expansion must be equal to the fires of the trigger at the beginning and around the
clock changes to come. RFC 5545 moves a time that a clock change skips by the length of the gap, and takes the first of
two equal times; duly's policies differ in the gap, so a schedule at such a time has no rule.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from functools import lru_cache
from itertools import islice

from duly.cron import Cron
from duly.expansion import step
from duly.model.trigger import Trigger
from duly.recurrence import (
    CronInterval,
    DayInterval,
    HourInterval,
    MinuteInterval,
    MonthInterval,
    RecurringTask,
    SecondInterval,
    WeekInterval,
)
from duly.recurrence.record import TriggerRecord
from duly.service.calendar.expanding import WEEKDAYS, Expansion, RulePart, RuleParts
from duly.zones import DAY, Zone

MOST_A_DAY = 24
"""A trigger that fires more often in a day is a rhythm: it has no place in a calendar."""
CHECKED_AHEAD = timedelta(days=2 * 366)
"""Clock changes in this time are checked; a subscribed feed is made anew long before its end."""
_COMPARED = 40
_MOST_WALKED = 1000
_AROUND = timedelta(days=2)
Elapsed = SecondInterval | MinuteInterval | HourInterval


@dataclass(frozen=True, slots=True, kw_only=True)
class CalendarRule:
    """A first time on the clock of a zone, and the parts of the rule that repeats it."""

    zone: str
    start: datetime
    """Without a zone: what the clock shows."""
    parts: RuleParts

    @property
    def starts_at(self) -> datetime:
        """The instant of the first time."""
        return Zone.of(self.zone).shifted(self.start)


@dataclass(frozen=True, slots=True)
class _Shape:
    """The days of a trigger as parts of a rule, and its times on each of them."""

    zone: str
    times: tuple[time, ...]
    parts: dict[str, RulePart]


def rules_of(trigger: Trigger, first: datetime) -> tuple[CalendarRule, ...]:
    """Give the rules whose times together are the fires of a trigger from `first` on; none where there are no such."""
    return _cached_rules(_Key(trigger, repr(trigger.to_dict())), first.astimezone(UTC))


@dataclass(frozen=True, slots=True)
class _Key:
    """A trigger under its stored form: triggers need not be hashable."""

    trigger: Trigger
    text: str

    def __hash__(self) -> int:
        return hash(self.text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and self.text == other.text


@lru_cache(maxsize=4096)
def _cached_rules(key: _Key, first: datetime) -> tuple[CalendarRule, ...]:
    shape = _shape_of(key.trigger, first)
    if shape is None or not shape.times:
        return ()
    rules = _begin(key.trigger, shape, first)
    try:
        return rules if rules and says_the_same(key.trigger, first, rules) else ()
    except OverflowError:  # the fires to compare reach the end of the calendar
        return ()


def _begin(trigger: Trigger, shape: _Shape, first: datetime) -> tuple[CalendarRule, ...]:
    """Let each time of the day begin at the first fire that shows it."""
    zone = Zone.of(shape.zone)
    wanted = set(shape.times)
    found: dict[time, datetime] = {}
    for fire in islice(fires_from(trigger, first), _MOST_WALKED):
        local = zone.localize(fire).replace(tzinfo=None, fold=0)
        if local.time() in wanted:
            found.setdefault(local.time(), local)
        if len(found) == len(wanted):
            break
    if len(found) < len(wanted):
        return ()
    return tuple(CalendarRule(zone=shape.zone, start=found[each], parts=shape.parts) for each in sorted(wanted))


def fires_from(trigger: Trigger, first: datetime) -> Iterator[datetime]:
    """Give the fires of a trigger from one of them on."""
    fire: datetime | None = first
    while fire is not None:
        step()
        yield fire
        fire = trigger.get_next_occurrence(fire)


# checking


def says_the_same(trigger: Trigger, first: datetime, rules: Sequence[CalendarRule]) -> bool:
    """Whether rules have the fires of a trigger: the first ones, and all around the clock changes to come."""
    zone = Zone.of(rules[0].zone)
    # A series that counts from its last occurrence may change its phase at a clock change: it is walked all the way.
    is_steady = zone.fixed or _is_fixed(trigger)
    walked = list(islice(fires_from(trigger, first), _COMPARED if is_steady else _MOST_WALKED))
    if walked != occurrences(rules, first, walked[-1]):
        return False
    if not is_steady:
        return walked[-1] >= first + CHECKED_AHEAD or trigger.get_next_occurrence(walked[-1]) is None
    for change, _, _ in zone.transitions(first, first + CHECKED_AHEAD):
        start = max(first, change - _AROUND)
        end = change + _AROUND
        fires = list(_between(trigger, start, end))
        if fires != [each for each in occurrences(rules, start, end) if each > start]:
            return False
    return True


def _between(trigger: Trigger, start: datetime, end: datetime) -> Iterator[datetime]:
    fire = trigger.get_next_occurrence(start)
    while fire is not None and fire <= end:
        step()
        yield fire
        fire = trigger.get_next_occurrence(fire)


def _is_fixed(trigger: Trigger) -> bool:
    return isinstance(trigger, Cron) or (isinstance(trigger, TriggerRecord) and trigger.fixed_slots)


def occurrences(rules: Iterable[CalendarRule], start: datetime, end: datetime) -> list[datetime]:
    """Expand rules as RFC 5545 says: the instants from `start` to `end`, both included."""
    found: set[datetime] = set()
    for rule in rules:
        zone = Zone.of(rule.zone)
        low = zone.localize(start).replace(tzinfo=None, fold=0) - timedelta(days=1)
        high = zone.localize(end).replace(tzinfo=None, fold=0) + timedelta(days=1)
        found |= {zone.shifted(local) for local in Expansion(rule.parts, rule.start).between(low, high)}
    return sorted(each for each in found if start <= each <= end)


# shapes


def _shape_of(trigger: Trigger, first: datetime) -> _Shape | None:
    match trigger:
        case RecurringTask():
            return _shape_of(trigger.intervals[0], first) if len(trigger.intervals) == 1 else None
        case CronInterval():
            return _cron_shape(trigger.cron)
        case Cron():
            return _cron_shape(trigger)
        case DayInterval() | WeekInterval() | MonthInterval():
            return _dated_shape(trigger)
        case SecondInterval() | MinuteInterval() | HourInterval():
            return _windowed_shape(trigger) if trigger.window is not None else _elapsed_shape(trigger, first)
        case _:
            return None


def _cron_shape(cron: Cron) -> _Shape | None:
    times = cron.times_of_day(MOST_A_DAY)
    days = cron.named_days()
    if times is None or days is None:
        return None
    dates = days.dates
    weekdays = days.weekdays
    if weekdays is not None and len(weekdays) == 7:
        weekdays = None if dates is None or not days.either else weekdays
    if dates is not None and weekdays is not None and days.either:
        return None  # a rule cannot say "on the 1st, and on Mondays"
    parts: dict[str, RulePart] = {"FREQ": "DAILY"}
    if weekdays is not None:
        parts = {"FREQ": "WEEKLY" if dates is None else "DAILY", "BYDAY": _days((day - 1) % 7 for day in weekdays)}
    if dates is not None:
        parts["BYMONTHDAY"] = list(dates)
        parts["FREQ"] = "MONTHLY" if weekdays is None else "DAILY"
    if len(days.months) < 12:
        parts["BYMONTH"] = list(days.months)
        parts["FREQ"] = "YEARLY" if parts["FREQ"] == "MONTHLY" else "DAILY"
    return _Shape(cron.tz, times, parts)


def _dated_shape(trigger: DayInterval | WeekInterval | MonthInterval) -> _Shape | None:
    if trigger.window is not None or len(trigger.on_times) > MOST_A_DAY:
        return None
    parts: dict[str, RulePart] = {"FREQ": f"{trigger.UNIT.upper()}LY" if trigger.UNIT != "day" else "DAILY"}
    if trigger.interval > 1:
        parts["INTERVAL"] = trigger.interval
    if isinstance(trigger, MonthInterval):
        selected = _month_parts(trigger)
        if selected is None:
            return None
        parts |= selected
    elif trigger.on_days or isinstance(trigger, WeekInterval):
        parts["BYDAY"] = _days(trigger.on_days or (0,))
    return _Shape(trigger.tz, trigger.on_times or (time(0),), parts)


def _month_parts(trigger: MonthInterval) -> dict[str, RulePart] | None:
    """Say which days of a month; a day that short months do not have is the last of several candidates."""
    parts: dict[str, RulePart] = {"BYMONTH": [int(month) for month in trigger.on_months]} if trigger.on_months else {}
    if trigger.on_first is not None:
        return parts | {"BYDAY": [f"1{WEEKDAYS[trigger.on_first]}"]}
    if trigger.on_last is not None:
        return parts | {"BYDAY": [f"-1{WEEKDAYS[trigger.on_last]}"]}
    if trigger.on_days:
        return parts | {"BYDAY": _days(trigger.on_days)}
    days = trigger.on_days_of_month or ((trigger.on_day,) if trigger.on_day is not None else ())
    if not days:
        day = getattr(trigger.start, "day", None)
        days = () if day is None else (int(day),)
    if not days:
        return None
    if max(days) <= 28:
        return parts | {"BYMONTHDAY": sorted(days)}
    if len(days) > 1:
        return None
    return parts | {"BYMONTHDAY": list(range(28, days[0] + 1)), "BYSETPOS": [-1]}


def _windowed_shape(trigger: Elapsed) -> _Shape | None:
    """Say the grid of a window: it begins anew at the window's start on each of its days."""
    window = trigger.window
    step = trigger.interval * trigger.SECONDS
    if window is None or window.crosses_midnight or not step or (window.closes - window.opens) // step >= MOST_A_DAY:
        return None
    midnight = datetime(2000, 1, 1)  # noqa: DTZ001  the face of a clock
    times = tuple(
        (midnight + timedelta(seconds=second)).time() for second in range(window.opens, window.closes + 1, step)
    )
    every_day = len(window.days) == 7
    parts: dict[str, RulePart] = {"FREQ": "DAILY"} if every_day else {"FREQ": "WEEKLY", "BYDAY": _days(window.days)}
    return _Shape(trigger.tz, times, parts)


def _elapsed_shape(trigger: Elapsed, first: datetime) -> _Shape | None:
    """Say a rhythm of elapsed time in UTC, whose days all have 24 hours."""
    step = trigger.interval * trigger.SECONDS
    if step == 0 and isinstance(trigger, HourInterval):
        return _Shape(trigger.tz, trigger.times_of_day, {"FREQ": "DAILY"})
    if not step or step * MOST_A_DAY < DAY or first.microsecond:
        return None
    begin = first.astimezone(UTC)
    if DAY % step == 0:
        times = tuple((begin + timedelta(seconds=each)).time() for each in range(0, DAY, step))
        return _Shape("UTC", times, {"FREQ": "DAILY"})
    if step % DAY == 0:
        return _Shape("UTC", (begin.time(),), {"FREQ": "DAILY", "INTERVAL": step // DAY})
    return _Shape("UTC", (begin.time(),), {"FREQ": "HOURLY", "INTERVAL": step // 3600}) if step % 3600 == 0 else None


def _days(numbers: Iterable[int]) -> list[str]:
    return [WEEKDAYS[number] for number in sorted(numbers)]
