"""A process that opens stores the moment it is told to, one after the other, and says when it is done."""

from __future__ import annotations

import asyncio
import sys

from duly.stores import open_store


async def open_all(urls: list[str]) -> None:
    for url in urls:
        store = open_store(url)
        await store.open()
        assert await store.get("sched_nobody") is None
        await store.close()


if __name__ == "__main__":
    print("ready", flush=True)
    sys.stdin.readline()
    asyncio.run(open_all(sys.argv[1:]))
    print("done", flush=True)
