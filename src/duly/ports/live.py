"""The interface for listeners: the state of runs, read by index while a caller listens.

A run that starts or succeeds writes no event, so listeners find it by its state. Every call reads a bounded number of
small rows: unfinished runs, runs by id, and the latest ones.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol

from duly.model.run import Status


@dataclass(frozen=True, slots=True, kw_only=True)
class RunState:
    """The part of a run that changes while it is carried out."""

    id: str
    schedule_id: str
    status: str
    """A `Status`; another text if the row is damaged."""
    attempt: int
    fence: int
    """Rises with every claim."""
    progress: str | None = None
    """The beginning of its progress, as JSON."""
    user_id: str | None = None
    """Of a message: the person it is for."""
    reminder: str | None = None
    """Of a message: the status of its reminder."""
    reminder_version: int = 0
    """Rises with every change of the reminder."""
    printed: int = 0
    """Bytes of its output, over all attempts and targets."""

    @property
    def is_running(self) -> bool:
        return self.status == Status.RUNNING


class LiveRuns(Protocol):
    """The states of runs in a store."""

    async def unfinished(self, limit: int) -> list[RunState]:
        """Return runs that have not ended, in no order."""
        ...

    async def under_way(self, limit: int) -> list[RunState]:
        """Return runs that a node carries out now, in no order."""
        ...

    async def by_id(self, ids: Collection[str]) -> list[RunState]:
        """Return these runs, those that there are."""
        ...

    async def latest(self, after: str, limit: int) -> list[RunState]:
        """Return the newest runs whose ids sort after another, newest first."""
        ...
