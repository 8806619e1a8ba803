"""People in SQLite."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

import apsw

from duly.errors import InvalidInputError
from duly.model.events import Event
from duly.ports.people import LOCAL_USER, User, UserChannel
from duly.ports.tokens import TokenRecord
from duly.stores.columns import Columns
from duly.stores.sqlite.connection import Gate
from duly.stores.sqlite.cycle import SQL, write_events
from duly.stores.sqlite.rows import STORED, micros
from duly.stores.sqlite.tokens import revoke_tokens_of

USERS = Columns(User, STORED)
CHANNELS = Columns(UserChannel, STORED)


class SqlitePeople:
    """See `duly.ports.people.People` for what each call promises."""

    def __init__(self, door: Callable[[], Gate]) -> None:
        self._door = door

    async def save(self, user: User, events: Sequence[Event] = ()) -> None:
        await self._door().write(lambda connection: _save(connection, user, events))

    async def get(self, user_id: str) -> User | None:
        return await self._door().read(lambda connection: _one(connection, SQL.get_user, {"id": user_id}))

    async def find(self, name: str) -> User | None:
        return await self._door().read(lambda connection: _one(connection, SQL.find_user, {"name": name}))

    async def all(self) -> list[User]:
        return await self._door().read(lambda connection: list(map(USERS.record, connection.execute(SQL.list_users))))

    async def page(self, after: str | None, limit: int) -> list[User]:
        values = {"after": after, "limit": limit}
        return await self._door().read(
            lambda connection: list(map(USERS.record, connection.execute(SQL.page_of_users, values)))
        )

    async def remove(self, user_id: str, now: datetime, events: Sequence[Event] = ()) -> list[TokenRecord] | None:
        return await self._door().write(lambda connection: _remove(connection, user_id, now, events))

    async def add_channel(self, channel: UserChannel, events: Sequence[Event] = ()) -> None:
        await self._door().write(lambda connection: _add_channel(connection, channel, events))

    async def remove_channel(self, user_id: str, channel: str, address: str, events: Sequence[Event] = ()) -> bool:
        values = {"user_id": user_id, "channel": channel, "address": address}
        return await self._door().write(lambda connection: _changed(connection, SQL.remove_channel, values, events))

    async def channels(self, user_id: str) -> list[UserChannel]:
        values = {"user_id": user_id}
        return await self._door().read(
            lambda connection: list(map(CHANNELS.record, connection.execute(SQL.channels_of, values)))
        )

    async def by_address(self, channel: str, address: str) -> UserChannel | None:
        values = {"channel": channel, "address": address}
        rows = await self._door().read(lambda connection: list(connection.execute(SQL.channel_by_address, values)))
        return CHANNELS.record(rows[0]) if rows else None

    async def add_code(
        self, digest: str, user_id: str, channel: str, expires_at: datetime, events: Sequence[Event] = ()
    ) -> None:
        values = {"hash": digest, "user_id": user_id, "channel": channel, "expires_at": micros(expires_at)}
        await self._door().write(lambda connection: _add_code(connection, values, events))

    async def take_code(self, digest: str, channel: str, now: datetime) -> User | None:
        values = {"hash": digest, "channel": channel, "now": micros(now)}
        return await self._door().write(lambda connection: _take_code(connection, values))


def _save(connection: apsw.Connection, user: User, events: Sequence[Event]) -> None:
    try:
        connection.execute(SQL.save_user, USERS.values(user))
    except apsw.ConstraintError as error:
        raise InvalidInputError(f"the name {user.name!r} is taken: choose another") from error
    write_events(connection, events)


def _remove(
    connection: apsw.Connection, user_id: str, now: datetime, events: Sequence[Event]
) -> list[TokenRecord] | None:
    if connection.execute(SQL.remove_user, {"id": user_id}).get is None:
        return None
    revoked = [] if user_id == LOCAL_USER else revoke_tokens_of(connection, user_id, now)
    write_events(connection, events)
    return revoked


def _changed(connection: apsw.Connection, statement: str, values: dict[str, Any], events: Sequence[Event]) -> bool:
    """Run a statement that answers what it changed; the events are written if that was anything."""
    changed = connection.execute(statement, values).get is not None
    if changed:
        write_events(connection, events)
    return changed


def _add_code(connection: apsw.Connection, values: dict[str, Any], events: Sequence[Event]) -> None:
    connection.execute(SQL.add_code, values)
    write_events(connection, events)


def _add_channel(connection: apsw.Connection, channel: UserChannel, events: Sequence[Event]) -> None:
    try:
        bound = connection.execute(SQL.add_channel, CHANNELS.values(channel)).get
    except apsw.ConstraintError as error:
        raise InvalidInputError(f"there is no user {channel.user_id!r}") from error
    if bound is None:
        raise InvalidInputError(
            f"{channel.channel} {channel.address!r} belongs to somebody else: remove it there before it is bound here"
        )
    write_events(connection, events)


def _take_code(connection: apsw.Connection, values: dict[str, Any]) -> User | None:
    owner = connection.execute(SQL.take_code, values).get
    return None if owner is None else _one(connection, SQL.get_user, {"id": owner})


def _one(connection: apsw.Connection, statement: str, values: dict[str, Any]) -> User | None:
    row = next(iter(connection.execute(statement, values)), None)
    return None if row is None else USERS.record(row)
