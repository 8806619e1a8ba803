"""A message as a signed POST to a program of yours. The receiver needs ten lines; `docs/channels.md` has them."""

from __future__ import annotations

import hashlib
import hmac
import json
import ssl
from collections.abc import Sequence
from typing import Any
from urllib.parse import SplitResult, quote, urlsplit

import httpx

from duly.channels.transport import DEFAULT_TIMEOUT, Transport
from duly.clock import Clock
from duly.errors import ChannelPermanentError, ChannelTemporaryError
from duly.outbound.addresses import (
    HostRefusedError,
    HostUnknownError,
    IPAddress,
    IPNetwork,
    Resolver,
    addresses_of,
    resolve,
)
from duly.ports.channels import Address, Outgoing, Receipt, ReceiptStatus

SIGNATURE = "X-Duly-Signature"
TIMESTAMP = "X-Duly-Timestamp"
_MAX_ID = 200


def sign(secret: str, timestamp: str, body: bytes) -> str:
    """The signature that a receiver computes too, and compares.

    >>> sign("secret", "1767225600", b"{}")[:19]
    'v1=fa7eaa06bf97d781'
    """
    return "v1=" + hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()


class WebhookChannel:
    """POSTs to URLs. An address is a URL; what it leads to is checked before anything is sent there."""

    name = "webhook"
    has_buttons = False

    def __init__(
        self,
        secret: str,
        clock: Clock,
        *,
        allowed: Sequence[IPNetwork] = (),
        timeout: float = DEFAULT_TIMEOUT,
        resolver: Resolver = resolve,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._secret = secret
        self._clock = clock
        self._allowed = tuple(allowed)
        self._resolver = resolver
        self._tls = tls
        self._timeout = timeout
        self._http: httpx.AsyncClient | None = None

    async def send(self, address: Address, outgoing: Outgoing) -> Receipt:
        url = _split(address)
        host = _ascii(url)
        port = url.port or (443 if url.scheme == "https" else 80)
        pinned = await self._address(host, port)
        body = json.dumps(payload(outgoing), ensure_ascii=False).encode()
        stamp = str(int(self._clock.now().timestamp()))
        shown = f"[{pinned}]" if pinned.version == 6 else str(pinned)
        wire = Transport(
            self.name,
            f"{url.scheme}://{shown}:{port}",
            http=self._client(),
            timeout=self._timeout,
            secrets=[self._secret],
        )
        answer = await wire.request(
            "POST",
            "/",
            hidden_path=(url.path or "/") + (f"?{url.query}" if url.query else ""),
            content=body,
            headers={
                "Host": _authority(host, url.port),
                "Content-Type": "application/json",
                "Idempotency-Key": quote(outgoing.key, safe="/:@"),  # headers are ASCII
                TIMESTAMP: stamp,
                SIGNATURE: sign(self._secret, stamp, body),
            },
            extensions={"sni_hostname": host} if url.scheme == "https" else None,
        )
        if not answer.ok:
            wire.refuse(answer, f"{host} did not take the message")
        known_as = answer.data.get("id")
        return Receipt(ReceiptStatus.DELIVERED, known_as[:_MAX_ID] if isinstance(known_as, str) else None)

    async def _address(self, host: str, port: int) -> IPAddress:
        """Where to connect to; refused when the host may not be called."""
        try:
            return (await addresses_of(host, port, allowed=self._allowed, resolver=self._resolver))[0]
        except HostUnknownError as error:
            raise ChannelTemporaryError(f"webhook: {error}") from None
        except HostRefusedError as error:
            hint = ": add its network to allow in [channels.webhook] if that is meant" if error.allowable else ""
            raise ChannelPermanentError(f"webhook: {error.reason}{hint}") from None

    async def edit(self, address: Address, message_id: str, text: str) -> bool:  # noqa: ARG002  the protocol's
        return False

    async def check(self) -> str:
        return "signs with the secret it has; every address is checked when it is used"

    async def close(self) -> None:
        if self._http is not None:
            http, self._http = self._http, None
            await http.aclose()

    def _client(self) -> httpx.AsyncClient:
        """A client of its own: no proxy that resolves the name once more, and no connection used twice.

        Hosts can share an address, and a connection belongs to an address: the second host's certificate would
        never be looked at.
        """
        if self._http is None:
            verify = self._tls or ssl.create_default_context()
            limits = httpx.Limits(max_keepalive_connections=0)
            self._http = httpx.AsyncClient(verify=verify, limits=limits, trust_env=False)
        return self._http


def payload(outgoing: Outgoing) -> dict[str, Any]:
    """What the receiver reads."""
    return {
        "type": "message",
        "key": outgoing.key,
        "title": outgoing.title,
        "text": outgoing.text,
        "language": outgoing.language,
        "reply_to": outgoing.reply_to,
        "buttons": [
            {"kind": str(button.kind), "label": button.label, "token": button.token, "url": button.url}
            for button in outgoing.buttons
        ],
    }


def _ascii(url: SplitResult) -> str:
    """The host as it is written on the wire."""
    host = str(url.hostname)
    try:
        return host if host.isascii() else host.encode("idna").decode()
    except UnicodeError:
        raise ChannelPermanentError(f"webhook: {host!r} is no name of a host") from None


def _authority(host: str, port: int | None) -> str:
    name = f"[{host}]" if ":" in host else host
    return name if port is None else f"{name}:{port}"


def _split(address: Address) -> SplitResult:
    try:
        url = urlsplit(address)
        usable = url.scheme in ("http", "https") and bool(url.hostname) and url.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise ChannelPermanentError("webhook: the address is no http or https URL")
    if url.username or url.password:
        raise ChannelPermanentError(f"webhook: no names or passwords in URLs ({url.hostname}): requests are signed")
    return url
