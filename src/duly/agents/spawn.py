"""A command of ours: started under a guardian, fed, listened to, and gone when this is over."""

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

from duly.agents import family
from duly.agents.capture import Capture
from duly.agents.folders import Account
from duly.clock import Clock
from duly.errors import DulyError
from duly.jobs import guardian
from duly.jobs.waiting import uninterrupted

OnStart = Callable[[int], Awaitable[None]]

GRACE = 5.0
"""Seconds between asking a process to end and killing it."""
_CHUNK = 64 * 1024
_LAST_WORDS = 2.0  # seconds the pipes may stay open after everything has ended
_PATIENCE = 5.0  # seconds a guardian may take beyond the grace of its tool


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """What to run, where, and how much of its output to keep. `cwd` has no links in it."""

    argv: Sequence[str]
    cwd: Path
    env: Mapping[str, str]
    stdin: bytes | None = None
    output_cap: int
    grace: float
    account: Account | None = None
    """Whom it runs as; None is this user."""
    in_sandbox: bool = False
    """Whether the tool is two processes below the command: asked to end, the tool is told, and not its sandbox."""


@dataclass(frozen=True, slots=True)
class Ended:
    """A command that is over: `code` is its exit code, or minus the signal that killed it."""

    code: int
    stdout: Capture
    stderr: Capture


def _ignore(_data: bytes) -> None:
    pass


async def run_command(
    command: Command, clock: Clock, *, on_start: OnStart | None = None, on_output: Callable[[bytes], None] = _ignore
) -> Ended:
    """Run it to its end. Cancelled, it is asked to end, then killed; when this raises, nothing of it is left."""
    process, ours = await _with_lifeline(command)
    stdout, stderr = Capture(command.output_cap), Capture(command.output_cap)
    streams = [
        asyncio.ensure_future(_listen(process.stdout, stdout, on_output)),
        asyncio.ensure_future(_listen(process.stderr, stderr, _ignore)),
        asyncio.ensure_future(_feed(process.stdin, command.stdin)),
    ]
    try:
        if on_start is not None:
            await on_start(process.pid)
        await process.exited()
    finally:
        if process.returncode is None:
            await uninterrupted(process.end(command.grace))
        if process.returncode == -signal.SIGKILL:  # it may be the guardian who was killed, and have left others behind
            await uninterrupted(_end_family(command, clock))
        os.close(ours)
        await uninterrupted(_end_of(streams))
        process.close()
    return Ended(process.returncode or 0, stdout, stderr)


class _Protocol(asyncio.subprocess.SubprocessStreamProtocol):
    """Tells the end of a process at once: `wait` may wait for its pipes, which others can hold open."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(limit=_CHUNK, loop=loop)
        self.exit = loop.create_future()

    def process_exited(self) -> None:
        super().process_exited()
        if not self.exit.done():
            self.exit.set_result(None)


class _Process:
    """A guardian and the tool behind it."""

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
        """Ask it to end, and kill it when it does not: a tool can stop its guardian, but not the end of its time."""
        with suppress(ProcessLookupError):
            self._transport.terminate()
            self._transport.send_signal(signal.SIGCONT)
        await asyncio.wait({self._protocol.exit}, timeout=grace + _PATIENCE)
        with suppress(ProcessLookupError):
            self._transport.kill()
        await self.exited()

    def close(self) -> None:
        self._transport.close()


async def _end_family(command: Command, clock: Clock) -> None:
    found = await asyncio.to_thread(family.members, command.env[family.RUN], command.env.get(family.TARGET))
    await family.end([member for member in found if member.owner == family.owner()], clock)


async def _with_lifeline(command: Command) -> tuple[_Process, int]:
    """A fresh process, and the end of the pipe that keeps it alive."""
    lifeline, ours = os.pipe()
    start = asyncio.ensure_future(_start(command, lifeline))
    try:
        return await uninterrupted(start), ours
    except BaseException:
        os.close(ours)  # if there is a process already, this ends it
        if not start.cancelled() and start.exception() is None:
            await uninterrupted(start.result().exited())
            start.result().close()
        raise
    finally:
        os.close(lifeline)


def guarded(command: Command, lifeline: int) -> list[str]:
    """The arguments that run a command under a guardian; `lifeline` is the end of a pipe that it inherits."""
    account = guardian.NOBODY_ELSE if command.account is None else f"{command.account.uid}:{command.account.gid}"
    inside = guardian.SANDBOX if command.in_sandbox else guardian.PLAIN
    facts = [str(lifeline), str(command.grace), str(command.cwd), account, inside]
    return [sys.executable, "-I", "-S", str(guardian.__file__), *facts, *command.argv]


async def _start(command: Command, lifeline: int) -> _Process:
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


async def _listen(stream: asyncio.StreamReader | None, capture: Capture, on_output: Callable[[bytes], None]) -> None:
    while stream is not None and (data := await stream.read(_CHUNK)):
        capture.feed(data)
        on_output(data)


async def _feed(stream: asyncio.StreamWriter | None, data: bytes | None) -> None:
    if stream is None or not data:
        return
    with suppress(ConnectionError):  # it may not want to hear all of it
        stream.write(data)
        await stream.drain()
    stream.close()
    with suppress(ConnectionError):
        await stream.wait_closed()


async def _end_of(streams: Sequence[asyncio.Future[None]]) -> None:
    """Everybody who could hold a pipe open is dead; should one have got away, do not wait for it."""
    await asyncio.wait(streams, timeout=_LAST_WORDS)
    for stream in streams:
        stream.cancel()
    await asyncio.gather(*streams, return_exceptions=True)
