"""Budgets: what a run may cost, and what its schedule may cost within a day."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from duly.dispatch.prompts.profile import SpawnerProfile
from duly.errors import InvalidInputError, RunSkippedError
from duly.model.action import Prompt
from duly.ports.targets import TargetRun, Targets

DAY = timedelta(hours=24)


def check_budget(prompt: Prompt, profile: SpawnerProfile) -> None:
    """Refuse a budget nobody could keep."""
    if (prompt.max_cost_per_run, prompt.max_cost_per_day) != (None, None) and not profile.reports_cost:
        raise InvalidInputError(
            f"spawner {profile.name!r} does not tell what a run costs, so no budget can be kept: "
            f"leave max_cost_per_run and max_cost_per_day out, or use another spawner"
        )


async def allowance(
    prompt: Prompt, schedule_id: str, now: datetime, earlier: Sequence[TargetRun], targets: Targets
) -> float | None:
    """What this run may still cost; None without a budget. With nothing left the run is skipped, on the record."""
    left = []
    if (per_run := prompt.max_cost_per_run) is not None:
        spent = sum(each.cost_usd or 0.0 for each in earlier)
        if spent >= per_run:
            raise RunSkippedError(f"over budget: the attempts so far cost ${spent:.4f} of ${per_run:.4f} per run")
        left.append(per_run - spent)
    if (per_day := prompt.max_cost_per_day) is not None:
        spent = await targets.spent(schedule_id, now - DAY)
        if spent >= per_day:
            raise RunSkippedError(f"over budget: ${spent:.4f} of ${per_day:.4f} per day spent in the last 24 hours")
        left.append(per_day - spent)
    return min(left, default=None)
