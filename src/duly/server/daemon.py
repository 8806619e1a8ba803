"""The daemon: `duly up` locks the data directory, makes everything ready, and serves HTTP until it is asked to stop.

Little is imported here, so that the port answers soon: the rest is loaded while `Starting` answers.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import signal
import socket
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from duly.config.settings import ServerLimits, Settings
from duly.errors import ConfigError, DulyError, NotFoundError, StoreUnavailableError
from duly.processes import raise_file_limit
from duly.runtime.daemon_lock import DaemonLock
from duly.runtime.runtime import Runtime
from duly.runtime.secret_files import (
    LOCAL_TOKEN,
    make_data_dir,
    open_folder,
    read_secret,
    replace_secret_file,
    secret_file,
)
from duly.server.starting import Starting
from duly.service.access.scopes import ADMIN, Caller, Face
from duly.stores import is_server

if TYPE_CHECKING:
    import uvicorn
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from duly.runtime.config_reload import Reread

Prepare = Callable[[Runtime], Awaitable[None]]
LINK = "dashboard.link"
_LOCAL_TOKEN_ID = "local.token.id"  # noqa: S105  a file name
_FEWEST_CONNECTIONS = 16
_log = logging.getLogger("duly")


async def serve(
    settings: Settings,
    *,
    auth: bool,
    say: Callable[[str], None],
    reread: Reread | None = None,
    wait: bool = True,
    says_fires: bool = False,
    says_link: bool = True,
    prepare: Prepare | None = None,
) -> None:
    """Run the daemon until it is asked to stop. With `reread` it takes up changes of its file.

    `prepare` does what else has to precede serving; it may be called again.

    With `wait` it waits for a database server that does not answer yet. With `says_fires` it says each run that begins,
    with `says_link` the link that signs the local admin in; otherwise that is in a file.
    """
    if not auth:
        from duly.server.exposure import refuse_strangers  # late, as all that is not needed to listen

        refuse_strangers(settings)
    runtime = Runtime(settings)
    lock = DaemonLock(settings.data_dir)
    try:
        # Before the port is tried: "the port is in use" would be only a symptom of the other daemon.
        lock.refuse_second()
        with (
            _ends_at_sigterm(),
            _listen(settings.host, settings.port) as listening,
            Starting(listening, runtime.clock) as starting,
        ):
            runtime.port = listening.getsockname()[1]
            make_data_dir(settings.data_dir)
            await lock.claim(
                _url(listening),
                runtime.store.url,
                runtime.clock,
                settings.file,
                needs_trust=settings.needs_trust,
                starting_since=starting.since,
            )
            await _run(
                _Daemon(runtime, lock, listening, starting, auth=auth, say=say, says_link=says_link, prepare=prepare),
                reread,
                wait=wait,
                says_fires=says_fires,
            )
    finally:
        lock.release()
        await runtime.close()


@contextmanager
def _ends_at_sigterm() -> Iterator[None]:
    """End in good order when the daemon is asked to stop while it starts; later `_asked_to_stop` takes over."""
    loop = asyncio.get_running_loop()
    task = asyncio.current_task()
    asked = asyncio.Event()

    def stop() -> None:
        asked.set()
        if task is not None:
            task.cancel()

    with suppress(RuntimeError, ValueError):  # outside the main thread there are no signals
        loop.add_signal_handler(signal.SIGTERM, stop)
    try:
        yield
    except asyncio.CancelledError:
        if not asked.is_set():
            raise
    finally:
        with suppress(RuntimeError, ValueError):
            loop.remove_signal_handler(signal.SIGTERM)


@dataclass(frozen=True, slots=True)
class _Daemon:
    """What a daemon has before it serves."""

    runtime: Runtime
    lock: DaemonLock
    listening: socket.socket
    starting: Starting
    auth: bool
    say: Callable[[str], None]
    says_link: bool
    prepare: Prepare | None

    async def is_ready(self) -> None:
        """End the start: the application answers from now on."""
        await asyncio.to_thread(self.starting.end)  # it waits a moment for those who have connected
        self.lock.is_ready()


async def _run(daemon: _Daemon, reread: Reread | None, *, wait: bool, says_fires: bool) -> None:
    """Load what a daemon needs, make it ready, and serve."""
    from duly.runtime.config_reload import beside, reloading
    from duly.runtime.desktop import shown_on_desktop
    from duly.runtime.looking import look_after
    from duly.server.exposure import note_exposure
    from duly.server.startup import wait_for_store
    from duly.telemetry.bridges import library_warnings_as_events
    from duly.telemetry.terminal import FireLines

    runtime = daemon.runtime
    if says_fires:
        runtime.hear(FireLines(daemon.say, runtime.clock, runtime.zone))
    note_exposure(runtime, auth=daemon.auth)
    limits = server_limits(runtime.settings.limits)
    with library_warnings_as_events(runtime.tell, runtime.clock):
        fault = await _store_fault(runtime, _make_ready(runtime, daemon.prepare), wait=wait)
        if fault is not None:
            gc.enable()  # it may wait for days
            waiting = wait_for_store(
                runtime,
                daemon.starting,
                fault=fault,
                say=daemon.say,
                make_ready=lambda: _make_ready(runtime, daemon.prepare),
            )
            if not await waiting:
                return
        async with (
            reloading(runtime, reread, daemon.lock.goes_by),
            beside(daemon.lock.keep(runtime.clock)),
            beside(look_after(runtime)),
            shown_on_desktop(runtime),
        ):
            await _serve_on(daemon, limits)


async def _make_ready(runtime: Runtime, prepare: Prepare | None) -> None:
    """Do everything that precedes serving. It can be repeated: the database server may go away in the middle of it."""
    await runtime.open(create=True)
    if (warning := open_folder(runtime.settings.data_dir)) is not None:
        _log.warning("%s", warning)
    await local_token(runtime)
    await runtime.prepare()
    await runtime.capabilities.check_agents(runtime.prompts)
    if prepare is not None:
        await prepare(runtime)


async def _store_fault(runtime: Runtime, step: Awaitable[None], *, wait: bool) -> StoreUnavailableError | None:
    """Take a step of the start; give the error if a database server did not answer and the daemon should wait for it.

    Waiting does not repair a file on this machine: its errors are raised.
    """
    try:
        await step
    except StoreUnavailableError as error:
        if wait and is_server(runtime.store.url):
            return error
        raise
    return None


async def _serve_on(daemon: _Daemon, limits: ServerLimits) -> None:
    import uvicorn

    from duly.server.http import make_app
    from duly.server.protocols import make_config

    runtime = daemon.runtime
    app = make_app(runtime, host=runtime.settings.host, auth=daemon.auth)
    server = uvicorn.Server(
        make_config(
            _noting_start(app, daemon.is_ready),
            limits,
            public_url=runtime.settings.public_url,
            lifespan="on",
            timeout_graceful_shutdown=10,
        )
    )
    with _asked_to_stop(server, runtime, app.state.asked_to_stop), _settled_memory():
        await _greet(daemon)  # a Ctrl-C that came before is delivered here, where nothing has begun yet
        await server._serve([daemon.listening])  # noqa: SLF001  `serve` would end the process before the runtime is closed
    if server.force_exit:
        await server.lifespan.shutdown()  # a second Ctrl-C does not wait for connections, but the runtime still closes
    if not server.started:
        raise DulyError("the daemon could not start: the lines above say why")


def _noting_start(app: ASGIApp, then: Callable[[], Awaitable[None]]) -> ASGIApp:
    """Call `then` when the application has started, before its first request."""

    async def noting(scope: Scope, receive: Receive, send: Send) -> None:
        async def sending(message: Message) -> None:
            if message["type"] == "lifespan.startup.complete":
                await then()
            await send(message)

        await app(scope, receive, sending if scope["type"] == "lifespan" else send)

    return noting


@contextmanager
def _settled_memory() -> Iterator[None]:
    """Leave what was loaded at the start out of the search for garbage.

    It is all still in use, and looking through it stopped the process for 300 ms now and then: fires and live events
    came that much later.
    """
    gc.collect()
    gc.freeze()
    gc.enable()  # `duly up` loads without it
    try:
        yield
    finally:
        gc.unfreeze()


def server_limits(wanted: ServerLimits) -> ServerLimits:
    """Lower the limits to the number of files that this process may open, with a warning in the log."""
    from duly.server.connections import BACKLOG, FILES_FOR_OTHERS

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
    return replace(
        wanted, connections=room, strangers=min(wanted.strangers, room // 2), streams=min(wanted.streams, room // 2)
    )


@contextmanager
def _asked_to_stop(server: uvicorn.Server, runtime: Runtime, then: Callable[[], None]) -> Iterator[None]:
    """Handle SIGINT and SIGTERM: the first ends the daemon in good order, a second does not wait for connections."""
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
    # With the protocol named, asyncio sends each answer at once: its second part does not wait for the client.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen()  # with SO_REUSEADDR others may bind the same port until one of them listens
    except OSError as error:
        listening.close()
        raise ConfigError(
            "server.port", f"cannot listen on {host}:{port}: {error.strerror}. Choose another with --host or --port"
        ) from error
    return listening


def _url(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


async def _greet(daemon: _Daemon) -> None:
    from duly._version import __version__
    from duly.server.dashboard import sign_in_link

    runtime = daemon.runtime
    say = daemon.say
    url = _url(daemon.listening)
    overview = await runtime.store.overview(runtime.clock.now())
    many = "schedule" if overview.schedules == 1 else "schedules"
    say(f"duly {__version__} · store {runtime.store.url} · {overview.schedules} {many}")
    link = sign_in_link(runtime, url)
    if daemon.says_link:
        say(f"dashboard  {link}")
    else:  # what is said may be kept, as in the journal of systemd, and read by others
        path = runtime.settings.data_dir / LINK
        replace_secret_file(path, link)
        say(f"dashboard  {url}           (the link that signs you in is in {path})")
    say(f"mcp        {url}/mcp           (duly connect claude)")
    say(f"token      {runtime.settings.data_dir / LOCAL_TOKEN}")
    if not daemon.auth:
        say("no-auth    every user and program of this machine is an admin here, under the name no-auth in the audit;")
        say("           tokens that are sent count, and new ones cannot be made")
    say(f"clock      {runtime.zone}")


async def local_token(runtime: Runtime) -> str:
    """Give the local user's token from its file; if the file has no valid one, make one and revoke the one before.

    The file holds the only copy of the secret. If it was lost or overwritten, a copy of it must not stay an admin's.
    Its id lies in a file of its own: several machines may share a store, and each has a token called "local".
    """
    path = runtime.settings.data_dir / LOCAL_TOKEN
    id_path = runtime.settings.data_dir / _LOCAL_TOKEN_ID
    known = read_secret(path)
    caller = await runtime.services.tokens.caller(known, Face.CLI) if known else None
    if known and caller is not None:
        if read_secret(id_path) != caller.token_id:
            replace_secret_file(id_path, caller.token_id or "")
        return known
    if before := read_secret(id_path):
        with suppress(NotFoundError):  # the directory is used with another store now
            await runtime.services.tokens.revoke(Caller(ADMIN), before)
    path.unlink(missing_ok=True)
    made = await runtime.services.tokens.create(Caller(ADMIN), "local", "admin")
    secret = secret_file(path, lambda: made.secret)
    if secret != made.secret:  # another process wrote the file first: its token counts
        await runtime.services.tokens.revoke(Caller(ADMIN), made.record.id)
    else:
        replace_secret_file(id_path, made.record.id)
    return secret
