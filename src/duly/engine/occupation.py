"""What an engine is busy with beside its loop: one thing at a time, and others may wait for its end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from duly.errors import DulyError

START, STOP, TICK = "a start", "a stop", "a tick"


class Occupation:
    """A start, a stop or a tick by hand: each has a node of its own, and would take it from another."""

    def __init__(self) -> None:
        self._what: str | None = None
        self._over: asyncio.Future[None] | None = None

    @property
    def what(self) -> str | None:
        return self._what

    @property
    def comes_to_its_end(self) -> bool:
        """Whether it is one that has to end before the engine can be stopped."""
        return self._what in (START, TICK)

    @contextmanager
    def alone(self, what: str) -> Iterator[None]:
        """Be busy with something, unless it is busy already."""
        if self._what is not None:
            raise DulyError(f"the engine is busy with {self._what}: wait for its end before {what}")
        self._what = what
        over = self._over = asyncio.get_running_loop().create_future()
        try:
            yield
        finally:
            self._what = None
            with suppress(RuntimeError):  # the event loop was closed, and with it all that waited
                over.set_result(None)

    async def ended(self, asked_from_within: Callable[[], bool]) -> None:
        """Wait for the end of a start or a tick; one who stops waiting does not disturb it."""
        while self.comes_to_its_end and self._over is not None:
            if asked_from_within():
                raise DulyError(
                    "a handler cannot wait for the tick that carries it out: close after tick() has returned"
                )
            await asyncio.wait({self._over})
