"""Running it: the HTTP daemon, and MCP over standard input and output."""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from duly.config.settings import ServerLimits, Settings
from duly.errors import ConfigError, DulyError, StoreUnavailableError
from duly.processes import raise_file_limit, until_asked_to_stop
from duly.runtime.files import open_folder, read_secret, secret_file
from duly.runtime.identity import Identity
from duly.runtime.presence import Presence, found
from duly.runtime.reloading import Reloading, Reread
from duly.runtime.runtime import Runtime
from duly.server.awaiting import wait_for_store
from duly.server.connections import BACKLOG, FILES_FOR_OTHERS
from duly.server.exposure import refuse_strangers, sends_tokens_in_the_clear
from duly.service.access.access import ADMIN, Caller, Face
from duly.stores import is_server
from duly.telemetry.complaints import counting_complaints

if TYPE_CHECKING:
    import uvicorn

_log = logging.getLogger(__name__)

LOCAL_TOKEN = "local.token"  # noqa: S105  a file name
_LOOK_FOR_DAEMON = 5.0
_FEWEST_CONNECTIONS = 16


async def serve(
    settings: Settings,
    *,
    auth: bool,
    say: Callable[[str], None],
    reread: Reread | None = None,
    wait: bool = True,
) -> None:
    """Run the daemon until it is asked to stop. With `reread` it takes up changes of its file.

    With `wait` it waits for a database server that does not answer yet.
    """
    if not auth:
        refuse_strangers(settings)
    runtime = Runtime(settings)
    if auth:
        note_exposure(runtime)
    presence = Presence(settings.data_dir)
    try:
        presence.refuse_second()  # before the port is tried: that the first one has it would be half the truth
        limits = server_limits(settings.limits)
        with _listen(settings.host, settings.port) as listening, counting_complaints(runtime.tell, runtime.clock):
            url = _url(listening)
            fault = await _fault_that_passes(runtime, runtime.open(), wait=wait)
            await presence.claim(url, runtime.store.url, runtime.clock, settings.file, needs_trust=settings.needs_trust)
            fault = fault or await _fault_that_passes(runtime, _make_ready(runtime), wait=wait)
            if fault is not None:
                waiting = wait_for_store(
                    runtime, listening, limits, fault=fault, say=say, make_ready=lambda: _make_ready(runtime)
                )
                if not await waiting:
                    return
            async with _taking_up_changes(runtime, reread, presence.goes_by), _beside(presence.keep(runtime.clock)):
                await _serve_on(listening, runtime, limits, auth=auth, greet=lambda: _greet(runtime, url, say))
    finally:
        presence.release()
        await runtime.close()


def note_exposure(runtime: Runtime) -> None:
    """Say once, and in the health of this process, that tokens can be read on their way to it."""
    if (told := sends_tokens_in_the_clear(runtime.settings)) is not None:
        runtime.notes.append(told)
        _log.warning("%s", told)


async def _make_ready(runtime: Runtime) -> None:
    """Do all that a daemon does before it serves. It can be done again: its server may go away in the middle of it."""
    await runtime.open(create=True)
    if (warning := open_folder(runtime.settings.data_dir)) is not None:
        _log.warning("%s", warning)
    await local_token(runtime)
    await _prepare(runtime)
    await runtime.capabilities.check_agents(runtime.prompts)


async def _fault_that_passes(runtime: Runtime, step: Awaitable[None], *, wait: bool) -> StoreUnavailableError | None:
    """Take a step of the start; gives the reason if it failed because a server does not answer, which passes.

    What is wrong with a file on this machine does not pass by waiting.
    """
    try:
        await step
    except StoreUnavailableError as error:
        if wait and is_server(runtime.store.url):
            return error
        raise
    return None


@asynccontextmanager
async def _taking_up_changes(
    runtime: Runtime, reread: Reread | None, taken: Callable[[Path], None] = lambda _file: None
) -> AsyncIterator[None]:
    """Look at the file as long as the block lasts."""
    if reread is None:
        yield
        return
    async with _beside(Reloading(runtime, reread, taken).run()):
        yield


@asynccontextmanager
async def _beside(going: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Do something as long as the block lasts."""
    task = asyncio.create_task(going)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _serve_on(
    listening: socket.socket,
    runtime: Runtime,
    limits: ServerLimits,
    *,
    auth: bool,
    greet: Callable[[], Awaitable[None]],
) -> None:
    import uvicorn  # late: a quick command does not pay for it

    from duly.server.http import make_app
    from duly.server.protocols import make_config

    app = make_app(runtime, host=runtime.settings.host, auth=auth)
    server = uvicorn.Server(make_config(app, limits, lifespan="on", timeout_graceful_shutdown=10))
    with _asked_to_stop(server, runtime, app.state.asked_to_stop):
        await greet()  # a Ctrl-C from before is heard here, where nothing has begun yet
        await server._serve([listening])  # noqa: SLF001  `serve` would end the process before we have tidied up
    if server.force_exit:
        await server.lifespan.shutdown()  # a second Ctrl-C waits for no connection, but leaves nothing half done
    if not server.started:
        raise DulyError("the daemon could not start: the lines above say why")


def server_limits(wanted: ServerLimits) -> ServerLimits:
    """The limits as far as the system lets this process open files; where that is little, the log says so."""
    files = raise_file_limit()
    room = max(_FEWEST_CONNECTIONS, files - BACKLOG - FILES_FOR_OTHERS)
    if room >= wanted.connections:
        return wanted
    _log.warning(
        "this process may open only %d files, so it takes %d connections instead of %d: "
        "raise the limit (ulimit -n, LimitNOFILE= of systemd) or lower server.max_connections",
        files,
        room,
        wanted.connections,
    )
    return replace(wanted, connections=room, strangers=min(wanted.strangers, room // 2))


async def _prepare(runtime: Runtime) -> None:
    """Make what the settings name and bring the butler's file in: their faults are told before anything is served."""
    _ = runtime.capabilities, runtime.prompts, runtime.messages
    await runtime.sync_schedules()


@contextmanager
def _asked_to_stop(server: uvicorn.Server, runtime: Runtime, then: Callable[[], None]) -> Iterator[None]:
    """Ctrl-C and SIGTERM end the daemon in good order; a second one does not wait for open connections."""
    loop = asyncio.get_running_loop()

    def stop(number: int) -> None:
        if not server.should_exit and (runs := len(runtime.engine.work)):
            grace = runtime.engine.settings.grace
            _log.info("stopping: %s under way have %g seconds to end, then they are handed back", runs, grace)
        server.handle_exit(number, None)
        then()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop, number)
    try:
        yield
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen()  # until somebody listens, others may bind the same port
    except OSError as error:
        listening.close()
        raise ConfigError(
            "server.port", f"cannot listen on {host}:{port}: {error.strerror}. Choose another with --host or --port"
        ) from error
    return listening


def _url(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


async def _greet(runtime: Runtime, url: str, say: Callable[[str], None]) -> None:
    from duly._version import __version__

    overview = await runtime.store.overview(runtime.clock.now())
    many = "schedule" if overview.schedules == 1 else "schedules"
    say(f"duly {__version__} · store {runtime.store.url} · {overview.schedules} {many}")
    say(f"mcp        {url}/mcp           (duly connect claude)")
    say(f"token      {runtime.settings.data_dir / LOCAL_TOKEN}")


async def local_token(runtime: Runtime) -> str:
    """The token of whoever owns this data directory: kept in a file nobody else can read."""
    path = runtime.settings.data_dir / LOCAL_TOKEN
    known = read_secret(path)
    if known and await runtime.tokens.caller(known, Face.CLI) is not None:
        return known
    path.unlink(missing_ok=True)
    made = await runtime.tokens.create(Caller(ADMIN), "local", "admin")
    return secret_file(path, lambda: made.secret)


async def serve_stdio(settings: Settings, reread: Reread | None = None, token_file: Path | None = None) -> bool:
    """MCP over standard input and output, with an engine of its own unless a daemon runs on the same data.

    The caller is the local admin, or, with a `token_file`, whoever its token belongs to.

    Ends with the input, or when asked to stop; then it answers whether somebody still waits for input, in a thread
    that nothing but input ends.
    """
    from duly.mcp.server import make_server
    from duly.server.desk import make_desk
    from duly.server.following import follow

    runtime = Runtime(settings)
    await runtime.open()
    tasks: list[asyncio.Task[None]] = []
    try:
        await _prepare(runtime)
        identity = Identity(runtime, token_file)
        await identity.confirm()
        desk = make_desk(runtime, identity.caller_of)
        server = make_server(desk)
        server._lowlevel_server.middleware.insert(0, identity)  # noqa: SLF001  the SDK has no other place for it
        told = await _see_to_engine(runtime, "")  # before the first call, or its answer would warn that nothing runs
        tasks += [asyncio.create_task(_keep_engine(runtime, told)), asyncio.create_task(follow(runtime, desk.watchers))]
        talking = asyncio.ensure_future(server.run_stdio_async())
        tasks.append(asyncio.create_task(until_asked_to_stop()))
        async with _taking_up_changes(runtime, reread):
            await asyncio.wait({talking, tasks[-1]}, return_when=asyncio.FIRST_COMPLETED)
        if talking.done():
            talking.result()
        return not talking.done()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await runtime.close()


async def _keep_engine(runtime: Runtime, told: str = "") -> None:
    """Run the engine whenever no daemon on the same store does; the same fault is told once, not at every look."""
    while True:
        told = await _see_to_engine(runtime, told)
        await runtime.clock.sleep(_LOOK_FOR_DAEMON)


async def _see_to_engine(runtime: Runtime, told: str) -> str:
    """Start the engine, or stop it for a daemon; gives the fault that kept it from starting, told unless it was."""
    try:
        await _look_for_daemon(runtime)
    except DulyError as error:  # the tools go on, and the next look tries again
        if str(error) != told:
            _log.warning("nothing is carried out here for now: %s", error)
        return str(error)
    return ""


async def _look_for_daemon(runtime: Runtime) -> None:
    daemon = (found(runtime.settings.data_dir) or {}).get("store") == runtime.store.url
    if daemon and runtime.engine.running:
        await runtime.stop_engine()
    elif not daemon and not runtime.engine.running:
        await runtime.capabilities.check_agents(runtime.prompts)
        await runtime.start_engine()
