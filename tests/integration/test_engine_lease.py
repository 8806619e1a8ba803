"""The lease: a slow handler keeps it, a process that stood still loses it and cannot record what it did."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.engine_support.process_cluster import STORES, ProcessCluster, Worker, process_cluster
from tests.integration.engine_support.waiting import eventually
from tests.unit.stores.locker import locked

LEASE = 3.0
"""The lease of engines that have to lose it. The others have one that is long enough on a busy machine."""


@pytest.fixture(params=STORES)
def cluster(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ProcessCluster]:
    with process_cluster(request.param, tmp_path) as made:
        yield made


def _freeze_past_its_lease(cluster: ProcessCluster, worker: Worker) -> None:
    cluster.freeze(worker)
    stopped = time.monotonic()
    eventually(lambda: time.monotonic() - stopped > LEASE, "the end of its lease")


def test_runs_of_a_frozen_process_are_rescued_and_its_settlements_refused(cluster: ProcessCluster) -> None:
    held = {"async": "hold", "thread": "hold_thread"}
    cluster.add(*(cluster.once(name, job, until=cluster.path("go-{attempt}")) for name, job in held.items()))
    sleeper = cluster.start(lease=LEASE)
    for name in held:
        cluster.entered(name)
    _freeze_past_its_lease(cluster, sleeper)
    heir = cluster.start()
    for name in held:
        assert cluster.entered(name, times=2).pid == heir.pid

    cluster.touch("go-1")  # the sleeper finds its work done the moment it wakes up
    sleeper.signal(signal.SIGCONT)
    owned = {cluster.run(name).id for name in held}
    eventually(lambda: {event["run_id"] for event in sleeper.events("run.lease_lost")} == owned, "the refusals")
    assert {(run.status, run.attempt) for run in cluster.books.runs()} == {("running", 2)}, "they belong to the heir"

    cluster.touch("go-2")
    cluster.settled()
    heir.stop()
    cluster.add(cluster.once("later"))
    assert cluster.entered("later").pid == sleeper.pid, "the sleeper is back, under a fresh name"
    cluster.settled()
    sleeper.stop()
    assert {run.name: (run.status, run.attempt) for run in cluster.check(sleeper)} == {
        "async": ("succeeded", 2),
        "thread": ("succeeded", 2),
        "later": ("succeeded", 1),
    }
    assert {node.state for node in cluster.books.nodes()} == {"lost", "stopped"}


def test_a_frozen_process_that_wakes_after_its_runs_have_ended_changes_nothing(cluster: ProcessCluster) -> None:
    cluster.add(cluster.once("held", "hold", until=cluster.path("go-{attempt}")))
    sleeper = cluster.start(lease=LEASE)
    cluster.entered("held")
    _freeze_past_its_lease(cluster, sleeper)
    heir = cluster.start()
    cluster.entered("held", times=2)
    cluster.touch("go-2")
    before = cluster.ended("held")
    cluster.touch("go-1")
    sleeper.signal(signal.SIGCONT)
    sleeper.saw("run.lease_lost")
    for worker in (sleeper, heir):
        worker.stop()
    assert cluster.check(sleeper) == [before]


def test_slow_handlers_keep_their_lease(cluster: ProcessCluster) -> None:
    """Blocked, busy, or holding up the whole event loop: an engine with a heartbeat keeps its runs."""
    jobs, lease = ("hold_thread", "hog", "freeze_until"), 1.5 * LEASE  # one of them leaves others little of the machine
    cluster.add(*(cluster.once(job, job, until=cluster.path("go")) for job in jobs))
    for _ in jobs:
        cluster.start(lease=lease, max_concurrency=1, ready=False)
    owners = {cluster.entered(job).pid for job in jobs}
    assert len(owners) == len(jobs), "one each"
    rival = cluster.start(lease=lease)
    began = time.monotonic()
    eventually(lambda: time.monotonic() - began > 1.1 * lease, "more than a lease to pass")
    cluster.touch("go")
    cluster.settled()
    assert {run.name: (run.status, run.attempt) for run in cluster.check()} == dict.fromkeys(jobs, ("succeeded", 1))
    assert [entry.name for entry in cluster.testimony if entry.what == "enter" and entry.pid == rival.pid] == []
    assert not [event for event in cluster.books.events() if event.name in {"node.lost", "run.rescued"}]


def test_engines_that_wait_for_a_locked_file_keep_their_runs(tmp_path: Path) -> None:
    """Another program holds the write lock of the file for longer than a lease, and two workers wait for it."""
    lease = 8.0
    with process_cluster("sqlite", tmp_path) as cluster:
        cluster.add(cluster.once("held", "hold", until=cluster.path("go")))
        owner = cluster.start(lease=lease)
        cluster.entered("held")
        rival = cluster.start(lease=lease)
        with locked(Path(cluster.url)):
            began = time.monotonic()
            eventually(lambda: time.monotonic() - began > 1.2 * lease, "more than a lease to pass")
        for worker in (owner, rival):
            worker.saw("store.recovered")
        beats = cluster.books.beats()
        eventually(lambda: all(cluster.books.beats()[pid] > beat for pid, beat in beats.items()), "both to beat again")
        cluster.touch("go")
        cluster.settled()
        assert [(run.name, run.status, run.attempt) for run in cluster.check()] == [("held", "succeeded", 1)]
        assert [entry.pid for entry in cluster.entries("held")] == [owner.pid]
        told = {event.name for event in cluster.books.events()} | {event["name"] for event in owner.events()}
        assert not told & {"node.lost", "run.rescued", "run.lease_lost"}
