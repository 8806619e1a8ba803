"""The lease: a slow handler keeps it, a process that stood still loses it and cannot record what it did."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.engine_support.lab import STORES, Lab, Worker, laboratory
from tests.integration.engine_support.waiting import eventually
from tests.unit.stores.locker import locked

LEASE = 3.0
"""Of whoever is to lose it. Those who are to keep theirs have one that no load makes them lose."""


@pytest.fixture(params=STORES)
def lab(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Lab]:
    with laboratory(request.param, tmp_path) as made:
        yield made


def _freeze_past_its_lease(lab: Lab, worker: Worker) -> None:
    lab.freeze(worker)
    stopped = time.monotonic()
    eventually(lambda: time.monotonic() - stopped > LEASE, "the end of its lease")


def test_a_paused_process_is_overtaken_and_its_outcomes_refused(lab: Lab) -> None:
    held = {"async": "hold", "thread": "hold_thread"}
    lab.add(*(lab.once(name, job, until=lab.path("go-{attempt}")) for name, job in held.items()))
    sleeper = lab.start(lease=LEASE)
    for name in held:
        lab.entered(name)
    _freeze_past_its_lease(lab, sleeper)
    heir = lab.start()
    for name in held:
        assert lab.entered(name, times=2).pid == heir.pid

    lab.touch("go-1")  # the sleeper finds its work done the moment it wakes up
    sleeper.signal(signal.SIGCONT)
    owned = {lab.run(name).id for name in held}
    eventually(lambda: {event["run_id"] for event in sleeper.events("run.lease_lost")} == owned, "the refusals")
    assert {(run.status, run.attempt) for run in lab.books.runs()} == {("running", 2)}, "they belong to the heir"

    lab.touch("go-2")
    lab.settled()
    heir.stop()
    lab.add(lab.once("later"))
    assert lab.entered("later").pid == sleeper.pid, "the sleeper is back, under a fresh name"
    lab.settled()
    sleeper.stop()
    assert {run.name: (run.status, run.attempt) for run in lab.check(sleeper)} == {
        "async": ("succeeded", 2),
        "thread": ("succeeded", 2),
        "later": ("succeeded", 1),
    }
    assert {node.state for node in lab.books.nodes()} == {"lost", "stopped"}


def test_a_paused_process_that_wakes_after_all_is_over_changes_nothing(lab: Lab) -> None:
    lab.add(lab.once("held", "hold", until=lab.path("go-{attempt}")))
    sleeper = lab.start(lease=LEASE)
    lab.entered("held")
    _freeze_past_its_lease(lab, sleeper)
    heir = lab.start()
    lab.entered("held", times=2)
    lab.touch("go-2")
    before = lab.ended("held")
    lab.touch("go-1")
    sleeper.signal(signal.SIGCONT)
    sleeper.saw("run.lease_lost")
    for worker in (sleeper, heir):
        worker.stop()
    assert lab.check(sleeper) == [before]


def test_slow_handlers_keep_their_lease(lab: Lab) -> None:
    """Blocked, busy, or holding up the whole event loop: whoever still beats is not overtaken."""
    jobs, lease = ("block", "hog", "freeze"), 1.5 * LEASE  # two of them leave little of the machine to the others
    lab.add(*(lab.once(job, job, seconds=1.3 * lease) for job in jobs))
    for _ in jobs:
        lab.start(lease=lease, max_concurrency=1, ready=False)
    owners = {lab.entered(job).pid for job in jobs}
    assert len(owners) == len(jobs), "one each"
    rival = lab.start(lease=lease)
    lab.settled()
    assert {run.name: (run.status, run.attempt) for run in lab.check()} == dict.fromkeys(jobs, ("succeeded", 1))
    assert [entry.name for entry in lab.testimony if entry.what == "enter" and entry.pid == rival.pid] == []
    assert not [event for event in lab.books.events() if event.name in {"node.lost", "run.rescued"}]


def test_waiting_for_a_locked_file_costs_nobody_his_runs(tmp_path: Path) -> None:
    """Another program holds the write lock of the file for longer than a lease, and two workers wait for it."""
    lease = 8.0
    with laboratory("sqlite", tmp_path) as lab:
        lab.add(lab.once("held", "hold", until=lab.path("go")))
        owner = lab.start(lease=lease)
        lab.entered("held")
        rival = lab.start(lease=lease)
        with locked(Path(lab.url)):
            began = time.monotonic()
            eventually(lambda: time.monotonic() - began > 1.2 * lease, "more than a lease to pass")
        for worker in (owner, rival):
            worker.saw("store.recovered")
        beats = lab.books.beats()
        eventually(lambda: all(lab.books.beats()[pid] > beat for pid, beat in beats.items()), "both to beat again")
        lab.touch("go")
        lab.settled()
        assert [(run.name, run.status, run.attempt) for run in lab.check()] == [("held", "succeeded", 1)]
        assert [entry.pid for entry in lab.entries("held")] == [owner.pid]
        told = {event.name for event in lab.books.events()} | {event["name"] for event in owner.events()}
        assert not told & {"node.lost", "run.rescued", "run.lease_lost"}
