"""The HTTP policy for every request that duly sends: to vendors of channels, and to webhooks of users.

- Redirects are not followed: one would carry the token, or the signed body, to another server.
- Each step (to connect, to write, to wait for more of the answer) may take `timeout` seconds, and the whole exchange
  twice as long: a server that sends a byte now and then would never exceed the limit of a step.
- Certificates are checked against those that httpx brings (or SSL_CERT_FILE names) and those of the machine.
- An error says whether the request may have arrived, because that decides whether it is safe to send it again.
- The caller limits how much of an answer is kept.
"""

from __future__ import annotations

import asyncio
import functools
import ssl
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx

_USER_AGENT = "duly"
_NOT_CONNECTED = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ProxyError)


class RequestError(Exception):
    """A request that got no complete answer; the message quotes the HTTP library."""

    def __init__(self, error: Exception) -> None:
        super().__init__(f"{type(error).__name__}: {error}")
        self.kind = type(error).__name__


class InvalidUrlError(RequestError):
    """The URL is none that can be called."""


class NotConnectedError(RequestError):
    """No connection was made, so nothing was sent: sending again is safe."""


class NoAnswerError(RequestError):
    """The request may have arrived, but no complete answer came."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpRequest:
    """One request."""

    method: str
    url: str
    timeout: float
    hidden_url: str | None = None
    """Its path and query are sent in the place of those of `url`: the HTTP library logs `url`, and they are secret."""
    json: Any = None
    content: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    server_name: str | None = None
    """The name that the certificate has to prove, where `url` has an address instead of a name."""

    def build(self, client: httpx.AsyncClient) -> httpx.Request:
        """Return the request as the HTTP library sends it."""
        extensions: dict[str, Any] = {}
        if self.hidden_url is not None:
            extensions["target"] = httpx.URL(self.hidden_url).raw_path
        if self.server_name is not None:
            extensions["sni_hostname"] = self.server_name
        return client.build_request(
            self.method,
            self.url,
            json=self.json,
            content=self.content,
            headers={"User-Agent": _USER_AGENT, **self.headers},
            timeout=self.timeout,
            extensions=extensions,
        )


@functools.cache
def _certificates() -> ssl.SSLContext:
    """Read the trusted certificates once: it takes tens of milliseconds."""
    context = httpx.create_ssl_context()
    context.load_default_certs()
    return context


def vendor_client() -> httpx.AsyncClient:
    """Return a client for servers that the configuration names; it uses the proxies of the environment."""
    return httpx.AsyncClient(verify=_certificates())


def pinned_client(tls: ssl.SSLContext | None = None, *, kept: int = 0) -> httpx.AsyncClient:
    """Return a client for addresses that were checked before.

    It uses no proxy, which would look the name up once more, and no connection twice: hosts can share an address, and
    on a connection that is reused the certificate of the second host would not be checked. A client for one host alone
    may keep connections, so many of them as `kept` says.
    """
    return httpx.AsyncClient(
        verify=tls or _certificates(), limits=httpx.Limits(max_keepalive_connections=kept), trust_env=False
    )


@asynccontextmanager
async def exchange(client: httpx.AsyncClient, *requests: HttpRequest) -> AsyncIterator[httpx.Response]:
    """Send the first of these requests whose server can be reached, and give its answer to be read in the block.

    The requests differ only in the address of one host: where no connection is made nothing was sent, and the next
    address is tried.
    """
    try:
        async with asyncio.timeout(None) as limit:
            response = await _send(client, requests, limit)
            try:
                yield response
            finally:
                await response.aclose()
    except (httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
        raise InvalidUrlError(error) from None
    except _NOT_CONNECTED as error:
        raise NotConnectedError(error) from None
    except (httpx.RequestError, TimeoutError) as error:
        raise NoAnswerError(error) from None


async def _send(client: httpx.AsyncClient, requests: Sequence[HttpRequest], limit: asyncio.Timeout) -> httpx.Response:
    """Send a request to the first address that accepts a connection; the time starts again with each address."""
    for left, request in zip(range(len(requests) - 1, -1, -1), requests, strict=True):
        limit.reschedule(asyncio.get_running_loop().time() + 2 * request.timeout)
        try:
            return await client.send(request.build(client), stream=True, follow_redirects=False)
        except (httpx.ConnectError, httpx.ConnectTimeout):
            if not left:
                raise
    raise AssertionError("there is no request to send")


async def read_start(response: httpx.Response, limit: int) -> bytes:
    """Read a body, and stop soon after `limit` bytes: a server that never stops must not fill the memory."""
    parts: list[bytes] = []
    size = 0
    async for part in response.aiter_bytes():
        parts.append(part)
        size += len(part)
        if size > limit:
            break
    return b"".join(parts)
