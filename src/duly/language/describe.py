"""Triggers in words. A trigger that `parse` made is said in words that parse back to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, time, timedelta, tzinfo

from duly.cron import Cron
from duly.language.atoms import Unit
from duly.language.decompile import Restriction, as_days, peeled, plan_of_trigger
from duly.language.languages import known_code
from duly.language.plan import (
    EVERY_DAY,
    CronPlan,
    EveryDaysRule,
    IntervalPlan,
    MomentPlan,
    MonthlyRule,
    Plan,
    Rule,
    SeriesPlan,
    WeeklyRule,
    WindowedRule,
    clock_text,
)
from duly.language.voice import Voice, voice
from duly.model.trigger import Trigger
from duly.recurrence import AnyOf, CronInterval, MonthInterval, Once, RecurringTask, begun
from duly.zones import Zone

_WORKDAYS = (0, 1, 2, 3, 4)
_WEEKEND = (5, 6)
_END_OF_DAY = time(23, 59, 59)


def describe(
    trigger: Trigger, lang: str = "en", *, tz: str | tzinfo | Zone | None = None, now: datetime | None = None
) -> str:
    """Say a trigger in a language.

    `tz` is the zone of the person: it is left unsaid, any other zone is named. With `now`, a series that counts from
    its next occurrence does not say from when, and one that has not begun begins now.
    """
    code = known_code(lang)
    if now is not None:
        trigger = begun(trigger, now)
    home = Zone.of("UTC" if tz is None else tz)
    zone = _zone_of(trigger) or home
    speaker = Speaker(voice(code), code=code, zone=zone, now=now)
    spoken = speaker.trigger(trigger)
    named = zone.name != home.name or (tz is None and isinstance(trigger, Once))
    return f"{spoken} ({zone.name})" if named and not spoken.endswith(")") else spoken


def _zone_of(trigger: Trigger) -> Zone | None:
    """Return the zone whose clocks a trigger looks at; None if it looks at none."""
    if isinstance(trigger, Once):
        return None
    if isinstance(trigger, AnyOf):
        return next((zone for each in trigger.triggers if (zone := _zone_of(each)) is not None), None)
    if isinstance(trigger, RecurringTask):
        return next((zone for each in trigger.intervals if (zone := _zone_of(each)) is not None), None)
    name = getattr(trigger, "tz", None)
    return None if name is None else Zone.of(name)


class Speaker:
    """Says triggers with a voice, on the clocks of a zone."""

    __slots__ = ("_code", "_now", "_templates", "_voice", "_zone")

    def __init__(self, spoken: Voice, *, code: str, zone: Zone, now: datetime | None) -> None:
        self._voice = spoken
        self._templates = spoken.templates
        self._code = code
        self._zone = zone
        # In whole seconds, as `parse` counts them: what is said now has to be read as the same now.
        self._now = now.replace(microsecond=0) if now is not None and now.microsecond else now

    def trigger(self, trigger: Trigger) -> str:
        """Say any trigger; one that no phrase can say is shown as cron, or in English."""
        trigger = as_days(trigger)
        plan = plan_of_trigger(trigger)
        if plan is not None:
            return self.plan(plan)
        if isinstance(trigger, RecurringTask) and trigger.intervals:
            return self._task(trigger)
        if isinstance(trigger, RecurringTask) and trigger.specific_run_time is not None:
            return self._moment(trigger.specific_run_time)
        if isinstance(trigger, AnyOf):
            return "; ".join(self.trigger(each) for each in trigger.triggers)
        if (rest := peeled(trigger)) is not None:
            return f"{self.trigger(rest[0])}, {self._limit(rest[1])}"
        if isinstance(trigger, MonthInterval):
            return f"{self._voice.pace(trigger.interval, Unit.MONTH)} {self._weekdays_of_month(trigger)}"
        if isinstance(trigger, Cron | CronInterval) and self._code != "en":
            return f"cron {trigger.expression if isinstance(trigger, Cron) else trigger.cron_expression}"
        return str(trigger.describe()).removesuffix(f" ({self._zone.name})")

    def _weekdays_of_month(self, trigger: MonthInterval) -> str:
        return f"{self._habits(trigger.on_days)} {self._at(trigger.on_times or (time(0),))}"

    def _limit(self, limit: Restriction) -> str:
        """Say a restriction: at minute 15, only from nine to five, only in July."""
        spoken = self._voice
        templates = self._templates
        marks = [(templates.minute_mark, limit.minute), (templates.second_mark, limit.second)]
        said = [template.format(n=value) for template, value in marks if value is not None]
        only = []
        if limit.times:
            only.append(self._at(limit.times))
        if limit.window is not None:
            only.append(templates.window.format(start=clock_text(limit.window[0]), end=clock_text(limit.window[1])))
        if limit.days != EVERY_DAY:
            only.append(self._days(limit.days))
        if limit.months:
            names = spoken.listed([spoken.months[month - 1] for month in limit.months])
            numbers = spoken.listed([f"{month}." for month in limit.months])
            only.append(templates.in_months.format(names=names, numbers=numbers))
        return " ".join(said + ([templates.only.format(what=" ".join(only))] if only else []))

    def _task(self, task: RecurringTask) -> str:
        # No language has words for several intervals that move each other on: they are said in English.
        several = len(task.intervals) > 1
        said = task.describe_intervals() if several else self.trigger(task.intervals[0])
        if task.run_now:
            said = self._templates.now_then.format(rest=said)
        elif task.specific_run_time is not None and self._begins_its_day(task):
            said += " " + self._templates.start.format(date=self._date(self._zone.localize(task.specific_run_time)))
        elif task.specific_run_time is not None:
            said = self._templates.then.format(first=self._moment(task.specific_run_time), rest=said)
        elif task.initial_delay is not None:
            said = self._templates.after_then.format(length=_length(task.initial_delay), rest=said)
        if task.max_runs is not None:
            said += ", " + self._templates.at_most.format(n=task.max_runs)
        if task.run_until is not None:
            local = self._zone.localize(task.run_until)
            whole_day = local.time() == _END_OF_DAY
            moment = self._date(local) if whole_day else f"{self._date(local)}, {clock_text(local.time())}"
            said += ", " + self._templates.until.format(moment=moment)
        return said

    def _begins_its_day(self, task: RecurringTask) -> bool:
        """Tell whether the first run is the first occurrence of the interval on its day, so that the day says it."""
        first = task.specific_run_time
        if first is None or len(task.intervals) != 1:
            return False
        midnight = datetime.combine(self._zone.localize(first).date(), time())
        opening = self._zone.shifted(midnight) - timedelta(seconds=1)
        return task.intervals[0].get_next_occurrence(opening) == first

    def plan(self, plan: Plan) -> str:
        """Say a plan."""
        if isinstance(plan, MomentPlan):
            return self._moment(plan.at)
        if isinstance(plan, IntervalPlan):
            return self._pace(plan.seconds)
        if isinstance(plan, CronPlan):
            return f"cron {plan.expression}"
        if isinstance(plan, SeriesPlan):
            return self.trigger(plan.trigger(self._zone))
        first, *others = plan.rules
        if isinstance(first, EveryDaysRule) and not others and self._floats(first):
            return self._voice.pace(first.count, Unit.DAY)
        return "; ".join(self._rule(rule) for rule in plan.rules)

    def _moment(self, at: datetime) -> str:
        local = self._zone.localize(at)
        if at.microsecond or self._zone.shifted(local.replace(tzinfo=None)) != at:
            return local.isoformat()  # the second pass of a repeated hour has no other name
        weekday = self._voice.weekdays[local.weekday()]
        return self._templates.moment.format(weekday=weekday, date=self._date(local), time=clock_text(local.time()))

    def _date(self, local: datetime) -> str:
        day = str(local.day) if self._code == "en" else self._voice.day(local.day)
        return self._templates.date.format(day=day, month=self._voice.months[local.month - 1], year=local.year)

    def _pace(self, seconds: int) -> str:
        for unit in (Unit.HOUR, Unit.MINUTE):
            if seconds % unit.value == 0:
                return self._voice.pace(seconds // unit.value, unit)
        return self._voice.pace(seconds, Unit.SECOND)

    def _at(self, times: tuple[time, ...]) -> str:
        return self._templates.at.format(times=self._voice.listed([clock_text(moment) for moment in sorted(times)]))

    def _days(self, days: tuple[int, ...]) -> str:
        if days == EVERY_DAY:
            return self._templates.every_day
        if days == _WORKDAYS:
            return self._templates.workdays
        if days == _WEEKEND:
            return self._templates.weekend
        return self._habits(days)

    def _habits(self, days: Sequence[int]) -> str:
        """Say "on Mondays and Fridays"."""
        return self._templates.on_habits.format(days=self._voice.listed([self._voice.habits[day] for day in days]))

    def _rule(self, rule: Rule) -> str:
        if isinstance(rule, WindowedRule):
            window = self._templates.window.format(start=clock_text(rule.start), end=clock_text(rule.end))
            days = "" if rule.days == EVERY_DAY else f" {self._days(rule.days)}"
            return f"{self._pace(rule.seconds)} {window}{days}"
        if isinstance(rule, WeeklyRule):
            return self._weekly(rule)
        if isinstance(rule, EveryDaysRule):
            return self._every_days(rule)
        return self._monthly(rule)

    def _weekly(self, rule: WeeklyRule) -> str:
        if rule.weeks == 1:
            return f"{self._days(rule.days)} {self._at(rule.times)}"
        pace = self._voice.pace(rule.weeks, Unit.WEEK)
        return f"{pace} {self._habits(rule.days)} {self._at(rule.times)}{self._start(rule)}"

    def _every_days(self, rule: EveryDaysRule) -> str:
        pace = self._voice.pace(rule.count, Unit.DAY)
        return f"{pace} {self._at(rule.times)}{self._start(rule)}"

    def _floats(self, rule: EveryDaysRule) -> bool:
        """Tell whether "every 3 days", said now, would give this series."""
        if self._now is None or rule.anchor is None:
            return False
        local = self._zone.localize(self._now).replace(tzinfo=None, fold=0)
        first = self._zone.shifted(datetime.combine(local.date() + timedelta(rule.count), local.time()))
        return rule.times == (local.time(),) and rule.anchor == first

    def _monthly(self, rule: MonthlyRule) -> str:
        spoken = self._voice
        templates = self._templates
        at = self._at(rule.times)
        if rule.month is not None:
            day = str(rule.day) if self._code == "en" else spoken.day(rule.day or 1)
            return f"{templates.yearly.format(day=day, month=spoken.months[rule.month - 1])} {at}"
        counted = rule.months > 1
        if rule.weekday is not None:
            gender = int(rule.weekday in templates.feminine)
            template = (templates.nth_of_months if counted else templates.nth)[gender]
            nth = spoken.ordinals[rule.nth or 1][gender]
            which = template.format(nth=nth, weekday=spoken.weekdays[rule.weekday])
        elif rule.day is None:
            return f"{spoken.pace(rule.months, Unit.MONTH)} {at}{self._start(rule)}"
        elif rule.day == -1:
            which = templates.last_day
        else:
            which = (templates.of_months if counted else templates.monthday).format(day=spoken.day(rule.day))
        return f"{spoken.pace(rule.months, Unit.MONTH)} {which} {at}{self._start(rule)}" if counted else f"{which} {at}"

    def _start(self, rule: WeeklyRule | EveryDaysRule | MonthlyRule) -> str:
        """Say from when a series counts, unless that is its next occurrence anyway."""
        if rule.anchor is None:
            return ""
        if self._now is not None:
            following = replace(rule, anchor=None).trigger(self._zone).get_next_occurrence(self._now)
            if following == rule.anchor:
                return ""
        return " " + self._templates.start.format(date=self._date(self._zone.localize(rule.anchor)))


def _length(span: timedelta) -> str:
    """Write a length of time in digits that every language reads: 1h 30min."""
    minutes, seconds = divmod(span.seconds, 60)
    hours, minutes = divmod(minutes, 60)
    counts = ((span.days, "d"), (hours, "h"), (minutes, "min"), (seconds, "s"))
    return " ".join(f"{count} {unit}" for count, unit in counts if count) or "0 s"
