"""Processes that remind, to be killed: forks of one that has everything imported, so that each costs milliseconds.

One ends by itself when the reminder has got as far as it gets without an answer, or after so many seconds. The tests
use `work`. The other side is this module run as a program: it reads the orders for one process per line on its standard
input, and answers with how that process ended.
"""

from __future__ import annotations

import asyncio
import atexit
import json
import os
import subprocess
import sys
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

import duly.stores.postgres.store
import duly.stores.sqlite.store  # noqa: F401  both, so that children need not load them
from duly import failpoints
from duly.clock import SystemClock
from duly.delivery.dispatcher import MessageDispatcher
from duly.engine.engine import Engine
from duly.engine.settings import EngineSettings
from duly.errors import ChannelTemporaryError
from duly.model.reminder import AttemptKind, ReminderStatus
from duly.model.run import Status
from duly.ports.channels import Address, Button, Outgoing, Receipt
from duly.ports.records import RunFilter
from duly.ports.store import FullStore
from duly.stores import open_store

ROOT = Path(__file__).parents[3]


@dataclass(frozen=True, slots=True, kw_only=True)
class Orders:
    """What a process is to do."""

    url: str
    witness: str
    seconds: float
    failpoint: str | None = None
    """Where it dies, and at which passage."""
    passage: int = 1
    dead: bool = False
    """Its chat takes nothing."""


class WitnessChannel:
    """Writes what it is given into a file, which survives everything."""

    has_buttons = True

    def __init__(self, name: str, path: str, *, dead: bool = False) -> None:
        self.name = name
        self._path = path
        self._dead = dead

    async def send(self, address: Address, outgoing: Outgoing) -> Receipt:  # noqa: ARG002  the port's names
        if self._dead:
            raise ChannelTemporaryError("503")
        with Path(self._path).open("a", encoding="utf-8") as file:  # noqa: ASYNC230  quick, and must be done
            file.write(f"{outgoing.key} {outgoing.text!r}\n")
            file.flush()
            os.fsync(file.fileno())
        return Receipt(message_id=outgoing.key)

    async def edit(
        self,
        address: Address,  # noqa: ARG002  the same
        message_id: str,  # noqa: ARG002  the same
        text: str,  # noqa: ARG002  the same
        buttons: tuple[Button, ...] = (),  # noqa: ARG002  the same
    ) -> bool:
        return True

    async def check(self) -> str:
        return "a file"

    async def close(self) -> None: ...


async def is_through(store: FullStore) -> bool:
    """Tell whether the one run sends nothing more until a person answers or time passes."""
    runs = await store.runs(RunFilter())
    reminder = await store.reminders.get(runs[0].id) if runs else None
    if reminder is None or (run := runs[0]).status is Status.RUNNING:
        return False
    if reminder.status is ReminderStatus.AWAITING_ACK:
        tried = await store.reminders.attempts(run.id)
        return any(each.kind is AttemptKind.ACK_PROMPT and each.status.arrived for each in tried)
    return reminder.status.final or (reminder.escalated and run.status is Status.PENDING)


async def _remind(orders: Orders) -> None:
    clock = SystemClock()
    store = open_store(orders.url, clock)
    await store.open()
    chat, pager = WitnessChannel("chat", orders.witness, dead=orders.dead), WitnessChannel("pager", orders.witness)
    dispatcher = MessageDispatcher(store.people, store.reminders, {"chat": chat, "pager": pager}, clock)
    engine = Engine(store, dispatcher, clock, EngineSettings(poll=0.1, lease=4.0))
    await engine.start()
    until = clock.monotonic() + orders.seconds
    while clock.monotonic() < until and not await is_through(store):
        await clock.sleep(0.05)
    await engine.stop()
    await store.close()


def work(orders: Orders) -> int:
    """Let a process remind until there is nothing more to do; gives how it ended, negative for a signal."""
    forker = _forker()
    assert forker.stdin is not None
    assert forker.stdout is not None
    forker.stdin.write(json.dumps(asdict(orders)) + "\n")
    return int(forker.stdout.readline())


@cache
def _forker() -> subprocess.Popen[str]:
    from tests.leaks import lasting  # late: the other side has no use for pytest

    words = [sys.executable, "-m", __spec__.name]
    with lasting():
        made = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT, text=True, bufsize=1)
    atexit.register(made.communicate)  # without further orders it ends
    return made


def _serve() -> None:
    for line in iter(sys.stdin.readline, ""):
        orders = Orders(**json.loads(line))
        pid = os.fork()
        if pid == 0:
            if orders.failpoint is not None:
                failpoints.arm(orders.failpoint, "kill", orders.passage)
            asyncio.run(_remind(orders))
            os._exit(0)
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)


if __name__ == "__main__":
    _serve()
