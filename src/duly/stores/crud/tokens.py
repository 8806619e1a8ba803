"""The tokens of a store. Only their hashes are stored."""

from __future__ import annotations

from datetime import datetime

from duly.errors import InvalidInputError
from duly.ports.tokens import TokenChange, TokenRecord
from duly.stores.crud.database import Database, Transaction


class StoredTokens:
    """Implements `duly.ports.tokens.Tokens`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, token: TokenRecord) -> None:
        await self._database.write(lambda tx: _add(tx, token))

    async def get(self, token_id: str) -> TokenRecord | None:
        return await self._database.read(lambda tx: tx.record(TokenRecord, "get_token", id=token_id))

    async def by_hash(self, digest: str) -> TokenRecord | None:
        return await self._database.read(lambda tx: tx.record(TokenRecord, "token_by_hash", hash=digest))

    async def all(self) -> list[TokenRecord]:
        return await self._database.read(lambda tx: tx.records(TokenRecord, "list_tokens"))

    async def page(self, after: str | None, limit: int) -> list[TokenRecord]:
        return await self._database.read(lambda tx: tx.records(TokenRecord, "page_of_tokens", after=after, limit=limit))

    async def revoke(self, token_id: str, now: datetime) -> TokenRecord | None:
        return await self._database.write(lambda tx: tx.record(TokenRecord, "revoke_token", id=token_id, now=now))

    async def change(self, token_id: str, change: TokenChange) -> TokenRecord | None:
        return await self._database.write(lambda tx: _change(tx, token_id, change))

    async def note_use(self, token_id: str, now: datetime) -> None:
        await self._database.write(lambda tx: tx.rows("note_token_use", id=token_id, now=now))


async def _add(tx: Transaction, token: TokenRecord) -> None:
    if await tx.value("add_token", **tx.values(token)) is not None:
        return
    there = await tx.record(TokenRecord, "get_token", id=token.id)
    if there is None or there.hash != token.hash:
        raise InvalidInputError(f"cannot add token {token.id}: its id or its hash is taken; make a new one")


async def _change(tx: Transaction, token_id: str, change: TokenChange) -> TokenRecord | None:
    await tx.lock("lock_token", id=token_id)
    before = await tx.record(TokenRecord, "get_token", id=token_id)
    if before is None:
        return None
    after = change(before)
    await tx.rows("replace_token", **tx.values(after))
    return after
