"""A process is killed between writing a handover down, publishing it and noting that: the next one goes on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from duly.clock import SystemClock
from duly.model.handover import HandoverKey
from duly.planning.handovers import Refusal
from duly.ports.executors import WorkOrder
from duly.stores import open_store
from tests.scripted_executor import Door

PLACES = ("handover.intended", "handover.published", "handover.noted", "handovers.intended", "handovers.changed")


def hand_over(store: Path, messages: Path, failpoint: str = "") -> int:
    """Run a process until it has handed the run over, or is killed; gives its exit code."""
    command = [sys.executable, "-m", "tests.integration.executors.handing_process", str(store), str(messages)]
    return subprocess.run(command, env={**os.environ, "DULY_FAILPOINT": failpoint}, check=False).returncode


@pytest.mark.parametrize("place", PLACES)
async def test_a_killed_process_loses_no_run_and_lets_none_begin_twice(place: str, tmp_path: Path) -> None:
    file = tmp_path / "schedules.db"
    messages = tmp_path / "messages"
    messages.touch()
    assert hand_over(file, messages, f"{place}:kill") == -signal.SIGKILL
    assert hand_over(file, messages) == 0
    store = open_store(str(file))
    await store.open()
    door = Door(store.handovers, SystemClock())
    given = [json.loads(line) for line in messages.read_text(encoding="utf-8").splitlines()]
    answers = [(await door.begin(order(run_id, number, token), token)).refusal for run_id, number, token in given]
    assert answers.count(None) == 1
    assert set(answers) <= {None, Refusal.UNKNOWN, Refusal.BEATING}
    await store.close()


def order(run_id: str, number: int, token: str) -> WorkOrder:
    return WorkOrder(
        key=HandoverKey(run_id, number),
        token=token,
        run_key="",
        schedule="report",
        task="proj.tasks.report",
        args={},
        attempt=1,
        fire_at=datetime.now(UTC),
        lease_seconds=60,
    )
