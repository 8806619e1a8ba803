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
from duly.model.events import RUN_CANCEL_ASKED, SCHEDULE_CREATED, SCHEDULE_UPDATED, Event
from duly.model.ids import RandomBits
from duly.model.run import Run, Status
from duly.model.schedule import DEFAULT_NAMESPACE, Schedule, ScheduleState
from duly.planning import lifecycle
from duly.ports.changes import Change, Edited
from duly.ports.codec import decode_schedule, state_of
from duly.ports.records import Planner, RunFilter, ScheduleFilter, StoredSchedule
from duly.ports.row_reader import READER
from duly.ports.store import Store
from duly.service.access.audit import Asked, acting
from duly.service.changes import USUAL, Changes, Recording
from duly.service.schedules.drafts import Draft, JobCheck, refuse_passed, to_rows, trimmed_name
from duly.service.schedules.manual_fires import Backfill, ManualFire, skip_recording
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

    def __init__(
        self,
        store: Store,
        clock: Clock,
        check_job: JobCheck,
        random_bits: RandomBits,
        wake: Callable[..., None] = lambda *_: None,
    ) -> None:
        self._store = store
        self._clock = clock
        self._check_job = check_job
        self._random_bits = random_bits
        self.changes = Changes(store, clock, wake)

    async def save(
        self,
        drafts: Sequence[Draft],
        *,
        replace: bool = True,
        recording: Recording | None = None,
        then: Callable[[datetime | None], None] = lambda _due: None,
    ) -> list[str]:
        """Create schedules, all or none. A schedule of the same name is updated, or refused with `replace=False`.

        `then` is called after it, with the time at which the first of the new schedules is due; with None if others
        were changed.
        """
        now = self._clock.now()
        rows = to_rows(drafts, now, self._check_job, self._random_bits)
        drafted = {row.id: draft for row, draft in zip(rows, drafts, strict=True)}

        def merge(before: StoredSchedule | None, incoming: StoredSchedule) -> StoredSchedule | None:
            if before is None or before.trigger != incoming.trigger:
                refuse_passed(drafted[incoming.id], now)
            return lifecycle.merge(before, incoming, READER) if replace else lifecycle.create(before, incoming)

        ids = await self.changes.save(rows, merge, acting(), recording or Recording(tell=tell_saved))
        due = min((row.next_run_at for row in rows if row.next_run_at is not None), default=None)
        then(due if all(schedule_id in drafted for schedule_id in ids) else None)
        return ids

    async def pause(self, schedule_id: str, recording: Recording = USUAL) -> ScheduleInfo:
        """Stop firing until a caller resumes it. Runs under way go on. One that is paused already stays as it is."""
        now = self._clock.now()

        def change(row: StoredSchedule) -> StoredSchedule | None:
            return None if row.disabled_by == "person" else lifecycle.pause(row, now)

        return await self._edit(schedule_id, _living(change), recording)

    async def resume(self, schedule_id: str, recording: Recording = USUAL) -> ScheduleInfo:
        """Fire again, from now on: fires that passed during the pause do not come back."""
        now = self._clock.now()
        return await self._edit(schedule_id, _living(lambda row: lifecycle.resume(row, now, READER)), recording)

    async def delete(self, schedule_id: str, recording: Recording = USUAL) -> None:
        """Delete a schedule; its history stays, and `restore` brings it back."""
        now = self._clock.now()
        await self._edit(schedule_id, _living(lambda row: lifecycle.delete(row, now)), recording)

    async def restore(self, schedule_id: str, name: str | None = None, recording: Recording = USUAL) -> ScheduleInfo:
        """Undo a deletion; the schedule comes back paused, under a new name if one is given."""
        now = self._clock.now()

        def change(row: StoredSchedule) -> StoredSchedule | None:
            if row.deleted_at is None and name is None:
                return None
            return restored(row, now, name)

        return await self._edit(schedule_id, change, recording)

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
        planner = Backfill((start, end), self._clock.now(), self._random_bits, by or acting(), runs_left)
        return await self._fire(schedule_id, planner)

    async def skip_next(self, schedule_id: str, recording: Recording = USUAL) -> ScheduleInfo:
        """Leave the next fire out, and record that it was skipped."""
        skipped = skip_recording(self._clock.now(), self._random_bits, recording)
        return await self._edit(schedule_id, _living(lambda row: lifecycle.skip_next(row, READER)), skipped)

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

    async def _edit(self, schedule_id: str, change: Change, recording: Recording = USUAL) -> ScheduleInfo:
        changed = await self.changes.edit([schedule_id], change, acting(), recording)
        return _info(_one(changed.rows, schedule_id))

    async def _fire(self, schedule_id: str, planner: Planner) -> list[Run]:
        found = await self._store.get(schedule_id)
        row = _one([] if found is None or found.deleted_at is not None else [found], schedule_id)
        if row.resting is not None:
            raise InvalidInputError(
                f"cannot fire {row.name!r}: it rests because {row.resting}. It goes on by itself when that is back"
            )
        plan = await self._store.plan([schedule_id], planner)
        runs = [await self._store.get_run(run.id) for run in plan.runs]
        return [run for run in runs if run is not None]


def tell_saved(now: datetime, by: Asked, edited: Edited) -> list[Event]:
    """Say which schedules a program made or changed; their definitions are in the program."""
    kind = SCHEDULE_CREATED if edited.before is None else SCHEDULE_UPDATED
    return [Event(kind, now, edited.after.id, data={**by, "name": edited.after.name})]


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
