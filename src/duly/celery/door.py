"""What a worker says to duly about one handover, over HTTP. Only the standard library: workers need nothing more.

Every request is safe to repeat. A connection is kept for each thread; one that the other side has closed meanwhile is
replaced once.
"""

from __future__ import annotations

import http.client
import json
import ssl
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import quote, urlsplit

TIMEOUT = 5.0
"""Seconds for one answer of duly. The lease of a handover is much longer."""
_MOST_ANSWER = 64 * 1024
_TRANSIENT = frozenset({408, 425, 429})


class RefusedError(Exception):
    """Raised when duly does not listen: `args[0]` is its reason, in one word."""

    @property
    def refusal(self) -> str:
        return str(self.args[0])


class UnreachableError(Exception):
    """Raised when duly gave no answer, or one that says nothing about the handover. Asking again may help."""


@dataclass(frozen=True, slots=True)
class Door:
    """Where a worker reports about one handover."""

    base: str
    run_id: str
    number: str
    token: str

    def __repr__(self) -> str:
        """Leave out the token: this may end up in a log."""
        return f"<Door {self.base} {self.run_id}.{self.number}>"

    def begin(self, start: str, worker: str, after: str | None) -> dict[str, Any]:
        """Ask for leave; `after` names the start that Celery retries with this one."""
        body = {"start": start, "worker": worker}
        return self._post("begin", body if after is None else {**body, "after": after})

    def beat(self, start: str, said: Mapping[str, Any]) -> dict[str, Any]:
        return self._post("beat", {"start": start, **said})

    def end(self, start: str, outcome: Mapping[str, Any]) -> None:
        self._post("end", {"start": start, **outcome})

    def _post(self, what: str, body: Mapping[str, Any]) -> dict[str, Any]:
        path = f"/api/v1/executions/{quote(self.run_id, safe='')}/{quote(self.number, safe='')}/{what}"
        try:
            status, content = _exchange(self.base, path, self.token, json.dumps(body).encode())
        except (OSError, http.client.HTTPException) as error:
            raise UnreachableError(f"{self.base} cannot be reached: {type(error).__name__}: {error}") from None
        answer = _object(content)
        if status == http.HTTPStatus.OK:
            return answer
        if status >= http.HTTPStatus.INTERNAL_SERVER_ERROR or status in _TRANSIENT:
            raise UnreachableError(f"{self.base} answered {status}")
        raise RefusedError(str(answer.get("refusal") or f"status {status}"))


def checked_base(url: str) -> str:
    """Return an address of duly without what the paths add to it; raise if it is none."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"the address of duly must begin with http:// or https://, got {url!r:.200}")
    return url.rstrip("/")


def _object(content: bytes) -> dict[str, Any]:
    try:
        found = json.loads(content or b"{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


class _Kept(threading.local):
    """The open connections of a thread."""

    def __init__(self) -> None:
        self.connections: dict[str, http.client.HTTPConnection] = {}


_kept = _Kept()


def forget_connections() -> None:
    """Leave the connections of this thread alone from now on: they belong to the process that forked this one."""
    _kept.connections = {}


def _exchange(base: str, path: str, token: str, body: bytes) -> tuple[int, bytes]:
    connection = _kept.connections.pop(base, None)
    if connection is not None:
        try:
            return _ask(connection, base, path, token, body)
        except (OSError, http.client.HTTPException):
            connection.close()  # most likely it was closed while it was not used
    connection = _connect(base)
    try:
        return _ask(connection, base, path, token, body)
    except BaseException:
        connection.close()
        raise


def _ask(connection: http.client.HTTPConnection, base: str, path: str, token: str, body: bytes) -> tuple[int, bytes]:
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    connection.request("POST", f"{urlsplit(base).path}{path}", body, headers)
    response = connection.getresponse()
    content = response.read(_MOST_ANSWER)
    if response.isclosed() and not response.will_close:
        _kept.connections[base] = connection
    else:
        connection.close()
    return response.status, content


def _connect(base: str) -> http.client.HTTPConnection:
    parts = urlsplit(base)
    host = parts.hostname or ""
    if parts.scheme == "https":
        return http.client.HTTPSConnection(host, parts.port, timeout=TIMEOUT, context=_tls())
    return http.client.HTTPConnection(host, parts.port, timeout=TIMEOUT)


@cache
def _tls() -> ssl.SSLContext:
    return ssl.create_default_context()
