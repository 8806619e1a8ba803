"""A data directory with a project and fake agents, and the ways to reach duly in it."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, TypeVar

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from duly.testing.fake_cli import install
from tests.forked_duly import ForkedDuly, run
from tests.integration.engine_support.waiting import PATIENCE, eventually

T = TypeVar("T")
LEGACY, CURRENT = "legacy", "auto"
_LOOK_EVERY = 0.05
_BUTLER = """
timezone = "Europe/Rome"

[projects.blog]
path = "blog"

[butler]
name = "home"

[[butler.schedule]]
name = "from the file"
cron = "0 3 1 1 *"
prompt = "happy new year"
"""


class Installation:
    """The folders and settings of one duly."""

    def __init__(self, folder: Path, store: str | None = None) -> None:
        self.folder = folder
        self.data = folder / "data"
        self.blog = self.data / "blog"
        self.home = folder / "home"
        for path in (self.blog, self.home):
            path.mkdir(parents=True)
        where = "" if store is None else f"store = {json.dumps(store)}\n"
        (self.data / "duly.toml").write_text(where + _BUTLER, encoding="utf-8")
        fakes = install(folder / "bin")
        names = ("PYTHONPATH", "VIRTUAL_ENV", "LANG", "TZ")
        self.environment = {name: os.environ[name] for name in names if name in os.environ}
        self.environment |= {"PATH": f"{fakes}{os.pathsep}{os.environ['PATH']}", "HOME": str(self.home)}

    @property
    def store(self) -> str:
        return str(self.data / "schedules.db")

    @property
    def token(self) -> str:
        return (self.data / "local.token").read_text(encoding="utf-8").strip()

    @contextmanager
    def daemon(self, *options: str) -> Iterator[DaemonProcess]:
        running = DaemonProcess(self, options)
        try:
            yield running
        finally:
            running.stop()

    @asynccontextmanager
    async def over_stdio(self, mode: str, **more: Any) -> AsyncIterator[Client]:
        command = StdioServerParameters(
            command=sys.executable,
            args=["-m", "duly", "mcp", "--data-dir", str(self.data)],
            env=self.environment,
            cwd=self.folder,
        )
        with (self.folder / f"stdio-{mode}.log").open("a", encoding="utf-8") as log:
            async with Client(stdio_client(command, errlog=log), mode=mode, **more) as client:
                yield client

    @asynccontextmanager
    async def over_http(self, url: str, mode: str, token: str | None = None, **more: Any) -> AsyncIterator[Client]:
        headers = {"Authorization": f"Bearer {self.token if token is None else token}"}
        async with AsyncExitStack() as opened:
            http = await opened.enter_async_context(httpx2.AsyncClient(headers=headers, timeout=PATIENCE))
            transport = streamable_http_client(f"{url}/mcp", http_client=http)
            yield await opened.enter_async_context(Client(transport, mode=mode, **more))

    def duly(self, *arguments: str) -> Any:
        """Return the output of a command, which is JSON."""
        words = [*arguments, "--data-dir", str(self.data)]
        done = run(words, env=self.environment, cwd=self.folder, timeout=PATIENCE)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def strangers(self) -> list[int]:
        """Return the processes that work in the project."""
        found = []
        for process in Path("/proc").iterdir():
            if process.name.isdigit():
                try:
                    if (process / "cwd").readlink().is_relative_to(self.blog):
                        found.append(int(process.name))
                except OSError:
                    continue
        return found


class DaemonProcess:
    """`duly up` as a process of its own."""

    def __init__(self, installation: Installation, options: tuple[str, ...] = ()) -> None:
        self._installation = installation
        self.log = (installation.folder / "daemon.log").open("a", encoding="utf-8")
        self.process = ForkedDuly(
            ["up", "--port", "0", "--data-dir", str(installation.data), *options],
            env=installation.environment,
            cwd=installation.folder,
            stdout=self.log,
            stderr=subprocess.STDOUT,
        )
        self.url = eventually(self._listens, "the daemon to listen")

    def _listens(self) -> str | None:
        assert self.process.poll() is None, (self._installation.folder / "daemon.log").read_text(encoding="utf-8")
        try:
            facts = json.loads((self._installation.data / "daemon.lock").read_text(encoding="utf-8"))
            url = str(facts["url"])
            if facts["pid"] != self.process.pid:
                return None
            return url if httpx2.get(f"{url}/health", timeout=5).status_code == 200 else None
        except (OSError, ValueError, httpx2.HTTPError):
            return None

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(PATIENCE)

    def stop(self) -> None:
        """Ask it to end, and check that it ends with exit code 0."""
        try:
            if self.process.poll() is None:
                self.process.send_signal(signal.SIGTERM)
                assert self.process.wait(PATIENCE) == 0
        finally:
            self.log.close()


async def until(ask: Callable[[], Awaitable[T | None]], what: str) -> T:
    """Call a function until its result is true; return the result."""
    deadline = time.monotonic() + PATIENCE
    while not (answer := await ask()):
        assert time.monotonic() < deadline, f"still waiting for {what}"
        await asyncio.sleep(_LOOK_EVERY)
    return answer
