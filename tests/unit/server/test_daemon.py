"""The start of a daemon and of `duly mcp`: faults first, one engine per store, a free port."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path
from typing import Any

import pytest

from duly.config.settings import Butler, Settings
from duly.errors import ConfigError, DulyError, InvalidInputError
from duly.runtime.daemon_lock import DaemonLock
from duly.runtime.runtime import Runtime
from duly.server import daemon as server_daemon
from duly.server import stdio
from duly.server.stdio import serve_stdio
from duly.testing import VirtualClock

_FAULTS: list[tuple[dict[str, Any], str]] = [
    ({"spawners": {"x": {"preset": "nobody"}}}, r"spawners\.x"),
    ({"channels": {"x": {"type": "nobody"}}}, r"channels\.x"),
    ({"default_spawner": "nobody"}, "nobody"),
    (
        {"butler": Butler(name="home", schedules=({"name": "a", "cron": "61 * * * *", "prompt": "look"},))},
        "schedule 'a' of the file: .*61",
    ),
]


def _settings(folder: Path, **more: Any) -> Settings:
    return Settings(data_dir=folder, store=str(folder / "schedules.db"), port=0, **more)


@pytest.mark.parametrize(("more", "told"), _FAULTS, ids=["spawner", "channel", "default", "entry"])
async def test_a_fault_in_the_settings_is_raised_before_anything_starts(
    tmp_path: Path, more: dict[str, Any], told: str
) -> None:
    settings, said = _settings(tmp_path, **more), list[str]()
    with pytest.raises(InvalidInputError, match=told):
        await server_daemon.serve(settings, auth=True, say=said.append)
    assert said == []
    with pytest.raises(InvalidInputError, match=told):
        await serve_stdio(settings)


async def test_duly_mcp_runs_no_engine_while_a_daemon_runs_on_the_same_store(tmp_path: Path) -> None:
    clock = VirtualClock()
    runtime, lock, runs = Runtime(_settings(tmp_path), clock=clock), DaemonLock(tmp_path), list[bool]()
    await runtime.open()
    try:
        for store in (str(tmp_path / "another.db"), runtime.store.url, None):
            if store is not None:
                await lock.claim("http://here", store, clock)
            await stdio._look_for_daemon(runtime)
            runs.append(runtime.engine.running)
            lock.release()
    finally:
        await runtime.close()
    assert runs == [True, False, True]


def test_a_port_in_use_is_refused() -> None:
    first = server_daemon._listen("127.0.0.1", 0)
    try:
        with pytest.raises(ConfigError, match=r"server\.port: cannot listen on 127\.0\.0\.1:\d+: .*--port"):
            server_daemon._listen("127.0.0.1", first.getsockname()[1])
    finally:
        first.close()


async def test_answers_are_sent_at_once() -> None:
    """Else the second part of an answer would wait 40 ms for the client to acknowledge the first."""
    accepted: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    class Server(asyncio.Protocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            taken = transport.get_extra_info("socket")
            accepted.set_result(taken.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))

    listening = server_daemon._listen("127.0.0.1", 0)
    async with await asyncio.get_running_loop().create_server(Server, sock=listening):
        _, writer = await asyncio.open_connection(*listening.getsockname())
        assert await accepted
        writer.close()
        await writer.wait_closed()


async def test_a_second_daemon_is_refused_and_the_first_goes_on(tmp_path: Path) -> None:
    lock = DaemonLock(tmp_path)
    await lock.claim("http://here", "schedules.db", VirtualClock())
    with pytest.raises(DulyError, match=r"a daemon already runs on .*, at http://here"):
        await server_daemon.serve(_settings(tmp_path), auth=True, say=print)
    lock.release()
