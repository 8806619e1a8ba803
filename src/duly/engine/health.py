"""Is everything all right? A judgement from figures, and the reasons for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from duly.ports.records import Overview

POLLS_UNTIL_RED = 3


class Light(StrEnum):
    GREEN = "green"
    YELLOW = "yellow"
    RED = "red"


@dataclass(frozen=True, slots=True)
class Pulsebeat:
    """What an engine knows about itself."""

    since_turn: float
    """Seconds since the loop last came round."""
    store_error: str | None
    in_flight: int
    stuck: int


@dataclass(slots=True)
class Health:
    """The judgement."""

    light: Light = Light.GREEN
    reasons: list[str] = field(default_factory=list)
    lag_seconds: float = 0.0
    """How long the most overdue fire has been waiting."""
    overview: Overview | None = None

    def blame(self, light: Light, reason: str) -> None:
        self.reasons.append(reason)
        if light is Light.RED or self.light is Light.GREEN:
            self.light = light


def judge(overview: Overview | None, beat: Pulsebeat, now: datetime, poll: float) -> Health:
    """Red when fires are not being carried out, yellow when somebody should have a look."""
    health = Health(overview=overview)
    if beat.since_turn > POLLS_UNTIL_RED * poll:
        health.blame(Light.RED, f"the loop has not moved for {beat.since_turn:.0f} s")
    if beat.store_error is not None:
        health.blame(Light.RED, f"the store is unavailable: {beat.store_error}")
    if beat.stuck:
        health.blame(Light.YELLOW, f"{beat.stuck} runs outlived their timeout and cannot be stopped")
    if overview is not None:
        _judge_store(overview, health, now, poll)
    return health


def _judge_store(overview: Overview, health: Health, now: datetime, poll: float) -> None:
    if overview.oldest_due_at is not None:
        health.lag_seconds = max(0.0, (now - overview.oldest_due_at).total_seconds())
    for handler, number in sorted(overview.unserved.items()):
        health.blame(Light.RED, f"{number} due runs of {handler} wait, and no node serves it")
    if health.lag_seconds > POLLS_UNTIL_RED * poll and not overview.unserved:
        health.blame(Light.RED, f"the oldest due fire has waited {health.lag_seconds:.0f} s")
    if overview.quarantined:
        health.blame(Light.YELLOW, f"{overview.quarantined} schedules cannot be read and are in quarantine")
