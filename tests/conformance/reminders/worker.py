"""A process that reminds, to be killed: `python -m tests.conformance.reminders.worker STORE WITNESS [RUN_FOR]`."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from duly.clock import SystemClock
from duly.delivery.dispatcher import MessageDispatcher
from duly.engine.engine import Engine
from duly.engine.settings import EngineSettings
from duly.ports.channels import Address, Outgoing, Receipt
from duly.stores import open_store


class WitnessChannel:
    """Writes what it is given into a file, which survives everything."""

    name = "chat"
    has_buttons = True

    def __init__(self, path: str) -> None:
        self._path = path

    async def send(self, address: Address, outgoing: Outgoing) -> Receipt:  # noqa: ARG002  the port's names
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


async def main(url: str, witness: str, seconds: float) -> None:
    clock = SystemClock()
    store = open_store(url, clock)
    await store.open()
    dispatcher = MessageDispatcher(store.people, store.reminders, {"chat": WitnessChannel(witness)}, clock)
    engine = Engine(store, dispatcher, clock, EngineSettings(poll=0.1))
    await engine.start()
    await asyncio.sleep(seconds)
    await engine.stop()
    await store.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], float(sys.argv[3])))
