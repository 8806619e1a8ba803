"""The interface for tokens. A store keeps only their hashes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenRecord:
    """A token: a secret that names a caller, stored as a hash."""

    id: str
    name: str
    hash: str
    scope: str
    created_at: datetime
    last_used_at: datetime | None = None
    revoked_at: datetime | None = None
    grants: tuple[str, ...] = ()
    """What it may do beyond its scope: `prompts:SPAWNER`, `gates:NAME`, `projects:ID`, `executors:NAME`."""
    expires_at: datetime | None = None
    """From then on it is refused; None means never."""
    old_hash: str | None = None
    """The hash of the secret it had before it was rotated."""
    old_until: datetime | None = None
    """Until when that secret is still accepted."""

    def ended_at(self, now: datetime) -> datetime | None:
        """Return when it was revoked or expired; None while it is valid."""
        expired = self.expires_at if self.expires_at is not None and self.expires_at <= now else None
        return min((at for at in (self.revoked_at, expired) if at is not None), default=None)


TokenChange = Callable[[TokenRecord], TokenRecord]
"""Returns the changed token, with the same id. It may be called more than once."""


class Tokens(Protocol):
    """The tokens of a store."""

    async def add(self, token: TokenRecord) -> None: ...

    async def get(self, token_id: str) -> TokenRecord | None: ...

    async def by_hash(self, digest: str) -> TokenRecord | None:
        """Return the token that has this hash, or had it before it was rotated."""
        ...

    async def all(self) -> list[TokenRecord]:
        """Return all tokens, revoked ones too, oldest first."""
        ...

    async def page(self, after: str | None, limit: int) -> list[TokenRecord]:
        """Return some tokens in order of ids, which is the order of their making, beginning after an id."""
        ...

    async def revoke(self, token_id: str, now: datetime) -> TokenRecord | None:
        """Revoke a token and return it; one revoked before keeps its first time. None when there is none."""
        ...

    async def change(self, token_id: str, change: TokenChange) -> TokenRecord | None:
        """Replace a token by the result of `change`, in one transaction; None when there is none."""
        ...

    async def note_use(self, token_id: str, now: datetime) -> None: ...
