"""Leave reminders of low priority to a digest: one message at a time of the person's choice.

A reminder that waits for its digest has ended as far as its run is concerned. It is a notice from then on, and what is
due for one person at one time is sent together: see `duly.service.notices`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime, timedelta

from duly.delivery.messages import ReminderDelivery
from duly.model.notice import NoticeKind
from duly.model.reminder import ReminderStatus
from duly.model.run import Origin
from duly.planning.reach import digest_time
from duly.ports.notices import Notice, digest_of
from duly.ports.reminders import Reminder

Keep = Callable[[Reminder, Notice], Awaitable[Reminder | None]]
"""Writes a reminder that waits for a digest, with its notice; None when the reminder changed meanwhile."""
_AFTER = timedelta(seconds=5)
"""How long after its time a digest is sent, so that it has what fires at that very time."""


class Gathering:
    """Decides which reminders wait for a digest, and lets them."""

    def __init__(self, keep: Keep | None = None, usual: str | None = None) -> None:
        """`keep` is None where no digests are sent; `usual` is when people get theirs who have chosen no time."""
        self._keep = keep
        self._usual = usual

    def digest(self, delivery: ReminderDelivery) -> datetime | None:
        """Give the time of the digest that a reminder belongs to; None when it is sent on its own.

        Announcements are sent on their own, because their time would pass. So is what a person asked for just now.
        """
        if self._keep is None or delivery.announces is not None or delivery.run.origin is not Origin.SCHEDULE:
            return None
        at = delivery.user.digest_at or self._usual
        return digest_time(at, delivery.zone, delivery.run.fire_at, delivery.message)

    async def leave(self, delivery: ReminderDelivery, at: datetime, now: datetime) -> None:
        """Let a reminder wait for the digest of that time. If the person answered meanwhile, the answer stands."""
        reminder = delivery.reminder
        if self._keep is None or delivery.stale:
            return
        notice = Notice(
            id=f"{reminder.run_id}/{NoticeKind.REMINDER}/{reminder.user_id}",
            kind=NoticeKind.REMINDER,
            schedule_id=reminder.schedule_id,
            run_id=reminder.run_id,
            recipient=digest_of(reminder.user_id),
            user_id=reminder.user_id,
            channel=delivery.message.channel or delivery.message.via,
            priority=delivery.message.priority,
            due_at=max(at + _AFTER, now),
            created_at=now,
        )
        wanted = replace(reminder, status=ReminderStatus.GATHERED, updated_at=now)
        written = await self._keep(wanted, notice)
        delivery.stale = written is None
        delivery.reminder = written or reminder
