"""Several processes on one store: the work is shared, nothing is done twice, and a change is noticed at once."""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from duly import Cron
from tests.integration.engine_support.process_cluster import STORES, ProcessCluster, process_cluster
from tests.integration.engine_support.waiting import eventually

IDLE = 3600.0
"""So long that what happens in this test does not happen by polling."""


@pytest.fixture(params=STORES)
def cluster(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ProcessCluster]:
    with process_cluster(request.param, tmp_path) as made:
        yield made


def test_two_processes_share_the_runs(cluster: ProcessCluster) -> None:
    room, workers = 4, [cluster.start(batch=10, max_concurrency=4) for _ in range(2)]
    cluster.add(*(cluster.once(f"held-{number}", "hold", until=cluster.path("go")) for number in range(2 * room)))
    for number in range(2 * room):
        cluster.entered(f"held-{number}")
    shares = Counter(entry.pid for entry in cluster.testimony if entry.what == "enter")
    assert shares == {worker.pid: room for worker in workers}, "what one has no room for, the other takes"

    cluster.add(*(cluster.once(f"once-{number}", "short", seconds=0.02) for number in range(150)))
    cluster.touch("go")
    cluster.settled()
    for worker in workers:
        worker.stop()
    runs = cluster.check()
    assert (len(runs), {run.status for run in runs}) == (150 + 2 * room, {"succeeded"})
    assert {run.attempt for run in runs} == {1}


@pytest.mark.parametrize("store", STORES)
def test_many_processes_may_create_the_same_store_at_once(store: str, tmp_path: Path) -> None:
    with process_cluster(store, tmp_path, migrated=False) as cluster:
        workers = [cluster.start(ready=False) for _ in range(5)]
        for worker in workers:
            eventually(lambda: worker.events("ready") or worker.exit_code is not None, "a worker")  # noqa: B023
            assert worker.exit_code is None, worker.log.read_text(encoding="utf-8")
        cluster.add(cluster.once("one"))
        assert cluster.ended("one").status == "succeeded"


def test_changes_of_another_process_are_noticed_long_before_the_next_poll(cluster: ProcessCluster) -> None:
    cluster.start(poll=IDLE, lease=IDLE)
    cluster.add(cluster.once("added", "hold", until=cluster.path("never")))
    cluster.entered("added")

    cluster.ask(lambda app: app.cancel_run(cluster.run("added").id))
    eventually(lambda: cluster.entries("added", "left"), "the end of the run")
    assert cluster.ended("added").status == "cancelled"

    cluster.ask(lambda app: app.schedule("yearly", Cron("0 0 1 1 *"), job="quick"))
    cluster.ask(lambda app: app.trigger("yearly"))
    cluster.entered("yearly")
    cluster.ended("yearly")


def test_a_process_claims_only_runs_of_its_own_handlers(cluster: ProcessCluster) -> None:
    """A process knows the jobs it registered; a run of another one waits, is shown, and turns health yellow."""
    cluster.start(only=["quick"])
    cluster.add(cluster.once("mine"), cluster.once("foreign", "quick_thread"))
    assert cluster.ended("mine").status == "succeeded"
    eventually(lambda: [run.status for run in cluster.runs("foreign")] == ["pending"], "the run that no worker serves")
    health = cluster.ask(lambda app: app.health())
    assert (health.light, health.reasons) == ("yellow", ["1 due runs of job:quick_thread wait, and no node serves it"])

    cluster.start(only=["quick_thread"])
    assert cluster.ended("foreign").status == "succeeded"
    cluster.check()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_run_forever_ends_on_a_signal(cluster: ProcessCluster, number: signal.Signals) -> None:
    worker = cluster.start()
    worker.signal(number)
    assert worker.ended() == 0
    assert [event["name"] for event in worker.events()][-1] == "stopped"
    assert [node.state for node in cluster.books.nodes()] == ["stopped"]


def test_a_second_signal_ends_run_forever_without_waiting(cluster: ProcessCluster) -> None:
    cluster.add(cluster.once("long", "hold", until=cluster.path("never")))
    worker = cluster.start(grace=3600.0)
    cluster.entered("long")
    worker.signal(signal.SIGTERM)
    worker.saw("asked")
    worker.signal(signal.SIGTERM)
    assert worker.ended() == -signal.SIGTERM
