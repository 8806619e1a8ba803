"""Graceful stop: what is under way ends or is handed back, the dead own nothing, others go on at once."""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.integration.engine_support.lab import STORES, Lab, laboratory
from tests.integration.engine_support.waiting import eventually

LEASE = 3.0
IDLE = 3600.0
"""So long that what happens in this test does not happen by polling."""


@pytest.fixture(params=STORES)
def lab(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Lab]:
    with laboratory(request.param, tmp_path) as made:
        yield made


def test_asked_to_stop_at_any_moment_it_leaves_nothing_behind(lab: Lab) -> None:
    chance = random.Random(16)
    jobs = ("quick", "quick_thread", "fail_once", "short", "short")
    for wave in range(12):
        drafts = []
        for number in range(10):
            job = chance.choice(jobs)
            args: dict[str, Any] = {"seconds": 0.2} if job == "short" else {}
            drafts.append(lab.once(f"once-{wave}-{number}", job, after=chance.uniform(0, 0.3), **args))
        lab.add(*drafts)
        _stop_soon(lab, chance)
    while not lab.is_settled():
        _stop_soon(lab, chance)
    assert {run.status for run in lab.check()} == {"succeeded"}
    assert {run.attempt for run in lab.books.runs()} <= {1, 2}, "what was handed back did not cost an attempt"


def _stop_soon(lab: Lab, chance: random.Random) -> None:
    """A worker that is asked to stop after a few random milliseconds."""
    worker = lab.start(grace=chance.choice((0.0, 0.05, 10.0)), poll=0.2, batch=10)
    time.sleep(chance.uniform(0, 0.25))
    worker.stop()
    assert not [run for run in lab.books.runs() if run.owner or run.status == "running"], worker.events()
    assert {node.state for node in lab.books.nodes()} == {"stopped"}


def test_what_ends_within_the_grace_time_is_recorded(lab: Lab) -> None:
    lab.add(lab.once("async", "hold", until=lab.path("go")), lab.once("thread", "hold_thread", until=lab.path("go")))
    worker = lab.start()
    lab.entered("async")
    lab.entered("thread")
    worker.signal(signal.SIGTERM)
    lab.add(lab.once("later"))  # nothing new is begun by one that is leaving
    lab.touch("go")
    assert worker.ended() == 0
    ended = {run.name: (run.status, run.attempt) for run in lab.books.runs()}
    assert ended.pop("later", ("pending", 0)) == ("pending", 0), "a turn under way may have recorded it"
    assert ended == {"async": ("succeeded", 1), "thread": ("succeeded", 1)}
    assert not lab.entries("later")
    lab.start()
    lab.settled()
    lab.check()


@pytest.mark.parametrize("job", ["hold", "listen"])
def test_what_does_not_end_in_time_is_handed_back_and_taken_up_at_once(lab: Lab, job: str) -> None:
    args: dict[str, Any] = {"until": lab.path("go")} if job == "hold" else {}
    lab.add(lab.once("long", job, **args))
    first = lab.start(grace=0.1)
    lab.entered("long")
    second = lab.start(poll=IDLE)
    first.stop()
    again = lab.entered("long", times=2)
    assert (again.pid, again.attempt) == (second.pid, 1), "the attempt was not counted"
    if job == "hold":
        lab.touch("go")
        assert lab.ended("long").status == "succeeded"
        second.stop()
        lab.check()


def test_a_thread_that_cannot_be_stopped_keeps_its_lease_until_it_ends(lab: Lab) -> None:
    lab.add(lab.once("stubborn", "hold_thread", until=lab.path("go-{attempt}")))
    first = lab.start(grace=0.1, lease=LEASE)
    lab.entered("stubborn")
    second = lab.start(lease=LEASE)  # it looks for others that fell silent twice in this time
    first.signal(signal.SIGTERM)
    asked = time.monotonic()
    eventually(lambda: time.monotonic() - asked > 1.5 * LEASE, "more than a lease")
    assert first.exit_code is None, "its thread is still busy"
    assert (lab.run("stubborn").status, len(lab.entries("stubborn"))) == ("running", 1)

    lab.touch("go-1")
    assert first.ended() == 0
    stubborn = lab.run("stubborn")
    assert (stubborn.status, stubborn.attempt) == ("succeeded", 1), "its outcome was recorded before the process ended"
    second.stop()
    lab.check()
    assert {node.state for node in lab.books.nodes()} == {"stopped"}


def test_a_claim_on_its_way_when_it_is_asked_to_stop_is_handed_back(lab: Lab) -> None:
    """The store answers only after the engine was asked to stop: what it gives then must not be begun, nor kept."""
    worker = lab.start()
    lab.add(lab.once("late", after=0.5))
    with lab.books.locked():
        locked = time.monotonic()
        eventually(lambda: time.monotonic() - locked > 1, "the engine to ask for what is due")
        worker.signal(signal.SIGTERM)
        worker.saw("asked")
    assert worker.ended() == 0
    assert not lab.entries("late"), "nothing is begun by one that is leaving"
    assert not [run for run in lab.books.runs() if run.owner]
    assert [node.state for node in lab.books.nodes()] == ["stopped"]
    lab.start()
    assert lab.ended("late").status == "succeeded"
    lab.check()


def test_what_waits_for_a_thread_is_handed_back_at_once(lab: Lab) -> None:
    """It has not begun, so there is nothing to wait for."""
    first = lab.start(grace=0.1, threads=1)
    lab.add(lab.once("busy", "hold_thread", until=lab.path("go")))
    lab.entered("busy")
    lab.add(lab.once("queued", "quick_thread"))
    eventually(lambda: [run.status for run in lab.runs("queued")] == ["running"], "the claim")
    second = lab.start()
    first.signal(signal.SIGTERM)
    assert lab.ended("queued").status == "succeeded"
    assert [entry.pid for entry in lab.entries("queued")] == [second.pid]
    assert first.exit_code is None
    lab.touch("go")
    first.ended()
    lab.settled()
    lab.check()
