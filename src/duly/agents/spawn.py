"""Spawned commands: started under a guardian, fed and read, and ended with every process they started."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from duly.agents import run_processes
from duly.agents.folders import UnixUser
from duly.agents.output import Capture
from duly.clock import Clock
from duly.errors import DulyError
from duly.jobs import guardian
from duly.jobs.waiting import uninterrupted
from duly.outbound.masking import Mask

OnStart = Callable[[int], Awaitable[None]]

GRACE = 5.0
"""Seconds between asking a process to end and killing it."""
_CHUNK = 64 * 1024
_DRAIN_SECONDS = 2.0  # that pipes may stay open after the guardian has ended
_GUARDIAN_SECONDS = 5.0  # that a guardian may take beyond the grace of its tool


@dataclass(frozen=True, slots=True, kw_only=True)
class Invocation:
    """A command to spawn. `cwd` is a path without links, and `output_cap` limits how much output is kept."""

    argv: Sequence[str]
    cwd: Path
    env: Mapping[str, str]
    stdin: bytes | None = None
    output_cap: int
    grace: float
    user: UnixUser | None = None
    """The user it runs as; None is the user of this process."""
    in_sandbox: bool = False
    """Whether the command is a sandbox around the tool: then SIGTERM goes to the tool and not to the sandbox."""


@dataclass(frozen=True, slots=True)
class EndedProcess:
    """A command that has ended: `code` is its exit code, or minus the signal that killed it."""

    code: int
    stdout: Capture
    stderr: Capture


def _ignore(_data: bytes) -> None:
    pass


async def run_command(
    command: Invocation,
    clock: Clock,
    *,
    secrets: Mask,
    on_start: OnStart | None = None,
    on_output: Callable[[bytes], None] = _ignore,
    on_complaint: Callable[[bytes], None] = _ignore,
) -> EndedProcess:
    """Run a command to its end. When cancelled, ask it to end, then kill it.

    `on_output` and `on_complaint` get what it prints on its two streams, while it prints it. `secrets` are replaced
    before anything else looks at it: afterwards it is split into lines, and cut.

    When this returns or raises, every process of the command has ended.
    """
    process, lifeline, interrupted = await _with_lifeline(command)
    stdout = Capture(command.output_cap)
    stderr = Capture(command.output_cap)
    streams = [
        asyncio.ensure_future(_read(process.stdout, secrets, stdout, on_output)),
        asyncio.ensure_future(_read(process.stderr, secrets, stderr, on_complaint)),
        asyncio.ensure_future(_write(process.stdin, command.stdin)),
    ]
    try:
        if interrupted is not None:
            raise interrupted
        if on_start is not None:
            await on_start(process.pid)
        await process.exited()
    finally:
        if process.returncode is None:
            await uninterrupted(process.end(command.grace))
        if process.returncode == -signal.SIGKILL:  # perhaps the guardian was killed, and could not end its tool
            await uninterrupted(_end_left_behind(command, clock))
        os.close(lifeline)
        await uninterrupted(_drain(streams))
        process.close()
    return EndedProcess(process.returncode or 0, stdout, stderr)


class _Protocol(asyncio.subprocess.SubprocessStreamProtocol):
    """Has a future for the end of the process alone: asyncio's `wait` waits for its pipes, too.

    A process that the tool started may hold those open.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(limit=_CHUNK, loop=loop)
        self.exit = loop.create_future()

    def process_exited(self) -> None:
        super().process_exited()
        if not self.exit.done():
            self.exit.set_result(None)


class _Process:
    """A guardian, and the tool behind it."""

    def __init__(self, transport: asyncio.SubprocessTransport, protocol: _Protocol) -> None:
        self._transport = transport
        self._protocol = protocol
        self.pid = transport.get_pid()
        self.stdin = protocol.stdin
        self.stdout = protocol.stdout
        self.stderr = protocol.stderr

    @property
    def returncode(self) -> int | None:
        return self._transport.get_returncode()

    async def exited(self) -> None:
        await asyncio.shield(self._protocol.exit)

    async def end(self, grace: float) -> None:
        """Ask it to end, and kill it if it does not.

        The tool may have stopped its guardian with SIGSTOP, hence SIGCONT.
        """
        with suppress(ProcessLookupError):
            self._transport.terminate()
            self._transport.send_signal(signal.SIGCONT)
        await asyncio.wait({self._protocol.exit}, timeout=grace + _GUARDIAN_SECONDS)
        with suppress(ProcessLookupError):
            self._transport.kill()
        await self.exited()

    def close(self) -> None:
        self._transport.close()


async def _end_left_behind(command: Invocation, clock: Clock) -> None:
    env = command.env
    found = await asyncio.to_thread(run_processes.processes_of, env[run_processes.RUN], env.get(run_processes.TARGET))
    await run_processes.end([each for each in found if each.owner == run_processes.owner()], clock)


async def _with_lifeline(command: Invocation) -> tuple[_Process, int, asyncio.CancelledError | None]:
    """Start a process, with a lifeline: a pipe whose end tells the guardian that duly died. Give our end of it.

    The process may have worked by the time that the cancellation of a caller arrives: then the cancellation is given as
    well, and what the process has printed still counts.
    """
    theirs, ours = os.pipe()
    start = asyncio.ensure_future(_start(command, theirs))
    interrupted = None
    try:
        await uninterrupted(start)
    except asyncio.CancelledError as error:
        interrupted = error
    except BaseException:
        os.close(ours)
        raise
    finally:
        os.close(theirs)
    if start.cancelled() or start.exception() is not None:
        os.close(ours)
        raise interrupted or asyncio.CancelledError
    return start.result(), ours, interrupted


def guarded(command: Invocation, lifeline: int) -> list[str]:
    """Return the arguments that run a command under a guardian; `lifeline` is the end of a pipe that it inherits.

    `-I` ignores PYTHON… variables and modules in the working directory, and `-S` the installed packages: the guardian
    runs its own code only, and starts fast.
    """
    account = guardian.SAME_USER if command.user is None else f"{command.user.uid}:{command.user.gid}"
    inside = guardian.SANDBOX if command.in_sandbox else guardian.PLAIN
    facts = [str(lifeline), str(command.grace), str(command.cwd), account, inside]
    return [sys.executable, "-I", "-S", str(guardian.__file__), *facts, *command.argv]


async def _start(command: Invocation, lifeline: int) -> _Process:
    if os.name != "posix":
        raise DulyError("commands can be spawned on POSIX systems only: use a webhook or a function here")
    loop = asyncio.get_running_loop()
    transport, protocol = await loop.subprocess_exec(
        lambda: _Protocol(loop),
        *guarded(command, lifeline),
        stdin=subprocess.PIPE if command.stdin else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=command.cwd,
        env=dict(command.env),
        pass_fds=(lifeline,),
        start_new_session=True,
    )
    return _Process(transport, protocol)


async def _read(
    stream: asyncio.StreamReader | None, secrets: Mask, capture: Capture, on_output: Callable[[bytes], None]
) -> None:
    def take(shown: bytes) -> None:
        if shown:
            capture.feed(shown)
            on_output(shown)

    masked = secrets.stream()
    try:
        while stream is not None and (data := await stream.read(_CHUNK)):
            take(masked.feed(data))
    finally:  # also when the pipe stays open, and no caller waits for it any longer
        take(masked.end())


async def _write(stream: asyncio.StreamWriter | None, data: bytes | None) -> None:
    if stream is None or not data:
        return
    with suppress(ConnectionError):  # the tool may close its input before it has read all of it
        stream.write(data)
        await stream.drain()
    stream.close()
    with suppress(ConnectionError):
        await stream.wait_closed()


async def _drain(streams: Sequence[asyncio.Future[None]]) -> None:
    """Wait for the rest of the output, but not for a process that escaped its guardian and holds a pipe open."""
    await asyncio.wait(streams, timeout=_DRAIN_SECONDS)
    for stream in streams:
        stream.cancel()
    await asyncio.gather(*streams, return_exceptions=True)
