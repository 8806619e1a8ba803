"""Health is a judgement from figures: what turns it yellow, what red, and the reason it gives."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from duly.engine.health import Light, Pulsebeat, judge
from duly.ports.records import Overview

NOW = datetime(2026, 1, 1, tzinfo=UTC)
WELL = Pulsebeat(since_turn=0.1, store_error=None, in_flight=0, stuck=0)
QUIET = Overview(
    schedules=1, enabled=1, quarantined=0, pending=0, waiting=0, running=0, oldest_due_at=None, unserved={}, nodes=["a"]
)


@pytest.mark.parametrize(
    ("beat", "overview", "light", "reason"),
    [
        (WELL, QUIET, Light.GREEN, None),
        (replace(WELL, since_turn=15.1), QUIET, Light.RED, "the loop has not moved for 15 s"),
        (replace(WELL, since_turn=14.9), QUIET, Light.GREEN, None),
        (replace(WELL, store_error="gone"), None, Light.RED, "the store is unavailable: gone"),
        (replace(WELL, stuck=2), QUIET, Light.YELLOW, "2 runs outlived their timeout and cannot be stopped"),
        (WELL, replace(QUIET, quarantined=1), Light.YELLOW, "1 schedules cannot be read and are in quarantine"),
        (
            WELL,
            replace(QUIET, unserved={"message": 3}),
            Light.RED,
            "3 due runs of message wait, and no node serves it",
        ),
        (
            WELL,
            replace(QUIET, oldest_due_at=NOW - timedelta(seconds=16)),
            Light.RED,
            "the oldest due fire has waited 16 s",
        ),
        (WELL, replace(QUIET, oldest_due_at=NOW - timedelta(seconds=14)), Light.GREEN, None),
    ],
)
def test_a_light_and_its_reason(beat: Pulsebeat, overview: Overview | None, light: Light, reason: str | None) -> None:
    health = judge(overview, beat, NOW, poll=5.0)
    assert (health.light, health.reasons) == (light, [] if reason is None else [reason])


def test_red_is_never_softened_by_yellow() -> None:
    health = judge(replace(QUIET, quarantined=1), replace(WELL, since_turn=99), NOW, poll=5.0)
    assert health.light is Light.RED
    assert len(health.reasons) == 2


def test_lag_is_how_long_the_oldest_has_waited() -> None:
    assert judge(replace(QUIET, oldest_due_at=NOW - timedelta(seconds=3)), WELL, NOW, 5.0).lag_seconds == 3.0
    assert judge(replace(QUIET, oldest_due_at=NOW + timedelta(seconds=3)), WELL, NOW, 5.0).lag_seconds == 0.0
