"""What a daemon looks after besides its engine."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from duly.runtime.executors import look_at_executors
from duly.runtime.nightly import back_up_nightly

if TYPE_CHECKING:
    from duly.runtime.runtime import Runtime


async def look_after(runtime: Runtime) -> None:
    """Look at the executors, and make backups when they are due, until cancelled."""
    await asyncio.gather(look_at_executors(runtime), back_up_nightly(runtime))
