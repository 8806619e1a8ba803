"""Graceful stop: what is under way ends or is handed back, the dead own nothing, others go on at once."""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.integration.engine_support.process_cluster import STORES, ProcessCluster, process_cluster
from tests.integration.engine_support.waiting import eventually

LEASE = 3.0
IDLE = 3600.0
"""So long that what happens in this test does not happen by polling."""


@pytest.fixture(params=STORES)
def cluster(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ProcessCluster]:
    with process_cluster(request.param, tmp_path) as made:
        yield made


def test_a_stop_at_any_moment_leaves_no_node_and_no_claim(cluster: ProcessCluster) -> None:
    chance = random.Random(16)
    jobs = ("quick", "quick_thread", "fail_once", "short", "short")
    for wave in range(12):
        drafts = []
        for number in range(10):
            job = chance.choice(jobs)
            args: dict[str, Any] = {"seconds": 0.2} if job == "short" else {}
            drafts.append(cluster.once(f"once-{wave}-{number}", job, after=chance.uniform(0, 0.3), **args))
        cluster.add(*drafts)
        _stop_soon(cluster, chance)
    while not cluster.is_settled():
        _stop_soon(cluster, chance)
    assert {run.status for run in cluster.check()} == {"succeeded"}
    assert {run.attempt for run in cluster.books.runs()} <= {1, 2}, "what was handed back did not cost an attempt"


def _stop_soon(cluster: ProcessCluster, chance: random.Random) -> None:
    """A worker that is asked to stop after a few random milliseconds."""
    worker = cluster.start(grace=chance.choice((0.0, 0.05, 10.0)), poll=0.2, batch=10)
    time.sleep(chance.uniform(0, 0.25))
    worker.stop()
    assert not [run for run in cluster.books.runs() if run.owner or run.status == "running"], worker.events()
    assert {node.state for node in cluster.books.nodes()} == {"stopped"}


def test_a_run_that_ends_within_the_grace_time_is_settled(cluster: ProcessCluster) -> None:
    cluster.add(
        cluster.once("async", "hold", until=cluster.path("go")),
        cluster.once("thread", "hold_thread", until=cluster.path("go")),
    )
    worker = cluster.start()
    cluster.entered("async")
    cluster.entered("thread")
    worker.signal(signal.SIGTERM)
    cluster.add(cluster.once("later"))  # nothing new is begun by one that is leaving
    cluster.touch("go")
    assert worker.ended() == 0
    ended = {run.name: (run.status, run.attempt) for run in cluster.books.runs()}
    assert ended.pop("later", ("pending", 0)) == ("pending", 0), "a turn under way may have recorded it"
    assert ended == {"async": ("succeeded", 1), "thread": ("succeeded", 1)}
    assert not cluster.entries("later")
    cluster.start()
    cluster.settled()
    cluster.check()


@pytest.mark.parametrize("job", ["hold", "listen"])
def test_a_run_that_takes_longer_than_the_grace_time_is_released_and_claimed_at_once(
    cluster: ProcessCluster, job: str
) -> None:
    args: dict[str, Any] = {"until": cluster.path("go")} if job == "hold" else {}
    cluster.add(cluster.once("long", job, **args))
    first = cluster.start(grace=0.1)
    cluster.entered("long")
    second = cluster.start(poll=IDLE)
    first.stop()
    again = cluster.entered("long", times=2)
    assert (again.pid, again.attempt) == (second.pid, 1), "the attempt was not counted"
    if job == "hold":
        cluster.touch("go")
        assert cluster.ended("long").status == "succeeded"
        second.stop()
        cluster.check()


def test_a_thread_that_cannot_be_stopped_keeps_its_lease_until_it_ends(cluster: ProcessCluster) -> None:
    cluster.add(cluster.once("stubborn", "hold_thread", until=cluster.path("go-{attempt}")))
    first = cluster.start(grace=0.1, lease=LEASE)
    cluster.entered("stubborn")
    second = cluster.start(lease=LEASE)  # it looks for others that fell silent twice in this time
    first.signal(signal.SIGTERM)
    asked = time.monotonic()
    eventually(lambda: time.monotonic() - asked > 1.5 * LEASE, "more than a lease")
    assert first.exit_code is None, "its thread is still busy"
    assert (cluster.run("stubborn").status, len(cluster.entries("stubborn"))) == ("running", 1)

    cluster.touch("go-1")
    assert first.ended() == 0
    stubborn = cluster.run("stubborn")
    assert (stubborn.status, stubborn.attempt) == ("succeeded", 1), "its outcome was recorded before the process ended"
    second.stop()
    cluster.check()
    assert {node.state for node in cluster.books.nodes()} == {"stopped"}


def test_a_run_claimed_while_stopping_is_released(cluster: ProcessCluster) -> None:
    """The store answers only after the engine was asked to stop: what it gives then must not be begun, nor kept."""
    worker = cluster.start()
    cluster.add(cluster.once("late", after=0.5))
    with cluster.books.locked():
        locked = time.monotonic()
        eventually(lambda: time.monotonic() - locked > 1, "the engine to ask for what is due")
        worker.signal(signal.SIGTERM)
        worker.saw("asked")
    assert worker.ended() == 0
    assert not cluster.entries("late"), "nothing is begun by one that is leaving"
    assert not [run for run in cluster.books.runs() if run.owner]
    assert [node.state for node in cluster.books.nodes()] == ["stopped"]
    cluster.start()
    assert cluster.ended("late").status == "succeeded"
    cluster.check()


def test_a_run_that_waits_for_a_thread_is_released_at_once(cluster: ProcessCluster) -> None:
    """It has not begun, so there is nothing to wait for."""
    first = cluster.start(grace=0.1, threads=1)
    cluster.add(cluster.once("busy", "hold_thread", until=cluster.path("go")))
    cluster.entered("busy")
    cluster.add(cluster.once("queued", "quick_thread"))
    eventually(lambda: [run.status for run in cluster.runs("queued")] == ["running"], "the claim")
    second = cluster.start()
    first.signal(signal.SIGTERM)
    assert cluster.ended("queued").status == "succeeded"
    assert [entry.pid for entry in cluster.entries("queued")] == [second.pid]
    assert first.exit_code is None
    cluster.touch("go")
    first.ended()
    cluster.settled()
    cluster.check()
