"""Verify and read what comes in: the requests of vendors, and the signed links in our own messages.

A `Receiver` verifies a vendor's request before it reads it, and raises `InboundRefusedError` for one that is not the
vendor's, is too old, or came before. It needs no web framework.

Vendors that sign the time of sending (Slack, Discord) let us refuse old and repeated requests. Those that do not
(Telegram, WhatsApp) repeat a request with the same signature when our answer was lost: there `Incoming.message_id`
tells repetitions apart, and what was sent before the ids that are kept is refused.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Protocol

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from duly.channels.discord import discord_response, parse_discord
from duly.channels.slack import parse_slack
from duly.channels.telegram import parse_telegram
from duly.channels.whatsapp import parse_whatsapp
from duly.errors import ChannelNotConfiguredError, InboundRefusedError, InvalidInputError
from duly.ports.channels import LATEST_REPETITION, ButtonKind, Inbound, Incoming

MAX_SKEW = 300.0
"""Seconds between a vendor's clock and ours, either way."""
_LINK_VERSION = "1"
_LINK_SIGNATURE_BYTES = 16


# signatures


class Memory(Protocol):
    """Remembers requests for longer than `MAX_SKEW`."""

    def first_time(self, key: str, now: datetime) -> bool:
        """Whether the key is new; remembers it."""
        ...


class RecentMemory:
    """Remembers the requests of the last minutes in this process: older ones are refused for their age anyway."""

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
    """Check the header in which the secret given to `setWebhook` comes back."""
    given = _header(headers, "X-Telegram-Bot-Api-Secret-Token")
    if not secret or not hmac.compare_digest(given.encode(), secret.encode()):
        raise InboundRefusedError("telegram: the secret token is wrong or missing")


def verify_slack(
    signing_secret: str, headers: Mapping[str, str], body: bytes, *, now: datetime, memory: Memory | None = None
) -> None:
    """Check the HMAC-SHA256 over the time and the body."""
    stamp = _header(headers, "X-Slack-Request-Timestamp")
    mac = hmac.new(signing_secret.encode(), f"v0:{stamp}:".encode() + body, hashlib.sha256).hexdigest()
    given = _header(headers, "X-Slack-Signature")
    if not signing_secret or not hmac.compare_digest(given.encode(), f"v0={mac}".encode()):
        raise InboundRefusedError("slack: the signature is wrong or missing")
    _check_fresh("slack", stamp, body, now, memory)


def verify_discord(
    public_key: str, headers: Mapping[str, str], body: bytes, *, now: datetime, memory: Memory | None = None
) -> None:
    """Check the Ed25519 signature of the time and the body. Discord tries bad signatures before it accepts a URL."""
    stamp = _header(headers, "X-Signature-Timestamp")
    try:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(public_key))
    except ValueError as error:
        raise ChannelNotConfiguredError(f"channels.discord.public_key: is no Ed25519 key in hex: {error}") from None
    try:
        key.verify(bytes.fromhex(_header(headers, "X-Signature-Ed25519")), stamp.encode() + body)
    except (ValueError, InvalidSignature):
        raise InboundRefusedError("discord: the signature is wrong or missing") from None
    _check_fresh("discord", stamp, body, now, memory)


def verify_whatsapp(app_secret: str, headers: Mapping[str, str], body: bytes) -> None:
    """Check the HMAC-SHA256 over the body, with the app's secret."""
    mac = hmac.new(app_secret.encode(), body, hashlib.sha256).hexdigest()
    given = _header(headers, "X-Hub-Signature-256")
    if not app_secret or not hmac.compare_digest(given.encode(), f"sha256={mac}".encode()):
        raise InboundRefusedError("whatsapp: the signature is wrong or missing")


def whatsapp_challenge(verify_token: str, query: Mapping[str, str]) -> str:
    """Give the plain text to answer with when Meta asks by GET whether a URL is ours."""
    given = query.get("hub.verify_token", "")
    same = bool(verify_token) and hmac.compare_digest(given.encode(), verify_token.encode())
    if query.get("hub.mode") != "subscribe" or not same:
        raise InboundRefusedError("whatsapp: the verify token is wrong or missing")
    return query.get("hub.challenge", "")


def _header(headers: Mapping[str, str], name: str) -> str:
    """Find a header by its name in any case; empty when it is missing."""
    wanted = name.lower()
    return next((value for key, value in headers.items() if key.lower() == wanted), "")


def _check_fresh(channel: str, stamp: str, body: bytes, now: datetime, memory: Memory | None) -> None:
    """Refuse an old or repeated request.

    To be called after the signature was checked: only that shows that the time and the body are the vendor's.
    """
    if not stamp.isascii() or not stamp.isdigit() or abs(now.timestamp() - int(stamp)) > MAX_SKEW:
        raise InboundRefusedError(f"{channel}: sent at {stamp!r}, more than {MAX_SKEW:g} s from our clock")
    key = hashlib.sha256(f"{channel}:{stamp}:".encode() + body).hexdigest()
    if memory is not None and not memory.first_time(key, now):
        raise InboundRefusedError(f"{channel}: this request came before")


# receivers


@dataclass(frozen=True, slots=True, kw_only=True)
class Receiver:
    """Receives the requests of one vendor."""

    name: str
    verify: Callable[[Mapping[str, str], bytes, datetime], None]
    """Refuses headers and a body that are not the vendor's, at the present time."""
    parse: Callable[[bytes], Inbound]
    confirm: Callable[[Mapping[str, str]], str] | None = None
    """Answers the query of a GET, for vendors that ask in this way whether a URL is ours."""
    response: Callable[[Incoming, str, bool], Mapping[str, Any]] | None = None
    """Makes the JSON to answer a POST with, from the message, the reply, and whether the reply closes the matter."""

    def receive(self, headers: Mapping[str, str], body: bytes, *, now: datetime) -> Inbound:
        """Verify and read a POST. Raises `InboundRefusedError`: answer that with 401, and use nothing of the body."""
        self.verify(headers, body, now)
        return _without_old(self.name, self.parse(body), now - LATEST_REPETITION)

    def challenge(self, query: Mapping[str, str]) -> str:
        """Give the plain text to answer a GET with."""
        if self.confirm is None:
            raise InboundRefusedError(f"{self.name} does not ask by GET")
        return self.confirm(query)

    def respond(self, incoming: Incoming, text: str, *, closes: bool = True) -> Mapping[str, Any] | None:
        """Give the JSON to answer the POST with once `incoming` was handled; None for an empty 200.

        Unless it `closes` the matter, buttons stay where they are.
        """
        return None if self.response is None else self.response(incoming, text, closes)


def _without_old(channel: str, inbound: Inbound, since: datetime) -> Inbound:
    """Leave out what was sent so long ago that it is not known any more whether it came before."""
    messages = tuple(each for each in inbound.messages if each.sent_at is None or each.sent_at >= since)
    statuses = tuple(each for each in inbound.statuses if each.sent_at is None or each.sent_at >= since)
    if len(messages) == len(inbound.messages) and len(statuses) == len(inbound.statuses):
        return inbound
    if not messages and not statuses and inbound.response is None:
        raise InboundRefusedError(f"{channel}: sent more than {LATEST_REPETITION.days} days ago")
    return replace(inbound, messages=messages, statuses=statuses)


def telegram_receiver(webhook_secret: str) -> Receiver:
    """Receive updates by webhook."""
    return Receiver(
        name="telegram",
        verify=lambda headers, _body, _now: verify_telegram(webhook_secret, headers),
        parse=parse_telegram,
    )


def discord_receiver(public_key: str, memory: Memory | None = None) -> Receiver:
    """Receive interactions."""
    seen = memory or RecentMemory()
    return Receiver(
        name="discord",
        verify=lambda headers, body, now: verify_discord(public_key, headers, body, now=now, memory=seen),
        parse=parse_discord,
        response=lambda incoming, text, closes: discord_response(incoming, text, closes=closes),
    )


def slack_receiver(signing_secret: str, memory: Memory | None = None) -> Receiver:
    """Receive events and interactions."""
    seen = memory or RecentMemory()
    return Receiver(
        name="slack",
        verify=lambda headers, body, now: verify_slack(signing_secret, headers, body, now=now, memory=seen),
        parse=parse_slack,
    )


def whatsapp_receiver(app_secret: str, verify_token: str, phone_number_id: str) -> Receiver:
    """Receive the messages and statuses of one number."""
    return Receiver(
        name="whatsapp",
        verify=lambda headers, body, _now: verify_whatsapp(app_secret, headers, body),
        parse=lambda body: parse_whatsapp(body, phone_number_id=phone_number_id),
        confirm=lambda query: whatsapp_challenge(verify_token, query),
    )


# links that carry an answer


def sign_link(secret: str, token: str, action: ButtonKind, expires: datetime) -> str:
    """Make the text of a URL that carries one answer to one message until it expires, and permits nothing else."""
    if not secret:
        raise InvalidInputError("links need a secret to be signed with")
    fields = f"{_LINK_VERSION}.{int(expires.timestamp())}.{action.value}.{_encode(token.encode())}"
    return f"{fields}.{_sign(secret, fields)}"


def verify_link(secret: str, signed: str, now: datetime) -> tuple[str, ButtonKind]:
    """Read the token and the answer in a link that duly signed; `InboundRefusedError` for any other."""
    fields, _, signature = signed.rpartition(".")
    if not secret or not hmac.compare_digest(signature.encode(), _sign(secret, fields).encode()):
        raise InboundRefusedError("this link is not one of ours, or was changed on the way")
    try:
        _, expires, action, token = fields.split(".")
        kind = ButtonKind(action)
        found = _decode(token).decode()
        until = datetime.fromtimestamp(int(expires), UTC)
    except (ValueError, binascii.Error) as error:
        raise InboundRefusedError("this link was signed for something else") from error
    if now >= until:
        raise InboundRefusedError(f"this link expired at {until:%Y-%m-%d %H:%M} UTC")
    return found, kind


def _sign(secret: str, fields: str) -> str:
    # The prefix keeps a signature of something else under the same secret from passing as a link.
    mac = hmac.new(secret.encode(), b"duly link " + fields.encode(), hashlib.sha256).digest()
    return _encode(mac[:_LINK_SIGNATURE_BYTES])


def _encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _decode(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
