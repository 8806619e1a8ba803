"""A line to PostgreSQL that can be made to fall silent, or to break at the worst moment."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from dataclasses import dataclass, field

_COMMIT = b"COMMIT"
_COMMITTED = b"C\0\0\0\x0bCOMMIT\0"
"""How the server says that it is done: a CommandComplete with its length."""
_CHUNK = 65536
_HEADER = 5


class Frontend:
    """Reads along with what a client sends, to tell when it asks for a commit.

    A driver asks in words at first (Query), and once it has asked often it prepares the statement (Parse) and refers
    to it by its name (Bind).
    """

    def __init__(self) -> None:
        self._rest = b""
        self._prepared: set[bytes] = set()
        """The names of statements that commit."""

    def asks_for_commit(self, data: bytes) -> bool:
        """Whether, with this piece, a request for a commit is complete."""
        self._rest += data
        asked = False
        while (message := self._next()) is not None:
            asked |= self._is_commit(*message)
        return asked

    def _next(self) -> tuple[bytes, bytes] | None:
        """The type and the body of the next message that has arrived as a whole."""
        untyped = self._rest[:1] == b"\0"  # the first ones of a connection have no type, only a length
        header = _HEADER - 1 if untyped else _HEADER
        if len(self._rest) < header:
            return None
        end = int.from_bytes(self._rest[header - 4 : header], "big") + header - 4
        if len(self._rest) < end:
            return None
        kind, body = b"" if untyped else self._rest[:1], self._rest[header:end]
        self._rest = self._rest[end:]
        return kind, body

    def _is_commit(self, kind: bytes, body: bytes) -> bool:
        first, _, more = body.partition(b"\0")
        second = more.partition(b"\0")[0]
        if kind == b"P":
            (self._prepared.add if second == _COMMIT else self._prepared.discard)(first)
        return (kind == b"Q" and first == _COMMIT) or (kind == b"B" and second in self._prepared)


@dataclass(eq=False)
class _Line:
    client: socket.socket
    server: socket.socket
    frontend: Frontend = field(default_factory=Frontend)

    def cut(self) -> None:
        for end in (self.client, self.server):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()


class Proxy:
    """Listens on a port of its own and passes everything on, until told otherwise."""

    def __init__(self, port: int) -> None:
        self._target = ("127.0.0.1", port)
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        self._up_flows, self._down_flows = threading.Event(), threading.Event()
        self.speak()
        self._lines: set[_Line] = set()
        self._lock = threading.Lock()
        self._every = 0
        self._commits = 0
        self._unasked = False
        self.cuts = 0
        """Commits after which the client does not know whether they were done."""
        self._threads: list[threading.Thread] = []
        self._accepting = threading.Thread(target=self._accept, name="proxy", daemon=True)
        self._accepting.start()

    def fall_silent(self, *, answers_only: bool = False) -> None:
        """Nothing gets through any more, or no answer does, and neither side is told."""
        if not answers_only:
            self._up_flows.clear()
        self._down_flows.clear()

    def fall_silent_after_commit(self) -> None:
        """From the next commit on no answer gets through: it is done over there, and not known over here."""
        self._silent_after_commit = True

    @property
    def silent(self) -> bool:
        return not self._down_flows.is_set()

    def speak(self) -> None:
        """Everything gets through again, also what was held back."""
        self._silent_after_commit = False
        self._up_flows.set()
        self._down_flows.set()

    def cut_all(self) -> None:
        """Break every line there is."""
        with self._lock:
            lines, self._lines = self._lines, set()
        for line in lines:
            line.cut()

    def cut_commits(self, every: int, *, unasked: bool = False) -> None:
        """Break the line at every so many commits: done over there, unknown over here. 0 stops it.

        With `unasked` it breaks before the server has heard of it: nothing was done, and that is not known either.
        """
        with self._lock:
            self._every, self._unasked = every, unasked

    def close(self) -> None:
        """Break everything, and wait for the end of every thread."""
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)  # a thread that waits in `accept` does not notice a mere close
        self._accepting.join()
        self._listening.close()
        self.cut_all()
        self.speak()
        for thread in self._threads:
            thread.join()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listening.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(self._target)
            except OSError:
                client.close()
                continue
            line = _Line(client, server)
            with self._lock:
                self._lines.add(line)
            for pump in (self._up, self._down):
                thread = threading.Thread(target=pump, args=(line,), name="proxy-line", daemon=True)
                self._threads.append(thread)
                thread.start()

    def _up(self, line: _Line) -> None:
        with suppress(OSError):
            while data := line.client.recv(_CHUNK):
                self._up_flows.wait()
                if line.frontend.asks_for_commit(data) and self._unasked and self._is_unlucky():
                    break
                line.server.sendall(data)
        line.cut()

    def _down(self, line: _Line) -> None:
        with suppress(OSError):
            while data := line.server.recv(_CHUNK):
                if _COMMITTED in data and self._silent_after_commit:
                    self._down_flows.clear()
                self._down_flows.wait()
                if _COMMITTED in data and not self._unasked and self._is_unlucky():
                    break
                line.client.sendall(data)
        line.cut()

    def _is_unlucky(self) -> bool:
        with self._lock:
            self._commits += 1
            unlucky = self._every > 0 and self._commits % self._every == 0
            self.cuts += unlucky
            return unlucky
