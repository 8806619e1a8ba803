"""Signing in: a link that works once becomes a signed cookie; what was used up or signed out stays so over a restart.

Links and cookies are signed with one secret of the data directory, so any process of this user can make a link for the
daemon. A session belongs to the local admin, or to a token: it ends with the token.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

COOKIE = "duly_session"
LINK_LIFE = timedelta(hours=24)
SESSION_LIFE = timedelta(days=30)
LOCAL = "local"
"""The holder of a session of the local admin; otherwise the holder is the hash of a token's secret."""
ANYONE = "anyone"
"""The holder of a session that began without signing in, with `--no-auth`: its cookie is worth nothing without that."""
_MOST_USED = 10_000
_PAD = 16
_LINK_ID = 9
_LINK_UNTIL = 5
_LINK_SEAL = 16
"""Bytes of the parts of a link: enough that it cannot be guessed within the day for which it is valid."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WebSession:
    """A browser that has signed in."""

    id: str
    holder: str
    until: datetime


class UsedUp:
    """The ids of links that were used and of sessions that were signed out, kept until they would have expired."""

    def __init__(self, content: str, save: Callable[[str], None]) -> None:
        self._save = save
        self._until: dict[str, float] = {}
        for line in content.splitlines():
            name, _, until = line.partition(" ")
            if until.strip().replace(".", "", 1).isdigit():
                self._until[name] = float(until)

    def __contains__(self, name: str) -> bool:
        return name in self._until

    def add(self, name: str, until: datetime, now: datetime) -> None:
        """Use an id up. Those that have expired by now are forgotten."""
        there = {known: end for known, end in self._until.items() if end > now.timestamp()}
        there[name] = until.timestamp()
        self._until = dict(sorted(there.items(), key=lambda each: each[1])[-_MOST_USED:])
        self._save("\n".join(f"{known} {end}" for known, end in self._until.items()))


class Sessions:
    """Makes and reads links, cookies and the tokens against forged forms. Time is an argument."""

    def __init__(self, secret: str, used: UsedUp) -> None:
        self._secret = secret.encode()
        self._used = used

    def make_link(self, now: datetime) -> str:
        """Give a token for the address that signs the local admin in, once."""
        return make_link(self._secret.decode(), now)

    def take_link(self, token: str, now: datetime) -> WebSession | None:
        """Use a link up and begin a session; None for a link that was used, has expired, or is not ours."""
        found = _read_link(self._secret, token)
        if found is None or found[1] <= now or found[0] in self._used:
            return None
        self._used.add(*found, now)
        return self.begin(LOCAL, now)

    def begin(self, holder: str, now: datetime) -> WebSession:
        """Begin a session of the local admin, or of a token."""
        return WebSession(id=secrets.token_urlsafe(18), holder=holder, until=now + SESSION_LIFE)

    def cookie(self, session: WebSession) -> str:
        """Give the value of the cookie of a session."""
        return _signed(self._secret, "session", session)

    def read(self, cookie: str | None, now: datetime) -> WebSession | None:
        """Give the session of a cookie; None when it was signed out, has expired, or is not ours."""
        return None if cookie is None else self._read("session", cookie, now)

    def is_forged(self, cookie: str | None) -> bool:
        """Whether a cookie was not made by us; one that has expired or was signed out is not forged."""
        return bool(cookie) and _verified(self._secret, "session", cookie or "") is None

    def end(self, session: WebSession, now: datetime) -> None:
        """Sign a session out: its cookie is not valid any more, wherever a copy of it lies."""
        self._used.add(session.id, session.until, now)

    def is_ended(self, session: WebSession) -> bool:
        """Whether a session was signed out."""
        return session.id in self._used

    def form_token(self, session: WebSession) -> str:
        """Give the token that a form must send back, masked anew each time so that compression tells nothing of it."""
        pad = secrets.token_bytes(_PAD)
        masked = bytes(a ^ b for a, b in zip(self._form_secret(session), pad * 2, strict=True))
        return base64.urlsafe_b64encode(pad + masked).decode()

    def is_form_token(self, session: WebSession, token: str) -> bool:
        """Whether a form comes from a page of this session."""
        try:
            raw = base64.urlsafe_b64decode(token.encode())
        except (ValueError, binascii.Error):
            return False
        if len(raw) != _PAD + 32:
            return False
        found = bytes(a ^ b for a, b in zip(raw[_PAD:], raw[:_PAD] * 2, strict=True))
        return hmac.compare_digest(found, self._form_secret(session))

    def _form_secret(self, session: WebSession) -> bytes:
        return hmac.digest(self._secret, f"form {session.id}".encode(), hashlib.sha256)

    def _read(self, kind: str, text: str, now: datetime) -> WebSession | None:
        found = _verified(self._secret, kind, text)
        if found is None or found.until <= now or found.id in self._used:
            return None
        return found


def make_link(secret: str, now: datetime) -> str:
    """Give the token of a sign-in link; any process that may read the secret can make one. Short: people see it."""
    until = int((now + LINK_LIFE).timestamp())
    body = secrets.token_bytes(_LINK_ID) + until.to_bytes(_LINK_UNTIL)
    return _base64(body + _seal(secret.encode(), body))


def _seal(secret: bytes, body: bytes) -> bytes:
    return hmac.digest(secret, b"link " + body, hashlib.sha256)[:_LINK_SEAL]


def _read_link(secret: bytes, token: str) -> tuple[str, datetime] | None:
    """Give the id of a link and when it expires; None for one that is not ours."""
    try:
        raw = base64.urlsafe_b64decode(token.encode() + b"=" * (-len(token) % 4))
    except (ValueError, binascii.Error):
        return None
    body = raw[: _LINK_ID + _LINK_UNTIL]
    if len(raw) != _LINK_ID + _LINK_UNTIL + _LINK_SEAL or not hmac.compare_digest(
        raw[len(body) :], _seal(secret, body)
    ):
        return None
    return _base64(body[:_LINK_ID]), datetime.fromtimestamp(int.from_bytes(body[_LINK_ID:]), UTC)


def _base64(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def _signed(secret: bytes, kind: str, session: WebSession) -> str:
    content = json.dumps([session.id, session.holder, session.until.timestamp()], separators=(",", ":"))
    body = _base64(content.encode())
    return f"{body}.{_signature(secret, kind, body)}"


def _signature(secret: bytes, kind: str, body: str) -> str:
    return _base64(hmac.digest(secret, f"{kind} {body}".encode(), hashlib.sha256))


def _verified(secret: bytes, kind: str, text: str) -> WebSession | None:
    body, _, signature = text.partition(".")
    if not hmac.compare_digest(signature.encode(), _signature(secret, kind, body).encode()):
        return None
    content: list[Any] = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
    name, holder, until = content
    return WebSession(id=name, holder=holder, until=datetime.fromtimestamp(until, UTC))
