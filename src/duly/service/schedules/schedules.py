"""Use cases on schedules: create, change, pause, fire by hand, look back and ahead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from duly.clock import Clock
from duly.errors import InvalidInputError, NotFoundError
from duly.model.choices import at_least, choice
from duly.model.events import (
    RUN_CANCEL_ASKED,
    SCHEDULE_CREATED,
    SCHEDULE_DELETED,
    SCHEDULE_PAUSED,
    SCHEDULE_RESTORED,
    SCHEDULE_RESUMED,
    SCHEDULE_UPDATED,
    Event,
    EventKind,
)
from duly.model.ids import RandomBits
from duly.model.run import Run, Status
from duly.model.schedule import DEFAULT_NAMESPACE, Schedule, ScheduleState
from duly.planning.fire import dispatch_at
from duly.ports.codec import decode_policy, decode_schedule, decode_trigger, state_of
from duly.ports.records import Planner, RunFilter, ScheduleFilter, StoredSchedule
from duly.ports.store import Change, Store
from duly.service.access.audit import Asked, acting
from duly.service.schedules import requests
from duly.service.schedules.drafts import Draft, JobCheck, refuse_passed, to_rows, trimmed_name
from duly.service.schedules.merging import goes_on_at, refuse_existing, update_existing
from duly.service.schedules.resting import after_change


@dataclass(frozen=True, slots=True)
class ScheduleInfo:
    """A schedule and how it stands. `schedule` is None when its row cannot be read (see `state.quarantine`)."""

    id: str
    namespace: str
    name: str
    schedule: Schedule | None
    state: ScheduleState


class ScheduleService:
    """One set of use cases behind every face."""

    def __init__(self, store: Store, clock: Clock, check_job: JobCheck, random_bits: RandomBits) -> None:
        self._store = store
        self._clock = clock
        self._check_job = check_job
        self._random_bits = random_bits

    # making and changing

    async def save(self, drafts: Sequence[Draft], *, replace: bool = True, events: Sequence[Event] = ()) -> list[str]:
        """Create schedules, all or none. A used name is updated, or refused with `replace=False`.

        `events` are written with them.
        """
        now = self._clock.now()
        rows = to_rows(drafts, now, self._check_job, self._random_bits)
        drafted = {row.id: draft for row, draft in zip(rows, drafts, strict=True)}
        told, asked = list(events), acting()

        def merge(before: StoredSchedule | None, incoming: StoredSchedule) -> StoredSchedule | None:
            if before is None or before.trigger != incoming.trigger:
                refuse_passed(drafted[incoming.id], now)
            after = (update_existing if replace else refuse_existing)(before, incoming)
            if after is not None:
                kind = SCHEDULE_CREATED if before is None else SCHEDULE_UPDATED
                told.append(Event(kind, now, after.id, data={**asked, "name": after.name}))
            return after

        return await self._store.save(rows, merge, told)

    async def pause(self, schedule_id: str) -> ScheduleInfo:
        """Stop firing until resumed. Runs under way are not touched."""
        now = self._clock.now()
        return await self._edit(schedule_id, _living(lambda row: paused(row, now)), SCHEDULE_PAUSED)

    async def resume(self, schedule_id: str) -> ScheduleInfo:
        """Fire again, from now on: what passed during the pause is not made up."""
        now = self._clock.now()
        return await self._edit(schedule_id, _living(lambda row: resumed(row, now)), SCHEDULE_RESUMED)

    async def delete(self, schedule_id: str) -> None:
        """Remove a schedule; its history stays, and `restore` brings it back."""
        now = self._clock.now()
        await self._edit(schedule_id, _living(lambda row: replace(paused(row, now), deleted_at=now)), SCHEDULE_DELETED)

    async def restore(self, schedule_id: str, name: str | None = None) -> ScheduleInfo:
        """Undo a deletion; the schedule comes back paused, under a new name if one is given."""
        now = self._clock.now()

        def change(row: StoredSchedule) -> StoredSchedule | None:
            return None if row.deleted_at is None and name is None else restored(row, now, name)

        return await self._edit(schedule_id, change, SCHEDULE_RESTORED)

    # firing by hand

    async def trigger(self, schedule_id: str, by: Asked | None = None) -> Run:
        """Fire now, even if disabled; under overlap `skip` the answer may be a skipped run."""
        now = fire_at = self._clock.now()
        asked = acting() if by is None else by
        while not (runs := await self._fire(schedule_id, requests.Trigger(now, self._random_bits, asked, fire_at))):
            fire_at += timedelta(microseconds=1)  # it was fired by hand in this very instant: that one is another
        return runs[0]

    async def backfill(
        self,
        schedule_id: str,
        start: datetime,
        end: datetime,
        by: Asked | None = None,
        runs_left: int | None = None,
    ) -> list[Run]:
        """Fire for every nominal time from `start` to `end`, both included, no more at once than overlap allows.

        `runs_left` is how many runs whoever asks may still have, where there is a limit.
        """
        planner = requests.Backfill(start, end, self._clock.now(), self._random_bits, by or acting(), runs_left)
        return await self._fire(schedule_id, planner)

    async def skip_next(self, schedule_id: str, by: Asked | None = None) -> ScheduleInfo:
        """Leave the next fire out, on the record."""
        await self._fire(schedule_id, requests.SkipNext(self._clock.now(), self._random_bits, by or acting()))
        return await self.get(schedule_id)

    async def cancel_run(self, run_id: str, reason: str = "cancelled by request", by: Asked | None = None) -> Run:
        """Call off a run that has not started, ask one that has to stop."""
        now = self._clock.now()
        found = await self.get_run(run_id)
        told = Event(RUN_CANCEL_ASKED, now, found.fire.schedule_id, run_id, data={**(by or acting()), "reason": reason})
        run = await self._store.cancel(run_id, now, reason, [told])
        return found if run is None else run

    # looking

    async def get(self, schedule_id: str) -> ScheduleInfo:
        row = await self._store.get(schedule_id)
        return _info(_one([] if row is None else [row], schedule_id))

    async def find(self, name: str, namespace: str = DEFAULT_NAMESPACE) -> ScheduleInfo:
        row = await self._store.find(namespace, name.strip())
        return _info(_one([] if row is None else [row], f"{namespace}/{name}"))

    async def schedules(self, wanted: ScheduleFilter) -> list[ScheduleInfo]:
        return [_info(row) for row in await self._store.schedules(wanted)]

    async def history(
        self,
        schedule_id: str | None,
        statuses: Sequence[Status | str] = (),
        limit: int = 100,
        before: str | None = None,
    ) -> list[Run]:
        at_least("limit", limit, 1)
        known = tuple(choice(Status, each, "status") for each in statuses)
        return await self._store.runs(RunFilter(schedule_id=schedule_id, statuses=known, before=before, limit=limit))

    async def get_run(self, run_id: str) -> Run:
        run = await self._store.get_run(run_id)
        if run is None:
            raise NotFoundError(f"there is no run {run_id!r}")
        return run

    # inside

    async def _edit(self, schedule_id: str, change: Change, kind: EventKind) -> ScheduleInfo:
        now, told, asked = self._clock.now(), list[Event](), acting()

        def telling(row: StoredSchedule) -> StoredSchedule | None:
            after = change(row)
            told[:] = [] if after is None else [Event(kind, now, row.id, data={**asked, "name": row.name})]
            return after

        return _info(_one(await self._store.edit([schedule_id], telling, told), schedule_id))

    async def _fire(self, schedule_id: str, planner: Planner) -> list[Run]:
        row = _one([row for row in [await self._store.get(schedule_id)] if row and row.deleted_at is None], schedule_id)
        if row.resting is not None and not isinstance(planner, requests.SkipNext):
            raise InvalidInputError(
                f"cannot fire {row.name!r}: it rests because {row.resting}. It goes on by itself when that is back"
            )
        plan = await self._store.plan([schedule_id], planner)
        runs = [await self._store.get_run(run.id) for run in plan.runs]
        return [run for run in runs if run is not None]


def paused(row: StoredSchedule, now: datetime) -> StoredSchedule:
    row = replace(row, enabled=False, disabled_by="person", updated_at=now)
    return replace(row, next_fire_at=None, next_run_at=None)


def resumed(row: StoredSchedule, now: datetime) -> StoredSchedule | None:
    """A paused row that fires again; None when it does so already."""
    if row.enabled:
        return None
    if row.damage is not None:
        raise row.damage.error
    fire_at = goes_on_at(row, now)
    if fire_at is None or (row.until_at is not None and fire_at > row.until_at):
        raise InvalidInputError(f"{row.name!r} has ended and cannot be resumed: give it a new time first")
    fires = 0 if row.max_runs is not None and row.fires >= row.max_runs else row.fires
    run_at = dispatch_at(decode_trigger(row.trigger), decode_policy(row.policy), fire_at)
    enabled = replace(row, enabled=True, disabled_by=None, quarantine=None, fires=fires)
    return after_change(row, replace(enabled, next_fire_at=fire_at, next_run_at=run_at, updated_at=now))


def restored(row: StoredSchedule, now: datetime, name: str | None = None) -> StoredSchedule:
    """A deleted row brought back, under another name where its own is taken meanwhile."""
    if name is not None and row.deleted_at is None:
        raise InvalidInputError(f"{row.name!r} ({row.id}) is not deleted: restore gives only deleted ones a new name")
    return replace(row, deleted_at=None, updated_at=now, name=row.name if name is None else trimmed_name(name))


def _living(change: Change) -> Change:
    def checked(row: StoredSchedule) -> StoredSchedule | None:
        if row.deleted_at is not None:
            raise NotFoundError(f"schedule {row.name!r} ({row.id}) was deleted")
        return change(row)

    return checked


def _one(rows: Sequence[StoredSchedule], wanted: str) -> StoredSchedule:
    if not rows:
        raise NotFoundError(f"there is no schedule {wanted!r}")
    return rows[0]


def _info(row: StoredSchedule) -> ScheduleInfo:
    try:
        schedule = decode_schedule(row)
        state = state_of(row)
    except ValueError as error:
        schedule, state = None, replace(_bare_state(row), quarantine=row.quarantine or str(error))
    return ScheduleInfo(row.id, row.namespace, row.name, schedule, state)


def _bare_state(row: StoredSchedule) -> ScheduleState:
    return state_of(replace(row, last_result=None))
