"""What the port answers before the daemon serves: that it starts, and since when, or what it waits for.

A thread answers, because loading and looking back keep the event loop of the daemon busy. It reads nothing but the
head of a request, and knows no tokens.
"""

from __future__ import annotations

import json
import selectors
import socket
import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import Self

from duly.clock import Clock
from duly.zones import iso

_MOST = 50
"""Clients that may be connected; more are hung up on."""
_PATIENCE = 5.0
"""Seconds that a client has for its request."""
_MOMENT = 0.2
"""Seconds that those who have connected still have for it when the daemon is ready."""
_LONGEST = 65_536


class Starting:
    """Answers every request with 503 until it is ended; only `/healthz` says that the process lives."""

    def __init__(self, listening: socket.socket, clock: Clock) -> None:
        self.since = iso(clock.now().replace(microsecond=0))
        self._listening = listening.dup()
        self._clock = clock
        self._fault: str | None = None
        self._asked: dict[socket.socket, bytes] = {}
        self._until: dict[socket.socket, float] = {}
        self._ending, self._end = socket.socketpair()
        self._thread = threading.Thread(target=self._run, name="duly-starting", daemon=True)

    def __enter__(self) -> Self:
        """Answer from now on."""
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self.end()

    def blame(self, fault: str | None) -> None:
        """Say from now on that this keeps the daemon from serving: health is red. None is no fault."""
        self._fault = fault

    def end(self) -> None:
        """Answer those who have connected; later ones wait in the queue of the socket for the daemon. Idempotent."""
        self._end.close()
        self._thread.join()

    def _run(self) -> None:
        self._listening.setblocking(False)  # another may have taken who waited
        with selectors.DefaultSelector() as selector, self._listening, self._ending:
            selector.register(self._listening, selectors.EVENT_READ)
            selector.register(self._ending, selectors.EVENT_READ)
            while self._asked or self._ending in selector.get_map():
                for key, _ in selector.select(self._patience()):
                    if key.fileobj is self._ending:
                        selector.unregister(self._ending)
                        selector.unregister(self._listening)
                        self._until = dict.fromkeys(self._until, self._clock.monotonic() + _MOMENT)
                    elif key.fileobj is self._listening:
                        self._accept(selector)
                    else:
                        self._read(selector, key.fileobj)  # type: ignore[arg-type]  # all others are clients
                now = self._clock.monotonic()
                for client in [each for each, until in self._until.items() if until <= now]:
                    self._hang_up(selector, client)

    def _patience(self) -> float | None:
        return max(0.0, min(self._until.values()) - self._clock.monotonic()) if self._until else None

    def _accept(self, selector: selectors.BaseSelector) -> None:
        with suppress(OSError):
            client, _ = self._listening.accept()
            if len(self._asked) >= _MOST:
                client.close()
                return
            client.setblocking(False)
            self._asked[client] = b""
            self._until[client] = self._clock.monotonic() + _PATIENCE
            selector.register(client, selectors.EVENT_READ)

    def _read(self, selector: selectors.BaseSelector, client: socket.socket) -> None:
        try:
            read = client.recv(_LONGEST)
            request = self._asked[client] = self._asked[client] + read
            if b"\r\n\r\n" in request:
                client.send(self._response(request))  # short enough for the buffer of a new connection
            elif read and len(request) < _LONGEST:
                return
        except BlockingIOError:
            return
        except OSError:
            pass
        self._hang_up(selector, client)

    def _hang_up(self, selector: selectors.BaseSelector, client: socket.socket) -> None:
        selector.unregister(client)
        del self._asked[client], self._until[client]
        with client, suppress(OSError):
            client.shutdown(socket.SHUT_WR)
            client.recv(_LONGEST)  # what is not read would cut the answer off

    def _response(self, request: bytes) -> bytes:
        method, _, rest = request.partition(b" ")
        path = rest.split(maxsplit=1)[0].partition(b"?")[0] if rest.split() else b""
        is_page = b"\naccept: text/html" in request.lower()
        status, kind, content = self._content(path, is_page=is_page)
        head = (
            f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(content)}\r\nRetry-After: 1\r\n"
            "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n"
        )
        return head.encode() + (b"" if method == b"HEAD" else content)

    def _content(self, path: bytes, *, is_page: bool) -> tuple[str, str, bytes]:
        """Give status, type and body of the answer."""
        if path == b"/healthz":
            return "200 OK", "application/json", _json({"status": "ok"})
        unavailable = "503 Service Unavailable"
        if path == b"/readyz":
            return unavailable, "application/json", _json({"status": "not ready"})
        reason = self._fault or f"duly is starting, since {self.since}"
        if path == b"/health":
            state = "starting" if self._fault is None else "red"
            health = {"light": state, "state": state, "reasons": [reason], "since": self.since}
            return unavailable, "application/json", _json(health)
        if is_page:  # it comes again by itself, and then it is the page that was asked for
            page = f'<!doctype html><meta http-equiv="refresh" content="1"><title>duly</title><p>{reason} …</p>'
            return unavailable, "text/html; charset=utf-8", page.encode()
        return unavailable, "application/json", _json({"error": reason})


def _json(content: Mapping[str, object]) -> bytes:
    return json.dumps(content).encode()
