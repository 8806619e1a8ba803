"""Actions: what people do to schedules and runs with one press, each with a sentence and a way back.

They wrap the use cases, so the same rules hold; what can be taken back is kept for `undo`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from duly.entropy import random_bits
from duly.errors import ConflictError, DulyError, InvalidInputError
from duly.model.checks import choice
from duly.model.run import Status
from duly.planning.fire import dispatch_at
from duly.ports.codec import decode_policy, decode_trigger
from duly.ports.people import owner_of
from duly.ports.records import RunFilter, StoredSchedule
from duly.service.access.audit import acting_as, asked_by
from duly.service.access.scopes import Caller, check_change, check_writes
from duly.service.schedules import values
from duly.service.schedules.fields import ScheduleView
from duly.service.schedules.finding import owned
from duly.service.schedules.manual_fires import Backfill
from duly.service.schedules.putting_back import row_before
from duly.service.schedules.run_views import RunView
from duly.service.undo import ChangedSchedule, Undo, changed_since

if TYPE_CHECKING:
    from duly.service.overview.overview import OverviewUseCases
    from duly.service.services import Parts

MOST_AT_ONCE = 1000
_LATELY = 20
_SKIPPED = "next fire of {name} skipped"


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


Change = Callable[[StoredSchedule], Awaitable[Any]]


class Actions:
    """The actions on schedules and runs."""

    def __init__(self, parts: Parts, undo: Undo, overview: Callable[[], OverviewUseCases]) -> None:
        self._overview = overview
        self._parts = parts
        self._store = parts.store
        self._clock = parts.clock
        self._cases = parts.use_cases
        self._undo = undo

    # one schedule

    async def pause(self, caller: Caller, schedule: str) -> Done:
        """Stop firing until resumed. What is paused already stays as it is, and no change is recorded."""
        check_writes(caller.scope, "pause")
        row = await self._cases.find.row(caller, schedule)
        if row.enabled:
            return await self._one(caller, "pause", row.id, "{name} paused")
        check_change(caller.scope, owned(row), "pause")
        sentence = f"{row.name} paused"
        undo = await self._undo_of(caller, "pause", sentence)
        return Done(sentence=sentence, view=await self._cases.schedule_get(caller, row.id), undo=undo)

    async def resume(self, caller: Caller, schedule: str) -> Done:
        """Fire again, from now on."""
        return await self._one(caller, "resume", schedule, "{name} resumed")

    async def skip_next(self, caller: Caller, schedule: str, at: datetime | str | None = None) -> Done:
        """Leave the next fire out, on the record.

        `at` is the fire that is meant: asked for twice, it is skipped once, and the one after it stays.
        """
        if at is None:
            return await self._one(caller, "skip_next", schedule, _SKIPPED)
        check_writes(caller.scope, "skip")
        meant = values.moment(at, "at")
        row = await self._cases.find.row(caller, schedule)
        sentence = _SKIPPED.format(name=row.name)

        async def change(row: StoredSchedule) -> ScheduleView:
            return await self._cases.schedule_skip_next(caller, row.id, meant)

        try:
            return await self._done(caller, "skip_next", sentence, row, change)
        except (ConflictError, InvalidInputError):
            if not await self._is_skipped(row, meant):
                raise
        view = await self._cases.schedule_get(caller, row.id)
        undo = await self._undo_of(caller, "skip_next", sentence)
        return Done(sentence=f"that fire of {row.name} is skipped already", view=view, undo=undo)

    async def delete(self, caller: Caller, schedule: str, *, version: int | None = None) -> Done:
        """Delete a schedule; its history stays. With `version`, only if it was not changed since."""
        check_writes(caller.scope, "delete")
        row = await self._cases.find.row(caller, schedule)

        async def change(row: StoredSchedule) -> ScheduleView:
            return await self._cases.schedule_delete(caller, row.id, version)

        return await self._done(caller, "delete", f"{row.name} deleted", row, change)

    async def update(
        self,
        caller: Caller,
        schedule: str,
        given: Mapping[str, Any],
        clear: Sequence[str] = (),
        *,
        version: int | None = None,
    ) -> Done:
        """Change fields of a schedule; with `version`, only if it was not changed since.

        Of a reminder only `enabled`: it is paused and resumed as anything else.
        """
        row = await self._cases.find.row(caller, schedule)
        if row.handler == "message" and set(given) == {"enabled"} and not clear:
            return await self.update_reminder(caller, row.id, given, version=version)

        async def change(row: StoredSchedule) -> ScheduleView:
            return await self._cases.schedule_update(caller, row.id, given, clear, version)

        return await self._done(caller, "update", f"{row.name} changed", row, change)

    async def update_reminder(
        self, caller: Caller, schedule: str, given: Mapping[str, Any], *, version: int | None = None
    ) -> Done:
        """Change fields of a reminder; with `version`, only if it was not changed since."""
        check_writes(caller.scope, "update")
        row = await self._cases.find.row(caller, schedule)
        check_change(caller.scope, owned(row), "update")

        notes: list[str] = []

        async def change(row: StoredSchedule) -> None:
            with acting_as(caller):
                who = owner_of(row.namespace)
                view = await self._parts.reminders.update(
                    who, row.id, undoable=False, version=version, scope=caller.scope, **given
                )
            notes.extend([] if view.note is None else [view.note])

        done = await self._done(caller, "update", f"{row.name} changed", row, change)
        return replace(done, sentence=". ".join([done.sentence, *notes])) if notes else done

    async def put_back(self, caller: Caller, schedule: str, seq: int) -> Done:
        """Give a schedule the definition it had before an entry of the audit."""
        check_writes(caller.scope, "change")
        row = await self._cases.find.row(caller, schedule, deleted=None)
        check_change(caller.scope, owned(row), "change")

        async def change(row: StoredSchedule) -> None:
            await row_before(self._parts, caller, row, seq)

        return await self._done(caller, "put_back", f"{row.name} put back", row, change)

    # runs

    async def trigger(self, caller: Caller, schedule: str) -> Done:
        """Run a schedule now."""
        run = await self._cases.schedule_trigger(caller, schedule)
        return Done(sentence=_started(run, "now"), view=run)

    async def run_again(self, caller: Caller, run_id: str) -> Done:
        """Run the schedule of a run that has ended once more, now."""
        check_writes(caller.scope, "trigger")
        before = await self._cases.run_get(caller, run_id)
        row = await self._cases.find.row(caller, before.schedule_id)
        check_change(caller.scope, owned(row), "trigger")
        if not Status(before.status).final:
            raise InvalidInputError(f"run {run_id} of {before.name!r} is {before.status}: wait until it has ended")
        run = await self._cases.schedule_trigger(caller, before.schedule_id)
        return Done(sentence=_started(run, "again"), view=run)

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
        row = await self._cases.find.row(caller, schedule)
        first = values.moment(start, "start")
        last = values.moment(end, "end")
        fires = Backfill(first, last, self._clock.now(), random_bits, asked_by(caller)).times(row.trigger)
        return Done(sentence=f"{len(fires)} runs would be recorded", total=len(fires))

    # many schedules

    async def bulk(
        self,
        caller: Caller,
        action: str,
        ids: Sequence[str] | None = None,
        filter: Mapping[str, Any] | None = None,  # noqa: A002  the name that faces give it
    ) -> Done:
        """Do the same to many schedules, named by id or found by the filters of a list; what fails is named."""
        choice(BulkAction, action, "action")
        check_writes(caller.scope, action.replace("_next", ""))
        if (ids is None) == (filter is None):
            raise InvalidInputError("say which schedules: either ids or a filter")
        wanted = list(dict.fromkeys(ids)) if ids is not None else await self._found(caller, filter or {})
        if len(wanted) > MOST_AT_ONCE:
            raise InvalidInputError(f"at most {MOST_AT_ONCE} schedules at once, got {len(wanted)}: narrow the filter")
        changed: list[ChangedSchedule] = []
        failed: list[tuple[str, str]] = []
        for each in wanted:
            try:
                row = await self._cases.find.row(caller, each)
                await self._change(caller, action)(row)
                if step := await changed_since(self._store, row):
                    changed.append(step)
            except DulyError as error:
                failed.append((each, str(error)))
        done = len(wanted) - len(failed)
        sentence = f"{_MANY[action]} {done} schedule{'' if done == 1 else 's'}"
        kept = [] if action == "trigger" else changed
        token = await self._undo.keep(caller, action, sentence, kept)
        return Done(sentence=sentence, undo=token, failed=failed, total=len(wanted))

    async def spread(self, caller: Caller, at: datetime, over: timedelta) -> Done:
        """Give each agent and job that starts in a minute an offset of its own within a longer time."""
        plan = await self._overview().spread(caller, at, over, dry_run=True)
        seconds = int(over.total_seconds())
        changed: list[ChangedSchedule] = []
        failed: list[tuple[str, str]] = []
        for each in plan.changed:
            try:
                row = await self._cases.find.row(caller, each)
                await self._stagger(caller, seconds)(row)
                if step := await changed_since(self._store, row):
                    changed.append(step)
            except DulyError as error:
                failed.append((each, str(error)))
        done = len(plan.changed) - len(failed)
        sentence = f"spread {done} schedule{'' if done == 1 else 's'} over {seconds // 60} minutes"
        token = await self._undo.keep(caller, "spread", sentence, changed)
        return Done(sentence=sentence, undo=token, failed=failed, total=len(plan.changed))

    def _stagger(self, caller: Caller, seconds: int) -> Change:
        def change(row: StoredSchedule) -> Awaitable[Any]:
            given = {"stagger_key": row.id, "max_stagger_seconds": seconds}
            return self._cases.schedule_update(caller, row.id, given)

        return change

    async def _found(self, caller: Caller, filters: Mapping[str, Any]) -> list[str]:
        found: list[str] = []
        cursor: str | None = None
        while True:
            page, cursor = await self._cases.schedule_list(caller, cursor=cursor, limit=100, **filters)
            found += [view.id for view in page]
            if cursor is None or len(found) > MOST_AT_ONCE:
                return found

    # inside

    def _change(self, caller: Caller, action: str) -> Change:
        """Give the function that does an action to a row."""
        cases = self._cases
        if action in ("pause", "resume"):
            return lambda row: self._switch(caller, row, enabled=action == "resume")
        use_cases: dict[str, Callable[[Caller, str], Awaitable[Any]]] = {
            "skip_next": cases.schedule_skip_next,
            "delete": cases.schedule_delete,
            "trigger": cases.schedule_trigger,
        }
        return lambda row: use_cases[action](caller, row.id)

    async def _switch(self, caller: Caller, row: StoredSchedule, *, enabled: bool) -> None:
        """Pause or resume a schedule; reminders have a use case of their own."""
        if row.handler != "message":
            await self._cases.schedule_update(caller, row.id, {"enabled": enabled})
            return
        check_change(caller.scope, owned(row), "resume" if enabled else "pause")
        with acting_as(caller):
            await self._parts.reminders.update(owner_of(row.namespace), row.id, undoable=False, enabled=enabled)

    async def _one(self, caller: Caller, action: str, schedule: str, sentence: str) -> Done:
        check_writes(caller.scope, action.replace("_next", ""))
        row = await self._cases.find.row(caller, schedule)
        return await self._done(caller, action, sentence.format(name=row.name), row, self._change(caller, action))

    async def _done(self, caller: Caller, kind: str, sentence: str, row: StoredSchedule, change: Change) -> Done:
        """Do an action to a row, keep the step, and show the schedule as it is then."""
        view = await change(row)
        step = await changed_since(self._store, row)
        token = await self._undo.keep(caller, kind, sentence, [] if step is None else [step])
        if view is None:
            view = await self._cases.schedule_get(caller, row.id)
        return Done(sentence=sentence, view=view, undo=token)

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


def _started(run: RunView, more: str = "") -> str:
    if Status(run.status).final:
        return f"{run.name} {run.status}: {run.reason}" if run.reason else f"{run.name} {run.status}"
    return f"{run.name} runs {more}".rstrip()
