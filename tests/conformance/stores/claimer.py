"""A process that claims and settles runs until there are none left, and prints what it got: run, attempt, fence."""

from __future__ import annotations

import asyncio
import sys
from datetime import UTC, datetime

from duly.model.run import Status
from duly.ports.records import Claimed, Cycle, Settlement
from duly.stores import open_store

LATE = datetime(2100, 1, 1, tzinfo=UTC)


async def claim_all(url: str, node_id: str) -> None:
    store = open_store(url)
    await store.open()
    print("ready", flush=True)
    sys.stdin.readline()
    claimed: list[Claimed] = []
    while True:
        ends = [Settlement(run.run_id, run.schedule_id, run.fence, Status.SUCCEEDED, LATE) for run in claimed]
        result = await store.cycle(Cycle(node_id, LATE, ends, claim_limit=25, handlers=["job:a"]))
        assert not result.refused, result.refused
        if not (claimed := result.claimed):
            break
        for run in claimed:
            print(run.run_id, run.attempt, run.fence)
    await store.close()


if __name__ == "__main__":
    asyncio.run(claim_all(*sys.argv[1:]))
