"""Tokens: made once, shown once, kept as hashes. Every change of a token goes through `_told`, which journals it."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from duly.clock import Clock
from duly.errors import AccessDeniedError, InvalidInputError, NotFoundError
from duly.model.events import TOKEN_CHANGED, TOKEN_CREATED, TOKEN_REVOKED, Event, EventKind
from duly.model.ids import TOKEN, RandomBits, make_id
from duly.ports.people import LOCAL_USER
from duly.ports.store import FullStore
from duly.ports.tokens import TokenChange, TokenRecord
from duly.service.access.access import Caller, Face, Scope
from duly.service.access.grants import parse_grants
from duly.service.pages import check_limit, foreign
from duly.service.schedules.values import storable

_PREFIX = "duly_"
_NOTE_EVERY = timedelta(minutes=1)
_NO_GRACE = timedelta(0)
SOON = timedelta(days=7)
"""So long before it expires a token is told of."""


@dataclass(frozen=True, slots=True)
class NewToken:
    """A fresh token, or one with a fresh secret; `secret` exists nowhere else."""

    record: TokenRecord
    secret: str


def rights_of(record: TokenRecord) -> Scope:
    """What a token allows: its scope with its grants."""
    return replace(Scope.parse(record.scope), grants=frozenset(record.grants))


class TokenService:
    """Creating, listing, changing, revoking and checking tokens."""

    def __init__(
        self,
        store: FullStore,
        clock: Clock,
        random_bits: RandomBits,
        check_grants: Callable[[Collection[str]], None] = lambda _grants: None,
    ) -> None:
        """`check_grants` refuses grants that name what the configuration does not have."""
        self._store = store
        self._clock = clock
        self._random_bits = random_bits
        self._check_grants = check_grants

    async def create(
        self,
        caller: Caller,
        name: str,
        scope: str,
        *,
        grants: Iterable[str] = (),
        expires_in: timedelta | None = None,
    ) -> NewToken:
        """A token for a scope; only admins hand them out. A person may be named by id or by name."""
        _admins_only(caller, "create tokens")
        name = name.strip()
        if not name or len(name) > 100 or not name.isprintable():
            raise InvalidInputError(f"name of a token must be 1 to 100 printable characters, got {name!r}")
        allowed = await self._scope(scope)
        secret, now = _new_secret(), self._clock.now()
        record = TokenRecord(
            id=make_id(TOKEN, now, self._random_bits),
            name=name,
            hash=digest(secret),
            scope=str(allowed),
            created_at=now,
            grants=self._granted(allowed, grants),
            expires_at=_expiry(expires_in, now),
        )
        await self._store.tokens.add(record)
        await self._told(TOKEN_CREATED, caller, record)
        return NewToken(record, secret)

    async def page(
        self, caller: Caller, cursor: str | None = None, limit: int = 100
    ) -> tuple[list[TokenRecord], str | None]:
        """Some tokens, revoked ones too, the oldest first, and the cursor of the next ones."""
        if not caller.scope.is_admin:
            raise AccessDeniedError("cannot list tokens: access denied, tokens are for admins")
        check_limit(limit)
        if cursor is not None and not cursor.startswith(TOKEN):
            raise foreign(cursor)
        found = await self._store.tokens.page(cursor, limit + 1)
        return found[:limit], found[limit - 1].id if len(found) > limit else None

    async def revoke(self, caller: Caller, token_id: str) -> TokenRecord:
        """From now on the token opens nothing, and what it scheduled does not run."""
        _admins_only(caller, "revoke tokens")
        found = await self._store.tokens.revoke(token_id, self._clock.now())
        if found is None:
            raise _unknown(token_id)
        await self._told(TOKEN_REVOKED, caller, found)
        return found

    async def rotate(
        self,
        caller: Caller,
        token_id: str,
        *,
        grace: timedelta = _NO_GRACE,
        expires_in: timedelta | None = None,
        scope: str | None = None,
        grants: Iterable[str] | None = None,
    ) -> NewToken:
        """The same token with a new secret: what it scheduled goes on. The old secret opens for the `grace`.

        With `scope` and `grants` it is from now on a token for these.
        """
        _admins_only(caller, "rotate tokens")
        if grace < _NO_GRACE:
            raise InvalidInputError(f"grace must not be negative, got {grace}")
        secret, now = _new_secret(), self._clock.now()
        allowed = None if scope is None else await self._scope(scope)
        expires_at = _expiry(expires_in, now)

        def change(before: TokenRecord) -> TokenRecord:
            if expires_at is None and before.ended_at(now) is not None:
                raise InvalidInputError(
                    f"cannot rotate token {token_id}: it has expired; give it a new end (--expires)"
                )
            rights = allowed or Scope.parse(before.scope)
            return replace(
                before,
                scope=str(rights),
                hash=digest(secret),
                old_hash=before.hash if grace else None,
                old_until=now + grace if grace else None,
                expires_at=expires_at or before.expires_at,
                grants=before.grants if grants is None else self._granted(rights, grants),
            )

        return NewToken(await self._change(caller, token_id, "rotate", change), secret)

    async def renew(
        self, caller: Caller, known: str | None, name: str, scope: str, grants: Iterable[str] = ()
    ) -> NewToken:
        """A token with these rights: that of the `known` secret rotated, or, where it opens nothing, a new one.

        For programs that are connected again: they do not pile up, and what they scheduled goes on. By the secret and
        not by the name, because machines that share a store have programs of the same name.
        """
        _admins_only(caller, "renew tokens")
        there = None if known is None else await self.caller(known, caller.face)
        if there is None or there.token_id is None:
            return await self.create(caller, name, scope, grants=grants)
        return await self.rotate(caller, there.token_id, scope=scope, grants=grants)

    async def grant(
        self, caller: Caller, token_id: str, given: Iterable[str] = (), taken: Iterable[str] = ()
    ) -> TokenRecord:
        """Give a token more than it may, or take something from it; it keeps its secret and what it scheduled."""
        _admins_only(caller, "grant")
        more, less = parse_grants(given), parse_grants(taken)

        def change(before: TokenRecord) -> TokenRecord:
            self._granted(Scope.parse(before.scope), more)
            return replace(before, grants=tuple(sorted((more | {*before.grants}) - less)))

        return await self._change(caller, token_id, "grant to", change)

    async def caller(self, secret: str, face: Face) -> Caller | None:
        """Whoever holds this secret; None when it opens nothing."""
        shown, now = digest(secret), self._clock.now()
        record = await self._store.tokens.by_hash(shown)
        if record is None or record.ended_at(now) is not None:
            return None
        if record.hash != shown and (record.old_until is None or record.old_until <= now):
            return None
        scope = rights_of(record)
        person = await self._store.people.get(scope.subject) if scope.kind == "user" else None
        if scope.kind == "user" and person is None and scope.subject != LOCAL_USER:
            return None  # made in the moment in which they were removed
        if record.last_used_at is None or now - record.last_used_at > _NOTE_EVERY:
            await self._store.tokens.note_use(record.id, now)
        return Caller(
            scope,
            record.id,
            face,
            user_id=scope.subject if scope.kind == "user" else None,
            called=None if person is None else person.name,
        )

    # inside

    async def _scope(self, text: str) -> Scope:
        """A scope as it is stored: a person goes by their id, so that the next one of that name is another."""
        subject = text.removeprefix("user:").removesuffix(":ro").strip()
        if not text.startswith("user:") or not subject:
            return Scope.parse(text)
        people = self._store.people
        found = await people.get(storable(subject, "user")) or await people.find(subject)
        if found is None and subject != LOCAL_USER:
            known = ", ".join(sorted({LOCAL_USER, *(each.name for each in await people.all())}))
            raise NotFoundError(
                f"there is no user {subject!r} to make a token for: there are {known}; duly user add makes one"
            )
        return Scope("user", LOCAL_USER if found is None else found.id, text.endswith(":ro"))

    def _granted(self, scope: Scope, grants: Iterable[str]) -> tuple[str, ...]:
        """Grants in their stored form; those that the scope could not use are refused."""
        wanted = parse_grants(grants)
        if not wanted:
            return ()
        if scope.is_admin or scope.read_only:
            reason = "may only look" if scope.read_only else "may do everything"
            raise InvalidInputError(f"scope {scope} takes no grants, got {', '.join(sorted(wanted))}: it {reason}")
        if scope.kind == "project" and (others := sorted(each for each in wanted if each.startswith("projects:"))):
            raise InvalidInputError(
                f"scope {scope} takes no grant {others[0]}: it is about one project. Make another token for the other"
            )
        self._check_grants(wanted)
        return tuple(sorted(wanted))

    async def _change(self, caller: Caller, token_id: str, verb: str, change: TokenChange) -> TokenRecord:
        def checked(before: TokenRecord) -> TokenRecord:
            if before.revoked_at is not None:
                raise InvalidInputError(f"cannot {verb} token {token_id}: it was revoked; make a new one")
            return change(before)

        found = await self._store.tokens.change(token_id, checked)
        if found is None:
            raise _unknown(token_id)
        await self._told(TOKEN_CHANGED, caller, found)
        return found

    async def _told(self, kind: EventKind, caller: Caller, record: TokenRecord) -> None:
        """The one place where a change of a token is written down."""
        await self._store.record([token_event(kind, self._clock.now(), caller, record)])


def token_event(kind: EventKind, now: datetime, caller: Caller, record: TokenRecord) -> Event:
    """What the journal says of a token: never its secret."""
    data = {"by": caller.name, "face": str(caller.face), "token": record.id, "scope": record.scope}
    if record.grants:
        data["grants"] = ", ".join(record.grants)
    return Event(kind, now, data=data)


def digest(secret: str) -> str:
    """What is kept of a secret. It is random and long, so that a plain hash is enough."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _new_secret() -> str:
    return _PREFIX + secrets.token_urlsafe(32)


def _expiry(expires_in: timedelta | None, now: datetime) -> datetime | None:
    if expires_in is None:
        return None
    if expires_in <= timedelta(0):
        raise InvalidInputError(f"a token must expire in the future, got {expires_in}")
    try:
        return now + expires_in
    except OverflowError:
        raise InvalidInputError(
            f"expires in {expires_in} is beyond the calendar: leave it out for a token that does not expire"
        ) from None


def _unknown(token_id: str) -> NotFoundError:
    return NotFoundError(f"there is no token {token_id!r}: `duly token list` shows them")


def _admins_only(caller: Caller, verb: str) -> None:
    if not caller.scope.is_admin or caller.scope.read_only:
        raise AccessDeniedError(f"cannot {verb}: access denied, tokens are for admins")
