"""Reminders pushed to whoever listens: `{"event": "reminder.fire", "payload": …}`."""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import Any

from duly.errors import DulyError
from duly.language.languages import question
from duly.model.action import Message, Priority
from duly.model.events import RUN_STARTED, Event
from duly.model.reminder import ReminderStatus
from duly.planning.delivery import ACK_SILENCE
from duly.planning.reach import quiet_until
from duly.ports.codec import decode_action
from duly.ports.people import User, owner_of
from duly.ports.records import StoredSchedule
from duly.ports.reminders import Reminder
from duly.ports.store import FullStore
from duly.service.pages import READABLE, beginning
from duly.zones import Zone, iso, local_iso

_MOST_WAITING = 100
Queue = asyncio.Queue[dict[str, Any]]


class Listeners:
    """Connected clients by person; None listens to everybody's."""

    def __init__(self, store: FullStore, default_zone: str = "UTC") -> None:
        self._store = store
        self._default_zone = default_zone
        self._queues: dict[Queue, str | None] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def join(self, user_id: str | None) -> Queue:
        """A queue that fills with frames for this person; a client that does not read loses the oldest."""
        queue: Queue = asyncio.Queue(_MOST_WAITING)
        self._queues[queue] = user_id
        return queue

    def leave(self, queue: Queue) -> None:
        self._queues.pop(queue, None)

    def hear(self, event: Event) -> None:
        """To be told every event of the engine."""
        if event.kind is RUN_STARTED and event.schedule_id and event.run_id and self._queues:
            task = asyncio.get_running_loop().create_task(self._push(event, event.run_id, event.schedule_id))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _push(self, event: Event, run_id: str, schedule_id: str) -> None:
        try:
            # first of all: a moment later the engine will have delivered it
            reminder = await self._store.reminders.get(run_id)
            row = await self._store.get(schedule_id)
            message = None if row is None else decode_action(row.action)
            if row is None or not isinstance(message, Message):
                return
            user_id = message.user_id or owner_of(row.namespace)
            user = await self._store.people.get(user_id)
            attempts = await self._store.reminders.attempts(run_id)
        except (DulyError, ValueError):
            return
        if _fires(reminder, event.at) and not self._is_quiet(message, user, event.at):
            again = any(each.sent_at is not None and each.sent_at < event.at for each in attempts)
            zone = Zone.of((None if user is None else user.timezone) or self._default_zone)
            asked = question(message, None if user is None else user.language)
            payload = _payload(row, message, asked, event, zone)
            self._tell(user_id, payload | {"user_id": user_id, "again": again})

    def _is_quiet(self, message: Message, user: User | None, now: datetime) -> bool:
        if user is None or message.priority is Priority.CRITICAL:
            return False
        zone = Zone.of(user.timezone or self._default_zone)
        return quiet_until(user.quiet_from, user.quiet_to, zone, now) is not None

    def _tell(self, user_id: str, payload: dict[str, Any]) -> None:
        for queue, wanted in list(self._queues.items()):
            if wanted in (None, user_id):
                if queue.full():
                    queue.get_nowait()
                queue.put_nowait({"event": "reminder.fire", "payload": payload})


def _fires(reminder: Reminder | None, now: datetime) -> bool:
    """Whether a step of a reminder delivers it: for the first time, after a snooze, or for want of an answer.

    A step that tries once more what no channel took, or that shows an answer, does not.
    """
    if reminder is None:
        return True
    if reminder.status is ReminderStatus.SENDING:
        return reminder.rounds == 0
    if reminder.status is ReminderStatus.SNOOZED:
        return reminder.wake_at is not None and reminder.wake_at <= now
    sent = reminder.last_sent_at
    if sent is None or reminder.status not in (ReminderStatus.AWAITING_ACK, ReminderStatus.DELIVERED):
        return False
    nagged = reminder.status is ReminderStatus.AWAITING_ACK and sent + ACK_SILENCE <= now
    return nagged or sent >= now  # in this very step


def _texts(message: str, asked: str | None) -> dict[str, Any]:
    """What is said. A hundred frames may wait for a client that does not read, so each has a bounded length."""
    lengths = {
        name: len(text) for name, text in (("message", message), ("ack_prompt", asked or "")) if len(text) > READABLE
    }
    told: dict[str, Any] = {"message": beginning(message), "ack_prompt": None if asked is None else beginning(asked)}
    return {**told, "truncated": lengths} if lengths else told


def _payload(row: StoredSchedule, message: Message, asked: str | None, event: Event, zone: Zone) -> dict[str, Any]:
    return {
        "job_id": row.id,
        "run_id": event.run_id,
        "name": row.name,
        **_texts(message.text, asked),
        "priority": str(message.priority),
        "require_ack": message.require_ack,
        "fired_at": iso(event.at),
        "fired_at_local": local_iso(event.at, zone),
        "timezone": zone.name,
    }
