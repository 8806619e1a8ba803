"""Signed requests to webhooks of users: the one way out for prompts and for messages.

A request carries the time of sending in `X-Duly-Timestamp`, and in `X-Duly-Signature` the text `v1=` followed by the
HMAC-SHA256 of that time, a dot and the body. The receiver computes the same, and refuses what is old: the time is part
of what is signed, so a recorded request is of no use later. `docs/channels.md` has the code for receivers.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import ssl
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import httpx

from duly.clock import Clock
from duly.outbound.addresses import IPAddress, IPNetwork, Resolver, UserUrl, addresses_of, resolve
from duly.outbound.http import HttpRequest, exchange, pinned_client
from duly.outbound.tracing import trace_headers

_SIGNATURE = "X-Duly-Signature"
_TIMESTAMP = "X-Duly-Timestamp"
_SAFE_IN_KEY = "/:+#@"  # headers are ASCII; these characters of a key are sent as they are, others percent-encoded


def sign(secret: str, timestamp: str, body: bytes) -> str:
    """Return the signature of a body, as the receiver computes it too.

    >>> sign("secret", "1767225600", b"{}")[:19]
    'v1=fa7eaa06bf97d781'
    """
    return "v1=" + hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookClient:
    """Posts JSON to URLs that users name. Every address is checked before a request is sent there."""

    clock: Clock
    timeout: float
    allow_private: bool = False
    """Whether addresses of this machine and its network may be called."""
    allowed: Sequence[IPNetwork] = ()
    """Networks that are not public and may be called."""
    resolver: Resolver = resolve
    tls: ssl.SSLContext | None = None

    @asynccontextmanager
    async def post(
        self, url: UserUrl, payload: Mapping[str, Any], *, key: str, secret: str | None
    ) -> AsyncIterator[httpx.Response]:
        """Send one request, and give the answer to be read in the block.

        `key` is the same in every repetition, so that the receiver can tell them. Raises `HostUnknownError`,
        `HostRefusedError` or a `RequestError`.
        """
        async with (
            self.connect(url) as line,
            line.send("POST", url, payload=payload, key=key, secret=secret, headers=trace_headers()) as response,
        ):
            yield response

    @asynccontextmanager
    async def connect(self, url: UserUrl, *, kept: int = 0) -> AsyncIterator[WebhookLine]:
        """Check the addresses of the server of a URL, for the requests to it within the block.

        So many connections as `kept` says are used again within the block. Raises `HostUnknownError` or
        `HostRefusedError`.
        """
        addresses = await addresses_of(
            url.host, url.port, allow_private=self.allow_private, allowed=self.allowed, resolver=self.resolver
        )
        async with pinned_client(self.tls, kept=kept) as client:
            yield WebhookLine(url, addresses, client, self.clock, self.timeout)


@dataclass(frozen=True, slots=True)
class WebhookLine:
    """The way to one server whose addresses were checked."""

    server: UserUrl
    addresses: Sequence[IPAddress]
    client: httpx.AsyncClient
    clock: Clock
    timeout: float

    @asynccontextmanager
    async def send(
        self,
        method: str,
        url: UserUrl,
        *,
        payload: Mapping[str, Any] | None = None,
        key: str | None = None,
        secret: str | None,
        headers: Mapping[str, str] | None = None,
    ) -> AsyncIterator[httpx.Response]:
        """Send one signed request to this server, and give the answer to be read in the block."""
        if url.origin != self.server.origin:
            raise ValueError(f"{url.authority} is not the server {self.server.authority}, whose addresses were checked")
        body = b"" if payload is None else json.dumps(payload, ensure_ascii=False).encode()
        signed = {"Host": url.authority, **self._headers(body, key, secret), **(headers or {})}
        requests = [
            HttpRequest(
                method=method,
                url=url.at(address),  # not by name: looked up again, the name could lead elsewhere
                hidden_url=f"{url.scheme}://{url.authority}{url.target}",
                content=body,
                headers=signed,
                server_name=url.host if url.scheme == "https" else None,
                timeout=self.timeout,
            )
            for address in self.addresses
        ]
        async with exchange(self.client, *requests) as response:
            yield response

    def _headers(self, body: bytes, key: str | None, secret: str | None) -> dict[str, str]:
        timestamp = str(int(self.clock.now().timestamp()))
        headers = {_TIMESTAMP: timestamp}
        if body:
            headers["Content-Type"] = "application/json"
        if key is not None:
            headers["Idempotency-Key"] = quote(key, safe=_SAFE_IN_KEY)
        if secret is not None:
            headers[_SIGNATURE] = sign(secret, timestamp, body)
        return headers
