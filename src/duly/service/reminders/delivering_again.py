"""Deliver a reminder once more whose vendor took a message, and said later that it was lost."""

from __future__ import annotations

from datetime import datetime

from duly.errors import NotFoundError
from duly.model.reminder import ReminderStatus
from duly.ports.reminders import DeliveryAttempt, Reminders
from duly.service.access.audit import ITSELF
from duly.service.schedules.schedules import ScheduleService


async def deliver_again(reminders: Reminders, schedules: ScheduleService, lost: DeliveryAttempt, now: datetime) -> bool:
    """Let a reminder go out again, if nothing of it has arrived since.

    A reminder that waits for an answer goes out in the same run; one that is over and never arrived fires anew.
    """
    newest = await reminders.of_schedule(lost.job_id, 1)
    latest = next((each for each in newest if each.user_id == lost.user_id), None)
    if latest is None or latest.run_id != lost.run_id:
        return False
    sends = await reminders.attempts(lost.run_id)
    reached = [each for each in sends if each.brought_it and each.user_id == lost.user_id]
    if latest.status is ReminderStatus.AWAITING_ACK:
        if any(each.attempt_number > lost.attempt_number for each in reached):
            return False
        return await reminders.send_again(lost.run_id, lost.user_id, now)
    if latest.status not in (ReminderStatus.DELIVERED, ReminderStatus.UNACKED) or reached:
        return False
    try:
        await schedules.trigger(latest.schedule_id, {**ITSELF, "reason": "a message was lost"})
    except NotFoundError:  # it was removed since
        return False
    return True
