"""Actions: what people do to schedules and runs with one press, each with a sentence and a way back.

They wrap the use cases, so the same rules hold; what can be taken back is kept for `undo`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING

from duly.entropy import random_bits
from duly.errors import ConflictError, DulyError, InvalidInputError
from duly.model.checks import choice
from duly.model.codec import Json
from duly.model.run import Status
from duly.planning import lifecycle
from duly.planning.fire import dispatch_at
from duly.ports.changes import Change
from duly.ports.codec import decode_policy, decode_trigger
from duly.ports.people import owner_of
from duly.ports.records import RunFilter, StoredSchedule
from duly.ports.row_reader import READER
from duly.service.access.audit import acting_as, asked_by
from duly.service.access.scopes import Caller, check_change, check_writes
from duly.service.changes import Recording
from duly.service.schedules import forms, values
from duly.service.schedules.fields import ScheduleView, spreading
from duly.service.schedules.finding import owned
from duly.service.schedules.manual_fires import Backfill, skip_recording
from duly.service.schedules.putting_back import row_before
from duly.service.schedules.run_views import RunView, started
from duly.service.schedules.use_cases import allowed
from duly.service.steps import WayBack, new_token, way_back

if TYPE_CHECKING:
    from duly.service.services import Services

MOST_AT_ONCE = 1000
_LATELY = 20
_PAUSED = "{name} paused"
_RESUMED = "{name} resumed"
_SKIPPED = "next fire of {name} skipped"
_DELETED = "{name} deleted"
_CHANGED = "{name} changed"
_PUT_BACK = "{name} put back"


class BulkAction(StrEnum):
    """The actions that can be done to many schedules at once."""

    PAUSE = "pause"
    RESUME = "resume"
    SKIP_NEXT = "skip_next"
    DELETE = "delete"
    TRIGGER = "trigger"


_MANY = {
    "pause": "paused",
    "resume": "resumed",
    "skip_next": "left out the next fire of",
    "delete": "deleted",
    "trigger": "started",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """The result of an action."""

    sentence: str
    """What was done, for people."""
    view: ScheduleView | RunView | None = None
    undo: str | None = None
    """The token that takes it back; None when that is not possible."""
    failed: list[tuple[str, str]] = field(default_factory=list)
    """Of many: the ids that were left out, each with the reason."""
    total: int | None = None
    """Of many, and of a backfill: how many schedules or runs it was about."""

    @property
    def schedule(self) -> ScheduleView:
        """The one schedule that it was about."""
        assert isinstance(self.view, ScheduleView)  # noqa: S101  an action on one schedule shows it
        return self.view


class Actions:
    """The actions on schedules and runs."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._store = services.store
        self._clock = services.clock
        self._cases = services.use_cases
        self._reads = services.schedules
        self._undo = services.undo

    # one schedule

    async def pause(self, caller: Caller, schedule: str) -> Done:
        """Stop firing until resumed. What is paused already stays as it is, and no change is recorded."""
        check_writes(caller.scope, "pause")
        row = await self._reads.find.row(caller, schedule)
        if row.enabled:
            return await self._switch(caller, row, enabled=False)
        check_change(caller.scope, owned(row), "pause")
        sentence = f"{row.name} paused"
        undo = await self._undo_of(caller, "pause", sentence)
        return Done(sentence=sentence, view=await self._reads.shown(caller, row), undo=undo)

    async def resume(self, caller: Caller, schedule: str) -> Done:
        """Fire again, from now on."""
        check_writes(caller.scope, "resume")
        return await self._switch(caller, await self._reads.find.row(caller, schedule), enabled=True)

    async def skip_next(self, caller: Caller, schedule: str, at: datetime | str | None = None) -> Done:
        """Leave the next fire out, on the record.

        `at` is the fire that is meant: asked for twice, it is skipped once, and the one after it stays.
        """
        check_writes(caller.scope, "skip")
        meant = None if at is None else values.moment(at, "at")
        kept = keeping(caller, "skip_next", _SKIPPED)
        try:
            row, undo = await self._cases.skip_next(caller, schedule, meant, kept)
        except (ConflictError, InvalidInputError):
            row = await self._reads.find.row(caller, schedule)
            if meant is None or not await self._is_skipped(row, meant):
                raise
            undo = await self._undo_of(caller, "skip_next", _SKIPPED.format(name=row.name))
            view = await self._reads.shown(caller, row)
            return Done(sentence=f"that fire of {row.name} is skipped already", view=view, undo=undo)
        view = await self._reads.defined(caller, row)
        return Done(sentence=_SKIPPED.format(name=row.name), view=view, undo=undo)

    async def delete(self, caller: Caller, schedule: str, *, version: int | None = None) -> Done:
        """Delete a schedule; its history stays. With `version`, only if it was not changed since."""
        kept = keeping(caller, "delete", _DELETED)
        row, undo = await self._cases.delete(caller, schedule, version, kept)
        return Done(sentence=_DELETED.format(name=row.name), view=await self._reads.defined(caller, row), undo=undo)

    async def restore(self, caller: Caller, schedule: str, name: str | None = None) -> Done:
        """Undo a deletion, by id; the schedule is paused then, and has the new name if one is given."""
        back, _ = await self._cases.restore(caller, schedule, name=name)
        return Done(sentence=f"{back.name} restored", view=await self._reads.defined(caller, back))

    async def update(
        self,
        caller: Caller,
        schedule: str,
        given: Json,
        clear: Sequence[str] = (),
        *,
        version: int | None = None,
    ) -> Done:
        """Change fields of a schedule; with `version`, only if it was not changed since.

        Of a reminder its name, text, time and options, and whether it fires.
        """
        check_writes(caller.scope, "update")
        row = await self._reads.find.row(caller, schedule)
        if row.handler == "message" and (form := forms.changes_of(given, clear)).keys() <= forms.OF_REMINDERS:
            return await self.update_reminder(caller, row.id, forms.changes_of_reminder(form), version=version)
        kept = keeping(caller, "update", _CHANGED)
        changed, undo = await self._cases.update(caller, row, given, clear, version, kept)
        view = await self._reads.checked(caller, changed)
        return Done(sentence=_CHANGED.format(name=row.name), view=view, undo=undo)

    async def update_reminder(self, caller: Caller, schedule: str, given: Json, *, version: int | None = None) -> Done:
        """Change fields of a reminder; with `version`, only if it was not changed since."""
        check_writes(caller.scope, "update")
        row = await self._reads.find.row(caller, schedule)
        check_change(caller.scope, owned(row), "update")
        token = new_token(self._clock.now())
        way = way_back(caller, "update", _CHANGED.format(name=row.name), token)
        with acting_as(caller):
            changed = await self._services.reminder_service.update(
                owner_of(row.namespace), row.id, way=way, version=version, scope=caller.scope, **given
            )
        sentence = ". ".join(filter(None, [_CHANGED.format(name=row.name), changed.note]))
        undo = token if await self._store.remembered.undo(token) is not None else None  # none where nothing differs
        return Done(sentence=sentence, view=await self._reads.schedule_get(caller, row.id), undo=undo)

    async def put_back(self, caller: Caller, schedule: str, seq: int) -> Done:
        """Give a schedule the definition it had before an entry of the audit."""
        check_writes(caller.scope, "change")
        row = await self._reads.find.row(caller, schedule, deleted=None)
        check_change(caller.scope, owned(row), "change")
        undo = await row_before(self._services, caller, row, seq, keeping(caller, "put_back", _PUT_BACK))
        view = await self._reads.schedule_get(caller, row.id)
        return Done(sentence=_PUT_BACK.format(name=row.name), view=view, undo=undo)

    # runs

    async def trigger(self, caller: Caller, schedule: str) -> Done:
        """Run a schedule now."""
        run = await self._cases.schedule_trigger(caller, schedule)
        return Done(sentence=started(run, "now"), view=run)

    async def run_again(self, caller: Caller, run_id: str) -> Done:
        """Run the schedule of a run that has ended once more, now."""
        check_writes(caller.scope, "trigger")
        before = await self._reads.run_get(caller, run_id)
        row = await self._reads.find.row(caller, before.schedule_id)
        check_change(caller.scope, owned(row), "trigger")
        if not Status(before.status).final:
            raise InvalidInputError(f"run {run_id} of {before.name!r} is {before.status}: wait until it has ended")
        run = await self._cases.schedule_trigger(caller, before.schedule_id)
        return Done(sentence=started(run, "again"), view=run)

    async def cancel_run(self, caller: Caller, run_id: str) -> Done:
        """Cancel a run that has not started; ask a running one to stop."""
        run = await self._cases.run_cancel(caller, run_id)
        outcome = "cancelled" if run.status == Status.CANCELLED else "is asked to stop"
        return Done(sentence=f"run of {run.name} {outcome}", view=run)

    async def backfill(
        self,
        caller: Caller,
        schedule: str,
        start: datetime | str,
        end: datetime | str,
        *,
        dry_run: bool = False,
    ) -> Done:
        """Fire for every nominal time of a past range; as a dry run only count them."""
        if not dry_run:
            _, total = await self._cases.schedule_backfill(caller, schedule, start, end)
            return Done(sentence=f"{total} runs recorded", total=total)
        row = await self._reads.find.row(caller, schedule)
        first = values.moment(start, "start")
        last = values.moment(end, "end")
        fires = Backfill((first, last), self._clock.now(), random_bits, asked_by(caller)).times(row.trigger)
        return Done(sentence=f"{len(fires)} runs would be recorded", total=len(fires))

    # many schedules

    async def bulk(
        self,
        caller: Caller,
        action: str,
        ids: Sequence[str] | None = None,
        filter: Json | None = None,  # noqa: A002  the name that faces give it
    ) -> Done:
        """Do the same to many schedules, named by id or found by the filters of a list; what fails is named."""
        choice(BulkAction, action, "action")
        check_writes(caller.scope, action.replace("_next", ""))
        if (ids is None) == (filter is None):
            raise InvalidInputError("say which schedules: either ids or a filter")
        wanted = list(dict.fromkeys(ids)) if ids is not None else await self._found(caller, filter or {})
        if len(wanted) > MOST_AT_ONCE:
            raise InvalidInputError(f"at most {MOST_AT_ONCE} schedules at once, got {len(wanted)}: narrow the filter")
        rows: dict[str, StoredSchedule] = {}
        failed: dict[str, str] = {}
        for each in wanted:
            try:
                row = await self._reads.find.row(caller, each)
                if action == BulkAction.TRIGGER:
                    await self._cases.schedule_trigger(caller, row.id)
                rows[each] = row
            except DulyError as error:
                failed[each] = str(error)
        undo = None
        refused: dict[str, DulyError] = {}
        if action != BulkAction.TRIGGER and rows:
            undo, refused = await self._change_all(caller, BulkAction(action), list(rows.values()))
            failed |= {each: str(refused[row.id]) for each, row in rows.items() if row.id in refused}
        done = {row.id for row in rows.values()} - refused.keys()  # one may be named by its id and by its name
        sentence = _counted(_MANY[action], len(done))
        return Done(sentence=sentence, undo=undo, failed=[*failed.items()], total=len(wanted))

    async def _change_all(
        self, caller: Caller, action: BulkAction, rows: Sequence[StoredSchedule]
    ) -> tuple[str | None, dict[str, DulyError]]:
        """Do an action to schedules in one transaction; give the token that takes it back, and why some stay."""
        way = way_back(caller, action, lambda edited: _counted(_MANY[action], len(edited)))
        recording = Recording(way=way)
        if action is BulkAction.SKIP_NEXT:
            recording = skip_recording(self._clock.now(), random_bits, recording)
        decide = await self._deciding(caller, action, rows)
        ids = list(dict.fromkeys(row.id for row in rows))
        changed, refused = await self._cases.changes.each(ids, decide, caller, recording)
        return changed.undo, refused

    async def _deciding(self, caller: Caller, action: BulkAction, rows: Sequence[StoredSchedule]) -> Change:
        """Make the decision of an action that changes schedules."""
        if action is BulkAction.SKIP_NEXT:
            return allowed(caller, "change", lambda row: lifecycle.skip_next(row, READER))
        if action is BulkAction.DELETE:
            return allowed(caller, "delete", self._cases.deleting())
        switch = await self._cases.switching(caller, rows, enabled=action is BulkAction.RESUME)
        return allowed(caller, str(action), switch)

    async def spread(self, caller: Caller, at: datetime, over: timedelta) -> Done:
        """Give each agent and job that starts in a minute an offset of its own within a longer time."""
        plan = await self._services.overview.spread(caller, at, over, dry_run=True)
        seconds = int(over.total_seconds())
        decisions: dict[str, Change] = {}
        failed: dict[str, str] = {}
        for each in plan.changed:
            try:
                row = await self._reads.find.row(caller, each)
                given = spreading(row.id, seconds)
                decisions[row.id] = allowed(caller, "update", await self._cases.editing(caller, [row], given))
            except DulyError as error:
                failed[each] = str(error)

        def said(count: int) -> str:
            return f"{_counted('spread', count)} over {seconds // 60} minutes"

        recording = Recording(way=way_back(caller, "spread", lambda edited: said(len(edited))))
        changed, refused = await self._cases.changes.each(
            list(decisions), lambda row: decisions[row.id](row), caller, recording
        )
        failed |= {schedule_id: str(error) for schedule_id, error in refused.items()}
        done = len(plan.changed) - len(failed)
        return Done(sentence=said(done), undo=changed.undo, failed=[*failed.items()], total=len(plan.changed))

    async def _found(self, caller: Caller, filters: Json) -> list[str]:
        found: list[str] = []
        cursor: str | None = None
        while True:
            page, cursor = await self._reads.schedule_list(caller, cursor=cursor, limit=100, **filters)
            found += [view.id for view in page]
            if cursor is None or len(found) > MOST_AT_ONCE:
                return found

    # inside

    async def _switch(self, caller: Caller, row: StoredSchedule, *, enabled: bool) -> Done:
        """Pause or resume a schedule."""
        kind, sentence = ("resume", _RESUMED) if enabled else ("pause", _PAUSED)
        decide = await self._cases.switching(caller, [row], enabled=enabled)
        after, undo = await self._cases.edit(caller, row, kind, decide, keeping(caller, kind, sentence))
        return Done(sentence=sentence.format(name=row.name), view=await self._reads.shown(caller, after), undo=undo)

    async def _undo_of(self, caller: Caller, kind: str, sentence: str) -> str | None:
        """Give the token of the first of two presses, if that was the caller's last step."""
        last = await self._undo.last(caller)
        return last.token if last is not None and (last.kind, last.sentence) == (kind, sentence) else None

    async def _is_skipped(self, row: StoredSchedule, meant: datetime) -> bool:
        """Whether a fire, given as it was shown, is among those that were left out lately."""
        runs = await self._store.runs(RunFilter(schedule_id=row.id, statuses=(Status.SKIPPED,), limit=_LATELY))
        trigger = decode_trigger(row.trigger)
        policy = decode_policy(row.policy)
        return any(meant in (run.fire_at, dispatch_at(trigger, policy, run.fire_at)) for run in runs)


def keeping(caller: Caller, kind: str, sentence: str) -> Callable[[StoredSchedule], WayBack]:
    """Keep a change of a schedule for undo, under a sentence with its name."""
    return lambda row: way_back(caller, kind, sentence.format(name=row.name))


def _counted(what: str, count: int) -> str:
    return f"{what} {count} schedule{'' if count == 1 else 's'}"
