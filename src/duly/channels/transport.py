"""One HTTP request to a vendor, and what became of it: an answer, or an error that says whether to try again.

What matters is the moment of failure. Before a connection stands, nothing has left and trying again is safe; after
that, silence means that the message may have arrived.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NoReturn, TypedDict, Unpack

import httpx

from duly.errors import (
    ChannelNotConfiguredError,
    ChannelPermanentError,
    ChannelTemporaryError,
    ChannelUnknownError,
)
from duly.outbound.http import (
    HttpRequest,
    InvalidUrlError,
    NotConnectedError,
    RequestError,
    exchange,
    read_start,
    vendor_client,
)
from duly.outbound.masking import Mask
from duly.ports.channels import Address, Button

DEFAULT_TIMEOUT = 20.0
_MAX_ANSWER = 1024 * 1024
_MAX_REASON = 300
_TRY_AGAIN = (408, 425, 429)


@dataclass(frozen=True)
class VendorResponse:
    """A response, read to its end or to the limit."""

    status: int
    headers: httpx.Headers
    body: bytes

    @property
    def ok(self) -> bool:
        return 200 <= self.status < 300

    @cached_property
    def data(self) -> dict[str, Any]:
        """The JSON object in the body; empty when there is none."""
        try:
            found = json.loads(self.body)
        except (ValueError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}

    @property
    def retry_after(self) -> float | None:
        return seconds(self.headers.get("Retry-After"))


def seconds(value: object) -> float | None:
    """A waiting time that a vendor named, if it is one."""
    try:
        number = float(str(value))
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


class Transport:
    """Requests of one channel to one server. Secrets are kept out of everything that is raised, logged or shown."""

    def __init__(
        self,
        channel: str,
        base_url: str,
        *,
        http: httpx.AsyncClient | None = None,
        timeout: float = DEFAULT_TIMEOUT,
        headers: Mapping[str, str] | None = None,
        secrets: Iterable[str] = (),
    ) -> None:
        self.channel = channel
        self.base_url = base_url.rstrip("/")
        self.timeout = timeout
        self._headers = dict(headers or {})
        self._secrets = Mask(secrets)
        self._borrowed = http
        self._own: httpx.AsyncClient | None = None

    def __repr__(self) -> str:
        return f"Transport({self.channel!r}, {self.base_url!r})"

    async def request(
        self,
        method: str,
        path: str,
        *,
        json: Any = None,
        content: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        hidden_path: str | None = None,
        patience: float | None = None,
        limit: int = _MAX_ANSWER,
    ) -> VendorResponse:
        """Ask once. `hidden_path` is sent in the place of `path`, which is the one that logs and errors show."""
        request = HttpRequest(
            method=method,
            url=self.base_url + path,
            hidden_url=None if hidden_path is None else self.base_url + hidden_path,
            json=json,
            content=content,
            headers={**self._headers, **(headers or {})},
            timeout=self.timeout if patience is None else patience,
        )
        return await self.receive(exchange(self._client(), request), limit)

    async def receive(
        self, answering: AbstractAsyncContextManager[httpx.Response], limit: int = _MAX_ANSWER
    ) -> VendorResponse:
        """Read the answer of an exchange; without one, raise the error that says whether to try again."""
        try:
            async with answering as response:
                body = await read_start(response, limit)
                return VendorResponse(response.status_code, response.headers, body)
        except InvalidUrlError as error:
            raise ChannelPermanentError(self.clean(f"{self.channel}: {self.base_url} is no URL: {error}")) from None
        except NotConnectedError as error:
            raise ChannelTemporaryError(self._reason(error, "cannot be reached")) from None
        except RequestError as error:
            raise ChannelUnknownError(self._reason(error, "did not answer after the message had left")) from None

    async def close(self) -> None:
        """Close what was opened here; a client that was handed in is its owner's."""
        if self._own is not None:
            own, self._own = self._own, None
            await own.aclose()

    def clean(self, text: str) -> str:
        """A text fit to be shown: no secrets, one line, not long."""
        text = " ".join(self._secrets.text(text).split())
        return text if len(text) <= _MAX_REASON else text[: _MAX_REASON - 1] + "…"

    def refuse(self, answer: VendorResponse, reason: object, *, retry_after: float | None = None) -> NoReturn:
        """Raise what an HTTP status means, for vendors that use them as they are meant."""
        message = self.clean(f"{self.channel}: {reason or 'no reason given'} (HTTP {answer.status})")
        if answer.status in _TRY_AGAIN or answer.status >= 500:
            raise ChannelTemporaryError(message, answer.retry_after if retry_after is None else retry_after)
        if answer.status == 401:
            raise ChannelNotConfiguredError(f"{message}: check the token")
        raise ChannelPermanentError(message)

    def unreadable(self, answer: VendorResponse) -> ChannelUnknownError:
        """For a success without the facts a success has: another server may have answered in place of the vendor."""
        text = answer.body[:80].decode("utf-8", "replace")
        return ChannelUnknownError(
            self.clean(f"{self.channel}: HTTP {answer.status}, but not the answer expected: {text}")
        )

    def _reason(self, error: Exception, what: str) -> str:
        return self.clean(f"{self.channel}: {self.base_url} {what} ({error})")

    def _client(self) -> httpx.AsyncClient:
        if self._borrowed is not None:
            return self._borrowed
        if self._own is None:
            self._own = vendor_client()
        return self._own


class SendingChannel:
    """A channel whose messages cannot be edited, and which keeps nothing open between them."""

    async def edit(
        self,
        address: Address,  # noqa: ARG002  the protocol's
        message_id: str,  # noqa: ARG002  the protocol's
        text: str,  # noqa: ARG002  the protocol's
        buttons: tuple[Button, ...] = (),  # noqa: ARG002  the protocol's
    ) -> bool:
        return False

    async def close(self) -> None:
        """Do nothing."""


class ClientOptions(TypedDict, total=False):
    """The options that every channel of an HTTP vendor takes."""

    http: httpx.AsyncClient | None
    """A client to borrow; without one, the channel opens its own when it needs one."""
    timeout: float


class HttpOptions(ClientOptions, total=False):
    """The options of channels whose vendor has a server for all."""

    base_url: str
    """Another server than the vendor's."""


class HttpChannel(SendingChannel):
    """A channel that speaks to one server of a vendor, and shows a token there."""

    name: str
    server: ClassVar[str] = ""
    """The URL of the vendor, if it has a server for all."""

    def __init__(self, token: str | None, **options: Unpack[HttpOptions]) -> None:
        self._token = token
        self._wire = Transport(
            self.name,
            options.get("base_url", self.server),
            http=options.get("http"),
            timeout=options.get("timeout", DEFAULT_TIMEOUT),
            headers=self.headers(token) if token else {},
            secrets=[token] if token else [],
        )

    def headers(self, token: str) -> dict[str, str]:
        """Give the headers of every request."""
        return {"Authorization": f"Bearer {token}"}

    async def close(self) -> None:
        await self._wire.close()
