"""Two containers on one SQLite file: their processes have the same numbers, and neither takes the other for lost.

Where the system lets us, the workers are in pid namespaces of their own, as in containers; elsewhere they say so.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import asdict
from functools import cache
from pathlib import Path

import pytest

from duly.stores.sqlite.file import connect
from tests.integration.engine_support import worker
from tests.integration.engine_support.process_cluster import ProcessCluster, process_cluster
from tests.integration.engine_support.waiting import eventually
from tests.integration.engine_support.witness import read_lines
from tests.integration.engine_support.worker import Orders
from tests.integration.engine_support.worker_forker import ROOT

LEASE = 1.0
UNSHARE = ("unshare", "--pid", "--fork", "--mount-proc", "--kill-child")


@cache
def has_namespaces() -> bool:
    """Whether we may make pid namespaces."""
    try:
        return subprocess.run([*UNSHARE, "true"], check=False, capture_output=True).returncode == 0
    except OSError:
        return False


class Container:
    """A worker that has a pid namespace of its own."""

    def __init__(self, cluster: ProcessCluster, name: str) -> None:
        orders = Orders(
            store=cluster.url,
            folder=str(cluster.folder),
            name=name,
            lease=LEASE,
            space="" if has_namespaces() else f"pid:[{name}]",
        )
        program = [sys.executable, "-m", worker.__name__, json.dumps(asdict(orders))]
        self._events = orders.path(".events")
        with orders.path(".log").open("wb") as log:
            self.process = subprocess.Popen(
                [*(UNSHARE if has_namespaces() else ()), *program], cwd=ROOT, stdout=log, stderr=log
            )
        eventually(lambda: self.saw("ready"), f"{name} to be ready")

    def saw(self, name: str) -> list[dict[str, object]]:
        told = [json.loads(line) for line in read_lines(self._events)]
        return [each for each in told if each["name"] == name]

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[ProcessCluster]:
    with process_cluster("sqlite", tmp_path) as made:
        yield made


def nodes(cluster: ProcessCluster, state: str) -> dict[str, float]:
    """The nodes in a state, with their last beats."""
    connection = connect(Path(cluster.url))
    try:
        return dict(connection.execute("SELECT id, beat_at FROM nodes WHERE state = ?", (state,)))
    finally:
        connection.close()


def test_containers_with_equal_process_ids_rescue_only_from_a_dead_one(cluster: ProcessCluster) -> None:
    with ExitStack() as stack:
        first = Container(cluster, "first")
        stack.callback(first.kill)
        cluster.add(cluster.once("held", "hold", until=cluster.path("go")))
        cluster.entered("held")
        second = Container(cluster, "second")
        stack.callback(second.kill)

        began = nodes(cluster, "alive")
        assert len(began) == 2
        # Each has looked for lost nodes twice per lease; several leases have passed when both have beaten often.
        eventually(
            lambda: all(
                nodes(cluster, "alive").get(node_id, 0.0) > beat_at + 4 * LEASE for node_id, beat_at in began.items()
            ),
            "four leases",
        )
        assert len(cluster.entries("held")) == 1
        assert [each for container in (first, second) for each in container.saw("run.lease_lost")] == []
        assert nodes(cluster, "lost") == {}

        first.kill()
        cluster.entered("held", times=2)
        cluster.touch("go")
        assert cluster.ended("held").status == "succeeded"
