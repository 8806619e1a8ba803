"""Small helpers for tests that wait."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Coroutine
from datetime import datetime, timedelta
from typing import Any, ParamSpec

from duly.clock import SystemClock

P = ParamSpec("P")


def run(test: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
    """Let pytest call a coroutine: each test has an event loop of its own."""

    @functools.wraps(test)
    def called(*args: P.args, **kwargs: P.kwargs) -> None:
        asyncio.run(test(*args, **kwargs))

    return called


class MachineClock(SystemClock):
    """The clocks of a machine whose wall clock is wrong."""

    def __init__(self, ahead: timedelta) -> None:
        self.ahead = ahead

    def now(self) -> datetime:
        return super().now() + self.ahead
