"""Budgets: limits for the cost of a run, of the runs of its schedule in a day, and of its owner in a day."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace

from duly.agents.profile import SpawnerProfile
from duly.clock import Clock
from duly.errors import InvalidInputError, RunSkippedError, StoreError
from duly.jobs.waiting import uninterrupted
from duly.model.action import Prompt
from duly.planning.budgets import NOTHING, Account, OwnerBudget
from duly.planning.quotas import DAY
from duly.ports.records import Claimed
from duly.ports.targets import Reservation, TargetRun, Targets

_RUNS_AT_ONCE = 10
"""A run without a budget of its own is promised at most one part in so many of its owner's budget for a day."""
_CHECK_EVERY = 1.0  # seconds; runs of other nodes may have given back a promise


def check_budget(prompt: Prompt, profile: SpawnerProfile) -> None:
    """Refuse a budget for a spawner that does not report costs."""
    if (prompt.max_cost_per_run, prompt.max_cost_per_day) != (None, None) and not profile.reports_cost:
        raise InvalidInputError(
            f"spawner {profile.name!r} does not tell what a run costs, so no budget can be kept: "
            f"leave max_cost_per_run and max_cost_per_day out, or use another spawner"
        )


BudgetOf = Callable[[Claimed], Awaitable[OwnerBudget | None]]
"""Returns the quota of the owner of a run; None without one."""


async def no_quota(_run: Claimed) -> OwnerBudget | None:
    """Return no quota, for any run."""
    return None


class Allowances:
    """Promises parts of budgets to runs. What one run was promised is not promised to another, on any node."""

    def __init__(self, targets: Targets, clock: Clock, budget_of: BudgetOf = no_quota) -> None:
        self._targets = targets
        self._clock = clock
        self._budget_of = budget_of
        self._returned = asyncio.Event()

    @asynccontextmanager
    async def allowance(
        self, prompt: Prompt, profile: SpawnerProfile, run: Claimed, earlier: Sequence[TargetRun]
    ) -> AsyncIterator[float | None]:
        """Give what a run may still cost while the block lasts; None without a budget.

        With nothing left the run is skipped. While the rest of the day is promised to other runs, it waits for what
        they do not spend. A run without a budget of its own gets at most a tenth of its owner's, so that several can
        run at once.
        """
        of_run = _left_of_run(prompt, earlier)
        asked = await self._asked(prompt, profile, run, of_run)
        if asked is None:
            yield of_run
            return
        promised = await self._promised(asked)
        try:
            yield promised
        finally:
            await self.give_back(run)

    async def promise(
        self, prompt: Prompt, profile: SpawnerProfile, run: Claimed, earlier: Sequence[TargetRun]
    ) -> float | None:
        """Promise the same until it is given back, or the handover of the run has an outcome that was taken."""
        of_run = _left_of_run(prompt, earlier)
        asked = await self._asked(prompt, profile, run, of_run)
        return of_run if asked is None else await self._promised(asked)

    async def give_back(self, run: Claimed) -> None:
        """End what a run was promised: what it has cost is recorded."""
        with suppress(StoreError):  # the store drops the promise when the run ends
            await uninterrupted(self._targets.release(run.run_id, run.fence))
        self._returned.set()
        self._returned = asyncio.Event()

    async def _asked(
        self, prompt: Prompt, profile: SpawnerProfile, run: Claimed, of_run: float | None
    ) -> Reservation | None:
        """Say what a run asks for; None where no budget per day holds for it."""
        quota = await self._budget_of(run) if profile.reports_cost else None
        if prompt.max_cost_per_day is None and quota is None:
            return None
        share = None if quota is None else quota.per_day / _RUNS_AT_ONCE
        now = self._clock.now()
        return Reservation(
            run_id=run.run_id,
            fence=run.fence,
            schedule_id=run.schedule_id,
            at=now,
            since=now - DAY,
            per_day=prompt.max_cost_per_day,
            owner=None if quota is None else quota.owner,
            owner_per_day=None if quota is None else quota.per_day,
            wanted=share if of_run is None else of_run,
        )

    async def _promised(self, asked: Reservation) -> float:
        while True:
            returned = self._returned  # taken before the reservation: a promise given back meanwhile wakes it
            now = self._clock.now()
            made = await self._targets.reserve(replace(asked, at=now, since=now - DAY))
            if made.used_up is not None:
                raise RunSkippedError(_over(made.used_up))
            if made.amount is not None:
                return made.amount
            await self._wait_for(returned)

    async def _wait_for(self, returned: asyncio.Event) -> None:
        """Wait until a run of this process gives a promise back, or for a second: one of another node may have."""
        waiting = asyncio.ensure_future(returned.wait())
        second = asyncio.ensure_future(self._clock.sleep(_CHECK_EVERY))
        try:
            await asyncio.wait({waiting, second}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in (waiting, second):
                each.cancel()
            await asyncio.gather(waiting, second, return_exceptions=True)


def _over(account: Account) -> str:
    spent = f"${account.spent:.4f} of ${account.limit:.4f} per day"
    if account.owner is None:
        return f"over budget: {spent} spent in the last 24 hours"
    return (
        f"over quota: {account.owner} has spent {spent} in the last 24 hours; an admin can raise cost_per_day in "
        f'[quotas."{account.owner}"] of duly.toml'
    )


def _left_of_run(prompt: Prompt, earlier: Sequence[TargetRun]) -> float | None:
    if (limit := prompt.max_cost_per_run) is None:
        return None
    spent = sum(each.cost_usd or 0.0 for each in earlier)
    if limit - spent < NOTHING:
        raise RunSkippedError(f"over budget: the attempts so far cost ${spent:.4f} of ${limit:.4f} per run")
    return limit - spent
