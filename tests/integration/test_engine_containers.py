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
from tests.integration.engine_support.lab import Lab, laboratory
from tests.integration.engine_support.nursery import ROOT
from tests.integration.engine_support.waiting import eventually
from tests.integration.engine_support.witness import read_lines
from tests.integration.engine_support.worker import Orders

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

    def __init__(self, lab: Lab, name: str) -> None:
        orders = Orders(
            store=lab.url,
            folder=str(lab.folder),
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
def lab(tmp_path: Path) -> Iterator[Lab]:
    with laboratory("sqlite", tmp_path) as made:
        yield made


def nodes(lab: Lab, state: str) -> dict[str, float]:
    """The nodes in a state, with their last beats."""
    connection = connect(Path(lab.url))
    try:
        return dict(connection.execute("SELECT id, beat_at FROM nodes WHERE state = ?", (state,)))
    finally:
        connection.close()


def test_neither_takes_the_other_for_lost_and_each_takes_over_when_the_other_dies(lab: Lab) -> None:
    with ExitStack() as stack:
        first = Container(lab, "first")
        stack.callback(first.kill)
        lab.add(lab.once("held", "hold", until=lab.path("go")))
        lab.entered("held")
        second = Container(lab, "second")
        stack.callback(second.kill)

        began = nodes(lab, "alive")
        assert len(began) == 2
        # Each has looked for lost nodes twice per lease; several leases have passed when both have beaten often.
        eventually(
            lambda: all(
                nodes(lab, "alive").get(node_id, 0.0) > beat_at + 4 * LEASE for node_id, beat_at in began.items()
            ),
            "four leases",
        )
        assert len(lab.entries("held")) == 1
        assert [each for container in (first, second) for each in container.saw("run.lease_lost")] == []
        assert nodes(lab, "lost") == {}

        first.kill()
        lab.entered("held", times=2)
        lab.touch("go")
        assert lab.ended("held").status == "succeeded"
