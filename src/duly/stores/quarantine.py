"""Stored values that cannot be decoded: which column it is, and how the row is shown all the same."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from duly.errors import DecodeError
from duly.model.run import Origin, Status
from duly.ports.records import Damage, StoredSchedule

Reader = Callable[[Any], object]
RUN_READERS: dict[str, Reader] = {"origin": Origin, "status": Status, "result": json.loads, "progress": json.loads}
"""How to read the columns of a run that every store keeps as text."""
RUN_TIMES = ("fire_at", "due_at", "started_at", "finished_at", "first_skipped_at")
RUN_STAND_INS = {"origin": Origin.SCHEDULE, "status": Status.DEAD}
"""Shown in place of columns of a run that cannot be read."""
EARLIEST = datetime.min.replace(tzinfo=UTC)
LATEST = datetime.max.replace(tzinfo=UTC)
LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)
_STAND_INS = dict.fromkeys(("created_at", "updated_at", "deleted_at"), LONG_AGO)
"""Shown in place of a time of a schedule that must be there; every other time is shown as None."""
_PLANNED = ("next_fire_at", "next_run_at")


def find_damage(what: str, row: Mapping[str, Any], readers: Mapping[str, Reader]) -> DecodeError:
    """Find the first column of a row that cannot be read; called after reading the row has failed."""
    for name, read in readers.items():
        try:
            if row[name] is not None:
                read(row[name])
        except (ValueError, OverflowError) as error:
            return damaged(what, name, row, str(error))
    return DecodeError(what, dict(row), "cannot be read")


def showable_run(row: Mapping[str, Any], readers: Mapping[str, Reader], stand_ins: Mapping[str, Any]) -> dict[str, Any]:
    """Replace the columns of a run that cannot be read, and give it the reason, so that it can be listed."""
    whole = {**row, "reason": str(find_damage("run", row, readers))}
    for name, read in readers.items():
        try:
            if row[name] is not None:
                read(row[name])
        except (ValueError, OverflowError):
            whole[name] = stand_ins.get(name)
    return whole


def damaged(what: str, column: str, row: Mapping[str, Any], reason: str) -> DecodeError:
    """Make the error for a column that cannot be read, with a note that names the schedule."""
    error = DecodeError(f"{what}.{column}", row[column], f"cannot be read ({reason})")
    error.add_note(f'in the persisted state of "{row["name"]}"')
    return error


def quarantined_schedule(row: Mapping[str, Any], unreadable: Mapping[str, Any], reason: str) -> StoredSchedule:
    """Make a schedule of a row with times that cannot be read: everything else is shown, and the reason."""
    error = damaged("schedule", next(iter(unreadable)), row, reason)
    stand_ins = {name: _STAND_INS.get(name) for name in unreadable}
    why = f"{error}; save the schedule again under its name, or delete it"
    return StoredSchedule(**{**row, **stand_ins, "quarantine": why}, damage=Damage(error, unreadable))


def unreadable_values(row: StoredSchedule) -> dict[str, Any]:
    """Return the stored values that could not be read and were not changed since, to be written back as they were.

    The times of the next fire are left out: the writer works them out anew.
    """
    if row.damage is None:
        return {}
    return {
        name: value
        for name, value in row.damage.values.items()
        if name not in _PLANNED and getattr(row, name) == _STAND_INS.get(name)
    }
