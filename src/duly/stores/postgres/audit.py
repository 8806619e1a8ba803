"""The audit in PostgreSQL. Its writers hold the lock of the journal until they commit, so the chain cannot fork."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Any

from duly.model.audit import GENESIS, AuditEntry, AuditHead, AuditLink, next_link
from duly.model.events import Event
from duly.planning.chain import cut_at, links_to_prune, pruned_event
from duly.ports.audit import AuditFilter
from duly.stores import queries
from duly.stores.postgres.arrays import Numbers, Texts, Times
from duly.stores.postgres.connection import Session

if TYPE_CHECKING:
    from duly.stores.postgres.gate import Gate

SQL = queries.load("postgres")
JOURNAL = 0x6475_6C79_0001  # "duly", and a number: the advisory lock of those who write to the journal and the audit


class PostgresAudit:
    """See `duly.ports.audit.Audit` for what each call promises."""

    def __init__(self, door: Callable[[], Gate]) -> None:
        self._door = door

    async def entries(self, wanted: AuditFilter) -> list[AuditEntry]:
        return await self._door().read(lambda session: _page(session, wanted))

    async def head(self) -> AuditHead:
        return await self._door().read(_head)

    async def links(self, after: int, limit: int) -> list[AuditLink]:
        return await self._door().read(lambda session: _links(session, after, limit))

    async def stray(self) -> int:
        return int(await self._door().read(lambda session: session.value(SQL.audit_stray)))

    async def prune(self, before: datetime, now: datetime, limit: int) -> int:
        return await self._door().write(lambda session: _prune(session, before, now, limit))


async def append(session: Session, events: Sequence[Event]) -> None:
    """Add one link with an entry for each event. The caller holds the lock of the journal."""
    link, head = next_link(await _head(session), events)
    entries = link.entries
    columns = {
        "number": link.number,
        "seqs": Numbers([each.seq for each in entries]),
        "times": Times([each.at for each in entries]),
        "kinds": Texts([each.kind for each in entries]),
        "actors": Texts([each.actor for each in entries]),
        "schedule_ids": Texts([each.schedule_id for each in entries]),
        "run_ids": Texts([each.run_id for each in entries]),
        "data": Texts([each.data for each in entries]),
    }
    await session.fetch(SQL.audit_entry, columns)
    await session.fetch(SQL.audit_link, {"number": link.number, "at": link.at, "hash": link.hash})
    await session.fetch(SQL.move_audit_head, asdict(head))


async def _head(session: Session) -> AuditHead:
    found = await session.fetch(SQL.audit_head)
    if not found:  # removed by hand: duly goes on, and the check of the chain tells
        tail = await session.fetch(SQL.audit_tail)
        number, digest, seq = tail[0] if tail else (0, GENESIS, 0)
        return AuditHead(number=number, hash=digest, seq=seq, lost=True)
    number, digest, seq, cut_number, cut_hash, cut_seq = found[0]
    return AuditHead(number=number, hash=digest, seq=seq, cut_number=cut_number, cut_hash=cut_hash, cut_seq=cut_seq)


async def _page(session: Session, wanted: AuditFilter) -> list[AuditEntry]:
    values = {
        "any_kind": not wanted.kinds,
        "kinds": Texts(wanted.kinds),
        "actor": wanted.actor,
        "schedule_id": wanted.schedule_id,
        "namespace": wanted.namespace,
        "project": wanted.project,
        "since": wanted.since,
        "until": wanted.until,
        "after": wanted.after,
        "before": wanted.before,
        "limit": wanted.limit,
    }
    return [_to_entry(row) for row in await session.fetch(SQL.list_audit, values)]


async def _links(session: Session, after: int, limit: int) -> list[AuditLink]:
    """Links first: the entries of a link that is seen were committed with it."""
    found = await session.fetch(SQL.audit_links, {"after": after, "limit": limit})
    upto = found[-1][0] if found else after
    entries = defaultdict[int, list[AuditEntry]](list)
    for row in await session.fetch(SQL.audit_entries_of, {"after": after, "upto": upto}):
        entries[row[1]].append(_to_entry(row))
    return [
        AuditLink(number=number, at=at, hash=digest, entries=tuple(entries[number])) for number, at, digest in found
    ]


async def _prune(session: Session, before: datetime, now: datetime, limit: int) -> int:
    await session.fetch(SQL.lock_journal, {"key": JOURNAL})
    head = await _head(session)
    found = await session.fetch(SQL.audit_links, {"after": head.cut_number, "limit": limit})
    gone = links_to_prune([AuditLink(number=number, at=at, hash=digest) for number, at, digest in found], before)
    if not gone:
        return 0
    last = gone[-1]
    seq = await session.value(SQL.last_audited, {"number": last.number}) or head.cut_seq
    await session.fetch(SQL.move_audit_head, asdict(cut_at(head, last, seq)))
    await session.fetch(SQL.prune_audit, {"number": last.number})
    await session.fetch(SQL.prune_audit_links, {"number": last.number})
    told = pruned_event(last, len(gone), now)
    await append(session, [told])
    session.written.append(told)
    return len(gone)


def _to_entry(row: tuple[Any, ...]) -> AuditEntry:
    seq, link, at, kind, actor, schedule_id, run_id, data = row
    return AuditEntry(
        seq=seq,
        link=link,
        at=at,
        kind=kind,
        actor=actor,
        schedule_id=schedule_id,
        run_id=run_id,
        data=data,
    )
