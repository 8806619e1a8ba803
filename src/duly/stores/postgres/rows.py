"""Rows of the PostgreSQL store to records and back, one column at a time where there are many."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from duly.errors import InvalidInputError
from duly.model.events import CATALOGUE, Event, EventKind
from duly.model.run import Fire, Origin, Run, Status
from duly.planning.places import SHARED_LANE
from duly.ports.records import SCHEDULE_COLUMNS, Advance, Claimed, Due, NewRun, Settlement, StoredSchedule
from duly.stores.damage import LONG_AGO, OF_RUNS, RUN_STAND_INS, damaged, find_damage, kept, mended, set_aside
from duly.stores.postgres.arrays import Column, Flags, Numbers, Texts, Times
from duly.stores.postgres.unreadable import OUTSIDE


def _kind(hint: str) -> type[Column]:
    kinds: dict[str, type[Column]] = {"datetime": Times, "bool": Flags, "int": Numbers, "str": Texts}
    return kinds[hint.split(" ")[0]]


_SCHEDULE = {each.name: _kind(str(each.type)) for each in SCHEDULE_COLUMNS}
_NAMES = tuple(_SCHEDULE)
_TIMES = tuple(name for name, kind in _SCHEDULE.items() if kind is Times)


def schedule_columns(rows: Sequence[StoredSchedule]) -> dict[str, Column]:
    """Schedules, column by column."""
    columns: dict[str, Column] = {}
    unreadable = {index: kept(row) for index, row in enumerate(rows) if row.damage is not None}
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
    """A schedule from the values of its columns; a time nobody can read is a number."""
    values = dict(zip(_NAMES, row, strict=True))
    unreadable = {name: values[name] for name in _TIMES if isinstance(values[name], int)}
    return set_aside(values, unreadable, OUTSIDE) if unreadable else StoredSchedule(**values)


def to_due(row: tuple[Any, ...]) -> Due:
    """A due schedule from a row of `due` or `by_ids`; a time nobody can read is none, and planning sets it aside."""
    *of_due, created_by, changed_by = row
    due = Due(*of_due)
    due.created_by, due.changed_by = created_by, changed_by
    if any(isinstance(each, int) for each in (due.next_fire_at, due.next_run_at, due.until_at)):
        due.next_fire_at = due.next_run_at = due.until_at = None
    return due


def settlement_columns(settlements: Sequence[Settlement]) -> dict[str, Column]:
    """Settlements, column by column."""
    return {
        "ids": Texts([each.run_id for each in settlements]),
        "fences": Numbers([each.fence for each in settlements]),
        "statuses": Texts([each.status for each in settlements]),
        "finished": Times([each.finished_at for each in settlements]),
        "results": Texts([each.result for each in settlements]),
        "errors": Texts([storable(each.error) for each in settlements]),
        "reasons": Texts([storable(each.reason) for each in settlements]),
        "retries": Times([each.retry_at for each in settlements]),
        "goes_on": Flags([each.goes_on for each in settlements]),
    }


def storable(text: str | None) -> str | None:
    """What a handler said when it failed, whatever it said: an outcome must not get lost over a character."""
    if text is None or (text.isascii() and "\0" not in text):
        return text
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}").encode(errors="backslashreplace").decode()


class Outcome(NamedTuple):
    """How a run ended and when it last ran, as its schedule remembers it."""

    schedule_id: str
    status: str
    result: str | None
    ran_at: datetime | None


def outcome_columns(outcomes: Sequence[Outcome]) -> dict[str, Column]:
    """Outcomes, column by column."""
    return {
        "schedule_ids": Texts([each.schedule_id for each in outcomes]),
        "statuses": Texts([each.status for each in outcomes]),
        "results": Texts([each.result for each in outcomes]),
        "ran": Times([each.ran_at for each in outcomes]),
    }


def new_run_columns(runs: Sequence[NewRun], lanes: Mapping[str, str]) -> dict[str, Column]:
    """Runs to record, column by column; `lanes` are those of their schedules, by id."""
    return {
        "ids": Texts([run.id for run in runs]),
        "schedule_ids": Texts([run.schedule_id for run in runs]),
        "origins": Texts([run.origin for run in runs]),
        "fires": Times([run.fire_at for run in runs]),
        "dues": Times([run.due_at for run in runs]),
        "handlers": Texts([run.handler for run in runs]),
        "lanes": Texts([lanes.get(run.schedule_id, SHARED_LANE) for run in runs]),
        "statuses": Texts([run.status for run in runs]),
        "in_line": Flags([run.in_line for run in runs]),
        "reasons": Texts([run.reason for run in runs]),
        "skipped": Numbers([run.skipped for run in runs]),
        "first_skipped": Times([run.first_skipped_at for run in runs]),
    }


def advance_columns(advances: Sequence[Advance]) -> dict[str, Column]:
    """New states of schedules, column by column."""
    return {
        "advanced": Texts([each.schedule_id for each in advances]),
        "enabled": Flags([each.enabled for each in advances]),
        "next_fires": Times([each.next_fire_at for each in advances]),
        "next_runs": Times([each.next_run_at for each in advances]),
        "watermarks": Times([each.watermark for each in advances]),
        "numbers_of_fires": Numbers([each.fires for each in advances]),
        "quarantines": Texts([storable(each.quarantine) for each in advances]),
        "disabled_by": Texts([each.disabled_by for each in advances]),
    }


def event_columns(events: Sequence[Event]) -> dict[str, Column]:
    """Events, column by column."""
    return {
        "at": Times([event.at for event in events]),
        "names": Texts([event.kind.name for event in events]),
        "schedule_ids": Texts([event.schedule_id for event in events]),
        "run_ids": Texts([event.run_id for event in events]),
        "node_ids": Texts([event.node_id for event in events]),
        "data": Texts([json.dumps(event.data, default=str) for event in events]),
    }


def to_claimed(row: tuple[Any, ...]) -> Claimed:
    """A run from a row of `claim`, `claim_chosen` or `adopt`."""
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
    """A run from a row of `get_run` or `list_runs`."""
    try:
        return _to_run(row)
    except ValueError as error:
        texts = {"origin": row[2], "name": row[5], "status": row[7], "result": row[15], "progress": row[20]}
        raise find_damage("run", texts, OF_RUNS) from error


def show_run(row: tuple[Any, ...]) -> Run:
    """The same for whoever only looks: one that cannot be read is shown with the reason. Its times may be numbers."""
    try:
        if not any(isinstance(row[index], int) for index in _RUN_TIMES):
            return _to_run(row)
    except ValueError:
        pass
    named = dict(zip(_RUN_COLUMNS, row, strict=True))
    return _to_run(tuple(mended(named, _OF_RUNS, RUN_STAND_INS | {"fire_at": LONG_AGO, "due_at": LONG_AGO}).values()))


def _a_time(value: datetime | int) -> datetime:
    if isinstance(value, int):
        raise ValueError(OUTSIDE)  # noqa: TRY004  of the right type it cannot be
    return value


_RUN_COLUMNS = (
    *("id", "schedule_id", "origin", "fire_at", "namespace", "name", "handler", "status", "due_at", "attempt", "lost"),
    *("fence", "owner", "started_at", "finished_at", "result", "error", "reason", "skipped", "first_skipped_at"),
    *("progress", "cancel_requested"),
)
_OF_RUNS = OF_RUNS | dict.fromkeys(("fire_at", "due_at", "started_at", "finished_at", "first_skipped_at"), _a_time)
_RUN_TIMES = tuple(index for index, name in enumerate(_RUN_COLUMNS) if _OF_RUNS.get(name) is _a_time)


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


def to_event(row: tuple[Any, ...]) -> tuple[int, Event]:
    """An entry of the journal; one from a newer duly keeps its name."""
    seq, at, name, schedule_id, run_id, node_id, data = row
    kind = CATALOGUE.get(name) or EventKind(name, "unknown to this version of duly", durable=True)
    return seq, Event(kind, at, schedule_id, run_id, node_id, json.loads(data))
