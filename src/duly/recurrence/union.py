"""Several triggers as one: the occurrence that comes first."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Any, ClassVar

from duly.cron import Cron
from duly.errors import InvalidRecurrenceError
from duly.expansion import step
from duly.model.trigger import Trigger
from duly.recurrence.clockface import in_utc
from duly.recurrence.dated import Dated
from duly.recurrence.fields import OPEN, Many, NestedTrigger
from duly.recurrence.interval import WEEK, Interval
from duly.recurrence.months import MonthInterval
from duly.recurrence.occurrences import leap
from duly.recurrence.plain_triggers import CronInterval, Once
from duly.recurrence.record import Leap, TriggerRecord


class _Members(Many):
    """Triggers in the order given, each once, unions opened up."""

    __slots__ = ()

    def check(self, name: str, value: Any) -> tuple[Trigger, ...]:
        opened: dict[Trigger, None] = {}
        for trigger in value:
            inner = trigger.triggers if isinstance(trigger, AnyOf) else [self.kind.check(name, trigger)]
            opened.update(dict.fromkeys(inner))
        return tuple(opened)

    def encode(self, value: Iterable[Trigger]) -> list[Any]:
        return [trigger.to_dict() for trigger in value]


@dataclass(frozen=True, slots=True, init=False)
class AnyOf(TriggerRecord):
    """The earliest of several triggers; occurrences at one instant are one.

    Members that count from their last occurrence see every occurrence of the union as theirs. For elapsed time that
    is what is meant ("25 minutes after anything"); a calendar interval above one would lose its phase by it and is
    refused unless it has an anchor.
    """

    KIND: ClassVar[str] = "any_of"

    triggers: Annotated[tuple[Trigger, ...], _Members(NestedTrigger(Interval, Cron, CronInterval, Once))]

    def __init__(self, *triggers: Trigger) -> None:
        self._put("triggers", triggers)
        self.__post_init__()

    @classmethod
    def from_values(cls, **values: Any) -> AnyOf:
        return cls(*values["triggers"])

    def _settle(self) -> None:
        if not self.triggers:
            raise InvalidRecurrenceError("AnyOf needs at least one trigger, got none")
        for trigger in self.triggers:
            if len(self.triggers) > 1 and isinstance(trigger, Dated) and not trigger.fixed_slots:
                fix = "give it an anchor"
                if isinstance(trigger, MonthInterval) and trigger.start == OPEN:
                    fix = "name its day" if trigger.interval == 1 else "name its day and give it an anchor"
                raise InvalidRecurrenceError(
                    f"{trigger.describe()} counts from its own last occurrence, which among others is lost: {fix}"
                )

    def begun(self, at: datetime) -> AnyOf:
        """The union of a series that begins at `at`."""
        return self._of_each(lambda trigger: trigger.begun(at))

    def unbegun(self) -> AnyOf:
        """The union as it was before its series began."""
        return self._of_each(lambda trigger: trigger.unbegun())

    def _of_each(self, change: Callable[[TriggerRecord], TriggerRecord]) -> AnyOf:
        # Only a union of one can hold what has not begun; several may hold what was stored before beginnings were kept.
        only = self.triggers[0]
        if len(self.triggers) > 1 or not isinstance(only, TriggerRecord) or (changed := change(only)) is only:
            return self
        return AnyOf(changed)

    @property
    def fixed_slots(self) -> bool:
        return all(_is_fixed(trigger) for trigger in self.triggers)

    def get_next_occurrence(self, current: datetime) -> datetime | None:
        """The earliest next occurrence of any member."""
        instant = in_utc(current)
        step()
        return min(filter(None, (each.get_next_occurrence(instant) for each in self.triggers)), default=None)

    def leap(self, current: datetime, limit: datetime) -> Leap:
        # Where all weeks are alike, one week is counted and multiplied; otherwise the members race up to the limit.
        weeks = self._equal_weeks(current, limit)
        until = limit if weeks is None else current + min(limit - current, WEEK)
        race = _Race(self.triggers, current)
        while (upcoming := race.upcoming) is not None and upcoming <= until:
            race.advance(upcoming, until)
        more = max(0, (weeks or 0) - 1) if race.count else 0
        return Leap(race.count * (more + 1), race.current + WEEK * more)

    def _equal_weeks(self, current: datetime, limit: datetime) -> int | None:
        """Count the equal weeks from an occurrence on; None if a member has no cycle, or counts from the last one."""
        intervals = [each for each in self.triggers if isinstance(each, Interval) and each.cycle is not None]
        if len(intervals) < len(self.triggers) or not self.fixed_slots:
            return None
        return max(0, (min(each.steady_until(current, limit) for each in intervals) - current) // WEEK)

    def describe(self) -> str:
        """The members, one after the other."""
        spoken = [trigger.describe() for trigger in self.triggers]
        return "; and ".join(["; ".join(spoken[:-1]), spoken[-1]] if len(spoken) > 1 else spoken)


class _Race:
    """The members of a union side by side: only those that have just occurred are asked again.

    When one of them keeps the lead (every minute, beside once a day) it leaps up to where the next one comes in.
    """

    def __init__(self, triggers: tuple[Trigger, ...], current: datetime) -> None:
        self.current = current
        self.count = 0
        self._triggers = triggers
        self._floating = {place for place, trigger in enumerate(triggers) if not _is_fixed(trigger)}
        self._ahead: dict[int, datetime] = {}
        self._due: set[int] = set()
        self._ask(range(len(triggers)))

    @property
    def upcoming(self) -> datetime | None:
        return min(self._ahead.values(), default=None)

    def advance(self, upcoming: datetime, limit: datetime) -> None:
        """Move on to the upcoming occurrence, and further while its member leads alone."""
        step()
        self.current = upcoming
        self.count += 1
        due = {place for place, instant in self._ahead.items() if instant == upcoming}
        if due == self._due and len(due) == 1:
            self._leap(min(due), limit)
        self._due = due
        self._ask(due | self._floating)

    def _leap(self, leader: int, limit: datetime) -> None:
        # Those that count from the last occurrence only move further away meanwhile.
        others = [instant - timedelta.resolution for place, instant in self._ahead.items() if place != leader]
        stride = leap(self._triggers[leader], self.current, min([limit, *others]))
        self.count += stride.passed
        self.current = stride.last

    def _ask(self, places: Iterable[int]) -> None:
        for place in places:
            upcoming = self._triggers[place].get_next_occurrence(self.current)
            if upcoming is None:
                self._ahead.pop(place, None)
            else:
                self._ahead[place] = upcoming


def _is_fixed(trigger: Trigger) -> bool:
    return isinstance(trigger, Cron) or (isinstance(trigger, TriggerRecord) and trigger.fixed_slots)
