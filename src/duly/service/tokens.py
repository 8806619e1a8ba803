"""Tokens: made once, shown once, kept as hashes."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from datetime import timedelta

from duly.clock import Clock
from duly.errors import AccessDeniedError, InvalidInputError, NotFoundError
from duly.model.events import TOKEN_CREATED, TOKEN_REVOKED, Event, EventKind
from duly.model.ids import TOKEN, RandomBits, make_id
from duly.ports.store import FullStore
from duly.ports.tokens import TokenRecord
from duly.service.access import Caller, Face, Scope

_PREFIX = "duly_"
_NOTE_EVERY = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class NewToken:
    """A fresh token; `secret` exists nowhere else."""

    record: TokenRecord
    secret: str


class TokenService:
    """Creating, listing, revoking and checking tokens."""

    def __init__(self, store: FullStore, clock: Clock, random_bits: RandomBits) -> None:
        self._store = store
        self._clock = clock
        self._random_bits = random_bits

    async def create(self, caller: Caller, name: str, scope: str) -> NewToken:
        """A token for a scope; only admins hand them out."""
        _admins_only(caller, "create tokens")
        name = name.strip()
        if not name or len(name) > 100 or not name.isprintable():
            raise InvalidInputError(f"name of a token must be 1 to 100 printable characters, got {name!r}")
        allowed = Scope.parse(scope)
        secret = _PREFIX + secrets.token_urlsafe(32)
        now = self._clock.now()
        record = TokenRecord(
            id=make_id(TOKEN, now, self._random_bits),
            name=name,
            hash=digest(secret),
            scope=str(allowed),
            created_at=now,
        )
        await self._store.tokens.add(record)
        await self._tell(TOKEN_CREATED, caller, record)
        return NewToken(record, secret)

    async def list(self, caller: Caller) -> list[TokenRecord]:
        """Every token, revoked ones too."""
        if not caller.scope.is_admin:
            raise AccessDeniedError("cannot list tokens: access denied, tokens are for admins")
        return await self._store.tokens.all()

    async def revoke(self, caller: Caller, token_id: str) -> TokenRecord:
        """From now on the token opens nothing, and what it scheduled does not run."""
        _admins_only(caller, "revoke tokens")
        found = await self._store.tokens.revoke(token_id, self._clock.now())
        if found is None:
            raise NotFoundError(f"there is no token {token_id!r}: `duly token list` shows them")
        await self._tell(TOKEN_REVOKED, caller, found)
        return found

    async def caller(self, secret: str, face: Face) -> Caller | None:
        """Whoever holds this secret; None when it opens nothing."""
        record = await self._store.tokens.by_hash(digest(secret))
        if record is None or record.revoked_at is not None:
            return None
        now = self._clock.now()
        if record.last_used_at is None or now - record.last_used_at > _NOTE_EVERY:
            await self._store.tokens.note_use(record.id, now)
        scope = Scope.parse(record.scope)
        return Caller(scope, record.id, face, scope.subject if scope.kind == "user" else None)

    async def _tell(self, kind: EventKind, caller: Caller, record: TokenRecord) -> None:
        data = {"by": caller.name, "face": str(caller.face), "token": record.id, "scope": record.scope}
        await self._store.record([Event(kind, self._clock.now(), data=data)])


def digest(secret: str) -> str:
    """What is kept of a secret. It is random and long, so that a plain hash is enough."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _admins_only(caller: Caller, verb: str) -> None:
    if not caller.scope.is_admin or caller.scope.read_only:
        raise AccessDeniedError(f"cannot {verb}: access denied, tokens are for admins")
