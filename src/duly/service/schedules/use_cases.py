"""The use cases that make, change and fire schedules, with authorization and audit; every face calls these."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from duly.errors import InvalidInputError, NotFoundError
from duly.model.action import Action, Job
from duly.model.codec import Json
from duly.model.policy import Policy
from duly.planning import lifecycle
from duly.ports.changes import Change
from duly.ports.codec import decode_policy
from duly.ports.records import StoredSchedule
from duly.ports.row_reader import READER
from duly.service.access.audit import asked_by
from duly.service.access.owning import Ownership
from duly.service.access.quotas import check_row
from duly.service.access.rights import vouched
from duly.service.access.scopes import Caller, check_action, check_change, check_writes
from duly.service.changes import Changes, Recording
from duly.service.limits import check_given
from duly.service.notices.recipients import NotifyCheck
from duly.service.schedules import editing, forms, values
from duly.service.schedules.drafts import Draft, to_row
from duly.service.schedules.fields import ScheduleView
from duly.service.schedules.finding import owned
from duly.service.schedules.manual_fires import skip_recording
from duly.service.schedules.run_views import RunView
from duly.service.schedules.schedules import ScheduleService, restored
from duly.service.schedules.session_rights import check_session
from duly.service.schedules.times import Zones
from duly.service.schedules.views import schedule_view
from duly.service.steps import WayBack

if TYPE_CHECKING:
    from duly.service.access.grants import Configured
    from duly.service.services import Services

_FIRST_RUNS = 50
"""How many of the runs that a backfill makes are shown."""


Keep = Callable[[StoredSchedule], WayBack] | None
"""How a change of a schedule is kept for undo; None keeps nothing."""


class UseCases:
    """Schedules for callers with a scope. A method has the name of its MCP tool."""

    def __init__(self, services: Services) -> None:
        self.reads = services.schedules
        self.quotas = services.quotas
        self._process = process = services.process
        self._store = store = services.store
        self._clock = clock = services.clock
        self.changes = Changes(store, clock, process.wake)
        self._schedules = ScheduleService(store, clock, self._check_job, process.random_bits)
        self.ownership = Ownership(store, clock, self.changes)
        self._check_notify = NotifyCheck(store.people, process.channel_names)

    def configured(self) -> Configured:
        """Give the rights that the configuration grants to the tokens of projects."""
        return self._process.capabilities.configured

    def _check_job(self, job: Job) -> None:
        self._process.capabilities.check_job(job)

    # making and changing

    async def schedule_create(self, caller: Caller, fields: Json, *, namespace: str | None = None) -> ScheduleView:
        """Make a schedule and show it as it is stored; refuse a name that is in use."""
        check_writes(caller.scope, "create")
        check_given(fields)
        self._check_may(caller, forms.action_in(fields), "create")  # before times and the rest are read
        await check_session(self._store, fields.get("session"), partial(self.reads.find.sees, caller))
        now = self._clock.now()
        zones = await self.reads.zones.at(caller)
        forms.check_together(fields, fields)
        await self._check_notify(caller.scope, namespace or caller.namespace, fields)
        maker = {"created_by": caller.answering, "token_scope": str(caller.scope), "created_via": str(caller.face)}
        draft = forms.read(fields, self.reads.words, zones, namespace=namespace or caller.namespace, **maker)
        self._check_feasible(draft.action, draft.policy)
        row = self._unchecked_row(draft, now)
        await self.quotas.check(caller.scope, row)
        room = await self.quotas.room(caller.scope)
        made = self.changes.make(row, caller, room=room)
        _, view = await asyncio.gather(made, self._seen(row, caller, zones))  # the view is made while the disk writes
        return view

    async def _seen(self, row: StoredSchedule, caller: Caller, zones: Zones) -> ScheduleView:
        return await self.reads.warned(
            row, schedule_view(row, caller.scope, self._clock.now(), default_zone=zones.words)
        )

    async def update(
        self,
        caller: Caller,
        schedule: str | StoredSchedule,
        given: Json,
        clear: Sequence[str] = (),
        version: int | None = None,
        way: Keep = None,
    ) -> tuple[StoredSchedule, str | None]:
        """Change fields of a schedule, all of them or none; fields named in `clear`, or given as None, are emptied.

        With `version`, a schedule that was changed since that version is refused with a `ConflictError`. Give the row,
        and the token that takes the change back if `way` keeps one.
        """
        # Before the request is read: a caller without access learns nothing about it.
        before = await self._changeable(caller, schedule, "update")
        check_given({**given, "clear": clear})
        changes = forms.changes_of(given, clear)
        if changes.keys() == {"enabled"}:
            enabled = values.flag(changes["enabled"], "enabled")
            decide = await self.switching(caller, [before], enabled=enabled, version=version)
            return await self.edit(caller, before, "update", decide, way)
        if not changes:
            raise InvalidInputError(
                f"nothing to change: give at least one of {', '.join(forms.FIELDS)}, or name it in clear to empty it"
            )
        forms.check_fields(changes)
        await self._check_notify(caller.scope, before.namespace, changes)
        await check_session(self._store, changes.get("session"), partial(self.reads.find.sees, caller))
        decide = await self.editing(caller, [before], changes, version)
        return await self.edit(caller, before, "update", decide, way)

    async def editing(
        self, caller: Caller, rows: Sequence[StoredSchedule], changes: Json, version: int | None = None
    ) -> Change:
        """Make the decision that changes fields of schedules, after looking up what it needs to know about them."""
        reader = editing.FormReader(self.reads.words, await self.reads.zones.at(caller), self._unchecked_row)
        ended = await self._ended_tokens(caller, rows)
        quota = await self.quotas.of(caller.scope)
        now = self._clock.now()

        def change(row: StoredSchedule) -> StoredSchedule:
            editing.check_version(row, version, changes)
            after = editing.changed(row, changes, now, reader)
            action = forms.action_of(after)
            self._check_may(caller, action, "update")
            retries_elsewhere = after.policy != row.policy and isinstance(action, Job) and action.executor is not None
            if after.action != row.action or (after.enabled and not row.enabled) or retries_elsewhere:
                self._check_feasible(action, decode_policy(after.policy))
            if quota is not None:
                check_row(caller.scope.namespace, quota, after, now)
            return vouched(row, after, caller, ended)

        return change

    async def switching(
        self, caller: Caller, rows: Sequence[StoredSchedule], *, enabled: bool, version: int | None = None
    ) -> Change:
        """Make the decision that pauses or resumes schedules; one that is paused, or fires, already stays as it is.

        An action that is not allowed, or not possible, any more may be paused. A reminder has none to be checked.
        """
        ended = await self._ended_tokens(caller, rows) if enabled else set()
        now = self._clock.now()

        def change(row: StoredSchedule) -> StoredSchedule | None:
            editing.check_version(row, version, {"enabled": enabled})
            if not enabled:
                return lifecycle.pause(row, now) if row.enabled else None
            after = lifecycle.resume(row, now, READER)
            if after is None or row.handler == "message":
                return after
            action = forms.action_of(after)
            self._check_may(caller, action, "update")
            self._check_feasible(action, decode_policy(after.policy))
            return vouched(row, after, caller, ended)

        return change

    async def _ended_tokens(self, caller: Caller, rows: Sequence[StoredSchedule]) -> set[str]:
        """Give the tokens behind schedules that have ended."""
        return {token for row in rows for token in await self.ownership.ended_tokens(row, caller.token_id)}

    async def delete(
        self, caller: Caller, schedule: str, version: int | None = None, way: Keep = None
    ) -> tuple[StoredSchedule, str | None]:
        """Delete a schedule that does not come from a file; its history stays, and `restore` undoes it."""
        row = await self._changeable(caller, schedule, "delete")
        return await self.edit(caller, row, "delete", self.deleting(version), way)

    def deleting(self, version: int | None = None) -> Change:
        """Make the decision that deletes a schedule."""
        now = self._clock.now()

        def change(row: StoredSchedule) -> StoredSchedule:
            editing.check_version(row, version, {})
            if row.source == "toml":
                reason = "comes from a file and cannot be deleted: remove it there, and it rests with its history"
                raise InvalidInputError(f"{row.name!r} {reason}")
            return lifecycle.delete(row, now)

        return change

    async def restore(
        self,
        caller: Caller,
        schedule: str | StoredSchedule,
        way: Keep = None,
        *,
        name: str | None = None,
        resumed: bool = False,
    ) -> tuple[StoredSchedule, str | None]:
        """Undo a deletion, by id; it is paused then, unless it is `resumed`, and has the name that is given."""
        row = await self._changeable(caller, schedule, "restore", deleted=True)
        await self.quotas.check_room(caller.scope)
        now = self._clock.now()
        ended = await self._ended_tokens(caller, [row])
        resume = await self.switching(caller, [row], enabled=True) if resumed else None

        def change(before: StoredSchedule) -> StoredSchedule | None:
            back = vouched(before, restored(before, now, name), caller, ended)
            return back if resume is None else resume(back)

        try:
            recording = Recording(way=way and way(row))
            changed = await self.changes.edit(
                [row.id], allowed(caller, "restore", change, deleted=True), caller, recording
            )
        except InvalidInputError as error:
            raise InvalidInputError(f"cannot restore {row.name!r}: {error} and give it as name") from error
        return changed.rows[0], changed.undo

    async def edit(
        self, caller: Caller, row: StoredSchedule, verb: str, change: Change, way: Keep, *, skips: bool = False
    ) -> tuple[StoredSchedule, str | None]:
        """Change a schedule as a decision says, if the caller may; give the row, and the token that takes this back."""
        recording = Recording(way=way and way(row))
        if skips:
            recording = skip_recording(self._clock.now(), self._process.random_bits, recording)
        return await self.changes.one(row.id, allowed(caller, verb, change), caller, recording, named=row.name)

    # firing by hand

    async def schedule_trigger(self, caller: Caller, schedule: str) -> RunView:
        """Fire now, even if disabled. Under overlap `skip` the run may have the status `skipped`."""
        row = await self._changeable(caller, schedule, "trigger", fires=True)
        await self.quotas.runs_left(caller.scope)
        run = await self._schedules.trigger(row.id, asked_by(caller))
        self._process.wake()
        fired = await self.reads.shown_run(caller, run, row)
        return fired if run.status.final else replace(fired, warning=await self.reads.attention.warning(row.handler))

    async def skip_next(
        self, caller: Caller, schedule: str, meant: datetime | None = None, way: Keep = None
    ) -> tuple[StoredSchedule, str | None]:
        """Skip the next fire, and record that; with `meant`, only if that one is the next."""
        row = await self._changeable(caller, schedule, "change")
        return await self.edit(caller, row, "change", partial(_skipped, meant=meant), way, skips=True)

    async def schedule_backfill(
        self, caller: Caller, schedule: str, start: datetime | str, end: datetime | str
    ) -> tuple[list[RunView], int]:
        """Fire for every nominal time from `start` to `end`, both included, no more at once than overlap allows.

        Give the first runs and their total number; the history lists all of them.
        """
        row = await self._changeable(caller, schedule, "backfill", fires=True)
        check_given({"start": start, "end": end})
        first = values.moment(start, "start")
        last = values.moment(end, "end")
        left = await self.quotas.runs_left(caller.scope)
        runs = await self._schedules.backfill(row.id, first, last, asked_by(caller), left)
        self._process.wake()
        return [await self.reads.shown_run(caller, run, row) for run in runs[:_FIRST_RUNS]], len(runs)

    async def run_cancel(self, caller: Caller, run_id: str) -> RunView:
        """Cancel a run that has not started; ask a running one to stop."""
        check_writes(caller.scope, "cancel a run of")
        run, row = await self.reads.find.run(caller, run_id)
        check_change(caller.scope, owned(row), "cancel a run of")
        called_off = await self._schedules.cancel_run(
            run.id, f"cancelled by {caller.name} over {caller.face}", asked_by(caller)
        )
        return await self.reads.shown_run(caller, called_off, row)

    # inside

    def _check_feasible(self, action: Action, policy: Policy) -> None:
        if isinstance(action, Job):
            self._check_job(action)
        self._process.check_action(action, policy.retry.max_attempts != 1)

    def _unchecked_row(self, draft: Draft, now: datetime) -> StoredSchedule:
        """Make the row of a draft; `_check_feasible` checks its action."""
        return to_row(draft, now, lambda _job: None, self._process.random_bits)

    def _check_may(self, caller: Caller, action: Action, verb: str) -> None:
        """Refuse an action that the caller's scope and grants do not allow."""
        check_action(caller.scope, action, verb, self.configured(), caller.token_id)

    async def _changeable(
        self, caller: Caller, schedule: str | StoredSchedule, verb: str, *, fires: bool = False, deleted: bool = False
    ) -> StoredSchedule:
        check_writes(caller.scope, verb)
        row = await self.reads.find.row(caller, schedule, deleted=deleted) if isinstance(schedule, str) else schedule
        check_change(caller.scope, owned(row), verb)
        if fires and row.quarantine is None and not caller.scope.is_admin:
            self._check_may(caller, forms.action_of(row), verb)
        return row


def allowed(caller: Caller, verb: str, change: Change, *, deleted: bool = False) -> Change:
    """Check the rights again within the transaction: the row may have changed, or gone, since it was found."""

    def checked(row: StoredSchedule) -> StoredSchedule | None:
        if row.deleted_at is not None and not deleted:
            raise NotFoundError(f"there is no schedule {row.name!r}")
        check_change(caller.scope, owned(row), verb)
        return change(row)

    return checked


def _skipped(row: StoredSchedule, *, meant: datetime | None) -> StoredSchedule:
    return lifecycle.skip_next(row, READER, meant)
