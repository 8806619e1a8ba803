"""The daemon: `duly up` opens the store, locks the data directory, and serves HTTP until it is asked to stop."""

from __future__ import annotations

import asyncio
import gc
import logging
import signal
import socket
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from duly.config.settings import ServerLimits, Settings
from duly.errors import ConfigError, DulyError, NotFoundError, StoreUnavailableError
from duly.processes import raise_file_limit
from duly.runtime.config_reload import Reread, beside, reloading
from duly.runtime.daemon_lock import DaemonLock
from duly.runtime.desktop import shown_on_desktop
from duly.runtime.executors import look_at_executors
from duly.runtime.runtime import Runtime
from duly.runtime.secret_files import open_folder, read_secret, replace_secret_file, secret_file
from duly.server.connections import BACKLOG, FILES_FOR_OTHERS
from duly.server.exposure import note_exposure, refuse_strangers
from duly.server.startup import wait_for_store
from duly.service.access.scopes import ADMIN, Caller, Face
from duly.stores import is_server
from duly.telemetry.bridges import library_warnings_as_events
from duly.telemetry.terminal import FireLines

if TYPE_CHECKING:
    import uvicorn

Prepare = Callable[[Runtime], Awaitable[None]]
LOCAL_TOKEN = "local.token"  # noqa: S105  a file name
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
        refuse_strangers(settings)
    runtime = Runtime(settings)
    if says_fires:
        runtime.hear(FireLines(say, runtime.clock, runtime.zone))
    note_exposure(runtime, auth=auth)
    lock = DaemonLock(settings.data_dir)
    try:
        # Before the port is tried: "the port is in use" would be only a symptom of the other daemon.
        lock.refuse_second()
        limits = server_limits(settings.limits)
        with (
            _listen(settings.host, settings.port) as listening,
            library_warnings_as_events(runtime.tell, runtime.clock),
        ):
            url = _url(listening)
            runtime.port = listening.getsockname()[1]
            fault = await _store_fault(runtime, runtime.open(), wait=wait)
            await lock.claim(url, runtime.store.url, runtime.clock, settings.file, needs_trust=settings.needs_trust)
            fault = fault or await _store_fault(runtime, _make_ready(runtime, prepare), wait=wait)
            if fault is not None:
                waiting = wait_for_store(
                    runtime, listening, limits, fault=fault, say=say, make_ready=lambda: _make_ready(runtime, prepare)
                )
                if not await waiting:
                    return
            async with (
                reloading(runtime, reread, lock.goes_by),
                beside(lock.keep(runtime.clock)),
                beside(look_at_executors(runtime)),
                shown_on_desktop(runtime),
            ):
                await _serve_on(
                    listening,
                    runtime,
                    limits,
                    auth=auth,
                    greet=lambda: _greet(runtime, url, say, auth=auth, says_link=says_link),
                )
    finally:
        lock.release()
        await runtime.close()


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
    server = uvicorn.Server(
        make_config(app, limits, public_url=runtime.settings.public_url, lifespan="on", timeout_graceful_shutdown=10)
    )
    with _asked_to_stop(server, runtime, app.state.asked_to_stop), _settled_memory():
        await greet()  # a Ctrl-C that came before is delivered here, where nothing has begun yet
        await server._serve([listening])  # noqa: SLF001  `serve` would end the process before the runtime is closed
    if server.force_exit:
        await server.lifespan.shutdown()  # a second Ctrl-C does not wait for connections, but the runtime still closes
    if not server.started:
        raise DulyError("the daemon could not start: the lines above say why")


@contextmanager
def _settled_memory() -> Iterator[None]:
    """Leave what was loaded at the start out of the search for garbage.

    It is all still in use, and looking through it stopped the process for 300 ms now and then: fires and live events
    came that much later.
    """
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def server_limits(wanted: ServerLimits) -> ServerLimits:
    """Lower the limits to the number of files that this process may open, with a warning in the log."""
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


async def _greet(runtime: Runtime, url: str, say: Callable[[str], None], *, auth: bool, says_link: bool) -> None:
    from duly._version import __version__
    from duly.server.dashboard import sign_in_link

    overview = await runtime.store.overview(runtime.clock.now())
    many = "schedule" if overview.schedules == 1 else "schedules"
    say(f"duly {__version__} · store {runtime.store.url} · {overview.schedules} {many}")
    link = sign_in_link(runtime, url)
    if says_link:
        say(f"dashboard  {link}")
    else:  # what is said may be kept, as in the journal of systemd, and read by others
        path = runtime.settings.data_dir / LINK
        replace_secret_file(path, link)
        say(f"dashboard  {url}           (the link that signs you in is in {path})")
    say(f"mcp        {url}/mcp           (duly connect claude)")
    say(f"token      {runtime.settings.data_dir / LOCAL_TOKEN}")
    if not auth:
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
    caller = await runtime.tokens.caller(known, Face.CLI) if known else None
    if known and caller is not None:
        if read_secret(id_path) != caller.token_id:
            replace_secret_file(id_path, caller.token_id or "")
        return known
    if before := read_secret(id_path):
        with suppress(NotFoundError):  # the directory is used with another store now
            await runtime.tokens.revoke(Caller(ADMIN), before)
    path.unlink(missing_ok=True)
    made = await runtime.tokens.create(Caller(ADMIN), "local", "admin")
    secret = secret_file(path, lambda: made.secret)
    if secret != made.secret:  # another process wrote the file first: its token counts
        await runtime.tokens.revoke(Caller(ADMIN), made.record.id)
    else:
        replace_secret_file(id_path, made.record.id)
    return secret
