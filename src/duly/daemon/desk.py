"""The MCP face's desk, from the house."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from duly.daemon.house import House
from duly.mcp.desk import Desk
from duly.mcp.watching import Watchers
from duly.model.events import Event
from duly.service.access import Caller


def make_desk(house: House, caller_of: Callable[[Any], Caller]) -> Desk:
    """A desk whose watchers hear what the engine does; to be made before the engine starts."""
    desk = Desk(house.use_cases, house.reminders, caller_of, house.journal, house.audit)
    house.hear(_telling(desk.watchers))
    return desk


def _telling(watchers: Watchers) -> Callable[[Event], None]:
    waiting: set[asyncio.Task[None]] = set()

    def tell(event: Event) -> None:
        if event.schedule_id is None:
            return
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:  # told from a thread, whose news the next look will show
            return
        task = loop.create_task(watchers.changed(event.schedule_id, event.run_id))
        waiting.add(task)
        task.add_done_callback(waiting.discard)

    return tell
