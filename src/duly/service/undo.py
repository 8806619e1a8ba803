"""Undo: takes steps back.

Steps are kept for an hour, answers for five minutes. A step is refused when what it changed was changed again since.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from duly.errors import ConflictError, InvalidInputError, NotFoundError
from duly.model.events import REMINDER_TAKEN_BACK, Event
from duly.model.reminder import Response
from duly.planning.undoing import put_back
from duly.ports.changes import Edited
from duly.ports.row_reader import READER
from duly.service.access.audit import Asked, asked_by
from duly.service.access.scopes import Caller, check_change, check_writes
from duly.service.changes import Changes, Recording, tell_change
from duly.service.schedules.finding import owned
from duly.service.schedules.values import text
from duly.service.steps import AnswerStep, ChangeStep, owners_of, read_step
from duly.zones import iso

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duly.ports.records import StoredSchedule
    from duly.ports.remembered import UndoRecord
    from duly.service.services import Services

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


class Undo:
    """Shows and takes back the steps of a caller."""

    def __init__(self, services: Services) -> None:
        self._wake = services.process.wake
        self._quotas = services.quotas
        self._store = services.store
        self._clock = services.clock
        self._changes = Changes(self._store, self._clock, self._wake)

    async def last(self, caller: Caller) -> UndoView | None:
        """Give the caller's latest step that can still be taken back."""
        if caller.scope.read_only:
            return None
        now = self._clock.now()
        steps = [await self._store.remembered.last_undo(owner, now) for owner in owners_of(caller)]
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
        step = await self._store.remembered.undo(text(token, "token"))
        if step is None or not (step.owner in owners_of(caller) or caller.scope.is_admin):
            raise NotFoundError(f"there is nothing to undo under {token!r:.100}: steps are kept for an hour")
        now = self._clock.now()
        if step.used_at is not None:
            raise InvalidInputError(f"{step.sentence}: that was undone already, at {iso(step.used_at)}")
        if now >= step.expires_at:
            minutes = round((step.expires_at - step.made_at).total_seconds() / 60)
            until = iso(step.expires_at)
            raise InvalidInputError(f"{step.sentence}: that could be undone for {minutes} minutes, until {until}")
        kept = read_step(step)
        if isinstance(kept, AnswerStep):
            await self._take_back_answer(caller, step, kept, now)
            left = ""
        else:
            left = await self._take_back_changes(caller, step, kept, now)
        self._wake()
        return f"undone: {step.sentence}{left}"

    async def undo_last(self, caller: Caller) -> str:
        """Take back the caller's latest step."""
        last = await self.last(caller)
        if last is None:
            raise NotFoundError("there is nothing to undo: steps are kept for an hour, answers for five minutes")
        return await self.undo(caller, last.token)

    async def _take_back_answer(self, caller: Caller, step: UndoRecord, kept: AnswerStep, now: datetime) -> None:
        answer = kept.answer
        row = await self._store.get(answer.job_id)
        if row is None:
            raise NotFoundError("the reminder is gone")
        if caller.scope.subject != answer.user_id:  # a person takes back their own answer to a shared reminder, too
            check_change(caller.scope, owned(row), "undo an answer to a reminder of")
        about = {**asked_by(caller), "user": answer.user_id, "response": str(answer.response)}
        event = Event(REMINDER_TAKEN_BACK, now, answer.job_id, answer.run_id, data=about)
        if not await self._store.remembered.take_back_answer(
            step.token, answer, kept.before, now, [event], kept.others
        ):
            again = "snoozed" if answer.response is Response.SNOOZE else "answered"
            raise ConflictError(f"{row.name!r} was {again} or sent again meanwhile: nothing was undone")

    async def _take_back_changes(self, caller: Caller, step: UndoRecord, kept: ChangeStep, now: datetime) -> str:
        """Take back every change that still stands; raise when none does."""
        steps = kept.steps
        if any(each.before.get("deleted_at", now) is None for each in steps.values()):
            await self._quotas.check_room(caller.scope)

        def back(row: StoredSchedule) -> StoredSchedule:
            check_change(caller.scope, owned(row), "undo a change of")
            return put_back(row, steps[row.id], now, READER)

        recording = Recording(tell=_tell, undone=step.token, unskipped=kept.skips)
        try:
            changed, refused = await self._changes.each(list(steps), back, caller, recording, refusal=ConflictError)
        except InvalidInputError as error:  # its name was given to another schedule meanwhile
            raise ConflictError(f"cannot undo that: {error}") from error
        if not changed.edited:
            raise next(iter(refused.values()), ConflictError("it was removed for good"))
        left = len(steps) - len(changed.edited)
        return f"; {left} of {len(steps)} stay as they are, because they changed meanwhile" if left else ""


def _tell(now: datetime, by: Asked, edited: Edited) -> Sequence[Event]:
    """Tell of a change that is taken back."""
    return [replace(event, data={**event.data, "reason": _REASON}) for event in tell_change(now, by, edited)]
