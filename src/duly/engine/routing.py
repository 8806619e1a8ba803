"""Runs to whoever serves their handler; asked first whether they may run at all."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import Any

from duly.errors import NotFoundError, RunFailedError
from duly.ports.dispatch import Dispatcher, RunContext, Tending
from duly.ports.records import Claimed

MayRun = Callable[[Claimed], str | None]
"""Why a run must not be carried out; None when it may."""


Admit = Callable[[Claimed], Awaitable[None]]
"""Raises `RunSkippedError` for a run that is too many."""


async def _everything(_run: Claimed) -> None:
    pass


def _every_run_may(_run: Claimed) -> str | None:
    return None


class Router:
    """Several dispatchers as one."""

    def __init__(
        self,
        dispatchers: Sequence[Dispatcher],
        may_run: MayRun = _every_run_may,
        present: Callable[[], Collection[str]] = tuple,
        admit: Admit = _everything,
    ) -> None:
        """`present` names what is here besides handlers, for other nodes to know: projects, programs, gates.

        `admit` skips a run that is more than its owner may have.
        """
        self._dispatchers = dispatchers
        self._may_run = may_run
        self._present = present
        self._admit = admit

    def serves(self) -> Collection[str]:
        return [*(handler for each in self._dispatchers for handler in each.serves()), *self._present()]

    async def tend(self) -> None:
        for dispatcher in self._dispatchers:
            if isinstance(dispatcher, Tending):
                await dispatcher.tend()

    async def dispatch(self, run: Claimed, context: RunContext) -> Any:
        refusal = self._may_run(run)
        if refusal is not None:
            raise RunFailedError(refusal)  # trying again is of no use
        await self._admit(run)
        for dispatcher in self._dispatchers:
            if run.handler in dispatcher.serves():
                return await dispatcher.dispatch(run, context)
        raise NotFoundError(f"nobody here serves {run.handler!r}")
