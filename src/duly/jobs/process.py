"""A job in a process of its own: it may block, leak or crash, and it can be killed, with all that it started."""

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

_LAST_WORDS = 5.0  # seconds a process may take to end after it has answered
_PATIENCE = 5.0  # seconds its guardian may take to end it


class JobProcessError(DulyError):
    """What a job in a process of its own raised, or how that process died."""


@dataclass(frozen=True, slots=True)
class IsolatedRun:
    """A run as its handler over there sees it. To stop it, its process is killed: there is nothing to ask for."""

    id: str
    key: str
    name: str
    trigger_source: str
    fire_at: datetime
    attempt: int
    timeout: float | None
    line: Connection
    """To the scheduler."""
    cancelled: bool = False

    def heartbeat(self) -> None:
        pass

    def progress(self, data: Any) -> None:
        self.line.send(("progress", data))

    def ask_to_stop(self) -> None:
        pass

    def report_stuck(self) -> None:
        pass


async def run_in_process(
    function: Callable[..., Any], args: dict[str, Any], run: RunContext, *, with_run: str | None = None
) -> Any:
    """Call a function in a fresh process; when this returns or raises, that process and its children are gone.

    `with_run` names the parameter that is handed the run.
    """
    place = pickle.dumps(function)
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    seen = IsolatedRun(
        id=run.id,
        key=run.key,
        name=run.name,
        trigger_source=run.trigger_source,
        fire_at=run.fire_at,
        attempt=run.attempt,
        timeout=run.timeout,
        line=theirs,
    )
    process = context.Process(target=_child, args=(place, args, seen, with_run), daemon=True)
    try:
        await uninterrupted(asyncio.to_thread(process.start))
        theirs.close()
        answer = await _converse(ours, process, run)
    finally:
        if process.pid is not None:
            await uninterrupted(_end(process))
        theirs.close()
        ours.close()
    if answer is None:
        raise JobProcessError(f"the job's process ended with exit code {process.exitcode} and no answer")
    kind, value = answer
    if kind == "raised":
        raise JobProcessError(value)
    return value


async def _converse(ours: Connection, process: SpawnProcess, run: RunContext) -> tuple[str, Any] | None:
    """Listen until the answer has come and the process has ended, or is overdue; None when it died without one."""
    with _Death(process) as death:
        while True:
            await _readable(death, ours.fileno())
            if (said := _heard(ours)) is None:
                return None
            if said[0] != "progress":
                break
            run.progress(said[1])
        with suppress(TimeoutError):
            await asyncio.wait_for(_readable(death), _LAST_WORDS)
        return said


def _heard(ours: Connection) -> tuple[str, Any] | None:
    try:
        said: tuple[str, Any] | None = ours.recv() if ours.poll(0) else None
    except EOFError:
        return None
    return said


class _Death:
    """Something to wait on that becomes readable when a process ends, whoever else may hold its files open."""

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
    """Wait until one of these has something to say: an answer, or the end of the process."""
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
    """End it and whatever it started. It has not been waited for yet, so its number is still its own."""
    if guardian.LINUX:
        process.terminate()
        with _Death(process) as death, suppress(TimeoutError):
            await asyncio.wait_for(_readable(death), _PATIENCE)
    elif process.pid is not None and hasattr(os, "killpg"):
        with suppress(ProcessLookupError, PermissionError):  # it had not come as far as leading a group
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    await asyncio.to_thread(process.join)


def _child(place: bytes, args: dict[str, Any], run: IsolatedRun, with_run: str | None) -> None:
    """Load the function only once the process is split: the threads that its module may start stay where they began."""
    parent = multiprocessing.parent_process()
    if guardian.LINUX and parent is not None:
        guardian.split(parent.sentinel)
    elif hasattr(os, "setsid"):
        os.setsid()  # a group of its own, to be killed as one
    line = run.line
    try:
        function: Callable[..., Any] = pickle.loads(place)  # noqa: S301  from ourselves
        result = function(**args, **({} if with_run is None else {with_run: run}))
        if asyncio.iscoroutine(result):
            result = asyncio.run(result)
        line.send(("returned", result))
    except BaseException as error:  # the parent must hear of it, whatever it was
        line.send(("raised", f"{type(error).__name__}: {error}"))
