"""How a worker speaks with duly over HTTP."""

from __future__ import annotations

import socket
import threading
from typing import BinaryIO

import pytest

from duly.celery import door
from duly.celery.door import Door, RefusedError, UnreachableError

_ANSWER = b"HTTP/1.1 %b\r\nContent-Length: 2\r\n\r\n{}"


class Script:
    """A server that answers by script: each connection has a list of answers, and is closed after them."""

    def __init__(self, *connections: list[bytes]) -> None:
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        self.heard: list[bytes] = []
        self._thread = threading.Thread(target=self._go, args=(connections,))
        self._thread.start()

    def _go(self, connections: tuple[list[bytes], ...]) -> None:
        for answers in connections:
            with self._listening.accept()[0] as connection, connection.makefile("rb") as file:
                for answer in answers:
                    self.heard.append(_request(file))
                    connection.sendall(answer)

    def close(self) -> None:
        self._thread.join()
        self._listening.close()
        for each in door._kept.connections.values():
            each.close()
        door.forget_connections()


def _request(file: BinaryIO) -> bytes:
    head = b"".join(iter(file.readline, b"\r\n"))
    file.read(int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0]))
    return head


def test_a_connection_that_was_closed_meanwhile_is_made_anew() -> None:
    good = _ANSWER % b"200 OK"
    script = Script([good, good], [good])
    own = Door(script.url + "/under", "run/1", "1", "secret")
    for _ in range(3):
        own.beat("s", {})
    script.close()
    assert len(script.heard) == 3
    assert script.heard[0].startswith(b"POST /under/api/v1/executions/run%2F1/1/beat HTTP/1.1\r\n")
    assert b"Authorization: Bearer secret" in script.heard[0]
    assert "secret" not in repr(own)


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (b"409 Conflict", RefusedError),
        (b"404 Not Found", RefusedError),
        (b"302 Found", RefusedError),
        (b"429 Too Many Requests", UnreachableError),
        (b"503 Service Unavailable", UnreachableError),
    ],
)
def test_what_an_answer_means(status: bytes, error: type[Exception]) -> None:
    script = Script([_ANSWER % status])
    with pytest.raises(error):
        Door(script.url, "run", "1", "t").end("s", {})
    script.close()


def test_no_answer_is_no_refusal() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(UnreachableError, match="cannot be reached"):
        Door(f"http://127.0.0.1:{port}", "run", "1", "t").begin("s", "w", None)
