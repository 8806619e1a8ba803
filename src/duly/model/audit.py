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


def is_audited(event: Event) -> bool:
    """Tell whether an event is an entry of the audit: by its kind, or because it names the caller (`by`)."""
    return event.kind.audited or "by" in event.data


def next_link(head: AuditHead, events: Sequence[Event]) -> tuple[AuditLink, AuditHead]:
    """Make the link for the events of one transaction, and the head after it."""
    number = head.number + 1
    entries = tuple(
        AuditEntry(
            seq=head.seq + place,
            link=number,
            at=event.at,
            kind=event.kind.name,
            actor=_actor(event),
            schedule_id=event.schedule_id,
            run_id=event.run_id,
            data=_DATA.encode(event.data),
        )
        for place, event in enumerate(events, 1)
    )
    at = max(event.at for event in events)
    link = AuditLink(number=number, at=at, hash=link_hash(head.hash, number, at, entries), entries=entries)
    after = AuditHead(
        number=number,
        hash=link.hash,
        seq=head.seq + len(entries),
        cut_number=head.cut_number,
        cut_hash=head.cut_hash,
        cut_seq=head.cut_seq,
    )
    return link, after


def _actor(event: Event) -> str:
    """Give the caller; events of declared tasks, whose fields are specified elsewhere, name the scheduler."""
    scheduler = event.data.get("scheduler")
    return str(event.data.get("by") or (f"declarative:{scheduler}" if scheduler else UNKNOWN_ACTOR))


def link_hash(previous: str, number: int, at: datetime, entries: Sequence[AuditEntry]) -> str:
    """Compute the hash of a link: SHA-256 over the hash before it and its canonical bytes."""
    rows = [
        [each.seq, each.link, _micros(each.at), each.kind, each.actor, each.schedule_id, each.run_id, each.data]
        for each in entries
    ]
    text = json.dumps([previous, number, _micros(at), rows], separators=(",", ":"))  # all ASCII
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _micros(at: datetime) -> int:
    since = at - _EPOCH
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds
