"""How the dict-backed store writes schedules, and what becomes of the runs of those that change or go."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime

from duly.errors import InvalidInputError
from duly.model.events import Event
from duly.model.run import Status
from duly.ports.quotas import Room
from duly.ports.records import StoredSchedule
from duly.ports.store import Change, Merge
from tests.memory_store.tables import Tables

_DELETED = "its schedule was deleted"


def save(
    tables: Tables,
    rows: Sequence[StoredSchedule],
    merge: Merge,
    events: Sequence[Event],
    room: Room | None = None,
) -> list[str]:
    """Write schedules under their names; gives their ids."""
    ids = []
    before_all = _count(tables, room)
    for row in rows:
        before = tables.named(row.namespace, row.name)
        after = merge(None if before is None else replace(before), replace(row))
        if after is not None:
            (tables.insert if before is None else tables.put)(after)
            tables.decided(after.updated_at)
            if after.deleted_at is not None:
                _call_off_all(tables, after)
            if before is not None and after.policy != before.policy:
                tables.promote(after.id, after.updated_at)
        if (kept := after or before) is None:
            raise InvalidInputError(f"there is nothing to keep under {row.namespace}/{row.name}")
        ids.append(kept.id)
    if room is not None and before_all < _count(tables, room) > room.at_most:
        raise room.refuse(before_all)
    tables.write_events(*events)
    return ids


def _count(tables: Tables, room: Room | None) -> int:
    if room is None:
        return 0
    return sum(row.namespace == room.namespace and row.deleted_at is None for row in tables.schedules.values())


def edit(tables: Tables, ids: Collection[str], change: Change, events: Sequence[Event]) -> list[StoredSchedule]:
    """Change schedules; gives them as they are now."""
    result = []
    for before in [tables.schedules[each] for each in ids if each in tables.schedules]:
        after = change(replace(before))
        result.append(replace(after or before))
        if after is not None:
            tables.put(after)
            tables.decided(after.updated_at)
            if after.deleted_at is not None and before.deleted_at is None:
                _call_off_all(tables, after)
            if after.policy != before.policy:  # another one may have more places
                tables.promote(after.id, after.updated_at)
    tables.write_events(*events)
    return result


def call_off(tables: Tables, run_ids: Sequence[str], reason: str, now: datetime) -> None:
    """Call off runs that have not begun."""
    for run in [tables.runs[each] for each in run_ids if each in tables.runs]:
        if run.status in (Status.PENDING, Status.WAITING):
            off = replace(run, status=Status.CANCELLED, reason=reason, finished_at=now)
            tables.runs[run.id] = off
            tables.tell_cancelled(run.id, now)


def _call_off_all(tables: Tables, schedule: StoredSchedule) -> None:
    """Nothing of a deleted schedule starts any more, and what has started is asked to stop."""
    for run in tables.runs_of(schedule.id):
        if run.status is Status.RUNNING:
            tables.runs[run.id] = replace(run, cancel_requested=True, reason=_DELETED)
        elif not run.status.final:
            off = replace(run, status=Status.CANCELLED, finished_at=schedule.updated_at, reason=_DELETED)
            tables.runs[run.id] = off
            tables.tell_cancelled(run.id, schedule.updated_at)
