"""The fields that a chain of builder steps has set so far: a value that each step copies and adds to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from duly.errors import InvalidRecurrenceError
from duly.recurrence.interval import Interval
from duly.recurrence.plain_triggers import CronInterval
from duly.recurrence.record import kinds
from duly.recurrence.task import RecurringTask
from duly.recurrence.window import Window

_BETWEEN = "between"
_DAYS = "days"


@dataclass(frozen=True, slots=True)
class TaskDraft:
    """Fields of the task, and of its interval once that is known."""

    task: Mapping[str, Any] = field(default_factory=dict)
    unit: type[Interval | CronInterval] | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def about_task(self, name: str, value: Any) -> TaskDraft:
        """Say something about the task, checked at once."""
        return replace(self, task=_said(self.task, name, kinds(RecurringTask)[name].check(name, value)))

    def about_interval(self, name: str, value: Any) -> TaskDraft:
        """Say something about the interval, checked at once."""
        if self.unit is None:
            raise AssertionError("options come after the unit")
        return replace(self, options=_said(self.options, name, kinds(self.unit)[name].check(name, value)))

    def about_window(self, name: str, value: Any) -> TaskDraft:
        """Confine the interval: `between` two times, or to some `days`."""
        return replace(self, options=_said(self.options, name, value))

    def of_unit(self, unit: type[Interval | CronInterval], first: str, value: Any) -> TaskDraft:
        """Choose the kind of interval, with its first field."""
        return replace(self, unit=unit).about_interval(first, value)

    def build(self) -> RecurringTask:
        """The task. Fields that contradict each other show here."""
        if self.unit is None:
            return RecurringTask(**self.task)
        options = dict(self.options)
        start_and_end = options.pop(_BETWEEN, ())
        days = options.pop(_DAYS, None)
        if start_and_end or days:
            options["window"] = Window(*start_and_end, **({"days": days} if days else {}))
        return RecurringTask(**{**self.task, self.unit.KIND: self.unit(**options)})


def _said(known: Mapping[str, Any], name: str, value: Any) -> Mapping[str, Any]:
    if name in known and known[name] != value:
        raise InvalidRecurrenceError(f"{name} is already {known[name]!r} and cannot also be {value!r}: say it once")
    return {**known, name: value}


class Buildable:
    """A step at which the chain may stop. It is a trigger itself, by way of the task it builds."""

    __slots__ = ("_draft", "_task")

    def __init__(self, draft: TaskDraft) -> None:
        self._draft = draft
        self._task: RecurringTask | None = None

    @property
    def recurring_task(self) -> RecurringTask:
        """The task described so far."""
        if self._task is None:
            self._task = self._draft.build()
        return self._task

    def build(self) -> RecurringTask:
        """The task described so far."""
        return self.recurring_task

    def get_next_occurrence(self, current: datetime) -> datetime | None:
        """The next slot of the task described so far."""
        return self.recurring_task.get_next_occurrence(current)

    def describe(self) -> str:
        """The task described so far, in words."""
        return self.recurring_task.describe()

    def to_dict(self) -> dict[str, Any]:
        """The task described so far, as JSON."""
        return self.recurring_task.to_dict()

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.describe()}>"

    if not TYPE_CHECKING:
        # Hidden from type checkers, which then report a second interval while it is typed; at run time this says why.

        def every(self, interval):
            raise InvalidRecurrenceError(
                f"every({interval!r}) cannot follow {self.describe()}: a chain has one interval; "
                f"combine several with any_of"
            )

        def cron(self, expression, **_options):
            raise InvalidRecurrenceError(
                f"cron({expression!r}) cannot follow {self.describe()}: a chain has one interval; "
                f"combine several with any_of"
            )
