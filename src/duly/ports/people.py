"""The interface for people: who gets reminders, and on which channels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from duly.model.action import Message
    from duly.model.events import Event
    from duly.ports.tokens import TokenRecord

LOCAL_USER = "local"
"""The local user: schedules without another owner belong to them."""
_NAMESPACE = "user:"


def namespace_of(user_id: str) -> str:
    """Return the namespace of a person's schedules."""
    return _NAMESPACE + user_id


def owner_of(namespace: str) -> str:
    """Return the id of the person who owns a namespace."""
    return namespace.removeprefix(_NAMESPACE) if namespace.startswith(_NAMESPACE) else LOCAL_USER


def recipients(message: Message, namespace: str) -> tuple[str, ...]:
    """Return the ids of the people whom a message of a namespace is for, its own person first."""
    return message.people(owner_of(namespace))


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """A person."""

    id: str
    name: str
    timezone: str | None = None
    language: str | None = None
    is_admin: bool = False
    quiet_from: str | None = None
    """Local time, "22:00"; a window may span midnight."""
    quiet_to: str | None = None
    snoozes: str | None = None
    """The lengths of a snooze that are offered, "10m, 1h, evening, tomorrow"; None: as configured."""
    day_parts: str | None = None
    """Where parts of the day lie that are not as usual, "morning=08:00, evening=18:30"."""
    digest_at: str | None = None
    """When what has a low priority comes as one message, "18:00"; "off": each at once; None: as configured."""
    wants_answer: str | None = None
    """For which reminders of a chat duly wants an answer: "medicine", which is usual, "always" or "never"."""
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class UserChannel:
    """One way to reach a person; the lowest preference comes first."""

    user_id: str
    channel: str
    address: str
    preference: int = 0
    sender: str | None = None
    """The vendor's id of the person who paired it: in a group only they may answer. None: all who write there may."""


class People(Protocol):
    """The people a store knows. Events that are handed in are written with the change, unless nothing changed."""

    async def save(self, user: User, events: Sequence[Event] = ()) -> None:
        """Add a person, or change the one of this id; a name that is taken is an `InvalidInputError`."""
        ...

    async def get(self, user_id: str) -> User | None: ...

    async def find(self, name: str) -> User | None: ...

    async def look_up(self, who: str) -> User | None:
        """Find a person by id, else by name."""
        ...

    async def all(self) -> list[User]:
        """Return all people in order of name."""
        ...

    async def page(self, after: str | None, limit: int) -> list[User]:
        """Return some people in order of name, beginning after a name."""
        ...

    async def remove(self, user_id: str, now: datetime, events: Sequence[Event] = ()) -> list[TokenRecord] | None:
        """Delete a person and revoke the tokens of their scope in one transaction; returns the revoked tokens.

        None when there is no such person. The local user is made again when needed, so their tokens stay.
        """
        ...

    async def add_channel(self, channel: UserChannel, events: Sequence[Event] = ()) -> None:
        """Bind an address; one that belongs to another person is an `InvalidInputError`, the same again an update.

        The `sender` is kept when the update has none.
        """
        ...

    async def remove_channel(self, user_id: str, channel: str, address: str, events: Sequence[Event] = ()) -> bool: ...

    async def channels(self, user_id: str) -> list[UserChannel]:
        """Return the channels of a person in order of preference."""
        ...

    async def by_address(self, channel: str, address: str) -> UserChannel | None:
        """Find the person who has an address."""
        ...

    async def add_code(
        self, digest: str, user_id: str, channel: str, expires_at: datetime, events: Sequence[Event] = ()
    ) -> None: ...

    async def take_code(self, digest: str, channel: str, now: datetime) -> User | None:
        """Use a pairing code and return its person; a code works once, and not after it has expired."""
        ...
