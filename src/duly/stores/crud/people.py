"""The people of a store, their channels and their pairing codes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from duly.errors import InvalidInputError
from duly.ports.people import LOCAL_USER, User, UserChannel
from duly.ports.tokens import TokenRecord

if TYPE_CHECKING:
    from duly.model.events import Event
    from duly.stores.crud.database import Database, Transaction


class StoredPeople:
    """Implements `duly.ports.people.People`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def save(self, user: User, events: Sequence[Event] = ()) -> None:
        await self._database.write(lambda tx: _save(tx, user, events))

    async def get(self, user_id: str) -> User | None:
        return await self._database.read(lambda tx: tx.record(User, "get_user", id=user_id))

    async def find(self, name: str) -> User | None:
        return await self._database.read(lambda tx: tx.record(User, "find_user", name=name))

    async def look_up(self, who: str) -> User | None:
        return await self._database.read(lambda tx: _look_up(tx, who))

    async def all(self) -> list[User]:
        return await self._database.read(lambda tx: tx.records(User, "list_users"))

    async def page(self, after: str | None, limit: int) -> list[User]:
        return await self._database.read(lambda tx: tx.records(User, "page_of_users", after=after, limit=limit))

    async def remove(self, user_id: str, now: datetime, events: Sequence[Event] = ()) -> list[TokenRecord] | None:
        return await self._database.write(lambda tx: _remove(tx, user_id, now, events))

    async def add_channel(self, channel: UserChannel, events: Sequence[Event] = ()) -> None:
        await self._database.write(lambda tx: _add_channel(tx, channel, events))

    async def remove_channel(self, user_id: str, channel: str, address: str, events: Sequence[Event] = ()) -> bool:
        values = {"user_id": user_id, "channel": channel, "address": address}
        return await self._database.write(lambda tx: _remove_channel(tx, values, events))

    async def channels(self, user_id: str) -> list[UserChannel]:
        return await self._database.read(lambda tx: tx.records(UserChannel, "channels_of", user_id=user_id))

    async def by_address(self, channel: str, address: str) -> UserChannel | None:
        values = {"channel": channel, "address": address}
        return await self._database.read(lambda tx: tx.record(UserChannel, "channel_by_address", **values))

    async def add_code(
        self, digest: str, user_id: str, channel: str, expires_at: datetime, events: Sequence[Event] = ()
    ) -> None:
        values = {"hash": digest, "user_id": user_id, "channel": channel, "expires_at": expires_at}
        await self._database.write(lambda tx: _add_code(tx, values, events))

    async def take_code(self, digest: str, channel: str, now: datetime) -> User | None:
        values = {"hash": digest, "channel": channel, "now": now}
        return await self._database.write(lambda tx: _take_code(tx, values))


async def _look_up(tx: Transaction, who: str) -> User | None:
    return await tx.record(User, "get_user", id=who) or await tx.record(User, "find_user", name=who)


async def _save(tx: Transaction, user: User, events: Sequence[Event]) -> None:
    try:
        await tx.rows("save_user", **tx.values(user))
    except tx.duplicate as error:
        raise InvalidInputError(f"the name {user.name!r} is taken: choose another") from error
    await tx.write_events(events)


async def _remove(tx: Transaction, user_id: str, now: datetime, events: Sequence[Event]) -> list[TokenRecord] | None:
    if await tx.value("remove_user", id=user_id) is None:
        return None
    revoked = []
    if user_id != LOCAL_USER:
        revoked = await tx.records(TokenRecord, "revoke_tokens_of", id=user_id, now=now)
    await tx.write_events(events)
    return revoked


async def _add_channel(tx: Transaction, channel: UserChannel, events: Sequence[Event]) -> None:
    try:
        bound = await tx.value("add_channel", **tx.values(channel))
    except tx.dangling as error:
        raise InvalidInputError(f"there is no user {channel.user_id!r}") from error
    if bound is None:
        raise InvalidInputError(
            f"{channel.channel} {channel.address!r} belongs to another person: remove it there before it is bound here"
        )
    await tx.write_events(events)


async def _remove_channel(tx: Transaction, values: dict[str, Any], events: Sequence[Event]) -> bool:
    if await tx.value("remove_channel", **values) is None:
        return False
    await tx.write_events(events)
    return True


async def _add_code(tx: Transaction, values: dict[str, Any], events: Sequence[Event]) -> None:
    await tx.rows("add_code", **values)
    await tx.write_events(events)


async def _take_code(tx: Transaction, values: dict[str, Any]) -> User | None:
    owner = await tx.value("take_code", **values)
    return None if owner is None else await tx.record(User, "get_user", id=owner)
