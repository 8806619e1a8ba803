"""Poison stops: a handler that kills its process, one that fails in every way, a row that cannot be decoded.

Attempts are bounded, the others are not affected, and nothing is deleted.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from duly import Duly, Light, Policy, Retry, ScheduleFilter, every
from tests.integration.engine_support.process_cluster import STORES, ProcessCluster, Worker, process_cluster
from tests.integration.engine_support.waiting import eventually

LEAST_DEATHS = 7
MOST_DEATHS = 25
"""Until it is told who kills: seven, and more where a busy machine begins a run long after its moment."""
LEASE = 2.0
"""Seconds: the moments at which a suspected run is begun are spread over twice as many, and more later."""


@pytest.fixture(params=STORES)
def cluster(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ProcessCluster]:
    with process_cluster(request.param, tmp_path) as made:
        yield made


def crash(cluster: ProcessCluster, name: str, runs: int = 1) -> int:
    """Start a worker whenever the last one has died, until so many runs are given up; gives how many workers died."""
    for deaths in range(runs * MOST_DEATHS + 1):
        worker = cluster.start(ready=False, lease=LEASE)
        ended = partial(_has_died_or_given_up, cluster, worker, name, runs)
        eventually(ended, f"a death, or the end of {name}")
        if _dead(cluster, name) == runs:
            return deaths
        assert worker.exit_code == 7
        cluster.let_leases_end()
    raise AssertionError(f"{runs} runs of {name} should be dead after {deaths} deaths: {cluster.runs(name)}")


def _has_died_or_given_up(cluster: ProcessCluster, worker: Worker, name: str, runs: int) -> bool:
    return worker.exit_code is not None or _dead(cluster, name) == runs


def _dead(cluster: ProcessCluster, name: str) -> int:
    return [run.status for run in cluster.runs(name)].count("dead")


def test_a_run_that_kills_its_process_ends_dead_and_the_others_succeed(cluster: ProcessCluster) -> None:
    cluster.add(
        cluster.once("poison", "die", policy=Policy()), *(cluster.once(f"good-{number}") for number in range(5))
    )
    deaths = crash(cluster, "poison")
    cluster.settled()

    assert cluster.workers[-1].exit_code is None, "the poison was not tried again"
    poison = cluster.run("poison")
    assert (poison.status, poison.attempt) == ("dead", deaths)
    assert len(cluster.entries("poison")) == deaths >= LEAST_DEATHS
    assert {run.status for run in cluster.check() if run.name != "poison"} == {"succeeded"}
    assert [event.run_id for event in cluster.books.events() if event.name == "run.dead"] == [poison.id]


def test_long_runs_that_die_with_a_killing_run_are_not_dead(cluster: ProcessCluster) -> None:
    """They are under way at its deaths as often as it is, and with as few chances."""
    names = [f"long-{number}" for number in range(10)]
    cluster.add(
        cluster.once("poison", "die", policy=Policy()),
        *(cluster.once(name, "hold", policy=Policy(), until=cluster.path("go")) for name in names),
    )
    deaths = crash(cluster, "poison")
    cluster.touch("go")
    cluster.settled()

    assert cluster.workers[-1].exit_code is None
    assert (cluster.run("poison").status, len(cluster.entries("poison"))) == ("dead", deaths)
    assert {cluster.run(name).status for name in names} == {"succeeded"}
    assert min(cluster.run(name).attempt for name in names) >= 3, "the last one was not lost"


def test_a_dead_run_does_not_stop_its_schedule(cluster: ProcessCluster) -> None:
    """One run is dead, the next fire of the same schedule is a run of its own."""
    trigger = every(1).seconds().max_runs(2)
    cluster.add(cluster.app().draft("poison", trigger, job="die", policy=Policy()))
    crash(cluster, "poison", runs=2)
    cluster.settled()
    assert [run.status for run in cluster.check() if run.status not in {"missed", "skipped"}] == ["dead", "dead"]


BAD: dict[str, tuple[str, dict[str, Any], str]] = {
    "raises": ("fail", {}, "RuntimeError: as asked"),
    "raises surrogates": ("fail", {"text": "not text: \\udcff"}, "RuntimeError: not text: \\udcff"),
    "raises zeros": ("fail", {"text": "a zero: \\x00."}, "RuntimeError: a zero: \\x00."),
    "raises without words": ("mumble", {}, "MumbledError"),
    "exits": ("leave", {}, "SystemExit: 3"),
    "exits in a thread": ("leave_thread", {}, "SystemExit: 3"),
}
"""What a handler may do wrong, and what is told about it."""


def test_any_exception_of_a_handler_fails_only_its_own_run(cluster: ProcessCluster) -> None:
    policy = Policy(retry=Retry(max_attempts=2, delay=timedelta(0), jitter=0))
    worker = cluster.start()
    bad = [cluster.once(name, job, policy=policy, **args) for name, (job, args, _) in BAD.items()]
    cluster.add(*bad, cluster.once("good"))
    cluster.settled()
    runs = {run.name: (run.status, run.attempt, run.error) for run in cluster.check()}
    expected = {name: ("failed", 2, error) for name, (_, _, error) in BAD.items()}
    assert runs == {**expected, "good": ("succeeded", 1, None)}

    cluster.add(cluster.once("later"))
    assert cluster.ended("later").status == "succeeded"
    assert not worker.events("store.unavailable")
    worker.stop()


def test_a_result_that_cannot_be_stored_is_replaced_by_its_description(cluster: ProcessCluster) -> None:
    """The handler has done its work: that its result is odd is no reason to do it again."""
    worker = cluster.start()
    cluster.add(
        *(cluster.once(kind, "odd_result", kind=kind) for kind in ("object", "cycle", "deep", "huge", "zero", "half"))
    )
    cluster.settled()
    assert {run.name: run.status for run in cluster.books.runs()} == dict.fromkeys(
        ("object", "cycle", "deep", "huge", "zero", "half"), "succeeded"
    )
    assert not worker.events("store.unavailable")


def test_an_event_listener_that_raises_does_not_stop_the_engine(cluster: ProcessCluster) -> None:
    worker = cluster.start(deaf=True)
    cluster.add(cluster.once("good"), cluster.once("thread", "quick_thread"), cluster.once("bad", "fail_once"))
    cluster.settled()
    assert {run.status for run in cluster.check()} == {"succeeded"}
    worker.stop()
    assert "no ears" in worker.log.read_text(encoding="utf-8")


@pytest.mark.parametrize("column", ["trigger", "policy"])
def test_an_undecodable_schedule_is_quarantined_and_shown(cluster: ProcessCluster, column: str) -> None:
    cluster.add(cluster.once("damaged", after=1), cluster.once("good", after=1))
    cluster.books.damage("damaged", column, '{"kind": "moon phase"}')
    worker = cluster.start()
    assert cluster.ended("good").status == "succeeded"

    damaged = eventually(lambda: [each for each in cluster.books.schedules() if each.quarantine], "the quarantine")
    assert [(each.name, each.disabled_by, each.next_run_at) for each in damaged] == [("damaged", "quarantine", None)]
    assert not cluster.runs("damaged")
    assert [event.name for event in cluster.books.events()].count("schedule.quarantined") == 1
    health, listed = cluster.ask(_health_and_quarantine)
    assert (health.light, health.overview.quarantined) == (Light.YELLOW, 1)
    assert "quarantine" in health.reasons[0]
    assert [(info.name, info.schedule) for info in listed] == [("damaged", None)]
    worker.stop()
    assert len(cluster.books.schedules()) == 2, "nothing was deleted"


async def _health_and_quarantine(app: Duly) -> Any:
    return await app.health(), await app.schedules(ScheduleFilter(quarantined=True))


@pytest.mark.parametrize("column", ["action", "policy"])
def test_a_schedule_damaged_after_its_fire_fails_only_that_run(cluster: ProcessCluster, column: str) -> None:
    cluster.add(cluster.once("damaged", "hold", policy=Policy(), until=cluster.path("go")), cluster.once("good"))
    first = cluster.start()
    cluster.entered("damaged")
    cluster.books.damage("damaged", column, "not even JSON")
    first.kill()
    cluster.let_leases_end()
    cluster.start()
    assert cluster.ended("good").status == "succeeded"
    damaged = cluster.ended("damaged")
    assert damaged.status == ("failed" if column == "action" else "dead")
    cluster.add(cluster.once("later"))
    assert cluster.ended("later").status == "succeeded"
    assert [schedule.name for schedule in cluster.books.schedules()] == ["damaged", "good", "later"]
