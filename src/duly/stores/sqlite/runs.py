"""Runs, apart from the cycle: reading and cancelling them."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any

import apsw

from duly.model.run import Run, Status
from duly.ports.records import Claimed, RunFilter, Standing
from duly.stores.quarantine import find_damage
from duly.stores.sqlite.claiming import find_tokens
from duly.stores.sqlite.clock import decided
from duly.stores.sqlite.cycle import cancelled, promote
from duly.stores.sqlite.rows import show_run, time_of, to_claimed, to_run, to_time
from duly.stores.sqlite.transaction import SQL, write_events

if TYPE_CHECKING:
    from duly.model.events import Event


def get(connection: apsw.Connection, run_id: str) -> Run | None:
    """Read one run."""
    return next(iter(_select(connection, SQL.get_run, {"id": run_id}, show_run)), None)


def page(connection: apsw.Connection, wanted: RunFilter) -> list[Run]:
    """Read a page of runs, newest first."""
    if wanted.ids is not None:
        return _select(connection, SQL.runs_by_id, {"ids": json.dumps(wanted.ids)}, show_run)
    values = {
        "schedule_id": wanted.schedule_id,
        "before": wanted.before,
        "statuses": json.dumps(list(wanted.statuses)) if wanted.statuses else None,
        "limit": wanted.limit,
    }
    statement = SQL.list_runs if wanted.schedule_id is None else SQL.list_runs_of_schedule
    return _select(connection, statement, values, show_run)


_AT_ONCE = 2000  # schedules in one text


def standings(connection: apsw.Connection, namespace: str) -> list[Standing]:
    """Read how every schedule of a namespace stands; the caller holds a snapshot."""
    found: list[Standing] = []
    values: dict[str, Any] = {"namespace": namespace, "after": "", "limit": _AT_ONCE}
    while True:
        text, values["after"] = next(iter(connection.execute(SQL.standings, values)))
        if values["after"] is None:
            break
        found += [_to_standing(*each) for each in json.loads(text)]
    unfinished = _select(connection, SQL.unfinished, {"namespace": namespace}, to_run)
    if unfinished:
        by_id = {each.schedule_id: each for each in found}
        for run in unfinished:
            standing = by_id[run.fire.schedule_id]
            standing.unfinished = [*standing.unfinished, run]
    return found


def _to_standing(schedule_id: str, name: str, attempt: int | None, success: int | None) -> Standing:
    try:
        return Standing(schedule_id, name, to_time(attempt), to_time(success))
    except OverflowError as error:
        row = {"name": name, "started_at": attempt, "finished_at": success}
        raise find_damage("run", row, {"started_at": time_of, "finished_at": time_of}) from error


def cancel(connection: apsw.Connection, run_id: str, now: int, reason: str, events: Sequence[Event]) -> Run | None:
    """Cancel a run that has not started, or ask one under way to stop."""
    values = {"id": run_id, "now": now, "reason": reason}
    for status in (Status.PENDING, Status.WAITING):
        called_off = connection.execute(SQL.cancel_run, {**values, "status": status}).get
        if called_off is not None:
            schedule_id, in_line = called_off
            if in_line and status is Status.PENDING:  # one that only waited held no place to give away
                promote(connection, [schedule_id], now)
            decided(connection, now)
            write_events(connection, [*events, *cancelled(connection, [run_id], now)])
            break
    else:
        if connection.execute(SQL.ask_run_to_stop, values).get is not None:
            write_events(connection, events)
    return get(connection, run_id)


def asked_to_stop(connection: apsw.Connection, node_id: str) -> list[str]:
    """Find the runs of a node that were asked to stop."""
    return [row[0] for row in connection.execute(SQL.asked_to_stop, {"node_id": node_id})]


def note_progress(connection: apsw.Connection, run_id: str, fence: int, data: str) -> bool:
    """Record the progress of a run."""
    return connection.execute(SQL.progress, {"id": run_id, "fence": fence, "data": data}).get is not None


def adopt(connection: apsw.Connection, node_id: str, known: Collection[str]) -> list[Claimed]:
    """Read the runs that a node owns and does not know of."""
    rows = connection.execute(SQL.adopt, {"node_id": node_id})
    runs = [to_claimed(row, taken=False) for row in rows if row[0] not in known]
    find_tokens(connection, runs)
    return runs


def _select(
    connection: apsw.Connection, statement: str, values: dict[str, Any], read: Callable[[dict[str, Any]], Run]
) -> list[Run]:
    cursor = connection.execute(statement, values)
    runs = []
    for row in cursor:
        names = [column[0] for column in cursor.get_description()]
        runs.append(read(dict(zip(names, row, strict=True))))
    return runs
