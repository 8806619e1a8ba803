"""Jobs in processes of their own: one may block, leak or crash, and can be killed with every process it started."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import pickle
import signal
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import Any

from duly.errors import DulyError
from duly.jobs import guardian
from duly.jobs.waiting import uninterrupted
from duly.ports.dispatch import RunContext

_EXIT_SECONDS = 5.0  # that a process may take to exit after it has sent its result
_GUARDIAN_SECONDS = 5.0  # that a guardian may take to end its job


class JobProcessError(DulyError):
    """A job in a process of its own raised an error, or that process died."""


@dataclass(frozen=True, slots=True)
class IsolatedRun:
    """The context of a run inside the process of the job. duly stops it by killing the process, never by asking."""

    id: str
    key: str
    name: str
    trigger_source: str
    fire_at: datetime
    attempt: int
    timeout: float | None
    connection: Connection
    """To the engine."""
    traceparent: str | None = None
    cancelled: bool = False

    def heartbeat(self) -> None:
        pass

    def progress(self, data: Any) -> None:
        self.connection.send(("progress", data))

    def ask_to_stop(self) -> None:
        pass

    def report_stuck(self) -> None:
        pass


async def run_in_process(
    function: Callable[..., Any], args: dict[str, Any], run: RunContext, *, with_run: str | None = None
) -> Any:
    """Call a function in a new process; when this returns or raises, that process and its children have ended.

    `with_run` names the parameter that takes the context of the run.
    """
    pickled = pickle.dumps(function)
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    isolated = IsolatedRun(
        id=run.id,
        key=run.key,
        name=run.name,
        trigger_source=run.trigger_source,
        fire_at=run.fire_at,
        attempt=run.attempt,
        timeout=run.timeout,
        connection=theirs,
        traceparent=run.traceparent,
    )
    process = context.Process(target=_child, args=(pickled, args, isolated, with_run), daemon=True)
    try:
        await uninterrupted(asyncio.to_thread(process.start))
        theirs.close()
        message = await _listen(ours, process, run)
    finally:
        if process.pid is not None:
            await uninterrupted(_end(process))
        theirs.close()
        ours.close()
    if message is None:
        raise JobProcessError(f"the job's process ended with exit code {process.exitcode} and no answer")
    kind, value = message
    if kind == "raised":
        raise JobProcessError(value)
    return value


async def _listen(ours: Connection, process: SpawnProcess, run: RunContext) -> tuple[str, Any] | None:
    """Wait for the result and for the end of the process, a few seconds at most; None when it died without a result."""
    with _Exit(process) as exited:
        while True:
            await _readable(exited, ours.fileno())
            if (message := _received(ours)) is None:
                return None
            if message[0] != "progress":
                break
            run.progress(message[1])
        with suppress(TimeoutError):
            await asyncio.wait_for(_readable(exited), _EXIT_SECONDS)
        return message


def _received(ours: Connection) -> tuple[str, Any] | None:
    try:
        message: tuple[str, Any] | None = ours.recv() if ours.poll(0) else None
    except EOFError:
        return None
    return message


class _Exit:
    """A file descriptor that becomes readable when a process exits.

    The sentinel of `multiprocessing` is the end of a pipe, which a child of the job can inherit and hold open; a pidfd
    belongs to the process alone.
    """

    def __init__(self, process: SpawnProcess) -> None:
        self._sentinel = process.sentinel
        self._own: int | None = None
        if process.pid is not None and hasattr(os, "pidfd_open"):
            with suppress(OSError):
                self._own = os.pidfd_open(process.pid)

    def __enter__(self) -> int:
        return self._sentinel if self._own is None else self._own

    def __exit__(self, *_: object) -> None:
        if self._own is not None:
            os.close(self._own)


async def _readable(*handles: int) -> None:
    """Wait until one of these file descriptors can be read."""
    loop = asyncio.get_running_loop()
    ready = loop.create_future()

    def wake() -> None:
        if not ready.done():
            ready.set_result(None)

    for handle in handles:
        loop.add_reader(handle, wake)
    try:
        await ready
    finally:
        for handle in handles:
            loop.remove_reader(handle)


async def _end(process: SpawnProcess) -> None:
    """End a process and every process it started. It has not been waited for yet, so its pid is still its own."""
    if guardian.LINUX:
        process.terminate()
        with _Exit(process) as exited, suppress(TimeoutError):
            await asyncio.wait_for(_readable(exited), _GUARDIAN_SECONDS)
    elif process.pid is not None and hasattr(os, "killpg"):
        with suppress(ProcessLookupError, PermissionError):  # it did not lead a group yet
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    await asyncio.to_thread(process.join)


def _child(pickled: bytes, args: dict[str, Any], run: IsolatedRun, with_run: str | None) -> None:
    """Call the function in this process. It is loaded after the fork of the guardian.

    Its module may start threads, and those stay in the process that started them.
    """
    parent = multiprocessing.parent_process()
    if guardian.LINUX and parent is not None:
        guardian.split(parent.sentinel)
    elif hasattr(os, "setsid"):
        os.setsid()  # a group of its own, to be killed as one
    try:
        function: Callable[..., Any] = pickle.loads(pickled)  # noqa: S301  duly made it
        result = function(**args, **({} if with_run is None else {with_run: run}))
        if asyncio.iscoroutine(result):
            result = asyncio.run(result)
        run.connection.send(("returned", result))
    except BaseException as error:  # even SystemExit: the engine has to learn of it
        run.connection.send(("raised", f"{type(error).__name__}: {error}"))
