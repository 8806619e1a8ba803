"""The heartbeat URL: duly calls it as long as all is well, and a service elsewhere notices when the calls stop.

A daemon that is dead cannot report it: this is the dead man's switch. While health is red, the URL with `/fail` at the
end of its path is called instead, as healthchecks.io and others understand it, with the reasons as the body.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

from duly.engine.health import Health, Light
from duly.errors import ConfigError
from duly.model.events import HEARTBEAT_FAILED, HEARTBEAT_RECOVERED, Event

if TYPE_CHECKING:
    import httpx

    from duly.config.monitoring import HeartbeatPing
    from duly.runtime.runtime import Runtime

_TIMEOUT = 10.0
_LONGEST_BODY = 10_000
_LONGEST_ANSWER = 1000


class HeartbeatUrl:
    """Calls one URL now and then. What goes wrong is reported once, and shown in the health until it is over."""

    def __init__(self, runtime: Runtime, ping: HeartbeatPing, client: httpx.AsyncClient | None = None) -> None:
        """Resolve the URL; raise if it is none, or if its secret is missing."""
        self._runtime = runtime
        self._url = runtime.resolver("heartbeat.url")(ping.url)
        self._pause = ping.every.total_seconds()
        self._client = client
        self._note: str | None = None
        self.failures = 0
        """How often in a row the URL could not be called."""
        try:
            parts = urlsplit(self._url)
            self._host = parts.hostname or ""
        except ValueError:
            self._host = ""
        if not self._host or not self._url.startswith(("http://", "https://")):
            raise ConfigError("heartbeat.url", 'must lead to a URL such as "https://hc-ping.com/…"')

    async def run(self) -> None:
        """Call the URL at once and then regularly, until cancelled."""
        try:
            while True:
                await self.beat()
                await self._runtime.clock.sleep(self._pause)
        finally:
            if self._client is not None:
                await asyncio.shield(self._client.aclose())

    async def beat(self) -> None:
        """Judge the health, and call the URL that says so."""
        health = await self._runtime.health()
        error = await self._call(health)
        if error is None:
            self._succeeded()
        else:
            self._failed(error)

    async def _call(self, health: Health) -> str | None:
        """Call the URL; give what went wrong, without the URL itself, which is a secret."""
        # Imported here: the HTTP library takes long to import, and most processes have no heartbeat URL.
        from duly.outbound.http import HttpRequest, RequestError, exchange, read_start, vendor_client

        if self._client is None:
            self._client = vendor_client()
        parts = urlsplit(self._url)
        request = HttpRequest(
            method="POST",
            url=f"{parts.scheme}://{parts.netloc}/",
            hidden_url=self._url if health.light is not Light.RED else failing(self._url),
            content="\n".join([str(health.light), *health.reasons]).encode()[:_LONGEST_BODY],
            headers={"Content-Type": "text/plain; charset=utf-8"},
            timeout=_TIMEOUT,
        )
        try:
            async with exchange(self._client, request) as response:
                await read_start(response, _LONGEST_ANSWER)
        except RequestError as error:
            return f"{self._host} did not answer ({error.kind})"
        return None if response.is_success else f"{self._host} answered {response.status_code}"

    def _failed(self, error: str) -> None:
        self.failures += 1
        if self._note is None:
            self._note = f"the heartbeat URL cannot be called: {error}. Check url of [heartbeat]"
            self._runtime.notes.append(self._note)
            self._tell(Event(HEARTBEAT_FAILED, self._runtime.clock.now(), data={"error": error}))

    def _succeeded(self) -> None:
        if self._note is not None:
            self._runtime.notes.remove(self._note)
            self._note = None
            self._tell(Event(HEARTBEAT_RECOVERED, self._runtime.clock.now(), data={"failures": self.failures}))
        self.failures = 0

    def _tell(self, event: Event) -> None:
        self._runtime.tell(event)


def failing(url: str) -> str:
    """Give the URL that reports a failure: `/fail` after the path, before a query.

    >>> failing("https://hc-ping.com/abc?rid=1")
    'https://hc-ping.com/abc/fail?rid=1'
    """
    parts = urlsplit(url)
    return urlunsplit(parts._replace(path=f"{parts.path.rstrip('/')}/fail"))
