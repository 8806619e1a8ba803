"""Undo: what a change did to a schedule, and the row that takes the change back. Pure.

A change is kept as the columns that it changed, with their values before and after. The engine may have moved the
schedule on since; then its definition is put back, and its next fire is found anew.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from duly.errors import ConflictError
from duly.planning.correction import next_from
from duly.zones import iso

if TYPE_CHECKING:
    from duly.planning.lifecycle import RowReader
    from duly.ports.records import StoredSchedule

_PLACE = ("next_fire_at", "next_run_at", "watermark", "fires")
"""Columns that the engine changes with every fire."""
_LEFT_ALONE = frozenset(
    (
        *("id", "namespace", "version", "created_at", "updated_at", "damage"),
        *("last_run_at", "last_status", "last_result", "consecutive_failures", "total_runs", "failing_since"),
    )
)
"""Columns that no undo touches: the identity of a schedule, and what its runs have left."""
_BY_ITSELF = frozenset((*_PLACE, *_LEFT_ALONE, "resting", "resting_since", "quarantine"))
"""Columns that change without a caller."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleStep:
    """One change of a schedule, as the columns that differ."""

    schedule_id: str
    mark: str
    """Stands for everything that callers can change, as it was after the change. Not the version: that rises with every
    undo, and an earlier step must still be possible then."""
    before: Mapping[str, Any]
    after: Mapping[str, Any]


def step_between(before: StoredSchedule, after: StoredSchedule) -> ScheduleStep | None:
    """Give the change that made one row out of another; None when no column changed that an undo could put back."""
    names = [each.name for each in fields(after) if each.name not in _LEFT_ALONE]
    changed = [name for name in names if getattr(before, name) != getattr(after, name)]
    if not changed:
        return None
    return ScheduleStep(
        schedule_id=after.id,
        mark=_mark(after),
        before={name: getattr(before, name) for name in changed},
        after={name: getattr(after, name) for name in changed},
    )


def _mark(row: StoredSchedule) -> str:
    found = {each.name: getattr(row, each.name) for each in fields(row) if each.name not in _BY_ITSELF}
    values = [f"{name}={_written(value)}" for name, value in found.items()]
    return hashlib.sha256("\n".join(values).encode()).hexdigest()


def _written(value: Any) -> str:
    """Write a value as it is after it was stored: a row that was just made has choices where a store gives text."""
    if isinstance(value, datetime):
        return iso(value)
    return repr(str(value)) if isinstance(value, str) else repr(value)


def put_back(row: StoredSchedule, step: ScheduleStep, now: datetime, read: RowReader) -> StoredSchedule:
    """Take a change back; raise `ConflictError` where another change came after it."""
    definition = [name for name in step.after if name not in _PLACE]
    if _mark(row) != step.mark:
        other = sorted(name for name in definition if getattr(row, name) != step.after[name])
        what = f" ({', '.join(other)})" if other else ""
        raise ConflictError(
            f"{row.name!r} was changed meanwhile{what}: nothing was undone; look at it, and change it by hand",
            current_version=row.version,
        )
    back = replace(row, **{name: step.before[name] for name in definition}, updated_at=now)
    place = [name for name in step.after if name in _PLACE]
    if all(getattr(row, name) == step.after[name] for name in place):
        return replace(back, **{name: step.before[name] for name in place})
    if not definition:
        raise ConflictError(f"{row.name!r} has fired meanwhile: nothing was undone", current_version=row.version)
    return _placed_anew(back, now, read)


def _placed_anew(row: StoredSchedule, now: datetime, read: RowReader) -> StoredSchedule:
    """Find the next fire of a schedule that has fired since the change that is taken back."""
    if not row.enabled:
        return replace(row, next_fire_at=None, next_run_at=None)
    fire_at = next_from(read.trigger(row.trigger), now, row.fires)
    if fire_at is None or (row.until_at is not None and fire_at > row.until_at):
        raise ConflictError(f"{row.name!r} has no further fire under its earlier times: nothing was undone")
    run_at = None if row.resting is not None else read.run_at(row, fire_at)
    return replace(row, next_fire_at=fire_at, next_run_at=run_at)
