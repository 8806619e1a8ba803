"""Several processes on one store: the work is shared, nothing is done twice, and a change is noticed at once."""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from duly import Cron
from tests.integration.engine_support.lab import STORES, Lab, laboratory
from tests.integration.engine_support.waiting import eventually

IDLE = 3600.0
"""So long that what happens in this test does not happen by polling."""


@pytest.fixture(params=STORES)
def lab(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Lab]:
    with laboratory(request.param, tmp_path) as made:
        yield made


def test_two_processes_share_the_work(lab: Lab) -> None:
    room, workers = 4, [lab.start(batch=10, max_concurrency=4) for _ in range(2)]
    lab.add(*(lab.once(f"held-{number}", "hold", until=lab.path("go")) for number in range(2 * room)))
    for number in range(2 * room):
        lab.entered(f"held-{number}")
    shares = Counter(entry.pid for entry in lab.testimony if entry.what == "enter")
    assert shares == {worker.pid: room for worker in workers}, "what one has no room for, the other takes"

    lab.add(*(lab.once(f"once-{number}", "short", seconds=0.02) for number in range(150)))
    lab.touch("go")
    lab.settled()
    for worker in workers:
        worker.stop()
    runs = lab.check()
    assert (len(runs), {run.status for run in runs}) == (150 + 2 * room, {"succeeded"})
    assert {run.attempt for run in runs} == {1}


@pytest.mark.parametrize("store", STORES)
def test_many_may_come_at_once_to_a_store_that_does_not_exist_yet(store: str, tmp_path: Path) -> None:
    with laboratory(store, tmp_path, migrated=False) as lab:
        workers = [lab.start(ready=False) for _ in range(5)]
        for worker in workers:
            eventually(lambda: worker.events("ready") or worker.exit_code is not None, "a worker")  # noqa: B023
            assert worker.exit_code is None, worker.log.read_text(encoding="utf-8")
        lab.add(lab.once("one"))
        assert lab.ended("one").status == "succeeded"


def test_what_another_process_adds_fires_or_calls_off_is_noticed_long_before_the_next_poll(lab: Lab) -> None:
    lab.start(poll=IDLE, lease=IDLE)
    lab.add(lab.once("added", "hold", until=lab.path("never")))
    lab.entered("added")

    lab.ask(lambda app: app.cancel_run(lab.run("added").id))
    eventually(lambda: lab.entries("added", "left"), "the end of the run")
    assert lab.ended("added").status == "cancelled"

    lab.ask(lambda app: app.schedule("yearly", Cron("0 0 1 1 *"), job="quick"))
    lab.ask(lambda app: app.trigger("yearly"))
    lab.entered("yearly")
    lab.ended("yearly")


def test_a_process_that_serves_only_some_handlers_leaves_the_others_alone(lab: Lab) -> None:
    """A process knows the jobs it registered; a run of another one waits, is shown, and turns health yellow."""
    lab.start(only=["quick"])
    lab.add(lab.once("mine"), lab.once("foreign", "quick_thread"))
    assert lab.ended("mine").status == "succeeded"
    eventually(lambda: [run.status for run in lab.runs("foreign")] == ["pending"], "the run nobody serves")
    health = lab.ask(lambda app: app.health())
    assert (health.light, health.reasons) == ("yellow", ["1 due runs of job:quick_thread wait, and no node serves it"])

    lab.start(only=["quick_thread"])
    assert lab.ended("foreign").status == "succeeded"
    lab.check()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_run_forever_ends_when_asked(lab: Lab, number: signal.Signals) -> None:
    worker = lab.start()
    worker.signal(number)
    assert worker.ended() == 0
    assert [event["name"] for event in worker.events()][-1] == "stopped"
    assert [node.state for node in lab.books.nodes()] == ["stopped"]


def test_asked_twice_it_does_not_wait(lab: Lab) -> None:
    lab.add(lab.once("long", "hold", until=lab.path("never")))
    worker = lab.start(grace=3600.0)
    lab.entered("long")
    worker.signal(signal.SIGTERM)
    worker.saw("asked")
    worker.signal(signal.SIGTERM)
    assert worker.ended() == -signal.SIGTERM
