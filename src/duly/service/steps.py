"""Steps: what a change leaves behind, in its own transaction, so that it can be taken back.

`undo.py` takes steps back. A step of schedules has the columns that differ, a step of an answer the reminder before it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from duly.entropy import random_bits
from duly.model.codec import Json, from_plain, some_from_plain, some_to_plain, to_plain
from duly.model.ids import make_id
from duly.planning import lifecycle
from duly.planning.undoing import ScheduleStep, step_between
from duly.ports.changes import Edited
from duly.ports.people import LOCAL_USER
from duly.ports.records import NewRun, StoredSchedule
from duly.ports.remembered import UndoRecord
from duly.ports.reminders import Answer, Reminder
from duly.service.access.audit import acting, is_anybody_acting
from duly.service.access.scopes import Caller

UNDO = "undo_"
WITHIN = timedelta(hours=1)
ANSWER_WITHIN = timedelta(minutes=5)


@dataclass(frozen=True, slots=True, kw_only=True)
class WayBack:
    """Under whose name and in which words a change of schedules is kept for undo."""

    owner: str
    kind: str
    """Such as pause, delete, update."""
    sentence: str | Callable[[Sequence[Edited]], str]
    """What was done, for people; or how to say it of the schedules that changed."""
    within: timedelta = WITHIN
    token: str | None = None
    """The token of the step, where the caller has chosen one."""


def undo_owner(user_id: str) -> str:
    """Name a person as the owner of steps, whichever face they use."""
    return LOCAL_USER if user_id == LOCAL_USER else f"user:{user_id}"


def owners_of(caller: Caller) -> list[str]:
    """List under which names the steps of a caller are kept: the token's, and the person's.

    A person in a chat has no token: the steps of the local user are not theirs. A project may have no token either,
    and is no person: its steps are kept under its name.
    """
    people = [caller.user_id, caller.scope.subject if caller.scope.kind == "user" else None]
    own = [caller.name] if caller.scope.is_admin or caller.token_id is not None else []
    return list(dict.fromkeys([*own, *(undo_owner(each) for each in people if each is not None)])) or [caller.name]


def way_back(
    caller: Caller, kind: str, sentence: str | Callable[[Sequence[Edited]], str], token: str | None = None
) -> WayBack:
    """Keep a change of a caller."""
    return WayBack(owner=owners_of(caller)[0], kind=kind, sentence=sentence, token=token)


def way_of_acting(kind: str, sentence: str) -> WayBack | None:
    """Keep a change for the caller whom the face named; a program that names none keeps no step."""
    return WayBack(owner=acting()["by"], kind=kind, sentence=sentence) if is_anybody_acting() else None


def new_token(now: datetime) -> str:
    """Make the token of a step."""
    return make_id(UNDO, now, random_bits)


def step_of_changes(
    way: WayBack, token: str, edited: Sequence[Edited], skips: Sequence[NewRun], now: datetime
) -> UndoRecord | None:
    """Make the step of changed schedules; None where there is nothing to put back.

    A schedule that was made is deleted when that is taken back, and the records of fires that were left out go.
    """
    changes = []
    for before, after in edited:
        step = step_between(before or lifecycle.delete(after, now), after)
        if step is not None:
            skipped = [run.id for run in skips if run.schedule_id == after.id]
            changes.append({"step": _written(step), "name": after.name, "skipped_runs": skipped})
    if not changes:
        return None
    sentence = way.sentence if isinstance(way.sentence, str) else way.sentence(edited)
    return _record(way.owner, way.kind, token, sentence, {"schedules": changes}, now, way.within)


def step_of_answer(
    owner: str, sentence: str, answer: Answer, before: Reminder, others: Sequence[Reminder]
) -> UndoRecord:
    """Make the step of an answer, with the state of the reminder before it.

    `others` are the reminders of other people that it ended, too, as they were before it.
    """
    data = {"answer": to_plain(answer), "before": to_plain(before), "others": [to_plain(each) for each in others]}
    now = answer.responded_at
    return _record(owner, "answer", new_token(now), sentence, data, now, ANSWER_WITHIN)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerStep:
    """The step of an answer, read back."""

    answer: Answer
    before: Reminder
    others: list[Reminder]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeStep:
    """The step of changed schedules, read back."""

    steps: dict[str, ScheduleStep]
    """By schedule."""
    skips: dict[str, list[str]]
    """By schedule: the runs that record the fires which were left out."""


def read_step(record: UndoRecord) -> AnswerStep | ChangeStep:
    """Read what a step keeps."""
    data = json.loads(record.data)
    if "answer" in data:
        return AnswerStep(
            answer=from_plain(Answer, data["answer"], "answer"),
            before=from_plain(Reminder, data["before"], "before"),
            others=[from_plain(Reminder, each, "others") for each in data.get("others", ())],
        )
    changes = [(_schedule_step(each["step"]), each.get("skipped_runs", [])) for each in data["schedules"]]
    return ChangeStep(
        steps={step.schedule_id: step for step, _ in changes},
        skips={step.schedule_id: runs for step, runs in changes},
    )


# what a step looks like in the store


def _record(
    owner: str, kind: str, token: str, sentence: str, data: Json, now: datetime, within: timedelta
) -> UndoRecord:
    return UndoRecord(
        token=token,
        owner=owner,
        kind=kind,
        sentence=sentence,
        data=json.dumps(data),
        made_at=now,
        expires_at=now + within,
    )


def _written(step: ScheduleStep) -> dict[str, Any]:
    columns = {"before": step.before, "after": step.after}
    return {
        "schedule_id": step.schedule_id,
        "mark": step.mark,
        **{name: some_to_plain(StoredSchedule, values) for name, values in columns.items()},
    }


def _schedule_step(data: Json) -> ScheduleStep:
    return ScheduleStep(
        schedule_id=data["schedule_id"],
        mark=data["mark"],
        before=some_from_plain(StoredSchedule, data["before"]),
        after=some_from_plain(StoredSchedule, data["after"]),
    )
