"""Converts rows of PostgreSQL to records and back; many records become one array per column."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from duly.errors import InvalidInputError
from duly.model.events import Event
from duly.model.run import Fire, Origin, Run, Status
from duly.planning.places import SHARED_LANE
from duly.ports.records import SCHEDULE_COLUMNS, Advance, Claimed, Due, NewRun, Settlement, StoredSchedule
from duly.stores.postgres.arrays import ArrayColumn, FlagArray, NumberArray, TextArray, TimeArray
from duly.stores.postgres.unreadable import OUTSIDE
from duly.stores.quarantine import (
    LONG_AGO,
    RUN_READERS,
    RUN_STAND_INS,
    RUN_TIMES,
    damaged,
    find_damage,
    quarantined_schedule,
    showable_run,
    unreadable_values,
)


def _kind(hint: str) -> type[ArrayColumn]:
    kinds: dict[str, type[ArrayColumn]] = {
        "datetime": TimeArray,
        "bool": FlagArray,
        "int": NumberArray,
        "str": TextArray,
    }
    return kinds[hint.split(" ")[0]]


_SCHEDULE = {each.name: _kind(str(each.type)) for each in SCHEDULE_COLUMNS}
_NAMES = tuple(_SCHEDULE)
_TIMES = tuple(name for name, kind in _SCHEDULE.items() if kind is TimeArray)
_TIMES_OF_DUE = slice(7, 10)
_DATA = json.JSONEncoder(default=str)


def schedule_columns(rows: Sequence[StoredSchedule]) -> dict[str, ArrayColumn]:
    """Turn schedules into one array per column."""
    columns: dict[str, ArrayColumn] = {}
    unreadable = {index: unreadable_values(row) for index, row in enumerate(rows) if row.damage is not None}
    for name, kind in _SCHEDULE.items():
        values = [getattr(row, name) for row in rows]
        for index, found in unreadable.items():
            values[index] = found.get(name, values[index])
        try:
            columns[name] = kind(values)
        except InvalidInputError as error:
            raise InvalidInputError(f"{name} of a schedule: {error}") from None
    return columns


def to_schedule(row: Iterable[Any]) -> StoredSchedule:
    """Read a schedule from the values of its columns; a time outside the calendar is a number there."""
    values = dict(zip(_NAMES, row, strict=True))
    unreadable = {name: values[name] for name in _TIMES if isinstance(values[name], int)}
    return quarantined_schedule(values, unreadable, OUTSIDE) if unreadable else StoredSchedule(**values)


def to_due(row: tuple[Any, ...]) -> Due:
    """Read a due schedule from a row of `due` or `by_ids`; with an unreadable time, planning quarantines it."""
    due = Due(*row[:-2])
    due.created_by, due.changed_by = row[-2:]
    if int in map(type, row[_TIMES_OF_DUE]):
        due.next_fire_at = due.next_run_at = due.until_at = None
    return due


def settlement_columns(settlements: Sequence[Settlement]) -> dict[str, ArrayColumn]:
    """Turn settlements into one array per column."""
    return {
        "ids": TextArray([each.run_id for each in settlements]),
        "fences": NumberArray([each.fence for each in settlements]),
        "statuses": TextArray([each.status for each in settlements]),
        "finished": TimeArray([each.finished_at for each in settlements]),
        "results": TextArray([each.result for each in settlements]),
        "errors": TextArray([storable(each.error) for each in settlements]),
        "reasons": TextArray([storable(each.reason) for each in settlements]),
        "retries": TimeArray([each.retry_at for each in settlements]),
        "goes_on": NumberArray([each.goes_on + each.same_attempt for each in settlements]),
    }


def success_columns(settlements: Sequence[Settlement]) -> dict[str, ArrayColumn]:
    """Turn simple settlements into one array per column."""
    return {
        "ids": TextArray([each.run_id for each in settlements]),
        "fences": NumberArray([each.fence for each in settlements]),
        "schedule_ids": TextArray([each.schedule_id for each in settlements]),
        "finished": TimeArray([each.finished_at for each in settlements]),
        "results": TextArray([each.result for each in settlements]),
    }


def storable(text: str | None) -> str | None:
    """Replace characters that PostgreSQL cannot store, so that an outcome is not lost over one of them."""
    if text is None or (text.isascii() and "\0" not in text):
        return text
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}").encode(errors="backslashreplace").decode()


class RunOutcome(NamedTuple):
    """How a run ended and when it last ran, as its schedule remembers it."""

    schedule_id: str
    status: str
    result: str | None
    ran_at: datetime | None


def outcome_columns(outcomes: Sequence[RunOutcome]) -> dict[str, ArrayColumn]:
    """Turn outcomes into one array per column."""
    return {
        "schedule_ids": TextArray([each.schedule_id for each in outcomes]),
        "statuses": TextArray([each.status for each in outcomes]),
        "results": TextArray([each.result for each in outcomes]),
        "ran": TimeArray([each.ran_at for each in outcomes]),
    }


def new_run_columns(runs: Sequence[NewRun], lanes: Mapping[str, str]) -> dict[str, ArrayColumn]:
    """Turn new runs into one array per column; `lanes` are those of their schedules, by id."""
    return {
        "ids": TextArray([run.id for run in runs]),
        "schedule_ids": TextArray([run.schedule_id for run in runs]),
        "origins": TextArray([run.origin for run in runs]),
        "fires": TimeArray([run.fire_at for run in runs]),
        "dues": TimeArray([run.due_at for run in runs]),
        "handlers": TextArray([run.handler for run in runs]),
        "lanes": TextArray([lanes.get(run.schedule_id, SHARED_LANE) for run in runs]),
        "statuses": TextArray([run.status for run in runs]),
        "in_line": FlagArray([run.in_line for run in runs]),
        "reasons": TextArray([run.reason for run in runs]),
        "skipped": NumberArray([run.skipped for run in runs]),
        "first_skipped": TimeArray([run.first_skipped_at for run in runs]),
    }


def advance_columns(advances: Sequence[Advance]) -> dict[str, ArrayColumn]:
    """Turn new states of schedules into one array per column."""
    return {
        "advanced": TextArray([each.schedule_id for each in advances]),
        "enabled": FlagArray([each.enabled for each in advances]),
        "next_fires": TimeArray([each.next_fire_at for each in advances]),
        "next_runs": TimeArray([each.next_run_at for each in advances]),
        "watermarks": TimeArray([each.watermark for each in advances]),
        "numbers_of_fires": NumberArray([each.fires for each in advances]),
        "quarantines": TextArray([storable(each.quarantine) for each in advances]),
        "disabled_by": TextArray([each.disabled_by for each in advances]),
    }


def event_columns(events: Sequence[Event]) -> dict[str, ArrayColumn]:
    """Turn events into one array per column."""
    return {
        "at": TimeArray([event.at for event in events]),
        "names": TextArray([event.kind.name for event in events]),
        "schedule_ids": TextArray([event.schedule_id for event in events]),
        "run_ids": TextArray([event.run_id for event in events]),
        "node_ids": TextArray([event.node_id for event in events]),
        "data": TextArray([_DATA.encode(event.data) for event in events]),
    }


def to_claimed(row: tuple[Any, ...]) -> Claimed:
    """Read a run from a row of `claim`, `claim_chosen` or `adopt`."""
    run_id, schedule_id, namespace, name, origin, *rest = row
    times = {"fire_at": rest[0], "due_at": rest[1]}
    for column, moment in times.items():
        if isinstance(moment, int):
            raise damaged("run", column, {"name": name, column: moment}, OUTSIDE)
    try:
        return Claimed(run_id, schedule_id, namespace, name, Origin(origin), *rest)
    except ValueError as error:
        raise find_damage("run", {"name": name, "origin": origin}, {"origin": Origin}) from error


def to_run(row: tuple[Any, ...]) -> Run:
    """Read a run from a row of `get_run` or `list_runs`."""
    try:
        return _to_run(row)
    except ValueError as error:
        texts = {"origin": row[2], "name": row[5], "status": row[7], "result": row[15], "progress": row[20]}
        raise find_damage("run", texts, RUN_READERS) from error


def show_run(row: tuple[Any, ...]) -> Run:
    """Read a run to be shown: one that cannot be decoded is shown with the reason. Its times may be numbers."""
    try:
        if not any(isinstance(row[index], int) for index in _RUN_TIMES):
            return _to_run(row)
    except ValueError:
        pass
    named = dict(zip(_RUN_COLUMNS, row, strict=True))
    return _to_run(
        tuple(showable_run(named, _RUN_READERS, RUN_STAND_INS | {"fire_at": LONG_AGO, "due_at": LONG_AGO}).values())
    )


def _a_time(value: datetime | int) -> datetime:
    if isinstance(value, int):
        raise ValueError(OUTSIDE)  # noqa: TRY004  of the right type it cannot be
    return value


_RUN_COLUMNS = (
    *("id", "schedule_id", "origin", "fire_at", "namespace", "name", "handler", "status", "due_at", "attempt", "lost"),
    *("fence", "owner", "started_at", "finished_at", "result", "error", "reason", "skipped", "first_skipped_at"),
    *("progress", "cancel_requested"),
)
_RUN_READERS = RUN_READERS | dict.fromkeys(RUN_TIMES, _a_time)
_RUN_TIMES = tuple(_RUN_COLUMNS.index(name) for name in RUN_TIMES)


def _to_run(row: tuple[Any, ...]) -> Run:
    run_id, schedule_id, origin, fire_at, namespace, name, handler, status, due_at, *row_rest = row
    attempt, lost, fence, owner, started_at, finished_at, result, error, reason, *row_rest = row_rest
    skipped, first_skipped_at, progress, cancel_requested = row_rest
    return Run(
        id=run_id,
        fire=Fire(schedule_id, Origin(origin), fire_at),
        namespace=namespace,
        name=name,
        handler=handler,
        status=Status(status),
        due_at=due_at,
        attempt=attempt,
        lost=lost,
        fence=fence,
        owner=owner,
        started_at=started_at,
        finished_at=finished_at,
        result=None if result is None else json.loads(result),
        error=error,
        reason=reason,
        skipped=skipped,
        first_skipped_at=first_skipped_at,
        progress=None if progress is None else json.loads(progress),
        cancel_requested=cancel_requested,
    )
