"""Writing events to the journal and the audit of a SQLite file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from duly.model.audit import data_text, is_audited, link_after
from duly.stores.crud import audit
from duly.stores.sqlite.file import StoreConnection
from duly.stores.sqlite.rows import event_values
from duly.stores.sqlite.transaction import SQL, SqliteTransaction, finish, run_many

if TYPE_CHECKING:
    from collections.abc import Sequence

    import apsw

    from duly.model.audit import ChainEnd, NewLink
    from duly.model.events import Event

_DATA = json.JSONEncoder(default=str)
_AT_ONCE = 5000  # events that are turned into values at a time


def write(connection: apsw.Connection, events: Sequence[Event]) -> None:
    """Write events to the journal and the audit, and remember them for the listeners after the commit."""
    kept = [(event, _text(event)) for event in events if event.kind.durable or is_audited(event)]
    if not kept:
        return
    if not isinstance(connection, StoreConnection):
        write_out(connection, kept)
        return
    connection.written += [event for event, _ in kept]
    if connection.deferred is None:
        write_out(connection, kept)
    else:
        for event, _ in kept:
            _refuse_unstorable(event)
        connection.deferred += kept


def _text(event: Event) -> str:
    """Write the data of an event: the journal has the text that the audit hashes, which is made once."""
    return data_text(event) if is_audited(event) else _DATA.encode(event.data)


def _refuse_unstorable(event: Event) -> None:
    """Fail in the work that an event comes from, and not in the writing of what others wrote with it."""
    by = event.data.get("by") or ""
    f"{event.schedule_id}{event.run_id}{event.node_id}{by}".encode()


def write_out(connection: apsw.Connection, events: Sequence[tuple[Event, str]]) -> None:
    """Write events with the texts of their data."""
    for start in range(0, len(events), _AT_ONCE):
        some = events[start : start + _AT_ONCE]
        if durable := [event_values(event, text) for event, text in some if event.kind.durable]:
            run_many(connection, SQL.event, durable)
        if audited := [each for each in some if is_audited(each[0])]:
            _append_link(connection, *map(list, zip(*audited, strict=True)))


def _append_link(connection: apsw.Connection, events: Sequence[Event], texts: Sequence[str]) -> None:
    """Add a link where this connection left the chain, or where the chain ends by now if others have gone on."""
    if not isinstance(connection, StoreConnection):
        finish(audit.append(SqliteTransaction(connection), events))
    elif (end := connection.chain_end) is None or not _goes_on(connection, end, link_after(end, events, texts)):
        connection.chain_end = finish(audit.append(SqliteTransaction(connection), events))


def _goes_on(connection: StoreConnection, end: ChainEnd, link: NewLink) -> bool:
    """Add a link behind an end of the chain; False when the chain does not end there."""
    connection.execute(SQL.move_audit_end, (*link.end, *end))
    if not connection.changes():
        return False
    run_many(connection, SQL.audit_entry, link.rows)
    connection.execute(SQL.audit_link_row, (link.end.number, link.at, link.end.hash))
    connection.chain_end = link.end
    return True
