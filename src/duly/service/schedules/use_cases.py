"""The use cases that make, change and fire schedules, with authorization and audit; every face calls these."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

from duly.clock import Clock
from duly.errors import InvalidInputError, NotFoundError
from duly.model.action import Action, Job
from duly.model.events import SCHEDULE_CREATED, SCHEDULE_DELETED, SCHEDULE_RESTORED, Event
from duly.model.ids import RandomBits
from duly.model.policy import Policy
from duly.planning import lifecycle
from duly.ports.codec import decode_policy
from duly.ports.records import StoredSchedule
from duly.ports.store import Change, FullStore
from duly.service.access.audit import asked_by, audited, change_events
from duly.service.access.grants import UNCONFIGURED
from duly.service.access.owning import Ownership
from duly.service.access.quotas import QuotaKeeper, check_row
from duly.service.access.rights import LookUp, vouched
from duly.service.access.scopes import Caller, check_action, check_change, check_writes
from duly.service.limits import check_given
from duly.service.notices.recipients import NotifyCheck
from duly.service.schedules import editing, forms, values
from duly.service.schedules.attention import Attention
from duly.service.schedules.drafts import Draft, JobCheck, to_row
from duly.service.schedules.fields import ScheduleView
from duly.service.schedules.finding import owned
from duly.service.schedules.read_use_cases import ReadUseCases
from duly.service.schedules.run_views import RunView
from duly.service.schedules.schedules import ScheduleService, restored
from duly.service.schedules.session_rights import check_session
from duly.service.schedules.times import Zones
from duly.service.schedules.views import schedule_view

_FIRST_RUNS = 50
"""How many of the runs that a backfill makes are shown."""


class UseCases(ReadUseCases):
    """Schedules for callers with a scope. A method has the name of its MCP tool."""

    def __init__(
        self,
        store: FullStore,
        clock: Clock,
        check_job: JobCheck,
        random_bits: RandomBits,
        *,
        default_zone: str = "UTC",
        cron_zone: str | None = None,
        on_change: Callable[..., None] = lambda *_: None,
        check_action: Callable[[Action, bool], None] = lambda _action, _retries: None,
        attention: Attention | None = None,
        configured: LookUp = lambda: UNCONFIGURED,
        quotas: QuotaKeeper | None = None,
        channels: Collection[str] | None = None,
    ) -> None:
        """`check_action` refuses an action that cannot be carried out here, before it is stored; its second argument
        says whether duly would try it again. `configured` gives the rights that the configuration grants to the tokens
        of projects. `on_change` gets the time of a new schedule.
        """
        super().__init__(store, clock, default_zone=default_zone, cron_zone=cron_zone, attention=attention)
        self._check_job = check_job
        self._random_bits = random_bits
        self._on_change = on_change
        self._check_action = check_action
        self.configured = configured
        self._schedules = ScheduleService(store, clock, check_job, random_bits)
        self.ownership = Ownership(store, clock, on_change)
        self.quotas = quotas or QuotaKeeper(store, clock)
        self._check_notify = NotifyCheck(store.people, channels)

    # making and changing

    async def schedule_create(
        self, caller: Caller, fields: Mapping[str, Any], *, namespace: str | None = None
    ) -> ScheduleView:
        """Make a schedule and show it as it is stored; refuse a name that is in use."""
        check_writes(caller.scope, "create")
        check_given(fields)
        self._check_may(caller, forms.action_in(fields), "create")  # before times and the rest are read
        await check_session(self._store, fields.get("session"), partial(self.find.sees, caller))
        now = self._clock.now()
        zones = await self.zones.at(caller)
        forms.check_together(fields, fields)
        await self._check_notify(caller.scope, namespace or caller.namespace, fields)
        maker = {"created_by": caller.answering, "token_scope": str(caller.scope), "created_via": str(caller.face)}
        draft = forms.read(fields, self._words, zones, namespace=namespace or caller.namespace, **maker)
        self._check_feasible(draft.action, draft.policy)
        row = self._unchecked_row(draft, now)
        await self.quotas.check(caller.scope, row)
        room = await self.quotas.room(caller.scope)
        events = [audited(SCHEDULE_CREATED, now, caller, None, row)]
        saved = self._store.save([row], lifecycle.create, events, room)
        _, view = await asyncio.gather(saved, self._seen(row, caller, zones))  # the view is made while the disk writes
        self._on_change(row.next_run_at)
        return view

    async def _seen(self, row: StoredSchedule, caller: Caller, zones: Zones) -> ScheduleView:
        return await self._warned(row, schedule_view(row, caller.scope, self._clock.now(), default_zone=zones.words))

    async def schedule_update(
        self,
        caller: Caller,
        schedule: str,
        given: Mapping[str, Any],
        clear: Sequence[str] = (),
        version: int | None = None,
    ) -> ScheduleView:
        """Change fields of a schedule, all of them or none; fields named in `clear`, or given as None, are emptied.

        With `version`, a schedule that was changed since that version is refused with a `ConflictError`.
        """
        # Before the request is read: a caller without access learns nothing about it.
        before = await self._changeable(caller, schedule, "update")
        check_given({**given, "clear": clear})
        changes = forms.changes_of(given, clear)
        if not changes:
            raise InvalidInputError(
                f"nothing to change: give at least one of {', '.join(forms.FIELDS)}, or name it in clear to empty it"
            )
        forms.check_fields(changes)
        await self._check_notify(caller.scope, before.namespace, changes)
        await check_session(self._store, changes.get("session"), partial(self.find.sees, caller))
        reader = editing.FormReader(self._words, await self.zones.at(caller), self._unchecked_row)
        ended = await self.ownership.ended_tokens(before)
        quota = await self.quotas.of(caller.scope)

        def change(row: StoredSchedule) -> StoredSchedule:
            editing.check_version(row, version, changes)
            after = editing.changed(row, changes, self._clock.now(), reader)
            if changes.keys() == {"enabled"} and not after.enabled:
                return after  # a caller may pause an action that is not allowed, or not possible, any more
            action = forms.action_of(after)
            self._check_may(caller, action, "update")
            retries_elsewhere = after.policy != row.policy and isinstance(action, Job) and action.executor is not None
            if after.action != row.action or (after.enabled and not row.enabled) or retries_elsewhere:
                self._check_feasible(action, decode_policy(after.policy))
            if quota is not None and given.keys() != {"enabled"}:
                check_row(caller.scope.namespace, quota, after, self._clock.now())
            return vouched(row, after, caller, ended)

        after = await self._edit(caller, schedule, "update", change)
        return await self._warned(after, await self._view(after, caller))

    async def schedule_delete(self, caller: Caller, schedule: str, version: int | None = None) -> ScheduleView:
        """Delete a schedule that does not come from a file; its history stays, and `schedule_restore` undoes it."""
        now = self._clock.now()

        def change(row: StoredSchedule) -> StoredSchedule:
            editing.check_version(row, version, {})
            if row.source == "toml":
                reason = "comes from a file and cannot be deleted: remove it there, and it rests with its history"
                raise InvalidInputError(f"{row.name!r} {reason}")
            return lifecycle.delete(row, now)

        return await self._view(await self._edit(caller, schedule, "delete", change), caller)

    async def schedule_restore(self, caller: Caller, schedule_id: str, name: str | None = None) -> ScheduleView:
        """Undo a deletion, by id; the schedule is paused then, and has the new name if one is given."""
        check_writes(caller.scope, "restore")
        row = await self.find.row(caller, schedule_id, deleted=True)
        check_change(caller.scope, owned(row), "restore")
        await self.quotas.check_room(caller.scope)
        now = self._clock.now()
        events: list[Event] = []
        ended = await self.ownership.ended_tokens(row)

        def change(before: StoredSchedule) -> StoredSchedule:
            after = vouched(before, restored(before, now, name), caller, ended)
            events[:] = [audited(SCHEDULE_RESTORED, now, caller, before, after)]
            return after

        try:
            (after,) = await self._store.edit([row.id], change, events)
        except InvalidInputError as error:
            raise InvalidInputError(f"cannot restore {row.name!r}: {error} and give it as name") from error
        return await self._view(after, caller)

    async def schedule_pause(self, caller: Caller, schedule: str) -> ScheduleView:
        """Stop firing until resumed."""
        return await self.schedule_update(caller, schedule, {"enabled": False})

    async def schedule_resume(self, caller: Caller, schedule: str) -> ScheduleView:
        """Fire again, from now on."""
        return await self.schedule_update(caller, schedule, {"enabled": True})

    # firing by hand

    async def schedule_trigger(self, caller: Caller, schedule: str) -> RunView:
        """Fire now, even if disabled. Under overlap `skip` the run may have the status `skipped`."""
        row = await self._changeable(caller, schedule, "trigger", fires=True)
        await self.quotas.runs_left(caller.scope)
        run = await self._schedules.trigger(row.id, asked_by(caller))
        self._on_change()
        fired = await self._run_view(run, row, caller)
        return fired if run.status.final else replace(fired, warning=await self.attention.warning(row.handler))

    async def schedule_skip_next(self, caller: Caller, schedule: str, meant: datetime | None = None) -> ScheduleView:
        """Skip the next fire, and record that; with `meant`, only if that one is the next."""
        row = await self._changeable(caller, schedule, "change")
        await self._schedules.skip_next(row.id, asked_by(caller), meant)
        return await self._view(await self.find.row(caller, row.id), caller)

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
        self._on_change()
        return [await self._run_view(run, row, caller) for run in runs[:_FIRST_RUNS]], len(runs)

    async def run_cancel(self, caller: Caller, run_id: str) -> RunView:
        """Cancel a run that has not started; ask a running one to stop."""
        check_writes(caller.scope, "cancel a run of")
        run, row = await self.find.run(caller, run_id)
        check_change(caller.scope, owned(row), "cancel a run of")
        called_off = await self._schedules.cancel_run(
            run.id, f"cancelled by {caller.name} over {caller.face}", asked_by(caller)
        )
        return await self._run_view(called_off, row, caller)

    # inside

    def _check_feasible(self, action: Action, policy: Policy) -> None:
        if isinstance(action, Job):
            self._check_job(action)
        self._check_action(action, policy.retry.max_attempts != 1)

    def _unchecked_row(self, draft: Draft, now: datetime) -> StoredSchedule:
        """Make the row of a draft; `_check_feasible` checks its action."""
        return to_row(draft, now, lambda _job: None, self._random_bits)

    def _check_may(self, caller: Caller, action: Action, verb: str) -> None:
        """Refuse an action that the caller's scope and grants do not allow."""
        check_action(caller.scope, action, verb, self.configured(), caller.token_id)

    async def _changeable(self, caller: Caller, schedule: str, verb: str, *, fires: bool = False) -> StoredSchedule:
        check_writes(caller.scope, verb)
        row = await self.find.row(caller, schedule)
        check_change(caller.scope, owned(row), verb)
        if fires and row.quarantine is None and not caller.scope.is_admin:
            self._check_may(caller, forms.action_of(row), verb)
        return row

    async def _edit(self, caller: Caller, schedule: str, verb: str, change: Change) -> StoredSchedule:
        found = await self._changeable(caller, schedule, verb)
        now = self._clock.now()
        events: list[Event] = []

        def checked(row: StoredSchedule) -> StoredSchedule | None:
            if row.deleted_at is not None:
                raise NotFoundError(f"there is no schedule {schedule!r}")
            check_change(caller.scope, owned(row), verb)  # again: the row may have changed meanwhile
            after = change(row)
            if after is None:
                events[:] = []
            elif after.deleted_at is not None:
                events[:] = [audited(SCHEDULE_DELETED, now, caller, row, after)]
            else:
                events[:] = change_events(now, caller, row, after)
            return after

        rows = await self._store.edit([found.id], checked, events)
        if not rows:
            raise NotFoundError(f"there is no schedule {schedule!r}")
        self._on_change()
        return rows[0]
