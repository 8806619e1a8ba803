"""Undo: take back the last steps of a caller, within an hour; an answer to a reminder within five minutes.

A step is stored with what it changed, so that it can be taken back after a restart and through any face. It is refused
with the reason when the same thing was changed meanwhile.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, get_type_hints

from duly.entropy import random_bits
from duly.errors import ConflictError, InvalidInputError, NotFoundError
from duly.model.events import REMINDER_TAKEN_BACK, SCHEDULE_DELETED, SCHEDULE_RESTORED, Event
from duly.model.ids import make_id
from duly.model.reminder import Response
from duly.model.run import Status
from duly.planning import lifecycle
from duly.planning.undoing import ScheduleStep, put_back, step_between
from duly.ports.desk import Desk, UndoRecord
from duly.ports.people import LOCAL_USER
from duly.ports.records import RunFilter, StoredSchedule
from duly.ports.reminders import Answer, Reminder
from duly.ports.row_reader import READER
from duly.ports.store import FullStore
from duly.service.access.audit import asked_by, audited, change_events
from duly.service.access.scopes import Caller, check_change, check_writes
from duly.service.schedules.finding import owned
from duly.service.schedules.values import text
from duly.zones import iso

if TYPE_CHECKING:
    from duly.service.services import Parts

UNDO = "undo_"
WITHIN = timedelta(hours=1)
ANSWER_WITHIN = timedelta(minutes=5)
_REASON = "undone"


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoView:
    """A step that can be taken back."""

    token: str
    sentence: str
    """What was done."""
    kind: str
    made_at: datetime
    expires_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedSchedule:
    """A change of a schedule that can be taken back; `skipped_run` is the record of a fire that it left out."""

    step: ScheduleStep
    name: str
    skipped_run: str | None = None


def undo_owner(user_id: str) -> str:
    """Name a person as the owner of steps, whichever face they use."""
    return LOCAL_USER if user_id == LOCAL_USER else f"user:{user_id}"


def _owners(caller: Caller) -> list[str]:
    """List under which names the steps of a caller are kept: the token's, and the person's.

    A person in a chat has no token: the steps of the local user are not theirs. A project may have no token either,
    and is no person: its steps are kept under its name.
    """
    people = [caller.user_id, caller.scope.subject if caller.scope.kind == "user" else None]
    own = [caller.name] if caller.scope.is_admin or caller.token_id is not None else []
    return list(dict.fromkeys([*own, *(undo_owner(each) for each in people if each is not None)])) or [caller.name]


async def keep_answer(
    desk: Desk, owner: str, sentence: str, answer: Answer, before: Reminder, others: Sequence[Reminder] = ()
) -> str:
    """Keep an answer to a reminder, with the state of the reminder before it; give the token that takes it back.

    `others` are the reminders of other people that it ended, too, as they were before it.
    """
    ended = [_written(asdict(each)) for each in others]
    data = {"answer": _written(asdict(answer)), "before": _written(asdict(before)), "others": ended}
    record = _record(owner, "answer", sentence, data, answer.responded_at, ANSWER_WITHIN)
    await desk.keep_undo(record)
    return record.token


async def keep_second_delivery(
    desk: Desk, owner: str, sentence: str, before: StoredSchedule | None, after: StoredSchedule, now: datetime
) -> str | None:
    """Keep the answer that made or moved a schedule for a second delivery; taking it back removes that schedule."""
    step = step_between(before or lifecycle.delete(after, now), after)
    if step is None:
        return None
    data = _written_changes([ChangedSchedule(step=step, name=after.name)])
    record = _record(owner, "answer", sentence, data, now, ANSWER_WITHIN)
    await desk.keep_undo(record)
    return record.token


async def keep_change(
    store: FullStore, owner: str, kind: str, sentence: str, before: StoredSchedule, now: datetime
) -> None:
    """Keep a change of one schedule that was just made; `before` is its row as it was."""
    changed = await changed_since(store, before)
    if changed is not None:
        await store.desk.keep_undo(_record(owner, kind, sentence, _written_changes([changed]), now, WITHIN))


async def changed_since(store: FullStore, before: StoredSchedule) -> ChangedSchedule | None:
    """Give what an action has changed in a row; None when that cannot be taken back."""
    after = await store.get(before.id)
    if after is None or after.version > before.version + 1:  # another caller changed it at the same moment
        return None
    step = step_between(before, after)
    if step is None:
        return None
    return ChangedSchedule(step=step, name=before.name, skipped_run=await _skipped(store, before, after))


async def _skipped(store: FullStore, before: StoredSchedule, after: StoredSchedule) -> str | None:
    """Find the record of the fire that a change left out."""
    if before.next_fire_at is None or after.watermark != before.next_fire_at:
        return None
    runs = await store.runs(RunFilter(schedule_id=after.id, statuses=(Status.SKIPPED,), limit=5))
    return next((run.id for run in runs if run.fire_at == before.next_fire_at), None)


class Undo:
    """Keeps steps, and takes them back."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._store = parts.store
        self._clock = parts.clock

    # keeping

    async def keep(self, caller: Caller, kind: str, sentence: str, changes: Sequence[ChangedSchedule]) -> str | None:
        """Keep changes of schedules as one step; None when there is nothing to take back."""
        if not changes:
            return None
        record = _record(_owners(caller)[0], kind, sentence, _written_changes(changes), self._clock.now(), WITHIN)
        await self._store.desk.keep_undo(record)
        return record.token

    async def keep_made(self, caller: Caller, sentence: str, schedule_id: str) -> str | None:
        """Keep that a schedule was made: taken back, it is deleted, and its history stays."""
        row = await self._store.get(schedule_id)
        step = None if row is None else step_between(lifecycle.delete(row, self._clock.now()), row)
        if row is None or step is None:
            return None
        return await self.keep(caller, "create", sentence, [ChangedSchedule(step=step, name=row.name)])

    # taking back

    async def last(self, caller: Caller) -> UndoView | None:
        """Give the caller's latest step that can still be taken back."""
        if caller.scope.read_only:
            return None
        now = self._clock.now()
        steps = [await self._store.desk.last_undo(owner, now) for owner in _owners(caller)]
        found = max((step for step in steps if step is not None), key=lambda step: step.made_at, default=None)
        if found is None:
            return None
        return UndoView(
            token=found.token,
            sentence=found.sentence,
            kind=found.kind,
            made_at=found.made_at,
            expires_at=found.expires_at,
        )

    async def undo(self, caller: Caller, token: str) -> str:
        """Take a step back; give the sentence that says what was undone."""
        check_writes(caller.scope, "undo a change of")
        step = await self._store.desk.undo(text(token, "token"))
        if step is None or not (step.owner in _owners(caller) or caller.scope.is_admin):
            raise NotFoundError(f"there is nothing to undo under {token!r:.100}: steps are kept for an hour")
        now = self._clock.now()
        if step.used_at is not None:
            raise InvalidInputError(f"{step.sentence}: that was undone already, at {iso(step.used_at)}")
        if now >= step.expires_at:
            minutes = round((step.expires_at - step.made_at).total_seconds() / 60)
            until = iso(step.expires_at)
            raise InvalidInputError(f"{step.sentence}: that could be undone for {minutes} minutes, until {until}")
        data = json.loads(step.data)
        if "answer" in data:
            await self._take_back_answer(caller, data, now)
            left = ""
        else:
            left = await self._take_back_changes(caller, data["schedules"], now)
        await self._store.desk.use_undo(step.token, now)
        self._parts.wake()
        return f"undone: {step.sentence}{left}"

    async def undo_last(self, caller: Caller) -> str:
        """Take back the caller's latest step."""
        last = await self.last(caller)
        if last is None:
            raise NotFoundError("there is nothing to undo: steps are kept for an hour, answers for five minutes")
        return await self.undo(caller, last.token)

    async def _take_back_answer(self, caller: Caller, data: Mapping[str, Any], now: datetime) -> None:
        answer = _read(Answer, data["answer"])
        before = _read(Reminder, data["before"])
        row = await self._store.get(answer.job_id)
        if row is None:
            raise NotFoundError("the reminder is gone")
        if caller.scope.subject != answer.user_id:  # a person takes back their own answer to a shared reminder, too
            check_change(caller.scope, owned(row), "undo an answer to a reminder of")
        about = {**asked_by(caller), "user": answer.user_id, "response": str(answer.response)}
        event = Event(REMINDER_TAKEN_BACK, now, answer.job_id, answer.run_id, data=about)
        others = [_read(Reminder, each) for each in data.get("others", ())]
        if not await self._store.desk.take_back_answer(answer, before, now, [event], others):
            again = "snoozed" if answer.response is Response.SNOOZE else "answered"
            raise ConflictError(f"{row.name!r} was {again} or sent again meanwhile: nothing was undone")

    async def _take_back_changes(self, caller: Caller, data: Sequence[Mapping[str, Any]], now: datetime) -> str:
        """Take back every change that still stands; raise when none does."""
        steps = {each["step"]["schedule_id"]: _step(each["step"]) for each in data}
        skips = [(each["step"]["schedule_id"], each["skipped_run"]) for each in data if each["skipped_run"]]
        if any(step.before.get("deleted_at", now) is None for step in steps.values()):
            await self._parts.quotas.check_room(caller.scope)
        for schedule_id, run_id in skips:
            await self._forget_skip(caller, steps[schedule_id], run_id, now)
        made: list[Event] = []
        outcome: dict[str, str | list[Event]] = {}
        """By schedule: why it stays as it is, or the events of its change. A store may ask for a row twice."""

        def change(row: StoredSchedule) -> StoredSchedule | None:
            check_change(caller.scope, owned(row), "undo a change of")
            try:
                back = put_back(row, steps[row.id], now, READER)
            except ConflictError as error:
                outcome[row.id] = str(error)
                return None
            outcome[row.id] = _events(now, caller, row, back)
            made[:] = [event for events in outcome.values() if isinstance(events, list) for event in events]
            return back

        try:
            await self._store.edit(list(steps), change, made)
        except InvalidInputError as error:  # its name was given to another schedule meanwhile
            raise ConflictError(f"cannot undo that: {error}") from error
        undone = [each for each in outcome.values() if isinstance(each, list)]
        if not undone:
            refused = next((each for each in outcome.values() if isinstance(each, str)), "it was removed for good")
            raise ConflictError(refused)
        left = len(steps) - len(undone)
        return f"; {left} of {len(steps)} stay as they are, because they changed meanwhile" if left else ""

    async def _forget_skip(self, caller: Caller, step: ScheduleStep, run_id: str, now: datetime) -> None:
        """Remove the record of a skipped fire, once it is sure that the schedule can be put back."""
        row = await self._store.get(step.schedule_id)
        if row is None:
            return
        check_change(caller.scope, owned(row), "undo a change of")
        try:
            put_back(row, step, now, READER)
        except ConflictError:
            return  # refused again, with the reason, when the schedule itself is put back
        await self._store.desk.forget_skip(step.schedule_id, run_id)


def _events(now: datetime, caller: Caller, row: StoredSchedule, back: StoredSchedule) -> list[Event]:
    """Make the events of a change that is taken back."""
    if (row.deleted_at is None) != (back.deleted_at is None):
        kind = SCHEDULE_RESTORED if back.deleted_at is None else SCHEDULE_DELETED
        found = [audited(kind, now, caller, row, back)]
    else:
        found = change_events(now, caller, row, back)
    for event in found:
        event.data["reason"] = _REASON
    return found


# what a step looks like in the store


def _record(
    owner: str, kind: str, sentence: str, data: Mapping[str, Any], now: datetime, within: timedelta
) -> UndoRecord:
    return UndoRecord(
        token=make_id(UNDO, now, random_bits),
        owner=owner,
        kind=kind,
        sentence=sentence,
        data=json.dumps(data),
        made_at=now,
        expires_at=now + within,
    )


def _written_changes(changes: Sequence[ChangedSchedule]) -> dict[str, Any]:
    return {"schedules": [{**asdict(each), "step": _written(asdict(each.step))} for each in changes]}


def _written(values: Mapping[str, Any]) -> dict[str, Any]:
    """Make JSON of the values of a record; a time becomes its text."""
    return {name: _plain(value) for name, value in values.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return _written(value)
    return value.isoformat() if isinstance(value, datetime) else value


def _step(data: Mapping[str, Any]) -> ScheduleStep:
    return ScheduleStep(
        schedule_id=data["schedule_id"],
        mark=data["mark"],
        before=_timed(StoredSchedule, data["before"]),
        after=_timed(StoredSchedule, data["after"]),
    )


def _read(kind: type[Any], data: Mapping[str, Any]) -> Any:
    return kind(**_timed(kind, data))


def _timed(kind: type[Any], data: Mapping[str, Any]) -> dict[str, Any]:
    """Read times and choices back, by the types of the record's fields."""
    hints = get_type_hints(kind)
    return {name: _typed(hints[name], value) for name, value in data.items()}


def _typed(hint: Any, value: Any) -> Any:
    if value is None or hint is str:
        return value
    if hint in (datetime, datetime | None):
        return datetime.fromisoformat(value)
    return hint(value) if isinstance(hint, type) and issubclass(hint, str) else value
