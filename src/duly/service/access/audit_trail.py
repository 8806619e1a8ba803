"""The audit, for callers with a scope: who changed what, and whether the chain of hashes is whole.

Admins read all of it. A project's or a person's token reads the entries about schedules it may read: who did what, but
not what was written into a definition.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from duly.clock import Clock
from duly.errors import AccessDeniedError, DulyError, InvalidInputError, NotFoundError
from duly.model.audit import AuditEntry, AuditHead
from duly.model.codec import Json
from duly.model.events import CATALOGUE, LINKS_ROTATED, TRUST_GIVEN, TRUST_TAKEN, Event, changed_fields
from duly.model.ids import SCHEDULE
from duly.planning.chain import Break, ChainCheck
from duly.ports.audit import AuditFilter
from duly.ports.store import FullStore
from duly.service.access.audit import asked_by
from duly.service.access.scopes import Caller
from duly.service.journal import (
    EntrySchedule,
    EntrySchedules,
    entry_bounds,
    matching_kinds,
    may_read_entry,
    unknown_kind,
)
from duly.service.pages import check_limit, newest
from duly.service.schedules import values
from duly.service.schedules.finding import Finder

_AT_ONCE = 500
_HEAD = re.compile(r"(\d{1,18}):([0-9a-f]{64})")
_SHOWN_TO_ALL = ("name", "response", "reason", "user")
_ASKED = ("by", "scope", "face", "name")
_AUDITED = [name for name, kind in CATALOGUE.items() if kind.audited]


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditView:
    """An entry of the audit."""

    seq: int
    """Later entries have larger numbers."""
    link: int
    """The link of the chain that covers it."""
    at: datetime
    kind: str
    """Such as schedule.updated."""
    actor: str
    """The id of a token, `local`, `user:<id>`, `file`, `library`, `declarative:<name>`, `duly` or `unknown`."""
    face: str | None = None
    scope: str | None = None
    schedule_id: str | None = None
    schedule: str | None = None
    run_id: str | None = None
    data: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainView:
    """Whether the chain is whole."""

    whole: bool
    head: str
    """Number and hash of the last link: note it down elsewhere, and compare later."""
    links: int
    """How many links there are."""
    entries: int
    cut_at: int = 0
    """The last link that pruning removed; 0 when it has removed none."""
    broken_link: int | None = None
    """The first link that is not whole."""
    reason: str | None = None


class AuditTrail:
    """Reads the audit, and checks its chain."""

    def __init__(self, store: FullStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._find = Finder(store)

    async def entries(
        self,
        caller: Caller,
        *,
        actor: str | None = None,
        kinds: Sequence[str] = (),
        schedule: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        cursor: int | None = None,
        after: int = 0,
        limit: int = 100,
    ) -> tuple[list[AuditView], int | None]:
        """Give the newest entries, at most `limit`, in the order they were written, and the cursor of older ones.

        `schedule` is an id or a name, `kinds` are names such as token.created or patterns such as person.*, `after` is
        the number of the last entry seen.
        """
        check_limit(limit)
        if cursor is not None and cursor < 1:
            raise InvalidInputError(f"cursor must be one that an earlier page gave, got {cursor}")
        wanted = AuditFilter(
            kinds=tuple(sorted({name for pattern in kinds for name in _matching(pattern)})),
            actor=None if actor is None else values.text(actor, "actor"),
            schedule_id=None if schedule is None else await self._schedule_id(caller, schedule),
            **entry_bounds(caller, since=since, until=until, after=after, limit=limit),
        )
        wanted = wanted if cursor is None else replace(wanted, before=cursor)
        schedules = EntrySchedules(self._store)

        async def show(entry: AuditEntry) -> AuditView | None:
            row = await schedules.get(entry.schedule_id)
            return _view(caller, entry, row) if may_read_entry(caller, row) else None

        return await newest(self._store.audit.entries, show, lambda entry: entry.seq, wanted, most=limit)

    async def head(self, caller: Caller) -> AuditHead:
        """Give the end of the chain: number and hash of its last link."""
        _admins_only(caller)
        return await self._store.audit.head()

    async def verify(self, caller: Caller, expected: str | None = None) -> ChainView:
        """Follow the chain from its beginning, or from where pruning cut it, to its head.

        `expected` is a head that was noted down before, as `number:hash`: it must be part of the chain. An audit that
        cannot be read is not whole.
        """
        _admins_only(caller)
        known = None if expected is None else _read_head(expected)
        try:
            return await self._verify(known)
        except DulyError:
            raise
        except Exception as error:
            # A table that was dropped or changed by hand: each driver has its own error for that.
            return ChainView(
                whole=False,
                head="unknown",
                links=0,
                entries=0,
                broken_link=1,
                reason=f"its tables were changed: {error}",
            )

    async def _verify(self, known: tuple[int, str] | None) -> ChainView:
        while True:
            head = await self._store.audit.head()
            check = ChainCheck(head, known)
            while check.broken is None and check.number < head.number:
                links = await self._store.audit.links(check.number, _AT_ONCE)
                check.follow(links)
                if not links:
                    break
            check.finish(await self._store.audit.stray())
            now = await self._store.audit.head()
            if check.broken is None or now.cut_number == head.cut_number:  # or pruning cut what was being followed
                return _chain_view(head, check.broken)

    async def note_trust(self, caller: Caller, file: str, digest: str | None) -> None:
        """Record that a configuration file was trusted with a content, or, without a digest, is trusted no more."""
        kind = TRUST_TAKEN if digest is None else TRUST_GIVEN
        about = {"file": file} if digest is None else {"file": file, "digest": digest}
        await self._store.record([Event(kind, self._clock.now(), data={**asked_by(caller), **about})])

    async def note_links(self, caller: Caller) -> None:
        """Record that links in messages have a new secret."""
        await self._store.record([Event(LINKS_ROTATED, self._clock.now(), data=asked_by(caller))])

    async def _schedule_id(self, caller: Caller, schedule: str) -> str:
        try:
            return (await self._find.row(caller, schedule, deleted=None)).id
        except NotFoundError:
            if caller.scope.is_admin and schedule.startswith(SCHEDULE):
                return schedule  # it was pruned, and its entries were not
            raise


def _view(caller: Caller, entry: AuditEntry, row: EntrySchedule | None) -> AuditView:
    """Show a caller an entry that they may read."""
    admin = caller.scope.is_admin
    data = _decoded(entry.data)
    name = data.get("name") or (None if row is None else row.name)
    shown = data if admin else _shared(entry.kind, data)
    return AuditView(
        seq=entry.seq,
        link=entry.link,
        at=entry.at,
        kind=entry.kind,
        actor=entry.actor,
        face=data.get("face"),
        scope=data.get("scope") if admin else None,
        schedule_id=entry.schedule_id,
        schedule=None if name is None or entry.schedule_id is None else str(name),
        run_id=entry.run_id,
        data={key: value for key, value in shown.items() if key not in _ASKED or _is_own_name(key, entry)},
    )


def _is_own_name(key: str, entry: AuditEntry) -> bool:
    """Whether a name in the data is that of a person or of a token, which no other field has."""
    return key == "name" and entry.schedule_id is None


def _shared(kind: str, data: Json) -> dict[str, Any]:
    """Give the data for callers who are no admins: which fields changed, but not their values."""
    shown = {name: data[name] for name in _SHOWN_TO_ALL if name in data}
    changed = changed_fields(kind, data)
    return {**shown, "changed": changed} if changed else shown


def _decoded(text: str) -> dict[str, Any]:
    try:
        data = json.loads(text)
    except ValueError:  # changed by hand: `verify` finds it
        return {}
    return data if isinstance(data, dict) else {}


def _chain_view(head: AuditHead, broken: Break | None) -> ChainView:
    return ChainView(
        whole=broken is None,
        head=str(head),
        links=head.number - head.cut_number,
        entries=head.seq - head.cut_seq,
        cut_at=head.cut_number,
        broken_link=None if broken is None else broken.link,
        reason=None if broken is None else broken.what,
    )


def _read_head(text: str) -> tuple[int, str]:
    found = _HEAD.fullmatch(text.strip())
    if found is None:
        raise InvalidInputError(
            f"a head is the number and the hash of a link, as `duly audit --head` prints it, got {text!r:.100}"
        )
    return int(found[1]), found[2]


def _matching(pattern: str) -> list[str]:
    if found := matching_kinds(pattern, CATALOGUE):
        return found
    raise unknown_kind(pattern, _AUDITED, "entry", "person.*")


def _admins_only(caller: Caller) -> None:
    if not caller.scope.is_admin:
        raise AccessDeniedError("cannot check the audit: access denied, the chain is for admins")
