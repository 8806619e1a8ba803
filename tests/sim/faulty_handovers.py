"""Handovers whose calls may meet the faults of a `FaultyStore`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
from datetime import datetime
from typing import Protocol, TypeVar

from duly.model.handover import Handover, HandoverKey
from duly.ports.executors import Decide, EventsOf, HandoverCounts, Handovers, Judged, Watched, no_events

T = TypeVar("T")


class Call(Protocol):
    """Makes one call, which may meet a fault."""

    async def __call__(self, name: str, work: Callable[[], Awaitable[T]], *, writes: bool = True) -> T: ...


class FaultyHandovers:
    """Implements `duly.ports.executors.Handovers`."""

    def __init__(self, inner: Handovers, call: Call) -> None:
        self._inner = inner
        self._call = call

    async def latest(self, run_id: str) -> Handover | None:
        return await self._call("latest", lambda: self._inner.latest(run_id), writes=False)

    async def latest_of(self, run_ids: Collection[str]) -> dict[str, Handover]:
        return await self._call("latest_of", lambda: self._inner.latest_of(run_ids), writes=False)

    async def of_run(self, run_id: str) -> list[Handover]:
        return await self._call("of_run", lambda: self._inner.of_run(run_id), writes=False)

    async def intend(self, handovers: Sequence[Handover]) -> set[HandoverKey]:
        return await self._call("intend", lambda: self._inner.intend(handovers))

    async def change(
        self, keys: Sequence[HandoverKey], decide: Decide, now: datetime, events: EventsOf = no_events
    ) -> dict[HandoverKey, Judged]:
        return await self._call("change", lambda: self._inner.change(keys, decide, now, events))

    async def progress(self, key: HandoverKey, data: str) -> bool:
        return await self._call("progress", lambda: self._inner.progress(key, data))

    async def watch(self, executors: Collection[str], now: datetime, hearing_since: datetime, limit: int) -> Watched:
        return await self._call("watch", lambda: self._inner.watch(executors, now, hearing_since, limit), writes=False)

    async def open_of(self, executor: str, *, begun: bool, after: HandoverKey | None, limit: int) -> list[Handover]:
        return await self._call(
            "open_of", lambda: self._inner.open_of(executor, begun=begun, after=after, limit=limit), writes=False
        )

    async def counts(self) -> list[HandoverCounts]:
        return await self._call("counts", self._inner.counts, writes=False)
