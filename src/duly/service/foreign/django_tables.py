"""The tables of django-celery-beat, read as they lie in SQLite or PostgreSQL; Django is not needed."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from duly.cron import Cron
from duly.errors import DulyError
from duly.recurrence import Once
from duly.service.foreign.celery_beat import Times, interval_of, task_fields, times_of
from duly.service.foreign.databases import rows_of
from duly.service.foreign.entries import Foreign, ForeignEntry, NotCarriedError, refused
from duly.zones import DstPolicy

_QUERY = """
SELECT t.*, c.minute, c.hour, c.day_of_week, c.day_of_month, c.month_of_year, c.timezone AS crontab_zone,
       i.every, i.period, k.clocked_time, s.event
FROM django_celery_beat_periodictask t
LEFT JOIN django_celery_beat_crontabschedule c ON c.id = t.crontab_id
LEFT JOIN django_celery_beat_intervalschedule i ON i.id = t.interval_id
LEFT JOIN django_celery_beat_clockedschedule k ON k.id = t.clocked_id
LEFT JOIN django_celery_beat_solarschedule s ON s.id = t.solar_id
ORDER BY t.id
"""
_FIELDS = ("minute", "hour", "day_of_month", "month_of_year", "day_of_week")
_CLEANUP = "celery.backend_cleanup"
_OPTIONS = ("queue", "exchange", "routing_key", "priority", "expires", "expire_seconds", "headers")


def read_tables(url: str, executor: str) -> list[ForeignEntry]:
    """Read the periodic tasks of a database: `sqlite:///db.sqlite3`, or `postgresql://…`."""
    rows = rows_of(url, _QUERY, "the tables of django-celery-beat")
    return [_entry(row, executor) for row in rows if row["name"] != _CLEANUP]


def _entry(row: Foreign, executor: str) -> ForeignEntry:
    name = str(row["name"])
    written = _written(row)
    try:
        times = _times(row)
        options = {key: row.get(key) for key in _OPTIONS if row.get(key) not in (None, "", "{}")}
        if (seconds := options.pop("expire_seconds", None)) is not None:
            options["expires"] = float(seconds)
        if isinstance(options.get("expires"), str):
            options["expires"] = _moment(options["expires"])
        fields, losses = task_fields(str(row["task"]), _json(row, "args"), _json(row, "kwargs"), options, executor)
    except DulyError as error:
        return refused(name, written, str(error))
    more = list(losses)
    if row.get("start_time"):
        more.append(f"start_time {row['start_time']}: resume it by then")
    if row.get("one_off") and not row.get("clocked_id"):
        fields["max_runs"] = 1
    if row.get("description"):
        fields["description"] = str(row["description"])
    if not row.get("enabled"):
        fields["enabled"] = False
    return ForeignEntry(
        name=name,
        written=times.written,
        trigger=times.trigger,
        fields=fields,
        losses=tuple(more),
        next_time=times.next_time,
    )


def _written(row: Foreign) -> str:
    if row.get("crontab_id"):
        return f"{_expression(row)} ({row['crontab_zone']})"
    if row.get("interval_id"):
        return f"every {row['every']} {row['period']}"
    if row.get("clocked_id"):
        return str(row["clocked_time"])
    return f"solar {row['event']}" if row.get("solar_id") else "never"


def _expression(row: Foreign) -> str:
    return " ".join(str(row[name]) for name in _FIELDS)


def _times(row: Foreign) -> Times:
    if row.get("crontab_id"):
        return _crontab(row)
    if row.get("interval_id"):
        return _interval(row)
    if row.get("clocked_id"):
        at = _moment(row["clocked_time"])
        return Times(at.isoformat(), Once(at), lambda after: at if at > after else None)
    if row.get("solar_id"):
        raise NotCarriedError(
            f"{row['event']} of the sun is not known here: name a time of day, which you move yourself"
        )
    raise NotCarriedError("it has no time")


def _interval(row: Foreign) -> Times:
    length = timedelta(**{str(row["period"]): int(row["every"])})
    schedule = _celery("schedule")
    return Times(_written(row), interval_of(length), None) if schedule is None else times_of(schedule(length), "UTC")


def _crontab(row: Foreign) -> Times:
    zone = str(row["crontab_zone"] or "UTC")
    crontab = _celery("crontab")
    if crontab is None:  # the same fields, read by duly alone
        return Times(_written(row), Cron(_expression(row), tz=zone, dst=DstPolicy.ONCE, day_match="and"), None)
    every = crontab(**{name: str(row[name]) for name in _FIELDS})
    return times_of(every, zone)


def _celery(name: str) -> Any:
    """Give a class of Celery's schedules; None where Celery is not installed."""
    try:
        from celery import schedules
    except ImportError:
        return None
    return getattr(schedules, name)


def _json(row: Foreign, name: str) -> Any:
    try:
        return json.loads(row.get(name) or "null")
    except ValueError as error:
        raise NotCarriedError(f"its {name} are no JSON: {error}") from None


def _moment(value: Any) -> datetime:
    at = value if isinstance(value, datetime) else datetime.fromisoformat(str(value))
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
