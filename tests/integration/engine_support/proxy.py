"""A line to PostgreSQL that can be made to fall silent, or to break at the worst moment."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from dataclasses import dataclass, field

_COMMIT = b"COMMIT\0"
"""A client asks for it in these words, and the server confirms it in the same."""
_CHUNK = 65536


@dataclass(eq=False)
class _Line:
    client: socket.socket
    server: socket.socket
    doomed: bool = field(default=False)
    """The answer to the commit that has just been asked for will not get through."""

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
        self._flows = threading.Event()
        self._flows.set()
        self._lines: set[_Line] = set()
        self._lock = threading.Lock()
        self._every = 0
        self._commits = 0
        self.cuts = 0
        """Commits that were confirmed, but not to whoever asked for them."""
        self._threads: list[threading.Thread] = []
        self._accepting = threading.Thread(target=self._accept, name="proxy", daemon=True)
        self._accepting.start()

    def fall_silent(self) -> None:
        """Nothing gets through any more, and nobody is told."""
        self._flows.clear()

    def speak(self) -> None:
        """Everything gets through again, also what was held back."""
        self._flows.set()

    def cut_all(self) -> None:
        """Break every line there is."""
        with self._lock:
            lines, self._lines = self._lines, set()
        for line in lines:
            line.cut()

    def cut_commits(self, every: int) -> None:
        """Break the line after every so many commits: done over there, unknown over here. 0 stops it."""
        with self._lock:
            self._every = every

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
                self._flows.wait()
                if _COMMIT in data:
                    line.doomed = self._is_unlucky()
                line.server.sendall(data)
        line.cut()

    def _down(self, line: _Line) -> None:
        with suppress(OSError):
            while data := line.server.recv(_CHUNK):
                self._flows.wait()
                if line.doomed and _COMMIT in data:
                    with self._lock:
                        self.cuts += 1
                    break
                line.client.sendall(data)
        line.cut()

    def _is_unlucky(self) -> bool:
        with self._lock:
            self._commits += 1
            return self._every > 0 and self._commits % self._every == 0
