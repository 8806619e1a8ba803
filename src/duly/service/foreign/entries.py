"""An entry of another scheduler: what duly makes of it, and what it loses or refuses."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from duly.errors import InvalidInputError
from duly.model.codec import Json
from duly.model.trigger import Trigger

Foreign = Mapping[str, Any]
"""What another scheduler keeps of a job: a row of its tables, or attributes of its objects."""
NextTime = Callable[[datetime], datetime | None]
"""Gives the next time after one, as the old scheduler works it out; None when there is none."""


class NotCarriedError(InvalidInputError):
    """An entry cannot be carried over; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignEntry:
    """One entry of another scheduler."""

    name: str
    written: str
    """When it fires, as the old scheduler writes it."""
    trigger: Trigger | None = None
    """None where it cannot be carried over."""
    fields: Json = field(default_factory=dict)
    """The other fields of the schedule, as `[[butler.schedule]]` takes them."""
    refusal: str | None = None
    losses: tuple[str, ...] = ()
    """What of it is not carried over, each with the reason."""
    next_time: NextTime | None = None
    """None where the old scheduler is not installed, or cannot tell."""


def refused(name: str, written: str, reason: str) -> ForeignEntry:
    """Make an entry that cannot be carried over."""
    return ForeignEntry(name=name, written=written, refusal=reason)


def first_times(next_time: NextTime | None, after: datetime, count: int) -> Iterator[datetime]:
    """Give the first times after one."""
    at: datetime | None = after
    for _ in range(count):
        at = None if at is None or next_time is None else next_time(at)
        if at is None:
            return
        yield at


def listed(values: set[int], lowest: int, highest: int, written: str) -> str:
    """Write a set of numbers as a field of a cron expression; one that stands for a rhythm stays as it was written."""
    if values == set(range(lowest, highest + 1)):
        return "*"
    step = written[2:]
    if (
        written.startswith("*/")
        and step.isdigit()
        and int(step)
        and values == set(range(lowest, highest + 1, int(step)))
    ):
        return written
    return ",".join(map(str, sorted(values)))


def seconds_of(length: timedelta, what: str) -> int:
    """Give a length in whole seconds, at least one."""
    seconds = length.total_seconds()
    if seconds < 1 or seconds != int(seconds):
        raise NotCarriedError(f"{what} is {seconds:g} s: duly counts in whole seconds, from one")
    return int(seconds)
