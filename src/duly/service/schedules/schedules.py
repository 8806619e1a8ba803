"""The use cases of schedules that every face shares: create, change, pause, fire by hand, list.

`planning.lifecycle` decides what a row becomes; here it is stored, with its events.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from duly.clock import Clock
from duly.errors import InvalidInputError, NotFoundError
from duly.model.checks import at_least, choice
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
from duly.planning import lifecycle
from duly.ports.codec import decode_schedule, state_of
from duly.ports.records import Planner, RunFilter, ScheduleFilter, StoredSchedule
from duly.ports.row_reader import READER
from duly.ports.store import Change, Store
from duly.service.access.audit import Asked, acting
from duly.service.schedules.drafts import Draft, JobCheck, refuse_passed, to_rows, trimmed_name
from duly.service.schedules.manual_fires import Backfill, ManualFire, SkipNext
from duly.service.schedules.nearness import not_found
from duly.zones import iso

_NO_NEXT = {"person": "paused", "file": "switched off by its file"}


@dataclass(frozen=True, slots=True)
class ScheduleInfo:
    """A schedule and its state. `schedule` is None when its row cannot be decoded (see `state.quarantine`)."""

    id: str
    namespace: str
    name: str
    schedule: Schedule | None
    state: ScheduleState

    def __repr__(self) -> str:
        """Give one line for the prompt and the log: which schedule, when it runs, and how it stands."""
        when = "cannot be read" if self.schedule is None else self.schedule.trigger.describe()
        due = self.state.next_run_at
        runs_next = _NO_NEXT.get(self.state.disabled_by or "", "no next run")
        if due is not None:
            runs_next = f"next {iso(due.replace(microsecond=0))}"
        last = "" if self.state.last_status is None else f", last {self.state.last_status}"
        return f"<ScheduleInfo {self.name!r}: {when}; {runs_next}{last}; {self.id}>"


class ScheduleService:
    """The use cases, without a caller's rights: faces check those before."""

    def __init__(self, store: Store, clock: Clock, check_job: JobCheck, random_bits: RandomBits) -> None:
        self._store = store
        self._clock = clock
        self._check_job = check_job
        self._random_bits = random_bits

    async def save(
        self,
        drafts: Sequence[Draft],
        *,
        replace: bool = True,
        events: Sequence[Event] = (),
        then: Callable[[datetime | None], None] = lambda _due: None,
    ) -> list[str]:
        """Create schedules, all or none. A schedule of the same name is updated, or refused with `replace=False`.

        `events` are written in the same transaction. `then` is called after it, with the time at which the first of
        the new schedules is due; with None if others were changed.
        """
        now = self._clock.now()
        rows = to_rows(drafts, now, self._check_job, self._random_bits)
        drafted = {row.id: draft for row, draft in zip(rows, drafts, strict=True)}
        recorded = list(events)
        asked = acting()
        all_new = True

        def merge(before: StoredSchedule | None, incoming: StoredSchedule) -> StoredSchedule | None:
            nonlocal all_new
            all_new = all_new and before is None
            if before is None or before.trigger != incoming.trigger:
                refuse_passed(drafted[incoming.id], now)
            after = lifecycle.merge(before, incoming, READER) if replace else lifecycle.create(before, incoming)
            if after is not None:
                kind = SCHEDULE_CREATED if before is None else SCHEDULE_UPDATED
                recorded.append(Event(kind, now, after.id, data={**asked, "name": after.name}))
            return after

        ids = await self._store.save(rows, merge, recorded)
        due = min((row.next_run_at for row in rows if row.next_run_at is not None), default=None)
        then(due if all_new else None)
        return ids

    async def pause(self, schedule_id: str) -> ScheduleInfo:
        """Stop firing until a caller resumes it. Runs under way go on."""
        now = self._clock.now()
        return await self._edit(schedule_id, _living(lambda row: lifecycle.pause(row, now)), SCHEDULE_PAUSED)

    async def resume(self, schedule_id: str) -> ScheduleInfo:
        """Fire again, from now on: fires that passed during the pause do not come back."""
        now = self._clock.now()
        return await self._edit(schedule_id, _living(lambda row: lifecycle.resume(row, now, READER)), SCHEDULE_RESUMED)

    async def delete(self, schedule_id: str) -> None:
        """Delete a schedule; its history stays, and `restore` brings it back."""
        now = self._clock.now()
        await self._edit(schedule_id, _living(lambda row: lifecycle.delete(row, now)), SCHEDULE_DELETED)

    async def restore(self, schedule_id: str, name: str | None = None) -> ScheduleInfo:
        """Undo a deletion; the schedule comes back paused, under a new name if one is given."""
        now = self._clock.now()

        def change(row: StoredSchedule) -> StoredSchedule | None:
            if row.deleted_at is None and name is None:
                return None
            return restored(row, now, name)

        return await self._edit(schedule_id, change, SCHEDULE_RESTORED)

    async def trigger(self, schedule_id: str, by: Asked | None = None) -> Run:
        """Fire now, even if disabled; under overlap `skip` the answer may be a skipped run."""
        now = self._clock.now()
        fire_at = now
        asked = acting() if by is None else by
        while not (runs := await self._fire(schedule_id, ManualFire(now, self._random_bits, asked, fire_at))):
            fire_at += timedelta(microseconds=1)  # a fire by hand at this very instant has its run: this is another
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

        `runs_left` is how many runs the caller may still have, where there is a limit.
        """
        planner = Backfill(start, end, self._clock.now(), self._random_bits, by or acting(), runs_left)
        return await self._fire(schedule_id, planner)

    async def skip_next(self, schedule_id: str, by: Asked | None = None, meant: datetime | None = None) -> ScheduleInfo:
        """Leave the next fire out, and record that it was skipped; with `meant`, only if that one is the next."""
        await self._fire(schedule_id, SkipNext(self._clock.now(), self._random_bits, by or acting(), meant))
        return await self.get(schedule_id)

    async def cancel_run(self, run_id: str, reason: str = "cancelled by request", by: Asked | None = None) -> Run:
        """Cancel a run that has not started; ask one that has started to stop."""
        now = self._clock.now()
        found = await self.get_run(run_id)
        event = Event(
            RUN_CANCEL_ASKED, now, found.fire.schedule_id, run_id, data={**(by or acting()), "reason": reason}
        )
        run = await self._store.cancel(run_id, now, reason, [event])
        return found if run is None else run

    async def get(self, schedule_id: str) -> ScheduleInfo:
        row = await self._store.get(schedule_id)
        return _info(_one([] if row is None else [row], schedule_id))

    async def find(self, name: str, namespace: str = DEFAULT_NAMESPACE) -> ScheduleInfo:
        row = await self._store.find(namespace, name.strip())
        if row is None:
            raise await not_found(self._store, name, namespace)
        return _info(row)

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

    async def _edit(self, schedule_id: str, change: Change, kind: EventKind) -> ScheduleInfo:
        now = self._clock.now()
        events: list[Event] = []
        asked = acting()

        def noted(row: StoredSchedule) -> StoredSchedule | None:
            after = change(row)
            events[:] = [] if after is None else [Event(kind, now, row.id, data={**asked, "name": row.name})]
            return after

        return _info(_one(await self._store.edit([schedule_id], noted, events), schedule_id))

    async def _fire(self, schedule_id: str, planner: Planner) -> list[Run]:
        found = await self._store.get(schedule_id)
        row = _one([] if found is None or found.deleted_at is not None else [found], schedule_id)
        if row.resting is not None and not isinstance(planner, SkipNext):
            raise InvalidInputError(
                f"cannot fire {row.name!r}: it rests because {row.resting}. It goes on by itself when that is back"
            )
        plan = await self._store.plan([schedule_id], planner)
        runs = [await self._store.get_run(run.id) for run in plan.runs]
        return [run for run in runs if run is not None]


def restored(row: StoredSchedule, now: datetime, name: str | None) -> StoredSchedule:
    """Bring a deleted schedule back, under a new name if one is given; white space around that is removed."""
    return lifecycle.restore(row, now, None if name is None else trimmed_name(name))


def _living(change: Change) -> Change:
    """Refuse to change a deleted schedule."""

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
        schedule = None
        readable = replace(row, last_result=None)  # the only column of the state that has to be decoded
        state = replace(state_of(readable), quarantine=row.quarantine or str(error))
    return ScheduleInfo(id=row.id, namespace=row.namespace, name=row.name, schedule=schedule, state=state)
