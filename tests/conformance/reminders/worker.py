"""A process that reminds, to be killed: `python -m tests.conformance.reminders.worker STORE WITNESS SECONDS [dead]`.

It ends by itself when the reminder has got as far as it gets without an answer, or after so many seconds. With `dead`
its chat takes nothing.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from duly.clock import SystemClock
from duly.delivery.dispatcher import MessageDispatcher
from duly.engine.engine import Engine
from duly.engine.settings import EngineSettings
from duly.errors import ChannelTemporaryError
from duly.model.reminder import AttemptKind, ReminderStatus
from duly.model.run import Status
from duly.ports.channels import Address, Outgoing, Receipt
from duly.ports.records import RunFilter
from duly.ports.store import FullStore
from duly.stores import open_store


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

    async def edit(self, address: Address, message_id: str, text: str) -> bool:  # noqa: ARG002  the same
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


async def main(url: str, witness: str, seconds: float, *, dead: bool) -> None:
    clock = SystemClock()
    store = open_store(url, clock)
    await store.open()
    chat, pager = WitnessChannel("chat", witness, dead=dead), WitnessChannel("pager", witness)
    dispatcher = MessageDispatcher(store.people, store.reminders, {"chat": chat, "pager": pager}, clock)
    engine = Engine(store, dispatcher, clock, EngineSettings(poll=0.1, lease=4.0))
    await engine.start()
    until = clock.monotonic() + seconds
    while clock.monotonic() < until and not await is_through(store):
        await clock.sleep(0.05)
    await engine.stop()
    await store.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], float(sys.argv[3]), dead="dead" in sys.argv))
