"""What happened to a reminder: every run with its sends, its answers and its escalations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from duly.model.reminder import AttemptKind
from duly.ports.people import People
from duly.ports.reminders import Answer, DeliveryAttempt, Reminder, Reminders
from duly.service.reminders.views import ReminderView
from duly.service.schedules.views import plain

MOST_RUNS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class SendView:
    """One send: of the reminder, of its question, of a copy for the inbox, or of an escalation to an admin."""

    number: int
    kind: str
    to: str
    """The name of the person."""
    channel: str
    status: str
    at: datetime
    sent_at: datetime | None = None
    delivered_at: datetime | None = None
    acked_at: datetime | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerView:
    """One answer."""

    response: str
    by: str
    """The name of the person."""
    at: datetime
    channel: str | None = None
    text: str | None = None
    until: datetime | None = None
    """When a snoozed reminder comes back."""


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
    sends: list[SendView] = field(default_factory=list)
    answers: list[AnswerView] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReminderHistory:
    """A reminder and its latest runs, newest first."""

    job: ReminderView
    runs: list[ReminderRun]

    def to_json(self) -> dict[str, Any]:
        """Give the reminder and its runs, moments in UTC."""
        return plain(self)


async def runs_of(reminders: Reminders, people: People, schedule_id: str, limit: int) -> list[ReminderRun]:
    """Read the latest runs of a reminder, newest first, with their sends and answers."""
    found: list[ReminderRun] = []
    names: dict[str, str] = {}
    for reminder in await reminders.of_schedule(schedule_id, limit):
        attempts = await reminders.attempts(reminder.run_id)
        answers = await reminders.answers(reminder.run_id)
        people_in_it = {each.user_id for each in attempts} | {each.user_id for each in answers}
        for user_id in people_in_it - names.keys():
            user = await people.get(user_id)
            names[user_id] = user_id if user is None else user.name
        found.append(_run(reminder, attempts, answers, names))
    return found


def _run(
    reminder: Reminder, attempts: Sequence[DeliveryAttempt], answers: Sequence[Answer], names: dict[str, str]
) -> ReminderRun:
    return ReminderRun(
        run_id=reminder.run_id,
        run_number=reminder.run_number,
        status=str(reminder.status),
        began_at=reminder.created_at,
        changed_at=reminder.updated_at,
        asked_again=reminder.nags,
        failed_rounds=reminder.rounds,
        escalated=any(each.kind is AttemptKind.ESCALATION for each in attempts),
        sends=[_send(each, names[each.user_id]) for each in attempts],
        answers=[_answer(each, names[each.user_id]) for each in answers],
    )


def _send(attempt: DeliveryAttempt, name: str) -> SendView:
    return SendView(
        number=attempt.attempt_number,
        kind=str(attempt.kind),
        to=name,
        channel=attempt.channel,
        status=str(attempt.status),
        at=attempt.created_at,
        sent_at=attempt.sent_at,
        delivered_at=attempt.delivered_at,
        acked_at=attempt.acked_at,
        error=attempt.error_message,
    )


def _answer(answer: Answer, name: str) -> AnswerView:
    return AnswerView(
        response=str(answer.response),
        by=name,
        at=answer.responded_at,
        channel=answer.channel,
        text=answer.response_text,
        until=answer.snooze_until,
    )
