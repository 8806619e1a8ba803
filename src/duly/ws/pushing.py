"""Reminders pushed to whoever listens: `{"event": "reminder.fire", "payload": …}`."""

from __future__ import annotations

import asyncio
from typing import Any

from duly.errors import DulyError
from duly.model.action import Message
from duly.model.events import RUN_STARTED, Event
from duly.ports.codec import decode_action
from duly.ports.people import owner_of
from duly.ports.store import FullStore

_MOST_WAITING = 100


class Listeners:
    """Connected clients by person; None listens to everybody's."""

    def __init__(self, store: FullStore) -> None:
        self._store = store
        self._queues: dict[asyncio.Queue[dict[str, Any]], str | None] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def join(self, user_id: str | None) -> asyncio.Queue[dict[str, Any]]:
        """A queue that fills with frames for this person; a client that does not read loses the oldest."""
        queue: asyncio.Queue[dict[str, Any]] = asyncio.Queue(_MOST_WAITING)
        self._queues[queue] = user_id
        return queue

    def leave(self, queue: asyncio.Queue[dict[str, Any]]) -> None:
        self._queues.pop(queue, None)

    def hear(self, event: Event) -> None:
        """To be told every event of the engine."""
        if event.kind is RUN_STARTED and event.schedule_id and event.data.get("attempt") == 1 and self._queues:
            task = asyncio.get_running_loop().create_task(self._push(event))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _push(self, event: Event) -> None:
        try:
            row = await self._store.get(str(event.schedule_id))
            message = None if row is None else decode_action(row.action)
        except (DulyError, ValueError):
            return
        if row is None or not isinstance(message, Message):
            return
        user_id = message.user_id or owner_of(row.namespace)
        payload = {
            "job_id": row.id,
            "run_id": event.run_id,
            "name": row.name,
            "user_id": user_id,
            "message": message.text,
            "priority": str(message.priority),
            "require_ack": message.require_ack,
            "ack_prompt": message.ack_prompt,
            "fired_at": event.at.isoformat(),
        }
        for queue, wanted in list(self._queues.items()):
            if wanted in (None, user_id):
                if queue.full():
                    queue.get_nowait()
                queue.put_nowait({"event": "reminder.fire", "payload": payload})
