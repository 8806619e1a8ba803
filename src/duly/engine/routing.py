"""The router: it hands each run to the dispatcher that serves its handler, after a check whether the run may start."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import Any

from duly.errors import NotFoundError, RunFailedError
from duly.ports.dispatch import Dispatcher, RunContext, Tending
from duly.ports.records import Claimed

MayRun = Callable[[Claimed], str | None]
"""Gives the reason why a run must not be carried out; None when it may."""
Admit = Callable[[Claimed], Awaitable[None]]
"""Raises `RunSkippedError` for a run beyond the quota of its owner, and `RunFailedError` for one that may not begin."""


async def _admit_all(_run: Claimed) -> None:
    pass


def _every_run_may(_run: Claimed) -> str | None:
    return None


class Router:
    """Several dispatchers as one dispatcher."""

    def __init__(
        self,
        dispatchers: Sequence[Dispatcher],
        may_run: MayRun = _every_run_may,
        present: Callable[[], Collection[str]] = tuple,
        admit: Admit = _admit_all,
    ) -> None:
        """`present` gives the names of projects, programs and gates on this machine, for other nodes to know.

        `admit` skips a run beyond the quota of its owner.
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
            raise RunFailedError(refusal)  # a retry would be refused, too
        await self._admit(run)
        for dispatcher in self._dispatchers:
            if run.handler in dispatcher.serves():
                return await dispatcher.dispatch(run, context)
        raise NotFoundError(f"no dispatcher of this process serves {run.handler!r}")
