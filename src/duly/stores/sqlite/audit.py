"""The audit in SQLite. Only one transaction writes to the file at a time, so the chain cannot fork."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Any

import apsw

from duly.model.audit import GENESIS, AuditEntry, AuditHead, AuditLink, next_link
from duly.model.events import Event
from duly.planning.chain import cut_at, links_to_prune, pruned_event
from duly.ports.audit import AuditFilter
from duly.stores import queries
from duly.stores.sqlite.batches import run_many
from duly.stores.sqlite.file import Connection
from duly.stores.sqlite.rows import micros, time_of, to_micros

if TYPE_CHECKING:
    from duly.stores.sqlite.connection import Gate

SQL = queries.load("sqlite")


class SqliteAudit:
    """See `duly.ports.audit.Audit` for what each call promises."""

    def __init__(self, door: Callable[[], Gate]) -> None:
        self._door = door

    async def entries(self, wanted: AuditFilter) -> list[AuditEntry]:
        return await self._door().read(lambda connection: _page(connection, wanted))

    async def head(self) -> AuditHead:
        return await self._door().read(_head)

    async def links(self, after: int, limit: int) -> list[AuditLink]:
        return await self._door().read(lambda connection: _links(connection, after, limit))

    async def stray(self) -> int:
        return await self._door().read(lambda connection: int(connection.execute(SQL.audit_stray).get))

    async def prune(self, before: datetime, now: datetime, limit: int) -> int:
        return await self._door().write(lambda connection: _prune(connection, before, now, limit))


def append(connection: apsw.Connection, events: Sequence[Event]) -> None:
    """Add one link with an entry for each event."""
    link, head = next_link(_head(connection), events)
    rows = [
        (each.seq, each.link, micros(each.at), each.kind, each.actor, each.schedule_id, each.run_id, each.data)
        for each in link.entries
    ]
    run_many(connection, SQL.audit_entry, rows)
    connection.execute(SQL.audit_link, {"number": link.number, "at": micros(link.at), "hash": link.hash})
    connection.execute(SQL.move_audit_head, asdict(head))


def _head(connection: apsw.Connection) -> AuditHead:
    found = next(iter(connection.execute(SQL.audit_head)), None)
    if found is None:  # removed by hand: duly goes on, and the check of the chain tells
        number, digest, seq = next(iter(connection.execute(SQL.audit_tail)), (0, GENESIS, 0))
        return AuditHead(number=number, hash=digest, seq=seq, lost=True)
    number, digest, seq, cut_number, cut_hash, cut_seq = found
    return AuditHead(number=number, hash=digest, seq=seq, cut_number=cut_number, cut_hash=cut_hash, cut_seq=cut_seq)


def _page(connection: apsw.Connection, wanted: AuditFilter) -> list[AuditEntry]:
    values = {
        "any_kind": not wanted.kinds,
        "kinds": json.dumps(wanted.kinds),
        "actor": wanted.actor,
        "schedule_id": wanted.schedule_id,
        "namespace": wanted.namespace,
        "project": wanted.project,
        "since": to_micros(wanted.since),
        "until": to_micros(wanted.until),
        "after": wanted.after,
        "before": wanted.before,
        "limit": wanted.limit,
    }
    return [_to_entry(row) for row in connection.execute(SQL.list_audit, values)]


def _links(connection: apsw.Connection, after: int, limit: int) -> list[AuditLink]:
    with connection:  # links and entries as they were at one moment
        found = list(connection.execute(SQL.audit_links, {"after": after, "limit": limit}))
        upto = found[-1][0] if found else after
        entries = defaultdict[int, list[AuditEntry]](list)
        for row in connection.execute(SQL.audit_entries_of, {"after": after, "upto": upto}):
            entries[row[1]].append(_to_entry(row))
    return [
        AuditLink(number=number, at=time_of(at), hash=digest, entries=tuple(entries[number]))
        for number, at, digest in found
    ]


def _prune(connection: apsw.Connection, before: datetime, now: datetime, limit: int) -> int:
    head = _head(connection)
    oldest = [
        AuditLink(number=number, at=time_of(at), hash=digest)
        for number, at, digest in connection.execute(SQL.audit_links, {"after": head.cut_number, "limit": limit})
    ]
    gone = links_to_prune(oldest, before)
    if not gone:
        return 0
    last = gone[-1]
    seq = connection.execute(SQL.last_audited, {"number": last.number}).get or head.cut_seq
    connection.execute(SQL.move_audit_head, asdict(cut_at(head, last, seq)))
    connection.execute(SQL.prune_audit, {"number": last.number})
    connection.execute(SQL.prune_audit_links, {"number": last.number})
    told = pruned_event(last, len(gone), now)
    append(connection, [told])
    if isinstance(connection, Connection):
        connection.written.append(told)
    return len(gone)


def _to_entry(row: tuple[Any, ...]) -> AuditEntry:
    seq, link, at, kind, actor, schedule_id, run_id, data = row
    return AuditEntry(
        seq=seq,
        link=link,
        at=time_of(at),
        kind=kind,
        actor=actor,
        schedule_id=schedule_id,
        run_id=run_id,
        data=data,
    )
