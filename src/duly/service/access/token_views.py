"""Tokens as callers see them: never with the hash of a secret, and with the secret itself in one answer only."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from duly.ports.tokens import TokenRecord

SOON = timedelta(days=7)
"""Health names a token that expires within this time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenLink:
    """A calendar link that a token made."""

    id: str
    name: str
    ended: bool
    """Whether it was ended with the old secret."""


@dataclass(frozen=True, slots=True)
class NewToken:
    """A new token, or one with a new secret; `secret` exists nowhere else."""

    record: TokenRecord
    secret: str
    warning: str | None = None
    calendar_links: tuple[TokenLink, ...] = ()
    """The calendar links that the token has made: another secret of the token does not end them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenView:
    """A token, without its secret and without the hash of it."""

    id: str
    name: str
    scope: str
    grants: list[str] = field(default_factory=list)
    state: str
    """`ok`, `expires soon`, `expired` or `revoked`."""
    created_at: datetime
    last_used_at: datetime | None = None
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    old_secret_until: datetime | None = None
    """Until when the secret it had before it was rotated is still accepted."""
    secret: str | None = None
    """The secret, in the answer that made it and never again."""
    warning: str | None = None
    calendar_links: list[TokenLink] = field(default_factory=list)
    """In the answer to a rotation: the calendar links of the token, which go on unless they were ended with it."""


def token_view(record: TokenRecord, now: datetime, made: NewToken | None = None) -> TokenView:
    """Show a token; with `made` also its new secret."""
    return TokenView(
        id=record.id,
        name=record.name,
        scope=record.scope,
        grants=list(record.grants),
        state=_state(record, now),
        created_at=record.created_at,
        last_used_at=record.last_used_at,
        expires_at=record.expires_at,
        revoked_at=record.revoked_at,
        old_secret_until=record.old_until,
        secret=None if made is None else made.secret,
        warning=None if made is None else made.warning,
        calendar_links=[] if made is None else list(made.calendar_links),
    )


def _state(record: TokenRecord, now: datetime) -> str:
    if record.revoked_at is not None:
        return "revoked"
    if record.ended_at(now) is not None:
        return "expired"
    return "expires soon" if record.expires_at is not None and record.expires_at - now <= SOON else "ok"
