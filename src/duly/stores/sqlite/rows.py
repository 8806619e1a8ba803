"""Converts rows of SQLite to records and back: times are whole microseconds there, flags are 0 and 1."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import repeat
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any, TypeGuard

from duly.model.run import Fire, Origin, Run, Status
from duly.planning.places import SHARED_LANE
from duly.ports import records
from duly.ports.records import Advance, Claimed, Due, NewRun, StoredSchedule
from duly.stores.quarantine import (
    EARLIEST,
    LATEST,
    RUN_READERS,
    RUN_STAND_INS,
    RUN_TIMES,
    find_damage,
    quarantined_schedule,
    showable_run,
    unreadable_values,
)

if TYPE_CHECKING:
    from duly.model.audit import AuditEntry
    from duly.model.events import Event
    from duly.stores.crud.database import Codec

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_BETWEEN_TEXTS = "\x1e"
_RUNNING = Status.RUNNING
_MOVED = 5  # values of `advance_usual`, with which those of `advance` begin

SCHEDULE_COLUMNS = tuple(each.name for each in records.SCHEDULE_COLUMNS)
_TIMES = tuple(index for index, each in enumerate(records.SCHEDULE_COLUMNS) if "datetime" in str(each.type))
_times_of = itemgetter(*_TIMES)
_ENABLED = SCHEDULE_COLUMNS.index("enabled")
_of_columns = attrgetter(*SCHEDULE_COLUMNS)


def to_micros(moment: datetime | None) -> int | None:
    """Convert a time to microseconds since 1970; None stays None."""
    return None if moment is None else micros(moment)


def micros(moment: datetime) -> int:
    """Convert a time to microseconds since 1970."""
    since = moment - EPOCH
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


shared_micros = lru_cache(maxsize=4096)(micros)
"""Does the same for a time that many records share, such as when they are due or were written."""


def to_time(value: int | None) -> datetime | None:
    """Convert microseconds since 1970 to a time; None stays None."""
    return None if value is None else time_of(value)


def time_near(value: int | None) -> datetime | None:
    """Convert microseconds since 1970 to the nearest time within the calendar."""
    try:
        return to_time(value)
    except OverflowError:
        return EARLIEST if value is not None and value < 0 else LATEST


def is_time(value: int | None) -> TypeGuard[int]:
    """Tell whether so many microseconds since 1970 are a time within the calendar."""
    return value is not None and _FIRST <= value <= _LAST


@lru_cache(maxsize=4096)
def time_of(value: int) -> datetime:
    """Convert microseconds since 1970 to a time; schedules that fire together share the cached object."""
    return EPOCH + value * _MICROSECOND


_FIRST = micros(EARLIEST)
_LAST = micros(LATEST)
_RUN_READERS = RUN_READERS | dict.fromkeys(RUN_TIMES, time_of)
CODECS: dict[type, Codec] = {
    datetime: (micros, time_of),
    bool: (int, bool),
}
"""How SQLite keeps types that it does not have."""


def schedule_values(row: StoredSchedule) -> list[Any]:
    """Turn a schedule into the values of its columns, in their order."""
    values = list(_of_columns(row))
    for index in _TIMES:
        if (moment := values[index]) is not None:
            values[index] = shared_micros(moment)
    values[_ENABLED] = int(values[_ENABLED])
    if row.damage is not None:
        for name, value in unreadable_values(row).items():
            values[SCHEDULE_COLUMNS.index(name)] = value
    return values


def has_times(row: Sequence[Any]) -> bool:
    """Tell whether all times in the columns of a schedule lie within the calendar."""
    return all(value is None or _FIRST <= value <= _LAST for value in _times_of(row))


def to_schedule(values: Iterable[Any]) -> StoredSchedule:
    """Read a schedule from the values of its columns."""
    row = list(values)
    try:
        for index in _TIMES:
            if (value := row[index]) is not None:
                row[index] = time_of(value)
    except (OverflowError, TypeError) as error:
        return _quarantined(row, str(error))
    row[_ENABLED] = bool(row[_ENABLED])
    return StoredSchedule(**dict(zip(SCHEDULE_COLUMNS, row, strict=True)))


def _quarantined(row: list[Any], reason: str) -> StoredSchedule:
    """Read a schedule of which some times cannot be read; some of its times may have been read before."""
    unreadable = {}
    for index in _TIMES:
        value = row[index]
        if not isinstance(value, datetime | None):
            try:
                row[index] = time_of(value)
            except (OverflowError, TypeError):
                unreadable[SCHEDULE_COLUMNS[index]] = value
    row[_ENABLED] = bool(row[_ENABLED])
    return quarantined_schedule(dict(zip(SCHEDULE_COLUMNS, row, strict=True)), unreadable, reason)


def due_in_one(*columns: str | None) -> list[Due]:
    """Read due schedules from the one row of `due`: lists of the short columns, and texts that join the long ones."""
    *lists, trigger, action, policy = (column or "" for column in columns)
    short = [json.loads(each) for each in lists]
    texts = [each.split(_BETWEEN_TEXTS) for each in (trigger, action, policy)]
    ids, namespaces, names, handlers, fires_at, runs_at, until, most, fires, enabled, by, changed_by = short
    try:
        next_fire_at = list(map(time_of, fires_at))
        next_run_at = next_fire_at if runs_at == fires_at else list(map(time_of, runs_at))
        ends = list(map(to_time, until))
    except (OverflowError, TypeError):  # one at a time: only those that cannot be read are affected
        return list(map(to_due, zip(*short, strict=True), *texts))
    none = repeat(0)
    return list(
        map(
            Due,
            ids,
            namespaces,
            names,
            *texts,
            handlers,
            next_fire_at,
            next_run_at,
            ends,
            most,
            fires,
            map(bool, enabled),
            none,
            none,
            none,
            repeat(frozenset()),
            by,
            changed_by,
        )
    )


def to_due(row: Sequence[Any], trigger: str, action: str, policy: str) -> Due:
    """Read a due schedule from its columns; with an unreadable time, planning quarantines it."""
    schedule_id, namespace, name, handler, fire_at, run_at, until_at, most, fires, enabled, by, changed_by = row
    try:
        next_fire_at = to_time(fire_at)
        next_run_at = next_fire_at if run_at == fire_at else to_time(run_at)
        end = to_time(until_at)
    except (OverflowError, TypeError):
        next_fire_at = next_run_at = end = None
    return Due(
        id=schedule_id,
        namespace=namespace,
        name=name,
        trigger=trigger,
        action=action,
        policy=policy,
        handler=handler,
        next_fire_at=next_fire_at,
        next_run_at=next_run_at,
        until_at=end,
        max_runs=most,
        fires=fires,
        enabled=bool(enabled),
        created_by=by,
        changed_by=changed_by,
    )


def to_claimed(row: tuple[Any, ...], *, taken: bool) -> Claimed:
    """Read a run from a row of `claimable`, `chosen` or `adopt`; `taken` when the row is from before the claim."""
    run_id, schedule_id, namespace, name, origin, fire_at, due_at, handler, attempt, fence, *of_schedule = row
    action, policy, created_by, changed_by = of_schedule
    step = int(taken)
    try:
        return Claimed(
            run_id=run_id,
            schedule_id=schedule_id,
            namespace=namespace,
            name=name,
            origin=Origin(origin),
            fire_at=time_of(fire_at),
            due_at=time_of(due_at),
            handler=handler,
            attempt=attempt + step,
            fence=fence + step,
            action=action,
            policy=policy,
            created_by=created_by,
            changed_by=changed_by,
        )
    except (ValueError, OverflowError) as error:
        found = {"name": name, "origin": origin, "fire_at": fire_at, "due_at": due_at}
        readers = {each: _RUN_READERS[each] for each in ("origin", "fire_at", "due_at")}
        raise find_damage("run", found, readers) from error


def new_run_values(runs: Iterable[NewRun], lanes: Mapping[str, str], node_id: str, now: int) -> list[Any]:
    """Turn new runs into the values of `record`, one after the other; running ones belong to the node from the start.

    `lanes` has those of schedules that are not in the shared lane.
    """
    values: list[Any] = []
    for run in runs:
        fire_at = shared_micros(run.fire_at)
        due_at = fire_at if run.due_at is run.fire_at else shared_micros(run.due_at)
        mine = run.status is _RUNNING
        values += (
            run.id,
            run.schedule_id,
            run.origin,
            fire_at,
            due_at,
            run.handler,
            lanes.get(run.schedule_id, SHARED_LANE) if lanes else SHARED_LANE,
            run.status,
            run.in_line,
            mine,
            mine,
            node_id if mine else None,
            max(now, due_at) if mine else None,
            None if mine or not run.status.final else now,
            run.reason,
            run.skipped,
            to_micros(run.first_skipped_at) if run.first_skipped_at else None,
        )
    return values


def begun_run_values(runs: Iterable[NewRun]) -> list[Any]:
    """Turn new runs that begin at once into the values of `record_begun`, one after the other."""
    values: list[Any] = []
    for run in runs:
        fire_at = shared_micros(run.fire_at)
        due_at = fire_at if run.due_at is run.fire_at else shared_micros(run.due_at)
        values += (run.id, run.schedule_id, fire_at, due_at, run.handler, run.in_line)
    return values


def usual_advance_values(advances: Iterable[Advance]) -> list[Any]:
    """Turn the new states of schedules that go on into the values of `advance_usual`, one after the other."""
    values: list[Any] = []
    for each in advances:
        moment = each.next_fire_at
        watermark = each.watermark
        next_fire_at = None if moment is None else shared_micros(moment)
        values += (
            each.schedule_id,
            next_fire_at,
            next_fire_at if each.next_run_at is moment else to_micros(each.next_run_at),
            None if watermark is None else shared_micros(watermark),
            each.fires,
        )
    return values


def advance_values(advances: Sequence[Advance]) -> list[Any]:
    """Turn any new states of schedules into the values of `advance`, one after the other."""
    moved = usual_advance_values(advances)
    values: list[Any] = []
    for each, start in zip(advances, range(0, len(moved), _MOVED), strict=True):
        values += moved[start : start + _MOVED]
        values += (each.enabled, each.quarantine, None if each.enabled else each.disabled_by)
    return values


def to_run(row: dict[str, Any]) -> Run:
    """Read a run from a row with column names, joined with the name of its schedule."""
    try:
        return _to_run(row)
    except (ValueError, OverflowError) as error:
        raise find_damage("run", row, _RUN_READERS) from error


def show_run(row: dict[str, Any]) -> Run:
    """Read a run to be shown: one that cannot be decoded is shown with the reason."""
    try:
        return _to_run(row)
    except (ValueError, OverflowError):
        return _to_run(showable_run(row, _RUN_READERS, RUN_STAND_INS | {"fire_at": 0, "due_at": 0}))


def _to_run(row: dict[str, Any]) -> Run:
    return Run(
        id=row["id"],
        fire=Fire(row["schedule_id"], Origin(row["origin"]), time_of(row["fire_at"])),
        namespace=row["namespace"],
        name=row["name"],
        handler=row["handler"],
        status=Status(row["status"]),
        due_at=time_of(row["due_at"]),
        attempt=row["attempt"],
        lost=row["lost"],
        fence=row["fence"],
        owner=row["owner"],
        started_at=to_time(row["started_at"]),
        finished_at=to_time(row["finished_at"]),
        result=None if row["result"] is None else json.loads(row["result"]),
        error=row["error"],
        reason=row["reason"],
        skipped=row["skipped"],
        first_skipped_at=to_time(row["first_skipped_at"]),
        progress=None if row["progress"] is None else json.loads(row["progress"]),
        cancel_requested=bool(row["cancel_requested"]),
    )


def event_values(event: Event, data: str) -> tuple[Any, ...]:
    """Turn an event into the values of `event`; `data` is the text of its data."""
    return (shared_micros(event.at), event.kind.name, event.schedule_id, event.run_id, event.node_id, data)


def audit_values(entry: AuditEntry) -> tuple[Any, ...]:
    """Turn an entry of the audit into the values of `audit_entry`."""
    return (
        entry.seq,
        entry.link,
        micros(entry.at),
        entry.kind,
        entry.actor,
        entry.schedule_id,
        entry.run_id,
        entry.data,
    )
