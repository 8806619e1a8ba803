"""The kinds of values in the fields of triggers: each checks a value, writes it as JSON and reads it back.

Constructors, the builder and the decoder all ask the same `FieldKind`, so a value that one of them accepts is accepted
by the others, and a refusal always names the field, the value and the allowed range.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime, time, timedelta, tzinfo
from typing import Annotated, Any, Final, Literal, cast

from duly.errors import InvalidInputError, InvalidRecurrenceError
from duly.model.calendar import Month, Weekday
from duly.model.codec import FieldKind, Maybe, Reader
from duly.model.trigger import Trigger
from duly.recurrence.clockface import in_utc
from duly.zones import DstPolicy, Zone

OPEN: Final = "open"
"""The start of a series that has not begun."""

WEEKDAY_NAMES = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")

_TIME = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9]))?")
_DURATION = re.compile(r"PT([0-9]{1,14})(?:\.([0-9]{6}))?S")


class CheckedKind(FieldKind):
    """A kind that checks values on construction, too."""

    __slots__ = ()

    @abstractmethod
    def check(self, name: str, value: Any) -> Any:
        """Give the value in its normal form, or refuse it."""

    def refusal(self, name: str, value: object) -> InvalidRecurrenceError:
        """Make the error for a value that is not of this kind."""
        return InvalidRecurrenceError(f"{name} must be {self.expects}, got {value!r}")

    def parse(self, raw: Any) -> Any:
        """Turn JSON into a value that `check` takes; raise TypeError or ValueError for other JSON."""
        return raw

    def decode(self, path: str, raw: Any, _read: Reader) -> Any:
        try:
            return self.check(path, self.parse(raw))
        except (TypeError, ValueError, OverflowError) as error:
            raise self.damage(path, raw) from error


class Whole(CheckedKind):
    """A whole number in a range."""

    __slots__ = ("high", "low")

    def __init__(self, low: int, high: int) -> None:
        super().__init__(f"a whole number from {low} to {high}")
        self.low = low
        self.high = high

    def check(self, name: str, value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not self.low <= value <= self.high:
            raise self.refusal(name, value)
        return int(value)


class Flag(CheckedKind):
    """True or false."""

    __slots__ = ()

    def check(self, name: str, value: Any) -> bool:
        if not isinstance(value, bool):
            raise self.refusal(name, value)
        return value


class Text(CheckedKind):
    """Text whose meaning the record itself checks."""

    __slots__ = ()

    def check(self, name: str, value: Any) -> str:
        if not isinstance(value, str):
            raise self.refusal(name, value)
        return str(value)


class DayOfWeek(CheckedKind):
    """A weekday: `Weekday` or its number in Python, "mon" to "sun" in JSON."""

    __slots__ = ()

    def check(self, name: str, value: Any) -> Weekday:
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 6:
            raise self.refusal(name, value)
        return Weekday(value)

    def encode(self, value: Weekday) -> str:
        return WEEKDAY_NAMES[value]

    def parse(self, raw: Any) -> int:
        return WEEKDAY_NAMES.index(raw)


class MonthOfYear(Whole):
    """A month: `Month` or its number."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(1, 12)
        self.expects = "a month from 1 (January) to 12"

    def check(self, name: str, value: Any) -> Month:
        return Month(super().check(name, value))

    def encode(self, value: Month) -> int:
        return int(value)


class TimeOfDay(CheckedKind):
    """A time on the wall clock, to the second."""

    __slots__ = ()

    def check(self, name: str, value: Any) -> time:
        if not isinstance(value, time) or value.tzinfo is not None or value.microsecond:
            raise self.refusal(name, value)
        return value.replace(fold=0)

    def encode(self, value: time) -> str:
        return value.isoformat("seconds" if value.second else "minutes")

    def parse(self, raw: Any) -> time:
        return read_time(raw)


class ZoneName(CheckedKind):
    """A time zone, by its name."""

    __slots__ = ()

    def check(self, name: str, value: Any) -> str:
        if not isinstance(value, str | tzinfo):
            raise self.refusal(name, value)
        return Zone.of(value).name


class Dst(CheckedKind):
    """A policy for wall-clock times that a clock change skips or repeats."""

    __slots__ = ()

    def check(self, name: str, value: Any) -> DstPolicy:
        try:
            return DstPolicy(value)
        except ValueError:
            raise self.refusal(name, value) from None

    def encode(self, value: DstPolicy) -> str:
        return str(value)


class Instant(CheckedKind):
    """A moment, kept in UTC."""

    __slots__ = ()

    def check(self, name: str, value: Any) -> datetime:
        if not isinstance(value, datetime):
            raise self.refusal(name, value)
        return in_utc(value, name)

    def encode(self, value: datetime) -> str:
        return value.isoformat()

    def parse(self, raw: Any) -> datetime:
        return datetime.fromisoformat(raw)


class StartDate(CheckedKind):
    """The date on which a series began, on the wall clock of its zone; `OPEN` before it has begun."""

    __slots__ = ()

    def check(self, name: str, value: Any) -> date | str:
        if value == OPEN or (isinstance(value, date) and not isinstance(value, datetime)):
            return cast("date | str", value)
        raise self.refusal(name, value)

    def encode(self, value: date | str) -> str:
        return value if isinstance(value, str) else value.isoformat()

    def parse(self, raw: Any) -> date | str:
        return OPEN if raw == OPEN else date.fromisoformat(raw)


class Duration(CheckedKind):
    """A length of time, not negative."""

    __slots__ = ()

    def check(self, name: str, value: Any) -> timedelta:
        if not isinstance(value, timedelta) or value < timedelta(0):
            raise self.refusal(name, value)
        return value

    def encode(self, value: timedelta) -> str:
        fraction = f".{value.microseconds:06}" if value.microseconds else ""
        return f"PT{value.days * 86_400 + value.seconds}{fraction}S"

    def parse(self, raw: Any) -> timedelta:
        read = _DURATION.fullmatch(raw)
        if read is None:
            raise ValueError("not a duration")
        return timedelta(seconds=int(read[1]), microseconds=int(read[2] or 0))


class Many(CheckedKind):
    """Any number of another kind, in order and without repetition."""

    __slots__ = ("kind", "to")

    def __init__(self, kind: FieldKind, to: Callable[[Iterable[Any]], Any] = tuple) -> None:
        super().__init__(f"a list, each {kind.expects}")
        self.kind = kind
        self.to = to

    def check(self, name: str, value: Any) -> Any:
        if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
            raise self.refusal(name, value)
        return self.to(sorted({self.kind.check(name, item) for item in value}))

    def encode(self, value: Iterable[Any]) -> list[Any]:
        return [self.kind.encode(item) for item in sorted(value)]

    def decode(self, path: str, raw: Any, read: Reader) -> Any:
        if not isinstance(raw, list):
            raise self.damage(path, raw)
        return self.to(self.kind.decode(f"{path}[{index}]", item, read) for index, item in enumerate(raw))


class NestedTrigger(CheckedKind):
    """A trigger of one of some classes, inside another."""

    __slots__ = ("classes",)

    def __init__(self, *classes: type[Any]) -> None:
        super().__init__(f"of type {' or '.join(each.__name__ for each in classes)}")
        self.classes = classes

    def check(self, name: str, value: Any) -> Trigger:
        if not self._fits(value):
            raise self.refusal(name, value)
        return cast(Trigger, value)

    def encode(self, value: Trigger) -> dict[str, Any]:
        return value.to_dict()

    def decode(self, path: str, raw: Any, read: Reader) -> Trigger:
        trigger: Trigger = read(path, raw)
        if not self._fits(trigger):
            raise self.damage(path, raw)
        return trigger

    def _fits(self, value: object) -> bool:
        return isinstance(value, self.classes)


MINUTE = Whole(0, 59)
HOUR = Whole(0, 23)
WEEKDAY = DayOfWeek("a weekday, Monday (0) to Sunday (6)")
MONTH = MonthOfYear()
TIME = TimeOfDay("a time of day from 00:00 to 23:59:59, in whole seconds and without a zone")
ZONE = ZoneName("the name of a time zone")
DST = Dst("'once' or 'wallclock'")
INSTANT = Instant("a datetime with a time zone")
DURATION = Duration("a timedelta of zero or more")
FLAG = Flag("True or False")

LONGEST = 1_000_000_000
"""More than the calendar holds in any unit but seconds, and small enough for every sum."""

Count = Annotated[int, Whole(1, LONGEST)]
CountOrNone = Annotated[int, Whole(0, LONGEST)]
"""0 where a list says when, and nothing is to be counted."""
Second = Annotated[int, Whole(0, 59)]
Minute = Annotated[int, MINUTE]
Hour = Annotated[int, HOUR]
MonthDay = Annotated[int, Whole(1, 31)]
Start = Annotated[
    date | Literal["open"] | None, Maybe(StartDate("the date on which the series began, or 'open' before it has begun"))
]
TimeZone = Annotated[str, ZONE]
DstChoice = Annotated[str, DST]
AText = Annotated[str, Text("a text")]


def read_time(text: object) -> time:
    """The time of day in "09:00" or "09:00:30"."""
    read = _TIME.fullmatch(text) if isinstance(text, str) else None
    if read is None:
        raise InvalidInputError(f'a time of day must read "HH:MM" or "HH:MM:SS", got {text!r}')
    return time(int(read[1]), int(read[2]), int(read[3] or 0))
