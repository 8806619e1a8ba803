"""Tokens in PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

from duly.errors import InvalidInputError
from duly.ports.tokens import TokenChange, TokenRecord
from duly.stores import queries
from duly.stores.columns import AS_JSON, Columns
from duly.stores.postgres.arrays import Texts
from duly.stores.postgres.connection import Session
from duly.stores.postgres.gate import Gate
from duly.stores.postgres.unreadable import nearest

SQL = queries.load("postgres")
TOKENS = Columns(TokenRecord, {tuple: AS_JSON})


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
        return [TOKENS.record(row) for row in rows]

    async def page(self, after: str | None, limit: int) -> list[TokenRecord]:
        values = {"after": after, "limit": limit}
        rows = await self._door().read(lambda session: session.fetch(SQL.page_of_tokens, values))
        return [TOKENS.record(row) for row in rows]

    async def revoke(self, token_id: str, now: datetime) -> TokenRecord | None:
        values = {"id": token_id, "now": now}
        return await self._door().write(lambda session: _one(session, SQL.revoke_token, values))

    async def change(self, token_id: str, change: TokenChange) -> TokenRecord | None:
        return await self._door().write(lambda session: _change(session, token_id, change))

    async def note_use(self, token_id: str, now: datetime) -> None:
        values = {"id": token_id, "now": now}
        await self._door().write(lambda session: session.fetch(SQL.note_token_use, values))


async def revoke_tokens_of(session: Session, user_id: str, now: datetime) -> list[TokenRecord]:
    """Revoke what a person's scope still opens, within the transaction of whoever asks."""
    rows = await session.fetch(SQL.revoke_tokens_of, {"id": user_id, "now": now})
    return [TOKENS.record(row) for row in rows]


async def _add(session: Session, token: TokenRecord) -> None:
    values = TOKENS.values(token)
    if await session.value(SQL.add_token, values) is not None:
        return
    there = await _one(session, SQL.get_token, values)
    if there is None or there.hash != token.hash:
        raise InvalidInputError(f"cannot add token {token.id}: its id or its hash is taken; make a new one")


async def _change(session: Session, token_id: str, change: TokenChange) -> TokenRecord | None:
    before = await _one(session, SQL.lock_token, {"id": token_id})
    if before is None:
        return None
    after = change(before)
    await session.fetch(SQL.replace_token, TOKENS.values(after))
    return after


async def _one(session: Session, statement: str, values: dict[str, Any]) -> TokenRecord | None:
    rows = await session.fetch(statement, values)
    return TOKENS.record(rows[0]) if rows else None


async def get_tokens(session: Session, ids: Sequence[str]) -> dict[str, TokenRecord]:
    """Those of some tokens that there are, by id. One that cannot be read counts as none.

    A time beyond the calendar comes as the nearest one within it.
    """
    found = {}
    for row in await session.fetch(SQL.get_tokens, {"ids": Texts(ids)}, lenient=True):
        with suppress(ValueError, TypeError):
            found[row[0]] = TOKENS.record(nearest(value) if isinstance(value, int) else value for value in row)
    return found
