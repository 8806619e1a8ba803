"""Schedules in the dict-backed store: saving and editing them, and what becomes of their runs."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime

from duly.errors import InvalidInputError
from duly.model.run import Status
from duly.ports.changes import Change, Edited, EditResult, Merge, Recorder, nothing_beside
from duly.ports.quotas import Room
from duly.ports.records import ScheduleFilter, Standing, StoredSchedule
from duly.stores.schedule_changes import DELETED, edit_rows, targets_of
from tests.memory_store.tables import Tables


def save(
    tables: Tables,
    rows: Sequence[StoredSchedule],
    merge: Merge,
    beside: Recorder = nothing_beside,
    room: Room | None = None,
) -> list[str]:
    """Write schedules under their names; returns their ids."""
    ids = []
    edited: list[Edited] = []
    before_all = _count(tables, room)
    for row in rows:
        before = tables.named(row.namespace, row.name)
        after = merge(None if before is None else replace(before), replace(row))
        if after is not None:
            edited.append(Edited(before, replace(after)))
            (tables.insert if before is None else tables.put)(after)
            tables.decided(after.updated_at)
            if after.deleted_at is not None:
                _cancel_runs(tables, after)
            if before is not None and after.policy != before.policy:
                tables.promote(after.id, after.updated_at)
        if (kept := after or before) is None:
            raise InvalidInputError(f"there is nothing to keep under {row.namespace}/{row.name}")
        ids.append(kept.id)
    if room is not None and before_all < _count(tables, room) > room.at_most:
        raise room.refuse(before_all)
    tables.write_beside(beside(edited))
    return ids


def _count(tables: Tables, room: Room | None) -> int:
    if room is None:
        return 0
    return sum(row.namespace == room.namespace and row.deleted_at is None for row in tables.schedules.values())


def edit(tables: Tables, ids: Collection[str], change: Change, beside: Recorder) -> EditResult:
    """Change schedules; returns them as they are now."""
    edits = edit_rows([tables.schedules[each] for each in ids if each in tables.schedules], change)
    for row in edits.changed:
        tables.put(row)
        tables.decided(row.updated_at)
    for row in edits.deleted:
        _cancel_runs(tables, row)
    for row in edits.other_policy:  # it may have more places
        tables.promote(row.id, row.updated_at)
    records = beside(edits.pairs)
    tables.write_beside(records)
    if edits.pairs and records.at is not None:
        tables.decided(records.at)
    return EditResult(rows=[replace(row) for row in edits.result], changed=edits.pairs, records=records)


def cancel_unbegun(tables: Tables, run_ids: Sequence[str], reason: str, now: datetime) -> None:
    """Cancel runs that have not begun."""
    for run in [tables.runs[each] for each in run_ids if each in tables.runs]:
        if run.status in (Status.PENDING, Status.WAITING):
            off = replace(run, status=Status.CANCELLED, reason=reason, finished_at=now)
            tables.runs[run.id] = off
            tables.tell_cancelled(run.id, now)


def _cancel_runs(tables: Tables, schedule: StoredSchedule) -> None:
    """Cancel the runs of a deleted schedule that have not begun, and ask the others to stop."""
    for run in tables.runs_of(schedule.id):
        if run.status is Status.RUNNING:
            tables.runs[run.id] = replace(run, cancel_requested=True, reason=DELETED)
        elif not run.status.final:
            off = replace(run, status=Status.CANCELLED, finished_at=schedule.updated_at, reason=DELETED)
            tables.runs[run.id] = off
            tables.tell_cancelled(run.id, schedule.updated_at)


def standing(tables: Tables, schedule: StoredSchedule) -> Standing:
    """Say when a schedule was last carried out, when it last succeeded, and which runs it has in front of it."""
    runs = sorted(tables.runs_of(schedule.id), key=lambda run: (run.fire.fire_at, run.id))
    left_out = (Status.SKIPPED, Status.CANCELLED)
    begun = [run.started_at for run in runs if run.started_at is not None and run.status not in left_out]
    succeeded = [run.finished_at for run in runs if run.status is Status.SUCCEEDED]
    return Standing(
        schedule.id,
        schedule.name,
        begun[-1] if begun else None,
        succeeded[-1] if succeeded else None,
        [tables.shown(run) for run in runs if run.finished_at is None],
    )


def is_wanted(row: StoredSchedule, wanted: ScheduleFilter) -> bool:
    """Tell whether a listing of schedules shows a row."""
    text = (wanted.text or "").lower()
    return (
        (row.deleted_at is not None) == wanted.deleted
        and wanted.namespace in (None, row.namespace)
        and wanted.enabled in (None, row.enabled)
        and wanted.handler in (None, row.handler)
        and wanted.source in (None, row.source)
        and wanted.quarantined in (None, row.quarantine is not None)
        and wanted.resting in (None, row.resting is not None)
        and wanted.token in (None, row.created_by, row.changed_by)
        and any(text in part.lower() for part in (row.name, row.description or "", row.action))
        and (wanted.project is None or any(wanted.project == project for project, _ in targets_of(row)))
        and (wanted.after is None or (row.namespace, row.name) > wanted.after)
    )
