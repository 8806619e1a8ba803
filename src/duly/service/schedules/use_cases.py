"""The use cases of schedules, with authorization and audit; every face calls these."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from duly.clock import Clock
from duly.errors import InvalidInputError, NotFoundError
from duly.model.action import Action, Job
from duly.model.checks import choice
from duly.model.events import SCHEDULE_CREATED, SCHEDULE_DELETED, SCHEDULE_RESTORED, Event
from duly.model.ids import RandomBits
from duly.model.run import Run
from duly.model.trigger import Trigger
from duly.planning import lifecycle
from duly.planning.attention import Concern, ConcernKind
from duly.ports.records import StoredSchedule
from duly.ports.store import Change, FullStore
from duly.ports.timeline import Doing
from duly.service.access.audit import asked_by, audited, change_events
from duly.service.access.grants import UNCONFIGURED
from duly.service.access.owning import Ownership
from duly.service.access.quotas import QuotaKeeper, check_row
from duly.service.access.rights import LookUp, vouched
from duly.service.access.scopes import Caller, check_action, check_change, check_writes
from duly.service.limits import check_given
from duly.service.notices.recipients import NotifyCheck
from duly.service.overview.runs import RunLists
from duly.service.schedules import editing, forms, values, views
from duly.service.schedules.attention import Attention
from duly.service.schedules.drafts import Draft, JobCheck, to_row
from duly.service.schedules.fields import ScheduleView
from duly.service.schedules.finding import Finder, owned
from duly.service.schedules.listing import ScheduleLists
from duly.service.schedules.run_views import RunView, hides_output, shown_run
from duly.service.schedules.schedules import ScheduleService, restored
from duly.service.schedules.times import ZoneRule, Zones, read_words
from duly.service.schedules.views import HealthView, PreviewView, concern_view, schedule_view, state_word

if TYPE_CHECKING:
    from duly.service.runs.details import RunDetails

_FIRST_RUNS = 50
"""How many of the runs that a backfill makes are shown."""


class UseCases:
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
        check_action: Callable[[Action], None] = lambda _action: None,
        attention: Attention | None = None,
        configured: LookUp = lambda: UNCONFIGURED,
        quotas: QuotaKeeper | None = None,
        channels: Collection[str] | None = None,
    ) -> None:
        """`check_action` refuses an action that cannot be carried out here, before it is stored. `configured` gives the
        rights that the configuration grants to the tokens of projects. `on_change` gets the time of a new schedule.

        `default_zone` is the zone of people who have set none, `cron_zone` the one configured for cron in the tools.
        """
        self._store = store
        self._clock = clock
        self._check_job = check_job
        self._random_bits = random_bits
        self.zones = ZoneRule(store.people, default_zone, cron_zone)
        self._on_change = on_change
        self._check_action = check_action
        self.configured = configured
        self._schedules = ScheduleService(store, clock, check_job, random_bits)
        self.find = Finder(store)
        self._runs = RunLists(store, clock, self.find, self.zones)
        self.ownership = Ownership(store, clock, on_change)
        self.attention = attention or Attention(store, clock)
        self._lists = ScheduleLists(store, clock, self.find, self.zones, self.attention)
        self.quotas = quotas or QuotaKeeper(store, clock)
        self._check_notify = NotifyCheck(store.people, channels)

    @cached_property
    def runs(self) -> RunDetails:
        from duly.service.runs.details import RunDetails  # late: few commands are about one run

        return RunDetails(self._store, self._clock, self.find, self.zones)

    # making and changing

    async def schedule_create(
        self, caller: Caller, fields: Mapping[str, Any], *, namespace: str | None = None
    ) -> ScheduleView:
        """Make a schedule and show it as it is stored; refuse a name that is in use."""
        check_writes(caller.scope, "create")
        check_given(fields)
        self._check_may(caller, forms.action_in(fields), "create")  # before times and the rest are read
        await self.find.check_session(caller, fields.get("session"))
        now = self._clock.now()
        zones = await self.zones.at(caller)
        forms.check_together(fields, fields)
        await self._check_notify(caller.scope, namespace or caller.namespace, fields)
        maker = {"created_by": caller.token_id, "token_scope": str(caller.scope), "created_via": str(caller.face)}
        draft = forms.read(fields, self._words, zones, namespace=namespace or caller.namespace, **maker)
        self._check_feasible(draft.action)
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
        await self.find.check_session(caller, changes.get("session"))
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
            if after.action != row.action or (after.enabled and not row.enabled):
                self._check_feasible(action)
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

    # looking

    async def schedule_get(self, caller: Caller, schedule: str) -> ScheduleView:
        """Show a schedule, by id or name."""
        row = await self.find.row(caller, schedule)
        found = await self.attention.of([row])
        doing = await self._store.timeline.doing([row.id])
        view = await self._view(row, caller, found.get(row.id, []))
        return await self._warned(row, replace(view, state=state_word(row, doing.get(row.id, Doing()))))

    async def schedule_list(
        self, caller: Caller, *, cursor: str | None = None, limit: int = 50, **filters: Any
    ) -> tuple[list[ScheduleView], str | None]:
        """Show a page of schedules, long texts cut, and the cursor of the next page.

        Filters: see `Finder.wanted`; besides `state`, `kind` (agent, job, person) and `sort` (name, attention, next).
        """
        return await self._lists.page(caller, cursor=cursor, limit=limit, **filters)

    async def health(self, caller: Caller, kind: str | None = None) -> HealthView:
        """Show the health, its reasons, and the concerns (of one kind) about schedules that the caller may see."""
        if kind is not None:
            choice(ConcernKind, kind, "kind")
        health = await self.attention.health()
        listed = health.attention if caller.scope.is_admin else health.concerns
        ids = list({each.schedule_id: None for each in listed})
        found = await self._store.timeline.schedules(ids) if ids else []
        rows = {row.id: row for row in found if self.find.sees(caller, row)}
        if not caller.scope.is_admin:
            health = health.about([each for each in listed if each.schedule_id in rows])
        shown = [
            concern_view(each, hide_output=hides_output(row, caller.scope), says_whose=True)
            for each in health.attention
            if kind in (None, each.kind) and (row := rows.get(each.schedule_id)) is not None
        ]
        return HealthView(
            state=str(health.state),
            reasons=health.reasons,
            lag_seconds=round(health.lag_seconds, 3),
            attention=shown,
            attention_total=health.attention_total,
        )

    async def schedule_history(
        self,
        caller: Caller,
        schedule: str | None = None,
        *,
        statuses: Sequence[str] = (),
        limit: int = 20,
        cursor: str | None = None,
        **filters: Any,
    ) -> tuple[list[RunView], str | None]:
        """Show a page of runs, newest first, and the cursor of the next page; without a schedule of all one may see.

        The schedule may be deleted. Long results are cut: `run_get` has the whole. Filters: see `RunLists.query`.
        """
        return await self._runs.page(
            caller, schedule=schedule, statuses=statuses, limit=limit, cursor=cursor, **filters
        )

    async def run_get(self, caller: Caller, run_id: str) -> RunView:
        """Show a run."""
        run, row = await self.find.run(caller, run_id)
        return await self._run_view(run, row, caller)

    async def schedule_preview(
        self,
        caller: Caller,
        cron: str | None = None,
        when: str | None = None,
        *,
        cron_timezone: str | None = None,
        timezone: str | None = None,
        count: int = 5,
    ) -> PreviewView:
        """Show the next fires of a cron expression or words, and how clock changes move them; store nothing."""
        given = {"cron": cron, "when": when, "cron_timezone": cron_timezone}
        check_given({**given, "timezone": timezone})
        form = {name: value for name, value in given.items() if value is not None}
        shown = None if timezone is None else values.zone(timezone, "timezone")
        trigger = forms.read_trigger(form, self._words, await self.zones.at(caller))
        zone = views.shown_in(trigger, shown, await self.zones.person(caller))
        return views.preview_view(trigger, zone, self._clock.now(), count)

    # inside

    def _words(self, phrase: str, zones: Zones) -> Trigger:
        return read_words(phrase, self._clock.now(), zones)

    def _check_feasible(self, action: Action) -> None:
        if isinstance(action, Job):
            self._check_job(action.name, action.args)
        self._check_action(action)

    def _unchecked_row(self, draft: Draft, now: datetime) -> StoredSchedule:
        """Make the row of a draft; `_check_feasible` checks its action."""
        return to_row(draft, now, lambda _name, _args: None, self._random_bits)

    async def _view(self, row: StoredSchedule, caller: Caller, concerns: Sequence[Concern] = ()) -> ScheduleView:
        zone = await self.zones.person(caller)
        return schedule_view(row, caller.scope, self._clock.now(), default_zone=zone, concerns=concerns)

    async def _warned(self, row: StoredSchedule, view: ScheduleView) -> ScheduleView:
        """Add a warning to the view of an enabled schedule that no engine would carry out at present."""
        return replace(view, warning=await self.attention.warning(row.handler)) if row.enabled else view

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

    async def _run_view(self, run: Run, row: StoredSchedule, caller: Caller) -> RunView:
        return await shown_run(self._store, run, row, caller.scope, await self.zones.person(caller))
