"""Known bugs, one at a time, put into the store of a simulation: a checker that does not see them is blind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import count
from typing import Any

from _pytest.monkeypatch import MonkeyPatch

from duly.engine import correction as correction_steps
from duly.engine.heartbeat import Heartbeat
from duly.engine.planner import TickPlanner
from duly.engine.work import Work
from duly.model.events import RUN_STARTED, Event
from duly.model.run import Fire, Run, Status
from duly.planning import correction
from duly.planning.clock_marks import ClockMarks
from duly.planning.places import Pool
from duly.planning.poison import Fate, IsPoison, UnderWay, fates
from duly.ports.changes import Records
from duly.ports.records import Advance, Claimed, Due, NewRun, Plan, Settlement, StoredSchedule
from duly.stores.run_records import superseded
from tests.memory_store import tables as memory_tables
from tests.memory_store.maintenance import Correcting
from tests.memory_store.store import MemoryStore
from tests.memory_store.tables import Tables

Sabotage = Callable[[MonkeyPatch], None]
BUGS: dict[str, tuple[Sabotage, str, int]] = {}
"""Each bug with words of the complaint it must cause, and the first seed to look for it.

The seeds are those of short simulations, and the first one of nearly every bug finds it.
"""


def _bug(complaint: str, seed: int = 0) -> Callable[[Sabotage], Sabotage]:
    def register(sabotage: Sabotage) -> Sabotage:
        BUGS[sabotage.__name__] = (sabotage, complaint, seed)
        return sabotage

    return register


def _now_and_then(every: int = 7) -> Callable[[], bool]:
    numbers = count(1)
    return lambda: next(numbers) % every == 0


@_bug("was recorded, expected the fire of", seed=43)
def loses_a_recorded_run(patch: MonkeyPatch) -> None:
    original, lose = Tables._record, _now_and_then()

    def record(self: Tables, new: NewRun, fire: Fire, node_id: str, now: datetime) -> None:
        if new.status is Status.RUNNING or not lose():
            original(self, new, fire, node_id, now)

    patch.setattr(Tables, "_record", record)


@_bug("is lost", seed=35)
def says_nothing_of_what_was_missed(patch: MonkeyPatch) -> None:
    original = Tables._record

    def record(self: Tables, new: NewRun, fire: Fire, node_id: str, now: datetime) -> None:
        if new.status is not Status.MISSED:
            original(self, new, fire, node_id, now)

    patch.setattr(Tables, "_record", record)


@_bug("was called twice for one claim", seed=94)
def claims_twice(patch: MonkeyPatch) -> None:
    original, again = Tables.claim, _now_and_then(3)

    def claim(self: Tables, node_id: str, now: datetime, pool: Pool) -> list[Claimed]:
        before = dict(self.runs)
        claimed = original(self, node_id, now, pool)
        if claimed and again():
            self.runs[claimed[0].run_id] = before[claimed[0].run_id]
        return claimed

    patch.setattr(Tables, "claim", claim)


@_bug("places of", seed=50)
def forgets_shares(patch: MonkeyPatch) -> None:
    original = Tables.claim

    def claim(self: Tables, node_id: str, now: datetime, pool: Pool) -> list[Claimed]:
        return original(self, node_id, now, replace(pool, owner_share=1.0))

    patch.setattr(Tables, "claim", claim)


@_bug("was accepted", seed=97)
def ignores_fences(patch: MonkeyPatch) -> None:
    original = Tables.settle

    def settle(self: Tables, each: Settlement, now: datetime) -> bool:
        run = self.runs.get(each.run_id)
        return original(self, each if run is None else replace(each, fence=run.fence), now)

    patch.setattr(Tables, "settle", settle)


@_bug("and the journal says run.failed", seed=66)
def writes_failures_down_before_they_are_accepted(patch: MonkeyPatch) -> None:
    original = Work._failed

    def failed(self: Work, run: Claimed, error: BaseException) -> Settlement:
        settlement = original(self, run, error)
        for event in settlement.events:
            self._emit(event)
        return replace(settlement, events=())

    patch.setattr(Work, "_failed", failed)


@_bug("which was never recorded", seed=50)
def tells_of_fires_that_had_their_run_already(patch: MonkeyPatch) -> None:
    patch.setattr(memory_tables, "events_to_tell", lambda plan, _recorded: plan.events)


@_bug("and the journal does not say so", seed=94)
def keeps_failures_to_itself(patch: MonkeyPatch) -> None:
    original = Tables.settle
    patch.setattr(Tables, "settle", lambda self, each, now: original(self, replace(each, events=()), now))


@_bug("can be taken back", seed=0)
def keeps_the_way_back_in_a_transaction_of_its_own(patch: MonkeyPatch) -> None:
    original, dies = Tables.write_beside, _now_and_then()

    def write_beside(self: Tables, records: Records) -> None:
        original(self, replace(records, undo=None) if dies() else records)

    patch.setattr(Tables, "write_beside", write_beside)


@_bug("and the journal tells of", seed=0)
def tells_of_a_change_in_a_transaction_of_its_own(patch: MonkeyPatch) -> None:
    original, dies = Tables.write_beside, _now_and_then()

    def write_beside(self: Tables, records: Records) -> None:
        original(self, replace(records, events=()) if dies() else records)

    patch.setattr(Tables, "write_beside", write_beside)


@_bug("was over and changed again", seed=94)
def reopens_what_is_over(patch: MonkeyPatch) -> None:
    original, reopen = Tables.settle, _now_and_then()

    def settle(self: Tables, each: Settlement, now: datetime) -> bool:
        accepted = original(self, each, now)
        over = [run for run in self.runs.values() if run.status is Status.SUCCEEDED and run.id != each.run_id]
        if over and reopen():
            self.runs[over[0].id] = replace(over[0], status=Status.PENDING, finished_at=None)
        return accepted

    patch.setattr(Tables, "settle", settle)


@_bug("and no handler ever returned", seed=94)
def calls_a_failure_a_success(patch: MonkeyPatch) -> None:
    original = Tables.settle

    def settle(self: Tables, each: Settlement, now: datetime) -> bool:
        final = each.status is Status.FAILED and each.retry_at is None
        return original(self, replace(each, status=Status.SUCCEEDED) if final else each, now)

    patch.setattr(Tables, "settle", settle)


@_bug("fires next at", seed=94)
def goes_too_far(patch: MonkeyPatch) -> None:
    original, leap = Tables._advance, _now_and_then()

    def advance(self: Tables, to: Advance) -> None:
        if to.next_fire_at is not None and to.next_run_at is not None and leap():
            further = timedelta(days=1)
            to = replace(to, next_fire_at=to.next_fire_at + further, next_run_at=to.next_run_at + further)
        original(self, to)

    patch.setattr(Tables, "_advance", advance)


@_bug("before ", seed=94)
def plans_before_the_time(patch: MonkeyPatch) -> None:
    due, plan, early = Tables.due, TickPlanner.__call__, timedelta(minutes=1)

    def planned(self: TickPlanner, entries: Sequence[Due]) -> Plan:
        self._now += early
        return plan(self, entries)

    patch.setattr(Tables, "due", lambda self, now: due(self, now + early))
    patch.setattr(TickPlanner, "__call__", planned)


@_bug("expected the fire of None", seed=128)
def offers_what_is_not_due(patch: MonkeyPatch) -> None:
    due = Tables.due
    patch.setattr(Tables, "due", lambda self, now: due(self, now + timedelta(seconds=2)))


@_bug("expected skipped", seed=50)
def overlooks_what_is_running(patch: MonkeyPatch) -> None:
    original = Tables.describe

    def describe(self: Tables, schedule: StoredSchedule) -> Due:
        return replace(original(self, schedule), running=0, waiting=0, retrying=0)

    patch.setattr(Tables, "describe", describe)


@_bug("which stood before it", seed=50)
def lets_the_last_in_line_go_first(patch: MonkeyPatch) -> None:
    def promote(self: Tables, schedule_id: str, now: datetime) -> None:
        line = [run for run in self.runs_of(schedule_id) if run.status is Status.WAITING]
        if line:
            last = max(line, key=lambda run: (run.fire.fire_at, run.id))
            self.runs[last.id] = replace(last, status=Status.PENDING, due_at=max(last.due_at, now))

    patch.setattr(Tables, "promote", promote)


@_bug("is waiting for ever", seed=35)
def never_lets_the_line_move(patch: MonkeyPatch) -> None:
    patch.setattr(Tables, "promote", lambda _self, _schedule_id, _now: None)


@_bug("at once, where", seed=50)
def lets_two_in_line_go_at_once(patch: MonkeyPatch) -> None:
    original = Tables._come_forward

    def come_forward(self: Tables, schedule_id: str, places: int, now: datetime) -> None:
        original(self, schedule_id, 2 * places, now)

    patch.setattr(Tables, "_come_forward", come_forward)


@_bug("at once, where", seed=114)
def goes_on_with_the_places_there_were(patch: MonkeyPatch) -> None:
    def promote(self: Tables, schedule_id: str, now: datetime) -> None:
        self._come_forward(schedule_id, 1, now)

    patch.setattr(Tables, "promote", promote)


@_bug("waits although", seed=123)
def forgets_what_a_line_formed_behind(patch: MonkeyPatch) -> None:
    patch.setattr(memory_tables, "schedules_with_new_queue", lambda *_: [])


@_bug("is running for ever", seed=35)
def never_rescues(patch: MonkeyPatch) -> None:
    async def rescue(*_: Any) -> list[Any]:
        return []

    patch.setattr(MemoryStore, "rescue", rescue)


@_bug("was rescued without a fault", seed=45)
def takes_the_living_for_dead(patch: MonkeyPatch) -> None:
    original, hasty = MemoryStore._not_gone, _now_and_then(20)
    patch.setattr(MemoryStore, "_not_gone", lambda self, tables: {} if hasty() else original(self, tables))


@_bug("reported node.lost without a fault", seed=650)
def takes_over_without_a_doubt(patch: MonkeyPatch) -> None:
    patch.setattr(MemoryStore, "_doubt", lambda _self, _tables, node_id, _node: (node_id, 0.0))


@_bug("reported run.lease_lost without a fault", seed=71)
def gives_up_while_the_store_is_locked(patch: MonkeyPatch) -> None:
    patch.setattr(Heartbeat, "_look", lambda _self: None)


@_bug("its old owner not fenced off", seed=35)
def rescues_without_a_fence(patch: MonkeyPatch) -> None:
    original = Tables.hand_back

    def hand_back(self: Tables, run: Run, now: datetime, reason: str, refund: int, fate: Fate | None = None) -> bool:
        return original(self, replace(run, fence=run.fence - 1), now, reason, refund, fate)

    patch.setattr(Tables, "hand_back", hand_back)


@_bug("was given up, and never ended a process", seed=139)
def gives_up_what_died_three_times(patch: MonkeyPatch) -> None:
    def by_number(left: Sequence[UnderWay], is_poison: IsPoison, _losses: Sequence[datetime]) -> list[Fate]:
        return [Fate(dead=is_poison(run.policy, run.deaths), lost=run.deaths) for run in left]

    patch.setattr(memory_tables, "fates", by_number)


@_bug("and is begun again with it", seed=139)
def begins_suspects_together(patch: MonkeyPatch) -> None:
    def at_once(left: Sequence[UnderWay], is_poison: IsPoison, losses: Sequence[datetime]) -> list[Fate]:
        return [fate._replace(wait=timedelta()) for fate in fates(left, is_poison, losses)]

    patch.setattr(memory_tables, "fates", at_once)


@_bug("that it may have caused, and goes on", seed=0)
def never_finds_who_ends_processes(patch: MonkeyPatch) -> None:
    def nobody(left: Sequence[UnderWay], is_poison: IsPoison, losses: Sequence[datetime]) -> list[Fate]:
        return [fate._replace(dead=False) for fate in fates(left, is_poison, losses)]

    patch.setattr(memory_tables, "fates", nobody)


@_bug("and the journal does not say so", seed=114)
def says_nothing_of_what_was_superseded(patch: MonkeyPatch) -> None:
    def untold(*about: Any) -> Event:
        return replace(superseded(*about), kind=RUN_STARTED)  # which is not written down

    patch.setattr(memory_tables, "superseded", untold)


@_bug("are on record", seed=35)
def gives_poison_another_chance(patch: MonkeyPatch) -> None:
    original = Tables.take_back

    def take_back(self: Tables, node_id: str, now: datetime, is_poison: Callable[[str, int], bool]) -> Any:
        for run in self.owned(node_id):
            self.runs[run.id] = replace(run, lost=0)
        return original(self, node_id, now, is_poison)

    patch.setattr(Tables, "take_back", take_back)


@_bug("was asked to stop and tried again", seed=58)
def forgets_who_was_asked_to_stop(patch: MonkeyPatch) -> None:
    def hand_back(self: Tables, run: Run, now: datetime, reason: str, refund: int, fate: Fate | None = None) -> bool:
        attempt, fence = run.attempt - refund, run.fence + 1
        ready = replace(run, status=Status.PENDING, reason=reason, attempt=attempt, fence=fence, due_at=now, owner=None)
        self.runs[run.id] = ready
        return True

    patch.setattr(Tables, "hand_back", hand_back)


@_bug("is silent until", seed=35)
def believes_a_clock_that_was_ahead(patch: MonkeyPatch) -> None:
    patch.setattr(ClockMarks, "forbids_planning", lambda _self, _now: False)


@_bug("was carried out, and is to be again", seed=139)
def takes_back_what_a_wrong_clock_carried_out(patch: MonkeyPatch) -> None:
    patch.setattr(correction, "_is_only_a_record", lambda each: each.status.final)


@_bug("is pending for ever", seed=62)
def lets_retries_wait_for_a_wrong_time(patch: MonkeyPatch) -> None:
    patch.setattr(correction_steps, "due_again", lambda due_at, *_, **__: due_at)


@_bug("starts at", seed=35)
def keeps_the_keys_of_what_a_wrong_clock_missed(patch: MonkeyPatch) -> None:
    patch.setattr(Correcting, "_leave_to_its_time", lambda _self, _run: None)
