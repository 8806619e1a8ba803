"""Tokens in PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from duly.errors import InvalidInputError
from duly.ports.tokens import TokenRecord
from duly.stores import queries
from duly.stores.postgres.arrays import Texts
from duly.stores.postgres.connection import Session
from duly.stores.postgres.gate import Gate

SQL = queries.load("postgres")


class PostgresTokens:
    """See `duly.ports.tokens.Tokens` for what each call promises."""

    def __init__(self, door: Callable[[], Gate]) -> None:
        self._door = door

    async def add(self, token: TokenRecord) -> None:
        await self._door().write(lambda session: _add(session, token))

    async def get(self, token_id: str) -> TokenRecord | None:
        return await self._door().read(lambda session: _one(session, SQL.get_token, {"id": token_id}))

    async def by_hash(self, digest: str) -> TokenRecord | None:
        return await self._door().read(lambda session: _one(session, SQL.token_by_hash, {"hash": digest}))

    async def all(self) -> list[TokenRecord]:
        rows = await self._door().read(lambda session: session.fetch(SQL.list_tokens))
        return [_to_token(row) for row in rows]

    async def revoke(self, token_id: str, now: datetime) -> TokenRecord | None:
        values = {"id": token_id, "now": now}
        return await self._door().write(lambda session: _one(session, SQL.revoke_token, values))

    async def note_use(self, token_id: str, now: datetime) -> None:
        values = {"id": token_id, "now": now}
        await self._door().write(lambda session: session.fetch(SQL.note_token_use, values))


async def _add(session: Session, token: TokenRecord) -> None:
    values = {
        "id": token.id,
        "name": token.name,
        "hash": token.hash,
        "scope": token.scope,
        "created_at": token.created_at,
        "last_used_at": token.last_used_at,
        "revoked_at": token.revoked_at,
    }
    if await session.value(SQL.add_token, values) is not None:
        return
    there = await _one(session, SQL.get_token, values)
    if there is None or there.hash != token.hash:
        raise InvalidInputError(f"cannot add token {token.id}: its id or its hash is taken; make a new one")


async def _one(session: Session, statement: str, values: dict[str, Any]) -> TokenRecord | None:
    rows = await session.fetch(statement, values)
    return _to_token(rows[0]) if rows else None


async def get_tokens(session: Session, ids: Sequence[str]) -> dict[str, TokenRecord]:
    """Those of some tokens that there are, by id; a time that cannot be read is a number, and counts as one."""
    rows = await session.fetch(SQL.get_tokens, {"ids": Texts(ids)}, lenient=True)
    return {token.id: token for token in map(_to_token, rows)}


def _to_token(row: tuple[Any, ...]) -> TokenRecord:
    token_id, name, digest, scope, created_at, last_used_at, revoked_at = row
    return TokenRecord(
        id=token_id,
        name=name,
        hash=digest,
        scope=scope,
        created_at=created_at,
        last_used_at=last_used_at,
        revoked_at=revoked_at,
    )
