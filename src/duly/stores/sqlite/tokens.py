"""Tokens in SQLite."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

import apsw

from duly.errors import InvalidInputError
from duly.ports.tokens import TokenRecord
from duly.stores import queries
from duly.stores.sqlite.connection import Gate
from duly.stores.sqlite.rows import micros, time_of, to_micros, to_time

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
        return await self._door().read(lambda connection: list(map(_to_token, connection.execute(SQL.list_tokens))))

    async def revoke(self, token_id: str, now: datetime) -> TokenRecord | None:
        values = {"id": token_id, "now": micros(now)}
        return await self._door().write(lambda connection: _one(connection, SQL.revoke_token, values))

    async def note_use(self, token_id: str, now: datetime) -> None:
        values = {"id": token_id, "now": micros(now)}
        await self._door().write(lambda connection: connection.execute(SQL.note_token_use, values).get)


def _add(connection: apsw.Connection, token: TokenRecord) -> None:
    values = {
        "id": token.id,
        "name": token.name,
        "hash": token.hash,
        "scope": token.scope,
        "created_at": micros(token.created_at),
        "last_used_at": to_micros(token.last_used_at),
        "revoked_at": to_micros(token.revoked_at),
    }
    if connection.execute(SQL.add_token, values).get is not None:
        return
    there = _one(connection, SQL.get_token, values)
    if there is None or there.hash != token.hash:
        raise InvalidInputError(f"cannot add token {token.id}: its id or its hash is taken; make a new one")


def _one(connection: apsw.Connection, statement: str, values: dict[str, Any]) -> TokenRecord | None:
    row = next(iter(connection.execute(statement, values)), None)
    return None if row is None else _to_token(row)


def get_tokens(connection: apsw.Connection, ids: Sequence[str]) -> dict[str, TokenRecord]:
    """Those of some tokens that there are, by id. One that cannot be read counts as none."""
    found = {}
    for row in connection.execute(SQL.get_tokens, {"ids": json.dumps(list(ids))}):
        with suppress(OverflowError):
            found[row[0]] = _to_token(row)
    return found


def _to_token(row: tuple[Any, ...]) -> TokenRecord:
    token_id, name, digest, scope, created_at, last_used_at, revoked_at = row
    return TokenRecord(
        id=token_id,
        name=name,
        hash=digest,
        scope=scope,
        created_at=time_of(created_at),
        last_used_at=to_time(last_used_at),
        revoked_at=to_time(revoked_at),
    )
