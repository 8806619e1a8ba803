"""`duly up` until it serves: the port answers at once that it starts, others hear that, and little is loaded."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx2
import pytest

from duly.config.settings import Settings
from duly.runtime.runtime import Runtime
from duly.server import daemon as server_daemon
from tests.forked_duly import run
from tests.integration.agents.installation import Installation
from tests.integration.engine_support.waiting import PATIENCE, eventually

LARGEST = 90_000
"""Kilobytes in memory that an idle daemon may have before the first request for MCP."""
LATE = ("mcp", "mcp_types", "httpx", "icalendar", "cryptography", "duly.rest.api", "duly.channels.configuration")
"""What only MCP, calendars, outgoing calls and the API need."""


class HeldStart:
    """A daemon in this process whose start waits until it is let go."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.installation = Installation(folder)
        self._let_go = asyncio.Event()
        self._held = asyncio.Event()
        self.greeted = asyncio.Event()
        token = server_daemon.local_token

        async def late_token(runtime: Runtime) -> str:
            self._held.set()
            await self._let_go.wait()
            return await token(runtime)

        monkeypatch.setattr(server_daemon, "local_token", late_token)
        settings = Settings(data_dir=self.installation.data, store=self.installation.store, port=0)
        self.serving = asyncio.create_task(server_daemon.serve(settings, auth=True, say=self._say))

    def _say(self, line: str) -> None:
        if line.startswith("clock "):
            self.greeted.set()

    async def held(self) -> str:
        """Wait until the start is held; give its address."""
        async with asyncio.timeout(PATIENCE):
            await self._held.wait()
        facts = json.loads((self.installation.data / "daemon.lock").read_text(encoding="utf-8"))
        return str(facts["url"])

    async def green(self, url: str) -> dict[str, Any]:
        """Let the start go on, and wait for its end."""
        self._let_go.set()
        async with asyncio.timeout(PATIENCE), httpx2.AsyncClient(base_url=url) as client:
            await self.greeted.wait()
            answer = await client.get("/health")
            while answer.status_code != 200:
                answer = await client.get("/health")
        seen: dict[str, Any] = answer.json()
        return seen

    async def stop(self) -> None:
        self.serving.cancel()
        await asyncio.gather(self.serving, return_exceptions=True)

    async def duly(self, *words: str) -> tuple[int, str]:
        """Run a command beside it."""
        there = self.installation
        command = [*words, "--data-dir", str(there.data)]
        done = await asyncio.to_thread(run, command, env=there.environment, cwd=there.folder, timeout=PATIENCE)
        return done.returncode, done.stdout


async def test_until_it_serves_everybody_hears_that_it_starts_and_since_when(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    daemon = HeldStart(tmp_path, monkeypatch)
    try:
        url = await daemon.held()
        async with httpx2.AsyncClient(base_url=url) as client:
            answer = await client.get("/health")
            seen = answer.json()
            assert (answer.status_code, seen["state"], answer.headers["retry-after"]) == (503, "starting", "1")
            assert seen["reasons"] == [f"duly is starting, since {seen['since']}"]
            assert (await client.get("/healthz")).json() == {"status": "ok"}
            assert (await client.get("/readyz")).json() == {"status": "not ready"}
            assert (await client.head("/health")).content == b""
            refused = await client.post("/api/v1/schedules", json={"name": "x"})
            assert (refused.status_code, refused.json()) == (503, {"error": seen["reasons"][0]})
            page = await client.get("/today", headers={"Accept": "text/html,application/xhtml+xml"})
            assert 'http-equiv="refresh"' in page.text
        code, said = await daemon.duly("remind", "vitamins", "in", "5m", "--json")
        assert (code, json.loads(said)["warning"]) == (0, seen["reasons"][0])
        code, said = await daemon.duly("health", "--json")
        assert (code, json.loads(said)["state"], json.loads(said)["reasons"][:1]) == (0, "starting", seen["reasons"])
        code, said = await daemon.duly("health")
        assert said.startswith("starting\n  duly is starting, since 20")
        assert "no engine" not in said
        assert (await daemon.green(url))["state"] == "green"
        code, said = await daemon.duly("health")
        assert (code, "starting" in said) == (0, False)
    finally:
        await daemon.stop()


async def test_a_client_that_says_nothing_keeps_nobody_waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    daemon = HeldStart(tmp_path, monkeypatch)
    try:
        url = httpx2.URL(await daemon.held())
        silent = [await asyncio.open_connection(url.host, url.port) for _ in range(20)]
        async with httpx2.AsyncClient(base_url=url) as client:
            assert (await client.get("/health")).json()["state"] == "starting"
        assert (await daemon.green(str(url)))["state"] == "green"
        for _reader, writer in silent:
            writer.close()
    finally:
        await daemon.stop()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_daemon_that_nobody_has_asked_for_mcp_is_small(tmp_path: Path) -> None:
    """In an interpreter of its own: a forked one has what the tests have loaded."""
    there = Installation(tmp_path)
    words = ["up", "--port", "0", "--data-dir", str(there.data)]
    shown = "it.main(); print(); print(*sys.modules)"
    program = f"import sys; sys.argv[1:] = {words!r}; import duly.__main__ as it; {shown}"
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        env=there.environment,
        cwd=there.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        eventually(lambda: _is_green(there), "a green light")
        status = Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
    finally:
        process.terminate()
        said, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert not set(LATE) & set(said.splitlines()[-1].split())
    assert int(status.partition("VmRSS:")[2].split()[0]) <= LARGEST


def _is_green(there: Installation) -> bool:
    try:
        facts = json.loads((there.data / "daemon.lock").read_text(encoding="utf-8"))
        return httpx2.get(f"{facts['url']}/health", timeout=PATIENCE).status_code == 200
    except (OSError, ValueError, httpx2.HTTPError):
        return False
