"""Tokens as a store keeps them: never themselves, only their hashes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenRecord:
    """What is known about a token."""

    id: str
    name: str
    hash: str
    scope: str
    created_at: datetime
    last_used_at: datetime | None = None
    revoked_at: datetime | None = None
    grants: tuple[str, ...] = ()
    """What it may beyond its scope: `prompts:SPAWNER`, `gates:NAME`, `projects:ID`."""
    expires_at: datetime | None = None
    """From then on it opens nothing; None never ends."""
    old_hash: str | None = None
    """Of the secret it had before it was rotated."""
    old_until: datetime | None = None
    """Until when that secret still opens."""

    def ended_at(self, now: datetime) -> datetime | None:
        """Since when it does not count any more, because it was revoked or has expired; None while it counts."""
        expired = self.expires_at if self.expires_at is not None and self.expires_at <= now else None
        return min((at for at in (self.revoked_at, expired) if at is not None), default=None)


TokenChange = Callable[[TokenRecord], TokenRecord]
"""A token as it is to be; it may be asked more than once, and keeps the id."""


class Tokens(Protocol):
    """The tokens of a store."""

    async def add(self, token: TokenRecord) -> None: ...

    async def get(self, token_id: str) -> TokenRecord | None: ...

    async def by_hash(self, digest: str) -> TokenRecord | None:
        """The token that has this hash, or had it before it was rotated."""
        ...

    async def all(self) -> list[TokenRecord]:
        """Revoked ones too, the oldest first."""
        ...

    async def page(self, after: str | None, limit: int) -> list[TokenRecord]:
        """Some tokens in order of ids, which is that of their making, from the first one after an id on."""
        ...

    async def revoke(self, token_id: str, now: datetime) -> TokenRecord | None:
        """The token as it is afterwards; revoked before, it keeps its first time. None when there is none."""
        ...

    async def change(self, token_id: str, change: TokenChange) -> TokenRecord | None:
        """Replace a token by what `change` makes of it, in one transaction; None when there is none."""
        ...

    async def note_use(self, token_id: str, now: datetime) -> None: ...
