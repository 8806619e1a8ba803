"""A worker of a campaign: opens the store, serves the jobs of the plan, and runs until it is told to stop or dies.

`python -m tests.chaos.worker STORE FOLDER NAME LEASE`
"""

from __future__ import annotations

import asyncio
import os
import random
import sys
import time
from contextlib import AbstractContextManager
from pathlib import Path

from duly import Duly, EngineSettings
from duly.engine.context import Context
from tests.chaos.witness import STALL, Witness

_LOOK_EVERY = 0.1
_HELD_UP = 0.5
"""Seconds by which the event loop may be late before that is written down: a machine that is busy holds processes up as
a signal would, and neither is the fault of the scheduler."""
_UNLUCKY = 0.4


def register(app: Duly, witness: Witness) -> None:
    """Make the jobs known."""

    @app.job
    async def quick(run: Context, seconds: float) -> dict[str, str]:
        with _watching(witness, run) as nonce:
            return {"nonce": nonce}

    @app.job
    async def short(run: Context, seconds: float) -> dict[str, str]:
        with _watching(witness, run) as nonce:
            await asyncio.sleep(seconds)
            return {"nonce": nonce}

    @app.job
    async def flaky(run: Context, seconds: float) -> dict[str, str]:
        with _watching(witness, run) as nonce:
            await asyncio.sleep(seconds / 4)
            if random.random() < _UNLUCKY:
                raise RuntimeError("unlucky this time")
            return {"nonce": nonce}

    @app.job
    def threaded(run: Context, seconds: float) -> dict[str, str]:
        with _watching(witness, run) as nonce:
            time.sleep(seconds)
            return {"nonce": nonce}

    @app.job
    async def deadly(run: Context, seconds: float) -> None:
        with _watching(witness, run):
            pass  # what it did is written down before it ends the process
        os._exit(7)


def _watching(witness: Witness, run: Context) -> AbstractContextManager[str]:
    return witness.watching(key=run.key, name=run.name, attempt=run.attempt, fence=run.run.fence)


async def _notice_stalls(witness: Witness) -> None:
    while True:
        before = time.monotonic()
        await asyncio.sleep(_LOOK_EVERY)
        held = time.monotonic() - before - _LOOK_EVERY
        if held > _HELD_UP:
            witness.note(STALL, held=held)


async def serve(store: str, folder: Path, name: str, lease: float) -> None:
    witness = Witness(folder, name)
    app = Duly(store, settings=EngineSettings(lease=lease, poll=1.0, max_concurrency=50))
    register(app, witness)
    watch = asyncio.create_task(_notice_stalls(witness))
    try:
        await app.run_forever()
    finally:
        watch.cancel()


if __name__ == "__main__":
    asyncio.run(serve(sys.argv[1], Path(sys.argv[2]), sys.argv[3], float(sys.argv[4])))
