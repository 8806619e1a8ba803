"""The audit of a store: entries in links, each link with the hash of the one before.

Only one transaction at a time may add a link, or the chain would fork: in SQLite only one writes to the file, in
PostgreSQL the writers hold the lock of the journal until they commit.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import fields
from datetime import datetime
from typing import Any

from duly.model.audit import GENESIS, AuditEntry, AuditHead, AuditLink, ChainEnd, GrowingLink
from duly.model.events import Event
from duly.planning.chain import cut_at, links_to_prune, pruned_event
from duly.ports.audit import AuditFilter
from duly.stores.crud.database import Database, Transaction

_HEAD = tuple(each.name for each in fields(AuditHead))
_AT_ONCE = 2000  # entries that are in memory at a time


class StoredAudit:
    """Implements `duly.ports.audit.Audit`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def entries(self, wanted: AuditFilter) -> list[AuditEntry]:
        return await self._database.read(lambda tx: _page(tx, wanted))

    async def head(self) -> AuditHead:
        return await self._database.read(_head)

    async def is_cut_short(self) -> bool:
        [[first, last, *found]] = await self._database.read(lambda tx: tx.rows("audit_ends"))
        return first is None or found != [first, last] * 2

    async def links(self, after: int, limit: int) -> list[AuditLink]:
        return await self._database.read(lambda tx: _links(tx, after, limit))

    async def stray(self) -> int:
        return int(await self._database.read(lambda tx: tx.value("audit_stray")))

    async def prune(self, before: datetime, now: datetime, limit: int) -> int:
        return await self._database.write(lambda tx: _prune(tx, before, now, limit))


async def append(tx: Transaction, events: Sequence[Event]) -> ChainEnd:
    """Add one link with an entry for each event; gives the end of the chain. The caller holds the journal's lock."""
    link = GrowingLink(await _head(tx), at=max(event.at for event in events))
    for start in range(0, len(events), _AT_ONCE):
        await tx.add_audit_entries(link.add(events[start : start + _AT_ONCE]))
    head = link.head()
    await tx.rows("audit_link", number=head.number, at=link.at, hash=head.hash)
    await tx.rows("move_audit_head", **_columns(head))
    return ChainEnd(head.number, head.hash, head.seq)


def _columns(head: AuditHead) -> dict[str, Any]:
    return {name: getattr(head, name) for name in _HEAD}


async def _head(tx: Transaction) -> AuditHead:
    found = await tx.rows("audit_head")
    if not found:  # removed by hand: duly goes on, and the check of the chain reports it
        tail = await tx.rows("audit_tail")
        number, digest, seq = tail[0] if tail else (0, GENESIS, 0)
        return AuditHead(number=number, hash=digest, seq=seq, lost=True)
    number, digest, seq, cut_number, cut_hash, cut_seq = found[0]
    return AuditHead(number=number, hash=digest, seq=seq, cut_number=cut_number, cut_hash=cut_hash, cut_seq=cut_seq)


async def _page(tx: Transaction, wanted: AuditFilter) -> list[AuditEntry]:
    rows = await tx.rows(
        "list_audit",
        any_kind=not wanted.kinds,
        kinds=tx.texts(wanted.kinds),
        actor=wanted.actor,
        schedule_id=wanted.schedule_id,
        namespace=wanted.namespace,
        project=wanted.project,
        since=wanted.since,
        until=wanted.until,
        after=wanted.after,
        before=wanted.before,
        limit=wanted.limit,
    )
    return [_to_entry(tx, row) for row in rows]


async def _links(tx: Transaction, after: int, limit: int) -> list[AuditLink]:
    """Read links first, then entries: the entries of a link that is seen were committed with it."""
    entries = defaultdict[int, list[AuditEntry]](list)
    with tx.snapshot():
        found = await tx.rows("audit_links", after=after, limit=limit)
        upto = found[-1][0] if found else after
        bounds = {"after": await _last_entry(tx, after), "upto": await _last_entry(tx, upto)}
        for row in await tx.rows("audit_entries_between", **bounds):
            entry = _to_entry(tx, row)
            entries[entry.link].append(entry)
    return [_to_link(tx, row, entries[row[0]]) for row in found]


async def _last_entry(tx: Transaction, number: int) -> int:
    """Find the number of the last entry of the links up to one; with none of them left, that of the one before."""
    return int(await tx.value("last_audited", number=number))


async def _prune(tx: Transaction, before: datetime, now: datetime, limit: int) -> int:
    await tx.lock("lock_journal")
    head = await _head(tx)
    found = await tx.rows("audit_links", after=head.cut_number, limit=limit)
    gone = links_to_prune([_to_link(tx, row) for row in found], before)
    if not gone:
        return 0
    last = gone[-1]
    seq = await _last_entry(tx, last.number)
    await tx.rows("move_audit_head", **_columns(cut_at(head, last, seq)))
    await tx.rows("prune_audit", seq=seq)
    await tx.rows("prune_audit_links", number=last.number)
    pruned = pruned_event(last, len(gone), now)
    await append(tx, [pruned])
    tx.tell_after_commit([pruned])
    return len(gone)


def _to_link(tx: Transaction, row: tuple[Any, ...], entries: Sequence[AuditEntry] = ()) -> AuditLink:
    number, at, digest = row
    return AuditLink(number=number, at=tx.time(at), hash=digest, entries=tuple(entries))


def _to_entry(tx: Transaction, row: tuple[Any, ...]) -> AuditEntry:
    return tx.columns(AuditEntry).record(row)
