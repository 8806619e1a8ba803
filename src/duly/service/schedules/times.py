"""The times of a schedule: the zone in which a caller means them, words read into a trigger, and the coming fires.

A time may name no zone. Words then mean the zone of the person who asks. Cron means UTC, or the zone configured for it,
in the `schedule_*` tools and in `duly.toml`; through every other face it means the person's zone as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, time, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from duly.cron import Cron, is_valid
from duly.errors import InvalidInputError, InvalidRecurrenceError
from duly.expansion import step
from duly.ports.codec import decode_trigger
from duly.ports.people import LOCAL_USER, People
from duly.zones import DstPolicy, Zone, iso

if TYPE_CHECKING:
    from duly.cron.surprises import Surprise
    from duly.model.trigger import Trigger
    from duly.recurrence import DayInterval, MonthInterval, WeekInterval
    from duly.service.access.scopes import Caller

MAX_PREVIEW = 1000
UTC = "UTC"
_CRON_WORD = re.compile(r"cron[: ]\s*", re.IGNORECASE)
_NAMED_ZONE = re.compile(r"\s*\([^()]*\)$")
_ZONE_AT_END = re.compile(r" \(([\w+-]+(?:/[\w+-]+)*)\)$")
_MOMENT_IN_UTC = re.compile(r"\b(\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d)?) UTC\b")
_SAME_AS_UTC = ("UTC", "Etc/UTC")
_YEAR = timedelta(days=366)
_DAY = timedelta(days=1)
_SECOND = timedelta(seconds=1)
_MOST_NOTES = 4


class Zones(NamedTuple):
    """The zones in which a caller means times that name no zone."""

    words: str = UTC
    cron: str = UTC

    def of(self, phrase: str) -> str:
        """Give the zone of a phrase, which may be a cron expression; a zone that the phrase itself names beats both."""
        return self.cron if is_cron(phrase) else self.words


def is_cron(phrase: str) -> bool:
    """Tell whether a phrase is a cron expression: "0 9 * * 1-5", "cron 0 9 * * *", "@daily (Europe/Rome)"."""
    return is_valid(_CRON_WORD.sub("", _NAMED_ZONE.sub("", phrase.strip()), count=1))


class ZoneRule:
    """Finds the zones that a caller means; the zone of each person is in the store."""

    def __init__(self, people: People, default_zone: str = UTC, cron_zone: str | None = None) -> None:
        """`default_zone` is the zone of people who have set none, `cron_zone` the one configured for cron."""
        self._people = people
        self.default = default_zone
        self._cron_zone = cron_zone or UTC

    async def person(self, caller: Caller) -> str:
        """Give the zone of the person for whom the caller asks; the token of a project asks for no person."""
        if caller.scope.kind == "project":
            return self.default
        who = caller.scope.subject or caller.user_id or LOCAL_USER
        user = await self._people.look_up(who)
        return (None if user is None else user.timezone) or self.default

    async def at(self, caller: Caller) -> Zones:
        """Give the zones for the face through which the caller asks."""
        person = await self.person(caller)
        return Zones(words=person, cron=self._cron_zone if caller.face.has_utc_cron else person)

    async def in_file(self, owner: Caller) -> Zones:
        """Give the zones of the entries of `duly.toml`."""
        return Zones(words=await self.person(owner), cron=self._cron_zone)


def read_words(phrase: str, now: datetime, zones: Zones) -> Trigger:
    """Read a phrase such as "weekdays at 7:30" in the zones that the caller means."""
    from duly.phrases import parse_schedule  # late: six languages are more than most commands need

    return parse_schedule(phrase, now, zones.of(phrase))


def first_fire(trigger: Trigger, now: datetime) -> datetime:
    """Give the first fire of a trigger that starts now; refuse a single instant that has passed."""
    from duly.recurrence import Once, first_run  # late: a list shows fires that were worked out before

    try:
        return first_run(trigger, now)
    except InvalidRecurrenceError as error:
        if isinstance(trigger, Once) and trigger.at <= now:
            raise has_passed(trigger.at, now) from error
        raise


def has_passed(moment: datetime, now: datetime) -> InvalidRecurrenceError:
    """Make the refusal of a single instant that has passed."""
    return InvalidRecurrenceError(
        f"Invalid scheduler recurring expression: {iso(moment)} has passed, it is {iso(now)}: name a time ahead"
    )


def preview(trigger: Trigger, now: datetime, count: int = 5) -> list[datetime]:
    """Give the next fires in UTC; fewer when the series ends."""
    if not 1 <= count <= MAX_PREVIEW:
        raise InvalidInputError(f"count must lie between 1 and {MAX_PREVIEW}, got {count}")
    from duly.recurrence import RecurringTask, begun  # late: as above

    trigger = begun(trigger, now)
    fires: list[datetime] = []
    at: datetime | None = first_fire(trigger, now)
    while at is not None and len(fires) < count:
        step()
        fires.append(at)
        if isinstance(trigger, RecurringTask):
            at = trigger.calculate_next_run(at, len(fires))
        else:
            at = trigger.get_next_occurrence(at)
    return fires


def clock_notes(trigger: Trigger, now: datetime) -> list[str]:
    """Say how clock changes of the coming year move the fires of a trigger: at most four notes."""
    return _first_notes(_notes(trigger, now, now + _YEAR))


def stored_clock_notes(text: str, now: datetime) -> list[str]:
    """Give the clock notes of a stored trigger. They are found once a day, because lists show the same ones all day."""
    day = now.replace(hour=0, minute=0, second=0, microsecond=0)
    return _first_notes([note for note in _notes_from(text, day) if now <= note[0] < now + _YEAR])


@lru_cache(maxsize=4096)
def _notes_from(text: str, day: datetime) -> list[tuple[datetime, str]]:
    """Find the notes of a year that begins on a day. The key is the text: equal triggers may be worded differently."""
    return _notes(decode_trigger(text), day, day + 2 * _DAY + _YEAR)


def _notes(trigger: Trigger, start: datetime, end: datetime) -> list[tuple[datetime, str]]:
    return sorted({(each.at, each.text) for part in dated_parts(trigger) for each in _surprises(part, start, end)})


def _first_notes(found: list[tuple[datetime, str]]) -> list[str]:
    return [text for _, text in found[:_MOST_NOTES]]


def dated_parts(trigger: Trigger) -> list[Cron | DayInterval | WeekInterval | MonthInterval]:
    """Give the parts of a trigger that name times of day; clock changes do not move intervals of hours or minutes."""
    if isinstance(trigger, Cron):
        return [trigger]
    from duly.recurrence import AnyOf, CronInterval, DayInterval, MonthInterval, RecurringTask, WeekInterval  # late

    if isinstance(trigger, CronInterval):
        return [trigger.cron]
    if isinstance(trigger, AnyOf):
        return [part for each in trigger.triggers for part in dated_parts(each)]
    if isinstance(trigger, RecurringTask):
        return dated_parts(trigger.intervals[0]) if len(trigger.intervals) == 1 else []
    return [trigger] if isinstance(trigger, DayInterval | WeekInterval | MonthInterval) else []


def clock_surprises(trigger: Trigger, start: datetime, end: datetime) -> list[Surprise]:
    """Find the clock changes of a span that skip, move or repeat fires of a trigger, in order."""
    found = (each for part in dated_parts(trigger) for each in _surprises(part, start, end))
    return sorted(found, key=lambda each: (each.at, each.text))


def _surprises(
    part: Cron | DayInterval | WeekInterval | MonthInterval, start: datetime, end: datetime
) -> Iterator[Surprise]:
    zone = Zone.of(part.tz)
    if zone.fixed:
        return
    from duly.cron.surprises import surprises  # late: most schedules are in zones without changes

    if isinstance(part, Cron):
        yield from surprises(part, start, end)
        return
    for moment in part.on_times or (time(),):
        every_day = Cron(_at(moment), tz=part.tz, dialect="seconds", dst=DstPolicy(part.dst))
        step()
        for each in surprises(every_day, start, end):
            instant = zone.first_instant(each.local)
            if part.get_next_occurrence(instant - _SECOND) == instant:  # this day is one of its days
                yield each


def _at(moment: time) -> str:
    return f"{moment.second} {moment.minute} {moment.hour} * * *"


def with_local_moments(text: str, zone: Zone) -> str:
    """Say the moments that a trigger describes in UTC on the clocks of the zone it names; a single moment, of this one.

    "once at 2026-11-20 06:30 UTC" is "once at 2026-11-20 07:30 (Europe/Berlin)" for people. A trigger that is no single
    moment and names no zone counts in UTC altogether.
    """
    named = _ZONE_AT_END.search(text)
    if named is not None:
        there = Zone.of(named[1])
        return _MOMENT_IN_UTC.sub(lambda found: _local_moment(found[1], there), text)
    if not text.startswith("once ") or zone.name in _SAME_AS_UTC:
        return text
    return _MOMENT_IN_UTC.sub(lambda found: f"{_local_moment(found[1], zone)} ({zone.name})", text)


def _local_moment(face: str, zone: Zone) -> str:
    local = zone.localize(datetime.fromisoformat(f"{face}+00:00"))
    return local.replace(tzinfo=None).isoformat(" ", "seconds" if local.second else "minutes")
