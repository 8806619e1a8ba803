"""What the dict-backed store answers when it is only asked: figures, trouble, and which rows a filter wants."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import datetime

from duly.model.events import Event
from duly.model.run import Status
from duly.planning.places import SHARED_LANE, lane_of
from duly.ports.records import EventFilter, ScheduleFilter, StoredSchedule
from duly.ports.upkeep import LOOKED_AHEAD, Overview, Troubled
from duly.stores.schedule_changes import targets_of
from duly.stores.upcoming import PendingOfHandler, Upcoming
from tests.memory_store.rows import NodeRow
from tests.memory_store.tables import Tables


def overview(tables: Tables, nodes: Mapping[str, NodeRow], now: datetime, at_most: int | None) -> Overview:
    """The figures health is judged by; `nodes` are those that live."""
    schedules = [each for each in tables.schedules.values() if each.deleted_at is None]
    runs = tables.runs.values()
    pending = [run for run in runs if run.status is Status.PENDING]
    unplanned = [each.next_run_at for each in tables.schedules.values() if each.next_run_at is not None]
    due = [*unplanned, *(run.due_at for run in pending)]
    served = {handler for node in nodes.values() for handler in node.record.handlers}
    unserved = Counter(run.handler for run in pending if run.due_at <= now and run.handler not in served)
    counted, active = schedules[:at_most], [run for run in runs if not run.status.final][:at_most]
    return Overview(
        schedules=len(counted),
        enabled=sum(each.enabled for each in counted),
        quarantined=sum(each.quarantine is not None for each in schedules),
        pending=sum(run.status is Status.PENDING for run in active),
        waiting=sum(run.status is Status.WAITING for run in active),
        running=sum(run.status is Status.RUNNING for run in active),
        oldest_due_at=min((at for at in due if at <= now), default=None),
        unserved={handler: min(number, at_most or number) for handler, number in unserved.items()},
        nodes=list(nodes),
        oldest_unplanned_at=min((at for at in unplanned if at <= now), default=None),
        corrected=tables.clock.corrected,
    )


def troubled(tables: Tables, now: datetime, served: Collection[str], ended_after: datetime, limit: int) -> Troubled:
    """Schedules that may need attention, a bounded number of each kind."""
    rows = [row for row in tables.schedules.values() if row.deleted_at is None]
    held_up: dict[str, datetime] = {}
    for run in tables.runs.values():
        if run.status is Status.PENDING and run.due_at <= now:
            held_up[run.fire.schedule_id] = min(run.due_at, held_up.get(run.fire.schedule_id, run.due_at))
    coming = sorted(
        ((row.next_run_at, row.id, row) for row in rows if row.next_run_at is not None and row.next_run_at > now),
        key=lambda each: each[:2],
    )
    kinds = [
        sorted(
            (row for row in rows if row.failing_since is not None and row.enabled),
            key=lambda row: str(row.failing_since),
        ),
        [row for row in rows if _ended_badly(row, ended_after)],
        [row for row in rows if row.quarantine is not None],
        [row for row in rows if row.resting is not None],
        [row for row in tables.due(now) if row.deleted_at is None],
        [row for _, _, row in coming[: LOOKED_AHEAD * limit] if row.handler not in served],
        [row for row in tables.schedules.values() if row.id in held_up],
    ]
    found = {row.id: replace(row) for kind in kinds for row in kind[:limit]}
    return Troubled(rows=[found[each] for each in sorted(found)], held_up=held_up)


def _ended_badly(row: StoredSchedule, after: datetime) -> bool:
    is_over = not row.enabled and row.disabled_by == "finished"
    return is_over and row.failing_since is not None and row.failing_since >= after


def is_wanted(row: StoredSchedule, wanted: ScheduleFilter) -> bool:
    """Whether a listing of schedules shows a row."""
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


def is_wanted_event(tables: Tables, seq: int, event: Event, wanted: EventFilter) -> bool:
    """Whether a reading of the journal shows an event."""
    of = tables.schedules.get(event.schedule_id or "")
    return (
        wanted.after < seq < wanted.before
        and wanted.schedule_id in (None, event.schedule_id)
        and wanted.run_id in (None, event.run_id)
        and (not wanted.names or event.kind.name in wanted.names)
        and (wanted.since is None or event.at >= wanted.since)
        and (wanted.until is None or event.at < wanted.until)
        and (wanted.namespace is None or (of is not None and of.namespace == wanted.namespace))
        and (wanted.project is None or (of is not None and wanted.project in {each for each, _ in targets_of(of)}))
    )


def look(tables: Tables, now: datetime, handlers: Collection[str]) -> Upcoming:
    """When the next schedule is due, and when the pending runs of some handlers are."""
    schedules = [each.next_run_at for each in tables.schedules.values() if each.next_run_at is not None]
    found = {}
    for handler in handlers:
        runs = tables.pending([handler])
        shared = [run.due_at for run in runs if lane_of(run.namespace) == SHARED_LANE]
        owners = [run.due_at for run in runs if lane_of(run.namespace) != SHARED_LANE]
        firsts = (shared, owners, [at for at in owners if at > now])
        found[handler] = PendingOfHandler(handler, *(min(each, default=None) for each in firsts))
    return Upcoming(min(schedules, default=None), found)
