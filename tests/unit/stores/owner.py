"""A process that joins as a node, claims what there is, and then does nothing until it is killed."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from datetime import UTC, datetime

from duly.clock import SystemClock
from duly.ports.records import Cycle, NodeRecord
from duly.processes import pid_space, pid_started
from duly.stores.sqlite.store import SqliteStore


async def claim(path: str, node_id: str) -> None:
    store = SqliteStore(path, SystemClock())
    await store.open()
    now, pid = datetime(2100, 1, 1, tzinfo=UTC), os.getpid()
    await store.register(NodeRecord(node_id, "here", pid, pid_started(pid) or "", pid_space(), 3600.0, ("job:a",), now))
    result = await store.cycle(Cycle(node_id, now, claim_limit=10, handlers=("job:a",)))
    print(len(result.claimed), flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    asyncio.run(claim(*sys.argv[1:]))
