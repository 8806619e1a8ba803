"""Tokens: a secret is shown once and stored as a hash. `_record` writes every change of a token to the journal."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from datetime import datetime, timedelta

from duly.clock import Clock
from duly.errors import AccessDeniedError, InvalidInputError, NotFoundError
from duly.model.events import CALENDAR_UNLINKED, TOKEN_CHANGED, TOKEN_CREATED, TOKEN_REVOKED, Event, EventKind
from duly.model.ids import NO_AUTH_TOKEN, TOKEN, RandomBits, make_id
from duly.ports.people import LOCAL_USER
from duly.ports.reading import work_for
from duly.ports.records import ScheduleFilter
from duly.ports.store import FullStore
from duly.ports.tokens import TokenChange, TokenRecord
from duly.service.access.audit import asked_by
from duly.service.access.grants import parse_grants
from duly.service.access.scopes import ADMIN, NO_AUTH, Caller, Face, Scope
from duly.service.access.token_views import NewToken, TokenLink
from duly.service.pages import check_limit, foreign
from duly.service.schedules.values import storable

_PREFIX = "duly_"
_NOTE_EVERY = timedelta(minutes=1)
_NO_GRACE = timedelta(0)
_CHANGES = {"hash": "secret", "scope": "scope", "grants": "grants", "expires_at": "expires_at"}
"""Fields of a record that a change may change, as the journal names them."""
_MOST_COUNTED = 100


def rights_of(record: TokenRecord) -> Scope:
    """Give the scope of a token with its grants."""
    return replace(Scope.parse(record.scope), grants=frozenset(record.grants))


class TokenService:
    """Creates, lists, changes, revokes and checks tokens."""

    def __init__(
        self,
        store: FullStore,
        clock: Clock,
        random_bits: RandomBits,
        check_grants: Callable[[Collection[str]], None] = lambda _grants: None,
        projects: Callable[[], Collection[str]] | None = None,
    ) -> None:
        """`check_grants` raises for grants that name nothing in the configuration; `projects` gives its projects."""
        self._store = store
        self._clock = clock
        self._random_bits = random_bits
        self._check_grants = check_grants
        self._projects = projects
        self.is_closed = False
        """Whether no token is made or given more rights: with `--no-auth` anyone could keep one."""

    async def note_mode(self, *, is_open: bool) -> None:
        """Let what callers without a token made run while the daemon asks for none, and rest from the end of that."""
        tokens = self._store.tokens
        known = await tokens.get(NO_AUTH_TOKEN)
        now = self._clock.now()
        if not is_open:
            if known is not None and known.revoked_at is None:
                await tokens.revoke(NO_AUTH_TOKEN, now)
        elif known is None:
            secret = digest(_new_secret())  # which is not kept
            await tokens.add(TokenRecord(id=NO_AUTH_TOKEN, name=NO_AUTH, hash=secret, scope=str(ADMIN), created_at=now))
        else:
            await tokens.change(NO_AUTH_TOKEN, lambda token: replace(token, revoked_at=None, expires_at=None))

    async def create(
        self,
        caller: Caller,
        name: str,
        scope: str,
        *,
        grants: Iterable[str] = (),
        expires_in: timedelta | None = None,
    ) -> NewToken:
        """Make a token for a scope; only admins may. The scope may name a person by id or by name."""
        self._admins_only(caller, "create tokens")
        name = name.strip()
        if not name or len(name) > 100 or not name.isprintable():
            raise InvalidInputError(f"name of a token must be 1 to 100 printable characters, got {name!r}")
        allowed = await self._scope(scope)
        secret = _new_secret()
        now = self._clock.now()
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
        await self._record(TOKEN_CREATED, caller, record)
        return NewToken(record, secret, self._unknown_project(allowed))

    async def page(
        self, caller: Caller, cursor: str | None = None, limit: int = 100
    ) -> tuple[list[TokenRecord], str | None]:
        """Give a page of tokens with the revoked ones, oldest first, and the cursor of the next page."""
        if not caller.scope.is_admin:
            raise AccessDeniedError("cannot list tokens: access denied, tokens are for admins")
        check_limit(limit)
        if cursor is not None and not cursor.startswith(TOKEN):
            raise foreign(cursor)
        found = await self._store.tokens.page(cursor, limit + 1)
        return found[:limit], found[limit - 1].id if len(found) > limit else None

    async def scheduled(self, caller: Caller, token_ids: Iterable[str]) -> dict[str, int]:
        """Count the schedules that each token made or last changed, at most 100: they stop when it is revoked."""
        if not caller.scope.is_admin:
            raise AccessDeniedError("cannot look at tokens: access denied, tokens are for admins")
        counts: dict[str, int] = {}
        for token_id in token_ids:
            counts[token_id] = len(await self._store.schedules(ScheduleFilter(token=token_id, limit=_MOST_COUNTED)))
        return counts

    async def names(self, caller: Caller, actors: Iterable[str]) -> dict[str, str]:
        """Give the names of tokens and people that entries of the audit name by id; for admins."""
        found: dict[str, str] = {}
        for actor in actors if caller.scope.is_admin else ():
            kind, _, subject = actor.partition(":")
            if actor.startswith(TOKEN):
                token = await self._store.tokens.get(actor)
                if token is not None:
                    found[actor] = token.name
            elif kind == "user" and (person := await self._store.people.get(subject)) is not None:
                found[actor] = person.name
        return found

    async def revoke(self, caller: Caller, token_id: str) -> TokenRecord:
        """Revoke a token: it is not valid from now on, and what it scheduled does not run."""
        _admins_only(caller, "revoke tokens")
        found = await self._store.tokens.revoke(token_id, self._clock.now())
        if found is None:
            raise _unknown(token_id)
        await self._record(TOKEN_REVOKED, caller, found)
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
        end_links: bool = False,
    ) -> NewToken:
        """Give a token a new secret; what it scheduled goes on. The old secret stays valid for the `grace`.

        With `scope` and `grants` it also gets these rights. Calendar links that the token made have secrets of their
        own: they are named, and with `end_links` they end.
        """
        self._admins_only(caller, "rotate tokens")
        if grace < _NO_GRACE:
            raise InvalidInputError(f"grace must not be negative, got {grace}")
        secret = _new_secret()
        now = self._clock.now()
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

        record = await self._change(caller, token_id, "rotate", change)
        links = await self._links_of(caller, record.id, end=end_links)
        return NewToken(record, secret, self._unknown_project(Scope.parse(record.scope)), links)

    async def renew(
        self, caller: Caller, known: str | None, name: str, scope: str, grants: Iterable[str] = ()
    ) -> NewToken:
        """Rotate the token of the `known` secret, with these rights; make a new one if the secret is not valid.

        For programs that are connected again: their tokens do not pile up, and what they scheduled goes on. By the
        secret and not by the name, because machines that share a store have programs of the same name.
        """
        self._admins_only(caller, "renew tokens")
        there = None if known is None else await self.caller(known, caller.face)
        if there is None or there.token_id is None:
            return await self.create(caller, name, scope, grants=grants)
        return await self.rotate(caller, there.token_id, scope=scope, grants=grants)

    async def grant(
        self, caller: Caller, token_id: str, given: Iterable[str] = (), taken: Iterable[str] = ()
    ) -> TokenRecord:
        """Give grants to a token, or take some from it; it keeps its secret and what it scheduled."""
        self._admins_only(caller, "grant")
        more = parse_grants(given)
        less = parse_grants(taken)

        def change(before: TokenRecord) -> TokenRecord:
            self._granted(Scope.parse(before.scope), more)
            return replace(before, grants=tuple(sorted((more | {*before.grants}) - less)))

        return await self._change(caller, token_id, "grant to", change)

    async def caller(self, secret: str, face: Face) -> Caller | None:
        """Give the caller with this secret; None when it is not valid."""
        return await self.caller_of_hash(digest(secret), face)

    async def caller_of_hash(self, shown: str, face: Face) -> Caller | None:
        """Give the caller whose secret has this hash, as a session of the dashboard keeps it; None when not valid.

        From then on stores work for this caller in the task that asked.
        """
        now = self._clock.now()
        record = await self._store.tokens.by_hash(shown)
        if record is None or record.ended_at(now) is not None:
            return None
        ends = [record.expires_at, None if record.hash == shown else record.old_until or now]
        until = min((each for each in ends if each is not None), default=None)
        if until is not None and until <= now:
            return None
        scope = rights_of(record)
        person = await self._store.people.get(scope.subject) if scope.kind == "user" else None
        if scope.kind == "user" and person is None and scope.subject != LOCAL_USER:
            return None  # the person was removed while the token was being made
        work_for(record.id)  # every face of a process comes by here
        if record.last_used_at is None or now - record.last_used_at > _NOTE_EVERY:
            await self._store.tokens.note_use(record.id, now)
        return Caller(
            scope=scope,
            token_id=record.id,
            face=face,
            user_id=scope.subject if scope.kind == "user" else None,
            called=None if person is None else person.name,
            until=until,
        )

    # inside

    def _admins_only(self, caller: Caller, verb: str) -> None:
        _admins_only(caller, verb)
        if self.is_closed:
            raise AccessDeniedError(
                f"cannot {verb}: this daemon was started with --no-auth, and a token would outlast that. Start it "
                f"without --no-auth, or run duly token on its machine, without --server"
            )

    async def _scope(self, text: str) -> Scope:
        """Read a scope in its stored form: with a person's id, because a later person may have the same name."""
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
        """Read grants in their stored form; raise for grants that the scope cannot use."""
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

    async def _links_of(self, caller: Caller, token_id: str, *, end: bool) -> tuple[TokenLink, ...]:
        """Give the calendar links of a token; `end` them first, if that is wanted."""
        found = await self._store.calendar_links.of_token(token_id)
        for link in found if end else ():
            about = {**asked_by(caller), "link": link.id, "name": link.name}
            await self._store.calendar_links.remove(link.id, [Event(CALENDAR_UNLINKED, self._clock.now(), data=about)])
        return tuple(TokenLink(id=each.id, name=each.name, ended=end) for each in found)

    async def _change(self, caller: Caller, token_id: str, verb: str, change: TokenChange) -> TokenRecord:
        changed: list[str] = []

        def checked(before: TokenRecord) -> TokenRecord:
            if before.revoked_at is not None:
                raise InvalidInputError(f"cannot {verb} token {token_id}: it was revoked; make a new one")
            after = change(before)
            changed[:] = [  # assigned, not added: a store may try a change again
                name for field, name in _CHANGES.items() if getattr(before, field) != getattr(after, field)
            ]
            return after

        found = await self._store.tokens.change(token_id, checked)
        if found is None:
            raise _unknown(token_id)
        await self._record(TOKEN_CHANGED, caller, found, changed)
        return found

    async def _record(
        self, kind: EventKind, caller: Caller, record: TokenRecord, changed: Collection[str] = ()
    ) -> None:
        await self._store.record([token_event(kind, self._clock.now(), caller, record, changed)])

    def _unknown_project(self, scope: Scope) -> str | None:
        """Warn of a scope for a project that the settings do not have: it may be a spelling mistake, or come later."""
        known = None if self._projects is None or scope.kind != "project" else self._projects()
        if known is None or scope.subject in known:
            return None
        there = ", ".join(sorted(known)) or "none"
        return (
            f"there is no project {scope.subject!r} in duly.toml: until there is, no prompt can run in it; "
            f"configured are {there}"
        )


def token_event(
    kind: EventKind, now: datetime, caller: Caller, record: TokenRecord, changed: Collection[str] = ()
) -> Event:
    """Make the event about a token: never with its secret. `changed` names the fields of a change."""
    data = {"by": caller.name, "face": str(caller.face), "token": record.id, "scope": record.scope}
    if record.grants:
        data["grants"] = ", ".join(record.grants)
    if changed:
        data["changed"] = ", ".join(changed)
    return Event(kind, now, data=data)


def digest(secret: str) -> str:
    """Hash a secret for the store. It is random and long, so a plain hash is enough."""
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
