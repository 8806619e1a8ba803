"""Real processes, killed for real between two steps of a delivery: nothing is lost, at most one message comes twice."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest

from duly.clock import SystemClock
from duly.entropy import random_bits
from duly.recurrence import Once
from duly.service.reminders import ReminderService
from duly.stores import open_store

ROOT = Path(__file__).parents[3]


def work(url: str, witness: Path, seconds: float, failpoint: str | None = None) -> int:
    """Let a process remind; gives how it ended."""
    environment = {**os.environ, **({} if failpoint is None else {"DULY_FAILPOINT": f"{failpoint}:kill"})}
    command = [sys.executable, "-m", "tests.conformance.reminders.worker", url, str(witness), str(seconds)]
    return subprocess.run(command, cwd=ROOT, env=environment, timeout=60, check=False).returncode


async def prepare(url: str) -> tuple[str, str]:
    """Somebody with a chat, and a reminder that is due."""
    clock = SystemClock()
    store = open_store(url, clock)
    await store.open()
    service = ReminderService(store, clock, random_bits)
    ana = (await service.people.add("Ana")).user.id
    await service.people.set_channels(ana, [("chat", "17")])
    made = await service.create(ana, Once(clock.now() + timedelta(milliseconds=50)), "Take it", require_ack=True)
    await store.close()
    return ana, made.id


async def look(url: str, ana: str, schedule_id: str) -> tuple[str, list[str]]:
    """The status of the reminder, before it is acknowledged, and of its attempts."""
    store = open_store(url)
    await store.open()
    [reminder] = await store.reminders.of_schedule(schedule_id, 5)
    attempts = [str(each.status) for each in await store.reminders.attempts(reminder.run_id)]
    answered = await ReminderService(store, SystemClock(), random_bits).answer(ana, "ack")
    assert answered.reminder.run_id == reminder.run_id
    await store.close()
    return str(reminder.status), attempts


@pytest.mark.parametrize(
    ("failpoint", "arrivals", "attempts"),
    [
        ("delivery.recorded", 1, ["unknown", "sent"]),
        ("delivery.sent", 2, ["unknown", "sent"]),
        ("work.done", 1, ["sent"]),
    ],
)
def test_killed_in_the_middle(tmp_path: Path, failpoint: str, arrivals: int, attempts: list[str]) -> None:
    url, witness = str(tmp_path / "duly.db"), tmp_path / "witness.txt"
    ana, schedule_id = asyncio.run(prepare(url))
    assert work(url, witness, 20, failpoint) == -signal.SIGKILL
    assert work(url, witness, 1.5) == 0
    keys = Counter(line.split()[0] for line in witness.read_text(encoding="utf-8").splitlines())
    assert list(keys.values()) == [arrivals]
    assert asyncio.run(look(url, ana, schedule_id)) == ("awaiting_ack", attempts)
    assert work(url, witness, 1) == 0
    assert len(witness.read_text(encoding="utf-8").splitlines()) == arrivals
