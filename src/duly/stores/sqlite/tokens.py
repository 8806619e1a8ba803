"""Tokens in SQLite."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

import apsw

from duly.errors import InvalidInputError
from duly.ports.tokens import TokenChange, TokenRecord
from duly.stores import queries
from duly.stores.columns import AS_JSON, Columns
from duly.stores.sqlite.connection import Gate
from duly.stores.sqlite.rows import STORED, micros

TOKENS = Columns(TokenRecord, {**STORED, tuple: AS_JSON})

SQL = queries.load("sqlite")


class SqliteTokens:
    """See `duly.ports.tokens.Tokens` for what each call promises."""

    def __init__(self, door: Callable[[], Gate]) -> None:
        self._door = door

    async def add(self, token: TokenRecord) -> None:
        await self._door().write(lambda connection: _add(connection, token))

    async def get(self, token_id: str) -> TokenRecord | None:
        return await self._door().read(lambda connection: _one(connection, SQL.get_token, {"id": token_id}))

    async def by_hash(self, digest: str) -> TokenRecord | None:
        return await self._door().read(lambda connection: _one(connection, SQL.token_by_hash, {"hash": digest}))

    async def all(self) -> list[TokenRecord]:
        return await self._door().read(lambda connection: list(map(TOKENS.record, connection.execute(SQL.list_tokens))))

    async def page(self, after: str | None, limit: int) -> list[TokenRecord]:
        values = {"after": after, "limit": limit}
        return await self._door().read(
            lambda connection: list(map(TOKENS.record, connection.execute(SQL.page_of_tokens, values)))
        )

    async def revoke(self, token_id: str, now: datetime) -> TokenRecord | None:
        values = {"id": token_id, "now": micros(now)}
        return await self._door().write(lambda connection: _one(connection, SQL.revoke_token, values))

    async def change(self, token_id: str, change: TokenChange) -> TokenRecord | None:
        return await self._door().write(lambda connection: _change(connection, token_id, change))

    async def note_use(self, token_id: str, now: datetime) -> None:
        values = {"id": token_id, "now": micros(now)}
        await self._door().write(lambda connection: connection.execute(SQL.note_token_use, values).get)


def revoke_tokens_of(connection: apsw.Connection, user_id: str, now: datetime) -> list[TokenRecord]:
    """Revoke what a person's scope still opens, within the transaction of whoever asks."""
    values = {"id": user_id, "now": micros(now)}
    return list(map(TOKENS.record, connection.execute(SQL.revoke_tokens_of, values)))


def _add(connection: apsw.Connection, token: TokenRecord) -> None:
    values = TOKENS.values(token)
    if connection.execute(SQL.add_token, values).get is not None:
        return
    there = _one(connection, SQL.get_token, values)
    if there is None or there.hash != token.hash:
        raise InvalidInputError(f"cannot add token {token.id}: its id or its hash is taken; make a new one")


def _change(connection: apsw.Connection, token_id: str, change: TokenChange) -> TokenRecord | None:
    before = _one(connection, SQL.lock_token, {"id": token_id})
    if before is None:
        return None
    after = change(before)
    connection.execute(SQL.replace_token, TOKENS.values(after))
    return after


def _one(connection: apsw.Connection, statement: str, values: dict[str, Any]) -> TokenRecord | None:
    row = next(iter(connection.execute(statement, values)), None)
    return None if row is None else TOKENS.record(row)


def get_tokens(connection: apsw.Connection, ids: Sequence[str]) -> dict[str, TokenRecord]:
    """Those of some tokens that there are, by id. One that cannot be read counts as none."""
    found = {}
    for row in connection.execute(SQL.get_tokens, {"ids": json.dumps(list(ids))}):
        with suppress(OverflowError, ValueError, TypeError):
            found[row[0]] = TOKENS.record(row)
    return found
