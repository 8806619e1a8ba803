"""The audit of the dict-backed store."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import datetime

from duly.model.action import Prompt
from duly.model.audit import AuditEntry, AuditHead, AuditLink
from duly.planning.chain import cut_at, links_to_prune, pruned_event
from duly.ports.audit import AuditFilter
from duly.ports.codec import decode_action
from tests.memory_store.tables import Tables


class MemoryAudit:
    """Implements `duly.ports.audit.Audit`."""

    def __init__(self, tables: Callable[[], Tables], transaction: Callable[[], AbstractContextManager[Tables]]) -> None:
        self._tables = tables
        self._transaction = transaction

    async def entries(self, wanted: AuditFilter) -> list[AuditEntry]:
        tables = self._tables()
        found = [
            entry
            for link in tables.audit_links.values()
            for entry in link.entries
            if _is_wanted(entry, wanted) and _is_about(tables, entry, wanted)
        ]
        return sorted(found, key=lambda entry: entry.seq, reverse=True)[: wanted.limit]

    async def head(self) -> AuditHead:
        return self._tables().audit_head

    async def is_cut_short(self) -> bool:
        tables = self._tables()
        links = tables.audit_links
        head = tables.audit_head
        return not links or (min(links), max(links)) != (head.cut_number + 1, head.number)

    async def links(self, after: int, limit: int) -> list[AuditLink]:
        links = self._tables().audit_links
        return [links[number] for number in sorted(links) if number > after][:limit]

    async def stray(self) -> int:
        return 0  # links and entries are kept together

    async def prune(self, before: datetime, now: datetime, limit: int) -> int:
        with self._transaction() as tables:
            links = tables.audit_links
            gone = links_to_prune([links[number] for number in sorted(links)][:limit], before)
            if gone:
                tables.audit_head = cut_at(tables.audit_head, gone[-1], gone[-1].entries[-1].seq)
                for link in gone:
                    del links[link.number]
                tables.write_events(pruned_event(gone[-1], len(gone), now))
            return len(gone)


def _is_wanted(entry: AuditEntry, wanted: AuditFilter) -> bool:
    return (
        wanted.after < entry.seq < wanted.before
        and (not wanted.kinds or entry.kind in wanted.kinds)
        and wanted.actor in (None, entry.actor)
        and wanted.schedule_id in (None, entry.schedule_id)
        and (wanted.since is None or entry.at >= wanted.since)
        and (wanted.until is None or entry.at < wanted.until)
    )


def _is_about(tables: Tables, entry: AuditEntry, wanted: AuditFilter) -> bool:
    if wanted.namespace is None and wanted.project is None:
        return True
    row = tables.schedules.get(entry.schedule_id or "")
    if row is None or wanted.namespace not in (None, row.namespace):
        return False
    action = decode_action(row.action)
    targets = action.targets if isinstance(action, Prompt) else ()
    return wanted.project is None or any(target.project_id == wanted.project for target in targets)
