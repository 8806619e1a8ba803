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
    rows = _rows(number, end.seq, events, texts)
    at = max(at for _, _, at, *_ in rows)
    return NewLink(ChainEnd(number, _hash(end.hash, number, at, rows), end.seq + len(rows)), at, rows)


class GrowingLink:
    """A link that gets its entries a few at a time: those of very many events need not be in memory at once."""

    def __init__(self, head: AuditHead, at: datetime) -> None:
        """Begin the link after the head of the chain; `at` is the time of the latest of all its events."""
        self.at = at
        self._head = head
        self._number = head.number + 1
        self._seq = head.seq
        self._hash = _LinkHash(head.hash, self._number, _micros(at))

    def add(self, events: Sequence[Event]) -> list[AuditEntry]:
        """Make the entries for some of the events, at least one, in their order."""
        rows = _rows(self._number, self._seq, events, [data_text(event) for event in events])
        self._seq += len(rows)
        self._hash.add(rows)
        return [
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
            for event, (seq, number, _, kind, actor, schedule_id, run_id, data) in zip(events, rows, strict=True)
        ]

    def head(self) -> AuditHead:
        """Give the head of the chain after the link, once it has all its entries."""
        return AuditHead(
            number=self._number,
            hash=self._hash.text(),
            seq=self._seq,
            cut_number=self._head.cut_number,
            cut_hash=self._head.cut_hash,
            cut_seq=self._head.cut_seq,
        )


def _rows(number: int, last: int, events: Sequence[Event], texts: Sequence[str]) -> list[EntryRow]:
    """Make the entries of a link after the one with the number `last`."""
    rows: list[EntryRow] = []
    moment = events[0].at
    at = _micros(moment)
    for seq, (event, text) in enumerate(zip(events, texts, strict=True), last + 1):
        if event.at is not moment:  # those of one transaction mostly share it
            moment = event.at
            at = _micros(moment)
        actor = str(event.data.get("by") or _unnamed_actor(event))
        rows.append((seq, number, at, event.kind.name, actor, event.schedule_id, event.run_id, text))
    return rows


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
    made = _LinkHash(previous, number, at)
    made.add(rows)
    return made.text()


class _LinkHash:
    """The hash of a link: over `[previous, number, at, rows]` as JSON, all ASCII, written and hashed in parts."""

    def __init__(self, previous: str, number: int, at: int) -> None:
        self._sha256 = hashlib.sha256(f"[{_quoted(previous)},{number},{at},[".encode("ascii"))
        self._separator = ""

    def add(self, rows: Sequence[EntryRow]) -> None:
        if rows:
            self._sha256.update(f"{self._separator}{','.join(map(_entry_text, rows))}".encode("ascii"))
            self._separator = ","

    def text(self) -> str:
        ended = self._sha256.copy()
        ended.update(b"]]")
        return ended.hexdigest()


def _entry_text(row: EntryRow) -> str:
    """Write an entry as the JSON encoder does, which takes longer to make than to use."""
    seq, link, at, kind, actor, schedule_id, run_id, data = row
    schedule = "null" if schedule_id is None else _quoted(schedule_id)
    run = "null" if run_id is None else _quoted(run_id)
    return f"[{seq},{link},{at},{_quoted(kind)},{_quoted(actor)},{schedule},{run},{_quoted(data)}]"


def _micros(at: datetime) -> int:
    since = at - _EPOCH
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds
