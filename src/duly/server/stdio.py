"""MCP over standard input and output: `duly mcp`, with an engine of its own unless a daemon runs on the same store."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

from duly.config.settings import Settings
from duly.errors import DulyError
from duly.mcp.server import make_server
from duly.processes import until_asked_to_stop
from duly.runtime.config_reload import Reread, beside, reloading
from duly.runtime.daemon_lock import find_daemon
from duly.runtime.executors import look_at_executors
from duly.runtime.identity import Identity
from duly.runtime.runtime import Runtime

_LOOK_FOR_DAEMON = 5.0
_log = logging.getLogger("duly")


async def serve_stdio(settings: Settings, reread: Reread | None = None, token_file: Path | None = None) -> bool:
    """Serve MCP until the input ends or the process is asked to stop.

    The caller is the local user, or, with a `token_file`, the owner of its token. Gives whether a thread still waits
    for input: only input ends it.
    """
    runtime = Runtime(settings)
    await runtime.open()
    tasks: list[asyncio.Task[None]] = []
    try:
        await runtime.prepare()
        identity = Identity(runtime, token_file)
        await identity.confirm()
        server = make_server(runtime.services, identity.caller_of)
        server.listen()
        server._lowlevel_server.middleware.insert(0, identity)  # noqa: SLF001  the SDK has no other place for it
        fault = await _start_or_stop_engine(runtime, "")  # before the first call: its answer would warn otherwise
        stop = asyncio.create_task(until_asked_to_stop())
        tasks = [
            stop,
            asyncio.create_task(_keep_engine(runtime, fault)),
            asyncio.create_task(server.follow()),
        ]
        talking = asyncio.ensure_future(server.run_stdio_async())
        async with reloading(runtime, reread), beside(look_at_executors(runtime)):
            await asyncio.wait({talking, stop}, return_when=asyncio.FIRST_COMPLETED)
        if talking.done():
            talking.result()
        return not talking.done()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await runtime.close()


async def _keep_engine(runtime: Runtime, logged: str = "") -> None:
    """Run the engine whenever no daemon runs on the same store. `logged` is the fault that was logged last."""
    while True:
        logged = await _start_or_stop_engine(runtime, logged)
        await runtime.clock.sleep(_LOOK_FOR_DAEMON)


async def _start_or_stop_engine(runtime: Runtime, logged: str) -> str:
    """Start the engine, or stop it for a daemon. Gives the fault that kept it from starting, and logs a new one."""
    try:
        await _look_for_daemon(runtime)
    except DulyError as error:  # the tools go on, and the next look tries again
        if str(error) != logged:
            _log.warning("nothing is carried out here for now: %s", error)
        return str(error)
    return ""


async def _look_for_daemon(runtime: Runtime) -> None:
    daemon = (find_daemon(runtime.settings.data_dir) or {}).get("store") == runtime.store.url
    if daemon and runtime.engine.running:
        await runtime.stop_engine()
    elif not daemon and not runtime.engine.running:
        await runtime.capabilities.check_agents(runtime.prompts)
        await runtime.start_engine()
