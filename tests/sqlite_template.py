"""A SQLite file with the tables in place, to copy: that takes a sixth of the time of making them anew.

How the tables are made is tested where that is the matter: in `tests/migration` and `tests/unit/stores`, and by every
test that starts a process.
"""

from __future__ import annotations

import asyncio
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

from duly.stores.sqlite.store import SqliteStore
from duly.testing.clock import VirtualClock


def prepare(path: Path) -> None:
    """Put an empty store there, unless there is one."""
    if not path.exists():
        path.touch(0o600)
        path.write_bytes(_template())


@cache
def _template() -> bytes:
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(1) as pool:  # the caller's thread may have a loop
        path = Path(folder, "duly.db")
        pool.submit(lambda: asyncio.run(_make(path))).result()
        return path.read_bytes()


async def _make(path: Path) -> None:
    store = SqliteStore(path, VirtualClock(), inline=True)
    await store.open()
    await store.close()
