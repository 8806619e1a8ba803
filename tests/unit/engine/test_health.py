"""Health: the facts that turn it yellow or red, and the reasons it gives."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from duly.engine.health import EngineStatus, Light, judge
from duly.planning.attention import Concern, ConcernKind
from duly.planning.clock_marks import Corrected
from duly.ports.upkeep import Overview

NOW = datetime(2026, 1, 1, tzinfo=UTC)
WELL = EngineStatus(since_turn=0.1, store_error=None, in_flight=0, stuck=0)
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
            Light.YELLOW,
            "3 due runs of message wait, and no node serves it",
        ),
        (
            WELL,
            replace(QUIET, oldest_unplanned_at=NOW - timedelta(seconds=16)),
            Light.RED,
            "the oldest due fire has waited 16 s",
        ),
        (WELL, replace(QUIET, oldest_unplanned_at=NOW - timedelta(seconds=14)), Light.GREEN, None),
        (WELL, replace(QUIET, oldest_due_at=NOW - timedelta(seconds=16)), Light.GREEN, None),  # a run waits for room
        (
            replace(WELL, leased=False),
            QUIET,
            Light.RED,
            "the lease of this engine was not renewed in time: others may have taken over its runs",
        ),
        (
            replace(WELL, clock_off=3600.0),
            QUIET,
            Light.YELLOW,
            "the clock of this machine is 1:00:00 ahead of the database's, which the engine goes by: set it right",
        ),
        (
            replace(WELL, clock_off=-90.0),
            QUIET,
            Light.YELLOW,
            "the clock of this machine is 0:01:30 behind the database's, which the engine goes by: set it right",
        ),
        (
            WELL,
            replace(QUIET, corrected=Corrected(NOW - timedelta(minutes=59), 2_592_000.0, 7, 1)),
            Light.YELLOW,
            "the clock was 30 days, 0:00:00 ahead until 2025-12-31T23:01:00+00:00; 7 schedules were moved back",
        ),
        (WELL, replace(QUIET, corrected=Corrected(NOW - timedelta(hours=1), 2_592_000.0, 7, 1)), Light.GREEN, None),
        (WELL, replace(QUIET, nodes=[]), Light.YELLOW, "no engine runs on this store: start one with duly up"),
        (WELL, replace(QUIET, nodes=[], enabled=0), Light.GREEN, None),
        (
            WELL,
            replace(QUIET, nodes=[], oldest_due_at=NOW - timedelta(seconds=540)),
            Light.RED,
            "no engine runs on this store, and the oldest due fire has waited 540 s: start one with duly up",
        ),
    ],
)
def test_each_fact_has_its_light_and_reason(
    beat: EngineStatus, overview: Overview | None, light: Light, reason: str | None
) -> None:
    health = judge(overview, beat, NOW, poll=5.0)
    assert (health.light, health.reasons) == (light, [] if reason is None else [reason])


def test_red_is_never_softened_by_yellow() -> None:
    health = judge(replace(QUIET, quarantined=1), replace(WELL, since_turn=99), NOW, poll=5.0)
    assert health.light is Light.RED
    assert len(health.reasons) == 2


def test_lag_is_the_wait_of_the_oldest_due_fire() -> None:
    assert judge(replace(QUIET, oldest_due_at=NOW - timedelta(seconds=3)), WELL, NOW, 5.0).lag_seconds == 3.0
    assert judge(replace(QUIET, oldest_due_at=NOW + timedelta(seconds=3)), WELL, NOW, 5.0).lag_seconds == 0.0


def concern(kind: ConcernKind, number: int = 1, reason: str = "boom") -> list[Concern]:
    return [
        Concern(
            kind=kind,
            schedule_id=f"sched_{n}",
            namespace="default",
            name=f"s{n}",
            since=NOW,
            reason=reason,
            remedy="duly up",
        )
        for n in range(number)
    ]


@pytest.mark.parametrize(
    ("found", "reasons"),
    [
        (concern(ConcernKind.FAILING), ["1 schedule fails"]),
        (concern(ConcernKind.FAILING, 4), ["4 schedules fail"]),
        (concern(ConcernKind.FAILING, 50), ["at least 50 schedules fail"]),
        (concern(ConcernKind.OVERDUE, 2), ["2 schedules are overdue"]),
        (concern(ConcernKind.RESTING), ["1 schedule rests: something is missing here"]),
        (
            concern(ConcernKind.UNSERVED, 2, "job x is not registered anywhere"),
            ["2 schedules are served by no node: job x is not registered anywhere"],
        ),
        (
            concern(ConcernKind.OVERDUE) + concern(ConcernKind.FAILING, 2),
            ["2 schedules fail", "1 schedule is overdue"],
        ),
    ],
)
def test_schedules_that_need_attention_turn_the_light_yellow(found: list[Concern], reasons: list[str]) -> None:
    health = judge(QUIET, WELL, NOW, 5.0, found)
    assert (health.light, health.state, health.reasons) == (Light.YELLOW, Light.YELLOW, reasons)
    assert health.attention == found[:20]
    assert health.attention_total == len(found)


def test_an_unserved_handler_is_one_reason() -> None:
    overview = replace(QUIET, unserved={"job:x": 1, "job:y": 1})
    found = concern(ConcernKind.UNSERVED, 1, "job x is not registered anywhere")
    assert judge(overview, WELL, NOW, 5.0, found).reasons == [
        "1 due runs of job:x wait, and no node serves it",
        "1 due runs of job:y wait, and no node serves it",
    ]


def test_overdue_schedules_are_one_reason_while_no_engine_runs() -> None:
    overview = replace(QUIET, nodes=[], oldest_due_at=NOW - timedelta(minutes=9))
    assert len(judge(overview, WELL, NOW, 5.0, concern(ConcernKind.OVERDUE, 3)).reasons) == 1


def test_for_a_caller_who_sees_some_schedules_nothing_counts_those_of_others() -> None:
    own = concern(ConcernKind.RESTING)
    others = concern(ConcernKind.FAILING, 30)
    busy = replace(QUIET, quarantined=3, unserved={"job:x": 4})
    health = judge(busy, replace(WELL, stuck=2), NOW, 5.0, [*others, *own])
    health.blame(Light.YELLOW, "a change of duly.toml was refused")
    seen = health.about(own)
    assert (seen.light, seen.attention, seen.attention_total) == (Light.YELLOW, own, 1)
    assert seen.reasons == ["a change of duly.toml was refused", "1 schedule rests: something is missing here"]
    assert judge(busy, WELL, NOW, 5.0, others).about([]).light is Light.GREEN
    assert judge(None, replace(WELL, store_error="gone"), NOW, 5.0).about([]).light is Light.RED
