"""Timeouts: cancelled, confirmed, and only then tried again; a thread that cannot be stopped is waited for."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from duly import Duly, Health, Light, Policy, Retry
from tests.integration.engine_support.lab import STORES, Lab, laboratory
from tests.integration.engine_support.waiting import eventually

LEASE = 3.0
TWICE = Retry(max_attempts=2, delay=timedelta(0), jitter=0)


@pytest.fixture(params=STORES)
def lab(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Lab]:
    with laboratory(request.param, tmp_path) as made:
        yield made


def _limited(seconds: float) -> Policy:
    return Policy(retry=TWICE, timeout=timedelta(seconds=seconds))


def test_an_async_handler_is_cancelled_and_tried_again_once_it_has_ended(lab: Lab) -> None:
    worker = lab.start()
    lab.add(lab.once("late", "tidy_up", policy=_limited(0.2), until=lab.path("tidy")))
    lab.entered("late")
    began = time.monotonic()
    eventually(lambda: time.monotonic() - began > 2, "time for a hasty engine to try again")
    assert len(lab.entries("late")) == 1, "its first attempt has not ended"

    lab.touch("tidy")
    late = lab.ended("late")
    assert (late.status, late.attempt) == ("succeeded", 2)
    (again,) = worker.events("run.retrying")
    assert again["data"]["error"] == "RunTimeoutError: timed out after 0.2 s"
    lab.check()


def test_a_handler_that_is_always_late_fails(lab: Lab) -> None:
    lab.start()
    lab.add(lab.once("late", "hold", policy=_limited(0.1), until=lab.path("never")))
    late = lab.ended("late")
    assert (late.status, late.attempt, late.error) == ("failed", 2, "RunTimeoutError: timed out after 0.1 s")
    lab.check()


def test_a_thread_past_its_timeout_is_stuck_keeps_its_lease_and_is_tried_again_when_it_ends(lab: Lab) -> None:
    owner = lab.start(lease=LEASE)
    lab.add(lab.once("stuck", "hold_thread", policy=_limited(0.2), until=lab.path("go-{attempt}")))
    entry = lab.entered("stuck")
    lab.start(lease=LEASE)
    stuck = owner.saw("run.stuck")
    assert (stuck["run_id"], stuck["data"]["name"]) == (entry.run_id, "stuck")
    eventually(lambda: time.monotonic() - entry.at > 1.5 * LEASE, "more than a lease")
    assert (lab.run("stuck").status, len(lab.entries("stuck"))) == ("running", 1)

    lab.touch("go-2")
    lab.touch("go-1")
    ended = lab.ended("stuck")
    # A busy machine may not get through the second attempt in time either: then that one has timed out as well.
    assert ended.attempt == 2
    assert ended.status == "succeeded" or (ended.error or "").startswith("RunTimeoutError"), ended
    first, second = lab.entries("stuck", "exit")
    assert first.at < lab.entries("stuck")[1].at < second.at
    lab.check()


def test_a_stuck_thread_is_shown_by_health(tmp_path: Path) -> None:
    with laboratory("sqlite", tmp_path) as lab:
        lab.add(lab.once("stuck", "hold_thread", policy=_limited(0.05), until=lab.path("go")))
        app = lab.app()
        app.start()
        try:
            health = eventually(lambda: _unless_green(app), "health to be other than green")
            assert (health.light, len(health.reasons)) == (Light.YELLOW, 1)
            assert "1 runs outlived their timeout" in health.reasons[0]
        finally:
            lab.touch("go")
            app.stop()


def _unless_green(app: Duly) -> Health | None:
    health: Health = app.sync.health()
    return None if health.light is Light.GREEN else health


def test_the_time_of_a_run_begins_with_the_run(lab: Lab) -> None:
    """Claimed, but still waiting for a free thread, it is not late."""
    worker = lab.start(threads=1)
    lab.add(lab.once("busy", "hold_thread", until=lab.path("go")))
    lab.entered("busy")
    lab.add(lab.once("patient", "quick_thread", policy=_limited(3)))
    eventually(lambda: [run.status for run in lab.runs("patient")] == ["running"], "the claim")
    claimed = time.monotonic()
    eventually(lambda: time.monotonic() - claimed > 3, "more than its timeout")
    lab.touch("go")
    patient = lab.ended("patient")
    assert (patient.status, patient.attempt) == ("succeeded", 1)
    assert not worker.events("run.stuck")
    lab.settled()
    lab.check()
