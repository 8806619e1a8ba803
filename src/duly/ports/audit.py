"""The interface of the audit.

A store adds entries in the transaction of the change they describe, never changes them, and removes them only by
pruning.
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
    """Empty means all."""
    actor: str | None = None
    schedule_id: str | None = None
    namespace: str | None = None
    """Only entries about schedules in this namespace."""
    project: str | None = None
    """Only entries about schedules with a target in this project."""
    since: datetime | None = None
    until: datetime | None = None
    """Exclusive."""
    after: int = 0
    """Only entries with larger numbers."""
    before: int = 2**63 - 1
    """Only entries with smaller numbers."""
    limit: int = 100


class Audit(Protocol):
    """The audit of a store. `Store.record` and every call that takes events write to it."""

    async def entries(self, wanted: AuditFilter) -> list[AuditEntry]:
        """Return a page, newest entries first."""
        ...

    async def head(self) -> AuditHead:
        """Return where the chain ends and where it was cut."""
        ...

    async def is_cut_short(self) -> bool:
        """Tell whether the first or the last links that pruning has left are missing, or their entries."""
        ...

    async def links(self, after: int, limit: int) -> list[AuditLink]:
        """Return links with larger numbers than `after` and their entries, in order, as they are stored.

        `planning.chain` checks whether they are complete.
        """
        ...

    async def stray(self) -> int:
        """Count rows beyond the end of the chain or before its cut: there are none unless they were added by hand."""
        ...

    async def prune(self, before: datetime, now: datetime, limit: int) -> int:
        """Remove whole links from before a time, at most `limit` of them, from the oldest on; returns how many.

        The cut is recorded in the head and, as an entry of its own, in the chain.
        """
        ...
