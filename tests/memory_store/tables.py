"""The tables of the dict-backed store, and the rules that move rows through them.

Rows are values: a change puts a new row in the place of the old one. A copy of the tables is therefore a copy of a few
dicts, and a transaction is a copy that replaces the original only when everything went well.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from datetime import datetime

from duly.errors import InvalidInputError
from duly.model.audit import AuditHead, AuditLink, GrowingLink, is_audited
from duly.model.events import NODE_LOST, Event
from duly.model.handover import Handover, HandoverKey, HandoverState
from duly.model.run import SUPERSEDED, Fire, Origin, Run, Status
from duly.planning.clock_marks import ClockMarks, Corrected
from duly.planning.handovers import is_taken
from duly.planning.places import SHARED_LANE, Pool, Ready, lane_of, share_out
from duly.planning.poison import Fate, Lost, UnderWay, fates, innocents
from duly.ports.changes import Records
from duly.ports.records import (
    Advance,
    Claimed,
    Due,
    NewRun,
    NodeRecord,
    Plan,
    Rescued,
    Settlement,
    StoredSchedule,
)
from duly.ports.remembered import UndoRecord
from duly.ports.run_history import AttemptRecord, KeptOutput, OutputPiece
from duly.stores.run_records import (
    NOT_CARRIED_OUT,
    called_off,
    error_result,
    events_to_tell,
    given_up,
    last_result,
    lost_with,
    may_come_forward,
    run_dead,
    run_rescued,
    schedules_with_new_queue,
    superseded,
    untaken_places,
)
from duly.stores.upcoming import PendingOfHandler, Upcoming

OutputKey = tuple[str, int, str]
"""Run, attempt and target."""

_PLACED = (Status.PENDING, Status.RUNNING)


@dataclass(frozen=True, slots=True)
class NodeRow:
    """A node, and the boot time of its last beat."""

    record: NodeRecord
    beat_at: float
    state: str = "alive"
    seen_at: datetime | None = None
    """Its last sign of life by the wall clock."""
    doubted_at: float | None = None
    """Since when another node has found it silent, if it has not beaten since."""


@dataclass(frozen=True, slots=True)
class ClockRow:
    """By which times things were decided, and what the correction under way has come to so far."""

    mark: ClockMarks = field(default_factory=ClockMarks)
    schedules: int = 0
    runs: int = 0
    corrected: Corrected | None = None

    def decided(self, at: datetime) -> ClockRow:
        """Return the row after something was decided at a time."""
        if self.mark.decided_until is not None and self.mark.decided_until >= at:
            return self
        return replace(self, mark=self.mark._replace(decided_until=at))


@dataclass(slots=True)
class Tables:
    """All rows of a store."""

    schedules: dict[str, StoredSchedule] = field(default_factory=dict)
    runs: dict[str, Run] = field(default_factory=dict)
    in_line: set[str] = field(default_factory=set)
    """Runs whose end lets the next waiting run of their schedule come forward."""
    attempts: dict[tuple[str, int], AttemptRecord] = field(default_factory=dict)
    """Those that failed or were lost, by run and fence."""
    outputs: dict[OutputKey, tuple[KeptOutput, tuple[OutputPiece, ...]]] = field(default_factory=dict)
    handovers: dict[HandoverKey, Handover] = field(default_factory=dict)
    nodes: dict[str, NodeRow] = field(default_factory=dict)
    events: dict[int, Event] = field(default_factory=dict)
    last_event: int = 0
    clock: ClockRow = field(default_factory=ClockRow)
    undos: dict[str, UndoRecord] = field(default_factory=dict)
    audit_links: dict[int, AuditLink] = field(default_factory=dict)
    audit_head: AuditHead = field(default_factory=AuditHead)
    written: list[Event] = field(default_factory=list, compare=False)
    """Events of the transaction under way, to be told after it."""

    def copy(self) -> Tables:
        return Tables(
            schedules=dict(self.schedules),
            runs=dict(self.runs),
            in_line=set(self.in_line),
            attempts=dict(self.attempts),
            outputs=dict(self.outputs),
            handovers=dict(self.handovers),
            nodes=dict(self.nodes),
            events=dict(self.events),
            last_event=self.last_event,
            clock=self.clock,
            undos=dict(self.undos),
            audit_links=dict(self.audit_links),
            audit_head=self.audit_head,
        )

    def write_beside(self, records: Records) -> None:
        """Write what goes with a change of schedules."""
        events = records.events
        if records.skips and records.at is not None:
            new = {run.id for run in self._record_all(records.skips, "", records.at)}
            known = {run.id for run in records.skips} - new
            events = [event for event in events if event.run_id not in known]
        for run_id in records.unskipped:
            run = self.runs.get(run_id)
            if run is not None and run.status is Status.SKIPPED and run.fire.origin is Origin.SCHEDULE:
                del self.runs[run_id]
        if records.undo is not None:
            self.undos[records.undo.token] = records.undo
        if records.undone in self.undos:
            self.undos[records.undone] = replace(self.undos[records.undone], used_at=records.at)
        self.write_events(*events)

    def write_events(self, *events: Event) -> None:
        """Write events to the journal, as JSON will bring them back, and to the audit."""
        for event in events:
            if event.kind.durable or is_audited(event):
                self.written.append(event)
            if event.kind.durable:
                self.last_event += 1
                self.events[self.last_event] = replace(event, data=json.loads(json.dumps(event.data, default=str)))
        if audited := [event for event in events if is_audited(event)]:
            link, self.audit_head = next_link(self.audit_head, audited)
            self.audit_links[link.number] = link

    # schedules

    def named(self, namespace: str, name: str) -> StoredSchedule | None:
        """Find the schedule that has a name now."""
        found = [each for each in self.schedules.values() if (each.namespace, each.name) == (namespace, name)]
        return next((each for each in found if each.deleted_at is None), None)

    def insert(self, row: StoredSchedule) -> None:
        if row.id in self.schedules:
            raise InvalidInputError(f"the id is taken: {row.id}")
        self.put(row)

    def put(self, row: StoredSchedule) -> None:
        """Replace a schedule, unless another one has its name."""
        holder = self.named(row.namespace, row.name)
        if row.deleted_at is None and holder is not None and holder.id != row.id:
            raise InvalidInputError(f"the name is taken: {row.namespace}/{row.name}; choose another")
        self.schedules[row.id] = replace(row)

    # the turn: settle, plan, claim

    def settle(self, each: Settlement, now: datetime) -> bool:
        """End an attempt; False when it is no longer its owner's to end. Settled before is as good as settled."""
        run = self.runs.get(each.run_id)
        if run is None or run.fence != each.fence:
            return False
        if run.status is not Status.RUNNING:
            return True
        self.write_events(*each.events)
        if each.status is Status.FAILED:
            self._note_attempt(run, "failed", each.finished_at, each.error)
        if each.retry_at is None:
            self._end(run, each, now)
        elif run.cancel_requested:
            self._note(each.schedule_id, Status.CANCELLED, each.finished_at, last_result(each))
            self._call_off(replace(run, error=each.error), each.finished_at, now)
        else:
            attempt, lost = (1, 0) if each.goes_on else (run.attempt, run.lost)
            attempt = run.attempt - 1 if each.same_attempt else attempt
            was_woken = each.goes_on and run.started_at is not None and run.due_at > run.started_at
            due_at = run.due_at if was_woken else each.retry_at
            again = replace(run, status=Status.PENDING, due_at=due_at, owner=None, attempt=attempt, lost=lost)
            self.runs[run.id] = replace(again, error=each.error, reason=each.reason)
            if each.is_unbegun:
                unbegun = replace(run, status=Status.PENDING, owner=None, attempt=run.attempt - 1)
                self.runs[run.id] = replace(unbegun, due_at=each.retry_at)
        return True

    def _note_attempt(self, run: Run, status: str, at: datetime, error: str | None) -> None:
        self.attempts[run.id, run.fence] = AttemptRecord(
            run_id=run.id,
            fence=run.fence,
            attempt=run.attempt,
            status=status,
            started_at=run.started_at,
            ended_at=at,
            node_id=run.owner,
            error=error,
        )

    def forget_details(self, run_id: str) -> None:
        """Forget what is kept beside a run."""
        self.attempts = {key: each for key, each in self.attempts.items() if key[0] != run_id}
        self.outputs = {key: each for key, each in self.outputs.items() if key[0] != run_id}
        self.handovers = {key: each for key, each in self.handovers.items() if key.run_id != run_id}

    # handovers

    def handovers_of(self, run_id: str) -> list[Handover]:
        return [each for key, each in sorted(self.handovers.items()) if key.run_id == run_id]

    def ask_for_ends(self) -> None:
        """Ask for the end of open handovers whose run is over or has a later one."""
        for key, each in list(self.handovers.items()):
            replaced = HandoverKey(key.run_id, key.number + 1) in self.handovers
            if not each.state.final and (replaced or self.runs[key.run_id].status.final):
                self.handovers[key] = replace(each, cancel_asked=True)

    def _waits_for_retry(self, run: Run) -> bool:
        """Tell whether a run waits for another attempt in this store, and is not elsewhere."""
        return (
            run.status is Status.PENDING
            and run.attempt > 0
            and not any(map(self._is_elsewhere, self.handovers_of(run.id)))
        )

    def _is_elsewhere(self, each: Handover) -> bool:
        """Tell whether a handover is open, or has an outcome with which no attempt of its run has failed yet."""
        failed = (
            fence for (of, fence), attempt in self.attempts.items() if of == each.run_id and attempt.status == "failed"
        )
        return not each.state.final or (each.state is not HandoverState.CANCELLED and not is_taken(each, failed))

    def _end(self, run: Run, each: Settlement, now: datetime) -> None:
        reason = run.reason if each.status is Status.CANCELLED and each.reason is None else each.reason
        result = None if each.result is None else json.loads(each.result)
        self._note(each.schedule_id, each.status, each.finished_at, last_result(each))
        self.finish(replace(run, result=result, error=each.error), each.status, reason, each.finished_at, now)
        if each.status is Status.CANCELLED:
            self.tell_cancelled(run.id, now)

    def _note(self, schedule_id: str, status: Status, ran_at: datetime | None, result: str | None) -> None:
        """Let the schedule remember its last run; a run that was not carried out is not remembered."""
        if status in NOT_CARRIED_OUT:
            return
        schedule = self.schedules[schedule_id]
        before = schedule.consecutive_failures
        failures = {Status.SUCCEEDED: 0, Status.CANCELLED: before}.get(status, before + 1)
        since = schedule.failing_since or ran_at if failures > before else schedule.failing_since
        self.schedules[schedule.id] = replace(
            schedule,
            last_status=str(status),
            last_result=result,
            last_run_at=ran_at or schedule.last_run_at,
            total_runs=schedule.total_runs + 1,
            consecutive_failures=failures,
            failing_since=None if status is Status.SUCCEEDED else since,
        )

    def due(self, until: datetime) -> list[StoredSchedule]:
        """Find schedules whose time comes until then, the most overdue first."""
        timed = [(each.next_run_at, each.id, each) for each in self.schedules.values() if each.next_run_at is not None]
        return [schedule for at, _, schedule in sorted(timed, key=lambda each: each[:2]) if at <= until]

    def describe(self, schedule: StoredSchedule) -> Due:
        """Describe a schedule for the planner."""
        runs = self.runs_of(schedule.id)
        taken = frozenset[datetime]()
        first = schedule.next_fire_at
        ahead_until = self.clock.mark.ahead_until
        if first is not None and ahead_until is not None and first <= ahead_until:
            scheduled = (run.fire.fire_at for run in runs if run.fire.origin is Origin.SCHEDULE)
            taken = frozenset(at for at in scheduled if at >= first)
        return Due(
            schedule.id,
            schedule.namespace,
            schedule.name,
            schedule.trigger,
            schedule.action,
            schedule.policy,
            schedule.handler,
            schedule.next_fire_at,
            schedule.next_run_at,
            schedule.until_at,
            schedule.max_runs,
            schedule.fires,
            schedule.enabled,
            running=sum(run.status in _PLACED for run in runs),
            retrying=sum(self._waits_for_retry(run) for run in runs),
            waiting=sum(run.status is Status.WAITING for run in runs),
            taken=taken,
            created_by=schedule.created_by,
            changed_by=schedule.changed_by,
        )

    def apply(self, plan: Plan, node_id: str, now: datetime) -> list[NewRun]:
        """Write what a planner decided; returns the runs that are really new."""
        for advance in plan.advances:
            if advance.supersede:
                self._supersede(advance, now)
            self._advance(advance)
        recorded = self._record_all(plan.runs, node_id, now)
        new_ids = {new.id for new in recorded}
        policies = {each.id: each.policy for each in self.schedules.values()}
        for schedule_id in schedules_with_new_queue(policies, recorded, new_ids):
            self.in_line |= {run.id for run in self.runs_of(schedule_id) if not run.status.final}
        for schedule_id in untaken_places(plan.runs, new_ids):
            self.promote(schedule_id, now)
        self.write_events(*events_to_tell(plan, new_ids))
        return recorded

    def _record_all(self, runs: Sequence[NewRun], node_id: str, now: datetime) -> list[NewRun]:
        """Record runs, one for each fire; returns those that are new."""
        taken = {run.fire for run in self.runs.values()}
        recorded = []
        for new in runs:
            fire = Fire(new.schedule_id, new.origin, new.fire_at)
            if fire not in taken:
                taken.add(fire)
                self._record(new, fire, node_id, now)
                recorded.append(new)
        return recorded

    def _supersede(self, by: Advance, now: datetime) -> None:
        """Close the runs of a schedule that wait for another attempt, and let those in line have their places."""
        for run in self.runs_of(by.schedule_id):
            if not self._waits_for_retry(run):
                continue
            status = Status.CANCELLED if run.error is None else Status.FAILED
            self.runs[run.id] = replace(run, status=status, finished_at=now, reason=SUPERSEDED)
            self._note(by.schedule_id, status, run.started_at, error_result(run.error))
            of = self.schedules[by.schedule_id]
            self.write_events(superseded(now, run.id, of.id, of.name, run.error, run.attempt))
        self._come_forward(by.schedule_id, by.come_forward, now)

    def _advance(self, to: Advance) -> None:
        schedule = self.schedules[to.schedule_id]
        self.schedules[schedule.id] = replace(
            schedule,
            enabled=to.enabled,
            next_fire_at=to.next_fire_at,
            next_run_at=to.next_run_at,
            watermark=to.watermark or schedule.watermark,
            fires=to.fires,
            quarantine=to.quarantine,
            disabled_by=to.disabled_by,
        )

    def _record(self, new: NewRun, fire: Fire, node_id: str, now: datetime) -> None:
        """Make a run of a fire; one that is running belongs to the node from the start."""
        mine = new.status is Status.RUNNING
        of = self.schedules[new.schedule_id]
        if new.in_line:
            self.in_line.add(new.id)
        self.runs[new.id] = Run(
            id=new.id,
            fire=fire,
            namespace=of.namespace,
            name=of.name,
            handler=new.handler,
            status=new.status,
            due_at=new.due_at,
            attempt=int(mine),
            fence=int(mine),
            owner=node_id if mine else None,
            started_at=max(now, new.due_at) if mine else None,
            finished_at=now if new.status.final else None,
            reason=new.reason,
            skipped=new.skipped,
            first_skipped_at=new.first_skipped_at,
        )

    def claim(self, node_id: str, now: datetime, pool: Pool) -> list[Claimed]:
        """Take pending runs for the free places of a pool. The attempt counts from here; the fence keeps others out."""
        due = (run for run in self.pending(pool.handlers) if run.due_at <= now)
        ready = [Ready(run.due_at, run.id, lane_of(run.namespace)) for run in due]
        no_owner_waits = all(each.lane == SHARED_LANE for each in ready)
        begun = share_out(replace(pool, size=pool.size + pool.ahead) if no_owner_waits else pool, ready)
        for run in map(self.runs.__getitem__, begun):
            taken = replace(run, status=Status.RUNNING, owner=node_id, started_at=now)
            self.runs[run.id] = replace(taken, attempt=run.attempt + 1, fence=run.fence + 1)
        return [self.claimed(run_id) for run_id in begun]

    def pending(self, handlers: Collection[str]) -> list[Run]:
        """Find pending runs of some handlers."""
        return [run for run in self.runs.values() if run.status is Status.PENDING and run.handler in handlers]

    def upcoming(self, now: datetime, handlers: Collection[str]) -> Upcoming:
        """Say when the next schedule is due, and when the pending runs of some handlers are."""
        schedules = [each.next_run_at for each in self.schedules.values() if each.next_run_at is not None]
        found = {}
        for handler in handlers:
            runs = self.pending([handler])
            shared = [run.due_at for run in runs if lane_of(run.namespace) == SHARED_LANE]
            owners = [run.due_at for run in runs if lane_of(run.namespace) != SHARED_LANE]
            firsts = (shared, owners, [at for at in owners if at > now])
            found[handler] = PendingOfHandler(handler, *(min(each, default=None) for each in firsts))
        return Upcoming(min(schedules, default=None), found)

    # runs

    def runs_of(self, schedule_id: str) -> list[Run]:
        return [run for run in self.runs.values() if run.fire.schedule_id == schedule_id]

    def shown(self, run: Run) -> Run:
        """Return a run as a caller sees it: under the name its schedule has now, and as a copy."""
        of = self.schedules[run.fire.schedule_id]
        return replace(deepcopy(run), namespace=of.namespace, name=of.name)

    def claimed(self, run_id: str) -> Claimed:
        """Return a run as its owner sees it."""
        run = self.runs[run_id]
        of = self.schedules[run.fire.schedule_id]
        return Claimed(
            run_id=run.id,
            schedule_id=of.id,
            namespace=of.namespace,
            name=of.name,
            origin=run.fire.origin,
            fire_at=run.fire.fire_at,
            due_at=run.due_at,
            handler=run.handler,
            attempt=run.attempt,
            fence=run.fence,
            action=of.action,
            policy=of.policy,
            created_by=of.created_by,
            changed_by=of.changed_by,
        )

    def finish(self, run: Run, status: Status, reason: str | None, at: datetime, now: datetime) -> None:
        """Close a run; its place goes to the next waiting run."""
        held_a_place = self.runs[run.id].status in _PLACED and run.id in self.in_line
        self.runs[run.id] = replace(run, status=status, finished_at=at, reason=reason, owner=None)
        if held_a_place:
            self.promote(run.fire.schedule_id, now)

    def promote(self, schedule_id: str, now: datetime) -> None:
        """Let waiting runs begin, as many as there are free places."""
        runs = self.runs_of(schedule_id)
        placed = [run for run in runs if run.status in _PLACED]
        in_line = sum(run.id in self.in_line for run in placed)
        waiting = sum(run.status is Status.WAITING for run in runs)
        policy = self.schedules[schedule_id].policy
        self._come_forward(schedule_id, may_come_forward(policy, len(placed), in_line, waiting), now)

    def _come_forward(self, schedule_id: str, places: int, now: datetime) -> None:
        waiting = [run for run in self.runs_of(schedule_id) if run.status is Status.WAITING]
        for first in sorted(waiting, key=lambda run: (run.fire.fire_at, run.id))[:places]:
            self.runs[first.id] = replace(first, status=Status.PENDING, due_at=max(first.due_at, now))

    # nodes

    def owned(self, node_id: str) -> list[Run]:
        """Find the runs that a node owns, in order of ids."""
        return sorted((run for run in self.runs.values() if run.owner == node_id), key=lambda run: run.id)

    def unowned(self) -> list[Run]:
        """Find the runs that are running without an owner, in order of ids."""
        running = (run for run in self.runs.values() if run.status is Status.RUNNING and run.owner is None)
        return sorted(running, key=lambda run: run.id)

    def bury(self, node_id: str, state: str, seen_at: datetime | None = None) -> bool:
        """Mark a node as gone; False when it was marked before, or does not exist."""
        node = self.nodes.get(node_id)
        if node is None or node.state != "alive":
            return False
        self.nodes[node_id] = replace(node, state=state, seen_at=seen_at or node.seen_at)
        return True

    def hand_back(self, run: Run, now: datetime, reason: str, refund: int, fate: Fate | None = None) -> bool:
        """Make a run ready again and fence its owner off; False when it had been asked to stop, and did so now."""
        fate = fate or Fate(dead=False, lost=run.lost)
        fenced = replace(
            run,
            fence=run.fence + 1,
            attempt=run.attempt - refund,
            lost=fate.lost,
            due_at=now + fate.wait,
            owner=None,
        )
        if run.cancel_requested:
            self._call_off(fenced, now, now)
        else:
            self.runs[run.id] = replace(fenced, status=Status.PENDING, reason=reason)
        return not run.cancel_requested

    def take_back(self, node_id: str | None, now: datetime, is_poison: Callable[[str, int], bool]) -> Rescued | None:
        """Take back the runs of a node that is gone, or those that belong to none; None when there is nothing to do."""
        left = self.unowned() if node_id is None else self.owned(node_id)
        buried = node_id is not None and self.bury(node_id, "lost")
        if not buried and not left:
            return None
        rescued = Rescued(node_id)
        reason = lost_with(node_id)
        for run in left:
            self._note_attempt(run, "lost", now, reason)
        decided = fates([self._under_way(run) for run in left], is_poison, self._losses())
        for run, fate in zip(left, decided, strict=True):
            of = self.schedules[run.fire.schedule_id]
            if fate.dead:
                dead = replace(run, fence=run.fence + 1, lost=fate.lost)
                self.finish(dead, Status.DEAD, given_up(reason, dead.lost), now, now)
                self._note(of.id, Status.DEAD, run.started_at, error_result(reason))
                rescued.dead.append(run.id)
                self.write_events(run_dead(now, run.id, of.id, of.name, reason, run.attempt, node_id))
            elif self.hand_back(run, now, reason, refund=0, fate=fate):
                rescued.requeued.append(run.id)
                self.write_events(run_rescued(now, run.id, of.id, of.name, node_id))
        if node_id is not None:
            self.write_events(Event(NODE_LOST, now, node_id=node_id, data={"runs": len(left)}))
        return rescued

    def _under_way(self, run: Run) -> UnderWay:
        policy = self.schedules[run.fire.schedule_id].policy
        return UnderWay(run_id=run.id, policy=policy, lost=run.lost, history=self._history(run.id))

    def _history(self, run_id: str) -> list[Lost]:
        """The attempts of a run that were lost, in order."""
        found = sorted((key[1], each) for key, each in self.attempts.items() if key[0] == run_id)
        return [self._lost(fence, each) for fence, each in found if each.status == "lost"]

    def _lost(self, fence: int, attempt: AttemptRecord) -> Lost:
        node = self.nodes.get(attempt.node_id or "")
        lost = Lost(fence, attempt.started_at, None, attempt.ended_at)
        return lost if node is None else lost._replace(heard_at=node.seen_at, lease=node.record.lease_seconds)

    def _losses(self) -> list[datetime]:
        return sorted(node.seen_at for node in self.nodes.values() if node.state == "lost" and node.seen_at)

    def clear_waiting(self, now: datetime) -> None:
        """Clear the runs that wait to be begun again and that nothing speaks against: another ended their processes."""
        lost = {
            run.id: run.lost
            for run in self.runs.values()
            if run.lost > 1 and run.status is Status.PENDING and self._was_lost(run)
        }
        for run_id in innocents(lost, {run_id: self._history(run_id) for run_id in lost}, self._losses()):
            run = self.runs[run_id]
            self.runs[run_id] = replace(run, lost=0, due_at=min(run.due_at, now))

    def _was_lost(self, run: Run) -> bool:
        last = self.attempts.get((run.id, run.fence - 1))
        return last is not None and last.status == "lost"

    def _call_off(self, run: Run, at: datetime, now: datetime) -> None:
        """Cancel a run that had been asked to stop, for the reason given then."""
        self.finish(run, Status.CANCELLED, run.reason, at, now)
        self.tell_cancelled(run.id, now)

    def tell_cancelled(self, run_id: str, now: datetime) -> None:
        """Write the event of a cancelled run."""
        run = self.runs[run_id]
        of = self.schedules[run.fire.schedule_id]
        self.write_events(called_off(now, run_id, of.id, of.name, run.reason))

    def stranded(self) -> list[str]:
        """Find schedules whose runs wait although no place is taken."""
        waiting = {run.fire.schedule_id for run in self.runs.values() if run.status is Status.WAITING}
        placed = {run.fire.schedule_id for run in self.runs.values() if run.status in _PLACED}
        return sorted(waiting - placed)

    # the clock

    def decided(self, at: datetime) -> None:
        """Note that something was decided at a time."""
        self.clock = self.clock.decided(at)


def next_link(head: AuditHead, events: Sequence[Event]) -> tuple[AuditLink, AuditHead]:
    """Make the link for the events of one transaction, and the head after it."""
    link = GrowingLink(head, at=max(event.at for event in events))
    entries = tuple(link.add(events))
    after = link.head()
    return AuditLink(number=after.number, at=link.at, hash=after.hash, entries=entries), after
