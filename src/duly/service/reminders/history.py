"""What happened to a reminder: every run with its sends, its answers and its escalations."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from duly.model.reminder import AttemptKind
from duly.ports.store import FullStore
from duly.service.reminders.deliveries import AnswerView, Deliveries, DeliveryView, only_of
from duly.service.reminders.views import ReminderView
from duly.service.schedules.views import plain

MOST_RUNS = 100


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


async def runs_of(store: FullStore, user_id: str, schedule_id: str, limit: int) -> list[ReminderRun]:
    """Read the latest runs of a person's reminder, newest first, with their sends and answers."""
    deliveries = Deliveries(store, only_of(user_id))
    found: list[ReminderRun] = []
    for reminder in await store.reminders.of_schedule(schedule_id, limit):
        sent = await deliveries.sent(reminder.run_id)
        found.append(
            ReminderRun(
                run_id=reminder.run_id,
                run_number=reminder.run_number,
                status=str(reminder.status),
                began_at=reminder.created_at,
                changed_at=reminder.updated_at,
                asked_again=reminder.nags,
                failed_rounds=reminder.rounds,
                escalated=any(each.kind == AttemptKind.ESCALATION for each in sent),
                deliveries=sent,
                answers=await deliveries.answered(reminder.run_id),
            )
        )
    return found
