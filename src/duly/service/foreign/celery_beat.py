"""Entries of Celery's beat: those of `beat_schedule`, and what they have in common with django-celery-beat's."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple
from zoneinfo import ZoneInfo

from duly.cron import Cron
from duly.errors import DulyError
from duly.recurrence import HourInterval, MinuteInterval, SecondInterval
from duly.service.foreign.entries import Foreign, ForeignEntry, NextTime, NotCarriedError, listed, refused, seconds_of
from duly.zones import DstPolicy

if TYPE_CHECKING:
    from duly.model.trigger import Trigger

_FIELDS = (("minute", 0, 59), ("hour", 0, 23), ("day_of_month", 1, 31), ("month_of_year", 1, 12), ("day_of_week", 0, 6))
_IN_VAIN = {
    "countdown": "duly sends a task when it is due",
    "eta": "duly sends a task when it is due",
    "exchange": "name a queue",
    "routing_key": "name a queue",
    "serializer": "duly sends JSON",
    "compression": "duly sends JSON",
    "headers": "duly's own headers are sent",
    "link": "let the task begin what follows it",
    "link_error": "duly tells failures to people, see notify",
    "retry": "duly sends again by itself",
    "retry_policy": "duly sends again by itself",
    "ignore_result": "duly keeps the result where the worker reports it",
    "shadow": "the schedule has its own name",
    "time_limit": "set it for the executor, or as timeout of the schedule",
    "soft_time_limit": "set it for the executor",
}


class Times(NamedTuple):
    """When an entry fires."""

    written: str
    trigger: Trigger
    next_time: NextTime | None


def read_app(app: Any, executor: str) -> list[ForeignEntry]:
    """Read the `beat_schedule` of a Celery application."""
    schedule: Foreign = app.conf.beat_schedule or {}
    return [_entry(str(name), entry, app, executor) for name, entry in schedule.items()]


def _entry(name: str, entry: Foreign, app: Any, executor: str) -> ForeignEntry:
    from celery.schedules import maybe_schedule

    written = str(entry.get("schedule"))
    try:
        if not isinstance(entry.get("task"), str):
            raise NotCarriedError("it names no task")
        every = maybe_schedule(entry.get("schedule"), bool(entry.get("relative", False)), app=app)
        times = times_of(every, str(app.conf.timezone or "UTC"))
        fields, losses = task_fields(
            entry["task"], entry.get("args") or (), entry.get("kwargs") or {}, entry.get("options") or {}, executor
        )
    except DulyError as error:
        return refused(name, written, str(error))
    return ForeignEntry(
        name=name,
        written=times.written,
        trigger=times.trigger,
        fields=fields,
        losses=tuple(losses),
        next_time=times.next_time,
    )


def times_of(every: Any, zone: str) -> Times:
    """Read a schedule object of Celery; `zone` is that of its application."""
    from celery.schedules import crontab, schedule, solar

    if isinstance(every, solar):
        raise NotCarriedError(
            f"{every.event} of the sun is not known here: name a time of day, which you move yourself"
        )
    if isinstance(every, crontab):
        return Times(_written(every), _cron(every, zone), _by_celery(every, zone))
    if isinstance(every, schedule):
        return Times(str(every), interval_of(every.run_every), _by_celery(every, zone))
    raise NotCarriedError(f"{type(every).__name__} is a schedule of the application's own: only its code knows when")


def interval_of(length: timedelta) -> Trigger:
    """Make the trigger of an interval, in the largest unit that fits."""
    seconds = seconds_of(length, "its interval")
    if seconds % 3600 == 0:
        return HourInterval(seconds // 3600)
    return MinuteInterval(seconds // 60) if seconds % 60 == 0 else SecondInterval(seconds)


def _written(every: Any) -> str:
    return " ".join(_asked(every, name) for name, _, _ in _FIELDS)


def _asked(every: Any, field: str) -> str:
    """Give a field of a crontab as it was written; Celery keeps that under a private name alone."""
    return str(getattr(every, f"_orig_{field}"))


def _cron(every: Any, zone: str) -> Trigger:
    """Make the trigger of a crontab. Celery wants both days where cron wants one of them."""
    fields = (listed(set(getattr(every, name)), low, high, _asked(every, name)) for name, low, high in _FIELDS)
    return Cron(" ".join(fields), tz=zone, dst=DstPolicy.ONCE, day_match="and")


def _by_celery(every: Any, zone: str) -> NextTime:
    """Let Celery work out the times: what remains after the last one, at the moment of the last one."""
    from copy import copy

    from celery.schedules import crontab

    def following(after: datetime) -> datetime | None:
        asked = copy(every)
        asked.nowfun = lambda: after
        asked.tz = ZoneInfo(zone)  # a copy forgets it
        if isinstance(asked, crontab):
            after_minute = after.replace(second=0, microsecond=0)
            left: timedelta = asked.remaining_estimate(after_minute)
            return (after + left).astimezone(UTC).replace(microsecond=0)
        left = asked.remaining_estimate(after)
        return (after + left).astimezone(UTC)

    return following


def task_fields(
    task: str, args: Any, kwargs: Any, options: Foreign, executor: str
) -> tuple[dict[str, Any], Iterator[str]]:
    """Give the fields of a schedule that runs a task, and what of its options is not carried over."""
    fields: dict[str, Any] = {"job_name": task, "executor": executor}
    if args:
        fields["positional"] = _plain(list(args), "args")
    if kwargs:
        fields["job_args"] = _plain(dict(kwargs), "kwargs")
    if options.get("queue") is not None:
        fields["queue"] = str(getattr(options["queue"], "name", options["queue"]))
    if options.get("priority") is not None:
        fields["task_priority"] = int(options["priority"])
    window = _window(options.get("expires"))
    if window is not None:
        fields["catch_up_window"] = window
    return fields, _losses(options)


def _plain(value: Any, what: str) -> Any:
    try:
        return json.loads(json.dumps(value))
    except (TypeError, ValueError) as error:
        raise NotCarriedError(f"its {what} are no JSON ({error}): duly sends nothing else") from None


def _window(expires: Any) -> float | None:
    if isinstance(expires, timedelta):
        return expires.total_seconds()
    return float(expires) if isinstance(expires, int | float) else None


def _losses(options: Foreign) -> Iterator[str]:
    for name, value in options.items():
        if name == "expires" and isinstance(value, datetime):
            yield f"expires {value.isoformat()}: one moment for all fires; give the schedule an end instead (until_at)"
        elif name in _IN_VAIN and value is not None:
            yield f"{name}: {_IN_VAIN[name]}"
        elif name not in ("queue", "priority", "expires") and value is not None:
            yield f"{name}: duly knows no such option"


def find_app(place: str) -> Any:
    """Import the Celery application that `module:attribute` or `module` names, as `celery -A` does."""
    try:
        from celery.app.utils import find_app as found
    except ImportError:
        raise NotCarriedError('Celery is not installed here: pip install "celery[redis]"') from None
    try:
        return found(place)
    except Exception as error:  # anything that their code raises while it is imported
        why = f"{type(error).__name__}: {error}".strip()
        raise NotCarriedError(f"no Celery application can be had from {place!r}: {why}") from error
