"""Read a calendar file: its events and tasks as reminders. Pure: nothing is stored here.

An event reminds at its beginning, a task when it is due; with alarms, they remind at the alarms instead. An all-day
entry reminds at 9 in the morning. Times without a zone are those of the person who imports them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta
from itertools import islice
from typing import Any

from icalendar import Alarm, Calendar, Component, ComponentFactory, Todo
from icalendar.prop import vBroken
from icalendar.timezone.windows_to_olson import WINDOWS_TO_OLSON

from duly.errors import DulyError, InvalidInputError, UnknownTimezoneError
from duly.expansion import MOST_STEPS, bounded, step
from duly.model.trigger import Trigger
from duly.recurrence import AnyOf, Once
from duly.service.calendar.entries import ImportedReminder, RefusedEntry
from duly.service.calendar.recurrences import RecurrenceSeries, RuleTimes, trigger_of
from duly.zones import Zone, iso

MOST_ENTRIES = 2000
"""Of a file, and of the reminders in it: an entry has one for each alarm."""
MOST_INSTANCES = 100
_MORNING = time(9)
_LONGEST_TITLE = 500
_MOST_VALUES = 366
"""Of a part of a rule such as BYDAY."""
_LONGEST_RULE = 200
_READ = ("DTSTART", "DUE", "DTEND", "DURATION", "RRULE", "RDATE", "EXDATE", "RECURRENCE-ID", "TRIGGER")
_ONCE = ("DTSTART", "DUE", "DTEND", "DURATION", "RECURRENCE-ID", "TRIGGER")
_OVER = {"CANCELLED": "it is cancelled", "COMPLETED": "it is done"}


class _RefusedError(Exception):
    """Carries the reason why an entry becomes no reminder."""


class _TolerantTodo(Todo):
    """A task that keeps a value which cannot be read, as events do."""

    ignore_exceptions = True


class _TolerantAlarm(Alarm):
    """An alarm that keeps a value which cannot be read: the other entries of the file go on."""

    ignore_exceptions = True


class _TolerantCalendar(Calendar):
    """A calendar whose entries are refused one by one."""

    _components_factory = ComponentFactory()
    _components_factory.add_component_class(_TolerantTodo)
    _components_factory.add_component_class(_TolerantAlarm)


def read_ics(data: bytes, zone: str, now: datetime) -> list[ImportedReminder | RefusedEntry]:
    """Read a file; an entry that cannot become a reminder is refused by itself, a file that is none as a whole."""
    try:
        calendars = _TolerantCalendar.from_ical(data, multiple=True)
        entries = [each for calendar in calendars for each in calendar.walk() if each.name in ("VEVENT", "VTODO")]
    except (ValueError, IndexError, KeyError, TypeError, AttributeError, OverflowError) as error:
        raise InvalidInputError(_missing(data) or f"this is no calendar file (RFC 5545): {error}") from error
    if not calendars:
        raise InvalidInputError(_missing(data) or "this is no calendar file: it has no complete VCALENDAR")
    if len(entries) > MOST_ENTRIES:
        raise InvalidInputError(f"the file has {len(entries)} entries, allowed are {MOST_ENTRIES}: import it in parts")
    moved: dict[str, list[Any]] = {}
    for each in entries:
        if "RECURRENCE-ID" in each and not isinstance(_value(each, "RECURRENCE-ID"), vBroken | list):
            moved.setdefault(_uid(each), []).append(_value(each, "RECURRENCE-ID").dt)
    found: list[ImportedReminder | RefusedEntry] = []
    for each in entries:
        with bounded("it", "shorten its rule, or leave out alarms and exceptions"):
            for reminder in _read_entry(each, zone, now, moved.get(_uid(each), ())):
                found.append(reminder)
                if len(found) > MOST_ENTRIES:
                    raise InvalidInputError(
                        f"the alarms of the file make more than {MOST_ENTRIES} reminders: import it in parts"
                    )
    return found


def _missing(data: bytes) -> str | None:
    """Say which end of a calendar file is missing; None when both are there."""
    lines = data.upper()
    if b"BEGIN:VCALENDAR" not in lines:
        return "this is no calendar file: it has no BEGIN:VCALENDAR"
    if b"END:VCALENDAR" not in lines:
        return "the file is cut off: it has no END:VCALENDAR, so export or download it again"
    return None


def _check_readable(entry: Component) -> None:
    """Refuse an entry of which a value that matters here cannot be read, or is there twice."""
    for part in entry.walk():
        for once in _ONCE:
            if isinstance(part.get(once), list):
                raise _RefusedError(f"it has several {once}: leave one of them")
        for name, _ in part.errors:
            if name in _READ:
                raise _RefusedError(
                    f"its {name} {str(part.get(name))[:60]!r} cannot be read: it is malformed or out of range"
                )


def _reason(error: Exception) -> str:
    """Say why an entry is refused, in the words of duly and not in those of a library."""
    if isinstance(error, _RefusedError | DulyError):
        return str(error)
    return "one of its values cannot be read, or its times lie outside the years 1 to 9999"


def _read_entry(
    entry: Component, zone: str, now: datetime, moved: Iterable[Any]
) -> Iterator[ImportedReminder | RefusedEntry]:
    title = _title(entry)
    uid = _uid(entry)
    if "RECURRENCE-ID" in entry:
        uid = f"{uid}/{_first(entry['RECURRENCE-ID']).to_ical().decode()}"
    try:
        _check_readable(entry)
        read = _Entry(entry, zone, now, () if "RECURRENCE-ID" in entry else moved)
        offsets = read.offsets()
    except (_RefusedError, ValueError, AttributeError, TypeError, KeyError, OverflowError) as error:
        yield RefusedEntry(uid=uid, title=title, reason=_reason(error))
        return
    for number, offset in enumerate(offsets, start=1):
        own = uid if number == 1 else f"{uid}#{number}"
        try:
            yield read.reminder(own, title, offset)
        except (_RefusedError, ValueError, OverflowError) as error:
            yield RefusedEntry(uid=own, title=title, reason=_reason(error))


class _Entry:
    """One event or task."""

    def __init__(self, entry: Component, zone: str, now: datetime, moved: Iterable[Any]) -> None:
        self._entry = entry
        self._now = now
        status = _text(entry, "STATUS").upper()
        if status in _OVER:
            raise _RefusedError(_OVER[status])
        begins = entry.get("DTSTART") or entry.get("DUE")
        if begins is None:
            raise _RefusedError("it has no time: neither DTSTART nor DUE")
        due = entry.get("DUE") if entry.name == "VTODO" else None
        self._all_day = not isinstance(begins.dt, datetime)
        self.zone = _zone_of(due or begins, zone)
        self.start = self._face((due or begins).dt)
        self._begins = self._face(begins.dt)
        self.end = self._end()
        self._skipped = {self._face(each) for each in (*moved, *_times(entry, "EXDATE"))}
        self._added = {self._face(each) for each in _times(entry, "RDATE")}
        self._times: RuleTimes | None = None

    def _face(self, value: date | datetime) -> datetime:
        """Give what the clock of the entry's zone shows."""
        if not isinstance(value, datetime):
            return datetime.combine(value, _MORNING)
        if value.tzinfo is None:
            return value.replace(fold=0)
        return Zone.of(self.zone).localize(value).replace(tzinfo=None, fold=0)

    def _end(self) -> datetime | None:
        ends = self._entry.get("DTEND")
        if ends is not None:
            return self._face(ends.dt) if not self._all_day else None
        length = self._entry.get("DURATION")
        return self._begins + length.dt if length is not None and not self._all_day else None

    def offsets(self) -> list[timedelta | datetime]:
        """List the alarms: how long before or after the beginning, or when; without any, the beginning itself."""
        found: list[timedelta | datetime] = []
        for alarm in self._entry.walk("VALARM"):
            trigger = alarm.get("TRIGGER")
            if trigger is None:
                continue
            if isinstance(trigger.dt, datetime):
                found.append(trigger.dt if trigger.dt.tzinfo is not None else trigger.dt.replace(tzinfo=UTC))
            elif str(trigger.params.get("RELATED", "START")).upper() == "END" and self.end is not None:
                found.append(trigger.dt + (self.end - self.start))
            else:
                found.append(trigger.dt + (self._begins - self.start))
        return list(dict.fromkeys(found)) or [timedelta(0)]

    def reminder(self, uid: str, title: str, offset: timedelta | datetime) -> ImportedReminder:
        """Give the reminder of one alarm."""
        zone = Zone.of(self.zone)
        until = None
        if isinstance(offset, datetime):
            trigger: Trigger = Once(self._coming(offset.astimezone(UTC)))
        elif "RRULE" in self._entry or self._added:
            trigger, until = self._recurring(offset)
        else:
            trigger = Once(self._coming(zone.shifted(self.start + offset)))
        ends = self.end is not None and self.end > self.start
        text = title if not offset or self._all_day else f"{title} · {self.start:%H:%M}"
        described = _text(self._entry, "DESCRIPTION")
        return ImportedReminder(
            uid=uid,
            title=title,
            text=text,
            description=_printable(described)[:2000] or None,
            trigger=trigger,
            zone=self.zone,
            until_at=until,
            start_at=zone.shifted(self.start) if ends else None,
            end_at=zone.shifted(self.end) if ends and self.end is not None else None,
        )

    def _coming(self, instant: datetime) -> datetime:
        if instant <= self._now:
            raise _RefusedError(f"its time {iso(instant)} has passed")
        return instant

    def _rule_times(self) -> RuleTimes:
        """Read the rule, once for all alarms; refuse what is none, and what duly cannot repeat."""
        if self._times is not None:
            return self._times
        rules = self._entry.get("RRULE") or []
        if not rules and "RRULE" in self._entry:
            raise _RefusedError("its rule (RRULE) cannot be read: it has no FREQ")
        rules = rules if isinstance(rules, list) else [rules]
        if len(rules) > 1:
            raise _RefusedError("it has several rules (RRULE): import it as several events")
        parts = _parts(rules)
        for name in ("INTERVAL", "COUNT"):
            if parts.get(name, 1) < 1:
                raise _RefusedError(f"{name} must be 1 or more in its rule {_written(rules[0])}")
        if parts.get("COUNT", 1) > MOST_STEPS:
            raise _RefusedError(
                f"COUNT {parts['COUNT']!s:.40} in its rule is more than {MOST_STEPS}: give it a smaller COUNT, or "
                f"none, to repeat without an end"
            )
        times = RuleTimes(self.zone, self.start, parts)
        if not times.is_readable:
            raise _RefusedError(f"duly cannot repeat it by the rule {_written(rules[0])}")
        self._times = times
        return times

    def _recurring(self, offset: timedelta) -> tuple[Trigger, datetime | None]:
        """Give the trigger of a series and its end; a series with exceptions is listed time by time."""
        zone = Zone.of(self.zone)
        series = RecurrenceSeries(self._rule_times(), offset)
        step(len(self._skipped) + len(self._added))
        skipped = {zone.shifted(each + offset) for each in self._skipped}
        added = {zone.shifted(each + offset) for each in self._added}
        if not any(each > self._now for each in skipped | added):  # exceptions of the past do not matter any more
            trigger = trigger_of(series, self._now)
            if trigger is not None:
                return trigger, series.until
        if series.times.is_endless:
            why = "has exceptions" if skipped | added else "repeats in a way that no trigger can say"
            raise _RefusedError(f"it {why}, and has no end: give its rule an end (UNTIL or COUNT)")
        coming = set(islice(series.instants(self._now), MOST_INSTANCES + 1 + len(skipped))) - skipped
        coming |= {each for each in added if each > self._now}
        if not coming:
            raise _RefusedError("all its times have passed")
        if len(coming) > MOST_INSTANCES:
            raise _RefusedError(f"it has more than {MOST_INSTANCES} times to come that no trigger can say")
        return AnyOf(*map(Once, sorted(coming))), None


def _written(rule: Any) -> str:
    """Give the beginning of a rule as the file has it."""
    text: str = rule.to_ical().decode()
    return text if len(text) <= _LONGEST_RULE else f"{text[:_LONGEST_RULE]}…"


def _parts(rules: list[Any]) -> dict[str, Any]:
    """Give the parts of a rule as `RecurrenceSeries` has them; without a rule, the one time of DTSTART."""
    if not rules:
        return {"FREQ": "DAILY", "COUNT": 1}
    single = {"FREQ", "INTERVAL", "COUNT", "UNTIL", "WKST"}
    for name, values in rules[0].items():
        if len(values) > _MOST_VALUES:
            raise _RefusedError(f"{name} has {len(values)} values in its rule, at most {_MOST_VALUES} are taken")
    parts = {key.upper(): values[0] if key.upper() in single else list(values) for key, values in rules[0].items()}
    parts = {key: [str(day) for day in value] if key == "BYDAY" else value for key, value in parts.items()}
    if parts.get("INTERVAL") == 1:
        del parts["INTERVAL"]
    return {key: str(value) if key in ("FREQ", "WKST") else value for key, value in parts.items()}


def _times(entry: Component, name: str) -> Iterator[Any]:
    """List the times of EXDATE or RDATE, which may occur several times with several values each."""
    given = entry.get(name)
    for each in given if isinstance(given, list) else [given] if given is not None else []:
        for value in each.dts:
            yield value.dt if not isinstance(value.dt, tuple) else value.dt[0]


def _zone_of(begins: Any, zone: str) -> str:
    value = begins.dt
    if not isinstance(value, datetime):
        return zone
    name = begins.params.get("TZID")  # a time keeps no zone when the library knows none of that name
    if name is None and value.tzinfo is not None:
        name = getattr(value.tzinfo, "key", None) or str(value.tzinfo)
    if name is None:
        return zone
    for known in (name, WINDOWS_TO_OLSON.get(name), getattr(value.tzinfo, "key", None)):
        with suppress(UnknownTimezoneError):
            if known is not None:
                return Zone.of(known).name
    raise _RefusedError(f"its time zone {name!r:.100} is unknown: use a name such as Europe/Berlin")


def _value(entry: Component, name: str) -> Any:
    """Give a property as the library has it; its types cannot tell which property has which value."""
    return entry[name]


def _uid(entry: Component) -> str:
    given = _printable(_text(entry, "UID"))[:400]
    if given:
        return given
    begins = _first(entry.get("DTSTART", ""))
    about = f"{_text(entry, 'SUMMARY')}/{begins if isinstance(begins, str) else begins.dt}"
    return f"{hashlib.sha256(about.encode('utf-8', 'replace')).hexdigest()[:32]}@duly"


def _title(entry: Component) -> str:
    return _printable(_text(entry, "SUMMARY"))[:_LONGEST_TITLE] or "(no title)"


def _text(entry: Component, name: str) -> str:
    """Give a text of an entry: of several, which some programs write, the first."""
    return str(_first(entry.get(name, ""))).strip()


def _first(value: Any) -> Any:
    return value[0] if isinstance(value, list) else value


def _printable(text: str) -> str:
    return "".join(each for each in text if each.isprintable() or each == "\n")
