"""A worker is killed at every failpoint, on every store: the next worker loses no run and repeats none.

The places are collected from the source, so that a new one cannot be forgotten.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

import duly
from tests.integration.engine_support import worker
from tests.integration.engine_support.process_cluster import STORES, ProcessCluster, process_cluster
from tests.integration.engine_support.waiting import eventually
from tests.integration.engine_support.worker import Orders
from tests.integration.engine_support.worker_forker import ROOT as ROOT_OF_TESTS

ROOT = Path(str(duly.__file__)).parent
HIT = re.compile(r"""failpoints\.hit\(["']([\w.]+)["']\)""")
ELSEWHERE = ("change.", "delivery.", "reminder.", "notices.", "handover.", "handovers.")
"""Places that jobs do not come by: reminders, notices and executors have tests of their own."""
PASSED_ONCE = {"migration.step"}
"""Places that one process does not come by a second time."""
LONG_LIVES: dict[str, Any] = {"heartbeat.beat": {"lease": 1.5, "dawdle": 60.0}}
"""Places that a short life does not come by."""
HEALING = 2.0
"""The lease of the engine that has to notice a lost one soon: it looks twice in this time."""
AT_WORK = {"cycle.planned", "cycle.claimed", "cycle.settled", "engine.claimed", "work.done", "heartbeat.beat"}
"""Places that a running engine comes by when there is something to do."""


def _places() -> dict[str, set[str]]:
    """The names of all failpoints, with the stores they are passed on."""
    found: dict[str, set[str]] = {}
    for path in ROOT.rglob("*.py"):
        only = [store for store in STORES if (ROOT / "stores" / store) in path.parents]
        for name in HIT.findall(path.read_text(encoding="utf-8")):
            if not name.startswith(ELSEWHERE):
                found.setdefault(name, set()).update(only or STORES)
    return found


PLACES = _places()
MATRIX = [
    pytest.param(store, name, passage, id=f"{name}-{passage}-{store}")
    for name, stores in sorted(PLACES.items())
    for store in sorted(stores)
    for passage in (1, 2)
    if passage == 1 or name not in PASSED_ONCE
]


@pytest.fixture
def cluster(request: pytest.FixtureRequest, store: str, tmp_path: Path) -> Iterator[ProcessCluster]:
    # The worker makes the tables itself, except where the place is one that it comes by afterwards: that takes long.
    migrated = request.node.callspec.params.get("name", "migration.step") != "migration.step"
    with process_cluster(store, tmp_path, migrated=migrated) as made:
        yield made


@pytest.mark.parametrize(("store", "name", "passage"), MATRIX)
def test_no_run_is_lost_when_a_worker_is_killed_at_a_failpoint(
    cluster: ProcessCluster, name: str, passage: int
) -> None:
    victim = cluster.start(ready=False, lives=2, failpoint=f"{name}:kill@{passage}", **LONG_LIVES.get(name, {}))
    assert victim.ended() == -signal.SIGKILL, f"{name} was not passed {passage} times"

    cluster.start(lease=HEALING)
    there = {schedule.name for schedule in cluster.books.schedules()}
    told = [set(event["names"]) for event in victim.events("saved")]
    assert all(names <= there for names in told), "a schedule that was saved is gone"
    assert len(there) % 3 == 0, "a save took effect by halves"

    cluster.let_leases_end()
    cluster.settled()
    runs = cluster.check()
    assert {run.name: run.status for run in runs} == dict.fromkeys(there, "succeeded")
    assert len(runs) == len(there)


@pytest.mark.parametrize("store", STORES)
def test_the_worker_of_these_tests_passes_every_failpoint(cluster: ProcessCluster, store: str) -> None:
    one = cluster.start(ready=False, lives=2)
    assert one.ended() == 0, one.log.read_text(encoding="utf-8")
    assert len(cluster.check()) == 6
    assert {run.attempt for run in cluster.books.runs()} == {1, 2}, "the run of the node that vanished was taken over"
    assert {node.state for node in cluster.books.nodes()} == {"stopped", "lost"}


@pytest.mark.parametrize("store", STORES)
def test_a_failpoint_can_be_armed_by_an_environment_variable(cluster: ProcessCluster) -> None:
    orders = Orders(store=cluster.url, folder=str(cluster.folder), name="program", lives=1, lease=1.0)
    command = [sys.executable, "-m", worker.__name__, json.dumps(asdict(orders))]
    environment = {**os.environ, "DULY_FAILPOINT": "cycle.claimed:kill@2"}
    done = subprocess.run(command, env=environment, cwd=ROOT_OF_TESTS, check=False)
    assert done.returncode == -signal.SIGKILL
    cluster.start(lease=HEALING)
    cluster.settled()
    assert {run.status for run in cluster.books.runs()} == {"succeeded"}


RAISING = [
    pytest.param(store, name, id=f"{name}-{store}")
    for name, stores in sorted(PLACES.items())
    for store in sorted(stores)
    if name in AT_WORK or name.endswith("_commit")
]


@pytest.mark.parametrize(("store", "name"), RAISING)
def test_an_engine_survives_an_error_at_a_failpoint(cluster: ProcessCluster, name: str) -> None:
    """Raised after the commit, it leaves the engine in doubt about what it owns: it finds out, and goes on."""
    cluster.add(cluster.once("async"), cluster.once("thread", "quick_thread"))
    survivor = cluster.start(failpoint=f"{name}:raise", armed_late=True)
    cluster.add(cluster.once("later"))
    cluster.settled()
    assert {run.status for run in cluster.check()} == {"succeeded"}
    assert survivor.exit_code is None
    survivor.stop()


@pytest.mark.parametrize("name", ["rescue.buried", "rescue.requeued"])
@pytest.mark.parametrize("store", STORES)
def test_an_error_during_a_rescue_only_delays_it(cluster: ProcessCluster, name: str) -> None:
    cluster.add(cluster.once("held", "hold", until=cluster.path("go")))
    owner = cluster.start()
    cluster.entered("held")
    heir = cluster.start(failpoint=f"{name}:raise", armed_late=True, lease=HEALING)
    owner.kill()
    cluster.let_leases_end()
    assert cluster.entered("held", times=2).pid == heir.pid
    cluster.touch("go")
    cluster.settled()
    cluster.check()


@pytest.mark.parametrize("store", STORES)
def test_an_error_in_the_heartbeat_is_only_a_missed_heartbeat(cluster: ProcessCluster) -> None:
    cluster.add(cluster.once("held", "hold", until=cluster.path("go")))
    owner = cluster.start(failpoint="heartbeat.beat:raise", armed_late=True, lease=6.0)
    cluster.entered("held")
    cluster.start(lease=HEALING)
    joined = cluster.books.beats()[owner.pid]
    eventually(lambda: cluster.books.beats()[owner.pid] > joined, "the beat after the one that failed")
    cluster.touch("go")
    cluster.settled()
    assert [run.attempt for run in cluster.check()] == [1]
    owner.stop()
