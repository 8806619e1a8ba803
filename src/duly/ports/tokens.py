"""Tokens as a store keeps them: never themselves, only their hashes."""

from __future__ import annotations

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


class Tokens(Protocol):
    """The tokens of a store."""

    async def add(self, token: TokenRecord) -> None: ...

    async def get(self, token_id: str) -> TokenRecord | None: ...

    async def by_hash(self, digest: str) -> TokenRecord | None: ...

    async def all(self) -> list[TokenRecord]:
        """Revoked ones too, the oldest first."""
        ...

    async def revoke(self, token_id: str, now: datetime) -> TokenRecord | None:
        """The token as it is afterwards; revoked before, it keeps its first time. None when there is none."""
        ...

    async def note_use(self, token_id: str, now: datetime) -> None: ...
