"""Budgets: what a run may cost, and what its schedule may cost within a day."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta

from duly.clock import Clock
from duly.dispatch.prompts.profile import SpawnerProfile
from duly.errors import InvalidInputError, RunSkippedError
from duly.model.action import Prompt
from duly.ports.targets import TargetRun, Targets

DAY = timedelta(hours=24)
_NOTHING = 1e-6
"""Less than this many dollars is what adding up left over, not money to spend."""


def check_budget(prompt: Prompt, profile: SpawnerProfile) -> None:
    """Refuse a budget nobody could keep."""
    if (prompt.max_cost_per_run, prompt.max_cost_per_day) != (None, None) and not profile.reports_cost:
        raise InvalidInputError(
            f"spawner {profile.name!r} does not tell what a run costs, so no budget can be kept: "
            f"leave max_cost_per_run and max_cost_per_day out, or use another spawner"
        )


class Purse:
    """Hands out what is left of budgets. What one run was promised, another run of this process does not get."""

    def __init__(self, targets: Targets, clock: Clock) -> None:
        self._targets = targets
        self._clock = clock
        self._promised: defaultdict[str, float] = defaultdict(float)
        self._returned = asyncio.Event()

    @asynccontextmanager
    async def allowance(
        self, prompt: Prompt, schedule_id: str, earlier: Sequence[TargetRun]
    ) -> AsyncIterator[float | None]:
        """What a run may still cost while the block lasts; None without a budget.

        With nothing left the run is skipped, on the record. When all that is left of a day is promised to other runs,
        it waits for what they leave over.
        """
        of_run = _left_of_run(prompt, earlier)
        if prompt.max_cost_per_day is None:
            yield of_run
            return
        left = await self._left_of_day(prompt.max_cost_per_day, schedule_id)
        promised = left if of_run is None else min(left, of_run)
        self._promised[schedule_id] += promised
        try:
            yield promised
        finally:
            self._promised[schedule_id] -= promised
            if self._promised[schedule_id] < _NOTHING:
                del self._promised[schedule_id]
            self._returned.set()
            self._returned = asyncio.Event()

    async def _left_of_day(self, limit: float, schedule_id: str) -> float:
        while True:
            returned = self._returned
            spent = await self._targets.spent(schedule_id, self._clock.now() - DAY)
            if limit - spent < _NOTHING:
                raise RunSkippedError(f"over budget: ${spent:.4f} of ${limit:.4f} per day spent in the last 24 hours")
            left = limit - spent - self._promised.get(schedule_id, 0.0)
            if left >= _NOTHING:
                return left
            await returned.wait()


def _left_of_run(prompt: Prompt, earlier: Sequence[TargetRun]) -> float | None:
    if (limit := prompt.max_cost_per_run) is None:
        return None
    spent = sum(each.cost_usd or 0.0 for each in earlier)
    if limit - spent < _NOTHING:
        raise RunSkippedError(f"over budget: the attempts so far cost ${spent:.4f} of ${limit:.4f} per run")
    return limit - spent
