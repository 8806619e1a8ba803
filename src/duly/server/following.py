"""What other processes do with the schedules that are watched here."""

from __future__ import annotations

from duly.errors import StoreError
from duly.mcp.watching import Watchers
from duly.ports.store import Store
from duly.runtime.runtime import Runtime

_LOOK_EVERY = 1.0


async def follow(runtime: Runtime, watchers: Watchers) -> None:
    """Look again and again, for as long as this is not cancelled; it costs nothing while nobody watches."""
    watchers.state_of = lambda uri: _state(runtime.store, uri)
    while True:
        await runtime.clock.sleep(_LOOK_EVERY)
        try:
            await watchers.look()
        except StoreError:
            continue  # the engine meets it too, and says so


async def _state(store: Store, uri: str) -> object:
    kind, _, name = uri.partition("://")
    if kind == "schedule":
        row = await store.get(name)
        return None if row is None else (row.version, row.enabled, row.next_run_at, row.total_runs, row.deleted_at)
    run = await store.get_run(name)
    return None if run is None else (run.status, run.attempt, run.progress)
