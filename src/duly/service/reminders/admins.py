"""Messages to admins about the answers of people: each is a reminder of their own, which comes at once.

So such a message is stored, tried on every channel of the admin, and recorded like any other.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta

from duly.clock import Clock
from duly.delivery.addressees import local_user
from duly.model.action import Message, Priority
from duly.model.reminder import AttemptKind, ReminderStatus
from duly.planning.delivery import TAKEN_LATE
from duly.ports.people import User, namespace_of
from duly.ports.reminders import Reminder
from duly.ports.store import FullStore
from duly.recurrence import Once
from duly.service.reminders.requests import reminder_policy
from duly.service.schedules.drafts import Draft
from duly.service.schedules.schedules import ScheduleService

_SOON = timedelta(seconds=1)
"""A time has to be ahead."""
Wording = Callable[[str | None], str]
"""Gives the text of a message in a language."""


def is_taken_late(reminder: Reminder, now: datetime) -> bool:
    """Tell whether a reminder that was given up without an answer may still be answered, if no other has come since."""
    return reminder.status is ReminderStatus.UNACKED and now - reminder.updated_at < TAKEN_LATE


class AdminMessages:
    """Tells admins what a person answered."""

    def __init__(self, store: FullStore, clock: Clock, schedules: ScheduleService) -> None:
        self._store = store
        self._clock = clock
        self._schedules = schedules

    async def tell_all(self, about: User, words: Wording) -> None:
        """Tell every admin; without one, the local user. The person themselves need not hear it."""
        admins = [each for each in await self._store.people.all() if each.is_admin]
        await self._tell((each for each in admins or [local_user(self._clock.now())] if each.id != about.id), words)

    async def tell_who_heard(self, reminder: Reminder, words: Wording) -> None:
        """Tell the admins who heard that a reminder was not answered."""
        attempts = await self._store.reminders.attempts(reminder.run_id)
        heard = {each.user_id for each in attempts if each.kind is AttemptKind.ESCALATION and each.status.arrived}
        people = {each.id: each for each in await self._store.people.all()}
        now = self._clock.now()
        await self._tell((people.get(each) or local_user(now) for each in sorted(heard - {reminder.user_id})), words)

    async def _tell(self, admins: Iterable[User], words: Wording) -> None:
        at = Once(self._clock.now() + _SOON)
        drafts = [
            Draft(
                name=f"answer-of-{secrets.token_hex(6)}",
                namespace=namespace_of(admin.id),
                trigger=at,
                action=Message(text=words(admin.language), user_id=admin.id, priority=Priority.CRITICAL),
                policy=reminder_policy(at),
                timezone=admin.timezone,
                created_by=admin.id,
                created_via="duly",
            )
            for admin in admins
        ]
        if drafts:
            await self._schedules.save(drafts)
