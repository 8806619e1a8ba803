"""Stored values that cannot be read: which one it is, and whose."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from duly.errors import DecodeError
from duly.model.events import RUN_DEAD, Event
from duly.model.run import Origin, Status
from duly.ports.records import Damage, StoredSchedule

Reader = Callable[[Any], object]
OF_RUNS: dict[str, Reader] = {"origin": Origin, "status": Status, "result": json.loads, "progress": json.loads}
"""How the columns of a run are read that every store keeps as text."""
EARLIEST, LATEST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
RUN_STAND_INS = {"origin": Origin.SCHEDULE, "status": Status.DEAD}
LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)
_STAND_INS = dict.fromkeys(("created_at", "updated_at", "deleted_at"), LONG_AGO)
"""What is shown instead of a time that must be there; of others, that there is none."""
_PLANNED = ("next_fire_at", "next_run_at")


def find_damage(what: str, row: Mapping[str, Any], readers: Mapping[str, Reader]) -> DecodeError:
    """The first column of a row that cannot be read; looked for once reading all of it has failed."""
    for name, read in readers.items():
        try:
            if row[name] is not None:
                read(row[name])
        except (ValueError, OverflowError) as error:
            return damaged(what, name, row, str(error))
    return DecodeError(what, dict(row), "cannot be read")


def mended(row: Mapping[str, Any], readers: Mapping[str, Reader], stand_ins: Mapping[str, Any]) -> dict[str, Any]:
    """A run with stand-ins for what cannot be read, and with the reason: so it is shown among the others."""
    whole = {**row, "reason": str(find_damage("run", row, readers))}
    for name, read in readers.items():
        try:
            if row[name] is not None:
                read(row[name])
        except (ValueError, OverflowError):
            whole[name] = stand_ins.get(name)
    return whole


def damaged(what: str, column: str, row: Mapping[str, Any], reason: str) -> DecodeError:
    """A column that cannot be read, with a note that says in which schedule."""
    error = DecodeError(f"{what}.{column}", row[column], f"cannot be read ({reason})")
    error.add_note(f'in the persisted state of "{row["name"]}"')
    return error


def run_set_aside(run_id: str, schedule_id: str, name: str, attempt: int, damage: DecodeError, now: datetime) -> Event:
    """Told of a run that cannot be carried out, for nobody can read it; `attempt` was its last."""
    data = {"name": name, "reason": str(damage), "attempt": attempt}
    return Event(RUN_DEAD, now, schedule_id, run_id, data=data)


def set_aside(row: Mapping[str, Any], unreadable: Mapping[str, Any], reason: str) -> StoredSchedule:
    """A schedule with times that nobody can read: everything else of it is shown, and why it is in quarantine."""
    error = damaged("schedule", next(iter(unreadable)), row, reason)
    stand_ins = {name: _STAND_INS.get(name) for name in unreadable}
    why = f"{error}; save the schedule again under its name, or delete it"
    return StoredSchedule(**{**row, **stand_ins, "quarantine": why}, damage=Damage(error, unreadable))


def kept(row: StoredSchedule) -> dict[str, Any]:
    """What nobody could read, for writing it back as it was: only what was given another value is changed.

    When it fires next is worked out anew by whoever writes.
    """
    if row.damage is None:
        return {}
    return {
        name: value
        for name, value in row.damage.values.items()
        if name not in _PLANNED and getattr(row, name) == _STAND_INS.get(name)
    }
