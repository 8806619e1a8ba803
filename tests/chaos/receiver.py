"""A program that takes webhooks: it writes down what arrived and under which key, and does not always answer well."""

from __future__ import annotations

import json
import random
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.chaos.witness import append

_BUSY, _MUTE, _SLOW = 0.05, 0.1, 0.25
"""How often the first try of a message is refused for now, taken without an answer, or answered late."""
_LONGEST = 1.5


class Receiver:
    """Listens on a port of its own."""

    def __init__(self, log: Path, seed: int) -> None:
        self._log = log
        self._seed = seed
        self._seen: set[str] = set()
        self._lock = threading.Lock()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                receiver.take(self, str(self.headers["Idempotency-Key"]), body)

            def log_message(self, *_: Any) -> None:
                """Not to the terminal."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = False
        self.url = f"http://127.0.0.1:{self._server.server_port}/"
        self._thread = threading.Thread(target=self._server.serve_forever, name="receiver")
        self._thread.start()

    def take(self, request: BaseHTTPRequestHandler, key: str, body: dict[str, Any]) -> None:
        text = str(body["text"])
        mood = self._mood(text)
        if mood < _BUSY:
            self._answer(request, 503)
            return
        append(self._log, {"text": text, "key": key, "at": time.monotonic()})
        if mood < _MUTE:
            request.close_connection = True
            return
        if mood < _SLOW:
            time.sleep(_LONGEST * (mood - _MUTE) / (_SLOW - _MUTE))
        self._answer(request, 200)

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _mood(self, text: str) -> float:
        """A message has one bad try at most: the second is answered at once."""
        with self._lock:
            again = text in self._seen
            self._seen.add(text)
        return 1.0 if again else random.Random(f"{self._seed}/{text}").random()

    def _answer(self, request: BaseHTTPRequestHandler, status: int) -> None:
        try:
            request.send_response(status)
            request.send_header("Content-Length", "2")
            request.end_headers()
            request.wfile.write(b"{}")
        except OSError:
            pass  # the process that asked is gone
