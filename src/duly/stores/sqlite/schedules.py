"""Schedules: saving, editing, finding."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeVar

import apsw

from duly import failpoints
from duly.errors import InvalidInputError
from duly.ports.changes import Edited, EditResult, nothing_beside
from duly.stores.crud.beside import write_beside
from duly.stores.crud.narrowing import page_query
from duly.stores.schedule_changes import DELETED, Key, edit_rows, save_rows, targets_of
from duly.stores.sqlite.clock import decided
from duly.stores.sqlite.cycle import cancelled, promote
from duly.stores.sqlite.rows import SCHEDULE_COLUMNS, is_time, micros, schedule_values, shared_micros, to_schedule
from duly.stores.sqlite.transaction import SQL, SqliteTransaction, finish, get_schedules, run_many, write_events

if TYPE_CHECKING:
    from duly.ports.changes import Change, Merge, Recorder
    from duly.ports.quotas import Room
    from duly.ports.records import ScheduleFilter, StoredSchedule

_ID, _NAMESPACE, _NAME, _UPDATED_AT = map(SCHEDULE_COLUMNS.index, ("id", "namespace", "name", "updated_at"))
_TIMES = ("next_fire_at", "next_run_at", "updated_at")
_TIMING = itemgetter(*map(SCHEDULE_COLUMNS.index, ("id", *_TIMES)))
_BUT_TIMING = itemgetter(*(index for index, name in enumerate(SCHEDULE_COLUMNS) if name not in _TIMES))
_AT_ONCE = 5000  # rows that are turned into text at a time
_VALUES_AT_ONCE = 400  # rows that are turned into values at a time: what is kept for long costs collections of garbage
T = TypeVar("T")
_TAKEN = (apsw.SQLITE_CONSTRAINT_UNIQUE, apsw.SQLITE_CONSTRAINT_PRIMARYKEY)


@dataclass(slots=True)
class PendingWrites:
    """What a save will write, decided beforehand: values of columns in their order, except for the retimed."""

    ids: list[str] = field(default_factory=list)
    """The id that each row has, or will have."""
    fresh: list[StoredSchedule] = field(default_factory=list)
    """Rows and not their values: of very many these would take much more memory."""
    changed: dict[str, list[Any]] = field(default_factory=dict)
    retimed: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    """Those of which only times have changed: id, the two times of the next fire, and the time of the change."""
    prompts: list[StoredSchedule] = field(default_factory=list)
    deleted: list[StoredSchedule] = field(default_factory=list)
    other_policy: list[StoredSchedule] = field(default_factory=list)

    def add(self, before: Sequence[Any], after: StoredSchedule) -> None:
        """Note the new values of a stored schedule."""
        values = schedule_values(after)
        if _BUT_TIMING(before) == _BUT_TIMING(values):
            self.retimed[after.id] = _TIMING(values)
        else:
            self.changed[after.id] = values
        if after.deleted_at is not None:
            self.deleted.append(after)


def save(
    connection: apsw.Connection,
    rows: Sequence[StoredSchedule],
    merge: Merge,
    beside: Recorder,
    room: Room | None = None,
) -> list[str]:
    """Create or change many schedules at once."""
    edited: list[Edited] = []
    changes = work_out(rows, _there(connection, rows), merge, None if beside is nothing_beside else edited)
    write(connection, changes)
    if room is not None and changes.fresh:
        values = {"owner": room.namespace, "since": micros(room.since)}
        count = int(connection.execute(SQL.schedules_of_namespace, values).get)
        if count > room.at_most:
            raise room.refuse(count - len(changes.fresh))
    finish(write_beside(SqliteTransaction(connection), edited, beside(edited)))
    return changes.ids


def _there(connection: apsw.Connection, rows: Sequence[StoredSchedule]) -> Iterable[Sequence[Any]]:
    """Read what is stored under the names of rows."""
    if len(rows) == 1:
        return connection.execute(SQL.find_schedule, {"namespace": rows[0].namespace, "name": rows[0].name})
    names = json.dumps([(row.namespace, row.name) for row in rows])
    return connection.execute(SQL.named, {"names": names})


def work_out(
    rows: Iterable[StoredSchedule],
    there: Iterable[Sequence[Any]],
    merge: Merge,
    edited: list[Edited] | None = None,
) -> PendingWrites:
    """Decide what to write for rows that are handed in, given what is stored under their names. Pure.

    What changes is added to `edited`, where it is wanted.
    """
    stored = {(values[_NAMESPACE], values[_NAME]): values for values in there}

    def named(key: Key) -> StoredSchedule | None:
        values = stored.get(key)
        return None if values is None else to_schedule(values)

    saves = save_rows(rows, named, merge, edited)
    changes = PendingWrites(
        ids=saves.ids,
        fresh=list(saves.fresh.values()),
        prompts=list(saves.prompts.values()),
        other_policy=saves.other_policy,
    )
    by_id = {values[_ID]: values for values in stored.values()} if saves.changed else {}
    for row in saves.changed.values():
        changes.add(by_id[row.id], row)
    return changes


def write(connection: apsw.Connection, changes: PendingWrites) -> None:
    """Write what was decided."""
    for some in _slices(changes.fresh, _VALUES_AT_ONCE):
        values = [schedule_values(row) for row in some]
        try:
            run_many(connection, SQL.insert_schedule, values)
        except apsw.ConstraintError as error:
            _refuse_taken_names(values, error)
            raise
    failpoints.hit("save.inserted")
    times: set[int | None] = {shared_micros(row.updated_at) for row in changes.fresh}
    if changes.changed or changes.retimed:
        times |= _write_changed(connection, changes)
    if changes.prompts:
        _update_targets(connection, changes.prompts)
    _note_when(connection, times)


def _write_changed(connection: apsw.Connection, changes: PendingWrites) -> set[int | None]:
    """Write schedules that were there before; returns when they were changed."""
    _replace(connection, changes.changed.values())
    if changes.retimed:
        in_order = sorted(changes.retimed.values())  # as they are stored, so that neighbours are written together
        for each in _slices(in_order, _AT_ONCE):
            connection.execute(SQL.retime, {"retimed": json.dumps(each)})
    for row in changes.deleted:
        _cancel_runs(connection, row)
    _promote_runs(connection, changes.other_policy)
    times = {values[_UPDATED_AT] for values in changes.changed.values()}
    return times | {retimed[-1] for retimed in changes.retimed.values()}


def _slices(rows: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    for start in range(0, len(rows), size):
        yield rows[start : start + size]


def _note_when(connection: apsw.Connection, times: Collection[int | None]) -> None:
    """Note when schedules were changed: their next fires were worked out from that time."""
    if known := [at for at in times if is_time(at)]:
        decided(connection, max(known))


def edit(connection: apsw.Connection, ids: Collection[str], change: Change, beside: Recorder) -> EditResult:
    """Read schedules, change them and write them back."""
    edits = edit_rows(get_schedules(connection, ids), change)
    for row in edits.deleted:
        _cancel_runs(connection, row)
    _replace(connection, [schedule_values(row) for row in edits.changed])
    _update_targets(connection, edits.prompts)
    _promote_runs(connection, edits.other_policy)
    records = beside(edits.pairs)
    _note_when(connection, [micros(records.at or row.updated_at) for row in edits.changed])
    finish(write_beside(SqliteTransaction(connection), edits.pairs, records))
    return EditResult(rows=edits.result, changed=edits.pairs, records=records)


def _replace(connection: apsw.Connection, rows: Collection[Sequence[Any]]) -> None:
    if not rows:
        return
    try:
        connection.executemany(SQL.replace_schedule, ([*values[1:], values[_ID]] for values in rows))
    except apsw.ConstraintError as error:
        _refuse_taken_names(rows, error)
        raise


def _refuse_taken_names(rows: Collection[Sequence[Any]], error: apsw.ConstraintError) -> None:
    if getattr(error, "extendedresult", None) in _TAKEN:
        names = ", ".join(f"{values[_NAMESPACE]}/{values[_NAME]}" for values in rows)
        raise InvalidInputError(f"the name is taken: {names}; choose another") from error


def _cancel_runs(connection: apsw.Connection, row: StoredSchedule) -> None:
    now = micros(row.updated_at)
    values = {"schedule_id": row.id, "now": now, "reason": DELETED}
    called_off = sorted(run_id for (run_id,) in connection.execute(SQL.cancel_unstarted, values))
    connection.execute(SQL.ask_to_stop, values)
    write_events(connection, cancelled(connection, called_off, now))


def _promote_runs(connection: apsw.Connection, rows: Sequence[StoredSchedule]) -> None:
    """Let waiting runs begin: another policy may have more places."""
    if rows:
        promote(connection, [row.id for row in rows], micros(max(row.updated_at for row in rows)))


def _update_targets(connection: apsw.Connection, rows: Iterable[StoredSchedule]) -> None:
    """Make the targets of schedules those of their definitions; one that stays keeps its session."""
    wanted = {row.id: targets_of(row) for row in rows}
    if not wanted:
        return
    targets = [(schedule_id, *names) for schedule_id, named in wanted.items() for names in named]
    values = {"ids": json.dumps(list(wanted)), "targets": json.dumps(targets)}
    connection.execute(SQL.drop_targets, values)
    connection.execute(SQL.add_targets, values)


def find(connection: apsw.Connection, namespace: str, name: str) -> StoredSchedule | None:
    """Find the schedule that has a name now."""
    row = next(iter(connection.execute(SQL.find_schedule, {"namespace": namespace, "name": name})), None)
    return None if row is None else to_schedule(row)


def to_review(connection: apsw.Connection, resting: bool, after: str, limit: int) -> list[StoredSchedule]:
    """Read jobs and prompts that a daemon answers for: those that rest, or those that are planned."""
    query = SQL.review_resting if resting else SQL.review_planned
    return [to_schedule(row) for row in connection.execute(query, {"after": after, "limit": limit})]


def page(connection: apsw.Connection, wanted: ScheduleFilter) -> list[StoredSchedule]:
    """Read a page of schedules."""
    after_namespace, after_name = max(wanted.after or ("", ""), (wanted.namespace or "", ""))
    values = {
        "namespace": wanted.namespace,
        "enabled": wanted.enabled,
        "handler": wanted.handler,
        "source": wanted.source,
        "project": wanted.project,
        "quarantined": wanted.quarantined,
        "resting": wanted.resting,
        "token": wanted.token,
        "text": None if wanted.text is None else wanted.text.lower(),
        "after_namespace": after_namespace,
        "after_name": after_name,
        "limit": wanted.limit,
    }
    query, more = finish(page_query(SqliteTransaction(connection), wanted))
    return [to_schedule(row) for row in connection.execute(getattr(SQL, query), values | more)]
