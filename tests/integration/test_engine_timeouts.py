"""Timeouts: cancelled, confirmed, and only then tried again; a thread that cannot be stopped is waited for."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from duly import Duly, Health, Light, Policy, Retry
from tests.integration.engine_support.process_cluster import STORES, ProcessCluster, process_cluster
from tests.integration.engine_support.waiting import eventually

LEASE = 3.0
TWICE = Retry(max_attempts=2, delay=timedelta(0), jitter=0)


@pytest.fixture(params=STORES)
def cluster(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ProcessCluster]:
    with process_cluster(request.param, tmp_path) as made:
        yield made


def _limited(seconds: float) -> Policy:
    return Policy(retry=TWICE, timeout=timedelta(seconds=seconds))


def test_a_timed_out_async_handler_is_cancelled_and_retried_once_it_has_ended(cluster: ProcessCluster) -> None:
    worker = cluster.start()
    cluster.add(cluster.once("late", "tidy_up", policy=_limited(0.2), until=cluster.path("tidy")))
    cluster.entered("late")
    began = time.monotonic()
    eventually(lambda: time.monotonic() - began > 2, "time for a hasty engine to try again")
    assert len(cluster.entries("late")) == 1, "its first attempt has not ended"

    cluster.touch("tidy")
    late = cluster.ended("late")
    assert (late.status, late.attempt) == ("succeeded", 2)
    (again,) = worker.events("run.retrying")
    assert again["data"]["error"] == "RunTimeoutError: timed out after 0.2 s"
    cluster.check()


def test_a_run_whose_attempts_all_time_out_fails(cluster: ProcessCluster) -> None:
    cluster.start()
    cluster.add(cluster.once("late", "hold", policy=_limited(0.1), until=cluster.path("never")))
    late = cluster.ended("late")
    assert (late.status, late.attempt, late.error) == ("failed", 2, "RunTimeoutError: timed out after 0.1 s")
    cluster.check()


def test_a_timed_out_thread_keeps_its_lease_and_is_retried_when_it_ends(cluster: ProcessCluster) -> None:
    owner = cluster.start(lease=LEASE)
    cluster.add(cluster.once("stuck", "hold_thread", policy=_limited(0.2), until=cluster.path("go-{attempt}")))
    entry = cluster.entered("stuck")
    cluster.start(lease=LEASE)
    stuck = owner.saw("run.stuck")
    assert (stuck["run_id"], stuck["data"]["name"]) == (entry.run_id, "stuck")
    eventually(lambda: time.monotonic() - entry.at > 1.5 * LEASE, "more than a lease")
    assert (cluster.run("stuck").status, len(cluster.entries("stuck"))) == ("running", 1)

    cluster.touch("go-2")
    cluster.touch("go-1")
    ended = cluster.ended("stuck")
    # A busy machine may not get through the second attempt in time either: then that one has timed out as well.
    assert ended.attempt == 2
    assert ended.status == "succeeded" or (ended.error or "").startswith("RunTimeoutError"), ended
    first, second = cluster.entries("stuck", "exit")
    assert first.at < cluster.entries("stuck")[1].at < second.at
    cluster.check()


def test_health_shows_a_stuck_thread(tmp_path: Path) -> None:
    with process_cluster("sqlite", tmp_path) as cluster:
        cluster.add(cluster.once("stuck", "hold_thread", policy=_limited(0.05), until=cluster.path("go")))
        app = cluster.app()
        app.start()
        try:
            health = eventually(lambda: _unless_green(app), "health to be other than green")
            assert (health.light, len(health.reasons)) == (Light.YELLOW, 1)
            assert "1 runs outlived their timeout" in health.reasons[0]
        finally:
            cluster.touch("go")
            app.stop()


def _unless_green(app: Duly) -> Health | None:
    health: Health = app.sync.health()
    return None if health.light is Light.GREEN else health


def test_the_timeout_begins_when_the_handler_starts(cluster: ProcessCluster) -> None:
    """Claimed, but still waiting for a free thread, it is not late."""
    worker = cluster.start(threads=1)
    cluster.add(cluster.once("busy", "hold_thread", until=cluster.path("go")))
    cluster.entered("busy")
    cluster.add(cluster.once("patient", "quick_thread", policy=_limited(3)))
    eventually(lambda: [run.status for run in cluster.runs("patient")] == ["running"], "the claim")
    claimed = time.monotonic()
    eventually(lambda: time.monotonic() - claimed > 3, "more than its timeout")
    cluster.touch("go")
    patient = cluster.ended("patient")
    assert (patient.status, patient.attempt) == ("succeeded", 1)
    assert not worker.events("run.stuck")
    cluster.settled()
    cluster.check()
