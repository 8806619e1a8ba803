"""The audit as a store keeps it: entries are added in the transaction of the change they tell of, never changed, and
removed only by pruning.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from duly.model.audit import AuditEntry, AuditHead, AuditLink


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditFilter:
    """Which entries to list, the newest first."""

    kinds: tuple[str, ...] = ()
    """Any without."""
    actor: str | None = None
    schedule_id: str | None = None
    namespace: str | None = None
    """Only entries about schedules in this namespace."""
    project: str | None = None
    """Only entries about schedules with a target in this project."""
    since: datetime | None = None
    until: datetime | None = None
    """Not this moment itself any more."""
    after: int = 0
    """Only entries with larger numbers."""
    before: int = 2**63 - 1
    """Only entries with smaller numbers."""
    limit: int = 100


class Audit(Protocol):
    """The audit of a store. `Store.record` and every call that takes events write to it."""

    async def entries(self, wanted: AuditFilter) -> list[AuditEntry]:
        """A page, the newest entries first."""
        ...

    async def head(self) -> AuditHead:
        """Where the chain ends and begins."""
        ...

    async def links(self, after: int, limit: int) -> list[AuditLink]:
        """Links with larger numbers than `after` and their entries, in order, as they are stored.

        Whether they are whole is for `planning.chain` to say.
        """
        ...

    async def stray(self) -> int:
        """How many rows lie beyond the end of the chain or before its cut: none, unless they were added by hand."""
        ...

    async def prune(self, before: datetime, now: datetime, limit: int) -> int:
        """Remove whole links from before a time, at most `limit` of them, from the oldest on; gives how many.

        The cut is recorded in the head and, as an entry of its own, in the chain.
        """
        ...
