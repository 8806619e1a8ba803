"""Is a request from the vendor it names, is it new, and was it not seen before? Raises `InboundRefusedError` if not.

Vendors that sign the time of sending (Slack, Discord) let us refuse what is old and what comes twice. Those that do
not (Telegram, WhatsApp) repeat a request with the same signature when our answer was lost: there the ids of messages
tell repetitions apart, in `Incoming.message_id`.
"""

from __future__ import annotations

import hashlib
import hmac
from collections import OrderedDict
from collections.abc import Mapping
from datetime import datetime
from typing import Protocol

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from duly.errors import ChannelNotConfiguredError, InboundRefusedError

MAX_SKEW = 300.0
"""Seconds between a vendor's clock and ours, either way."""


class Memory(Protocol):
    """Remembers requests for longer than `MAX_SKEW`."""

    def first_time(self, key: str, now: datetime) -> bool:
        """Whether the key is new; from now on it is not."""
        ...


class RecentMemory:
    """Requests of the last minutes, in this process: older ones are refused for their age anyway."""

    def __init__(self, keep: float = 2 * MAX_SKEW) -> None:
        self._keep = keep
        self._seen: OrderedDict[str, datetime] = OrderedDict()

    def first_time(self, key: str, now: datetime) -> bool:
        while self._seen and (now - next(iter(self._seen.values()))).total_seconds() > self._keep:
            self._seen.popitem(last=False)
        if key in self._seen:
            return False
        self._seen[key] = now
        return True


def verify_telegram(secret: str, headers: Mapping[str, str]) -> None:
    """The secret given to `setWebhook` comes back in a header."""
    given = _header(headers, "X-Telegram-Bot-Api-Secret-Token")
    if not secret or not hmac.compare_digest(given.encode(), secret.encode()):
        raise InboundRefusedError("telegram: the secret token is wrong or missing")


def verify_slack(
    signing_secret: str, headers: Mapping[str, str], body: bytes, *, now: datetime, memory: Memory | None = None
) -> None:
    """HMAC-SHA256 over the time and the body."""
    stamp = _header(headers, "X-Slack-Request-Timestamp")
    mac = hmac.new(signing_secret.encode(), f"v0:{stamp}:".encode() + body, hashlib.sha256).hexdigest()
    given = _header(headers, "X-Slack-Signature")
    if not signing_secret or not hmac.compare_digest(given.encode(), f"v0={mac}".encode()):
        raise InboundRefusedError("slack: the signature is wrong or missing")
    _check_fresh("slack", stamp, body, now, memory)


def verify_discord(
    public_key: str, headers: Mapping[str, str], body: bytes, *, now: datetime, memory: Memory | None = None
) -> None:
    """Ed25519 over the time and the body. Discord tests this with bad signatures before it takes a URL."""
    stamp = _header(headers, "X-Signature-Timestamp")
    try:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(public_key))
    except ValueError as error:
        raise ChannelNotConfiguredError(f"channels.discord.public_key is no Ed25519 key in hex: {error}") from None
    try:
        key.verify(bytes.fromhex(_header(headers, "X-Signature-Ed25519")), stamp.encode() + body)
    except (ValueError, InvalidSignature):
        raise InboundRefusedError("discord: the signature is wrong or missing") from None
    _check_fresh("discord", stamp, body, now, memory)


def verify_whatsapp(app_secret: str, headers: Mapping[str, str], body: bytes) -> None:
    """HMAC-SHA256 over the body, with the app's secret."""
    mac = hmac.new(app_secret.encode(), body, hashlib.sha256).hexdigest()
    given = _header(headers, "X-Hub-Signature-256")
    if not app_secret or not hmac.compare_digest(given.encode(), f"sha256={mac}".encode()):
        raise InboundRefusedError("whatsapp: the signature is wrong or missing")


def whatsapp_challenge(verify_token: str, query: Mapping[str, str]) -> str:
    """What to answer, as plain text, when Meta asks by GET whether a URL is ours."""
    given = query.get("hub.verify_token", "")
    same = bool(verify_token) and hmac.compare_digest(given.encode(), verify_token.encode())
    if query.get("hub.mode") != "subscribe" or not same:
        raise InboundRefusedError("whatsapp: the verify token is wrong or missing")
    return query.get("hub.challenge", "")


def _header(headers: Mapping[str, str], name: str) -> str:
    """A header by its name in any case; empty when there is none."""
    wanted = name.lower()
    return next((value for key, value in headers.items() if key.lower() == wanted), "")


def _check_fresh(channel: str, stamp: str, body: bytes, now: datetime, memory: Memory | None) -> None:
    """Called with a signature that is right: only then do the time and the body count as what was sent."""
    if not stamp.isascii() or not stamp.isdigit() or abs(now.timestamp() - int(stamp)) > MAX_SKEW:
        raise InboundRefusedError(f"{channel}: sent at {stamp!r}, more than {MAX_SKEW:g} s from our clock")
    key = hashlib.sha256(f"{channel}:{stamp}:".encode() + body).hexdigest()
    if memory is not None and not memory.first_time(key, now):
        raise InboundRefusedError(f"{channel}: this request came before")
