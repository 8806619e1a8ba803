"""Which fires are due, which were missed, and when the schedule fires next.

One function from the past to a record of what was decided: it reads no clock and touches no store, so every rule
about missed runs can be tested as a table.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from duly.model.policy import CatchUp
from duly.recurrence import skip_forward

if TYPE_CHECKING:
    from duly.model.policy import Policy
    from duly.model.trigger import Trigger

_TICK = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Missed:
    """Nominal instants that passed without a run: how many, from when to when, and why."""

    count: int
    first_at: datetime
    last_at: datetime
    reason: str


class Decision(NamedTuple):
    """What to do about a schedule whose time has come."""

    fire_at: datetime | None
    """The fire to carry out, if any."""
    missed: Missed | None
    watermark: datetime | None
    """The last nominal instant accounted for; None when nothing was due."""
    next_fire_at: datetime | None
    """The next nominal instant; None when the series has ended."""


def decide(
    trigger: Trigger,
    policy: Policy,
    *,
    next_fire_at: datetime,
    stagger: timedelta,
    now: datetime,
    until_at: datetime | None = None,
) -> Decision:
    """Account for every nominal instant up to now: at most one becomes a run, the rest is recorded as missed."""
    horizon = now - stagger
    if until_at is not None and until_at < horizon:
        horizon = until_at
    if next_fire_at > horizon:  # nothing due yet, or a bound drawn before it
        ended = until_at is not None and next_fire_at > until_at
        return Decision(None, None, None, None if ended else next_fire_at)
    jump = skip_forward(trigger, next_fire_at, horizon)
    latest = jump.last_missed or next_fire_at
    following = jump.next_run
    if until_at is not None and following is not None and following > until_at:
        following = None
    late = now - stagger - latest
    if not _carries_out(policy, late):
        missed = Missed(1 + jump.skipped, next_fire_at, latest, _too_late(policy, late))
        return Decision(None, missed, latest, following)
    passed_over = _passed_over(trigger, next_fire_at, latest, jump.skipped) if jump.skipped else None
    return Decision(latest, passed_over, latest, following)


def _carries_out(policy: Policy, late: timedelta) -> bool:
    if late <= policy.misfire_grace:
        return True
    if policy.catch_up is CatchUp.SKIP:
        return False
    return policy.catch_up_window is None or late <= policy.catch_up_window


def _too_late(policy: Policy, late: timedelta) -> str:
    behind = f"{late.total_seconds():.0f} s late"
    if policy.catch_up is CatchUp.SKIP:
        return f"missed, {behind}: catch_up is skip"
    return f"missed, {behind}: older than catch_up_window {policy.catch_up_window}"


def _passed_over(trigger: Trigger, first: datetime, latest: datetime, count: int) -> Missed:
    """The instants before the latest one, which alone is carried out."""
    before = skip_forward(trigger, first, latest - _TICK)
    return Missed(count, first, before.last_missed or first, "missed: only the latest is made up")
