"""The jobs of APScheduler 3, from the table of its SQLAlchemy job store.

Their state is a pickle. It is read without importing or calling anything of it: objects come back as the name of their
class and their state, and one of another class than those of APScheduler's triggers is refused.
"""

from __future__ import annotations

import io
import pickle
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

from duly.cron import Cron
from duly.errors import DulyError
from duly.recurrence import Once
from duly.service.foreign.celery_beat import Times, interval_of
from duly.service.foreign.databases import rows_of
from duly.service.foreign.entries import Foreign, ForeignEntry, NextTime, NotCarriedError, refused
from duly.zones import DstPolicy

_QUERY = "SELECT id, next_run_time, job_state FROM apscheduler_jobs ORDER BY id"
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_CRON = ("minute", "hour", "day", "month")
_POSITIONS = {0: "#1", 1: "#2", 2: "#3", 3: "#4", 4: "#5", 5: "L"}
JobAt = Callable[[str], str | None]
"""Gives the job of `duly.toml` that is `module:function`; None when there is none."""


def read_jobs(url: str, job_at: JobAt) -> list[ForeignEntry]:
    """Read the jobs of a store: `sqlite:///jobs.sqlite`, or `postgresql://…`."""
    return [_entry(row, job_at) for row in rows_of(url, _QUERY, "the table of APScheduler")]


def _entry(row: Foreign, job_at: JobAt) -> ForeignEntry:
    name = str(row["id"])
    written = "?"
    try:
        job = _load(bytes(row["job_state"]))
        name = str(job.get("name") or name) if re.fullmatch(r"[0-9a-f]{32}", name) else name
        trigger = job["trigger"]
        written = _written(trigger)
        times = _times(trigger)
        fields, losses = _fields(job, job_at)
    except (DulyError, pickle.UnpicklingError, EOFError, KeyError, AttributeError, TypeError, ValueError) as error:
        reason = str(error) if isinstance(error, DulyError) else f"its state cannot be read: {error}"
        return refused(name, written, reason)
    more = list(losses)
    attributes = _attributes(trigger)
    if attributes.get("jitter"):
        more.append(f"jitter {attributes['jitter']}: duly moves starts apart by stagger_key instead")
    if (end := attributes.get("end_date")) is not None:
        fields["until_at"] = end.isoformat()
    if row["next_run_time"] is None:
        fields["enabled"] = False
    return ForeignEntry(
        name=name,
        written=times.written,
        trigger=times.trigger,
        fields=fields,
        losses=tuple(more),
        next_time=times.next_time,
    )


def _fields(job: Foreign, job_at: JobAt) -> tuple[dict[str, Any], Iterator[str]]:
    place = str(job["func"])
    known = job_at(place)
    if known is None:
        short = place.rpartition(":")[2]
        raise NotCarriedError(f'no job of duly.toml is {place}: add to [jobs]  {short} = "{place}"')
    if job.get("args"):
        raise NotCarriedError("it has arguments without names: give them names, which a job of duly takes")
    fields: dict[str, Any] = {"job_name": known}
    if job.get("kwargs"):
        fields["job_args"] = dict(job["kwargs"])
    if (most := job.get("max_instances") or 1) > 1:
        fields["overlap_behavior"] = "parallel"
        fields["max_parallel"] = most
    return fields, _losses(job)


def _losses(job: Foreign) -> Iterator[str]:
    if job.get("executor") not in (None, "default"):
        yield f"executor {job['executor']}: duly runs functions in the loop, in threads or in processes by itself"
    if job.get("coalesce") is False:
        yield "coalesce=False: after an outage duly makes up the latest missed fire, not all of them"


# times


def _times(trigger: Any) -> Times:
    kind = type(trigger).__name__
    state = _attributes(trigger)
    written = _written(trigger)
    next_time = _by_apscheduler(trigger)
    if kind == "DateTrigger":
        return Times(written, Once(state["run_date"]), next_time)
    if kind == "IntervalTrigger":
        return Times(written, interval_of(state["interval"]), next_time)
    if kind == "CronTrigger":
        return Times(written, _cron(state), next_time)
    raise NotCarriedError(f"{kind} combines triggers: make a schedule of each")


def _cron(state: Foreign) -> Cron:
    fields = {_attributes(each)["name"]: each for each in state["fields"]}
    for name in ("year", "week"):
        if name in fields and _text(fields[name]) != "*":
            raise NotCarriedError(f"{name}='{_text(fields[name])}': cron has no such field")
    second = _text(fields["second"]) if "second" in fields else "0"
    minute, hour, day, month = (_text(fields[name]) for name in _CRON)
    weekday = _weekdays(fields["day_of_week"])
    if _is_by_weekday(fields["day"]):  # "2nd fri" is a day of the month there, and of the week to cron
        if weekday != "*":
            raise NotCarriedError(f"day='{day}' beside day_of_week='{weekday}': cron has one of them")
        weekday = day
        day = "*"
    expression = f"{minute} {hour} {day} {month} {weekday}"
    if second != "0":
        expression = f"{second} {expression}"
    dialect = "standard" if second == "0" else "seconds"
    zone = str(getattr(state["timezone"], "key", state["timezone"]))
    return Cron(expression, dialect=dialect, tz=zone, dst=DstPolicy.ONCE, day_match="and")


def _is_by_weekday(field: Any) -> bool:
    kinds = {type(each).__name__ == "WeekdayPositionExpression" for each in _attributes(field)["expressions"]}
    if len(kinds) > 1:
        raise NotCarriedError(f"day='{_text(field)}' has days of the month beside days of the week: make two schedules")
    return kinds == {True}


def _weekdays(field: Any) -> str:
    """Write days of the week by name: APScheduler counts them from Monday, cron from Sunday."""
    found: set[int] = set()
    for each in _attributes(field)["expressions"]:
        state = _attributes(each)
        first = state.get("first") or 0
        last = state.get("last")
        if last is None:
            last = first if "first" in state and not state.get("step") else 6
        found.update(range(first, last + 1, state.get("step") or 1))
    return "*" if len(found) == len(_WEEKDAYS) else ",".join(_WEEKDAYS[each] for each in sorted(found))


def _text(field: Any) -> str:
    return ",".join(_expression(_attributes(each), type(each).__name__) for each in _attributes(field)["expressions"])


def _expression(state: Foreign, kind: str) -> str:
    """Write one expression of a field, other than that of weekdays, as cron has it."""
    if kind == "AllExpression":
        return f"*/{state['step']}" if state.get("step") else "*"
    if kind == "LastDayOfMonthExpression":
        return "L"
    if kind == "WeekdayPositionExpression":
        return f"{_WEEKDAYS[state['weekday']]}{_POSITIONS[state['option_num']]}"
    first = state["first"]
    last = state.get("last")
    if kind == "WeekdayRangeExpression":
        first = _WEEKDAYS[first]
        last = None if last is None else _WEEKDAYS[last]
    span = f"{first}" if last in (None, first) else f"{first}-{last}"
    return f"{span}/{state['step']}" if state.get("step") else span


def _written(trigger: Any) -> str:
    state = _attributes(trigger)
    kind = type(trigger).__name__
    if kind == "CronTrigger":
        fields = (
            (_attributes(each)["name"], _text(each), _attributes(each).get("is_default")) for each in state["fields"]
        )
        return "cron " + " ".join(f"{name}='{text}'" for name, text, usual in fields if not usual)
    if kind == "IntervalTrigger":
        return f"every {state['interval']}"
    return str(state.get("run_date", kind))


def _by_apscheduler(trigger: Any) -> NextTime | None:
    """Let APScheduler work out the times, where it is installed."""
    try:
        from apscheduler.triggers.cron import CronTrigger
        from apscheduler.triggers.date import DateTrigger
        from apscheduler.triggers.interval import IntervalTrigger
    except ImportError:
        return None
    kinds = {each.__name__: each for each in (CronTrigger, DateTrigger, IntervalTrigger)}
    kind = kinds.get(type(trigger).__name__)
    if kind is None:
        return None
    theirs = kind.__new__(kind)
    state = _attributes(trigger)
    theirs.__setstate__({**state, "fields": _their_fields(state)} if "fields" in state else state)

    def following(after: datetime) -> datetime | None:
        before = None if kind is DateTrigger else after
        at = theirs.get_next_fire_time(before, after + timedelta(microseconds=1))
        return None if at is None or at <= after else at.astimezone(UTC)

    return following


def _their_fields(state: Foreign) -> Sequence[Any]:
    from apscheduler.triggers.cron import CronTrigger

    kinds = CronTrigger.FIELDS_MAP
    return [
        kinds[each["name"]](each["name"], _theirs(each), each["is_default"])
        for each in map(_attributes, state["fields"])
    ]


def _theirs(field: Foreign) -> str:
    """Write a field as APScheduler reads it."""
    words = []
    for each in field["expressions"]:
        state = _attributes(each)
        kind = type(each).__name__
        if kind == "LastDayOfMonthExpression":
            words.append("last")
        elif kind == "WeekdayPositionExpression":
            position = ("1st", "2nd", "3rd", "4th", "5th", "last")[state["option_num"]]
            words.append(f"{position} {_WEEKDAYS[state['weekday']]}")
        else:
            words.append(_expression(state, kind))
    return ",".join(words)


# the pickle


class _Pickled:
    """An object of a pickle: the name of its class is that of its type; its state is as it was kept."""

    def __init__(self, *_arguments: Any) -> None:
        self.kept: Any = None

    def __setstate__(self, state: Any) -> None:
        self.kept = state


def _attributes(found: Any) -> Foreign:
    """Give the attributes of an object; one with slots keeps them in the second of a pair."""
    kept = found.kept
    if isinstance(kept, tuple):
        return {name: value for part in kept if part for name, value in part.items()}
    return kept or {}


def _load(data: bytes) -> Foreign:
    job = _JobReader(io.BytesIO(data)).load()
    if not isinstance(job, dict):
        raise NotCarriedError("its state is no job")
    return job


class _JobReader(pickle.Unpickler):
    """Reads a pickle: of what it names, only dates and zones are what they are."""

    def find_class(self, module: str, name: str) -> Any:
        module = _OLD_NAMES.get(module, module)
        if (module, name) in _READ:
            return _READ[module, name]
        if module.startswith("apscheduler.triggers."):
            return type(name, (_Pickled,), {})
        raise NotCarriedError(f"it has an object of {module}.{name}, which is not read: pass plain values")


def _zone(name: str, *_more: Any) -> tzinfo:
    return ZoneInfo(name)


def _utc(*_more: Any) -> tzinfo:
    return UTC


def _member(owner: Any, name: str) -> Any:
    """Give the one member that a pickle names in this way: how a zone is read back."""
    if owner is _zone and name == "_unpickle":
        return _zone
    raise NotCarriedError(f"it calls {name!r}, which is not done: pass plain values")


_OLD_NAMES = {"__builtin__": "builtins", "copy_reg": "copyreg"}
"""Modules as the protocols of Python 2 name them."""
_READ: Mapping[tuple[str, str], Any] = {
    ("datetime", "datetime"): datetime,
    ("datetime", "timedelta"): timedelta,
    ("datetime", "timezone"): timezone,
    ("zoneinfo", "ZoneInfo._unpickle"): _zone,
    ("zoneinfo", "ZoneInfo"): _zone,
    ("builtins", "getattr"): _member,
    ("pytz", "_p"): _zone,
    ("pytz", "_UTC"): _utc,
    ("builtins", "set"): set,
    ("copyreg", "_reconstructor"): lambda kind, *_rest: kind(),
}
