"""Schedules: making, changing, finding."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import replace

import apsw

from duly import failpoints
from duly.errors import InvalidInputError
from duly.model.events import Event
from duly.ports.records import ScheduleFilter, StoredSchedule
from duly.ports.store import Change, Merge
from duly.stores.prompts import is_prompt
from duly.stores.sqlite.batches import run_many
from duly.stores.sqlite.cycle import SQL, write_events
from duly.stores.sqlite.rows import micros, schedule_values, to_schedule
from duly.stores.sqlite.targets import keep_in_step

DELETED = "its schedule was deleted"
_TAKEN = (apsw.SQLITE_CONSTRAINT_UNIQUE, apsw.SQLITE_CONSTRAINT_PRIMARYKEY)


def save(
    connection: apsw.Connection, rows: Sequence[StoredSchedule], merge: Merge, events: Sequence[Event]
) -> list[str]:
    """Create or change many schedules at once."""
    names = json.dumps([(row.namespace, row.name) for row in rows])
    there = {
        (row.namespace, row.name): row for row in map(to_schedule, connection.execute(SQL.named, {"names": names}))
    }
    ids: list[str] = []
    fresh: list[StoredSchedule] = []
    changed: list[StoredSchedule] = []
    prompts: list[StoredSchedule] = []
    for row in rows:
        key = (row.namespace, row.name)
        before = there.get(key)
        was_prompt = is_prompt(before)
        after = merge(before, row)
        if after is not None:
            if was_prompt or is_prompt(after):
                prompts.append(after)
            (fresh if before is None else changed).append(after)
            there[key] = after
            if before is not None and after.deleted_at is not None:
                _call_off(connection, after)
        if key not in there:
            raise InvalidInputError(f"there is nothing to keep under {row.namespace}/{row.name}")
        ids.append(there[key].id)
    try:
        run_many(connection, SQL.insert_schedule, [schedule_values(row) for row in fresh])
    except apsw.ConstraintError as error:
        _refuse_taken_names(fresh, error)
        raise
    failpoints.hit("save.inserted")
    _replace(connection, changed)
    keep_in_step(connection, prompts)
    write_events(connection, events)
    return ids


def edit(
    connection: apsw.Connection, ids: Collection[str], change: Change, events: Sequence[Event]
) -> list[StoredSchedule]:
    """Read, change and write."""
    result, changed, prompts = [], [], []
    for before in get_many(connection, ids):
        after = change(replace(before))  # a copy: what was there must be known even if it is changed in place
        result.append(after or before)
        if after is not None:
            changed.append(after)
            if is_prompt(before) or is_prompt(after):
                prompts.append(after)
            if after.deleted_at is not None and before.deleted_at is None:
                _call_off(connection, after)
    _replace(connection, changed)
    keep_in_step(connection, prompts)
    write_events(connection, events)
    return result


def _replace(connection: apsw.Connection, rows: Sequence[StoredSchedule]) -> None:
    if not rows:
        return
    try:
        connection.executemany(SQL.replace_schedule, ([*schedule_values(row)[1:], row.id] for row in rows))
    except apsw.ConstraintError as error:
        _refuse_taken_names(rows, error)
        raise


def _refuse_taken_names(rows: Sequence[StoredSchedule], error: apsw.ConstraintError) -> None:
    if getattr(error, "extendedresult", None) in _TAKEN:
        names = ", ".join(f"{row.namespace}/{row.name}" for row in rows)
        raise InvalidInputError(f"the name is taken: {names}; choose another") from error


def _call_off(connection: apsw.Connection, row: StoredSchedule) -> None:
    values = {"schedule_id": row.id, "now": micros(row.updated_at), "reason": DELETED}
    connection.execute(SQL.cancel_unstarted, values)
    connection.execute(SQL.ask_to_stop, values)


def get_many(connection: apsw.Connection, ids: Collection[str]) -> list[StoredSchedule]:
    """Schedules by id, in the order asked for."""
    rows = {row[0]: to_schedule(row) for row in connection.execute(SQL.get_schedules, {"ids": json.dumps(list(ids))})}
    return [rows[each] for each in ids if each in rows]


def find(connection: apsw.Connection, namespace: str, name: str) -> StoredSchedule | None:
    """The schedule that has a name now."""
    row = next(iter(connection.execute(SQL.find_schedule, {"namespace": namespace, "name": name})), None)
    return None if row is None else to_schedule(row)


def page(connection: apsw.Connection, wanted: ScheduleFilter) -> list[StoredSchedule]:
    """A page of schedules."""
    after_namespace, after_name = wanted.after or (None, None)
    values = {
        "deleted": int(wanted.deleted),
        "namespace": wanted.namespace,
        "enabled": wanted.enabled,
        "handler": wanted.handler,
        "source": wanted.source,
        "project": wanted.project,
        "quarantined": wanted.quarantined,
        "text": None if wanted.text is None else wanted.text.lower(),
        "after_namespace": after_namespace,
        "after_name": after_name,
        "limit": wanted.limit,
    }
    return [to_schedule(row) for row in connection.execute(SQL.list_schedules, values)]
