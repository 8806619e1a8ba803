"""The interface for links to calendar feeds. A store keeps only the hashes of their secrets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from duly.model.events import Event


@dataclass(frozen=True, slots=True, kw_only=True)
class CalendarLink:
    """A secret address of a calendar feed."""

    id: str
    name: str
    hash: str
    token_id: str | None
    """The token that made it: the feed shows what this token may see, as long as it is valid. None: the local user."""
    created_at: datetime
    last_used_at: datetime | None = None


class CalendarLinks(Protocol):
    """The links of a store. Events that are handed in are written with the change."""

    async def put(self, link: CalendarLink, events: Sequence[Event] = ()) -> None:
        """Add a link, or give the one of this id another secret and name."""
        ...

    async def get(self, link_id: str) -> CalendarLink | None: ...

    async def by_hash(self, digest: str) -> CalendarLink | None: ...

    async def of_token(self, token_id: str | None) -> list[CalendarLink]:
        """Return the links that a token, or without one the local user, has made, oldest first."""
        ...

    async def all(self) -> list[CalendarLink]:
        """Return all links, oldest first."""
        ...

    async def remove(self, link_id: str, events: Sequence[Event] = ()) -> bool:
        """Remove a link; returns False, and writes nothing, when there is none."""
        ...

    async def note_use(self, link_id: str, now: datetime) -> None: ...
