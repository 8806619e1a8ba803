"""`Cron`: an expression, the zone it is read in, and the policy for clock changes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

from duly.cron import timeline
from duly.cron.dialect import DayMatch, Dialect
from duly.cron.parser import parse
from duly.errors import (
    CronCalculationError,
    InvalidCronExpressionError,
    TriggerDecodeError,
    UnknownTimezoneError,
)
from duly.model.checks import choice
from duly.zones import DstPolicy, Zone, to_instant, to_utc

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from datetime import time, tzinfo

    from duly.cron.days import NamedDays
    from duly.cron.spec import Spec

    Search = Callable[[Spec, Zone, datetime], int | None]

_CHOICES = {"dialect": Dialect, "dst": DstPolicy, "day_match": DayMatch}


class Cron:
    """A cron expression that knows its next and previous fires, exactly and on every clock-change day.

    Immutable, hashable, and equal to every other `Cron` that fires at the same times for the same reasons.

    >>> from datetime import datetime, UTC
    >>> Cron("30 9 * * mon-fri").next(datetime(2026, 11, 13, 12, tzinfo=UTC))
    datetime.datetime(2026, 11, 16, 9, 30, tzinfo=datetime.timezone.utc)
    """

    __slots__ = ("_fixed", "_once", "_spec", "_zone", "day_match", "dialect", "dst", "expression")

    expression: str
    dialect: Dialect
    dst: DstPolicy
    day_match: DayMatch
    _spec: Spec
    _zone: Zone
    _once: bool
    _fixed: bool

    def __init__(
        self,
        expression: str,
        *,
        dialect: Dialect | str = Dialect.STANDARD,
        tz: str | tzinfo = "UTC",
        dst: DstPolicy | str | None = None,
        day_match: DayMatch | str = DayMatch.OR,
    ) -> None:
        put = object.__setattr__
        dialect = choice(Dialect, dialect, "dialect")
        day_match = choice(DayMatch, day_match, "day_match")
        put(self, "expression", expression)
        put(self, "dialect", dialect)
        put(self, "day_match", day_match)
        put(self, "dst", _usual_dst(dialect) if dst is None else choice(DstPolicy, dst, "dst"))
        put(self, "_spec", parse(expression, dialect, day_match))
        zone = Zone.of(tz)
        put(self, "_zone", zone)
        put(self, "_fixed", zone.fixed)
        put(self, "_once", self._spec.fixed and self.dst is DstPolicy.ONCE)

    def __setattr__(self, name: str, _value: object) -> None:
        raise AttributeError(f"Cron is immutable: cannot set {name}; make a new one")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"Cron is immutable: cannot delete {name}")

    @property
    def tz(self) -> str:
        """The name of the zone whose wall clock the expression is read on."""
        return self._zone.name

    def next(self, after: datetime) -> datetime:
        """The first fire strictly after an instant, in this expression's zone."""
        # On a clock face without changes the answer is `found`. It holds if the offset is the same all the way from
        # `local` to `found`, which `plain` tells at the cost of a look-up; only then are faces and instants in step.
        zone = self._zone
        tz = zone.tzinfo
        local = after if after.tzinfo is tz else self._local(after, "after")
        found = self._spec.next(local, tz)
        if found is not None and (self._fixed or zone.plain(local, found)):
            return found
        return self._near_a_change(timeline.next_once if self._once else timeline.next_wallclock, local, "next")

    def prev(self, before: datetime) -> datetime:
        """The last fire strictly before an instant, in this expression's zone: the exact mirror of `next`."""
        zone = self._zone
        tz = zone.tzinfo
        local = before if before.tzinfo is tz else self._local(before, "before")
        found = self._spec.prev(local, tz)
        if found is not None and (self._fixed or zone.plain(found, local)):
            return found
        return self._near_a_change(timeline.prev_once if self._once else timeline.prev_wallclock, local, "previous")

    def matches(self, at: datetime) -> bool:
        """Whether this fires in the minute of an instant (in its second, where the expression has seconds)."""
        local = self._local(at, "at")
        if self._zone.fixed or self._zone.plain(local):
            return self._spec.shows(local)
        return timeline.fires_in(self._spec, self._zone, to_instant(local), once=self._once)

    def between(self, start: datetime, end: datetime) -> Iterator[datetime]:
        """The fires after `start`, up to and including `end`: ranges laid end to end share no fire."""
        last = self._until(end)
        at = self._local(start, "start")
        try:
            while (at := self.next(at)) <= last:
                yield at
        except CronCalculationError:
            return

    def count(self, start: datetime, end: datetime) -> int:
        """How many fires `between` would give, without walking them."""
        low = to_instant(self._local(start, "start"))
        high = to_instant(self._until(end))
        return timeline.count(self._spec, self._zone, low, high, once=self._once) if low < high else 0

    def get_next_occurrence(self, current: datetime) -> datetime | None:
        """The next fire in UTC, or None at the end of the calendar. With it a `Cron` is a `Trigger`."""
        try:
            return self.next(current).astimezone(UTC)
        except (CronCalculationError, OverflowError):  # overflow: a fire in the last local hours lies beyond UTC's end
            return None

    def times_of_day(self, at_most: int) -> tuple[time, ...] | None:
        """The times at which it fires on each of its days; None when there are more than `at_most`."""
        return self._spec.times_of_day(at_most)

    def named_days(self) -> NamedDays | None:
        """The days on which it fires, as lists; None where some have to be looked up in each month (`L`, `W`, `#`)."""
        return self._spec.days.named()

    def describe(self) -> str:
        """The expression in the words a person would use."""
        from duly.cron.describe import describe

        return describe(self)

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready form; `from_dict` reads it back."""
        return {
            "v": 1,
            "kind": "cron",
            "expression": self.expression,
            "dialect": str(self.dialect),
            "tz": self.tz,
            "dst": str(self.dst),
            "day_match": str(self.day_match),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Cron:
        """Read back what `to_dict` wrote."""
        _check(data, cls("* * * * *").to_dict())
        try:
            return cls(data["expression"], tz=data["tz"], **{key: data[key] for key in _CHOICES})
        except InvalidCronExpressionError as error:
            raise TriggerDecodeError("expression", error.expression, f"cannot be read ({error})") from error
        except UnknownTimezoneError as error:
            raise TriggerDecodeError("tz", error.name, f"cannot be read ({error})") from error

    def _local(self, instant: datetime, name: str) -> datetime:
        try:
            return self._zone.exactly(instant, name)
        except OverflowError as error:
            cause = f"{name} is {instant.isoformat()}, which clocks in {self.tz} cannot show"
            direction = "previous" if name == "before" else "next"
            raise CronCalculationError(self.expression, instant, cause, direction=direction) from error

    def _until(self, end: datetime) -> datetime:
        """Give `end`, or the last moment that this zone's clocks can show.

        With a fixed offset: Python compares two times of one zone by their faces, and ignores their offsets.
        """
        last = self._zone.localize(end, "end")
        return last.replace(tzinfo=timezone(last.utcoffset() or timedelta(0)), fold=0)

    def _near_a_change(self, search: Search, local: datetime, direction: str) -> datetime:
        """Search on the timeline of instants, for days on which the offset changes."""
        try:
            instant = search(self._spec, self._zone, local.astimezone(UTC))
            if instant is not None:
                return to_utc(instant).astimezone(self._zone.tzinfo)
        except OverflowError:  # an instant in the calendar whose local time is not
            pass
        raise self._out_of_calendar(local, direction)

    def _out_of_calendar(self, at: datetime, direction: str) -> CronCalculationError:
        edge = "before the year 10000" if direction == "next" else "since the year 1"
        cause = f'"{self.expression}" has no occurrence {edge}'
        return CronCalculationError(self.expression, at, cause, direction=direction)

    def _meaning(self) -> tuple[object, ...]:
        return (self._spec.meaning, self._zone.name, self.dst)

    def __eq__(self, other: object) -> bool:
        return self._meaning() == other._meaning() if isinstance(other, Cron) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._meaning())

    def __repr__(self) -> str:
        options = "".join(f", {name}={str(value)!r}" for name, value in self._unusual().items())
        return f"Cron({self.expression!r}{options})"

    def _unusual(self) -> dict[str, object]:
        """Give the options that differ from the defaults."""
        plain = {
            "dialect": Dialect.STANDARD,
            "tz": "UTC",
            "dst": _usual_dst(self.dialect),
            "day_match": DayMatch.OR,
        }
        return {name: getattr(self, name) for name, usual in plain.items() if getattr(self, name) != usual}

    def __reduce__(self) -> tuple[Any, ...]:
        return (Cron.from_dict, (self.to_dict(),))

    def __copy__(self) -> Cron:
        return self

    def __deepcopy__(self, _memo: object) -> Cron:
        return self


def is_valid(expression: str, *, dialect: Dialect | str = Dialect.STANDARD) -> bool:
    """Whether an expression can be read in a dialect, and fires at all."""
    try:
        parse(expression, choice(Dialect, dialect, "dialect"), DayMatch.OR)
    except InvalidCronExpressionError:
        return False
    return True


def _check(data: Mapping[str, Any], known: Mapping[str, Any]) -> None:
    """Compare a stored form with a good one: the same fields, of the same types, with known choices."""
    for key in {**known, **data}:
        if key not in data:
            raise TriggerDecodeError(key, None, "is missing")
        if key not in known:
            raise TriggerDecodeError(key, data[key], "is not a field of a cron trigger")
        if type(data[key]) is not type(known[key]):
            raise TriggerDecodeError(key, data[key], f"must be {type(known[key]).__name__}")
        if key in ("v", "kind") and data[key] != known[key]:
            raise TriggerDecodeError(key, data[key], f"must be {known[key]!r}")
        if key in _CHOICES and data[key] not in set(_CHOICES[key]):
            raise TriggerDecodeError(key, data[key], f"must be one of {', '.join(_CHOICES[key])}")


def _usual_dst(dialect: Dialect) -> DstPolicy:
    return DstPolicy.WALLCLOCK if dialect is Dialect.POSIX else DstPolicy.ONCE
