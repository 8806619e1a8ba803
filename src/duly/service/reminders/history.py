"""What happened to a reminder: every run with its sends, its answers and its escalations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from duly.model.action import AnsweredBy
from duly.model.reminder import AttemptKind, ReminderStatus, Response
from duly.planning.delivery import overall
from duly.ports.reminders import Reminder
from duly.ports.store import FullStore
from duly.service.reminders.deliveries import AnswerView, Deliveries, DeliveryView, only_of
from duly.service.schedules.fields import ReminderView
from duly.service.schedules.views import plain

MOST_RUNS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class ReminderPerson:
    """How a run of a reminder stands with one of its people."""

    name: str
    status: str
    answered: bool
    """Whether this person has answered for good; a snooze is no end."""
    asked_again: int
    failed_rounds: int
    snoozed_until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReminderRun:
    """One run of a reminder, with everything that was sent and answered."""

    run_id: str
    run_number: int
    status: str
    began_at: datetime
    changed_at: datetime
    asked_again: int
    """How often it was delivered again because it was not answered."""
    failed_rounds: int
    """Rounds over all channels that failed since it last arrived."""
    escalated: bool
    """Whether the admins got a message about it."""
    people: list[ReminderPerson] = field(default_factory=list)
    """How it stands with each of its people, in order of name."""
    deliveries: list[DeliveryView] = field(default_factory=list)
    answers: list[AnswerView] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReminderHistory:
    """A reminder and its latest runs, newest first."""

    job: ReminderView
    runs: list[ReminderRun]

    def to_json(self) -> dict[str, Any]:
        """Give the reminder and its runs, moments in UTC."""
        return plain(self)


async def runs_of(
    store: FullStore, user_id: str, schedule_id: str, limit: int, answered_by: AnsweredBy
) -> list[ReminderRun]:
    """Read the latest runs of a reminder, newest first, with their sends and answers, as a person may see them."""
    deliveries = Deliveries(store, only_of(user_id))
    runs: dict[str, list[Reminder]] = {}
    for reminder in await store.reminders.of_schedule(schedule_id, limit):
        runs.setdefault(reminder.run_id, []).append(reminder)
    return [await _run(reminders, answered_by, deliveries) for reminders in runs.values()]


async def _run(reminders: Sequence[Reminder], answered_by: AnsweredBy, deliveries: Deliveries) -> ReminderRun:
    first = reminders[0]
    sent = await deliveries.sent(first.run_id)
    answers = await deliveries.answered(first.run_id)
    ended_by = {each.user_id for each in answers if each.response != Response.SNOOZE}
    people = [
        ReminderPerson(
            name=await deliveries.name(each.user_id),
            status=str(each.status),
            answered=each.user_id in ended_by,
            asked_again=each.nags,
            failed_rounds=each.rounds,
            snoozed_until=each.wake_at if each.status is ReminderStatus.SNOOZED else None,
        )
        for each in reminders
    ]
    return ReminderRun(
        run_id=first.run_id,
        run_number=first.run_number,
        status=str(overall(answered_by, [each.status for each in reminders])),
        began_at=first.created_at,
        changed_at=max(each.updated_at for each in reminders),
        asked_again=max(each.nags for each in reminders),
        failed_rounds=max(each.rounds for each in reminders),
        escalated=any(each.kind == AttemptKind.ESCALATION for each in sent),
        people=sorted(people, key=lambda each: each.name),
        deliveries=sent,
        answers=answers,
    )
