"""People in PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from psycopg import errors

from duly.errors import InvalidInputError
from duly.model.events import Event
from duly.ports.people import LOCAL_USER, User, UserChannel
from duly.ports.tokens import TokenRecord
from duly.stores.columns import Columns
from duly.stores.postgres.connection import Session
from duly.stores.postgres.cycle import SQL, write_events
from duly.stores.postgres.gate import Gate
from duly.stores.postgres.tokens import revoke_tokens_of

USERS = Columns(User, {})
CHANNELS = Columns(UserChannel, {})


class PostgresPeople:
    """See `duly.ports.people.People` for what each call promises."""

    def __init__(self, door: Callable[[], Gate]) -> None:
        self._door = door

    async def save(self, user: User, events: Sequence[Event] = ()) -> None:
        await self._door().write(lambda session: _save(session, user, events))

    async def get(self, user_id: str) -> User | None:
        return await self._door().read(lambda session: _one(session, SQL.get_user, {"id": user_id}))

    async def find(self, name: str) -> User | None:
        return await self._door().read(lambda session: _one(session, SQL.find_user, {"name": name}))

    async def all(self) -> list[User]:
        rows = await self._door().read(lambda session: session.fetch(SQL.list_users))
        return [USERS.record(row) for row in rows]

    async def page(self, after: str | None, limit: int) -> list[User]:
        values = {"after": after, "limit": limit}
        rows = await self._door().read(lambda session: session.fetch(SQL.page_of_users, values))
        return [USERS.record(row) for row in rows]

    async def remove(self, user_id: str, now: datetime, events: Sequence[Event] = ()) -> list[TokenRecord] | None:
        return await self._door().write(lambda session: _remove(session, user_id, now, events))

    async def add_channel(self, channel: UserChannel, events: Sequence[Event] = ()) -> None:
        await self._door().write(lambda session: _add_channel(session, channel, events))

    async def remove_channel(self, user_id: str, channel: str, address: str, events: Sequence[Event] = ()) -> bool:
        values = {"user_id": user_id, "channel": channel, "address": address}
        return await self._door().write(lambda session: _changed(session, SQL.remove_channel, values, events))

    async def channels(self, user_id: str) -> list[UserChannel]:
        rows = await self._door().read(lambda session: session.fetch(SQL.channels_of, {"user_id": user_id}))
        return [CHANNELS.record(row) for row in rows]

    async def by_address(self, channel: str, address: str) -> UserChannel | None:
        values = {"channel": channel, "address": address}
        rows = await self._door().read(lambda session: session.fetch(SQL.channel_by_address, values))
        return CHANNELS.record(rows[0]) if rows else None

    async def add_code(
        self, digest: str, user_id: str, channel: str, expires_at: datetime, events: Sequence[Event] = ()
    ) -> None:
        values = {"hash": digest, "user_id": user_id, "channel": channel, "expires_at": expires_at}
        await self._door().write(lambda session: _add_code(session, values, events))

    async def take_code(self, digest: str, channel: str, now: datetime) -> User | None:
        values = {"hash": digest, "channel": channel, "now": now}
        return await self._door().write(lambda session: _take_code(session, values))


async def _changed(session: Session, statement: str, values: dict[str, Any], events: Sequence[Event]) -> bool:
    """Run a statement that answers what it changed; the events are written if that was anything."""
    changed = await session.value(statement, values) is not None
    if changed:
        await write_events(session, events)
    return changed


async def _add_code(session: Session, values: dict[str, Any], events: Sequence[Event]) -> None:
    await session.fetch(SQL.add_code, values)
    await write_events(session, events)


async def _save(session: Session, user: User, events: Sequence[Event]) -> None:
    try:
        await session.fetch(SQL.save_user, USERS.values(user))
    except errors.UniqueViolation as error:
        raise InvalidInputError(f"the name {user.name!r} is taken: choose another") from error
    await write_events(session, events)


async def _remove(session: Session, user_id: str, now: datetime, events: Sequence[Event]) -> list[TokenRecord] | None:
    if await session.value(SQL.remove_user, {"id": user_id}) is None:
        return None
    revoked = [] if user_id == LOCAL_USER else await revoke_tokens_of(session, user_id, now)
    await write_events(session, events)
    return revoked


async def _add_channel(session: Session, channel: UserChannel, events: Sequence[Event]) -> None:
    try:
        bound = await session.value(SQL.add_channel, CHANNELS.values(channel))
    except errors.ForeignKeyViolation as error:
        raise InvalidInputError(f"there is no user {channel.user_id!r}") from error
    if bound is None:
        raise InvalidInputError(
            f"{channel.channel} {channel.address!r} belongs to somebody else: remove it there before it is bound here"
        )
    await write_events(session, events)


async def _take_code(session: Session, values: dict[str, Any]) -> User | None:
    owner = await session.value(SQL.take_code, values)
    return None if owner is None else await _one(session, SQL.get_user, {"id": owner})


async def _one(session: Session, statement: str, values: dict[str, Any]) -> User | None:
    rows = await session.fetch(statement, values)
    return USERS.record(rows[0]) if rows else None
