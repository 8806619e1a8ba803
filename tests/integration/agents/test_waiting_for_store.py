"""`duly up` while PostgreSQL does not answer: it waits with red health and starts by itself, or ends with --no-wait."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from duly.config.settings import Settings
from duly.errors import StoreUnavailableError
from duly.runtime.runtime import Runtime
from duly.server import daemon as server_daemon
from tests.forked_duly import ForkedDuly, run
from tests.integration.agents.installation import Installation
from tests.integration.engine_support.waiting import PATIENCE, eventually
from tests.postgres_server import server


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Starting:
    """`duly up` that cannot reach its store yet."""

    def __init__(self, installation: Installation) -> None:
        self.installation = installation
        self.log = installation.folder / "up.log"
        words = ["up", "--port", "0", "--data-dir", str(installation.data)]
        with self.log.open("w", encoding="utf-8") as log:
            self.process = ForkedDuly(
                words, env=installation.environment, cwd=installation.folder, stdout=log, stderr=subprocess.STDOUT
            )

    @property
    def said(self) -> str:
        return self.log.read_text(encoding="utf-8")

    def asked(self, path: str = "/health") -> tuple[int, Any] | None:
        """Return the answer of the daemon, once it has said where it listens."""
        assert self.process.poll() is None, self.said
        try:
            facts = json.loads((self.installation.data / "daemon.lock").read_text(encoding="utf-8"))
            answer = httpx2.get(f"{facts['url']}{path}", timeout=PATIENCE)
        except (OSError, ValueError, httpx2.HTTPError):
            return None
        return answer.status_code, answer.json()

    def is_green(self) -> bool:
        return (self.asked() or (0, None))[0] == 200


@contextmanager
def starting(installation: Installation) -> Iterator[Starting]:
    made = Starting(installation)
    try:
        yield made
    finally:
        if made.process.poll() is None:
            made.process.send_signal(signal.SIGTERM)
        assert made.process.wait(PATIENCE) == 0, made.said


def test_the_daemon_waits_with_red_health_and_starts_when_the_server_answers(tmp_path: Path) -> None:
    with server().database(migrated=False) as url, ExitStack() as stack:
        installation = Installation(tmp_path, url)
        server().stop()
        try:
            up = stack.enter_context(starting(installation))
            code, seen = eventually(up.asked, "an answer")
            assert (code, seen["light"]) == (503, "red")
            assert seen["reasons"][0] == "the store is unavailable"
            code, seen = eventually(lambda: up.asked("/mcp"), "an answer")
            assert (code, seen["error"][:24]) == (503, "the store is unavailable")
            assert up.said.count("waiting for the store: cannot use postgresql://") == 1
        finally:
            server().start()
        eventually(up.is_green, "a green light")
        assert re.search(r"^duly \S+ · store postgresql://", up.said, re.MULTILINE)
        assert up.said.count("waiting for the store") == 1


def test_the_daemon_stops_in_order_while_it_waits(tmp_path: Path) -> None:
    installation = Installation(tmp_path, f"postgresql://me:secret@127.0.0.1:{free_port()}/duly")
    with starting(installation) as up:
        eventually(up.asked, "an answer")
    assert "secret" not in up.said
    assert "Traceback" not in up.said


@pytest.mark.parametrize("words", [["up", "--port", "0", "--no-wait"], ["list"]])
def test_with_no_wait_the_daemon_ends_with_the_reason(tmp_path: Path, words: list[str]) -> None:
    port = free_port()
    installation = Installation(tmp_path, f"postgresql://me:secret@127.0.0.1:{port}/duly")
    words = [*words, "--data-dir", str(installation.data)]
    done = run(words, env=installation.environment, cwd=installation.folder, timeout=PATIENCE)
    assert done.returncode == 1
    assert done.stderr.startswith("duly: cannot use postgresql://")
    assert str(port) in done.stderr
    assert "secret" not in done.stderr


async def test_the_daemon_waits_for_a_server_that_fails_during_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A test cannot stop the server between two statements, so the second step is made to fail once."""
    tries: list[str] = []

    async def local_token(_runtime: Runtime) -> str:
        tries.append("token")
        if len(tries) == 1:
            raise StoreUnavailableError("cannot use postgresql://example: gone")
        return "secret"

    monkeypatch.setattr(server_daemon, "is_server", lambda _url: True)
    monkeypatch.setattr(server_daemon, "local_token", local_token)
    said: list[str] = []
    greeted = asyncio.Event()

    def say(line: str) -> None:
        said.append(line)
        if line.startswith("duly "):
            greeted.set()

    settings = Settings(data_dir=tmp_path, store=str(tmp_path / "schedules.db"), port=0)
    daemon = asyncio.create_task(server_daemon.serve(settings, auth=True, say=say))
    waiting = asyncio.create_task(greeted.wait())
    await asyncio.wait({daemon, waiting}, timeout=PATIENCE, return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()
    assert greeted.is_set(), daemon
    daemon.cancel()
    await asyncio.gather(daemon, return_exceptions=True)
    assert said[0] == "waiting for the store: cannot use postgresql://example: gone"
    assert len(tries) == 2
