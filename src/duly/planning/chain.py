"""The chain of hashes of the audit: check that it is whole, and decide where pruning may cut it. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from duly.model.audit import AuditEntry, AuditHead, AuditLink, link_hash
from duly.model.events import AUDIT_PRUNED, Event

PRUNER = "duly"
"""The actor of a cut: the engine prunes by the configured retention."""
_PRUNE_AT_MOST_EVERY = timedelta(days=7)


@dataclass(frozen=True, slots=True, kw_only=True)
class Break:
    """The first place where a chain is not whole, and what is wrong there."""

    link: int
    what: str


class ChainCheck:
    """Follows a chain link by link, from its cut to its head."""

    def __init__(self, head: AuditHead, expected: tuple[int, str] | None = None) -> None:
        """`expected` is the number and the hash of a head that the caller noted earlier."""
        self._head = head
        self._expected = expected
        self._number = head.cut_number
        self._hash = head.cut_hash
        self._seq = head.cut_seq
        self._told_cut: tuple[int, str] | None = None
        self._met_expected = expected == (head.cut_number, head.cut_hash)
        self.broken: Break | None = None

    @property
    def number(self) -> int:
        """The last link that was followed."""
        return self._number

    def follow(self, links: Iterable[AuditLink]) -> None:
        """Check the next links, up to the first that is not whole."""
        for link in links:
            if self.broken is not None or link.number > self._head.number:
                return  # written since the head was read
            self._check(link)

    def finish(self, stray: int) -> None:
        """Check what no single link shows: `stray` rows beyond the ends, the cut, and the expected head."""
        if self.broken is not None:
            return
        if self._head.lost:
            self._break(self._number + 1, "the row that says where the chain ends was removed, perhaps with links")
        elif (self._number, self._hash, self._seq) != (self._head.number, self._head.hash, self._head.seq):
            self._break(self._number + 1, "the chain ends before its head: links at its end were removed")
        elif stray:
            self._break(self._number + 1, f"{stray} rows lie outside the chain: they were added beside it")
        elif self._head.cut_number and self._told_cut != (self._head.cut_number, self._head.cut_hash):
            what = "links at the beginning were removed, and no entry of the chain tells that pruning did it"
            self._break(self._head.cut_number + 1, what)
        elif self._expected is not None and not self._met_expected:
            self._compare(*self._expected)

    def _compare(self, number: int, digest: str) -> None:
        if number < self._head.cut_number:
            return  # pruned since: the cut, which is in the chain, stands for it
        if number > self._head.number:
            self._break(self._number + 1, f"the chain ends before link {number}, which was its head once")
        else:
            self._break(number, f"link {number} had the hash {digest}: the chain was written anew since")

    def _check(self, link: AuditLink) -> None:
        if link.number != self._number + 1:
            self._break(self._number + 1, f"link {self._number + 1} is missing")
            return
        seqs = [each.seq for each in link.entries]
        if seqs != list(range(self._seq + 1, self._seq + 1 + len(seqs))) or not seqs:
            self._break(link.number, f"the entries of link {link.number} are not complete: rows were removed or added")
            return
        if link_hash(self._hash, link.number, link.at, link.entries) != link.hash:
            self._break(link.number, f"the entries of link {link.number} are not those that were written")
            return
        self._number = link.number
        self._hash = link.hash
        self._seq = seqs[-1]
        self._met_expected |= self._expected == (link.number, link.hash)
        for each in link.entries:
            if each.kind == AUDIT_PRUNED.name:
                self._told_cut = _cut_of(each)

    def _break(self, link: int, what: str) -> None:
        self.broken = Break(link=link, what=what)


def links_to_prune(oldest: Sequence[AuditLink], before: datetime) -> list[AuditLink]:
    """List the links to prune: all from before a time, once the oldest is a week older than that.

    Each cut adds an entry. Without the week, each pruning would cut a link and add an entry, which a later pruning
    would have to cut in turn.
    """
    if not oldest or oldest[0].at >= before - _PRUNE_AT_MOST_EVERY:
        return []
    young = next((place for place, link in enumerate(oldest) if link.at >= before), len(oldest))
    return list(oldest[:young])


def cut_at(head: AuditHead, last: AuditLink, seq: int) -> AuditHead:
    """Give the head after everything up to a link and an entry was removed."""
    return replace(head, cut_number=last.number, cut_hash=last.hash, cut_seq=seq)


def pruned_event(last: AuditLink, links: int, now: datetime) -> Event:
    """Make the entry that tells of a cut; `_cut_of` reads it."""
    return Event(AUDIT_PRUNED, now, data={"by": PRUNER, "upto": last.number, "hash": last.hash, "links": links})


def _cut_of(entry: AuditEntry) -> tuple[int, str]:
    cut = json.loads(entry.data)
    return int(cut["upto"]), str(cut["hash"])
