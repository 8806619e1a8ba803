"""The audit: which caller changed what, in entries that are chained by hashes.

Each transaction that writes entries appends one link. The hash of a link covers the hash of the link before it and
every byte of its own entries, so an entry cannot be changed, removed, added or moved without breaking a link.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from json.encoder import encode_basestring_ascii as _quoted
from typing import NamedTuple

from duly.model.events import Event

GENESIS = "0" * 64
"""The hash before the first link."""
UNKNOWN_ACTOR = "unknown"
_DATA = json.JSONEncoder(sort_keys=True, separators=(",", ":"), default=str)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """One change, and the caller who asked for it."""

    seq: int
    """Counts from 1 without gaps."""
    link: int
    """The number of the link that covers the entry."""
    at: datetime
    kind: str
    actor: str
    schedule_id: str | None = None
    run_id: str | None = None
    data: str = "{}"
    """JSON, kept byte for byte: the hash covers this text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditLink:
    """The entries that one transaction added to the chain."""

    number: int
    """Counts from 1 without gaps."""
    at: datetime
    hash: str
    entries: tuple[AuditEntry, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditHead:
    """The end of the chain, and the place where pruning has cut off its beginning."""

    number: int = 0
    hash: str = GENESIS
    seq: int = 0
    """The number of the last entry."""
    cut_number: int = 0
    """The last link that was pruned."""
    lost: bool = False
    """The row of the head was deleted by hand, and this is the end of the links that are left."""
    cut_hash: str = GENESIS
    cut_seq: int = 0

    def __str__(self) -> str:
        return f"{self.number}:{self.hash}"


EntryRow = tuple[int, int, int, str, str, str | None, str | None, str]
"""An entry as the hash covers it: the fields of `AuditEntry` in their order, the time in microseconds since 1970."""


class ChainEnd(NamedTuple):
    """The end of the chain, from which the next link is made."""

    number: int
    hash: str
    seq: int


class NewLink(NamedTuple):
    """A link that a transaction is about to write."""

    end: ChainEnd
    """The end of the chain after it."""
    at: int
    """Microseconds since 1970."""
    rows: list[EntryRow]


def is_audited(event: Event) -> bool:
    """Tell whether an event is an entry of the audit: by its kind, or because it names the caller (`by`)."""
    return event.kind.audited or "by" in event.data


def data_text(event: Event) -> str:
    """Write the data of an event as JSON: the text that an entry keeps, and that its hash covers."""
    data = event.data
    for value in data.values():
        if type(value) is not str:
            return _DATA.encode(data)
    # Mostly all values are texts. Making an encoder takes longer than writing those.
    written = [f"{_quoted(name)}:{_quoted(data[name])}" for name in sorted(data)]
    return f"{{{','.join(written)}}}"


def link_after(end: ChainEnd, events: Sequence[Event], texts: Sequence[str]) -> NewLink:
    """Make the link for the events of one transaction; `texts` is what `data_text` gives for each."""
    number = end.number + 1
    rows: list[EntryRow] = []
    seq = end.seq
    moment = events[0].at
    at = latest = _micros(moment)
    for event, text in zip(events, texts, strict=True):
        if event.at is not moment:  # those of one transaction mostly share it
            moment = event.at
            at = _micros(moment)
            latest = max(latest, at)
        seq += 1
        actor = str(event.data.get("by") or _unnamed_actor(event))
        rows.append((seq, number, at, event.kind.name, actor, event.schedule_id, event.run_id, text))
    return NewLink(ChainEnd(number, _hash(end.hash, number, latest, rows), seq), latest, rows)


def next_link(head: AuditHead, events: Sequence[Event]) -> tuple[AuditLink, AuditHead]:
    """Make the link for the events of one transaction, and the head after it."""
    made = link_after(ChainEnd(head.number, head.hash, head.seq), events, [data_text(event) for event in events])
    entries = tuple(
        AuditEntry(
            seq=seq,
            link=number,
            at=event.at,
            kind=kind,
            actor=actor,
            schedule_id=schedule_id,
            run_id=run_id,
            data=data,
        )
        for event, (seq, number, _, kind, actor, schedule_id, run_id, data) in zip(events, made.rows, strict=True)
    )
    at = max(event.at for event in events)
    link = AuditLink(number=made.end.number, at=at, hash=made.end.hash, entries=entries)
    after = AuditHead(
        number=made.end.number,
        hash=made.end.hash,
        seq=made.end.seq,
        cut_number=head.cut_number,
        cut_hash=head.cut_hash,
        cut_seq=head.cut_seq,
    )
    return link, after


def _unnamed_actor(event: Event) -> str:
    """Give the actor of an event without a caller: those of declared tasks name the scheduler."""
    scheduler = event.data.get("scheduler")
    return f"declarative:{scheduler}" if scheduler else UNKNOWN_ACTOR


def link_hash(previous: str, number: int, at: datetime, entries: Sequence[AuditEntry]) -> str:
    """Compute the hash of a link: SHA-256 over the hash before it and its canonical bytes."""
    rows = [
        (each.seq, each.link, _micros(each.at), each.kind, each.actor, each.schedule_id, each.run_id, each.data)
        for each in entries
    ]
    return _hash(previous, number, _micros(at), rows)


def _hash(previous: str, number: int, at: int, rows: Sequence[EntryRow]) -> str:
    """Hash a link as JSON without spaces, all ASCII: `[previous, number, at, rows]`."""
    text = f"[{_quoted(previous)},{number},{at},[{','.join(map(_entry_text, rows))}]]"
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _entry_text(row: EntryRow) -> str:
    """Write an entry as the JSON encoder does, which takes longer to make than to use."""
    seq, link, at, kind, actor, schedule_id, run_id, data = row
    schedule = "null" if schedule_id is None else _quoted(schedule_id)
    run = "null" if run_id is None else _quoted(run_id)
    return f"[{seq},{link},{at},{_quoted(kind)},{_quoted(actor)},{schedule},{run},{_quoted(data)}]"


def _micros(at: datetime) -> int:
    since = at - _EPOCH
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds
