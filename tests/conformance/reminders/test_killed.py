"""Real processes, killed for real between two steps of a delivery: nothing is lost, what comes twice has one key."""

from __future__ import annotations

import asyncio
import signal
from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest

from duly.clock import SystemClock
from duly.recurrence import Once
from duly.stores import open_store
from tests.bare_process import services_over
from tests.conformance.reminders.harness import place
from tests.conformance.reminders.worker import Orders, work

ENOUGH = 60.0
"""Seconds for a process to get a reminder through, on any machine."""
STORES = pytest.mark.parametrize("kind", ["sqlite", "postgres"])


def carry_on(url: str, witness: Path, failpoint: str | None = None, *, dead: bool = False) -> int:
    """Let a process remind, and die at a failpoint, `NAME` or `NAME@PASSAGE`; gives how it ended."""
    name, _, passage = (failpoint or "").partition("@")
    return work(
        Orders(
            url=url,
            witness=str(witness),
            seconds=ENOUGH,
            failpoint=name or None,
            passage=int(passage or 1),
            dead=dead,
        )
    )


async def prepare(url: str, **options: Any) -> str:
    """Add a person with a chat, an admin with a pager, and a due reminder; returns the person."""
    clock = SystemClock()
    store = open_store(url, clock)
    await store.open()
    service = services_over(store, clock).reminder_service
    ana = (await service.people.add("Ana")).user.id
    root = (await service.people.add("Root", is_admin=True)).user.id
    await service.people.set_channels(ana, [("chat", "17")])
    await service.people.set_channels(root, [("pager", "1")])
    await service.create(ana, Once(clock.now() + timedelta(milliseconds=50)), "Take it", **options)
    await store.close()
    return ana


async def acknowledge(url: str, ana: str) -> list[str]:
    """Answer the one reminder that waits; gives what had become of its sends."""
    store = open_store(url)
    await store.open()
    answered = await services_over(store, SystemClock()).reminder_service.answer(ana, "ack")
    attempts = [str(each.status) for each in await store.reminders.attempts(answered.reminder.run_id)]
    await store.close()
    return attempts


async def inbox(url: str, ana: str) -> list[str]:
    store = open_store(url)
    await store.open()
    items = await store.reminders.inbox(ana, unread=False, limit=10)
    await store.close()
    return [item.text for item in items]


def die(url: str, witness: Path, failpoint: str, *, dead: bool = False) -> None:
    """Let a process remind until it is killed. Its lease need not be waited for: how one ends is tested elsewhere."""
    assert carry_on(url, witness, failpoint, dead=dead) == -signal.SIGKILL
    if url.startswith("postgresql"):
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("UPDATE nodes SET beat_at = '-infinity'")


def keys_in(witness: Path) -> Counter[str]:
    """How often each message arrived, by its key without the run's id."""
    lines = witness.read_text(encoding="utf-8").splitlines()
    assert len({line.partition("/")[0] for line in lines}) == 1
    return Counter(line.split()[0].partition("/")[2] for line in lines)


@STORES
@pytest.mark.parametrize(
    ("failpoint", "twice"),
    [
        ("delivery.recorded", None),
        ("delivery.sent", "reminder/0"),
        ("delivery.kept", None),
        ("delivery.recorded@2", None),
        ("delivery.sent@2", "ack_prompt/0"),
        ("delivery.kept@2", None),
        ("work.done", None),
    ],
)
def test_killed_in_the_middle(tmp_path: Path, kind: str, failpoint: str, twice: str | None) -> None:
    """A send that was under way comes again under its key, one that was recorded does not, and after an answer none."""
    with place(kind, tmp_path) as url:
        witness = tmp_path / "witness.txt"
        ana = asyncio.run(prepare(url, require_ack=True, ack_prompt="Did you?"))
        die(url, witness, failpoint)
        assert carry_on(url, witness) == 0
        arrived = keys_in(witness)
        assert arrived == {"reminder/0": 1, "ack_prompt/0": 1, **({} if twice is None else {twice: 2})}
        attempts = asyncio.run(acknowledge(url, ana))
        assert attempts.count("sent") + attempts.count("acked") == 2
        assert carry_on(url, witness) == 0
        assert keys_in(witness) == arrived


@STORES
@pytest.mark.parametrize("failpoint", ["delivery.kept@2", "delivery.sent@3", "delivery.kept@3"])
def test_killed_while_an_admin_is_told(tmp_path: Path, kind: str, failpoint: str) -> None:
    """The chat fails, the inbox has a copy, the pager is told: twice at most, and then under one key."""
    with place(kind, tmp_path) as url:
        witness = tmp_path / "witness.txt"
        ana = asyncio.run(prepare(url, priority="critical"))
        die(url, witness, failpoint, dead=True)
        assert carry_on(url, witness, dead=True) == 0
        [(key, times)] = keys_in(witness).items()
        assert key.startswith("undelivered/")
        assert times <= 2
        assert asyncio.run(inbox(url, ana)) == ["Take it"]
