"""A calendar of schedules: coming fires as rules where a rule says them exactly, otherwise one by one; and past runs.

Pure: what is in the calendar depends on the arguments alone, so the same state always gives the same bytes, and an ETag
made of them tells whether something changed.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import islice, takewhile
from typing import Any

from icalendar import Alarm, Calendar, Component, Event
from icalendar.prop import vDuration

from duly._version import __version__
from duly.errors import DecodeError, ExpansionError
from duly.expansion import bounded
from duly.model.action import Action, Message
from duly.model.run import Run, Status
from duly.ports.codec import decode_action, decode_trigger
from duly.ports.records import StoredSchedule
from duly.recurrence.clockface import END, later
from duly.service.calendar.rules import MOST_A_DAY, CalendarRule, fires_from, rules_of
from duly.service.calendar.zones import timezone_of
from duly.service.pages import beginning
from duly.zones import Zone

HORIZON = timedelta(days=90)
"""How far ahead fires without a rule are listed, one by one."""
MOST_INSTANCES = 60
"""How many of them a schedule may have."""
MOST_EVENTS = 5000
"""How many events a calendar may have: beyond them the oldest runs are left out, and all fires but the next."""
_LONGEST_TITLE = 500
_LONGEST_WORDS = 500
"""Characters of a title, and of each part of a description: a text is in every event of its schedule."""
REFRESH = timedelta(hours=1)
_USUAL_LENGTH = timedelta(minutes=15)
_LONGEST_COUNT = 1000
_DOMAIN = "@duly"
_CONTROLS = re.compile(r"\r(?!\n)|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029]")
_CLOSING = b"END:VCALENDAR\r\n"
_SIGNS = {
    Status.FAILED: "✗ ",
    Status.DEAD: "✗ ",
    Status.MISSED: "– ",
    Status.SKIPPED: "– ",
    Status.CANCELLED: "– ",
}
_NOT_CARRIED_OUT = (Status.MISSED, Status.SKIPPED, Status.CANCELLED)


@dataclass(frozen=True, slots=True, kw_only=True)
class CalendarSource:
    """A schedule and its last runs, as the calendar shows them."""

    row: StoredSchedule
    runs: Sequence[Run] = field(default=())


def calendar_pieces(
    name: str, sources: Iterable[CalendarSource], now: datetime, *, rhythms: bool = False
) -> Iterator[bytes]:
    """Give the calendar piece by piece: it takes long to make, and others want the processor between two pieces.

    Schedules that fire more than 24 times a day are in it only with `rhythms`. A piece may be empty.
    """
    calendar = Calendar()
    calendar.add("VERSION", "2.0")
    calendar.add("PRODID", f"-//duly//duly {__version__}//EN")
    calendar.add("CALSCALE", "GREGORIAN")
    calendar.add("METHOD", "PUBLISH")
    calendar.add("NAME", name)
    calendar.add("X-WR-CALNAME", name)
    calendar.add("REFRESH-INTERVAL", vDuration(REFRESH), parameters={"VALUE": "DURATION"})
    calendar.add("X-PUBLISHED-TTL", vDuration(REFRESH))
    shown: list[tuple[_ShownSchedule, list[Event]]] = []
    for found in _shown(sources, now, rhythms=rhythms):
        shown.append(found)
        yield b""
    room = MOST_EVENTS - sum(len(coming) for _, coming in shown)
    runs = sorted((run for each, _ in shown for run in each.ended), key=lambda run: run.fire_at, reverse=True)
    newest = {run.id for run in runs[: max(0, room)]}
    events: list[Event] = []
    for each, coming in shown:
        events += [*coming, *each.past(newest)]
        yield b""
    zones = {zone for each, _ in shown for zone in each.zones}
    since = min((_begin(each) for each in events), default=now)
    yield _written(calendar).removesuffix(_CLOSING)
    for zone in sorted(zones - {"UTC"}):
        yield _written(timezone_of(Zone.of(zone), since))
    for event in events:
        yield _written(event)
    yield _CLOSING


def _written(part: Component) -> bytes:
    """Write a part of the calendar without control characters, some of which end a line for some readers."""
    return _CONTROLS.sub(" ", part.to_ical().decode()).encode()


def _shown(
    sources: Iterable[CalendarSource], now: datetime, *, rhythms: bool
) -> Iterator[tuple[_ShownSchedule, list[Event]]]:
    """Give the schedules with their coming events; when the calendar is full, with only the next one."""
    number = 0
    for source in sources:
        found: tuple[_ShownSchedule, list[Event]] | None = None
        # A quarantined schedule does not fire; one that takes too long to work out is left out, and others are shown.
        with suppress(DecodeError, ExpansionError), bounded(source.row.name):
            shown = _ShownSchedule(source, now, rhythms=rhythms)
            coming = shown.coming(MOST_INSTANCES if number < MOST_EVENTS - MOST_INSTANCES else 1)
            number += len(coming)
            found = shown, coming
        if found is not None:  # outside the budget, which is of this schedule alone
            yield found


def _begin(event: Event) -> datetime:
    start = event.decoded("DTSTART")
    assert isinstance(start, datetime)  # noqa: S101  made below
    return start.astimezone(UTC)


class _ShownSchedule:
    """The events of one schedule."""

    def __init__(self, source: CalendarSource, now: datetime, *, rhythms: bool) -> None:
        self._row = source.row
        self._runs = source.runs
        self._now = now
        self._trigger = decode_trigger(source.row.trigger)
        self._action: Action = decode_action(source.row.action)
        self._is_rhythm = self._fires_too_often() and not rhythms
        self.zones: set[str] = set()

    def _fires_too_often(self) -> bool:
        first = self._row.next_fire_at
        if first is None:
            return len(self._runs) > MOST_A_DAY and self._runs[MOST_A_DAY].fire_at > self._now - timedelta(days=1)
        end = later(first, timedelta(days=1)) or END
        day = takewhile(lambda fire: fire < end, fires_from(self._trigger, first))
        return sum(1 for _ in islice(day, MOST_A_DAY + 1)) > MOST_A_DAY

    @property
    def _uid(self) -> str:
        return self._row.calendar_event_id or f"{self._row.id}{_DOMAIN}"

    @property
    def _title(self) -> str:
        text = self._action.text if isinstance(self._action, Message) else self._row.name
        return beginning(self._row.display_title or text, _LONGEST_TITLE)

    @property
    def _length(self) -> timedelta:
        row = self._row
        return row.end_at - row.start_at if row.start_at is not None and row.end_at is not None else _USUAL_LENGTH

    def coming(self, most: int) -> list[Event]:
        """Give the events of the fires to come: recurring ones where rules say them, else the next ones."""
        row = self._row
        first = row.next_fire_at
        if first is None or not row.enabled or row.deleted_at is not None or self._is_rhythm:
            return []
        end = self._last_fire(first)
        if end is not None and end < first:
            return []
        rules = rules_of(self._trigger, first) if self._trigger.get_next_occurrence(first) is not None else ()
        if rules and len(rules) <= most:
            return [self._recurring(rule, end, len(rules)) for rule in rules if end is None or rule.starts_at <= end]
        listed = takewhile(
            lambda fire: (fire == first or fire <= self._now + HORIZON) and (end is None or fire <= end),
            fires_from(self._trigger, first),
        )
        # An event that ends after the calendar does is one that other programs cannot read: it is left out.
        fires = [fire for fire in islice(listed, most) if later(fire, self._length) is not None]
        is_only = len(fires) == 1 and self._trigger.get_next_occurrence(fires[0]) is None
        return [self._single(fire, self._uid if is_only else f"{self._uid}-{fire:%Y%m%dT%H%M%SZ}") for fire in fires]

    def _last_fire(self, first: datetime) -> datetime | None:
        """Find the instant after which it does not fire any more; None when there is none in sight."""
        row = self._row
        ends = [row.until_at] if row.until_at is not None else []
        if row.max_runs is not None:
            left = row.max_runs - row.fires
            if left <= 0:
                return first - timedelta(microseconds=1)
            if left <= _LONGEST_COUNT:
                ends.append(list(islice(fires_from(self._trigger, first), left))[-1])
        return min(ends, default=None)

    def _recurring(self, rule: CalendarRule, end: datetime | None, siblings: int) -> Event:
        parts = dict(rule.parts)
        if end is not None:
            parts["UNTIL"] = end.astimezone(UTC)
        uid = self._uid if siblings == 1 else f"{self._uid}-{rule.start:%H%M%S}"
        if rule.zone == "UTC":
            event = self._event(uid, rule.start.replace(tzinfo=UTC), self._length)
        else:
            self.zones.add(rule.zone)
            event = self._event(uid, rule.start.replace(tzinfo=Zone.of(rule.zone).tzinfo), self._length)
        event.add("RRULE", parts)
        return self._described(event)

    def _single(self, fire: datetime, uid: str) -> Event:
        return self._described(self._event(uid, fire.astimezone(UTC), self._length))

    def _event(self, uid: str, start: datetime, length: timedelta) -> Event:
        row = self._row
        event = Event()
        event.add("UID", uid)
        event.add("SEQUENCE", row.version)
        event.add("DTSTAMP", row.updated_at.astimezone(UTC).replace(microsecond=0))
        event.add("DTSTART", start.replace(microsecond=0))
        event.add("DURATION", length)
        event.add("SUMMARY", self._title)
        event.add("TRANSP", "TRANSPARENT")  # it takes no time of the person who looks at it
        event.add("CATEGORIES", [_kind(self._action)])
        return event

    def _described(self, event: Event) -> Event:
        row = self._row
        event.add("STATUS", "CONFIRMED")
        words = [beginning(each, _LONGEST_WORDS) for each in (row.description or "", self._trigger.describe())]
        event.add("DESCRIPTION", "\n".join(filter(None, [*words, f"{row.namespace}/{row.name} ({row.id})"])))
        if isinstance(self._action, Message):
            alarm = Alarm()
            alarm.add("ACTION", "DISPLAY")
            alarm.add("DESCRIPTION", self._title)
            alarm.add("TRIGGER", timedelta(0))
            event.add_component(alarm)
        return event

    @property
    def ended(self) -> list[Run]:
        """The runs that have ended and have a place in the calendar."""
        return [] if self._is_rhythm else [run for run in self._runs if run.status.final]

    def past(self, ids: Collection[str]) -> list[Event]:
        """Give the events of those of its runs, each under the id of its run."""
        return [self._event_of(run) for run in self.ended if run.id in ids]

    def _event_of(self, run: Run) -> Event:
        took = None if run.started_at is None or run.finished_at is None else run.finished_at - run.started_at
        length = self._length if took is None else max(took, timedelta(minutes=1))
        event = self._event(f"{run.id}{_DOMAIN}", run.fire_at.astimezone(UTC), timedelta(seconds=length // _SECOND))
        event["SUMMARY"] = _text(f"{_SIGNS.get(run.status, '✓ ')}{self._title}")
        event["DTSTAMP"] = _time((run.finished_at or run.due_at).astimezone(UTC).replace(microsecond=0))
        event.add("STATUS", "CANCELLED" if run.status in _NOT_CARRIED_OUT else "CONFIRMED")
        skipped = f", for {run.skipped} fires" if run.skipped > 1 else ""
        event.add("DESCRIPTION", f"{run.status}{skipped}\n{self._row.namespace}/{self._row.name}: run {run.id}")
        return event


_SECOND = timedelta(seconds=1)


def _text(value: str) -> Any:
    from icalendar import vText

    return vText(value)


def _time(value: datetime) -> Any:
    from icalendar import vDDDTypes

    return vDDDTypes(value)


def _kind(action: Action) -> str:
    kind = action.handler.partition(":")[0]
    return {"message": "reminder", "executor": "job"}.get(kind, kind)
