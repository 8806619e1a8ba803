"""Catch-up: which fire of a schedule is due, which were missed, and when the schedule fires next. Pure.

`decide` reads no clock and no store, so that every rule about missed fires can be tested as a table.
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
    """The decision about a schedule whose time has come."""

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
    taken: frozenset[datetime] = frozenset(),
) -> Decision:
    """Account for every nominal instant up to now: at most one becomes a run, the others are recorded as missed.

    An instant is due when its stagger has passed, too; so the horizon is now minus the stagger, or `until_at` if that
    is earlier. `taken` are instants that have their runs already, because an engine whose clock was ahead planned them:
    they are passed over.
    """
    horizon = now - stagger
    if until_at is not None and until_at < horizon:
        horizon = until_at
    first = _untaken(trigger, next_fire_at, taken)
    if first is None or first > horizon:  # not due yet, or `until_at` lies before it
        ended = first is None or (until_at is not None and first > until_at)
        return Decision(None, None, None, None if ended else first)
    jump = skip_forward(trigger, first, horizon)
    reached = jump.last_missed or first
    following = _untaken(trigger, jump.next_run, taken)
    if until_at is not None and following is not None and following > until_at:
        following = None
    skipped = jump.skipped - sum(_is_passed(trigger, first, each) for each in taken if first < each <= reached)
    latest = _last_untaken(trigger, first, reached, taken)
    late = now - stagger - latest
    if not _carries_out(policy, late):
        missed = Missed(1 + skipped, first, latest, _why_too_late(policy, late))
        return Decision(None, missed, reached, following)
    passed_over = _passed_over(trigger, first, latest, skipped, taken) if skipped else None
    return Decision(latest, passed_over, reached, following)


def _untaken(trigger: Trigger, at: datetime | None, taken: frozenset[datetime]) -> datetime | None:
    """Give an instant, or the first one after it that has no run yet."""
    while at is not None and at in taken:
        at = trigger.get_next_occurrence(at)
    return at


def _is_passed(trigger: Trigger, first: datetime, at: datetime) -> bool:
    """Say whether a series that fires at `first` also fires at a later instant.

    A series that counts from its last fire has other instants now than before the clock was corrected.
    """
    return skip_forward(trigger, first, at).last_missed == at


def _last_untaken(trigger: Trigger, first: datetime, last: datetime, taken: frozenset[datetime]) -> datetime:
    """Give the last instant of a range that has no run yet; the first one of the range has none."""
    while last in taken:
        last = skip_forward(trigger, first, last - _TICK).last_missed or first
    return last


def _carries_out(policy: Policy, late: timedelta) -> bool:
    if late <= policy.misfire_grace:
        return True
    if policy.catch_up is CatchUp.SKIP:
        return False
    return policy.catch_up_window is None or late <= policy.catch_up_window


def _why_too_late(policy: Policy, late: timedelta) -> str:
    lateness = f"{late.total_seconds():.0f} s late"
    if policy.catch_up is CatchUp.SKIP:
        return f"missed, {lateness}: catch_up is skip"
    return f"missed, {lateness}: older than catch_up_window {policy.catch_up_window}"


def _passed_over(trigger: Trigger, first: datetime, latest: datetime, count: int, taken: frozenset[datetime]) -> Missed:
    """Record the instants before the latest one, which alone is carried out."""
    before = skip_forward(trigger, first, latest - _TICK).last_missed or first
    return Missed(count, first, _last_untaken(trigger, first, before, taken), "missed: only the latest is made up")
