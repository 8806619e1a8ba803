"""Maintenance of the dict-backed store: figures of its health, pruning, and correcting a clock that was ahead."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

from duly.model.events import Event
from duly.model.handover import Handover
from duly.model.ids import RUN, make_id
from duly.model.run import Origin, Run, Status
from duly.planning.clock_marks import (
    LEFT_TO_ITS_TIME,
    ClockMarks,
    Corrected,
    Correction,
    FireAhead,
    Placement,
    is_ahead,
)
from duly.ports.records import EventFilter, StoredSchedule
from duly.ports.upkeep import LOOKED_AHEAD, Ahead, Correct, DueAgain, Overview, Pruned, PrunePlace, Troubled
from duly.stores.run_records import clock_corrected
from duly.stores.schedule_changes import targets_of
from tests.memory_store.tables import ClockRow, NodeRow, Tables

_Key = tuple[Any, ...]


# health


def overview(tables: Tables, nodes: Mapping[str, NodeRow], now: datetime, at_most: int | None) -> Overview:
    """Count what health is judged by; `nodes` are the living ones."""
    schedules = [each for each in tables.schedules.values() if each.deleted_at is None]
    runs = tables.runs.values()
    pending = [run for run in runs if run.status is Status.PENDING]
    unplanned = [each.next_run_at for each in tables.schedules.values() if each.next_run_at is not None]
    due = [*unplanned, *(run.due_at for run in pending)]
    served = {handler for node in nodes.values() for handler in node.record.handlers}
    unserved = Counter(run.handler for run in pending if run.due_at <= now and run.handler not in served)
    counted = schedules[:at_most]
    active = [run for run in runs if not run.status.final][:at_most]
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
    """Find schedules that may need attention, a bounded number of each kind."""
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


def is_wanted_event(tables: Tables, seq: int, event: Event, wanted: EventFilter) -> bool:
    """Tell whether a page of the journal shows an event."""
    schedule = tables.schedules.get(event.schedule_id or "")
    return (
        wanted.after < seq < wanted.before
        and wanted.schedule_id in (None, event.schedule_id)
        and wanted.run_id in (None, event.run_id)
        and (not wanted.names or event.kind.name in wanted.names)
        and (wanted.since is None or event.at >= wanted.since)
        and (wanted.until is None or event.at < wanted.until)
        and (wanted.namespace is None or (schedule is not None and schedule.namespace == wanted.namespace))
        and (
            wanted.project is None
            or (schedule is not None and wanted.project in {each for each, _ in targets_of(schedule)})
        )
    )


# pruning


class Pruning:
    """Deletes old rows, a batch at a time, in the same order as the real stores."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def prune(self, before: datetime, limit: int, place: PrunePlace) -> Pruned:
        """Delete one batch of what is finished and old; of each table at most `limit` rows are looked at."""
        kinds: list[Callable[[datetime], dict[_Key, Callable[[], bool]]]] = [
            self._old_runs,
            self._old_schedules,
            self._old_nodes,
            self._old_events,
        ]
        deleted = [0] * len(kinds)
        kind = place.kind
        after = place.after
        while kind < len(kinds) and (left := limit - sum(deleted)) > 0:
            old = kinds[kind](before)
            batch = [key for key in sorted(old) if key > after][:left]
            deleted[kind] = sum(old[key]() for key in batch)
            if len(batch) == left:
                after = batch[-1]
                break
            kind += 1
            after = ()
        go_on_at = PrunePlace(kind=kind, after=after) if kind < len(kinds) else None
        return Pruned(runs=deleted[0], rows=sum(deleted), go_on_at=go_on_at)

    def _old_runs(self, before: datetime) -> dict[_Key, Callable[[], bool]]:
        """Find runs made before a time: by their sort key, the function that deletes the run unless it has to stay."""
        made_before = make_id(RUN, before, lambda _bits: 0)
        old = [run for run in self._tables.runs.values() if run.id < made_before]
        return {(run.id,): partial(self._delete_run, run, before) for run in old}

    def _delete_run(self, run: Run, before: datetime) -> bool:
        goes = run.status.final and run.fire.fire_at < before
        if goes:
            del self._tables.runs[run.id]
            self._tables.in_line.discard(run.id)
            self._tables.forget_details(run.id)
        return goes

    def _old_schedules(self, before: datetime) -> dict[_Key, Callable[[], bool]]:
        return {
            (row.deleted_at, row.id): partial(self._delete_schedule, row.id)
            for row in self._tables.schedules.values()
            if row.deleted_at is not None and row.deleted_at < before
        }

    def _delete_schedule(self, schedule_id: str) -> bool:
        goes = not self._tables.runs_of(schedule_id)
        if goes:
            del self._tables.schedules[schedule_id]
        return goes

    def _old_nodes(self, before: datetime) -> dict[_Key, Callable[[], bool]]:
        return {
            (node.record.started_at, node_id): partial(self._delete_node, node_id, before)
            for node_id, node in self._tables.nodes.items()
            if node.state != "alive" and node.record.started_at < before
        }

    def _delete_node(self, node_id: str, before: datetime) -> bool:
        node = self._tables.nodes[node_id]
        goes = (node.seen_at or node.record.started_at) < before and not self._tables.owned(node_id)
        if goes:
            del self._tables.nodes[node_id]
        return goes

    def _old_events(self, before: datetime) -> dict[_Key, Callable[[], bool]]:
        old = [(event.at, seq) for seq, event in self._tables.events.items() if event.at < before]
        return {key: partial(self._delete_event, key[1]) for key in old}

    def _delete_event(self, seq: int) -> bool:
        del self._tables.events[seq]
        return True


# correcting a clock that was ahead


def begin_correction(tables: Tables, now: datetime) -> Correction | None:
    """Begin a correction, or join the one under way."""
    mark = tables.clock.mark
    if mark.correcting is None and mark.decided_until is not None and is_ahead(mark.decided_until, now):
        ahead_until = mark.decided_until if mark.ahead_until is None else max(mark.decided_until, mark.ahead_until)
        mark = ClockMarks(decided_until=now, correcting=mark.decided_until, ahead_until=ahead_until)
        tables.clock = replace(tables.clock, mark=mark)
    return None if mark.correcting is None else Correction(mark.correcting, now)


def placed_ahead(row: StoredSchedule, now: datetime) -> bool:
    """Tell whether a schedule was planned or changed at a time that is still to come."""
    return row.updated_at > now or (row.watermark is not None and row.watermark > now)


def _corrected(handover: Handover, now: datetime) -> Handover:
    """Set the times of an open handover that lie ahead to now; what it waits for stays as far away as it was."""
    if handover.state.final:
        return handover
    begin_by, tell_at = handover.begin_by, handover.tell_at
    sent_at = handover.sent_at or handover.intended_at
    if begin_by is not None and handover.intended_at > now:
        begin_by = now + (begin_by - handover.intended_at)
    if tell_at is not None and sent_at > now:
        tell_at = now + (tell_at - sent_at)
    before = {name: getattr(handover, name) for name in ("intended_at", "sent_at", "begun_at", "heard_at")}
    past = {name: at and min(at, now) for name, at in before.items()}
    return replace(handover, begin_by=begin_by, tell_at=tell_at, **past)


class Correcting:
    """Corrects what a clock that was ahead has decided, while the correction is under way."""

    def __init__(self, tables: Tables, step: Correction) -> None:
        self._tables = tables
        self._step = step

    @property
    def is_over(self) -> bool:
        """Tell whether another process has ended the correction."""
        return self._tables.clock.mark.correcting != self._step.decided_until

    def place_again(self, ids: Collection[str], correct: Correct) -> int:
        """Let schedules go on from the corrected time; returns how many fire earlier than before."""
        tables = self._tables
        now = self._step.now
        if self.is_over:
            return 0
        there = [tables.schedules[each] for each in sorted(ids) if each in tables.schedules]
        decided = correct([self._ahead(row) for row in there if placed_ahead(row, now)])
        for schedule_id, placement in decided.placements.items():
            self._place(schedule_id, placement)
        moved = sum(each.moved for each in decided.placements.values())
        tables.clock = replace(tables.clock, schedules=tables.clock.schedules + moved)
        tables.write_events(*decided.events)
        return moved

    def hasten(self, due_again: DueAgain) -> int:
        """Let runs that wait for a time to come wait only as long as `due_again` says."""
        tables = self._tables
        if self.is_over:
            return 0
        for key, handover in list(tables.handovers.items()):
            tables.handovers[key] = _corrected(handover, self._step.now)
        hastened = 0
        for run in list(tables.runs.values()):
            if run.status not in (Status.PENDING, Status.WAITING) or run.due_at <= self._step.now:
                continue
            policy = tables.schedules[run.fire.schedule_id].policy
            due_at = due_again(run.due_at, policy, run.attempt, run.error is not None)
            if due_at < run.due_at:
                tables.runs[run.id] = replace(run, due_at=due_at)
                hastened += 1
        tables.clock = replace(tables.clock, runs=tables.clock.runs + hastened)
        return hastened

    def end(self, node_id: str) -> Corrected | None:
        """Let planning go on."""
        known = self._tables.clock
        if self.is_over:
            return None
        corrected = Corrected(self._step.now, self._step.ahead_seconds, known.schedules, known.runs)
        self._tables.clock = ClockRow(mark=known.mark._replace(correcting=None), corrected=corrected)
        self._tables.write_events(clock_corrected(corrected, node_id))
        return corrected

    def _ahead(self, schedule: StoredSchedule) -> Ahead:
        found = [
            FireAhead(run.id, run.fire.fire_at, run.status, run.fence, run.finished_at, run.first_skipped_at)
            for run in self._tables.runs_of(schedule.id)
            if run.fire.origin is Origin.SCHEDULE and run.fire.fire_at > self._step.now
        ]
        return Ahead(replace(schedule), sorted(found, key=lambda each: each.fire_at))

    def _place(self, schedule_id: str, at: Placement) -> None:
        tables = self._tables
        tables.schedules[schedule_id] = replace(
            tables.schedules[schedule_id],
            enabled=at.enabled,
            disabled_by=at.disabled_by,
            next_fire_at=at.next_fire_at,
            next_run_at=at.next_run_at,
            watermark=at.watermark,
            fires=at.fires,
            updated_at=at.updated_at,
        )
        for run_id in (*at.released, *at.taken_back):
            self._leave_to_its_time(tables.runs[run_id])
        if at.taken_back:
            tables.promote(schedule_id, self._step.now)

    def _leave_to_its_time(self, run: Run) -> None:
        """Give up the key of a fire that was not carried out; of two records of the same fire the later one stays."""
        tables = self._tables
        record = replace(run.fire, origin=Origin.CLOCK)
        for other in [each.id for each in tables.runs_of(run.fire.schedule_id) if each.fire == record]:
            del tables.runs[other]
        reason = LEFT_TO_ITS_TIME if run.reason is None else f"{run.reason}; {LEFT_TO_ITS_TIME}"
        if not run.status.final:
            run = replace(run, status=Status.SKIPPED, finished_at=self._step.now, skipped=1)
        tables.runs[run.id] = replace(run, fire=record, reason=reason)
