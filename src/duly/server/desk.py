"""The MCP face's desk, from the runtime."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from duly.mcp.desk import Desk
from duly.mcp.watching import Watchers
from duly.model.events import Event
from duly.runtime.runtime import Runtime
from duly.service.access.access import Caller


def make_desk(runtime: Runtime, caller_of: Callable[[Any], Caller]) -> Desk:
    """A desk whose watchers hear what the engine does; to be made before the engine starts."""
    desk = Desk(runtime.use_cases, runtime.reminders, caller_of, runtime.journal, runtime.audit)
    runtime.hear(_telling(desk.watchers))
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
