"""A job in a process of its own: it may block, leak or crash, and it can be killed."""

from __future__ import annotations

import asyncio
import ctypes
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

from duly.errors import DulyError

_PR_SET_PDEATHSIG = 1


class JobProcessError(DulyError):
    """What a job in a process of its own raised, or how that process died."""


async def run_in_process(function: Callable[..., Any], args: dict[str, Any]) -> Any:
    """Call a function in a fresh process; when this returns or raises, that process is gone."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_child, args=(function, args, theirs, os.getpid()), daemon=True)
    await asyncio.to_thread(process.start)
    theirs.close()
    try:
        await _readable(process.sentinel, ours.fileno())
        return _answer(ours, process)
    finally:
        if process.is_alive():
            process.kill()
        await asyncio.to_thread(process.join)
        ours.close()


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


def _answer(ours: Connection, process: Any) -> Any:
    if not ours.poll(0):
        process.join()
        raise JobProcessError(f"the job's process ended with exit code {process.exitcode} and no answer")
    try:
        succeeded, value = ours.recv()
    except EOFError:
        process.join()
        raise JobProcessError(f"the job's process ended with exit code {process.exitcode} and no answer") from None
    if succeeded:
        return value
    raise JobProcessError(value)


def _child(function: Callable[..., Any], args: dict[str, Any], theirs: Connection, parent: int) -> None:
    _die_with(parent)
    try:
        result = function(**args)
        if asyncio.iscoroutine(result):
            result = asyncio.run(result)
        theirs.send((True, result))
    except BaseException as error:  # the parent must hear of it, whatever it was
        theirs.send((False, f"{type(error).__name__}: {error}"))


def _die_with(parent: int) -> None:
    """Ask the kernel to kill this process when the parent dies, however it dies."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it died before we could ask
            os._exit(1)
