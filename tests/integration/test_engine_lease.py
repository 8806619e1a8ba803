"""The lease: a slow handler keeps it, a process that stood still loses it and cannot record what it did."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.engine_support.lab import STORES, Lab, laboratory
from tests.integration.engine_support.waiting import eventually

LEASE = 1.0


@pytest.fixture(params=STORES)
def lab(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Lab]:
    with laboratory(request.param, tmp_path) as made:
        yield made


def _passed(since: float, leases: float) -> bool:
    return time.monotonic() - since > leases * LEASE


@pytest.mark.parametrize("job", ["hold", "hold_thread"])
def test_a_paused_process_is_overtaken_and_its_outcome_refused(lab: Lab, job: str) -> None:
    lab.add(lab.once("held", job, until=lab.path("go-{attempt}")))
    sleeper = lab.start(lease=LEASE)
    lab.entered("held")
    heir = lab.start(lease=LEASE)
    sleeper.signal(signal.SIGSTOP)
    stopped = time.monotonic()
    assert lab.entered("held", times=2).pid == heir.pid
    eventually(lambda: _passed(stopped, 3), "three leases")

    lab.touch("go-1")  # the sleeper finds its work done the moment it wakes up
    sleeper.signal(signal.SIGCONT)
    lost = sleeper.saw("run.lease_lost")
    held = lab.run("held")
    assert (lost["run_id"], held.status, held.attempt) == (held.id, "running", 2), "its outcome was refused"

    lab.touch("go-2")
    assert lab.ended("held").attempt == 2
    heir.stop()
    lab.add(lab.once("later"))
    assert lab.ended("later").status == "succeeded", "the sleeper is back, under a fresh name"
    assert lab.entered("later").pid == sleeper.pid
    sleeper.stop()
    lab.check(sleeper)
    assert {node.state for node in lab.books.nodes()} == {"lost", "stopped"}


def test_a_paused_process_that_wakes_after_all_is_over_changes_nothing(lab: Lab) -> None:
    lab.add(lab.once("held", "hold", until=lab.path("go-{attempt}")))
    sleeper = lab.start(lease=LEASE)
    lab.entered("held")
    sleeper.signal(signal.SIGSTOP)
    heir = lab.start(lease=LEASE)
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
    jobs = ("block", "hog", "freeze")
    lab.add(*(lab.once(job, job, seconds=3.2 * LEASE) for job in jobs))
    for _ in jobs:
        lab.start(lease=LEASE, max_concurrency=1, ready=False)
    owners = {lab.entered(job).pid for job in jobs}
    assert len(owners) == len(jobs), "one each"
    rival = lab.start(lease=LEASE)
    lab.settled()
    assert {run.name: (run.status, run.attempt) for run in lab.check()} == dict.fromkeys(jobs, ("succeeded", 1))
    assert [entry.name for entry in lab.testimony if entry.what == "enter" and entry.pid == rival.pid] == []
    assert not [event for event in lab.books.events() if event.name in {"node.lost", "run.rescued"}]
