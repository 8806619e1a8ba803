"""Read the request for a reminder: its `schedule`, such as `{"type": "daily", "time": "08:00"}`, and its options.

Every fault names the field and what it takes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import fields, replace
from datetime import datetime, time, timedelta
from typing import Any, NamedTuple

from duly.cron import Cron
from duly.errors import DecodeError, InvalidInputError
from duly.language.moments import DayParts
from duly.model.action import Job, Message
from duly.model.calendar import Weekday
from duly.model.checks import seconds_in
from duly.model.codec import Json
from duly.model.policy import Policy, Retry
from duly.model.trigger import Trigger
from duly.planning import lifecycle
from duly.planning.presets import read_day_parts
from duly.ports.codec import decode_action, decode_trigger, encode_trigger
from duly.ports.people import User
from duly.ports.records import StoredSchedule
from duly.recurrence import (
    AnyOf,
    CronInterval,
    DayInterval,
    HourInterval,
    MinuteInterval,
    Once,
    RecurringTask,
    SecondInterval,
    WeekInterval,
    trigger_from_dict,
)
from duly.recurrence.early import Early
from duly.recurrence.interval import Interval
from duly.service.access.audit import acting
from duly.service.changes import Changes
from duly.service.limits import check_given
from duly.service.people.people import check_channel
from duly.service.schedules import values
from duly.service.schedules.drafts import Draft
from duly.service.schedules.fields import OPTIONS
from duly.zones import Zone, iso

TYPES = ("once", "interval", "daily", "weekly", "cron", "smart", "trigger")
FIELDS_OF_TYPE = {
    "once": {"at"},
    "interval": {"every"},
    "daily": {"time"},
    "weekly": {"time", "days"},
    "cron": {"expr"},
    "smart": {"text"},
    "trigger": {"trigger", "text"},
}
_NAMES = {day.name.lower(): day for day in Weekday}
_GROUPS = {
    "weekdays": tuple(Weekday)[:5],
    "workdays": tuple(Weekday)[:5],
    "weekend": tuple(Weekday)[5:],
    "weekends": tuple(Weekday)[5:],
    "daily": tuple(Weekday),
}
_LENGTH = re.compile(r"(?:\d{1,12}[smhdw])+")
_LONGEST = timedelta(days=366 * 10)
_OPTIONS = frozenset(each.name for each in fields(Message)) - {"text", "user_id"}
CHANGEABLE = ("schedule", "message", "name", "enabled", *sorted(_OPTIONS))
"""The arguments of an update of a reminder."""
WINDOW = timedelta(hours=24)
"""Missed runs of a recurring reminder older than this are not made up."""


def reminder_policy(trigger: Trigger) -> Policy:
    """Choose how reminders are carried out: late rather than never, and the next run replaces one that still waits."""
    trigger = trigger.trigger if isinstance(trigger, Early) else trigger
    once = isinstance(trigger, Once) or (isinstance(trigger, RecurringTask) and trigger.max_runs == 1)
    retry = Retry(max_attempts=10, superseded=True)
    return Policy(catch_up_window=None if once else WINDOW, retry=retry)


def no_job(job: Job) -> None:
    """Refuse a job: the check of jobs where only messages are made."""
    raise InvalidInputError(f"a reminder is a message, not job {job.name!r}")


def moved(trigger: Trigger, old: str, new: str) -> Trigger:
    """Give the same times of day in another zone; instants and elapsed time have no zone and stay."""
    if isinstance(trigger, Early):
        return Early(moved(trigger.trigger, old, new), trigger.leads)
    if isinstance(trigger, AnyOf):
        return AnyOf(*(moved(each, old, new) for each in trigger.triggers))
    if isinstance(trigger, Cron) and trigger.tz == old:
        return Cron(trigger.expression, dialect=trigger.dialect, tz=new, dst=trigger.dst, day_match=trigger.day_match)
    if isinstance(trigger, Interval | CronInterval) and trigger.tz == old:
        return replace(trigger, tz=new)
    return _moved_series(trigger, old, new) if isinstance(trigger, RecurringTask) else trigger


def _moved_series(task: RecurringTask, old: str, new: str) -> RecurringTask:
    """Give the same series in another zone: its first run and its end keep their times of day as well."""
    parts = {each.name: getattr(task, each.name) for each in fields(task) if each.init}
    triggers = {name: part for name, part in parts.items() if any(part is each for each in task.intervals)}
    changed: dict[str, Any] = {name: moved(part, old, new) for name, part in triggers.items()}
    if changed == triggers:
        return task
    there = Zone.of(new)
    for name in ("specific_run_time", "run_until"):
        if (instant := parts[name]) is not None:
            changed[name] = there.shifted(Zone.of(old).localize(instant).replace(tzinfo=None, fold=0))
    return replace(task, **changed)


class RequestContext(NamedTuple):
    """When a person asks, and the zone and language in which they write and read."""

    now: datetime
    zone: str
    language: str | None = None
    day_parts: DayParts | None = None
    """Where the parts of the person's day lie; None: as usual."""


def day_parts_of(user: User) -> DayParts | None:
    """Give where the parts of a person's day lie; None when they have said nothing."""
    return None if user.day_parts is None else DayParts(**read_day_parts(user.day_parts))


def context_of(user: User, now: datetime, default_zone: str) -> RequestContext:
    """Give the context of a request of a person."""
    zone = user.timezone or default_zone
    return RequestContext(now=now, zone=zone, language=user.language, day_parts=day_parts_of(user))


def read_schedule(schedule: Json, context: RequestContext) -> tuple[Trigger, str]:
    """Read a schedule into its trigger, and the zone its times are read in."""
    if not isinstance(schedule, Mapping):
        raise InvalidInputError(f'schedule must be an object such as {{"type": "once", "at": "5m"}}, got {schedule!r}')
    kind = schedule.get("type")
    if kind not in TYPES:
        raise InvalidInputError(f"schedule.type must be one of {', '.join(TYPES)}, got {kind!r}")
    given = {name: value for name, value in schedule.items() if value is not None}
    if unknown := sorted(given.keys() - {"type", "timezone"} - FIELDS_OF_TYPE[kind]):
        allowed = ", ".join(sorted(FIELDS_OF_TYPE[kind]))
        raise InvalidInputError(f"schedule.{unknown[0]} does not go with type {kind}, which takes {allowed}")
    if missing := sorted(FIELDS_OF_TYPE[kind] - given.keys()):
        raise InvalidInputError(f"schedule.{missing[0]} is missing: {_HELP[missing[0]]}")
    meant = values.zone(given.get("timezone", context.zone), "schedule.timezone")
    return _READERS[kind](given, context._replace(zone=meant)), meant


def words_of(schedule: object) -> str | None:
    """Give the words of a schedule, "workdays at 8" or "5m", which are kept beside its trigger."""
    if not isinstance(schedule, Mapping):
        return None
    said = schedule.get({"smart": "text", "trigger": "text", "once": "at"}.get(str(schedule.get("type")), ""))
    return said.strip() if isinstance(said, str) else None


def words_after(before: StoredSchedule, schedule: object) -> str | None:
    """Give the words to keep when a reminder gets another time: the person's own sentence stays, words of a time go.

    A sentence has the text of the reminder, too.
    """
    message = decode_action(before.action)
    said = before.original_text
    if said is not None and isinstance(message, Message) and says_both(said, message.text):
        return said
    return words_of(schedule)


def says_both(said: str, message: str) -> bool:
    """Whether words are a sentence that says a reminder's text with its time, and not the time alone."""
    return set(message.casefold().split()) <= set(said.casefold().split())


def _once(given: Json, context: RequestContext) -> Trigger:
    return Once(read_moment(given["at"], context, "schedule.at"))


def read_moment(text: object, context: RequestContext, field: str) -> datetime:
    """Read ISO 8601, in the person's zone unless it names an offset, or a length of time from now ("5m", "1h30m")."""
    if isinstance(text, datetime):
        moment = text
    elif isinstance(text, str) and _LENGTH.fullmatch(text.strip().lower()):
        return context.now + read_length(text, field)
    else:
        try:
            moment = datetime.fromisoformat(str(text).strip())
        except ValueError:
            raise InvalidInputError(f"{field} {_HELP['at']}, got {text!r}") from None
    if moment.utcoffset() is None:
        moment = Zone.of(context.zone).shifted(moment)
    if moment <= context.now:
        raise InvalidInputError(f"{field} {iso(moment)} is in the past: it is {iso(context.now)}, name a time ahead")
    return moment


def remind_target(context: RequestContext, delay_minutes: int | None, remind_at: str | datetime | None) -> datetime:
    """Read when a reminder for once comes: after some minutes, or at a time."""
    if (delay_minutes is None) == (remind_at is None):
        got = "neither" if delay_minutes is None else "both"
        raise InvalidInputError(f"exactly one of delay_minutes and remind_at must be given, got {got}")
    now = context.now
    if delay_minutes is None:
        return read_moment(remind_at, context, "remind_at").astimezone(now.tzinfo).replace(microsecond=0)
    if type(delay_minutes) is not int:  # agents send texts, and True would count as 1
        raise InvalidInputError(f"delay_minutes must be a whole number, got {delay_minutes!r}")
    if delay_minutes < 1:
        raise InvalidInputError(f"delay_minutes must be at least 1, got {delay_minutes!r}")
    return (now + timedelta(minutes=delay_minutes)).replace(microsecond=0)


def read_length(text: object, field: str) -> timedelta:
    """Read a length of time: 5m, 2h, 1d, 1h30m."""
    cleaned = text.strip().lower() if isinstance(text, str) else ""
    seconds = seconds_in(cleaned) if _LENGTH.fullmatch(cleaned) else None
    if seconds is None:
        raise InvalidInputError(f"{field} {_HELP['every']}, got {text!r}")
    if not 0 < seconds <= _LONGEST.total_seconds():
        raise InvalidInputError(f"{field} must be longer than zero and at most ten years, got {text!r}")
    return timedelta(seconds=seconds)


def _interval(given: Json, context: RequestContext) -> Trigger:
    seconds = int(read_length(given["every"], "schedule.every").total_seconds())
    if seconds % 3600 == 0:
        return HourInterval(seconds // 3600, tz=context.zone)
    return (
        MinuteInterval(seconds // 60, tz=context.zone)
        if seconds % 60 == 0
        else SecondInterval(seconds, tz=context.zone)
    )


def _daily(given: Json, context: RequestContext) -> Trigger:
    return DayInterval(on_times=_times(given["time"]), tz=context.zone)


def _weekly(given: Json, context: RequestContext) -> Trigger:
    return WeekInterval(on_days=_days(given["days"]), on_times=_times(given["time"]), tz=context.zone)


def _cron(given: Json, context: RequestContext) -> Trigger:
    return Cron(str(given["expr"]), tz=context.zone)


def _smart(given: Json, context: RequestContext) -> Trigger:
    from duly.phrases import parse  # late: only this type needs the six languages

    phrase = parse(
        str(given["text"]), now=context.now, tz=context.zone, prefer=context.language, day_parts=context.day_parts
    )
    return phrase.trigger


def _understood(given: Json, _context: RequestContext) -> Trigger:
    """Take a trigger that the caller made of the words: to read these again could give another one."""
    return trigger_from_dict(given["trigger"])


def _times(value: object) -> tuple[time, ...]:
    texts = value.split(",") if isinstance(value, str) else value
    times = {_time(text) for text in texts} if isinstance(texts, Iterable) else set()
    if not times:
        raise InvalidInputError(f"schedule.time {_HELP['time']}, got {value!r}")
    return tuple(sorted(times))


def _time(text: object) -> time:
    found = re.fullmatch(r"([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?", str(text).strip())
    if found is None:
        raise InvalidInputError(f"schedule.time {_HELP['time']}, got {text!r}")
    hour, minute, second = found.groups(default="0")
    return time(int(hour), int(minute), int(second))


def _days(value: object) -> tuple[Weekday, ...]:
    named = value.split(",") if isinstance(value, str) else value
    days = {day for text in named for day in _day(text)} if isinstance(named, Iterable) else set()
    if not days:
        raise InvalidInputError(f"schedule.days {_HELP['days']}, got {value!r}")
    return tuple(sorted(days))


def _day(text: object) -> tuple[Weekday, ...]:
    word = str(text).strip().lower()
    if word in _GROUPS:
        return _GROUPS[word]
    found = [day for name, day in _NAMES.items() if len(word) >= 3 and name.startswith(word)]
    if len(found) != 1:
        raise InvalidInputError(f"schedule.days {_HELP['days']}, got {text!r}")
    return (found[0],)


_READERS: dict[str, Callable[[Json, RequestContext], Trigger]] = {
    "once": _once,
    "interval": _interval,
    "daily": _daily,
    "weekly": _weekly,
    "cron": _cron,
    "smart": _smart,
    "trigger": _understood,
}
_HELP = {
    "at": 'must be ISO 8601 such as "2026-11-15T09:00" or a length such as "5m", "2h", "1d"',
    "every": 'must be a length such as "5m", "2h", "1d"',
    "time": 'must be HH:MM such as "08:00"',
    "days": 'must be days such as ["mon", "tue"] or ["weekdays"]',
    "expr": 'must be a cron expression such as "0 8 * * 1-5"',
    "text": 'must be words such as "workdays at 8, weekends at 10"',
    "trigger": "must be an object as to_dict() of a trigger gives it",
}


# changes of a stored reminder


def rescheduled_draft(row: StoredSchedule, trigger: Trigger, zone: str) -> Draft:
    """Give a reminder another trigger."""
    return Draft(
        name=row.name,
        namespace=row.namespace,
        trigger=trigger,
        action=decode_action(row.action),
        policy=reminder_policy(trigger),
        timezone=zone,
    )


async def move_to_zone(changes: Changes, ids: Collection[str], old: str, new: str, now: datetime) -> None:
    """Put schedules of a person who changed their zone on the clocks of the new zone."""

    def change(row: StoredSchedule) -> StoredSchedule | None:
        try:
            before = decode_trigger(row.trigger)
        except DecodeError:
            return None
        trigger = moved(before, old, new)
        if trigger == before:
            return None
        return lifecycle.move(row, trigger, encode_trigger(trigger), new, now)

    await changes.edit(ids, change, acting())


# options


def check_request(known_channels: Collection[str] | None, **given: Any) -> None:
    """Refuse values that are too long, and a channel that is not configured, before anything else is read."""
    check_given(given)
    check_channel(given.get("channel"), known_channels)


def with_options(message: Message, options: Json) -> Message:
    """Set options of a message; refuse one that would have no effect."""
    if unknown := sorted(options.keys() - _OPTIONS):
        raise InvalidInputError(f"a reminder has no {unknown[0]!r}; it has {', '.join(sorted(_OPTIONS))}")
    for name, value in {"message": message.text, **options}.items():
        if isinstance(value, str):
            values.storable(value, name)
    changed = replace(message, **options)
    for name, each in OPTIONS.items():
        if options.get(name) is None:
            continue
        useless = f"{name} {options[name]!r:.100} has no effect"
        if each.needs is not None and not getattr(changed, each.needs):
            raise InvalidInputError(f"{useless} without {each.needs}: say {each.needs}=true, or leave {name} out")
        if each.needs_too is not None and not getattr(changed, each.needs_too):
            raise InvalidInputError(f"{useless} for one person: name others in {each.needs_too}")
    return changed
