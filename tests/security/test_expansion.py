"""What a caller writes never decides how much is expanded: neither time, nor memory, nor the patience of others.

A daemon, in a process of its own, is asked what `hostile` makes, while another caller asks cheap questions. What is
measured is processor time, so that a busy machine changes nothing: how much the daemon uses for each request, and how
much while one of the others waits for an answer.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import ClientConnection, connect

from duly.service.calendar.reading import MOST_SECONDS
from duly.ws.frames import METHODS
from tests.integration.agents.installation import DaemonProcess, Installation
from tests.integration.engine_support.waiting import PATIENCE, eventually
from tests.security.hostile import (
    WORST,
    calendar_file,
    calls,
    rest_cases,
    schedules,
)
from tests.security.test_mcp_sessions import HELLO
from tests.support import EXPLORING

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads the clocks of another process")

SHARE = 0.2 if EXPLORING else 0.0
"""Of all the requests that can be made: `make test` sends some hundred, `make chaos` some thousand."""
FILES = 400 if EXPLORING else 5
MOST_FOR_ONE = 1.5
"""Seconds of the processor for one request: what a budget of steps costs on a slow machine."""
MOST_FOR_OTHERS = 0.5
"""Seconds of the processor that pass while another caller waits, in 99 of 100 cases."""
MOST_MEMORY = 400_000_000
_LIMITS = "\n[server]\nrequests_per_minute = 1000000\n"
ENDED_EARLY = 0.9 * MOST_SECONDS
"""Of processor time: a reader that nothing ends takes all of its seconds. A busy machine ends it late."""


@dataclass
class Measured:
    """A daemon, what it used for each request, and what others waited for."""

    process: DaemonProcess
    token: str
    costs: list[tuple[float, str]] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)

    def used(self) -> float:
        """Seconds of the processor that the daemon has used, without its child processes."""
        return time.clock_gettime((~self.process.process.pid << 3) | 2)

    def memory(self) -> int:
        """The most memory that the daemon ever had, in bytes."""
        status = Path(f"/proc/{self.process.process.pid}/status").read_text(encoding="ascii")
        return int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1]) * 1024

    @asynccontextmanager
    async def costing(self, label: str) -> AsyncIterator[None]:
        before = self.used()
        yield
        self.costs.append((self.used() - before, label))

    def check(self) -> None:
        worst = max(self.costs)
        assert worst[0] < MOST_FOR_ONE, worst
        waits = sorted(self.waits)
        assert len(waits) > 10
        assert waits[int(len(waits) * 0.99)] < MOST_FOR_OTHERS, waits[-5:]
        assert self.memory() < MOST_MEMORY

    @asynccontextmanager
    async def others_asking(self) -> AsyncIterator[None]:
        """Another caller, who asks for little all the time."""
        over = asyncio.Event()

        async def ask() -> None:
            async with self.client() as http:
                while not over.is_set():
                    before = self.used()
                    assert (await http.get("/api/v1/schedules?limit=1")).status_code == 200
                    self.waits.append(self.used() - before)
                    with suppress(TimeoutError):
                        await asyncio.wait_for(over.wait(), 0.05)

        asking = asyncio.create_task(ask())
        try:
            yield
        finally:
            over.set()
            await asking
        self.check()

    def client(self) -> httpx.AsyncClient:
        headers = {"Authorization": f"Bearer {self.token}"}
        return httpx.AsyncClient(base_url=self.process.url, headers=headers, timeout=PATIENCE, trust_env=False)


@pytest.fixture
def measured(tmp_path: Path) -> Iterator[Measured]:
    installation = Installation(tmp_path)
    settings = installation.data / "duly.toml"
    settings.write_text(settings.read_text(encoding="utf-8") + _LIMITS, encoding="utf-8")
    with installation.daemon() as process:
        made = Measured(process, installation.token)
        with httpx.Client(
            base_url=process.url, headers={"Authorization": f"Bearer {made.token}"}, trust_env=False
        ) as http:
            for each in schedules():
                answer = http.post("/api/v1/schedules", json=each)
                assert answer.status_code in (201, 422), answer.text
            for path in (
                "/day?start=2026-11-16T00:00:00Z&end=2026-11-17T00:00:00Z",
                "/calendar.ics",
                "/explain?when=daily",
            ):
                http.get(f"/api/v1{path}")  # what is imported late is imported now: it costs a second, once
        yield made


def some(everything: list[Any], chance: random.Random, *, least: int) -> list[Any]:
    """A share of all requests."""
    return chance.sample(everything, min(len(everything), max(least, round(SHARE * len(everything)))))


@pytest.mark.explored
async def test_nothing_that_is_asked_stalls_the_daemon(measured: Measured) -> None:
    chance = random.Random(27)
    async with measured.client() as http, measured.others_asking():
        await ask_the_api(measured, http, chance)
        await ask_tools(measured, http, chance)
        await ask_a_socket(measured, chance)
        await send_files(measured, http, chance)


async def ask_the_api(measured: Measured, http: httpx.AsyncClient, chance: random.Random) -> None:
    cases = list(rest_cases())
    asked = some(cases, chance, least=50)
    for path in ("/day", "/fires", "/load", "/load/minute", "/load/spread", "/preview"):  # what expands most
        asked += [each for each in cases if each.path == path][:: 1 if EXPLORING else 40]
    for each in asked:
        made = each.request(chance)
        headers = {} if made.body is None else {"Content-Type": made.media}
        async with measured.costing(made.label):
            answer = await http.request(made.method, made.path, content=made.body, headers=headers)
        assert answer.status_code < 500 or answer.status_code == 503, (made.label, answer.text)


async def ask_tools(measured: Measured, http: httpx.AsyncClient, chance: random.Random) -> None:
    http.headers["Accept"] = "application/json, text/event-stream"
    opened = await http.post("/mcp", json=HELLO)
    http.headers["Mcp-Session-Id"] = opened.headers["mcp-session-id"]
    listed = await http.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    everything = [
        (tool["name"], given)
        for tool in _answered(listed)["result"]["tools"]
        for given in calls(tool["name"], list(tool["inputSchema"].get("properties", {})))
    ]
    for name, given in some(everything, chance, least=25):
        call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": name, "arguments": given}}
        async with measured.costing(f"{name} {str(given)[:200]}"):
            answer = await http.post("/mcp", json=call)
        assert answer.status_code < 500, (name, answer.text)


async def ask_a_socket(measured: Measured, chance: random.Random) -> None:
    frames = [(name, given) for name, method in METHODS.items() for given in calls(name, method.takes)]
    async with _socket(measured) as line:
        for name, given in some(frames, chance, least=15):
            async with measured.costing(f"{name} {str(given)[:200]}"):
                await line.send(json.dumps({"id": 1, "method": name, "params": given}))
                while json.loads(await line.recv()).get("id") != 1:
                    pass


async def send_files(measured: Measured, http: httpx.AsyncClient, chance: random.Random) -> None:
    for number in range(FILES):
        content = calendar_file(chance, largest=900_000 if EXPLORING else 60_000)
        async with measured.costing(f"file {number}"):
            answer = await _imported(http, content)
        assert answer.status_code in (200, 413, 422), answer.text
    async with measured.costing("the calendar"):
        assert (await http.get("/api/v1/calendar.ics?rhythms=true")).status_code == 200


async def test_fires_far_ahead_are_not_worked_out(measured: Measured) -> None:
    span = "start=9998-05-20T00:00:00Z&end=9998-06-01T00:00:00Z"
    async with measured.client() as http:
        for path in (f"/day?{span}", f"/fires?{span}", "/load?day=9998-05-20", "/load/minute?at=9998-05-20T00:00:00Z"):
            async with measured.costing(path):
                answer = await http.get(f"/api/v1{path}")
            assert answer.status_code == 422, (path, answer.text)
            assert ", ten years ahead" in answer.json()["detail"], path
    assert max(measured.costs)[0] < MOST_FOR_OTHERS


async def test_a_body_with_very_many_values_is_refused_before_it_is_parsed(measured: Measured) -> None:
    unknown = json.dumps({f"priorit{number}": number for number in range(40_000)})
    call = '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "remind", "arguments": %s}}'
    bodies = {
        "/api/v1/reminders": unknown,
        "/api/v1/bulk": json.dumps({"action": "pause", "ids": [1] * 300_000}),
        "/mcp": call % unknown,
        "/messages": json.dumps({"text": "done", "buttons": [{}] * 200_000}),
    }
    async with measured.client() as http:
        http.headers["Content-Type"] = "application/json"
        for path, body in bodies.items():
            async with measured.costing(path):
                answers = await asyncio.gather(*(http.post(path, content=body.encode()) for _ in range(4)))
            assert {answer.status_code for answer in answers} == {413}, (path, answers[0].text)
            assert "at most 6000 are taken" in answers[0].text
        prompt = ", ".join(["[a, b, {c}]"] * 15_000)  # in a text they are no values
        made = await http.post("/api/v1/schedules", json={"name": "long", "cron": "0 0 1 1 *", "prompt": prompt})
        assert made.status_code == 201, made.text
    async with _socket(measured) as line, measured.costing("a frame"):
        await line.send(f'{{"id": 1, "method": "cron.list", "params": {unknown[:200_000]}')
        assert "at most 6000 are taken" in json.loads(await line.recv())["error"]["message"]
    assert max(measured.costs)[0] < MOST_FOR_OTHERS, max(measured.costs)


async def test_an_import_ends_when_the_client_leaves_and_when_duly_stops(measured: Measured) -> None:
    async with measured.client() as http:
        asking = asyncio.create_task(_imported(http, WORST))
        [reader] = await asyncio.to_thread(eventually, lambda: _children(measured), "the file to be read")
        second = await _imported(http, WORST)
        assert second.status_code == 409
        assert "a file of local is being imported: wait for its answer" in second.json()["detail"]
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        assert await asyncio.to_thread(_used_until_gone, reader) < ENDED_EARLY
        asking = asyncio.create_task(_imported(http, WORST))  # the next one has its turn
        [reader] = await asyncio.to_thread(eventually, lambda: _children(measured), "the next file to be read")
        measured.process.process.send_signal(signal.SIGTERM)
        assert await asyncio.to_thread(_used_until_gone, reader) < ENDED_EARLY
        assert await asyncio.to_thread(measured.process.process.wait, PATIENCE) == 0
        await asyncio.gather(asking, return_exceptions=True)


async def _imported(http: httpx.AsyncClient, content: bytes) -> httpx.Response:
    headers = {"Content-Type": "text/calendar"}
    return await http.post("/api/v1/calendar/import?dry_run=true", content=content, headers=headers)


def _answered(response: httpx.Response) -> Any:
    """The JSON of an answer, which may come as an event."""
    lines = [line.removeprefix("data:") for line in response.text.splitlines() if line.startswith("data:")]
    return json.loads(lines[-1] if lines else response.text)


@asynccontextmanager
async def _socket(measured: Measured) -> AsyncIterator[ClientConnection]:
    headers = {"Authorization": f"Bearer {measured.token}"}
    place = measured.process.url.removeprefix("http")
    async with connect(f"ws{place}/ws", additional_headers=headers, proxy=None, max_size=None) as line:
        yield line


def _children(measured: Measured) -> list[int]:
    """The processes that read files for the daemon."""
    return [
        int(child)
        for task in Path(f"/proc/{measured.process.process.pid}/task").iterdir()
        for child in _seen(task / "children").split()
        if b"duly.service.calendar.reading" in _seen(Path(f"/proc/{child.decode()}/cmdline"))
    ]


def _seen(path: Path) -> bytes:
    """What the system says of a thread or process; nothing once it has ended, which it may while it is looked at."""
    with suppress(OSError):
        return path.read_bytes()
    return b""


def _used_until_gone(pid: int) -> float:
    """Wait until a process has ended; gives the seconds of the processor that it was last seen to have used."""
    used = 0.0

    def gone() -> bool:
        nonlocal used
        try:
            used = time.clock_gettime((~pid << 3) | 2)
            os.kill(pid, 0)
        except OSError:
            return True
        return False

    eventually(gone, f"process {pid} to end")
    return used
