"""Time zones as lists of segments, each with one offset from UTC.

`zoneinfo` says which offset holds at a time, but not when the offset changes. A scheduler needs the changes: between
two of them local time is plain arithmetic, and only the few days around a change need care. Those days are `unsafe`;
`Zone.segments` says exactly what happens on them. Seconds here count from 0001-01-01T00:00.
"""

from __future__ import annotations

import re
import struct
from bisect import bisect_right
from datetime import UTC, date, datetime, timedelta, tzinfo
from enum import StrEnum
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple, overload
from zoneinfo import TZPATH, ZoneInfo, ZoneInfoNotFoundError

from duly.errors import NaiveDatetimeError, UnknownTimezoneError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ZERO = datetime.min
DAY = 86_400
_UNIX_EPOCH = 62_135_596_800  # 1970-01-01 in seconds since ZERO
_END_OF_TIME = 10_000 * 366 * DAY
_FOREVER = 2**31

_MARGIN_DAYS = 3  # local time is up to a day or so ahead of UTC: stay that far before the first unknown change
_EXTEND_BY_YEARS = 40
_LONGEST_NAME = 64
_FOOTER = re.compile(
    r"(?:<[^>]+>|[a-z]+)(?P<standard>[-+:\d]+)(?:<[^>]+>|[a-z]+)(?P<summer>[-+:\d]*),(?P<begin>[^,]+),(?P<end>[^,]+)",
    re.IGNORECASE,
)


class DstPolicy(StrEnum):
    """When a wall-clock time fires on the day the clocks change."""

    WALLCLOCK = "wallclock"
    """Fires whenever the wall clock shows the time: not at all in a gap, twice in an overlap."""
    ONCE = "once"
    """A fixed time fires once, at the first instant the wall clock shows that time or a later one."""


class Segments(NamedTuple):
    """The changes of a zone's offset, as parallel columns; the first segment reaches back to the beginning of time."""

    starts: tuple[int, ...]
    """The instant (seconds, UTC) each segment begins."""
    offsets: tuple[int, ...]
    """Seconds east of UTC that hold in it."""
    floors: tuple[int, ...]
    """The latest time that the wall clock had shown before it: earlier local times were shown already, or skipped."""
    unsafe: frozenset[int]
    """Days (ordinals) on which some local time is missing, repeated, or borders on such a time."""
    horizon: int
    """Transitions are known up to this day."""

    def at(self, instant: int) -> int:
        """Give the index of the segment that holds at an instant."""
        return bisect_right(self.starts, instant) - 1

    def end(self, index: int) -> int:
        """Give the instant at which a segment ends."""
        return self.starts[index + 1] if index + 1 < len(self.starts) else _END_OF_TIME

    def first_instant(self, local: int) -> int:
        """Give the first instant at which the wall clock shows `local` or later."""
        # The last segment that begins after times up to `local` were shown. A `local` inside a gap lies before the
        # first time of that segment, so the start of the segment is the answer.
        index = bisect_right(self.floors, local) - 1
        return max(local - self.offsets[index], self.starts[index])


class YearlyRule(NamedTuple):
    """The rule of a zone after the last change that its file lists: into summer time and out of it, every year."""

    standard: int
    summer: int
    begin: str
    """When summer time begins, by the wall clock: `M3.5.0/2` is the last (5) Sunday (0) of March, at 2."""
    end: str

    def changes(self, year: int) -> list[tuple[int, int]]:
        """Give the instants (seconds, UTC) of a year's changes, each with the offset that holds from then on."""
        # Each rule is in the local time before its change: summer time begins by standard time, ends by summer time.
        begin = _rule_seconds(self.begin, year) - self.standard
        end = _rule_seconds(self.end, year) - self.summer
        return sorted([(begin, self.summer), (end, self.standard)])


class Zone:
    """A time zone. `Zone.of` gives the shared instance of a name."""

    __slots__ = ("_rule", "_segments", "fixed", "name", "tzinfo")

    def __init__(self, name: str, tz: tzinfo, segments: Segments, rule: YearlyRule | None = None) -> None:
        self.name = name
        self.tzinfo = tz
        self.fixed = rule is None and len(segments.starts) == 1
        """True when the offset never changes, so that no day is unsafe."""
        self._segments = segments
        self._rule = rule

    @staticmethod
    def of(tz: str | tzinfo | Zone) -> Zone:
        """Give the zone of an IANA name, of a `ZoneInfo`, or of `datetime.UTC`."""
        if type(tz) is str:
            return _load(tz)
        if isinstance(tz, Zone):
            return tz
        name = "UTC" if tz is UTC else getattr(tz, "key", tz)
        if not isinstance(name, str):
            raise UnknownTimezoneError(tz)
        return _load(name)

    def segments(self, day: int) -> Segments:
        """Give the segments, complete at least up to `day` (an ordinal)."""
        segments = self._segments
        if day > segments.horizon and self._rule is not None:
            # Several threads may do this at once: each uses the segments it made, and any of them may be the one kept.
            segments = self._segments = _extended(segments, self._rule, day)
        return segments

    def plain(self, *moments: datetime) -> bool:
        """Say whether local times on these days are neither missing nor repeated."""
        segments = self._segments
        for moment in moments:
            day = moment.toordinal()
            if day in segments.unsafe:
                return False
            if day > segments.horizon:
                segments = self.segments(day)
                if day in segments.unsafe:
                    return False
        return True

    def localize(self, instant: datetime, name: str = "datetime") -> datetime:
        """Give the same instant on this zone's clocks, or the last moment (the first one) that they can show."""
        try:
            return self.exactly(instant, name)
        except OverflowError:
            return (datetime.max if instant.year > 1 else datetime.min).replace(tzinfo=self.tzinfo)

    def exactly(self, instant: datetime, name: str = "datetime") -> datetime:
        """Give the same instant on this zone's clocks; raise `OverflowError` where they cannot show it."""
        if instant.tzinfo is self.tzinfo:
            return instant
        if instant.utcoffset() is None:
            raise NaiveDatetimeError(name, instant)
        return instant.astimezone(self.tzinfo)

    def first_instant(self, local: datetime) -> datetime:
        """Give the first instant (UTC) at which the wall clock shows `local` (naive) or later: policy `once`."""
        if self.fixed:
            return local.replace(tzinfo=self.tzinfo).astimezone(UTC)
        return to_utc(self.segments(local.toordinal()).first_instant(to_seconds(local)))

    def instants(self, local: datetime) -> tuple[datetime, ...]:
        """Give every instant (UTC) at which the wall clock shows `local` (naive): none in a gap, two in an overlap."""
        first = local.replace(tzinfo=self.tzinfo, fold=0).astimezone(UTC)
        second = local.replace(tzinfo=self.tzinfo, fold=1).astimezone(UTC)
        if first > second:  # PEP 495: in a gap the later fold comes first
            return ()
        return (first,) if first == second else (first, second)

    def shifted(self, local: datetime) -> datetime:
        """Give the instant (UTC) of a one-shot: a missing time moves on by the gap, a repeated one is the first."""
        return local.replace(tzinfo=self.tzinfo, fold=0).astimezone(UTC)

    def transitions(self, start: datetime, end: datetime) -> Iterator[tuple[datetime, timedelta, timedelta]]:
        """List changes of the offset in [start, end): the instant in UTC, the offset before and the one after."""
        segments = self.segments(end.toordinal())
        low = to_seconds(start.astimezone(UTC))
        high = to_seconds(end.astimezone(UTC))
        for index in range(1, len(segments.starts)):
            if low <= segments.starts[index] < high:
                before = timedelta(seconds=segments.offsets[index - 1])
                after = timedelta(seconds=segments.offsets[index])
                yield to_utc(segments.starts[index]), before, after

    def __reduce__(self) -> tuple[object, ...]:
        return (Zone.of, (self.name,))

    def __repr__(self) -> str:
        return f"Zone({self.name!r})"


@overload
def iso(moment: datetime) -> str: ...


@overload
def iso(moment: None) -> None: ...


def iso(moment: datetime | None) -> str | None:
    """Write an instant as everywhere in duly: ISO 8601 in UTC, ending in `Z`."""
    if moment is None:
        return None
    return _written(moment if moment.tzinfo is UTC else moment.astimezone(UTC))


@lru_cache(maxsize=4096)
def _written(moment: datetime) -> str:
    """Write an instant in UTC. Pages show the same instants again and again."""
    return moment.isoformat().replace("+00:00", "Z")


def with_instants_said(text: str, say: Callable[[datetime], str]) -> str:
    """Say the instants that a text of the record has in UTC in another way, such as on the clocks of a person."""
    return re.sub(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", lambda found: say(datetime.fromisoformat(found[0])), text)


def local_iso(moment: datetime, zone: Zone) -> str:
    """Write an instant on the clocks of a zone, with the offset; on those of UTC it ends in `Z`."""
    local = zone.localize(moment)
    return iso(local) if zone.fixed and not local.utcoffset() else local.isoformat()


def to_seconds(moment: datetime) -> int:
    """Count whole seconds on the face of a clock since 0001-01-01, without regard to its zone."""
    return moment.toordinal() * DAY - DAY + moment.hour * 3600 + moment.minute * 60 + moment.second


def to_instant(moment: datetime) -> int:
    """Count whole seconds since 0001-01-01T00:00Z of an aware datetime, even beyond the end of UTC's calendar."""
    offset = moment.utcoffset() or timedelta(0)
    return to_seconds(moment) - offset.days * DAY - offset.seconds


def to_naive(seconds: int) -> datetime:
    """Give the clock face at a number of seconds since 0001-01-01."""
    return ZERO + timedelta(seconds=seconds)


def to_utc(seconds: int) -> datetime:
    """Give the instant at a number of seconds since 0001-01-01T00:00Z."""
    return (ZERO + timedelta(seconds=seconds)).replace(tzinfo=UTC)


@cache
def _load(name: str) -> Zone:
    if name == "UTC":
        return Zone("UTC", UTC, _build([], [0], None))
    if len(name) > _LONGEST_NAME:
        raise UnknownTimezoneError(name[:_LONGEST_NAME] + "…")
    try:
        tz = ZoneInfo(name)
        changes, offsets, rule = _read_tzif(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise UnknownTimezoneError(name, _similar(name)) from error
    known = None if rule is None else changes[-1] if changes else DAY
    return Zone(name, tz, _build(changes, offsets, known), rule)


def _similar(name: str) -> tuple[str, ...]:
    from difflib import get_close_matches
    from zoneinfo import available_timezones

    by_lower = {zone.lower(): zone for zone in sorted(available_timezones())}
    cities = {zone.rsplit("/", 1)[-1]: zone for zone in by_lower}
    wanted = name.strip().lower().replace(" ", "_")
    near = get_close_matches(wanted, by_lower, n=2, cutoff=0.75)
    near += [cities[city] for city in get_close_matches(wanted.rsplit("/", 1)[-1], cities, n=1, cutoff=0.85)]
    return tuple(dict.fromkeys(by_lower[match] for match in near))[:2]


def _read_tzif(name: str) -> tuple[list[int], list[int], YearlyRule | None]:
    """Read the changes of offset from the compiled file (RFC 9636), and the rule that continues them for ever.

    `zoneinfo` reads the same file, by the same search, but does not publish the list.
    """
    data = _tzif_bytes(name)
    header = struct.Struct(">4s1s15x6l")
    skip = 0
    # Version 1 has 32-bit times; every later version repeats the block after it with 64-bit times.
    for size in (4, 8):
        magic, version, isut, isstd, leap, times, types, chars = header.unpack_from(data, skip)
        if magic != b"TZif":
            raise ValueError(f"{name} is not a time zone file")
        body = skip + header.size
        length = times * (size + 1) + types * 6 + chars + leap * (size + 4) + isstd + isut
        if size == 8 or version == b"\0":
            break
        skip = body + length
    at = struct.unpack_from(f">{times}{'q' if size == 8 else 'l'}", data, body)
    kinds = data[body + times * size : body + times * (size + 1)]
    table = [struct.unpack_from(">lbB", data, body + times * (size + 1) + 6 * kind)[0] for kind in range(types)]
    footer = data[body + length :].strip(b"\n") if size == 8 else b""
    changes = [moment + _UNIX_EPOCH for moment in at]
    return changes, [table[0], *(table[kind] for kind in kinds)], _read_rule(footer.decode("ascii"))


def _tzif_bytes(name: str) -> bytes:
    from pathlib import Path

    for root in TZPATH:
        path = Path(root, *name.split("/"))
        if path.is_file():
            return path.read_bytes()
    from importlib import resources

    return resources.files("tzdata.zoneinfo").joinpath(*name.split("/")).read_bytes()


def _build(changes: list[int], offsets: list[int], known: int | None) -> Segments:
    """Make the columns from raw changes, without those that change only the name of the zone and not its offset.

    `known` is the instant up to which the changes are complete; None when there will be no more.
    """
    starts = [-DAY]
    kept = [offsets[0]]
    for instant, offset in zip(changes, offsets[1:], strict=True):
        if instant <= 0:
            kept[-1] = offset
        elif offset != kept[-1]:
            starts.append(instant)
            kept.append(offset)
    reached = -2 * DAY
    floors = [reached]
    unsafe: set[int] = set()
    for index in range(1, len(starts)):
        # The wall clock jumps from `before` to `after`. Every day from the earlier of the two to the later one, or to
        # the latest time shown so far, has local times that are missing or repeated.
        before = starts[index] + kept[index - 1]
        after = starts[index] + kept[index]
        reached = max(reached, before)
        floors.append(reached)
        unsafe.update(range(min(before, after) // DAY + 1, max(reached, after) // DAY + 2))
    horizon = _FOREVER if known is None else known // DAY - _MARGIN_DAYS
    return Segments(
        starts=tuple(starts),
        offsets=tuple(kept),
        floors=tuple(floors),
        unsafe=frozenset(unsafe),
        horizon=horizon,
    )


def _extended(old: Segments, rule: YearlyRule, day: int) -> Segments:
    """Continue a zone whose file ends in a yearly rule, at least up to `day`."""
    known = max((old.horizon + _MARGIN_DAYS) * DAY, old.starts[-1])
    first = to_naive(known).year
    last = min(max(first + _EXTEND_BY_YEARS, day // 365 + 2), date.max.year)
    changes = list(old.starts[1:])
    offsets = list(old.offsets)
    for year in range(first, last + 1):
        for instant, offset in rule.changes(year):
            if instant > known:
                changes.append(instant)
                offsets.append(offset)
    return _build(changes, offsets, None if last == date.max.year else date(last, 12, 31).toordinal() * DAY)


def _read_rule(footer: str) -> YearlyRule | None:
    """Read the last line of a zone's file: the rule for the time after its list, in the form of POSIX `TZ`."""
    match = _FOOTER.fullmatch(footer)
    if match is None:
        return None
    standard = -_clock_seconds(match["standard"])  # POSIX counts west of Greenwich
    summer = -_clock_seconds(match["summer"]) if match["summer"] else standard + 3600
    return YearlyRule(standard, summer, match["begin"], match["end"])


def _rule_seconds(rule: str, year: int) -> int:
    """Give the time of a rule in a year, on the clock face."""
    day, _, clock = rule.partition("/")
    return (_rule_day(day, year) - 1) * DAY + _clock_seconds(clock or "2")


def _rule_day(rule: str, year: int) -> int:
    """Give the ordinal of `M3.5.0`, of `J60` (29 February is never counted) or of `59` (counted from 0)."""
    first = date(year, 1, 1).toordinal()
    if rule.startswith("M"):
        month, week, weekday = map(int, rule[1:].split("."))
        first = date(year, month, 1).toordinal()
        # Ordinals modulo 7 count from Sunday as 0, as POSIX does. Week 5 is the last: where a month has only four such
        # days, go back a week.
        day = first + (weekday - first) % 7 + 7 * (week - 1)
        return day if date.fromordinal(day).month == month else day - 7
    if not rule.startswith("J"):
        return first + int(rule)
    leap = date(year, 3, 1).toordinal() - first == 60
    return first + int(rule[1:]) - 1 + (leap and int(rule[1:]) >= 60)


def _clock_seconds(text: str) -> int:
    """Convert a time such as `-2:30` to seconds."""
    hours, minutes, seconds = (text.lstrip("+-") + ":0:0").split(":")[:3]
    total = int(hours) * 3600 + int(minutes) * 60 + int(seconds)
    return -total if text.startswith("-") else total
